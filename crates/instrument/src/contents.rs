//! What a copy contains of everything that it could contain.

use std::collections::BTreeSet;

use crate::ids::{DefinitionId, DerivedId, FunctionId, MonitorId, MutantId};

/// What a copy contains of everything that it could contain.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Contents {
    /// Mutants that are not in the copy.
    pub dropped: BTreeSet<MutantId>,
    /// Types whose values cannot be looked into.
    pub opaque: BTreeSet<DefinitionId>,
    /// Types whose equality the compiler derives.
    pub derived: BTreeSet<DerivedId>,
    /// Functions that do not note what they read of values.
    pub unmonitored: BTreeSet<MonitorId>,
    /// May the copy use unstable features? Then it can look into generic parameters, functions can
    /// be `const` and have mutants, derived equalities are written out, and other equalities note
    /// what they read.
    pub unstable: bool,
    /// Does every `const fn` stay `const`? If not, those with mutants lose it, and rustc's errors
    /// show who needs them to be `const`.
    pub constants: bool,
    /// Can calls from outside be written down? The code for that is large.
    pub records: bool,
    /// Can functions note what they return?
    pub returns: bool,
    /// Functions that cannot note what they return.
    pub silent: BTreeSet<FunctionId>,
}

impl Contents {
    /// Can derived equalities be written out? Their patterns need unstable features. In a record of
    /// calls from outside they must not be, because calls that a derived function makes count as
    /// its caller's.
    pub fn writes_out(&self) -> bool {
        self.unstable && !self.records
    }

    /// The derived equalities that are written out, of those with these ids.
    pub(crate) fn written_out(
        &self,
        ids: impl Iterator<Item = DerivedId>,
    ) -> impl Iterator<Item = DerivedId> {
        ids.filter(|id| self.writes_out() && !self.derived.contains(id))
    }
}
