//! The few system calls the guest needs, declared by hand: it may not depend on anything.

use std::ffi::{c_int, c_long, c_void};
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

unsafe extern "C" {
    fn fork() -> c_int;
    fn waitpid(pid: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn _exit(code: c_int) -> !;
    fn mmap(
        at: *mut c_void,
        length: usize,
        protection: c_int,
        flags: c_int,
        fd: c_int,
        offset: i64,
    ) -> *mut c_void;
    fn sigaction(signal: c_int, new: *const SigAction, old: *mut SigAction) -> c_int;
    fn setitimer(which: c_int, new: *const Interval, old: *mut Interval) -> c_int;
    fn setrlimit(resource: c_int, limit: *const [u64; 2]) -> c_int;
    fn prctl(option: c_int, ...) -> c_int;
    fn dup(fd: c_int) -> c_int;
    fn dup2(from: c_int, to: c_int) -> c_int;
    fn open(path: *const std::ffi::c_char, flags: c_int, ...) -> c_int;
}

#[repr(C)]
struct SigAction {
    handler: usize,
    mask: [u64; 16],
    flags: c_int,
    restorer: usize,
}

#[repr(C)]
struct Interval {
    every: [c_long; 2],
    first: [c_long; 2],
}

const SIGABRT: c_int = 6;
const SIGBUS: c_int = 7;
const SIGSEGV: c_int = 11;
const SIGALRM: c_int = 14;
const SIGKILL: c_int = 9;
const SA_SIGINFO: c_int = 4;
const SA_ONSTACK: c_int = 0x0800_0000;
const SA_RESTART: c_int = 0x1000_0000;
const RLIMIT_FSIZE: c_int = 1;
const RLIMIT_CORE: c_int = 4;
const PR_SET_PDEATHSIG: c_int = 1;
const TICK_MS: u32 = 20;
const DIED_ON_PURPOSE: c_int = 97;

/// Why a child ended itself; the parent reads it from the shared page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub(crate) enum Reason {
    /// Nothing was said.
    None = 0,
    /// The whole batch is done.
    Done = 1,
    /// The output is full: the parent empties it and starts another child.
    Full = 2,
    OutOfMemory = 3,
    TimedOut = 4,
    StackOverflow = 5,
}

impl Reason {
    fn from_u32(value: u32) -> Reason {
        match value {
            1 => Reason::Done,
            2 => Reason::Full,
            3 => Reason::OutOfMemory,
            4 => Reason::TimedOut,
            5 => Reason::StackOverflow,
            _ => Reason::None,
        }
    }
}

/// What parent and child share; the output follows it.
pub(crate) struct Page {
    /// The program that is running.
    pub(crate) program: AtomicU32,
    /// The step that is running.
    pub(crate) step: AtomicU32,
    /// Calls made by this program.
    pub(crate) n_calls: AtomicU32,
    reason: AtomicU32,
    ticks: AtomicU32,
    max_ticks: AtomicU32,
    /// Bytes of output that are whole.
    pub(crate) n_out: AtomicU32,
    /// A bit for every trace that was sent, by its digest; survives the children.
    traces: [AtomicU64; TRACE_WORDS],
}

/// Large enough that two traces of one run rarely share a bit.
const TRACE_WORDS: usize = 1 << 16;

pub(crate) const MAX_OUT: usize = 32 << 20;

static PAGE: AtomicPtr<Page> = AtomicPtr::new(std::ptr::null_mut());
static STACK_TOP: AtomicU64 = AtomicU64::new(0);

/// The guest's programs run on a stack somewhat smaller than a test's at the user's.
pub(crate) const STACK_BYTES: usize = 1 << 20;

impl Page {
    /// Maps the shared memory. `None` if the system refuses.
    pub(crate) fn map() -> Option<&'static Page> {
        const READ_WRITE: c_int = 3;
        const SHARED_ANONYMOUS: c_int = 0x21;
        // SAFETY: a fresh anonymous mapping of the size asked for, never unmapped.
        let at = unsafe {
            mmap(
                std::ptr::null_mut(),
                size_of::<Page>() + MAX_OUT,
                READ_WRITE,
                SHARED_ANONYMOUS,
                -1,
                0,
            )
        };
        if at as isize == -1 {
            return None;
        }
        let page = at.cast::<Page>();
        PAGE.store(page, Ordering::Relaxed);
        // SAFETY: zeroed memory is a valid page of atomics, and it is never unmapped.
        Some(unsafe { &*page })
    }

    /// Append to the output; `false` if there is no room.
    pub(crate) fn append(&self, bytes: &[u8]) -> bool {
        let n_out = self.n_out.load(Ordering::Relaxed) as usize;
        if n_out + bytes.len() > MAX_OUT {
            return false;
        }
        // SAFETY: the output area follows the page in one mapping, and only one process writes.
        unsafe {
            std::ptr::from_ref(self)
                .add(1)
                .cast::<u8>()
                .cast_mut()
                .add(n_out)
                .copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        }
        self.n_out
            .store((n_out + bytes.len()) as u32, Ordering::Release);
        true
    }

    /// The output so far.
    pub(crate) fn output(&self) -> &[u8] {
        let n_out = self.n_out.load(Ordering::Acquire) as usize;
        // SAFETY: that many bytes were written by `append`.
        unsafe { std::slice::from_raw_parts(std::ptr::from_ref(self).add(1).cast::<u8>(), n_out) }
    }

    /// Remembers a trace; was it new?
    pub(crate) fn note_trace(&self, digest: u64) -> bool {
        let bit = digest as usize % (TRACE_WORDS * 64);
        let mask = 1 << (bit % 64);
        self.traces[bit / 64].fetch_or(mask, Ordering::Relaxed) & mask == 0
    }

    /// A program begins: its time starts now.
    pub(crate) fn begin(&self, program: u32) {
        self.program.store(program, Ordering::Relaxed);
        self.step.store(0, Ordering::Relaxed);
        self.n_calls.store(0, Ordering::Relaxed);
        self.ticks.store(0, Ordering::Relaxed);
    }
}

/// Ends this process, saying why.
pub(crate) fn die(reason: Reason) -> ! {
    let page = PAGE.load(Ordering::Relaxed);
    if !page.is_null() {
        // SAFETY: the page is never unmapped.
        unsafe { (*page).reason.store(reason as u32, Ordering::Relaxed) };
    }
    // SAFETY: ends the process without running anything else.
    unsafe { _exit(DIED_ON_PURPOSE) }
}

/// How a child ended.
pub(crate) enum End {
    Said(Reason),
    Signal(c_int),
    Exit(c_int),
}

impl End {
    pub(crate) const ABORT: c_int = SIGABRT;
}

/// Runs `child` in a forked process and waits for it.
pub(crate) fn in_child(page: &Page, child: impl FnOnce()) -> Option<End> {
    page.reason.store(Reason::None as u32, Ordering::Relaxed);
    // SAFETY: the zygote has one thread, so the child may do anything.
    match unsafe { fork() } {
        -1 => None,
        0 => {
            child();
            die(Reason::Done)
        }
        pid => {
            let mut status = 0;
            // SAFETY: waits for our own child; interrupted waits are repeated.
            while unsafe { waitpid(pid, &mut status, 0) } == -1 {}
            let signal = status & 0x7f;
            let code = (status >> 8) & 0xff;
            let reason = Reason::from_u32(page.reason.load(Ordering::Relaxed));
            Some(match (signal, code, reason) {
                (0, DIED_ON_PURPOSE, reason) if reason != Reason::None => End::Said(reason),
                (0, code, _) => End::Exit(code),
                (signal, _, _) => End::Signal(signal),
            })
        }
    }
}

/// What a child sets up before it runs foreign code.
pub(crate) fn prepare_child(page: &Page, wall_ms: u32) {
    page.max_ticks
        .store(wall_ms.div_ceil(TICK_MS).max(2), Ordering::Relaxed);
    // SAFETY: plain system calls on our own process; the handlers touch only atomics.
    unsafe {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setrlimit(RLIMIT_CORE, &[0, 0]);
        setrlimit(RLIMIT_FSIZE, &[0, 0]);
        handle(SIGALRM, on_tick as *const () as usize, SA_RESTART);
        handle(SIGSEGV, on_fault as *const () as usize, 0);
        handle(SIGBUS, on_fault as *const () as usize, 0);
        let tick = [0, c_long::from(TICK_MS) * 1000];
        let interval = Interval {
            every: tick,
            first: tick,
        };
        setitimer(0, &interval, std::ptr::null_mut());
    }
}

/// Remembers where the stack of this thread begins.
pub(crate) fn mark_stack() {
    let here = 0u8;
    STACK_TOP.store(std::ptr::from_ref(&here) as u64, Ordering::Relaxed);
}

unsafe fn handle(signal: c_int, handler: usize, flags: c_int) {
    let action = SigAction {
        handler,
        mask: [0; 16],
        flags: SA_SIGINFO | SA_ONSTACK | flags,
        restorer: 0,
    };
    // SAFETY: a valid action; the handler is async-signal-safe.
    unsafe { sigaction(signal, &action, std::ptr::null_mut()) };
}

extern "C" fn on_tick(_: c_int, _: *const c_void, _: *const c_void) {
    let page = PAGE.load(Ordering::Relaxed);
    // SAFETY: the page is mapped before any handler is installed.
    let page = unsafe { &*page };
    if page.ticks.fetch_add(1, Ordering::Relaxed) >= page.max_ticks.load(Ordering::Relaxed) {
        die(Reason::TimedOut);
    }
}

extern "C" fn on_fault(signal: c_int, info: *const c_void, _: *const c_void) {
    // SAFETY: the kernel passes a siginfo, whose address field lies 16 bytes in on Linux.
    let address = unsafe { info.cast::<u8>().add(16).cast::<u64>().read() };
    let top = STACK_TOP.load(Ordering::Relaxed);
    if address < top && top - address < STACK_BYTES as u64 + (1 << 18) {
        die(Reason::StackOverflow);
    }
    // Anything else is the crate's own doing: let it happen again with the default action.
    let default = SigAction {
        handler: 0,
        mask: [0; 16],
        flags: 0,
        restorer: 0,
    };
    // SAFETY: restores the default action; returning repeats the faulting access.
    unsafe { sigaction(signal, &default, std::ptr::null_mut()) };
}

/// Keeps the protocol's pipes for ourselves and points standard input and output at nothing: the
/// crate under test may print. Returns the descriptors (in, out).
pub(crate) fn take_pipes() -> Option<(c_int, c_int)> {
    // SAFETY: plain system calls on our own descriptors.
    unsafe {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        let (input, output) = (dup(0), dup(1));
        let null = open(c"/dev/null".as_ptr(), 2);
        if input < 0 || output < 0 || null < 0 {
            return None;
        }
        dup2(null, 0);
        dup2(null, 1);
        Some((input, output))
    }
}

static RANDOM: AtomicU64 = AtomicU64::new(0x853C_49E6_748F_EA9B);

/// What the guest's randomness starts from.
pub(crate) fn seed(seed: u64) {
    RANDOM.store(seed ^ 0x853C_49E6_748F_EA9B, Ordering::Relaxed);
}

/// Replaces the system's function of this name for everything linked into the guest, so that hash
/// tables have the same order in every run.
///
/// # Safety
/// `buffer` points at `length` writable bytes, as for the system's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn getrandom(buffer: *mut u8, length: usize, _flags: u32) -> isize {
    for i in 0..length {
        let mut x = RANDOM
            .load(Ordering::Relaxed)
            .wrapping_add(0x9E37_79B9_7F4A_7C15);
        RANDOM.store(x, Ordering::Relaxed);
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        // SAFETY: within the caller's buffer.
        unsafe { buffer.add(i).write((x >> 56) as u8) };
    }
    length as isize
}
