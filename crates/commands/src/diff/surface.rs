//! Compares what two versions of a package publish: which items were removed, added, or got another
//! signature.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use testsmith_api::{
    Api, Bound, Callable, FullNames, GenericKind, NEWEST_EDITION, Names, Reason, Region, STAND_INS,
    Substitution, Ty, written_path,
};
use testsmith_record::{ApiKind, GoneReport, SignatureReport};

use testsmith_equip::Filter;

/// What one version publishes.
pub(super) struct Surface {
    callables: BTreeMap<String, Published>,
    /// Public types and traits, by path.
    types: BTreeSet<String>,
}

struct Published {
    /// The signature as people read it.
    text: String,
    /// The signature with generic parameters and lifetimes named by their order, so that renaming
    /// them is no change.
    canonical: String,
}

impl Surface {
    /// The surface of everything that the user asked for and that is meant to be called.
    pub(super) fn of(api: &Api, filter: &Filter, is_everything: bool) -> Surface {
        let of_ours = format!("{STAND_INS}::");
        let is_public = |(i, callable): &(usize, &Callable)| {
            !matches!(callable.skip, Some(Reason::Hidden | Reason::Filtered))
                && filter.wants(*i)
                && !callable.key.contains(&of_ours)
        };
        let callables = api.callables.iter().enumerate().filter(is_public);
        let callables = callables.map(|(_, callable)| {
            let published = Published {
                text: signature(callable, &Substitution::default()),
                canonical: canonical(callable),
            };
            (callable.key.to_string(), published)
        });
        let types = api.adts.keys().chain(api.traits.keys());
        let types = types.filter(|_| is_everything);
        Surface {
            callables: callables.collect(),
            types: types.map(|path| path.to_string()).collect(),
        }
    }

    /// What this version publishes and the other does not.
    pub(super) fn without(&self, other: &Surface) -> Vec<GoneReport> {
        let types = self.types.difference(&other.types).map(|path| GoneReport {
            path: path.clone(),
            kind: ApiKind::Type,
            signature: String::new(),
        });
        let callables = self.callables.iter();
        let callables = callables.filter(|(key, _)| !other.callables.contains_key(*key));
        let callables = callables.map(|(key, published)| GoneReport {
            path: key.clone(),
            kind: ApiKind::Callable,
            signature: published.text.clone(),
        });
        types.chain(callables).collect()
    }

    /// What both versions publish, with different signatures.
    pub(super) fn changed(&self, new: &Surface) -> Vec<SignatureReport> {
        let callables = self.callables.iter();
        let changed = callables.filter_map(|(key, old)| {
            let new = new.callables.get(key)?;
            (old.canonical != new.canonical).then(|| SignatureReport {
                path: key.clone(),
                old: old.text.clone(),
                new: new.text.clone(),
            })
        });
        changed.collect()
    }
}

/// Writes full paths without leading colons, and lifetimes by number.
struct Written;

impl Names for Written {
    fn path(&self, path: &str) -> String {
        written_path(path, NEWEST_EDITION)
    }
    fn region(&self, region: Region) -> Option<String> {
        FullNames.region(region)
    }
}

/// `unsafe fn(&T, usize) -> Option<T> where T: Clone`, without names of parameters.
fn signature(callable: &Callable, by: &Substitution) -> String {
    let ty = |ty: &Ty| ty.substitute(by).render(&Written);
    let inputs: Vec<String> = callable.inputs.iter().map(|it| ty(&it.ty)).collect();
    let mut text = match (callable.kind.is_call(), callable.is_unsafe) {
        (true, true) => format!("unsafe fn({})", inputs.join(", ")),
        (true, false) => format!("fn({})", inputs.join(", ")),
        (false, _) if inputs.is_empty() => String::new(),
        (false, _) => format!("({})", inputs.join(", ")),
    };
    match text.is_empty() {
        true => text = ty(&callable.output),
        false if callable.output.is_unit() => {}
        false => text = format!("{text} -> {}", ty(&callable.output)),
    }
    let bound = |bound: &Bound| match bound {
        Bound::Trait { on, trait_ } => {
            format!("{}: {}", ty(on), trait_.substitute(by).render(&Written))
        }
        Bound::Outlives { on, region } => {
            format!(
                "{}: {}",
                ty(on),
                Written.region(*region).unwrap_or_default()
            )
        }
    };
    let mut bounds: Vec<String> = callable.bounds.iter().map(bound).collect();
    bounds.sort();
    bounds.dedup();
    if !bounds.is_empty() {
        text = format!("{text} where {}", bounds.join(", "));
    }
    text
}

/// The signature with names that depend on their order alone.
fn canonical(callable: &Callable) -> String {
    let mut by = Substitution::default();
    for (i, param) in callable.generics.iter().enumerate() {
        let name: Arc<str> = format!("G{i}").into();
        match param.kind {
            GenericKind::Type { .. } => {
                by.types.insert(param.name.clone(), Ty::Param(name));
            }
            GenericKind::Const(_) => {
                by.consts.insert(param.name.clone(), name);
            }
        }
    }
    numbered(&signature(callable, &by))
}

/// Renumbers lifetimes like `'r7` by the order in which they occur.
fn numbered(text: &str) -> String {
    let mut known: Vec<&str> = Vec::new();
    let mut parts = text.split("'r");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_digit());
        let (number, rest) = part.split_at(end.unwrap_or(part.len()));
        let at = known.iter().position(|it| *it == number);
        let at = at.unwrap_or_else(|| {
            known.push(number);
            known.len() - 1
        });
        out.push_str(&format!("'r{at}{rest}"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lifetimes_are_numbered_as_they_occur() {
        let text = "fn(&'r3 str, &'r1 str) -> &'r3 str";
        assert_eq!(numbered(text), "fn(&'r0 str, &'r1 str) -> &'r0 str");
    }
}
