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
    /// Something went another way, took longer, or left another private state, and nothing that was looked at
    /// differs.
    Infected,
    /// Something that was looked at differs, or the trial did not come to its end.
    Seen,
}

/// How many of the candidates are remembered with which a mutant came farthest.
const MAX_BASES: usize = 6;

/// How far each mutant came that was tried.
#[derive(Default)]
pub struct Farthest(FxHashMap<MutantId, Trail>);

/// How far a mutant came, and with which candidates.
struct Trail {
    far: Far,
    /// In how many trials its code was entered.
    n_trials: u32,
    /// The best first.
    bases: Vec<Base>,
}

/// A candidate with which a mutant came as far as it came.
struct Base {
    candidate: usize,
    impact: f64,
}

impl Farthest {
    /// How far a mutant came; nothing if it was not tried on anything that goes through its code.
    pub fn of(&self, mutant: MutantId) -> Option<Far> {
        self.0.get(&mutant).map(|it| it.far)
    }

    /// In how many trials a mutant's code was entered.
    pub fn n_trials(&self, mutant: MutantId) -> u32 {
        self.0.get(&mutant).map_or(0, |it| it.n_trials)
    }

    /// The candidates, by position, with which a mutant came as far as it came: those with the most impact
    /// for their length first.
    pub(super) fn bases(&self, mutant: MutantId) -> Vec<usize> {
        let bases = self.0.get(&mutant).map_or(&[][..], |it| &it.bases);
        bases.iter().map(|it| it.candidate).collect()
    }

    /// Notes what became of a run of a candidate, of so many steps, with a mutant.
    pub(super) fn note(
        &mut self,
        mutant: MutantId,
        (candidate, n_steps): (usize, usize),
        before: &Execution,
        after: &Execution,
    ) {
        if before.outcome != Outcome::Returned {
            return;
        }
        let far = far(before, after);
        let trail = self.0.entry(mutant).or_insert(Trail {
            far,
            n_trials: 0,
            bases: Vec::new(),
        });
        trail.n_trials += 1;
        if far > trail.far {
            trail.far = far;
            trail.bases.clear();
        }
        if far == trail.far {
            let impact = impact(before, after, n_steps);
            trail.add(Base { candidate, impact });
        }
    }
}

impl Farthest {
    /// Notes that a mutant changed private state in a run of a candidate of so many steps, and nothing else.
    pub(super) fn infected(&mut self, mutant: MutantId, (candidate, n_steps): (usize, usize)) {
        if let Some(trail) = self.0.get_mut(&mutant)
            && trail.far <= Far::Infected
        {
            if trail.far < Far::Infected {
                trail.far = Far::Infected;
                trail.bases.clear();
            }
            let impact = 1.0 / (1 + n_steps) as f64;
            trail.add(Base { candidate, impact });
        }
    }
}

impl Trail {
    fn add(&mut self, base: Base) {
        let at = self.bases.partition_point(|it| it.impact >= base.impact);
        self.bases.insert(at, base);
        self.bases.truncate(MAX_BASES);
    }
}

/// How much a mutant changes in a run, for its length: formula 4 of the paper, where what is observed counts as
/// much as the way through the code.
fn impact(before: &Execution, after: &Execution, n_steps: usize) -> f64 {
    let (old, new) = (
        Trial::prints(&before.effects),
        Trial::prints(&after.effects),
    );
    let n_observed = old.iter().filter(|it| !new.contains(it)).count();
    let is_other_way = [
        before.trace.way != after.trace.way,
        before.trace.hash != after.trace.hash,
        before.fuel != after.fuel,
    ];
    let n_ways = is_other_way.into_iter().filter(|it| *it).count();
    (1 + n_observed + n_ways) as f64 / (1 + n_steps) as f64
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
        let (long, short) = ((3, 9), (5, 2));
        farthest.note(mutant, long, &refused, &returned(6));
        assert_eq!(farthest.of(mutant), None);
        farthest.note(mutant, long, &returned(5), &returned(5));
        assert_eq!(farthest.of(mutant), Some(Far::Entered));
        farthest.note(mutant, long, &returned(5), &returned(6));
        farthest.note(mutant, long, &returned(5), &returned(5));
        assert_eq!(farthest.of(mutant), Some(Far::Infected));
        farthest.note(mutant, long, &returned(5), &refused);
        assert_eq!(farthest.of(mutant), Some(Far::Seen));
        farthest.note(mutant, (4, 1), &returned(5), &returned(6));
        farthest.note(mutant, short, &returned(5), &refused);
        assert_eq!(
            farthest.bases(mutant),
            [5, 3],
            "the shorter one has more impact for its length"
        );
        assert_eq!(farthest.n_trials(mutant), 6);
    }
}
