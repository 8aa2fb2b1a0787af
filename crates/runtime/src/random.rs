//! Randomness that is the same in every run.

use std::sync::atomic::{AtomicU64, Ordering};

const START: u64 = 0x853C_49E6_748F_EA9B;

static STATE: AtomicU64 = AtomicU64::new(START);

/// The state of the guest's randomness.
pub(crate) fn seed(seed: u64) {
    STATE.store(start_of(seed), Ordering::Relaxed);
}

fn start_of(seed: u64) -> u64 {
    seed ^ START
}

/// Fills a buffer.
///
/// # Safety
/// `buffer` points at `length` writable bytes.
pub(crate) unsafe fn fill(buffer: *mut u8, length: usize) {
    // SAFETY: as the caller promises.
    unsafe { fill_from(&STATE, buffer, length) };
}

/// Fills a buffer with what follows a state, and moves the state on.
///
/// # Safety
/// As for [`fill`].
unsafe fn fill_from(state: &AtomicU64, buffer: *mut u8, length: usize) {
    for i in 0..length {
        let mut x = state
            .load(Ordering::Relaxed)
            .wrapping_add(0x9E37_79B9_7F4A_7C15);
        state.store(x, Ordering::Relaxed);
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        // SAFETY: within the caller's buffer.
        unsafe { buffer.add(i).write((x >> 56) as u8) };
    }
}

/// Replaces the system's function of this name for everything linked into the guest, so that hash
/// tables have the same order in every run.
///
/// # Safety
/// `buffer` points at `length` writable bytes, as for the system's function.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn getrandom(buffer: *mut u8, length: usize, _flags: u32) -> isize {
    // SAFETY: as the caller promises.
    unsafe { fill(buffer, length) };
    length as isize
}

#[cfg(test)]
mod tests;
