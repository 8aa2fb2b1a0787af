//! Which regions of code a call goes through: the counters that rustc's coverage instrumentation
//! puts into the crate under test, read in place.
//!
//! **Traces are counters of regions** (`instrument/region.rs`): the copy counts where a function, a
//! side of a branch, a turn of a loop or what follows a `?` begins; the guest clears the counters
//! before a call and reads them after it, in place. The *way* is a digest of all regions entered.
//! Where there can be no copy, the crate and the harness are compiled with `-Cinstrument-coverage`,
//! a stable flag, and its counters are read instead.

use testsmith_protocol::{Passage, RegionId, Trace};

use crate::os::Page;

/// The counters of everything that was compiled with instrumentation.
#[derive(Clone, Copy)]
pub struct Counters {
    first: *mut u64,
    n: usize,
}

// SAFETY: counters are plain memory of the process; the guest reads and clears them on the one
// thread that runs programs.
unsafe impl Send for Counters {}
// SAFETY: as above.
unsafe impl Sync for Counters {}

impl Counters {
    /// No counters, because nothing was instrumented.
    pub const NONE: Counters = Counters {
        first: std::ptr::null_mut(),
        n: 0,
    };

    /// The counters between two addresses.
    ///
    /// # Safety
    /// They delimit an array of counters that is never unmapped: the linker's start and end of the
    /// section that holds them.
    pub const unsafe fn between(first: *mut u64, end: *mut u64) -> Counters {
        // SAFETY: both point into, or one past, the same section.
        let n = unsafe { end.offset_from(first) };
        Counters {
            first,
            n: n as usize,
        }
    }

    pub(crate) fn clear(self) {
        if self.n > 0 {
            // SAFETY: as promised when the range was given.
            unsafe { self.first.write_bytes(0, self.n) };
        }
    }

    /// How often regions were entered since the last clearing.
    pub(crate) fn sum(self) -> u64 {
        match self.n {
            0 => 0,
            // SAFETY: as promised when the range was given; nobody else runs meanwhile.
            n => unsafe { std::slice::from_raw_parts(self.first, n) }
                .iter()
                .fold(0, |sum, count| sum.saturating_add(*count)),
        }
    }

    /// What was counted since the last clearing, in a call of this operation. Regions are listed if the caller wants them or
    /// if the digest is new in this batch.
    pub(crate) fn read(self, page: &Page, op: u32, with_regions: bool) -> Trace {
        let mut trace = Trace::default();
        if self.n == 0 {
            return trace;
        }
        // SAFETY: as promised when the range was given; nobody else runs meanwhile.
        let counters = unsafe { std::slice::from_raw_parts(self.first, self.n) };
        let mix = |hash: u64, word: u32| {
            let hash = (hash ^ u64::from(word)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            hash ^ hash >> 29
        };
        let (mut hash, mut way) = (0x9E37_79B9_7F4A_7C15, 0x9E37_79B9_7F4A_7C15);
        for (i, chunk) in counters.chunks(8).enumerate() {
            if chunk.iter().fold(0, |any, count| any | count) == 0 {
                continue;
            }
            for (j, count) in chunk.iter().enumerate() {
                trace.work = trace.work.saturating_add(*count);
                let often = match count {
                    0 => continue,
                    1 => 0,
                    2..=3 => 1,
                    4..=15 => 2,
                    _ => 3,
                };
                let region = RegionId((i * 8 + j) as u32);
                let passage = Passage::new(region, often);
                hash = mix(hash, passage.0);
                way = mix(way, region.0);
                trace.regions.push(passage);
            }
        }
        trace.hash = hash;
        trace.way = way;
        if !page.note_trace(mix(hash, op)) && !with_regions {
            trace.regions.clear();
        }
        trace
    }
}

#[cfg(test)]
mod tests;
