//! The guest's main loop: batches in, one forked child a batch, executions out.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::FromRawFd;
use std::sync::atomic::Ordering;

use testsmith_protocol::{Batch, Death, Hello, Outcome, Touch, Trace, VERSION, Writer};

use crate::execute::{Machine, install_hook};
use crate::os::{self, End, Page, Reason};
use crate::table::{Operation, Table, Type};
use crate::trace::Counters;

/// Serves batches until the host closes the pipe. The process's exit code is not part of the
/// protocol: a host that reads nothing knows that the guest is gone.
pub fn run(operations: &'static [Operation], types: &'static [Type], counters: Counters) {
    let table = Table {
        operations,
        types,
        counters,
    };
    let Some((input, output)) = os::take_pipes() else {
        return;
    };
    // SAFETY: both descriptors were just made for us alone.
    let (mut input, mut output) = unsafe { (File::from_raw_fd(input), File::from_raw_fd(output)) };
    let Some(page) = Page::map() else { return };
    install_hook();
    let hello = Hello {
        version: VERSION,
        types: types.iter().map(|ty| ty.caps).collect(),
        n_operations: operations.len() as u32,
    };
    if send(&mut output, &[&hello.encode()]).is_err() {
        return;
    }
    while let Some(message) = receive(&mut input) {
        let answer = match Batch::decode(&message) {
            Ok(batch) => serve(page, &batch, table),
            // An answer of the wrong length tells the host that its message made no sense.
            Err(_) => Vec::new(),
        };
        if send(&mut output, &[&answer]).is_err() {
            return;
        }
    }
}

/// Runs a batch; the answer holds one length-prefixed execution a program.
fn serve(page: &'static Page, batch: &Batch, table: Table) -> Vec<u8> {
    let mut answer = Vec::new();
    let mut first = 0;
    while first < batch.programs.len() {
        page.n_out.store(0, Ordering::Relaxed);
        page.begin(first as u32);
        let end = os::in_child(page, || child(page, batch, first, table));
        answer.extend_from_slice(page.output());
        let current = page.program.load(Ordering::Relaxed) as usize;
        let death = match end {
            Some(End::Said(Reason::Done)) => return answer,
            Some(End::Said(Reason::Full)) => {
                first = current;
                continue;
            }
            Some(End::Said(Reason::OutOfMemory)) => Death::OutOfMemory,
            Some(End::Said(Reason::TimedOut)) => Death::TimedOut,
            Some(End::Said(Reason::StackOverflow)) => Death::StackOverflow,
            Some(End::Said(Reason::None)) => Death::Exit(0),
            Some(End::Signal(End::ABORT)) => Death::Abort,
            Some(End::Signal(signal)) => Death::Signal(signal),
            Some(End::Exit(code)) => Death::Exit(code),
            None => return answer,
        };
        let mut execution = Vec::new();
        Outcome::Died {
            at: page.step.load(Ordering::Relaxed) as u16,
            death,
        }
        .encode(&mut execution);
        execution.u32(page.n_calls.load(Ordering::Relaxed));
        Touch::encode(None, &mut execution);
        Trace::default().encode(&mut execution);
        answer.bytes(&execution);
        first = current + 1;
    }
    answer
}

fn child(page: &'static Page, batch: &Batch, first: usize, table: Table) {
    os::prepare_child(page, batch.limits.wall_ms);
    os::seed(batch.seed);
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new()
            .stack_size(os::STACK_BYTES)
            .spawn_scoped(scope, || {
                os::mark_stack();
                let mut machine = Machine::new(table);
                let mut execution = Vec::new();
                for (i, program) in batch.programs.iter().enumerate().skip(first) {
                    page.begin(i as u32);
                    execution.clear();
                    execution.u32(0);
                    machine.run(page, program, batch.limits.heap_bytes, &mut execution);
                    let n = (execution.len() - 4) as u32;
                    execution[..4].copy_from_slice(&n.to_le_bytes());
                    if !page.append(&execution) {
                        os::die(Reason::Full);
                    }
                }
                // Ends the process here: destructors of thread-locals are foreign code too.
                os::die(Reason::Done);
            });
        drop(worker);
    });
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
