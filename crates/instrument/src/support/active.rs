// Which mutant is active.

use self::std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The number of the active mutant: what the runtime stored, or else what the environment says.
pub static ACTIVE: AtomicU32 = AtomicU32::new(UNKNOWN);
/// Neither the runtime nor the environment has been asked yet.
const UNKNOWN: u32 = u32::MAX;

/// Which mutant of a place is active, from 1, or 0.
#[inline(always)]
pub fn at(first: u32, n: u32) -> u32 {
    // As in `pass`, a method of the atomic would be a call. The place whose mutant is not active must be
    // fast, too: a mutant may be active during a whole run.
    // SAFETY: an atomic has the layout of its integer. The runtime writes it between calls only, when no
    // code of the crate runs. `chosen` writes what the environment says, which is always the same: a
    // thread that races with it reads that number, or `UNKNOWN` and asks the environment itself.
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
            let asked = self::std::env::var(MUTANT_VARIABLE);
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
