// Which mutant is active.

use self::std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The number of the active mutant: somebody stored it, or else it is the environment's.
pub static ACTIVE: AtomicU32 = AtomicU32::new(UNKNOWN);
/// Nobody has said yet.
const UNKNOWN: u32 = u32::MAX;
/// No mutant is active; what is compared and who calls whom is noted.
pub const WATCHING: u32 = u32::MAX - 1;

/// Which mutant of a place is active, from 1, or 0.
#[inline(always)]
pub fn at(first: u32, n: u32) -> u32 {
    // As where regions are counted; it changes between calls only. A mutant may be active all the time,
    // so others must not pay for that, either.
    let active = unsafe { *(&raw const ACTIVE as *const u32) };
    let position = active.wrapping_sub(first);
    if position < n {
        return position + 1;
    }
    if active < WATCHING {
        return 0;
    }
    chosen(active, first, n)
}

#[cold]
#[inline(never)]
fn chosen(active: u32, first: u32, n: u32) -> u32 {
    let active = match active {
        UNKNOWN => {
            let asked = self::std::env::var("TESTSMITH_MUTANT");
            let asked = asked.ok().and_then(|it| it.parse().ok()).unwrap_or(0);
            ACTIVE.store(asked, Ordering::Relaxed);
            asked
        }
        active => active,
    };
    let position = active.wrapping_sub(first);
    if active != 0 && position < n {
        position + 1
    } else {
        0
    }
}
