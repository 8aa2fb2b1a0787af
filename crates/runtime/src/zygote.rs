//! The guest's main loop: batches in, one forked child a batch, executions out.
//!
//! **A zygote that forks per batch.** Every batch meets the same fresh process state; a child that
//! dies is replaced for the rest of its batch. Results stand on shared memory and survive the
//! child. The child's own timer tick notices hangs, its allocator counts bytes, its fault handler
//! tells stack overflows from other faults, so that deaths have names.

use std::fs::File;
use std::io::{Read, Write};
use std::ops::Range;
use std::os::fd::FromRawFd;
use std::sync::atomic::Ordering;

use testsmith_protocol::{
    Batch, Death, Hello, Noted, Outcome, Reader, Realm, Touch, Trace, VERSION, Writer,
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
    table.probes.activate(None, false);
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

/// How far a child came.
struct Came {
    /// Its last program.
    current: usize,
    /// Has it told all of that one?
    is_whole: bool,
}

/// What a child died of, that ended in the middle of a program.
fn death(end: &End) -> Death {
    match end {
        End::Said(Reason::Full | Reason::OutOfMemory) => Death::OutOfMemory,
        End::Said(Reason::TimedOut) | End::Late => Death::TimedOut,
        End::Said(Reason::StackOverflow) => Death::StackOverflow,
        End::Said(Reason::OutOfFuel) => Death::OutOfFuel,
        End::Said(Reason::None | Reason::Done | Reason::Touched) => Death::Exit(0),
        End::Signal(End::ABORT) => Death::Abort,
        End::Signal(signal) => Death::Signal(*signal),
        End::Exit(code) => Death::Exit(*code),
    }
}

/// Tries the watching out in a child.
fn notices(page: &'static Page) -> bool {
    page.begin(0);
    let patience = os::Patience::with(0, &(0..1));
    let end = os::in_child(page, patience, || {
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
        // A program that writes anywhere may have written over what is shared. Which of several it was nobody
        // knows, so from then on each has a child of its own.
        let mut is_apart = false;
        page.begin_batch();
        while first < batch.programs.len() {
            let programs = match is_apart {
                true => first..first + 1,
                false => first..batch.programs.len(),
            };
            page.n_out.store(0, Ordering::Relaxed);
            page.begin(first as u32);
            let patience = os::Patience::with(batch.limits.time_ms, &programs);
            let end = os::in_child(page, patience, || self.child(batch, programs.clone()));
            let Some(end) = end else {
                return Some(answer);
            };
            if self.watched && may_restart && end.is_from_outside() {
                return None;
            }
            let Some(came) = self.came(&programs, &end) else {
                if is_apart {
                    page.forget(first as u32, batch.programs[first].n_steps);
                    os::touch(Realm::Processes);
                    self.add_death(death(&end), &mut answer);
                    first += 1;
                }
                is_apart = true;
                continue;
            };
            answer.extend_from_slice(page.output());
            first = came.current;
            if came.is_whole {
                first += 1;
                continue;
            }
            // Whatever does not fit into an empty page never will.
            if matches!(end, End::Said(Reason::Full)) && first > programs.start {
                continue;
            }
            let death = death(&end);
            // A program that blocks signals is ended by what it reaches for.
            if matches!(death, Death::Signal(os::SIGSYS)) {
                os::touch(Realm::Processes);
            }
            self.add_death(death, &mut answer);
            first += 1;
            if batch.stops && matches!(death, Death::TimedOut | Death::OutOfFuel) {
                return Some(answer);
            }
        }
        Some(answer)
    }

    /// How far a child came that ran these programs. `None` if what it left makes no sense.
    fn came(&self, programs: &Range<usize>, end: &End) -> Option<Came> {
        let current = self.page.program.load(Ordering::Relaxed) as usize;
        let mut reader = Reader::new(self.page.output());
        let mut n_told = 0;
        while !reader.is_empty() {
            reader.bytes().ok()?;
            n_told += 1;
        }
        // One may end between what it tells of a program and the next.
        let is_whole = programs.contains(&current) && n_told == current - programs.start + 1;
        let has_begun = programs.contains(&current) && n_told == current - programs.start;
        let is_well = matches!(end, End::Said(Reason::Done | Reason::Touched));
        (is_whole || has_begun && !is_well).then_some(Came { current, is_whole })
    }

    /// Adds what is known of a program in which its child ended.
    fn add_death(&self, death: Death, answer: &mut Vec<u8>) {
        let page = self.page;
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
    }

    fn child(&self, batch: &Batch, programs: Range<usize>) {
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
                    self.table.probes.activate(batch.mutant, batch.plain);
                    let mut execution = Vec::new();
                    for i in programs {
                        let program = &batch.programs[i];
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
