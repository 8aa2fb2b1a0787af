//! What a copy has of what it could have.

use std::collections::BTreeSet;

use crate::ids::{DefinitionId, DerivedId, FunctionId, MonitorId, MutantId};

/// What a copy has of what it could have.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Contents {
    /// Mutants that are not in it.
    pub dropped: BTreeSet<MutantId>,
    /// Types that there is no looking into.
    pub opaque: BTreeSet<DefinitionId>,
    /// Types whose equality is left to the compiler to derive.
    pub derived: BTreeSet<DerivedId>,
    /// Functions that do not note what they read of values.
    pub unmonitored: BTreeSet<MonitorId>,
    /// May it use what is not stable? Then it is looked into what generic parameters stand for,
    /// functions can be `const` and have mutants, derived equalities are written out, and it is noted
    /// what others read.
    pub unstable: bool,
    /// Is every `const fn` one? Else those with mutants are none, and rustc says who needs them to be.
    pub constants: bool,
    /// Can calls from outside be written down? The code for that is large.
    pub records: bool,
    /// Can functions note what they return?
    pub returns: bool,
    /// Those that cannot.
    pub silent: BTreeSet<FunctionId>,
}

impl Contents {
    /// Can derived equalities be written out? Patterns need what is not stable; and in a record of
    /// calls from outside, what a derived function calls counts as called by whoever called that.
    pub fn writes_out(&self) -> bool {
        self.unstable && !self.records
    }

    /// Those of them that are written out.
    pub(crate) fn written_out(
        &self,
        ids: impl Iterator<Item = DerivedId>,
    ) -> impl Iterator<Item = DerivedId> {
        ids.filter(|id| self.writes_out() && !self.derived.contains(id))
    }
}
