//! What a command reports while it runs, and how the user ends it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The stages of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Finds the package and reads its API.
    Learn,
    /// Makes the copy with all mutants.
    Copy,
    /// Builds the harness, or the own tests on the copy.
    Build,
    /// Compiles and runs the suite that is there.
    Standing,
    /// Calls the crate's API.
    Explore,
    /// Chooses tests from what exploration kept.
    Choose,
    /// Compiles and runs the suite.
    Check,
    /// Writes files.
    Write,
    /// Runs own tests and records their calls.
    Record,
    /// Builds the examples of the documentation.
    Examples,
    /// Runs own tests to see what they reach.
    LearnTests,
    /// Runs own tests against mutants.
    Mutants,
    /// Counts what survivors change.
    Impact,
    /// Compares survivors with the original.
    Equivalents,
    /// Edits mutants in, to see that the copy is right.
    Verify,
    /// Judges own tests without the redundant ones.
    Minimize,
    /// Judges suites of older tools by every notion of equal states.
    Redundancy,
    /// Calls the methods of a type on values of each kind.
    States,
    /// Runs on one version what was learnt on another.
    Compare,
}

impl Stage {
    /// One or two words for reports of bugs.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Learn => "learn",
            Stage::Copy => "copy",
            Stage::Build => "build",
            Stage::Standing => "standing",
            Stage::Explore => "explore",
            Stage::Choose => "choose",
            Stage::Check => "check",
            Stage::Write => "write",
            Stage::Record => "record",
            Stage::Examples => "examples",
            Stage::LearnTests => "learn tests",
            Stage::Mutants => "mutants",
            Stage::Impact => "impact",
            Stage::Equivalents => "equivalents",
            Stage::Verify => "verify",
            Stage::Minimize => "minimize",
            Stage::Redundancy => "redundancy",
            Stage::States => "states",
            Stage::Compare => "compare",
        }
    }

    /// What the stage does, to stand after "while".
    pub fn doing(self) -> &'static str {
        match self {
            Stage::Learn => "learning",
            Stage::Copy => "copying",
            Stage::Build => "building",
            Stage::Standing => "running the suite that is there",
            Stage::Explore => "exploring",
            Stage::Choose => "choosing",
            Stage::Check => "checking",
            Stage::Write => "writing",
            Stage::Record => "recording own tests",
            Stage::Examples => "building examples",
            Stage::LearnTests => "learning what tests do",
            Stage::Mutants => "running own tests",
            Stage::Impact | Stage::Equivalents => "looking at survivors",
            Stage::Verify => "verifying",
            Stage::Minimize | Stage::Redundancy => "judging tests",
            Stage::States => "looking at states",
            Stage::Compare => "comparing",
        }
    }
}

/// How a command that did not fail ended.
#[derive(Clone, Debug)]
pub enum Outcome<T> {
    /// The command came to its end, with this result.
    Done(T),
    /// The user ended the command in this stage, before there was anything to keep.
    Interrupted(Stage),
}

impl<T> Outcome<T> {
    /// The same outcome with another result.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Outcome<U> {
        match self {
            Outcome::Done(it) => Outcome::Done(f(it)),
            Outcome::Interrupted(stage) => Outcome::Interrupted(stage),
        }
    }
}

/// Passes on what a command reports, and knows whether the user wants it to end.
pub struct Watch<'a> {
    events: &'a mut dyn FnMut(Event),
    cancel: Arc<AtomicBool>,
    stage: Stage,
    has_something: bool,
}

impl<'a> Watch<'a> {
    /// A watch that hands events to `events`. The user asks for the end by setting `cancel`.
    pub fn new(events: &'a mut dyn FnMut(Event), cancel: &Arc<AtomicBool>) -> Watch<'a> {
        Watch {
            events,
            cancel: Arc::clone(cancel),
            stage: Stage::Learn,
            has_something: false,
        }
    }

    /// Reports an event.
    pub fn tell(&mut self, event: Event) {
        (self.events)(event);
    }

    /// Reports something that the user should know.
    pub fn note(&mut self, text: impl Into<String>) {
        self.tell(Event::Note(text.into()));
    }

    /// Reports that a stage begins.
    pub fn enter(&mut self, stage: Stage) {
        self.stage = stage;
        self.tell(Event::Stage(stage));
    }

    /// Has the user asked for an end?
    pub fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// The flag that the user's interruption sets, for code that waits for a process.
    pub fn cancel(&self) -> &Arc<AtomicBool> {
        &self.cancel
    }

    /// From here on there is something to lose: an interruption only shortens what follows.
    pub fn has_something(&mut self) {
        self.has_something = true;
    }

    /// How the command ends. An error after an interruption is taken for its consequence, as long
    /// as there was nothing to lose.
    pub fn outcome<T, E>(&self, result: Result<T, E>) -> Result<Outcome<T>, E> {
        match result {
            Ok(it) => Ok(Outcome::Done(it)),
            Err(_) if self.is_cancelled() && !self.has_something => {
                Ok(Outcome::Interrupted(self.stage))
            }
            Err(error) => Err(error),
        }
    }
}

/// What a command reports.
#[derive(Clone, Debug)]
pub enum Event {
    /// A stage begins.
    Stage(Stage),
    /// The package was found.
    Package {
        /// Its name.
        name: String,
        /// Its version.
        version: String,
    },
    /// The API is known.
    Api {
        /// How many callables the API has.
        n_callables: usize,
        /// How many operations were made of them.
        n_operations: usize,
    },
    /// A round of the harness build begins.
    Round {
        /// The number of the round.
        n: u32,
        /// Operations that are still in the harness.
        n_operations: usize,
    },
    /// A round begins in which the compiler judges the mutants.
    Copying {
        /// The number of the round.
        n: u32,
        /// Mutants that are still in the copy; none are known in the first round.
        n_mutants: usize,
    },
    /// Choosing goes on with another kind of work.
    Choosing {
        /// What it does.
        doing: &'static str,
        /// How long choosing may still take, if the clock bounds it.
        left: Option<Duration>,
    },
    /// Programs are run against mutants.
    Judging {
        /// Runs that are done.
        n: usize,
        /// Runs in all.
        of: usize,
    },
    /// Own tests are run to see what they reach.
    Learning {
        /// Tests that are done.
        n: usize,
        /// Tests in all.
        of: usize,
    },
    /// Own tests are run with mutants.
    Asking {
        /// Mutants that are done.
        n: usize,
        /// Mutants in all.
        of: usize,
    },
    /// Survivors are compared with the original in optimised builds.
    Comparing {
        /// Builds that are done.
        n: usize,
        /// Builds that are known to be needed so far.
        of: usize,
    },
    /// Another mutant is edited in.
    Verifying {
        /// How many mutants were edited in before.
        i: usize,
        /// How many mutants are edited in, in all.
        n: usize,
    },
    /// Exploration goes on.
    Exploring {
        /// Calls so far.
        n_calls: u64,
        /// Sequences so far.
        n_sequences: u64,
        /// Distinct values so far.
        n_states: u64,
        /// Seconds so far.
        seconds: f64,
        /// The part of the budget that is used up, between 0 and 1.
        done: f64,
    },
    /// Something the user should know.
    Note(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_an_interruption_until_there_is_something_to_lose() {
        let cancel = Arc::new(AtomicBool::new(false));
        let mut stages = Vec::new();
        let mut events = |event| stages.push(format!("{event:?}"));
        let mut watch = Watch::new(&mut events, &cancel);
        watch.enter(Stage::Build);
        assert!(watch.outcome::<(), _>(Err("failed")).is_err());
        cancel.store(true, Ordering::Relaxed);
        let outcome = watch.outcome::<(), _>(Err("killed"));
        assert!(matches!(outcome, Ok(Outcome::Interrupted(Stage::Build))));
        assert!(matches!(
            watch.outcome::<_, ()>(Ok(1)),
            Ok(Outcome::Done(1))
        ));
        watch.has_something();
        assert_eq!(
            watch.outcome::<(), _>(Err("disk full")).unwrap_err(),
            "disk full"
        );
        assert_eq!(stages, ["Stage(Build)"]);
    }
}
