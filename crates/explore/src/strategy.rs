//! What every strategy does.

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
