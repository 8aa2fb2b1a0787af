//! Regions of one signature, as the borrow check groups them.

use testsmith_api::{Input, Pass, Region, RegionIdx, Signature, Variance};

/// Region variables joined by outlives bounds; coarser than rustc's relation.
pub(crate) struct RegionClasses {
    class_of: Vec<usize>,
    pub(crate) n_classes: usize,
    /// For each class: must it outlive everything?
    pub(crate) is_static: Vec<bool>,
}

impl RegionClasses {
    pub(crate) fn of(signature: &Signature) -> RegionClasses {
        let n = signature.n_regions as usize;
        let mut class_of: Vec<usize> = (0..n).collect();
        let mut is_static = vec![false; n];
        for (long, short) in &signature.outlives {
            match (long, short) {
                (Region::Var(a), Region::Var(b)) => {
                    let (from, to) = (class_of[a.0 as usize], class_of[b.0 as usize]);
                    let joined = is_static[from] || is_static[to];
                    class_of
                        .iter_mut()
                        .filter(|c| **c == from)
                        .for_each(|c| *c = to);
                    is_static[to] = joined;
                }
                (Region::Var(a), Region::Static) => is_static[class_of[a.0 as usize]] = true,
                _ => {}
            }
        }
        RegionClasses {
            class_of,
            n_classes: n,
            is_static,
        }
    }

    pub(crate) fn class(&self, var: RegionIdx) -> usize {
        self.class_of[var.0 as usize]
    }

    /// Can the argument keep a loan of this class? It can only where the region is invariant;
    /// behind `&mut`, every region is.
    pub(crate) fn invariant_in(&self, input: &Input, class: usize) -> bool {
        let behind_mut = matches!(input.pass, Pass::Mut(_));
        input.ty.regions.iter().any(|(region, variance)| {
            matches!(region, Region::Var(var) if self.class(*var) == class)
                && (behind_mut || *variance == Variance::In)
        })
    }
}

#[cfg(test)]
mod tests;
