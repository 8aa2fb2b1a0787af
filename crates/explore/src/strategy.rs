//! What every strategy does.
//!
//! **A directed strategy and two baselines.** All of them share operations, literals and the borrow
//! check (`workshop.rs`) and differ in feedback alone: `bottom-up` knows only that a call returned,
//! `random-walk` knows nothing. `cargo testsmith compare` (`commands/compare.rs`) gives each the
//! same number of calls, prefixes included, and no seeds: those are the directed strategy's in a
//! run, and would say nothing about feedback. So a prefix must pay: short components are preferred,
//! a proposal often goes on for a few calls, and a value that needs nothing but literals is made
//! anew. And a call must be worth it (`worth.rs`): less what the compiler derived and what was
//! called with about all the arguments there are, more what costs one call alone and what took many
//! ways through the code.

use testsmith_protocol::Execution;

use crate::ask::Ask;
use crate::ledger::Ledger;

/// Proposes sequences and learns from their executions. A strategy is a pure function of what it
/// learnt and a seed.
pub trait Strategy {
    /// Proposes a new sequence. `None` if many attempts in a row gave nothing new.
    fn propose(&mut self) -> Option<Ask>;

    /// Learns from an execution.
    fn learn(&mut self, ask: &Ask, execution: &Execution);

    /// What was found and counted so far.
    fn ledger(&self) -> &Ledger;
}
