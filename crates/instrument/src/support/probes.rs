// Counters: how often regions are entered, which functions call which, and the fuel of a thread.

/// How often each region was entered.
pub static REGIONS: [AtomicU64; N_REGIONS] = [const { AtomicU64::new(0) }; N_REGIONS];
/// Pairs of a caller and a callee, packed: the regions of both, each plus one. 0 marks a free entry.
pub static CALLS: [AtomicU64; N_CALLS] = [const { AtomicU64::new(0) }; N_CALLS];
pub const N_CALLS: usize = 4096;
/// The address of the handler that is called when a thread has used up its fuel, or 0 if there is
/// no handler. The handler does not return.
pub static EXHAUSTED: self::std::sync::atomic::AtomicUsize =
    self::std::sync::atomic::AtomicUsize::new(0);

/// Sets the fuel of this thread.
pub fn refuel(fuel: u64) {
    set_fuel(fuel);
    say_fuelled();
    set_running(0);
}

/// The fuel that this thread has left.
pub fn fuel() -> u64 {
    fuel_left()
}

/// Counts that a region is entered.
#[inline(always)]
pub fn pass(region: usize) {
    // This is not a method of the atomic: without optimisation that would be a call, and nothing runs
    // more often than this.
    // SAFETY: the rewriter numbers regions from 0 and makes `N_REGIONS` as large as the numbers it gave
    // out, so the place is in `REGIONS`. An atomic has the layout of its integer and may be written
    // through a shared pointer. Two threads can race here, which the language does not allow: what
    // holds is that the place is an aligned word, so that a race loses a count and nothing else.
    unsafe {
        let n = (&raw const REGIONS as *mut u64).wrapping_add(region);
        *n = (*n).wrapping_add(1);
    }
}

/// Counts that a function or a turn of a loop begins, and takes fuel for it.
#[inline(always)]
pub fn turn(region: usize) {
    pass(region);
    let mut left = fuel_left();
    if left == 0 {
        left = refuelled();
    }
    set_fuel(left.wrapping_sub(1));
}

/// The fuel of a thread that panicked because it had none left: enough to drop its values.
const GRACE: u64 = 1 << 16;

/// The fuel of a thread that has none: at its first call what the environment allows, or no limit.
///
/// The environment sets a limit where tests run: a test that has used it up fails, and the others go
/// on.
#[cold]
#[inline(never)]
fn refuelled() -> u64 {
    static ALLOWED: AtomicU64 = AtomicU64::new(0);
    if ALLOWED.load(Ordering::Relaxed) == 0 {
        let asked = self::std::env::var(FUEL_VARIABLE);
        let asked = asked.ok().and_then(|it| it.parse().ok());
        ALLOWED.store(asked.unwrap_or(u64::MAX), Ordering::Relaxed);
        note_at_exit();
    }
    let allowed = ALLOWED.load(Ordering::Relaxed);
    if !say_fuelled() {
        return allowed;
    }
    if allowed != u64::MAX && EXHAUSTED.load(Ordering::Relaxed) == 0 {
        if ends_at_once() {
            // SAFETY: `_exit` takes any code, does not return, and runs no code of this process.
            unsafe { _exit(EXHAUSTED_CODE) };
        }
        set_fuel(GRACE);
        self::std::panic!("more calls and turns of loops than there may be");
    }
    exhausted();
    0
}

#[cold]
#[inline(never)]
fn exhausted() {
    let handler = EXHAUSTED.load(Ordering::Relaxed);
    if handler != 0 {
        // SAFETY: only the runtime stores here, and it stores the address of an `extern "C" fn()`.
        let handler: extern "C" fn() = unsafe { self::std::mem::transmute(handler) };
        handler();
    }
    self::std::process::abort();
}

/// A running function: when it is dropped, the caller counts as the running function again.
pub struct Call {
    caller: u32,
}

#[inline(always)]
pub fn call(region: usize) -> Call {
    turn(region);
    let caller = running();
    set_running(region as u32 + 1);
    // SAFETY: as in `at`.
    if unsafe { *(&raw const ACTIVE as *const u32) } == WATCHING {
        note_call(caller, region as u32 + 1);
    }
    Call { caller }
}

impl Drop for Call {
    #[inline(always)]
    fn drop(&mut self) {
        set_running(self.caller);
    }
}

#[cold]
#[inline(never)]
fn note_call(caller: u32, callee: u32) {
    let edge = u64::from(caller) << 32 | u64::from(callee);
    let mut at = edge.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 52;
    for _ in 0..N_CALLS {
        let slot = &CALLS[at as usize];
        let known = slot.load(Ordering::Relaxed);
        if known == edge {
            return;
        }
        if known == 0 {
            slot.store(edge, Ordering::Relaxed);
            return;
        }
        at = (at + 1) % N_CALLS as u64;
    }
}
