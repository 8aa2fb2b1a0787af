//! Rewrites a crate: makes a copy of its source in which every mutant is present, and none is
//! active until its number is set.
//!
//! Text is inserted at byte ranges that a parser found; nothing is printed anew. An insertion
//! stands on the line where it belongs, so that line numbers, comments and macros survive, and the
//! place of an error shows which mutant is to blame. The original's operands are evaluated in the
//! scrutinee of a `match`, whose temporaries live as long as before, and the arms only decide. So a
//! copy without an active mutant drops everything in the original's order.

mod around;
mod asking;
mod cfg;
mod contents;
mod derived;
mod files;
mod ids;
mod monitor;
mod numbered;
mod operators;
mod print;
mod region;
mod rewriter;
mod rewritten;
mod site;
mod snapshots;
mod support;
mod suppressed;
mod syntax;
#[cfg(test)]
mod tests;
mod texts;
mod types;
mod walk;

pub use around::{Function, functions};
pub use cfg::Cfg;
pub use contents::Contents;
pub use files::{ReadError, SourceFile, files};
pub use ids::{DefinitionId, DerivedId, FunctionId, MonitorId, MutantId, RegionId};
pub use operators::OPERATORS;
pub use region::{Region, RegionKind};
pub use rewriter::Rewriter;
pub use rewritten::{Generated, Place, RewrittenFile};
pub use site::Mutant;
pub use support::UNSTABLE;
pub use texts::{Texts, tokens};
