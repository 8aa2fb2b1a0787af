//! Running one program over slots.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;

use testsmith_protocol::{
    Batch, Notion, Outcome, Program, Reader, State, Touch, Trace, Use, WireArg, WireError,
    WireStep, Writer, digest, encode_effect,
};

use crate::arena::Arena;
use crate::glue::Args;
use crate::memory;
use crate::observe::Observer;
use crate::os::Page;
use crate::probes::Probes;
use crate::table::{Operation, Table, Type, WriteState};
use crate::threads;

struct Slot {
    storage: *mut u8,
    ty: u32,
    live: bool,
}

/// Everything a child needs to run programs, reused from one to the next.
pub(crate) struct Machine {
    operations: &'static [Operation],
    types: &'static [Type],
    probes: Probes,
    trace: Trace,
    /// The work of the calls before the traced one.
    work_before: u64,
    arena: Arena,
    slots: Vec<Slot>,
    observer: Observer,
    effects: Vec<u8>,
    /// Are states written out?
    states: bool,
    /// Are, of states, only the parts written out that `==` reads?
    reads: bool,
}

/// A state with more bytes than this is sent only as its digest.
const MAX_STATE: usize = 4096;

/// How the steps ended, if not in a panic.
enum Flow {
    Returned,
    Refused(u16),
    Malformed { at: u16, error: WireError },
}

/// What the hook saw of a panic.
#[derive(Default)]
struct LastPanic {
    message: String,
    file: String,
    line: u32,
    column: u32,
}

thread_local! {
    static LAST_PANIC: RefCell<Option<LastPanic>> = const { RefCell::new(None) };
}

/// Installs a hook that remembers panics and prints nothing, because panics are outcomes.
pub(crate) fn install_hook() {
    std::panic::set_hook(Box::new(|info| {
        // `payload_as_str` would do, but not before Rust 1.91.
        let payload = info.payload();
        let text = payload.downcast_ref::<&str>().copied();
        let message = match text.or_else(|| payload.downcast_ref::<String>().map(|it| &**it)) {
            Some(text) => text.chars().take(400).collect(),
            None => "a payload that is not text".to_owned(),
        };
        let seen = match info.location() {
            Some(at) => LastPanic {
                message,
                file: at.file().to_owned(),
                line: at.line(),
                column: at.column(),
            },
            None => LastPanic {
                message,
                ..LastPanic::default()
            },
        };
        LAST_PANIC.with(|last| *last.borrow_mut() = Some(seen));
    }));
}

impl Machine {
    pub(crate) fn new(table: Table) -> Machine {
        Machine {
            operations: table.operations,
            types: table.types,
            probes: table.probes,
            trace: Trace::default(),
            work_before: 0,
            arena: Arena::new(),
            slots: Vec::new(),
            observer: Observer::default(),
            effects: Vec::new(),
            states: false,
            reads: false,
        }
    }

    /// Runs a program and appends its execution to `out`.
    pub(crate) fn run(&mut self, page: &Page, program: &Program, batch: &Batch, out: &mut Vec<u8>) {
        threads::begin();
        self.arena.reset();
        self.slots.clear();
        self.effects.clear();
        self.trace = Trace::default();
        (self.states, self.reads) = (batch.states, batch.reads);
        if program.values || batch.whole {
            self.probes.counters.clear();
        }
        self.probes.begin(program);
        let asked_before = memory::asked();
        memory::arm(batch.limits.heap_bytes);
        let result = catch_unwind(AssertUnwindSafe(|| {
            let flow = self.steps(page, program, batch.whole);
            let n_steps = u32::from(program.n_steps);
            page.step.store(n_steps, Ordering::Relaxed);
            self.drop_all(|slot| page.step.store(n_steps + slot, Ordering::Relaxed));
            flow
        }));
        memory::disarm();
        // Threads write notes, too, so notes are read after the threads have ended.
        threads::settle();
        let (mut fuel, noted) = self.probes.end(program, batch.mutant);
        if batch.whole {
            fuel += memory::asked() - asked_before;
        }
        let at = page.step.load(Ordering::Relaxed) as u16;
        let outcome = match result {
            Ok(Flow::Returned) => Outcome::Returned,
            Ok(Flow::Refused(at)) => Outcome::Refused { at },
            Ok(Flow::Malformed { at, error }) => Outcome::Malformed(format!("step {at}: {error}")),
            Err(payload) => {
                // Dropping the payload could panic again.
                std::mem::forget(payload);

                let seen = LAST_PANIC
                    .with(|last| last.borrow_mut().take())
                    .unwrap_or_default();
                // A test would unwind and drop all live values. If that ends the process, it should
                // do so here, too.
                let unwound = catch_unwind(AssertUnwindSafe(|| self.drop_all(|_| {})));
                std::mem::forget(unwound);
                Outcome::Panicked {
                    at,
                    message: seen.message,
                    file: seen.file,
                    line: seen.line,
                    column: seen.column,
                }
            }
        };
        outcome.encode(out);
        out.u32(page.n_calls.load(Ordering::Relaxed));
        Touch::encode(page.touched(), out);
        if batch.whole {
            self.trace = self.probes.counters.read(page, 0, true);
        }
        self.trace.encode(out);
        out.u64(fuel);
        noted.encode(out);
        out.raw(&self.effects);
    }

    fn steps(&mut self, page: &Page, program: &Program, is_whole: bool) -> Flow {
        let mut reader = Reader::new(&program.steps);
        for step_idx in 0..program.n_steps {
            page.step.store(u32::from(step_idx), Ordering::Relaxed);
            let is_traced = program.trace_step == Some(step_idx) && !is_whole;
            let malformed = |error| Flow::Malformed {
                at: step_idx,
                error,
            };
            let step = match WireStep::decode(&mut reader) {
                Ok(step) => step,
                Err(error) => return malformed(error),
            };
            match step {
                WireStep::Drop(slot) => self.drop_slot(usize::from(slot)),
                WireStep::Call { op, args } => {
                    match self.call(page, op, &args, is_traced, program.values) {
                        Ok(true) => {
                            if is_traced && !program.traced_on {
                                self.trace = self.probes.counters.read(page, op, program.values);
                                self.trace.work += self.work_before;
                            }
                            let slot = (self.slots.len() - 1) as u16;
                            if slot >= program.watch_from {
                                self.describe(slot, false, program.values);
                            }
                        }
                        Ok(false) => return Flow::Refused(step_idx),
                        Err(error) => return malformed(error),
                    }
                }
            }
        }
        if let Some(step) = program
            .trace_step
            .filter(|_| program.traced_on && !is_whole)
        {
            self.trace = self.probes.counters.read(page, u32::from(step), true);
        }
        for slot in &program.watch_end {
            self.describe(*slot, true, program.values);
        }
        Flow::Returned
    }

    fn call(
        &mut self,
        page: &Page,
        op: u32,
        args: &[WireArg<'_>],
        is_traced: bool,
        is_measured: bool,
    ) -> Result<bool, WireError> {
        let operation = self.operations.get(op as usize).ok_or(WireError::Short)?;
        let mut pointers: [*mut u8; 16] = [std::ptr::null_mut(); 16];
        let mut temporaries: [Option<(*mut u8, u32)>; 16] = [None; 16];
        if args.len() > pointers.len() {
            return Err(WireError::Short);
        }
        for (i, arg) in args.iter().enumerate() {
            pointers[i] = match arg {
                WireArg::Slot(slot, usage) => {
                    let slot = self
                        .slots
                        .get_mut(usize::from(*slot))
                        .filter(|slot| slot.live)
                        .ok_or(WireError::Short)?;
                    match usage {
                        Use::Move => slot.live = false,
                        Use::Copy | Use::Shared | Use::Mut | Use::Reborrow => {}
                    }
                    match usage {
                        // SAFETY: the slot is live, and the host reborrows only slots that hold a
                        // thin reference.
                        Use::Reborrow => unsafe { slot.storage.cast::<*mut u8>().read() },
                        _ => slot.storage,
                    }
                }
                WireArg::Literal {
                    ty,
                    borrowed,
                    bytes,
                } => {
                    let entry = self.types.get(*ty as usize).ok_or(WireError::Short)?;
                    let decode = entry.decode.ok_or(WireError::Short)?;
                    let storage = self.arena.allocate(entry.size, entry.align);
                    // SAFETY: fresh storage of this type's size and alignment.
                    unsafe { decode(&mut Reader::new(bytes), storage) }?;
                    if *borrowed {
                        temporaries[i] = Some((storage, *ty));
                    }
                    storage
                }
            };
        }
        let output = &self.types[operation.output as usize];
        let storage = self.arena.allocate(output.size, output.align);
        page.n_calls.fetch_add(1, Ordering::Relaxed);
        if is_traced {
            self.work_before = if is_measured {
                self.probes.counters.sum()
            } else {
                0
            };
            self.probes.counters.clear();
        }
        // SAFETY: the host's builder made the arguments fit the operation's signature and its
        // loans; the output is fresh storage of the right type.
        let returned = unsafe { (operation.call)(Args(pointers.as_ptr()), storage) };
        if returned {
            self.slots.push(Slot {
                storage,
                ty: operation.output,
                live: true,
            });
        }
        for (storage, ty) in temporaries.into_iter().flatten() {
            if let Some(drop) = self.types[ty as usize].drop {
                // SAFETY: a value that only this call borrowed, and the call is over.
                unsafe { drop(storage) };
            }
        }
        Ok(returned)
    }

    fn describe(&mut self, slot_idx: u16, at_end: bool, values: bool) {
        let Some(slot) = self
            .slots
            .get(usize::from(slot_idx))
            .filter(|slot| slot.live)
        else {
            return;
        };
        let entry = &self.types[slot.ty as usize];
        let observer = &mut self.observer;
        observer.clear();
        // SAFETY: a live value of this type that nobody has borrowed mutably.
        let looked = catch_unwind(AssertUnwindSafe(|| unsafe {
            (entry.observe)(slot.storage, observer);
        }));
        if let Err(payload) = looked {
            std::mem::forget(payload);
            observer.clear();
            observer.opaque();
        }
        let mut fingerprint = observer.fingerprint();
        let is_hidden = fingerprint.notion == Notion::None;
        let mut state = match self.states || is_hidden {
            // SAFETY: the value that was looked at: looking does not move, drop or borrow it.
            true => unsafe { written(slot.storage, entry.state) },
            false => None,
        };
        if let Some(state) = state.as_ref().filter(|it| is_hidden && it.whole) {
            fingerprint.notion = Notion::State;
            fingerprint.hash = state.hash;
        }
        if self.reads && entry.read.is_some() {
            // SAFETY: as above.
            state = unsafe { written(slot.storage, entry.read) };
        }
        encode_effect(
            &mut self.effects,
            slot_idx,
            at_end,
            fingerprint,
            observer.is_barren(),
            values.then(|| observer.bytes()),
            state.as_ref().filter(|_| self.states),
        );
    }

    fn drop_slot(&mut self, slot_idx: usize) {
        let Some(slot) = self.slots.get_mut(slot_idx) else {
            return;
        };
        let was_live = std::mem::replace(&mut slot.live, false);
        let drop = self.types[slot.ty as usize].drop.filter(|_| was_live);
        if let Some(drop) = drop {
            // SAFETY: the slot held a live value of its type; it is marked dead, so the value is dropped
            // once.
            unsafe { drop(slot.storage) };
        }
    }

    /// Drops all live values as Rust drops locals, the youngest first. `tell` is called with each slot
    /// before it is dropped, so that a death has its place.
    fn drop_all(&mut self, tell: impl Fn(u32)) {
        for slot_idx in (0..self.slots.len()).rev() {
            tell(slot_idx as u32);
            self.drop_slot(slot_idx);
        }
    }
}

/// The private state of a value, or what `==` reads of it, as `write` writes it.
///
/// # Safety
/// It is a live value of the type that is written that nobody has borrowed mutably.
unsafe fn written(value: *const u8, write: Option<WriteState>) -> Option<State> {
    let write = write?;
    let mut bytes = Vec::new();
    // SAFETY: as above.
    let missing = catch_unwind(AssertUnwindSafe(|| unsafe { write(value, &mut bytes) }));
    let whole = match missing {
        Ok(missing) => missing == 0,
        Err(payload) => {
            std::mem::forget(payload);
            return None;
        }
    };
    let hash = digest(&bytes);
    if bytes.len() > MAX_STATE {
        bytes.clear();
    }
    Some(State { hash, whole, bytes })
}

#[cfg(test)]
mod tests;
