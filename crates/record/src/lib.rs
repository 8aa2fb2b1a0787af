//! What runs leave behind: the types of every record, documented in `docs/record.md`.
//!
//! A record is plain data. Whoever did the work fills it in; the command writes it, and the report
//! reads it. Nothing here knows how a figure comes about.

mod any;
mod api;
mod augment;
mod compare;
mod coverage;
mod diff;
mod lenient;
mod minimize;
mod mutant;
mod mutants;
mod names;
mod recording;
mod redundancy;
mod run;
mod shown;
mod standing;
mod states;
mod verification;

pub use any::{AnyRecord, ReadError};
pub use api::ApiReport;
pub use augment::AugmentedReport;
pub use compare::{CompareReport, Duel, RunReport, Versus};
pub use coverage::{CoverageReport, LinesReport};
pub use diff::{
    Change, ChangedTest, DiffReport, Fixed, GoneReport, SideReport, SignatureReport, Uncompared,
};
pub use minimize::{DifferingReport, MinimizeReport, RedundantReport, UnjudgedReport, WorthReport};
pub use mutant::{BranchReport, Impact, MutantReport, OwnTestReport, SourceReport};
pub use mutants::{FixReport, MutantsReport};
pub use names::{
    ApiKind, BranchKind, CallableStatus, ChangeKind, FailureKind, FailureLevel, FailureVerdict,
    FileStatus, HuntEnd, Noticed, Notion, OwnTestStatus, RecordKind, RefusedFor, Status, Stop,
    SuiteKind, TestKind, Timed, Touched,
};
pub use recording::{FunctionReport, RecordedTest, RecordingReport};
pub use redundancy::{
    AugmentReport, NotionReport, Quality, Reached, RedundancyReport, SeenReport, SuiteReport,
    TypeReport,
};
pub use run::{
    CallableReport, ContainerReport, Dropped, Drops, FailureReport, FileReport, HIDDEN, HuntReport,
    LEFT_OUT, LawsReport, ModuleReport, ReasonReport, Report, RoundReport, SeedsReport, TestReport,
    YieldReport,
};
pub use shown::{shown, shown_within};
pub use standing::{ChangedReport, CheckReport, ReasonedReport, ShowingReport, StandingReport};
pub use states::{LeftOut, StateReport, StatesReport, TransitionReport};
pub use verification::{Alone, VerificationReport, Verified};

/// The version of the records' format.
pub const SCHEMA: u32 = 1;
