//! The few system calls the guest needs, declared by hand: it may not depend on anything.

use std::ffi::{c_int, c_long, c_void};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};

use testsmith_protocol::{Realm, Touch, WAIT_FACTOR};

unsafe extern "C" {
    fn fork() -> c_int;
    fn syscall(number: c_long, ...) -> c_long;
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
    fn madvise(at: *mut c_void, length: usize, advice: c_int) -> c_int;
    fn sigaction(signal: c_int, new: *const SigAction, old: *mut SigAction) -> c_int;
    fn setitimer(which: c_int, new: *const Interval, old: *mut Interval) -> c_int;
    fn setrlimit(resource: c_int, limit: *const [u64; 2]) -> c_int;
    fn prctl(option: c_int, ...) -> c_int;
    fn close(fd: c_int) -> c_int;
    fn dup(fd: c_int) -> c_int;
    fn unsetenv(name: *const std::ffi::c_char) -> c_int;
    #[cfg(target_env = "gnu")]
    fn mallopt(what: c_int, value: c_int) -> c_int;
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

/// For `waitpid`: of children that stop, too; and what it then answers in the lowest byte.
const UNTRACED: c_int = 2;
const STOPPED: c_int = 0x7f;
#[cfg(target_arch = "x86_64")]
const SYS_TGKILL: c_long = 234;
#[cfg(not(target_arch = "x86_64"))]
const SYS_TGKILL: c_long = 131;
#[cfg(target_arch = "x86_64")]
const SYS_CLOCK_GETTIME: c_long = 228;
#[cfg(not(target_arch = "x86_64"))]
const SYS_CLOCK_GETTIME: c_long = 113;
const SIGSTOP: c_int = 19;
const SIGABRT: c_int = 6;
const SIGBUS: c_int = 7;
const SIGSEGV: c_int = 11;
const SIGALRM: c_int = 14;
const SIGPROF: c_int = 27;
const ITIMER_REAL: c_int = 0;
const ITIMER_PROF: c_int = 2;
const SIGKILL: c_int = 9;
const SIGHUP: c_int = 1;
const SIGINT: c_int = 2;
const SIGTERM: c_int = 15;
const SIGXFSZ: c_int = 25;
pub(crate) const SIGSYS: c_int = 31;
const IGNORE: usize = 1;
const SA_SIGINFO: c_int = 4;
const SA_ONSTACK: c_int = 0x0800_0000;
const SA_RESTART: c_int = 0x1000_0000;
const RLIMIT_FSIZE: c_int = 1;
const RLIMIT_CORE: c_int = 4;
const RLIMIT_NOFILE: c_int = 7;
const RLIMIT_AS: c_int = 9;
/// What the allocator does not count (mappings, the stacks of threads) ends here.
const MAX_ADDRESS_SPACE: u64 = 4 << 30;
const MAX_FILES: u64 = 256;
const MAX_FILE_BYTES: u64 = 16 << 20;
const PR_SET_PDEATHSIG: c_int = 1;
const TICK_MS: u32 = 20;
const DIED_ON_PURPOSE: c_int = 97;

/// Why a child ended itself; the parent reads it from the shared page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub(crate) enum Reason {
    /// The child gave no reason.
    None = 0,
    /// The whole batch is done.
    Done = 1,
    /// The output is full: the parent empties it and starts another child.
    Full = 2,
    OutOfMemory = 3,
    TimedOut = 4,
    StackOverflow = 5,
    /// The last program touched the world outside, and later programs must not meet what it left in
    /// this process.
    Touched = 6,
    OutOfFuel = 7,
}

impl Reason {
    fn from_u32(value: u32) -> Reason {
        match value {
            1 => Reason::Done,
            2 => Reason::Full,
            3 => Reason::OutOfMemory,
            4 => Reason::TimedOut,
            5 => Reason::StackOverflow,
            6 => Reason::Touched,
            7 => Reason::OutOfFuel,
            _ => Reason::None,
        }
    }
}

/// The memory that the zygote shares with its child; the output follows it.
pub(crate) struct Page {
    /// The program that is running.
    pub(crate) program: AtomicU32,
    /// The step that is running.
    pub(crate) step: AtomicU32,
    /// Calls made by this program.
    pub(crate) n_calls: AtomicU32,
    /// The first time that this program touched the world outside: the step in the upper half, the
    /// realm in the lower; 0 for never.
    touch: AtomicU32,
    reason: AtomicU32,
    /// Ticks of the clock and of processor time since the program began.
    ticks: AtomicU32,
    busy_ticks: AtomicU32,
    max_busy_ticks: AtomicU32,
    /// Bytes of output that are whole.
    pub(crate) n_out: AtomicU32,
    /// A bit for every trace of this batch that was sent, by its digest; survives the children.
    traces: [AtomicU64; TRACE_WORDS],
}

/// Large enough that two traces of one batch rarely share a bit.
const TRACE_WORDS: usize = 1 << 12;

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
        // A program that writes anywhere may have written here.
        let n_out = (self.n_out.load(Ordering::Acquire) as usize).min(MAX_OUT);
        // SAFETY: so many bytes are mapped, and were written by `append` unless a program did.
        unsafe { std::slice::from_raw_parts(std::ptr::from_ref(self).add(1).cast::<u8>(), n_out) }
    }

    /// A batch begins: what it gives must not depend on earlier ones, which another guest may have
    /// run.
    pub(crate) fn begin_batch(&self) {
        for word in &self.traces {
            word.store(0, Ordering::Relaxed);
        }
    }

    /// Remembers a trace; was it new in this batch?
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
        self.touch.store(0, Ordering::Relaxed);
        self.ticks.store(0, Ordering::Relaxed);
        self.busy_ticks.store(0, Ordering::Relaxed);
    }

    /// A program wrote over all this, so nobody knows how far it came: to its last step, as far as is known.
    pub(crate) fn forget(&self, program: u32, n_steps: u16) {
        self.begin(program);
        self.step
            .store(u32::from(n_steps.saturating_sub(1)), Ordering::Relaxed);
        self.n_calls.store(u32::from(n_steps), Ordering::Relaxed);
    }
}

impl Page {
    /// The first time this program reached for the world.
    pub(crate) fn touched(&self) -> Option<Touch> {
        let touch = self.touch.load(Ordering::Relaxed);
        Some(Touch {
            at: (touch >> 16) as u16,
            realm: Realm::from_byte(touch as u8)?,
        })
    }
}

/// Address space for the zygote's own use; memory comes with its first use.
pub(crate) fn reserve(bytes: usize) -> Option<usize> {
    const READ_WRITE: c_int = 3;
    const PRIVATE_ANONYMOUS_NORESERVE: c_int = 0x4022;
    // SAFETY: a fresh anonymous mapping, never unmapped.
    let at = unsafe {
        mmap(
            std::ptr::null_mut(),
            bytes,
            READ_WRITE,
            PRIVATE_ANONYMOUS_NORESERVE,
            -1,
            0,
        )
    };
    (at as isize != -1).then_some(at as usize)
}

/// Returns the memory of a range to the system; its pages read as zero afterwards.
pub(crate) fn give_back(at: usize, bytes: usize) {
    const PAGE_BYTES: usize = 4096;
    const DONT_NEED: c_int = 4;
    let first = at.next_multiple_of(PAGE_BYTES);
    let n_bytes = (at + bytes).saturating_sub(first) / PAGE_BYTES * PAGE_BYTES;
    // SAFETY: whole pages of our own mapping that nobody uses any more.
    unsafe { madvise(first as *mut c_void, n_bytes, DONT_NEED) };
}

/// Marks the step that is running.
pub(crate) fn touch(realm: Realm) {
    let page = PAGE.load(Ordering::Relaxed);
    // SAFETY: the page is mapped before anything is watched, and never unmapped.
    let page = unsafe { &*page };
    let mark = page.step.load(Ordering::Relaxed) << 16 | realm as u32;
    let _ = page
        .touch
        .compare_exchange(0, mark, Ordering::Relaxed, Ordering::Relaxed);
}

/// Marks a step, whatever was marked before.
pub(crate) fn touch_at(step: u32, realm: Realm) {
    let page = PAGE.load(Ordering::Relaxed);
    // SAFETY: as above.
    let page = unsafe { &*page };
    page.touch
        .store(step << 16 | realm as u32, Ordering::Relaxed);
}

/// The step that is running.
pub(crate) fn step() -> u32 {
    let page = PAGE.load(Ordering::Relaxed);
    match page.is_null() {
        true => 0,
        // SAFETY: as above.
        false => unsafe { &*page }.step.load(Ordering::Relaxed),
    }
}

/// What this process reached for, if it did.
pub(crate) fn touched() -> Option<Realm> {
    let page = PAGE.load(Ordering::Relaxed);
    // SAFETY: as above.
    Some(unsafe { &*page }.touched()?.realm)
}

/// What the host's sandbox does for us.
pub(crate) struct Walls {
    /// Reaching for the world is to be noticed.
    pub(crate) watched: bool,
}

static GUARDED: AtomicBool = AtomicBool::new(false);

/// Is the file system guarded by the host's sandbox, so that calls may pass?
pub(crate) fn guarded() -> bool {
    GUARDED.load(Ordering::Relaxed)
}

/// Reads from the environment what the host has set up, and takes it out: programs see none of it.
pub(crate) fn walls() -> Walls {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| value == "1");
    let walls = Walls {
        watched: is_set("TESTSMITH_WATCHED"),
    };
    GUARDED.store(is_set("TESTSMITH_GUARDED"), Ordering::Relaxed);
    // SAFETY: this process has one thread, so nothing reads the environment meanwhile; the names end
    // with a zero.
    unsafe {
        for name in [c"TESTSMITH_WATCHED", c"TESTSMITH_GUARDED"] {
            unsetenv(name.as_ptr());
        }
        // One heap for all threads: others are shrunk after a look at a system file.
        #[cfg(target_env = "gnu")]
        mallopt(-8, 1);
    }
    walls
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
    /// Its parent ended it, for it took longer than it may.
    Late,
    Signal(c_int),
    Exit(c_int),
}

impl End {
    pub(crate) const ABORT: c_int = SIGABRT;

    /// Was it somebody outside? A watched program cannot send these signals, not even to itself.
    pub(crate) fn is_from_outside(&self) -> bool {
        matches!(self, End::Signal(SIGKILL | SIGTERM | SIGHUP | SIGINT))
    }
}

/// How long a child may take before its parent ends it. The child looks at the clock itself, and sooner; but a
/// program can switch that off.
#[derive(Clone, Copy)]
pub(crate) struct Patience {
    /// Milliseconds of processor time for each program; [`WAIT_FACTOR`] times as many may pass.
    busy_ms: u32,
    /// The numbers that its programs have.
    first: u32,
    end: u32,
}

impl Patience {
    /// Twice what the child gives its programs.
    pub(crate) fn with(time_ms: u32, programs: &Range<usize>) -> Patience {
        Patience {
            busy_ms: time_ms.saturating_mul(2),
            first: programs.start as u32,
            end: programs.end as u32,
        }
    }
}

/// How often a parent looks at its child, and how long that may take to begin on a busy machine.
const LOOK_MS: u32 = 50;
const BEGIN_MS: u32 = 60_000;

/// Runs `child` in a forked process and waits for it.
pub(crate) fn in_child(page: &Page, patience: Patience, child: impl FnOnce()) -> Option<End> {
    page.reason.store(Reason::None as u32, Ordering::Relaxed);
    page.max_busy_ticks.store(0, Ordering::Relaxed);
    // SAFETY: the zygote has one thread, so the child may do anything.
    match unsafe { fork() } {
        -1 => None,
        0 => {
            child();
            die(Reason::Done)
        }
        pid => {
            let mut status = 0;
            let waited = wait(pid, page, patience, &mut status)?;
            if waited != Waited::Ended {
                end(pid, &mut status);
            }
            let signal = status & 0x7f;
            let code = (status >> 8) & 0xff;
            let reason = Reason::from_u32(page.reason.load(Ordering::Relaxed));
            Some(match (waited, signal, code, reason) {
                (Waited::Late, ..) => End::Late,
                (Waited::Stopped, ..) => {
                    touch(Realm::Processes);
                    End::Signal(SIGSTOP)
                }
                (_, 0, DIED_ON_PURPOSE, reason) if reason != Reason::None => End::Said(reason),
                (_, 0, code, _) => End::Exit(code),
                (_, signal, ..) => End::Signal(signal),
            })
        }
    }
}

/// What became of a child that was waited for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waited {
    Ended,
    /// It has stopped itself, and nobody would wake it.
    Stopped,
    /// It has taken longer than it may.
    Late,
}

/// Waits for a child. `None` if there is none.
fn wait(pid: c_int, page: &Page, patience: Patience, status: &mut c_int) -> Option<Waited> {
    let mut left = Left::of(patience);
    look_every(LOOK_MS);
    let waited = loop {
        // SAFETY: waits for our own child.
        if unsafe { waitpid(pid, status, UNTRACED) } == pid {
            break match *status & 0xff {
                STOPPED => Some(Waited::Stopped),
                _ => Some(Waited::Ended),
            };
        }
        if std::io::Error::last_os_error().kind() != std::io::ErrorKind::Interrupted {
            break None;
        }
        let has_begun = page.max_busy_ticks.load(Ordering::Relaxed) != 0;
        let program = has_begun.then(|| page.program.load(Ordering::Relaxed));
        if left.is_over(program, busy_ms(pid)) {
            break Some(Waited::Late);
        }
    };
    look_every(0);
    waited
}

/// The processor time that a child has used.
fn busy_ms(pid: c_int) -> u64 {
    // How the kernel names the clock of a process.
    let clock = !pid << 3 | 2;
    let mut time: [c_long; 2] = [0; 2];
    // SAFETY: the kernel fills in seconds and nanoseconds; for a process that is gone it does nothing.
    unsafe { syscall(SYS_CLOCK_GETTIME, clock, time.as_mut_ptr()) };
    time[0] as u64 * 1000 + time[1] as u64 / 1_000_000
}

/// What is left of the time of a child. Only steps ahead count: it may say what it likes on the shared page.
struct Left {
    patience: Patience,
    /// The program that it has come to, if it has begun.
    furthest: Option<u32>,
    /// What is left on the clock, and until which processor time.
    ms: u32,
    until_busy_ms: u64,
}

impl Left {
    fn of(patience: Patience) -> Left {
        Left {
            patience,
            furthest: None,
            ms: BEGIN_MS,
            until_busy_ms: u64::MAX,
        }
    }

    /// Another look: is it over?
    fn is_over(&mut self, program: Option<u32>, busy_ms: u64) -> bool {
        let programs = self.patience.first..self.patience.end;
        // Whoever writes over the number of the program has begun with some.
        let now = program.map(|it| {
            if programs.contains(&it) {
                it
            } else {
                programs.start
            }
        });
        if now > self.furthest {
            self.furthest = now;
            self.ms = self.patience.busy_ms.saturating_mul(WAIT_FACTOR);
            self.until_busy_ms = busy_ms + u64::from(self.patience.busy_ms);
        }
        self.ms = self.ms.saturating_sub(LOOK_MS);
        self.ms == 0 || busy_ms > self.until_busy_ms
    }
}

/// Has this process interrupted in what it waits for, again and again.
fn look_every(ms: u32) {
    let tick = [0, c_long::from(ms) * 1000];
    let interval = Interval {
        every: tick,
        first: tick,
    };
    // SAFETY: plain system calls on our own process; the handler does nothing.
    unsafe {
        handle(SIGALRM, on_look as *const () as usize, 0);
        setitimer(ITIMER_REAL, &interval, std::ptr::null_mut());
    }
}

extern "C" fn on_look(_: c_int, _: *const c_void, _: *const c_void) {}

/// Ends a child.
fn end(pid: c_int, status: &mut c_int) {
    // SAFETY: signals our own child, which nobody has waited for yet, and waits for it; interrupted waits are
    // repeated.
    unsafe {
        syscall(SYS_TGKILL, pid, pid, SIGKILL);
        while waitpid(pid, status, 0) == -1
            && std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted
        {}
    }
}

/// What a child sets up before it runs foreign code.
pub(crate) fn prepare_child(page: &Page, time_ms: u32) {
    page.max_busy_ticks
        .store(time_ms.div_ceil(TICK_MS).max(2), Ordering::Relaxed);
    // SAFETY: plain system calls on our own process; the handlers touch only atomics.
    unsafe {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setrlimit(RLIMIT_CORE, &[0, 0]);
        setrlimit(RLIMIT_NOFILE, &[MAX_FILES; 2]);
        setrlimit(RLIMIT_AS, &[MAX_ADDRESS_SPACE; 2]);
        let max_file = if guarded() { MAX_FILE_BYTES } else { 0 };
        setrlimit(RLIMIT_FSIZE, &[max_file; 2]);
        handle(SIGXFSZ, IGNORE, 0);
        handle(SIGALRM, on_tick as *const () as usize, SA_RESTART);
        handle(SIGPROF, on_busy_tick as *const () as usize, SA_RESTART);
        handle(SIGSEGV, on_fault as *const () as usize, 0);
        handle(SIGBUS, on_fault as *const () as usize, 0);
        let tick = [0, c_long::from(TICK_MS) * 1000];
        let interval = Interval {
            every: tick,
            first: tick,
        };
        setitimer(ITIMER_REAL, &interval, std::ptr::null_mut());
        setitimer(ITIMER_PROF, &interval, std::ptr::null_mut());
    }
}

/// Installs a handler.
///
/// # Safety
/// The handler takes what the kernel passes and is async-signal-safe.
pub(crate) unsafe fn on_signal(signal: c_int, handler: usize) {
    // SAFETY: as the caller promises.
    unsafe { handle(signal, handler, 0) };
}

/// The descriptors of the pipes to and from the host.
#[derive(Clone, Copy)]
pub(crate) struct Pipes {
    pub(crate) input: c_int,
    pub(crate) output: c_int,
}

/// Closes the pipes in a child, which must not talk to the host.
pub(crate) fn close_pipes(pipes: Pipes) {
    // SAFETY: the descriptors are the zygote's, and open; the child leaves by `die`, so that the
    // zygote's `File`s never close them a second time here.
    unsafe {
        close(pipes.input);
        close(pipes.output);
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
    end_at(|page| &page.ticks, WAIT_FACTOR);
}

extern "C" fn on_busy_tick(_: c_int, _: *const c_void, _: *const c_void) {
    end_at(|page| &page.busy_ticks, 1);
}

/// Counts a tick, and ends the program at `factor` times as many as it may be busy.
fn end_at(ticks: impl Fn(&Page) -> &AtomicU32, factor: u32) {
    let page = PAGE.load(Ordering::Relaxed);
    // SAFETY: the page is mapped before any handler is installed.
    let page = unsafe { &*page };
    let max = page.max_busy_ticks.load(Ordering::Relaxed);
    if ticks(page).fetch_add(1, Ordering::Relaxed) >= max.saturating_mul(factor) {
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
/// crate under test may print.
pub(crate) fn take_pipes() -> Option<Pipes> {
    // SAFETY: plain system calls on our own descriptors.
    unsafe {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        let (input, output) = (dup(0), dup(1));
        // Where no wall judges what is written, no file is opened for writing. What is printed is lost anyhow.
        let null = match open(c"/dev/null".as_ptr(), 2) {
            -1 => open(c"/dev/null".as_ptr(), 0),
            null => null,
        };
        if input < 0 || output < 0 || null < 0 {
            return None;
        }
        dup2(null, 0);
        dup2(null, 1);
        Some(Pipes { input, output })
    }
}

#[cfg(test)]
mod tests;
