//! Takes asks and gives executions in the order of submission, whatever happens to the guests
//! meanwhile.
//!
//! An execution does not depend on how many guests there are, on their load, or on somebody
//! ending them: a batch always meets a fresh process, a lost batch is run again, and a time-out
//! counts only if the program takes three times as long when it has a guest to itself.
//!
//! **Time-outs are confirmed.** Time is processor time, and four times as much on the clock. A
//! program that exceeds it runs again alone with three times as much. If it ends then, its whole
//! batch is run again with that limit, because what came after it met a fresh process too early. A
//! confirmed one is quarantined: that call, with arguments of those kinds, is never proposed again.
//! One that fills the memory is not either, nor, after a few times, one that takes very much work.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use testsmith_explore::Ask;
use testsmith_harness::{Guest, GuestError, NotBegun, encode, is_ending};
use testsmith_project::Sandbox;
use testsmith_protocol::{
    Batch, Death, Execution, Limits, MutantId, Noted, Outcome, Program, Realm, Touch, Trace,
    WAIT_FACTOR,
};
use testsmith_sequence::World;

/// Batches under way. The number is the same for any number of guests, or what is proposed would
/// depend on it.
pub(crate) const IN_FLIGHT: usize = 4;

/// What programs find in place of the world, and how closely they are watched.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// What randomness starts from.
    pub seed: u64,
    /// The time that the clock starts from, in seconds after 1970.
    pub clock: i64,
    /// The mutant that is active, if one is.
    pub mutant: Option<MutantId>,
    /// Is the whole of each program traced?
    pub whole: bool,
    /// Are values written out with their private fields?
    pub states: bool,
    /// Are, of private fields, only those written out that `==` reads?
    pub reads: bool,
    /// Does a batch end with its first program that does not come to an end? It has fewer executions than
    /// programs then.
    pub stops: bool,
    /// Does the processor seem to have no features that code can ask for?
    pub plain: bool,
}

impl Setting {
    /// The setting of exploration.
    pub const USUAL: Setting = Setting {
        seed: 1,
        clock: 1_000_000_000,
        mutant: None,
        whole: false,
        states: false,
        reads: false,
        stops: false,
        plain: false,
    };
    /// A setting in which everything differs that a value could depend on by chance: other hash
    /// keys, another year, month, weekday and time of day, a processor with nothing special.
    pub const OTHER: Setting = Setting {
        seed: 0x5EED_5EED,
        clock: 1_723_456_789,
        plain: true,
        ..Setting::USUAL
    };

    /// More such settings. One is not enough: two elements of a hash table stand in the same order
    /// every other time.
    pub const MORE: [Setting; 6] = {
        let mut settings = [Setting::OTHER; 6];
        let mut i = 0;
        while i < settings.len() {
            settings[i].seed = 0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(i as u64 + 2);
            settings[i].clock += 86_400 * 37 * (i as i64 + 1);
            i += 1;
        }
        settings
    };
}

/// Calls and turns of loops that take some milliseconds. A program that needs more would most
/// likely not end for long.
const MUCH_FUEL: u64 = 1 << 20;

struct Pending {
    asks: Vec<Ask>,
    batch: Arc<Batch>,
    guest: usize,
}

/// Starts guests, and replaces those that are lost.
pub struct Executor {
    binary: PathBuf,
    dir: PathBuf,
    sandbox: Sandbox,
    limits: Limits,
    guests: Vec<Guest>,
    /// The guest for programs that must run alone.
    spare: Option<Guest>,
    waiting: VecDeque<Pending>,
    /// How many more programs may be lost before somebody is heard for the first time.
    n_unheard: Option<usize>,
    /// Guests that had to be replaced as a whole.
    pub n_lost: u64,
    /// Programs that ran out of time, but ended when they had more.
    pub n_hurried: u64,
    /// The work of all programs up to now, which is the same on any machine.
    pub work: u64,
}

/// A time-out counts only if the program does not end with this many times the time.
const CONFIRM_FACTOR: u32 = 3;
/// A batch that loses its guest this often is taken for the reason.
const MAX_LOSSES: usize = 100;
/// As many programs are lost before it is clear that no guest ever answers.
const MAX_UNHEARD: usize = 3;

impl Executor {
    /// Starts the guests.
    pub fn start(
        binary: PathBuf,
        dir: PathBuf,
        sandbox: Sandbox,
        limits: Limits,
        n_jobs: usize,
    ) -> Result<Executor, GuestError> {
        let mut executor = Executor {
            binary,
            dir,
            sandbox,
            limits,
            guests: Vec::new(),
            spare: None,
            waiting: VecDeque::new(),
            n_unheard: Some(MAX_UNHEARD),
            n_lost: 0,
            n_hurried: 0,
            work: 0,
        };
        for _ in 0..n_jobs.clamp(1, IN_FLIGHT) {
            let guest = executor.start_guest()?;
            executor.guests.push(guest);
        }
        Ok(executor)
    }

    fn start_guest(&self) -> Result<Guest, GuestError> {
        // Somebody who ends guests may end one that has just been started, so starting is tried
        // again.
        let mut tries = 0;
        loop {
            tries += 1;
            match Guest::start(&self.binary, &self.dir, &self.sandbox) {
                Err(GuestError::NotBegun(NotBegun::Killed)) if tries < MAX_LOSSES => {}
                other => return other,
            }
        }
    }

    /// What the guests measured about their types.
    pub fn hello(&self) -> &testsmith_protocol::Hello {
        &self.guests[0].hello
    }

    /// How many guests work at once.
    pub fn n_jobs(&self) -> usize {
        self.guests.len()
    }

    /// What the sandbox lacks here, in words for the user.
    pub fn missing_walls(&self) -> Vec<&'static str> {
        let mut missing = self.sandbox.missing();
        if self.sandbox.is_on() && !self.hello().watched {
            missing.push(
                "no seccomp traps: calls that reach for the world are not noticed, and tests of \
                 them may be written",
            );
        }
        missing
    }

    /// Batches that were submitted and not yet collected.
    pub fn n_waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Hands over a batch.
    pub fn submit(&mut self, world: &World, setting: Setting, asks: Vec<Ask>) {
        let asks = asks.into_iter().map(|ask| (ask, MUCH_FUEL)).collect();
        self.submit_with_fuel(world, setting, asks);
    }

    /// Hands over a batch in which every program has its own fuel.
    fn submit_with_fuel(&mut self, world: &World, setting: Setting, asks: Vec<(Ask, u64)>) {
        let program = |(ask, fuel): &(Ask, u64)| {
            let program = encode(
                world,
                &ask.sequence,
                ask.watch_from,
                &ask.watch_end,
                ask.traced,
                ask.values,
            );
            Program {
                watched: ask.watched,
                traced_on: ask.traced_on,
                fuel: *fuel,
                ..program
            }
        };
        let programs = asks.iter().map(program).collect();
        let asks = asks.into_iter().map(|(ask, _)| ask).collect();
        let batch = Arc::new(Batch {
            seed: setting.seed,
            clock: setting.clock,
            mutant: setting.mutant,
            whole: setting.whole,
            states: setting.states,
            reads: setting.reads,
            stops: setting.stops,
            plain: setting.plain,
            limits: self.limits,
            programs,
        });
        let load = |guest: usize| self.waiting.iter().filter(|p| p.guest == guest).count();
        let guest = (0..self.guests.len()).min_by_key(|guest| load(*guest));
        let guest = guest.expect("there is at least one guest");
        self.guests[guest].submit(Arc::clone(&batch));
        self.waiting.push_back(Pending { asks, batch, guest });
    }

    /// Waits for the oldest batch, and gives its executions.
    pub fn collect(&mut self) -> Result<Vec<(Ask, Execution)>, GuestError> {
        let Some(Pending { asks, batch, guest }) = self.waiting.pop_front() else {
            return Ok(Vec::new());
        };
        let mut n_losses = 0;
        let executions = loop {
            match self.guests[guest].collect(patience(&batch)) {
                Ok(executions) => {
                    self.n_unheard = None;
                    break executions;
                }
                Err(error) => {
                    self.n_lost += 1;
                    n_losses += 1;
                    let is_hopeless = n_losses >= MAX_LOSSES
                        || matches!(error, GuestError::Silent(_) | GuestError::Garbled(_));
                    self.guests[guest] = self.start_guest()?;
                    if !is_hopeless {
                        self.guests[guest].submit(Arc::clone(&batch));
                    }
                    for pending in self.waiting.iter().filter(|p| p.guest == guest) {
                        self.guests[guest].submit(Arc::clone(&pending.batch));
                    }
                    // Whoever waits for an end is not to wait for each of them.
                    if is_hopeless && is_ending() {
                        break lost(&batch);
                    }
                    if is_hopeless {
                        break self.run_one_by_one(&batch)?;
                    }
                }
            }
        };
        let mut executions = self.confirm_time_outs(&batch, executions)?;
        for execution in &mut executions {
            self.work += work(execution);
            // Fuel is set so that a program which uses it up would have run out of time. Everybody
            // after this knows time-outs only.
            if let Outcome::Died { death, .. } = &mut execution.outcome
                && *death == Death::OutOfFuel
            {
                *death = Death::TimedOut;
            }
        }
        Ok(asks.into_iter().zip(executions).collect())
    }

    /// On a busy machine any program may take long. So a program that ran out of time runs again,
    /// alone and with more time. If it ends then, the whole batch runs again with that time,
    /// because the programs after it met another process than they should have.
    fn confirm_time_outs(
        &mut self,
        batch: &Batch,
        executions: Vec<Execution>,
    ) -> Result<Vec<Execution>, GuestError> {
        let is_late = |execution: &Execution| {
            let outcome = &execution.outcome;
            matches!(outcome, Outcome::Died { death, .. } if *death == Death::TimedOut)
        };
        let patient = Limits {
            time_ms: batch.limits.time_ms.saturating_mul(CONFIRM_FACTOR),
            ..batch.limits
        };
        let mut was_hurried = false;
        for (program, execution) in batch.programs.iter().zip(&executions) {
            if !is_late(execution) {
                continue;
            }
            let alone = Batch {
                limits: patient,
                programs: vec![program.clone()],
                ..*batch
            };
            if !self.run_alone(alone)?.iter().all(is_late) {
                was_hurried = true;
                break;
            }
        }
        if !was_hurried {
            return Ok(executions);
        }
        self.n_hurried += 1;
        self.run_alone(Batch {
            limits: patient,
            programs: batch.programs.clone(),
            ..*batch
        })
    }

    /// Runs each program of a batch that no guest survives by itself: it is one of them that does it, and the
    /// others are not to be lost with it.
    fn run_one_by_one(&mut self, batch: &Batch) -> Result<Vec<Execution>, GuestError> {
        let mut executions = Vec::with_capacity(batch.programs.len());
        for program in &batch.programs {
            executions.extend(self.run_alone(Batch {
                programs: vec![program.clone()],
                ..*batch
            })?);
        }
        Ok(executions)
    }

    fn run_alone(&mut self, batch: Batch) -> Result<Vec<Execution>, GuestError> {
        let batch = Arc::new(batch);
        for _ in 0..MAX_LOSSES {
            let mut guest = match self.spare.take() {
                Some(guest) => guest,
                None => self.start_guest()?,
            };
            guest.submit(Arc::clone(&batch));
            match guest.collect(patience(&batch)) {
                Ok(executions) => {
                    self.n_unheard = None;
                    self.spare = Some(guest);
                    return Ok(executions);
                }
                Err(error @ (GuestError::Silent(_) | GuestError::Garbled(_))) => {
                    return self.give_up(&batch, error);
                }
                Err(_) => self.n_lost += 1,
            }
        }
        self.give_up(&batch, GuestError::Gone)
    }

    /// A batch that no guest survives is lost. But if none has ever answered, it is not the programs that do
    /// it: somebody else speaks in the guests' place.
    fn give_up(&mut self, batch: &Batch, error: GuestError) -> Result<Vec<Execution>, GuestError> {
        match &mut self.n_unheard {
            Some(0) => return Err(error),
            Some(n_left) => *n_left -= 1,
            None => {}
        }
        Ok(lost(batch))
    }

    /// Runs one batch after the other, each in a process of its own and every program with its own
    /// fuel, and hands out the executions of each batch in order. `is_over` is asked, with the work
    /// done up to now, before each batch: once it says so, no more batches are run.
    pub fn run_each(
        &mut self,
        world: &World,
        batches: impl IntoIterator<Item = (Setting, Vec<(Ask, u64)>)>,
        is_over: impl Fn(u64) -> bool,
        mut done: impl FnMut(Vec<(Ask, Execution)>),
    ) -> Result<(), GuestError> {
        while self.n_waiting() > 0 {
            self.collect()?;
        }
        let mut batches = batches.into_iter();
        loop {
            while self.n_waiting() < IN_FLIGHT
                && !is_over(self.work)
                && let Some((setting, asks)) = batches.next()
            {
                self.submit_with_fuel(world, setting, asks);
            }
            if self.n_waiting() == 0 {
                return Ok(());
            }
            done(self.collect()?);
        }
    }

    /// Runs asks and waits for them.
    pub fn run(
        &mut self,
        world: &World,
        setting: Setting,
        asks: Vec<Ask>,
    ) -> Result<Vec<(Ask, Execution)>, GuestError> {
        while self.n_waiting() > 0 {
            self.collect()?;
        }
        let mut out = Vec::with_capacity(asks.len());
        let mut rest = asks.into_iter();
        loop {
            while self.n_waiting() < IN_FLIGHT && rest.len() > 0 {
                self.submit(world, setting, rest.by_ref().take(64).collect());
            }
            if self.n_waiting() == 0 {
                return Ok(out);
            }
            out.extend(self.collect()?);
        }
    }
}

/// What a program costs beside its calls, in the unit of fuel.
const WORK_OF_PROGRAM: u64 = 1 << 10;
/// What a program costs that runs out of time, alone and with more of it as well.
const WORK_OF_TIME_OUT: u64 = 1 << 25;

/// The work that an execution was, in the unit of fuel. Code outside of the crate has no fuel, so
/// only a time-out shows how much that was.
fn work(execution: &Execution) -> u64 {
    let late = match &execution.outcome {
        Outcome::Died { death, .. } if *death == Death::TimedOut => WORK_OF_TIME_OUT,
        _ => 0,
    };
    WORK_OF_PROGRAM + execution.fuel + late
}

/// How long a guest may take for a batch. One that takes longer than all its programs together may
/// is not going to answer.
fn patience(batch: &Batch) -> Duration {
    let longest = u64::from(batch.limits.time_ms * WAIT_FACTOR) * (batch.programs.len() as u64 + 8);
    Duration::from_millis(2 * longest) + Duration::from_secs(60)
}

/// Executions for the programs of a batch that no guest survives. They have ended more than their own
/// process, so no test makes these calls; and like one that does not end, a program that does so is not to be
/// met again and again.
fn lost(batch: &Batch) -> Vec<Execution> {
    let lost = |program: &Program| {
        let at = program.n_steps.saturating_sub(1);
        let realm = Realm::Processes;
        Execution {
            // Of time-outs it is asked again whether they are.
            outcome: Outcome::Died {
                at,
                death: Death::OutOfFuel,
            },
            n_calls: u32::from(program.n_steps),
            touch: Some(Touch { at, realm }),
            trace: Trace::default(),
            fuel: 0,
            noted: Noted::default(),
            effects: Vec::new(),
        }
    };
    batch.programs.iter().map(lost).collect()
}
