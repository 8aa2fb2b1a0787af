//! Asks in, executions out, in the order of submission, whatever happens to the guest meanwhile.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::Duration;

use testsmith_explore::Ask;
use testsmith_harness::{Guest, GuestError, encode};
use testsmith_protocol::{Batch, Execution, Limits, Outcome, Trace};
use testsmith_sequence::World;

/// Starts guests and keeps them going.
pub(crate) struct Executor {
    binary: PathBuf,
    dir: PathBuf,
    limits: Limits,
    guest: Guest,
    waiting: VecDeque<(Vec<Ask>, Batch)>,
    /// Guests that had to be replaced as a whole.
    pub(crate) n_lost: u64,
}

/// A batch that takes longer than all its programs may is lost.
const PATIENCE: Duration = Duration::from_secs(120);

impl Executor {
    /// Starts the first guest.
    pub(crate) fn start(
        binary: PathBuf,
        dir: PathBuf,
        limits: Limits,
    ) -> Result<Executor, GuestError> {
        let guest = Guest::start(&binary, &dir)?;
        Ok(Executor {
            binary,
            dir,
            limits,
            guest,
            waiting: VecDeque::new(),
            n_lost: 0,
        })
    }

    /// What the guest measured about its types.
    pub(crate) fn hello(&self) -> &testsmith_protocol::Hello {
        &self.guest.hello
    }

    /// Batches submitted and not collected.
    pub(crate) fn n_waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Hands over a batch.
    pub(crate) fn submit(&mut self, world: &World, seed: u64, asks: Vec<Ask>) {
        let programs = asks
            .iter()
            .map(|ask| {
                encode(
                    world,
                    &ask.sequence,
                    ask.watch_from,
                    &ask.watch_end,
                    ask.traced,
                    ask.values,
                )
            })
            .collect();
        let batch = Batch {
            seed,
            limits: self.limits,
            programs,
        };
        self.guest.submit(batch.clone());
        self.waiting.push_back((asks, batch));
    }

    /// The oldest batch's executions. A guest that was lost is replaced; the programs of the
    /// batch it was lost with count as not understood, the others run again.
    pub(crate) fn collect(&mut self) -> Result<Vec<(Ask, Execution)>, GuestError> {
        let Some((asks, batch)) = self.waiting.pop_front() else {
            return Ok(Vec::new());
        };
        let executions = match self.guest.collect(PATIENCE) {
            Ok(executions) => executions,
            Err(error) => {
                self.n_lost += 1;
                if self.n_lost > 20 {
                    return Err(error);
                }
                self.guest = Guest::start(&self.binary, &self.dir)?;
                for (_, batch) in &self.waiting {
                    self.guest.submit(batch.clone());
                }
                let lost = || Execution {
                    outcome: Outcome::Malformed(error.to_string()),
                    n_calls: 0,
                    touch: None,
                    trace: Trace::default(),
                    effects: Vec::new(),
                };
                batch.programs.iter().map(|_| lost()).collect()
            }
        };
        Ok(asks.into_iter().zip(executions).collect())
    }

    /// Runs asks and waits for them.
    pub(crate) fn run(
        &mut self,
        world: &World,
        seed: u64,
        asks: Vec<Ask>,
    ) -> Result<Vec<(Ask, Execution)>, GuestError> {
        while self.n_waiting() > 0 {
            self.collect()?;
        }
        let mut out = Vec::with_capacity(asks.len());
        let mut rest = asks;
        while !rest.is_empty() {
            let tail = rest.split_off(rest.len().min(64));
            self.submit(world, seed, std::mem::replace(&mut rest, tail));
            out.extend(self.collect()?);
        }
        Ok(out)
    }
}
