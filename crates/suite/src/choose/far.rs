//! How far the mutants came that no test notices: what each trial of a mutant showed, the furthest of
//! all farthest.
//!
//! It costs nothing, for the answers are there already: a trial is compared with the same run without the
//! mutant. Where a mutant stops says what it would take to kill it: other calls, other inputs, a look
//! at other values, or an assertion.

use rustc_hash::FxHashMap;
use testsmith_protocol::{Execution, MutantId, Outcome};

use super::steady::Trial;

/// How far a mutant came in a trial.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Far {
    /// Its code was entered, and nothing went another way.
    Entered,
    /// Something went another way, or took longer, and nothing that was looked at differs.
    Infected,
    /// Something that was looked at differs, or the trial did not come to its end.
    Seen,
}

/// How many of the candidates are remembered with which a mutant came farthest.
const MAX_BASES: usize = 6;

/// How far each mutant came that was tried.
#[derive(Default)]
pub struct Farthest(FxHashMap<MutantId, Trail>);

/// How far a mutant came, and with which candidates: the first of those that came as far.
struct Trail {
    far: Far,
    bases: Vec<usize>,
}

impl Farthest {
    /// How far a mutant came; nothing if it was not tried on anything that goes through its code.
    pub fn of(&self, mutant: MutantId) -> Option<Far> {
        self.0.get(&mutant).map(|it| it.far)
    }

    /// The candidates, by position, with which a mutant came as far as it came.
    pub(super) fn bases(&self, mutant: MutantId) -> &[usize] {
        self.0.get(&mutant).map_or(&[], |it| &it.bases)
    }

    /// Notes what became of a run of a candidate with a mutant.
    pub(super) fn note(
        &mut self,
        mutant: MutantId,
        candidate: usize,
        before: &Execution,
        after: &Execution,
    ) {
        if before.outcome != Outcome::Returned {
            return;
        }
        let far = far(before, after);
        let bases = Vec::new();
        let trail = self.0.entry(mutant).or_insert(Trail { far, bases });
        if far > trail.far {
            trail.far = far;
            trail.bases.clear();
        }
        if far == trail.far && trail.bases.len() < MAX_BASES {
            trail.bases.push(candidate);
        }
    }
}

/// How far a mutant came, by a run without it and one with it.
fn far(before: &Execution, after: &Execution) -> Far {
    let is_seen = after.outcome != Outcome::Returned
        || Trial::prints(&before.effects) != Trial::prints(&after.effects);
    if is_seen {
        return Far::Seen;
    }
    match before.fuel == after.fuel && before.trace.hash == after.trace.hash {
        true => Far::Entered,
        false => Far::Infected,
    }
}

#[cfg(test)]
mod tests {
    use testsmith_protocol::{Noted, Trace};

    use super::*;

    fn run(outcome: Outcome, fuel: u64) -> Execution {
        Execution {
            outcome,
            n_calls: 1,
            touch: None,
            trace: Trace::default(),
            fuel,
            noted: Noted::default(),
            effects: Vec::new(),
        }
    }

    #[test]
    fn a_mutant_is_as_far_as_the_trial_in_which_it_came_furthest() {
        let mut farthest = Farthest::default();
        let mutant = MutantId(7);
        let returned = |fuel| run(Outcome::Returned, fuel);
        let refused = run(Outcome::Refused { at: 0 }, 5);
        assert_eq!(farthest.of(mutant), None);
        farthest.note(mutant, 3, &refused, &returned(6));
        assert_eq!(farthest.of(mutant), None);
        farthest.note(mutant, 3, &returned(5), &returned(5));
        assert_eq!(farthest.of(mutant), Some(Far::Entered));
        farthest.note(mutant, 3, &returned(5), &returned(6));
        farthest.note(mutant, 3, &returned(5), &returned(5));
        assert_eq!(farthest.of(mutant), Some(Far::Infected));
        farthest.note(mutant, 3, &returned(5), &refused);
        assert_eq!(farthest.of(mutant), Some(Far::Seen));
        farthest.note(mutant, 4, &returned(5), &returned(6));
        farthest.note(mutant, 5, &returned(5), &refused);
        assert_eq!(farthest.bases(mutant), [3, 5]);
    }
}
