//! What the rewritten copy of the crate under test offers: a switch for its mutants, fuel, and notes
//! of what it compares and who calls whom.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use testsmith_protocol::{Compared, MutantId, Noted, Program, Value, WATCHING};

use crate::os::{self, Reason};
use crate::trace::Counters;

/// The counters and switches that tell which code ran.
#[derive(Clone, Copy)]
pub struct Probes {
    /// How often regions were entered.
    pub counters: Counters,
    /// Switches, which only a rewritten copy has.
    pub switches: Option<Switches>,
}

/// The parts of the module that a rewritten copy has beside its own code.
#[derive(Clone, Copy)]
pub struct Switches {
    /// The active mutant.
    pub active: &'static AtomicU32,
    /// Does the processor seem to have no features?
    pub plain: &'static AtomicBool,
    /// The address of the function to call when the fuel is used up.
    pub exhausted: &'static AtomicUsize,
    /// The function that sets the thread's fuel.
    pub refuel: fn(u64),
    /// The function that gives the fuel that the thread has left.
    pub fuel: fn() -> u64,
    /// Which function called which: an open hash table.
    pub calls: &'static [AtomicU64],
    /// For each place and order, the comparison whose sides were nearest.
    pub comparisons: *const RawCompared,
    /// How many comparisons there is room for.
    pub room: usize,
    /// How many comparisons there were.
    pub n_compared: &'static AtomicU32,
}

// SAFETY: the pointer is to a static of the copy; the guest reads it on the one thread that runs
// programs.
unsafe impl Send for Switches {}
// SAFETY: as above.
unsafe impl Sync for Switches {}

/// A comparison as the copy writes it down.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct RawCompared {
    site: u32,
    kind: u32,
    sides: [[u8; 16]; 2],
}

impl Probes {
    /// Probes that tell nothing.
    pub const NONE: Probes = Probes {
        counters: Counters::NONE,
        switches: None,
    };

    /// Prepares a process, before its first program.
    pub(crate) fn activate(&self, mutant: Option<MutantId>, is_plain: bool) {
        if let Some(switches) = &self.switches {
            switches.plain.store(is_plain, Ordering::Relaxed);
            switches
                .exhausted
                .store(exhausted as *const () as usize, Ordering::Relaxed);
            switches
                .active
                .store(MutantId::number(mutant), Ordering::Relaxed);
        }
    }

    /// Prepares for a program.
    pub(crate) fn begin(&self, program: &Program) {
        if let Some(switches) = &self.switches {
            (switches.refuel)(program.fuel);
            if program.watched {
                switches.active.store(WATCHING, Ordering::Relaxed);
                let calls = switches.calls.iter();
                calls.for_each(|call| call.store(0, Ordering::Relaxed));
                switches.n_compared.store(0, Ordering::Relaxed);
            }
        }
    }

    /// Gives the fuel that a program used, and what was noted, after its end.
    pub(crate) fn end(&self, program: &Program, mutant: Option<MutantId>) -> (u64, Noted) {
        let Some(switches) = &self.switches else {
            return (0, Noted::default());
        };
        let used = program.fuel - (switches.fuel)().min(program.fuel);
        // Observations after the program cost no fuel.
        (switches.refuel)(u64::MAX);
        if !program.watched {
            return (used, Noted::default());
        }
        switches
            .active
            .store(MutantId::number(mutant), Ordering::Relaxed);
        (used, switches.noted())
    }
}

extern "C" fn exhausted() {
    os::die(Reason::OutOfFuel);
}

impl Switches {
    fn noted(&self) -> Noted {
        let edges = self.calls.iter().map(|edge| edge.load(Ordering::Relaxed));
        let mut calls: Vec<(u32, u32)> = edges
            .filter(|edge| *edge != 0)
            .map(|edge| ((edge >> 32) as u32, edge as u32))
            .collect();
        calls.sort_unstable();
        let n = self.n_compared.load(Ordering::Relaxed) as usize;
        let mut compared: Vec<Compared> = Vec::new();
        for i in 0..n.min(self.room) {
            // SAFETY: `i` is below the length of the copy's static array, whose entries have this layout,
            // and any bytes are a valid entry. The program has ended, so its thread writes nothing now.
            // A thread that it left behind may: what is read then is of no use, but harmless.
            let raw = unsafe { self.comparisons.add(i).read() };
            let seen = Compared {
                site: raw.site,
                left: value(raw.kind, raw.sides[0]),
                right: value(raw.kind, raw.sides[1]),
            };
            if !compared.contains(&seen) {
                compared.push(seen);
            }
        }
        Noted { calls, compared }
    }
}

fn value(kind: u32, bytes: [u8; 16]) -> Value {
    match kind {
        1 => Value::Int(i128::from_le_bytes(bytes)),
        2 => Value::UInt(u128::from_le_bytes(bytes)),
        3 => {
            let bits = u64::from_le_bytes(bytes[..8].try_into().unwrap_or_default());
            Value::F64(bits)
        }
        _ => {
            let n = bytes.iter().position(|byte| *byte == 0).unwrap_or(16);
            Value::Str(String::from_utf8_lossy(&bytes[..n]).into_owned())
        }
    }
}

#[cfg(test)]
mod tests;
