//! How much work may be done to choose a suite, and how much of it each stage may have used when it
//! ends.
//!
//! `--time` bounds a run by the clock. With `--calls` the same files must come of any machine, so
//! work is counted there: what guests do for the suite, in units that do not depend on how fast they
//! are. A stage that has used up its share gives up what is left, the least valuable last in its
//! order, and counts it; what a stage leaves over is there for the next ones. Without a bound, a few
//! mutants of a crate of large numbers, whose calls end in time-outs, took ten minutes after fifteen
//! seconds of exploring.

use std::cell::Cell;
use std::time::{Duration, Instant};

use testsmith_record::Drops;

/// Work that may always be done, however few calls there were.
const LEAST_WORK: u64 = 1 << 32;
/// Work that may be done for each call of exploration.
const WORK_PER_CALL: u64 = 1 << 12;

/// The stages of choosing, in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Doing {
    /// Runs executions without the steps that do not matter.
    Reducing,
    /// Runs executions again with observers appended.
    Observing,
    /// Tries a few candidates on each mutant.
    Sampling,
    /// Tries the other candidates on mutants that survive.
    Harvesting,
    /// Makes new executions for mutants that survive.
    Hunting,
    /// Runs cases under more seeds and clocks.
    Settling,
    /// Tries all cases on the mutants that survive.
    Completing,
    /// Makes literals plain.
    Simplifying,
    /// Looks for redundant tests.
    Comparing,
    /// Shortens failures.
    Shortening,
}

impl Doing {
    /// What part of the counted work is used up, at most, when the stage ends.
    fn share(self) -> f64 {
        match self {
            Doing::Reducing => 0.15,
            Doing::Observing => 0.4,
            Doing::Sampling => 0.58,
            Doing::Harvesting => 0.61,
            Doing::Hunting => 0.68,
            Doing::Settling => 0.74,
            Doing::Completing => 0.78,
            Doing::Simplifying => 0.86,
            Doing::Comparing => 0.9,
            Doing::Shortening => 1.0,
        }
    }

    /// What part of the time that is left when it begins the stage may take. A stage may run over,
    /// since what guests were asked for is waited for, and must not leave nothing to the next ones.
    fn part_of_rest(self) -> f64 {
        match self {
            Doing::Reducing => 0.15,
            Doing::Observing => 0.25,
            Doing::Sampling => 0.5,
            Doing::Harvesting => 0.15,
            Doing::Hunting => 0.3,
            Doing::Settling => 0.2,
            Doing::Completing => 0.2,
            Doing::Simplifying => 0.6,
            Doing::Comparing => 0.3,
            Doing::Shortening => 1.0,
        }
    }

    /// What the user reads.
    fn text(self) -> &'static str {
        match self {
            Doing::Reducing => "running again what matters of executions",
            Doing::Observing => "looking at what calls gave",
            Doing::Sampling => "trying candidates on mutants",
            Doing::Harvesting => "trying other candidates on the mutants that survive",
            Doing::Hunting => "hunting mutants that survive",
            Doing::Settling => "running cases under more seeds and clocks",
            Doing::Completing => "trying chosen cases on the mutants that survive",
            Doing::Simplifying => "making values plain",
            Doing::Comparing => "looking for redundant tests",
            Doing::Shortening => "shortening failures",
        }
    }
}

/// How much work may be done.
#[derive(Clone, Copy, Debug)]
enum Bound {
    /// As much as there is.
    None,
    /// Until then.
    Time { end: Instant },
    /// So much.
    Work { before: u64, most: u64 },
}

/// Is told what choosing does, and how many seconds it may still take, if that is known.
pub type Tell<'t> = &'t dyn Fn(&'static str, Option<Duration>);

/// How much work may be done to choose a suite.
pub struct Budget<'t> {
    bound: Bound,
    doing: Cell<Doing>,
    /// When the time of the stage is over.
    until: Cell<Option<Instant>>,
    was_short: Cell<bool>,
    tell: Option<Tell<'t>>,
}

impl<'t> Budget<'t> {
    /// No bound.
    pub fn unbounded() -> Budget<'t> {
        Budget::of(Bound::None)
    }

    /// Until this moment.
    pub fn until(end: Instant) -> Budget<'t> {
        Budget::of(Bound::Time { end })
    }

    /// As much as so many calls of exploration are worth. `work` is what was done before.
    pub fn for_calls(n_calls: u64, work: u64) -> Budget<'t> {
        let most = LEAST_WORK.saturating_add(n_calls.saturating_mul(WORK_PER_CALL));
        Budget::of(Bound::Work { before: work, most })
    }

    /// The same budget, with somebody who is told what is done.
    pub fn telling(self, tell: Tell<'t>) -> Budget<'t> {
        Budget {
            tell: Some(tell),
            ..self
        }
    }

    fn of(bound: Bound) -> Budget<'t> {
        Budget {
            bound,
            doing: Cell::new(Doing::Reducing),
            until: Cell::new(None),
            was_short: Cell::new(false),
            tell: None,
        }
    }

    /// A stage begins.
    pub(crate) fn enter(&self, doing: Doing) {
        self.doing.set(doing);
        let left = match self.bound {
            Bound::Time { end, .. } => Some(end.saturating_duration_since(Instant::now())),
            _ => None,
        };
        let part = left.map(|left| left.mul_f64(doing.part_of_rest()));
        self.until.set(part.map(|part| Instant::now() + part));
        if let Some(tell) = self.tell {
            tell(doing.text(), left);
        }
    }

    /// Has the stage used up its share? `work` is what was done up to now.
    pub(crate) fn is_over(&self, work: u64) -> bool {
        let share = self.doing.get().share();
        match self.bound {
            Bound::None => false,
            Bound::Time { end } => Instant::now() >= self.until.get().unwrap_or(end),
            Bound::Work { before, most } => {
                work.saturating_sub(before) as f64 >= most as f64 * share
            }
        }
    }

    /// Counts what a stage gives up because its share is used up.
    pub(crate) fn give_up(&self, what: &str, of_what: &str, n: usize, drops: &mut Drops) {
        if n > 0 {
            self.was_short.set(true);
            drops.add(what, format!("no budget was left to {of_what}"), n as u64);
        }
    }

    /// Did some stage give something up?
    pub fn was_short(&self) -> bool {
        self.was_short.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_stage_leaves_over_is_there_for_the_next() {
        let budget = Budget::for_calls(0, 7);
        let half = 7 + LEAST_WORK / 2;
        budget.enter(Doing::Observing);
        assert!(!budget.is_over(7));
        assert!(budget.is_over(half));
        let mut drops = Drops::default();
        budget.give_up("case", "make it plain", 0, &mut drops);
        assert!(!budget.was_short());
        budget.give_up("case", "make it plain", 2, &mut drops);
        assert!(budget.was_short());
        assert_eq!(drops.into_list()[0].count, 2);
        budget.enter(Doing::Sampling);
        assert!(!budget.is_over(half));
        budget.enter(Doing::Shortening);
        assert!(!budget.is_over(6 + LEAST_WORK));
        assert!(budget.is_over(7 + LEAST_WORK));
        assert!(!Budget::unbounded().is_over(u64::MAX));
    }

    #[test]
    fn stages_are_told_in_order_with_what_is_left() {
        let said = std::cell::RefCell::new(Vec::new());
        let tell = |what, left: Option<Duration>| said.borrow_mut().push((what, left.is_some()));
        let budget = Budget::until(Instant::now()).telling(&tell);
        budget.enter(Doing::Settling);
        assert!(budget.is_over(0));
        assert_eq!(*said.borrow(), [(Doing::Settling.text(), true)]);
    }
}
