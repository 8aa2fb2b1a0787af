//! The guest's main loop: batches in, one forked child a batch, executions out.
//!
//! **A zygote that forks per batch.** Every batch meets the same fresh process state; a child that
//! dies is replaced for the rest of its batch. Results stand on shared memory and survive the
//! child. The child's own timer tick notices hangs, its allocator counts bytes, its fault handler
//! tells stack overflows from other faults, so that deaths have names.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::FromRawFd;
use std::sync::atomic::Ordering;

use testsmith_protocol::{
    Batch, Death, Hello, Noted, Outcome, Realm, Touch, Trace, VERSION, Writer,
};

use crate::clock;
use crate::execute::{Machine, install_hook};
use crate::memory;
use crate::os::{self, End, Page, Pipes, Reason};
use crate::probes::Probes;
use crate::random;
use crate::table::{Operation, Table, Type};
use crate::threads;
use crate::trap;

/// Serves batches until the host closes the pipe. The process's exit code is not part of the
/// protocol: a host that reads nothing knows that the guest is gone.
pub fn run(operations: &'static [Operation], types: &'static [Type], probes: Probes) {
    let table = Table {
        operations,
        types,
        probes,
    };
    let walls = os::walls();
    let Some(pipes) = os::take_pipes() else {
        return;
    };
    // SAFETY: both descriptors were just made for us alone.
    let (mut input, mut output) = unsafe {
        (
            File::from_raw_fd(pipes.input),
            File::from_raw_fd(pipes.output),
        )
    };
    let Some(page) = Page::map() else { return };
    install_hook();
    table.probes.activate(None);
    let zygote = Zygote {
        page,
        table,
        pipes,
        watched: walls.watched && notices(page),
    };
    let hello = Hello {
        version: VERSION,
        types: types.iter().map(|ty| ty.caps).collect(),
        n_operations: operations.len() as u32,
        watched: zygote.watched,
    };
    if send(&mut output, &[&hello.encode()]).is_err() {
        return;
    }
    memory::become_zygote();
    let mark = memory::mark();
    while zygote.serve_one(&mut input, &mut output).is_some() {
        // SAFETY: message and answer are gone, and nothing else was allocated to stay.
        unsafe { memory::release(mark) };
    }
}

/// How many times a batch begins again because a signal from outside ended its child.
const MAX_RESTARTS: usize = 1000;

struct Zygote {
    page: &'static Page,
    table: Table,
    pipes: Pipes,
    watched: bool,
}

/// Tries the watching out in a child.
fn notices(page: &'static Page) -> bool {
    page.begin(0);
    let end = os::in_child(page, || {
        if !trap::works() {
            os::die(Reason::Full);
        }
    });
    matches!(end, Some(End::Said(Reason::Done)))
}

impl Zygote {
    /// One batch, from message to answer. `None` when the host is gone.
    fn serve_one(&self, input: &mut File, output: &mut File) -> Option<()> {
        let message = receive(input)?;
        let answer = match Batch::decode(&message) {
            Ok(batch) => self.serve(&batch),
            // An answer of the wrong length tells the host that its message made no sense.
            Err(_) => Vec::new(),
        };
        send(output, &[&answer]).ok()
    }

    /// Runs a batch; the answer holds one length-prefixed execution a program. A child that
    /// somebody outside has ended says nothing about its programs: the batch begins again, so
    /// that every program meets what it would have met.
    fn serve(&self, batch: &Batch) -> Vec<u8> {
        for _ in 0..MAX_RESTARTS {
            if let Some(answer) = self.try_serve(batch, true) {
                return answer;
            }
        }
        self.try_serve(batch, false).unwrap_or_default()
    }

    fn try_serve(&self, batch: &Batch, may_restart: bool) -> Option<Vec<u8>> {
        let page = self.page;
        let mut answer = Vec::new();
        let mut first = 0;
        page.begin_batch();
        while first < batch.programs.len() {
            page.n_out.store(0, Ordering::Relaxed);
            page.begin(first as u32);
            let end = os::in_child(page, || self.child(batch, first));
            answer.extend_from_slice(page.output());
            // A program that writes anywhere may have written here, and then nobody knows how far it came.
            let current = page.program.load(Ordering::Relaxed) as usize;
            if !(first..batch.programs.len()).contains(&current) {
                return Some(Vec::new());
            }
            if self.watched && may_restart && end.as_ref().is_some_and(End::is_from_outside) {
                return None;
            }
            let death = match end {
                Some(End::Said(Reason::Done)) => return Some(answer),
                // Whatever does not fit into an empty page never will.
                Some(End::Said(Reason::Full)) if current > first => {
                    first = current;
                    continue;
                }
                Some(End::Said(Reason::Full)) => Death::OutOfMemory,
                Some(End::Said(Reason::Touched)) => {
                    first = current + 1;
                    continue;
                }
                Some(End::Said(Reason::OutOfMemory)) => Death::OutOfMemory,
                Some(End::Said(Reason::TimedOut)) => Death::TimedOut,
                Some(End::Said(Reason::StackOverflow)) => Death::StackOverflow,
                Some(End::Said(Reason::OutOfFuel)) => Death::OutOfFuel,
                Some(End::Said(Reason::None)) => Death::Exit(0),
                Some(End::Signal(End::ABORT)) => Death::Abort,
                Some(End::Signal(signal)) => Death::Signal(signal),
                Some(End::Exit(code)) => Death::Exit(code),
                None => return Some(answer),
            };
            // A program that blocks signals is ended by what it reaches for.
            if matches!(death, Death::Signal(os::SIGSYS)) {
                os::touch(Realm::Processes);
            }
            let mut execution = Vec::new();
            Outcome::Died {
                at: page.step.load(Ordering::Relaxed) as u16,
                death,
            }
            .encode(&mut execution);
            execution.u32(page.n_calls.load(Ordering::Relaxed));
            Touch::encode(page.touched(), &mut execution);
            Trace::default().encode(&mut execution);
            execution.u64(0);
            Noted::default().encode(&mut execution);
            answer.bytes(&execution);
            first = current + 1;
            if batch.stops && matches!(death, Death::TimedOut | Death::OutOfFuel) {
                return Some(answer);
            }
        }
        Some(answer)
    }

    fn child(&self, batch: &Batch, first: usize) {
        let page = self.page;
        memory::become_child(batch.seed);
        os::close_pipes(self.pipes);
        os::prepare_child(page, batch.limits.time_ms);
        if self.watched {
            trap::install();
        }
        std::thread::scope(|scope| {
            let worker = std::thread::Builder::new()
                .stack_size(os::STACK_BYTES)
                .spawn_scoped(scope, || {
                    os::mark_stack();
                    threads::forget();
                    let mut machine = Machine::new(self.table);
                    self.table.probes.activate(batch.mutant);
                    let mut execution = Vec::new();
                    for (i, program) in batch.programs.iter().enumerate().skip(first) {
                        page.begin(i as u32);
                        random::seed(batch.seed.wrapping_add(i as u64));
                        clock::reset(batch.clock);
                        execution.clear();
                        execution.u32(0);
                        machine.run(page, program, batch, &mut execution);
                        let n = (execution.len() - 4) as u32;
                        execution[..4].copy_from_slice(&n.to_le_bytes());
                        if !page.append(&execution) {
                            os::die(Reason::Full);
                        }
                        if page.touched().is_some() {
                            os::die(Reason::Touched);
                        }
                    }
                    // Ends the process here: destructors of thread-locals are foreign code too.
                    os::die(Reason::Done);
                });
            drop(worker);
        });
    }
}

fn send(output: &mut File, parts: &[&[u8]]) -> std::io::Result<()> {
    let n: usize = parts.iter().map(|part| part.len()).sum();
    output.write_all(&(n as u32).to_le_bytes())?;
    parts.iter().try_for_each(|part| output.write_all(part))
}

fn receive(input: &mut File) -> Option<Vec<u8>> {
    let mut length = [0; 4];
    input.read_exact(&mut length).ok()?;
    let mut message = vec![0; u32::from_le_bytes(length) as usize];
    input.read_exact(&mut message).ok()?;
    Some(message)
}
