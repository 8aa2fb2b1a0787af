//! What every strategy can do.

use testsmith_protocol::Execution;

use crate::ask::Ask;
use crate::ledger::Ledger;

/// Proposes sequences and learns from their executions: a function of what it was told and a seed.
pub trait Strategy {
    /// A new sequence. `None` when many attempts in a row gave nothing new.
    fn propose(&mut self) -> Option<Ask>;

    /// Learns from an execution.
    fn learn(&mut self, ask: &Ask, execution: &Execution);

    /// What was found and counted so far.
    fn ledger(&self) -> &Ledger;
}
