//! Threads that a program leaves behind: they would run on beside the next programs.
//!
//! The C library's function is replaced by one that counts. A thread that was told to end may need
//! a moment; one that is still there after a while was left on purpose.

use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::time::Duration;

use testsmith_protocol::Realm;

use crate::os;

static LIVE: AtomicI64 = AtomicI64::new(0);
/// The step that started the program's first thread, plus one.
static STARTED_AT: AtomicU32 = AtomicU32::new(0);

/// How long a program's threads may take to end, in milliseconds.
const PATIENCE_MS: u64 = 50;

/// Threads that exist now are the guest's own and are not counted.
pub(crate) fn forget() {
    LIVE.store(0, Ordering::Relaxed);
}

/// A program begins.
pub(crate) fn begin() {
    STARTED_AT.store(0, Ordering::Relaxed);
}

/// Waits for the program's threads; those that stay are a touch of the world, by the step that
/// started the first. What they touched themselves, and during which step, is a matter of chance.
pub(crate) fn settle() {
    if STARTED_AT.load(Ordering::Relaxed) == 0 {
        return;
    }
    for _ in 0..PATIENCE_MS {
        if LIVE.load(Ordering::Acquire) <= 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    os::touch_at(
        STARTED_AT.load(Ordering::Relaxed).saturating_sub(1),
        Realm::Threads,
    );
}

#[cfg(target_env = "gnu")]
mod counted {
    use std::ffi::{c_char, c_int, c_void};
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::{LIVE, STARTED_AT};
    use crate::os;

    type Start = extern "C-unwind" fn(*mut c_void) -> *mut c_void;
    type Create = unsafe extern "C" fn(*mut c_void, *const c_void, Start, *mut c_void) -> c_int;

    unsafe extern "C" {
        fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
        fn malloc(size: usize) -> *mut c_void;
        fn free(at: *mut c_void);
    }

    struct Errand {
        start: Start,
        argument: *mut c_void,
    }

    extern "C-unwind" fn run(errand: *mut c_void) -> *mut c_void {
        // SAFETY: made by `pthread_create` below for this thread alone.
        let Errand { start, argument } = unsafe { errand.cast::<Errand>().read() };
        // SAFETY: as above; nobody else has it.
        unsafe { free(errand) };
        let answer = start(argument);
        LIVE.fetch_sub(1, Ordering::Release);
        answer
    }

    static REAL: AtomicUsize = AtomicUsize::new(0);

    /// Replaces the C library's function of this name for everything linked into the guest.
    ///
    /// # Safety
    /// As for the C library's function.
    #[unsafe(no_mangle)]
    pub(crate) unsafe extern "C" fn pthread_create(
        thread: *mut c_void,
        attributes: *const c_void,
        start: Start,
        argument: *mut c_void,
    ) -> c_int {
        const NEXT: *mut c_void = -1isize as *mut c_void;
        const EAGAIN: c_int = 11;
        let mut real = REAL.load(Ordering::Relaxed);
        if real == 0 {
            // SAFETY: asks for the C library's own function.
            real = unsafe { dlsym(NEXT, c"pthread_create".as_ptr()) } as usize;
            if real == 0 {
                return EAGAIN;
            }
            REAL.store(real, Ordering::Relaxed);
        }
        // SAFETY: the C library's function has this type.
        let create = unsafe { std::mem::transmute::<usize, Create>(real) };
        // SAFETY: an errand of our own, given to one thread. The C library's allocator, because
        // ours counts what the program allocates.
        unsafe {
            let errand = malloc(size_of::<Errand>());
            if errand.is_null() {
                return EAGAIN;
            }
            errand.cast::<Errand>().write(Errand { start, argument });
            LIVE.fetch_add(1, Ordering::Relaxed);
            let step = os::step() + 1;
            let _ = STARTED_AT.compare_exchange(0, step, Ordering::Relaxed, Ordering::Relaxed);
            let answer = create(thread, attributes, run, errand);
            if answer != 0 {
                LIVE.fetch_sub(1, Ordering::Relaxed);
                free(errand);
            }
            answer
        }
    }
}
