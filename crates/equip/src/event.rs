//! What a command says while it runs, and who watches it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a command is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The package is found and its API read.
    Learn,
    /// The copy with all mutants is made.
    Copy,
    /// The harness is built, or own tests on the copy.
    Build,
    /// The crate's API is called.
    Explore,
    /// Tests are chosen from what exploration kept.
    Choose,
    /// The suite is compiled and run.
    Check,
    /// Files are written.
    Write,
    /// Own tests are run, and their calls recorded.
    Record,
    /// Examples of the documentation are built.
    Examples,
    /// Own tests are run to see what they reach.
    LearnTests,
    /// Own tests are asked about mutants.
    Mutants,
    /// It is counted what survivors change.
    Impact,
    /// Survivors are compared with the original.
    Equivalents,
    /// Mutants are edited in, to see that the copy is right.
    Verify,
    /// Own tests are judged without what is redundant.
    Minimize,
    /// Suites of older tools are judged by every notion of equal states.
    Redundancy,
    /// The methods of a type are called on values of each kind.
    States,
    /// What was learnt on one version is run on another.
    Compare,
}

impl Stage {
    /// One word, or two, for records and reports of bugs.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Learn => "learn",
            Stage::Copy => "copy",
            Stage::Build => "build",
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

    /// What goes on, after "while".
    pub fn doing(self) -> &'static str {
        match self {
            Stage::Learn => "learning",
            Stage::Copy => "copying",
            Stage::Build => "building",
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
    /// With a result.
    Done(T),
    /// By the user, in this stage, before there was anything to keep.
    Interrupted(Stage),
}

impl<T> Outcome<T> {
    /// The same with another result.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Outcome<U> {
        match self {
            Outcome::Done(it) => Outcome::Done(f(it)),
            Outcome::Interrupted(stage) => Outcome::Interrupted(stage),
        }
    }
}

/// Who is told what a command does, and may end it.
pub struct Watch<'a> {
    events: &'a mut dyn FnMut(Event),
    cancel: Arc<AtomicBool>,
    stage: Stage,
    has_something: bool,
}

impl<'a> Watch<'a> {
    /// Tells `events`; ends when `cancel` is set.
    pub fn new(events: &'a mut dyn FnMut(Event), cancel: &Arc<AtomicBool>) -> Watch<'a> {
        Watch {
            events,
            cancel: Arc::clone(cancel),
            stage: Stage::Learn,
            has_something: false,
        }
    }

    /// Something happened.
    pub fn tell(&mut self, event: Event) {
        (self.events)(event);
    }

    /// Something the user should know.
    pub fn note(&mut self, text: impl Into<String>) {
        self.tell(Event::Note(text.into()));
    }

    /// A stage begins.
    pub fn enter(&mut self, stage: Stage) {
        self.stage = stage;
        self.tell(Event::Stage(stage));
    }

    /// Does the user want an end?
    pub fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// What is set when the user wants an end, for whoever waits for a process.
    pub fn cancel(&self) -> &Arc<AtomicBool> {
        &self.cancel
    }

    /// From here on there is something to lose, and being interrupted shortens what follows instead
    /// of ending it.
    pub fn has_something(&mut self) {
        self.has_something = true;
    }

    /// How the command ends. What went wrong while it was being interrupted went wrong for that, as
    /// long as there was nothing to lose.
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

/// What happens while a command runs.
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
        /// Callables in it.
        n_callables: usize,
        /// Operations made from them.
        n_operations: usize,
    },
    /// A round of the harness build begins.
    Round {
        /// Its number.
        n: u32,
        /// Operations still in.
        n_operations: usize,
    },
    /// A round of judging the mutants begins.
    Copying {
        /// Its number.
        n: u32,
        /// Mutants still in; none are known in the first round.
        n_mutants: usize,
    },
    /// Mutants are judged.
    Judging {
        /// So many runs are done.
        n: usize,
        /// Of so many.
        of: usize,
    },
    /// Own tests are run to see what they reach.
    Learning {
        /// So many are done.
        n: usize,
        /// Of so many.
        of: usize,
    },
    /// Own tests are run with mutants.
    Asking {
        /// So many mutants are done.
        n: usize,
        /// Of so many.
        of: usize,
    },
    /// Survivors are compared with the original, optimised.
    Comparing {
        /// So many builds are done.
        n: usize,
        /// Of so many, so far.
        of: usize,
    },
    /// Another mutant is edited in.
    Verifying {
        /// How many were before.
        i: usize,
        /// How many there are.
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
        /// Between 0 and 1.
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
