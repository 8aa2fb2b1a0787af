//! The rewriter: a copy of a crate's source in which every mutant is present, and none is active
//! until it is asked for by its number.
//!
//! Text is spliced at byte ranges that a parser found; nothing is printed anew. What is added stands
//! on the line where it belongs, so that line numbers, comments and macros survive, and the place of
//! an error names the mutant that is to blame. What the original evaluates is evaluated in the
//! scrutinee of a `match`, whose temporaries live as long as they did before, and arms only decide:
//! a copy with nothing active drops everything in the order in which the original does.

mod around;
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
