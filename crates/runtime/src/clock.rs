//! Time that is the same in every run: it advances when somebody looks, and by what was waited.
//!
//! Waiting itself takes real time, because what is waited for may be another thread. A wait with
//! an absolute deadline is given to the kernel in its own time and, if nothing came, ends exactly
//! at its deadline here: else `recv_timeout` would spin for ever.
//!
//! **Time and chance are ours.** The guest defines `getrandom`, `clock_gettime` and friends itself.
//! The clock advances when somebody looks. Waits take real time, because what is waited for may be
//! a thread, but end exactly at their deadline here: `syscall` is ours too, for the sake of futexes
//! with a deadline.

use std::ffi::{c_int, c_long, c_void};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// Seconds and nanoseconds, as the system has them.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Timespec {
    seconds: i64,
    nanos: c_long,
}

const NANOS: u64 = 1_000_000_000;
/// How many nanoseconds pass each time the clock is read.
const STEP: u64 = 1_000;
/// What the monotonic clock shows at the start of a program.
const MONOTONIC_START: u64 = 1_000 * NANOS;

static SINCE_START: AtomicU64 = AtomicU64::new(0);
static EPOCH_SECONDS: AtomicI64 = AtomicI64::new(1_000_000_000);

/// Sets the clock for a program that begins: it is this many seconds after 1970.
pub(crate) fn reset(epoch_seconds: i64) {
    SINCE_START.store(0, Ordering::Relaxed);
    EPOCH_SECONDS.store(epoch_seconds, Ordering::Relaxed);
}

fn look() -> u64 {
    SINCE_START.fetch_add(STEP, Ordering::Relaxed) + STEP
}

fn pass(nanos: u64) {
    SINCE_START.fetch_add(nanos, Ordering::Relaxed);
}

fn is_wall_clock(id: c_int) -> bool {
    const REALTIME: c_int = 0;
    const REALTIME_COARSE: c_int = 5;
    const TAI: c_int = 11;
    matches!(id, REALTIME | REALTIME_COARSE | TAI)
}

fn now(id: c_int) -> Timespec {
    let (start, since) = match is_wall_clock(id) {
        true => (EPOCH_SECONDS.load(Ordering::Relaxed), look()),
        false => (0, look() + MONOTONIC_START),
    };
    Timespec {
        seconds: start + (since / NANOS) as i64,
        nanos: (since % NANOS) as c_long,
    }
}

/// Replaces the system's function of this name for everything linked into the guest.
///
/// # Safety
/// `out` points at a writable time, as for the system's function.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn clock_gettime(id: c_int, out: *mut Timespec) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { out.write(now(id)) };
    0
}

/// Replaces the system's function of this name.
///
/// # Safety
/// `out` points at seconds and microseconds, as for the system's function.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn gettimeofday(out: *mut Timespec, _zone: *mut c_void) -> c_int {
    let time = now(0);
    let micros = Timespec {
        seconds: time.seconds,
        nanos: time.nanos / 1_000,
    };
    if !out.is_null() {
        // SAFETY: as the caller promises; both structures have the same shape.
        unsafe { out.write(micros) };
    }
    0
}

/// Replaces the system's function of this name.
///
/// # Safety
/// `out` is null or points at writable seconds.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn time(out: *mut i64) -> i64 {
    let seconds = now(0).seconds;
    if !out.is_null() {
        // SAFETY: as the caller promises.
        unsafe { out.write(seconds) };
    }
    seconds
}

#[cfg(target_arch = "x86_64")]
mod waits {
    use super::{MONOTONIC_START, NANOS, SINCE_START, Timespec, is_wall_clock, pass};
    use crate::random;
    use crate::trap::plain;
    use std::ffi::{c_int, c_long};
    use std::sync::atomic::Ordering;

    const SYS_NANOSLEEP: i64 = 35;
    const SYS_FUTEX: i64 = 202;
    const SYS_CLOCK_GETTIME: i64 = 228;
    const SYS_GETRANDOM: i64 = 318;
    const ETIMEDOUT: i64 = 110;
    const ABSOLUTE: c_int = 1;

    unsafe extern "C" {
        fn __errno_location() -> *mut c_int;
    }

    impl Timespec {
        fn total(self) -> u64 {
            (self.seconds.max(0) as u64)
                .saturating_mul(NANOS)
                .saturating_add(self.nanos as u64)
        }

        fn of(nanos: u64) -> Timespec {
            Timespec {
                seconds: (nanos / NANOS) as i64,
                nanos: (nanos % NANOS) as c_long,
            }
        }
    }

    /// Turns the kernel's answer into the C library's: -1, with the error in `errno`.
    unsafe fn report(answer: i64) -> c_long {
        if (-4095..0).contains(&answer) {
            // SAFETY: the C library's own cell for this thread.
            unsafe { __errno_location().write(-answer as c_int) };
            return -1;
        }
        answer as c_long
    }

    /// How long it is until a moment of our clock.
    fn until(id: c_int, moment: Timespec) -> u64 {
        let start = match is_wall_clock(id) {
            true => super::EPOCH_SECONDS.load(Ordering::Relaxed) as u64 * NANOS,
            false => MONOTONIC_START,
        };
        let now = start.saturating_add(SINCE_START.load(Ordering::Relaxed));
        moment.total().saturating_sub(now)
    }

    unsafe fn sleep(nanos: u64) -> i64 {
        let time = Timespec::of(nanos);
        let at = &raw const time;
        // SAFETY: the time is read before the call returns.
        let answer = unsafe { plain(SYS_NANOSLEEP, [at as i64, 0, 0, 0, 0, 0]) };
        if answer == 0 {
            pass(nanos);
        }
        answer
    }

    /// Replaces the system's function of this name: sleeps really, and lets our clock know.
    ///
    /// # Safety
    /// As for the system's function.
    #[unsafe(no_mangle)]
    pub(crate) unsafe extern "C" fn nanosleep(
        time: *const Timespec,
        _left: *mut Timespec,
    ) -> c_int {
        // SAFETY: as the caller promises.
        unsafe { report(sleep((*time).total())) as c_int }
    }

    /// Replaces the system's function of this name, as [`nanosleep`].
    ///
    /// # Safety
    /// As for the system's function.
    #[unsafe(no_mangle)]
    pub(crate) unsafe extern "C" fn clock_nanosleep(
        id: c_int,
        flags: c_int,
        time: *const Timespec,
        _left: *mut Timespec,
    ) -> c_int {
        // SAFETY: as the caller promises.
        let time = unsafe { *time };
        let nanos = match flags & ABSOLUTE {
            0 => time.total(),
            _ => until(id, time),
        };
        // SAFETY: nothing but time passes.
        -(unsafe { sleep(nanos) } as c_int)
    }

    /// A wait for a word to change: a deadline of our clock becomes one of the kernel's.
    unsafe fn futex(args: [i64; 6]) -> i64 {
        const WAIT: i64 = 0;
        const WAIT_BITSET: i64 = 9;
        const REALTIME_FLAG: i64 = 256;
        const COMMAND: i64 = 0x7f;
        let timeout = args[3] as *const Timespec;
        let command = args[1] & COMMAND;
        if !matches!(command, WAIT | WAIT_BITSET) || timeout.is_null() {
            // SAFETY: the program's own call.
            return unsafe { plain(SYS_FUTEX, args) };
        }
        // SAFETY: the program's own timeout.
        let time = unsafe { *timeout };
        let id = c_int::from(args[1] & REALTIME_FLAG == 0);
        let left = match command {
            WAIT => time.total(),
            _ => until(id, time),
        };
        let mut real = Timespec {
            seconds: 0,
            nanos: 0,
        };
        let at = &raw mut real;
        if command == WAIT_BITSET {
            // SAFETY: the kernel writes the time of its clock.
            unsafe { plain(SYS_CLOCK_GETTIME, [i64::from(id), at as i64, 0, 0, 0, 0]) };
        }
        let real = Timespec::of(real.total().saturating_add(left));
        let mut args = args;
        args[3] = (&raw const real) as i64;
        // SAFETY: the program's own call, with a time that lives until it returns.
        let answer = unsafe { plain(SYS_FUTEX, args) };
        if answer == -ETIMEDOUT {
            pass(left);
        }
        answer
    }

    /// Replaces the system's function of this name. It takes a variable number of arguments there;
    /// on this machine those that were not given are registers that nobody looks at.
    ///
    /// # Safety
    /// As for the system's function.
    #[unsafe(no_mangle)]
    pub(crate) unsafe extern "C" fn syscall(
        number: c_long,
        a: i64,
        b: i64,
        c: i64,
        d: i64,
        e: i64,
        f: i64,
    ) -> c_long {
        let args = [a, b, c, d, e, f];
        // SAFETY: as the caller promises.
        unsafe {
            match number {
                SYS_FUTEX => report(futex(args)),
                SYS_GETRANDOM => {
                    random::fill(a as *mut u8, b as usize);
                    b
                }
                _ => report(plain(number, args)),
            }
        }
    }
}

#[cfg(test)]
mod tests;
