//! What a judgement is: whose mistake, how sure that is, and what speaks for and against the crate.

use serde::Deserialize;
use testsmith_record::{FailureLevel, FailureVerdict};

/// Whose mistake a failure seems to be.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The crate's: no caller should ever see it.
    Suspicious,
    /// The caller's: it looks like a check of an argument.
    Precondition,
    /// Nobody's: the documentation announces it.
    Documented,
}

impl Verdict {
    /// As records have it.
    pub fn recorded(self) -> FailureVerdict {
        match self {
            Verdict::Documented => FailureVerdict::Documented,
            Verdict::Suspicious => FailureVerdict::Suspicious,
            Verdict::Precondition => FailureVerdict::Precondition,
        }
    }
}

/// How much it looks like a bug of the crate's. The first two are suspicious.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// Nothing explains it but a bug.
    Bug,
    /// It is hardly meant so.
    Likely,
    /// Some would call it a bug, and some would not.
    Arguable,
    /// The caller made a mistake, or was told.
    Callers,
}

impl Level {
    /// As records have it.
    pub fn recorded(self) -> FailureLevel {
        match self {
            Level::Bug => FailureLevel::Bug,
            Level::Likely => FailureLevel::Likely,
            Level::Arguable => FailureLevel::Arguable,
            Level::Callers => FailureLevel::Callers,
        }
    }
}

/// What speaks for and against a bug, each a phrase or sentence without a full stop.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Evidence {
    /// Why it looks like a bug.
    pub says_bug: Vec<String>,
    /// Why it does not.
    pub says_none: Vec<String>,
    /// What the documentation of what was called says of panics.
    pub documentation: Option<String>,
}

/// A verdict with its reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judged {
    pub verdict: Verdict,
    pub level: Level,
    /// What decided, a phrase or sentence without a full stop.
    pub reason: String,
    /// How sure the verdict is: the lower, the surer.
    pub rank: u8,
    /// What else was seen.
    pub evidence: Evidence,
}

/// A suspicion of this rank or a surer one is a bug.
const SURE: u8 = 2;
/// Ranks of what is not suspicious.
const ARGUABLE: u8 = 7;
const CALLERS: u8 = 8;
const DOCUMENTED: u8 = 9;

impl Judged {
    fn new(verdict: Verdict, level: Level, reason: impl Into<String>, rank: u8) -> Judged {
        Judged {
            verdict,
            level,
            reason: reason.into(),
            rank,
            evidence: Evidence::default(),
        }
    }

    /// A bug if it is sure enough, and else likely one.
    pub(super) fn suspicious(reason: impl Into<String>, rank: u8) -> Judged {
        let level = match rank <= SURE {
            true => Level::Bug,
            false => Level::Likely,
        };
        Judged::new(Verdict::Suspicious, level, reason, rank)
    }

    pub(super) fn arguable(reason: impl Into<String>) -> Judged {
        Judged::new(Verdict::Precondition, Level::Arguable, reason, ARGUABLE)
    }

    pub(super) fn callers(reason: impl Into<String>) -> Judged {
        Judged::new(Verdict::Precondition, Level::Callers, reason, CALLERS)
    }

    pub(super) fn documented(reason: impl Into<String>) -> Judged {
        Judged::new(Verdict::Documented, Level::Callers, reason, DOCUMENTED)
    }

    /// What the settings say.
    pub(super) fn ruled(verdict: Verdict, reason: String) -> Judged {
        match verdict {
            Verdict::Suspicious => Judged::suspicious(reason, SURE + 1),
            Verdict::Precondition => Judged::callers(reason),
            Verdict::Documented => Judged::documented(reason),
        }
    }

    /// The same with all that was seen. The reason is among it.
    pub(super) fn with(mut self, mut evidence: Evidence) -> Judged {
        let side = match self.verdict {
            Verdict::Suspicious => &mut evidence.says_bug,
            Verdict::Precondition | Verdict::Documented => &mut evidence.says_none,
        };
        if !side.contains(&self.reason) {
            side.insert(0, self.reason.clone());
        }
        self.evidence = evidence;
        self
    }

    /// Is it no weaker a suspicion than the other, and of the same kind if neither is suspicious?
    pub(crate) fn is_at_least(&self, other: &Judged) -> bool {
        self.level < other.level || self.level == other.level && self.verdict == other.verdict
    }
}
