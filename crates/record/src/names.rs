//! Statuses, kinds and other things that records say with one word of a few.
//!
//! Each is an enum with the words of `docs/record.md`. Reading is lenient, because a record may be of
//! another version: a word that is not known is read as the default, which says that nobody knows.

/// Defines an enum of words: `name()`, `Display` and `Serialize` give the word, `Deserialize` takes it.
///
/// A derive of serde would do for reading and writing, but whoever prints needs the words, too, and they
/// are not to stand in two places.
macro_rules! names {
    ($(
        $(#[$about:meta])*
        pub enum $name:ident {
            $( $(#[$meaning:meta])* $variant:ident = $word:literal, )*
        }
    )*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
        pub enum $name {
            $( $(#[$meaning])* $variant, )*
        }

        impl $name {
            /// All there are.
            pub const ALL: &'static [$name] = &[$( $name::$variant, )*];

            /// As in the record.
            pub fn name(self) -> &'static str {
                match self {
                    $( $name::$variant => $word, )*
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                let word = <String as serde::Deserialize>::deserialize(deserializer)?;
                let known = $name::ALL.iter().find(|it| it.name() == word);
                Ok(known.copied().unwrap_or_default())
            }
        }
    )*};
}

names! {
    /// Which command a record is of.
    pub enum RecordKind {
        /// `cargo testsmith api`.
        Api = "api",
        /// `cargo testsmith --check`.
        Check = "check",
        /// `cargo testsmith compare`.
        Compare = "compare",
        /// `cargo testsmith diff`.
        Diff = "diff",
        /// `cargo testsmith minimize`.
        Minimize = "minimize",
        /// `cargo testsmith mutants`.
        Mutants = "mutants",
        /// `cargo testsmith record`.
        Record = "record",
        /// `cargo testsmith redundancy`.
        Redundancy = "redundancy",
        /// `cargo testsmith`, and `cargo testsmith augment`.
        Run = "run",
        /// `cargo testsmith states`.
        States = "states",
        /// The record does not say, or it is of another version.
        #[default]
        Unknown = "unknown",
    }

    /// What seconds are counted for. The order is that of the words: it is the order in a record.
    pub enum Timed {
        /// The harness is built, or own tests on the copy.
        Build = "build",
        /// The suite is compiled and run.
        Check = "check",
        /// Tests are chosen.
        Choose = "choose",
        /// Two versions are compared.
        Compare = "compare",
        /// The crate is rewritten, and rustc judges that.
        Copy = "copy",
        /// Survivors are compared with the original.
        Equivalents = "equivalents",
        /// Examples of the documentation are built.
        Examples = "examples",
        /// The API is called.
        Explore = "explore",
        /// It is counted what survivors change.
        Impact = "impact",
        /// Suites are judged by every notion of equal states.
        Judge = "judge",
        /// The package is found and its API read, or own tests are run to see what they reach.
        Learn = "learn",
        /// The API of the newer version is read.
        LearnNew = "learn new",
        /// Own tests are asked about mutants.
        Mutants = "mutants",
        /// Own tests are run, and their calls recorded.
        Record = "record",
        /// All of the run on the older version.
        RunOld = "run old",
        /// The suite that is there is compiled and run.
        Standing = "standing",
        /// States are looked at.
        States = "states",
        /// A record of another version says it.
        #[default]
        Unknown = "unknown",
        /// Mutants are edited in.
        Verify = "verify",
        /// Files are written.
        Write = "write",
    }

    /// How far a callable came.
    pub enum CallableStatus {
        /// It has no instances, or was not asked for.
        Skipped = "skipped",
        /// It has instances that rustc accepts, and no call of them returned.
        Modelled = "modelled",
        /// A call returned normally.
        Reached = "reached",
        /// Nobody says.
        #[default]
        Unknown = "unknown",
    }

    /// What of the world outside a call reached for. The order is that of the words.
    pub enum Touched {
        /// Files.
        Files = "files",
        /// The network.
        Network = "network",
        /// Other processes.
        Processes = "processes",
        /// What is typed.
        StandardInput = "standard input",
        /// The system's settings.
        System = "system",
        /// Threads that go on when the call is over.
        ThreadsLeftBehind = "threads left behind",
        /// A record of another version says it.
        #[default]
        Unknown = "unknown",
    }

    /// What a test that was written is for.
    pub enum TestKind {
        /// It passes, and is to go on passing.
        Regression = "regression",
        /// It shows a failure.
        Failure = "failure",
        /// Nobody says.
        #[default]
        Unknown = "unknown",
    }

    /// How something failed.
    pub enum FailureKind {
        /// It panicked.
        Panic = "panic",
        /// It aborted.
        Abort = "abort",
        /// A signal ended it.
        Signal = "signal",
        /// It ended the process.
        Exit = "exit",
        /// The stack had no room left.
        StackOverflow = "stack-overflow",
        /// It did not end in time.
        Timeout = "timeout",
        /// It asked for too much memory.
        OutOfMemory = "out-of-memory",
        /// A law or a contract does not hold.
        Contract = "contract",
        /// Nobody says.
        #[default]
        Unknown = "unknown",
    }

    /// Whose fault a failure is.
    pub enum FailureVerdict {
        /// No caller should ever see it.
        Suspicious = "suspicious",
        /// The caller could have known.
        Precondition = "precondition",
        /// The documentation announces it.
        Documented = "documented",
        /// Nobody says.
        #[default]
        Unknown = "unknown",
    }

    /// How much a failure looks like a bug of the crate's.
    pub enum FailureLevel {
        /// Nothing explains it but a bug.
        Bug = "bug",
        /// It is hardly meant so.
        Likely = "likely",
        /// Some would call it a bug, and some would not.
        Arguable = "arguable",
        /// The caller made a mistake, or was told.
        Callers = "caller's",
        /// Nobody says.
        #[default]
        Unknown = "unknown",
    }

    /// What became of a test file.
    pub enum FileStatus {
        /// It was written.
        Written = "written",
        /// It said the same before.
        Unchanged = "unchanged",
        /// It is in the scratch workspace only.
        DryRun = "dry-run",
        /// It is of an earlier run, and was edited since; or this one was interrupted.
        Kept = "kept",
        /// Nobody says.
        #[default]
        Unknown = "unknown",
    }

    /// What became of a mutant.
    pub enum Status {
        /// A test fails with it.
        Killed = "killed",
        /// Tests go through its code, and none fails.
        Survived = "survived",
        /// No test goes through its code.
        Unreached = "unreached",
        /// rustc refuses it.
        Unviable = "unviable",
        /// It compiles to the same code.
        Equivalent = "equivalent",
        /// Somebody said that it is not wanted.
        Suppressed = "suppressed",
        /// Nobody has asked yet, or nobody says.
        #[default]
        Pending = "pending",
    }

    /// Where a mutant stops that no test of a run notices.
    pub enum Stop {
        /// Nothing that was called goes through its code.
        NotEntered = "not entered",
        /// Calls go through its code, and none was tried with it.
        NotTried = "not tried",
        /// All that was tried went the same way with it and gave the same.
        NotInfected = "not infected",
        /// Something went another way, and all that was looked at is the same.
        NotSeen = "not seen",
        /// Something that was looked at differs, and no test asserts it.
        NotAsserted = "not asserted",
        /// Nobody says.
        #[default]
        Unknown = "unknown",
    }

    /// Why the hunt for mutants ended.
    pub enum HuntEnd {
        /// None was left.
        NoneLeft = "none left",
        /// In several rounds none was killed, and none came farther.
        NothingMoves = "nothing moves",
        /// There was no time or work left.
        Budget = "budget",
        /// It had as many rounds as it may have.
        Rounds = "rounds",
        /// Nobody says.
        #[default]
        Unknown = "unknown",
    }

    /// How a test noticed a mutant.
    pub enum Noticed {
        /// It failed.
        Failed = "failed",
        /// Its process ended.
        Died = "died",
        /// It would have gone on for long.
        Exhausted = "exhausted",
        /// It took too long.
        Timeout = "timeout",
        /// Nobody says.
        #[default]
        Unknown = "unknown",
    }

    /// What rustc's refusal of a mutant is about.
    pub enum RefusedFor {
        /// Its own code.
        Itself = "itself",
        /// The code around it.
        Around = "around",
        /// A constant that is computed with its function.
        Constant = "constant",
        /// Nobody says.
        #[default]
        Unknown = "unknown",
    }

    /// What decides whether a side of a branch is taken.
    pub enum BranchKind {
        /// The condition of an `if` holds.
        Then = "then",
        /// It does not.
        Else = "else",
        /// An arm of a `match`.
        Arm = "arm",
        /// The body of a loop.
        Loop = "loop",
        /// The `else` of a `let`.
        LetElse = "let-else",
        /// A `?` that goes on.
        Question = "question",
        /// Nobody says.
        #[default]
        Unknown = "unknown",
    }

    /// How a test of the package's own ends with no mutant active.
    pub enum OwnTestStatus {
        /// It passes, and is asked about mutants.
        Passed = "passed",
        /// It fails, or takes too long.
        Failed = "failed",
        /// Nobody asks for it.
        Ignored = "ignored",
        /// It fails now and then.
        Unsteady = "unsteady",
        /// Nobody says.
        #[default]
        Unknown = "unknown",
    }

    /// How a case ends on another version.
    pub enum ChangeKind {
        /// An assertion does not hold.
        Value = "value",
        /// It panics, and did not, or for another reason.
        Panics = "panics",
        /// It returns, and panicked.
        Returns = "returns",
        /// The process ends, or does not end in time.
        Dies = "dies",
        /// Nobody says.
        #[default]
        Unknown = "unknown",
    }

    /// What API is.
    pub enum ApiKind {
        /// A type, or a trait.
        Type = "type",
        /// A callable.
        Callable = "callable",
        /// Nobody says.
        #[default]
        Unknown = "unknown",
    }

    /// Which older tool a suite is like.
    pub enum SuiteKind {
        /// A few calls on a value, over one choice for each parameter.
        JtestLike = "jtest-like",
        /// The same with two choices.
        JtestLikeTwoValues = "jtest-like, two values",
        /// A constructor, alone and with one call, over all combinations of choices.
        JcrasherLike = "jcrasher-like",
        /// Nobody says.
        #[default]
        Unknown = "unknown",
    }

    /// What makes two states the same.
    pub enum Notion {
        /// The same calls.
        WholeSeq = "whole-seq",
        /// The same calls, those left out that changed nothing.
        ModifyingSeq = "modifying-seq",
        /// The same inside.
        WholeState = "whole-state",
        /// The same inside as far as `==` reads it.
        MonitorEq = "monitor-eq",
        /// `==` says so.
        PairwiseEq = "pairwise-eq",
        /// Nobody says.
        #[default]
        Unknown = "unknown",
    }
}

impl Status {
    /// Did tests have a say?
    pub fn is_judged(self) -> bool {
        use Status::{Equivalent, Killed, Survived, Unreached};
        matches!(self, Killed | Survived | Unreached | Equivalent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record has its stages, and what calls reached for, in the order of the words.
    #[test]
    fn keys_are_in_the_order_of_their_words() {
        let is_sorted = |words: Vec<&str>| words.is_sorted();
        assert!(is_sorted(Timed::ALL.iter().map(|it| it.name()).collect()));
        assert!(is_sorted(Touched::ALL.iter().map(|it| it.name()).collect()));
    }

    #[test]
    fn a_word_that_is_not_known_says_nothing() {
        let read = |text: &str| serde_json::from_str::<Status>(text).ok();
        assert_eq!(read("\"survived\""), Some(Status::Survived));
        assert_eq!(read("\"vanished\""), Some(Status::Pending));
        assert_eq!(read("7"), None);
    }
}
