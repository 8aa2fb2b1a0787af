// What is counted: regions, calls, fuel.

/// How often each region was entered.
pub static REGIONS: [AtomicU64; N_REGIONS] = [const { AtomicU64::new(0) }; N_REGIONS];
/// Who called whom, packed: the caller's region and the callee's, each plus one. 0 is none.
pub static CALLS: [AtomicU64; N_CALLS] = [const { AtomicU64::new(0) }; N_CALLS];
pub const N_CALLS: usize = 4096;
/// Called when a thread has used up its fuel; 0 is nobody. It does not return.
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

/// A region is entered.
#[inline(always)]
pub fn pass(region: usize) {
    // Counts may be lost among threads; that costs nothing but precision. Where nothing is optimised, a
    // method of an atomic is a call, and this is done more often than anything else.
    unsafe {
        let n = (&raw const REGIONS as *mut u64).wrapping_add(region);
        *n = (*n).wrapping_add(1);
    }
}

/// A function or a turn of a loop begins.
#[inline(always)]
pub fn turn(region: usize) {
    pass(region);
    let mut left = fuel_left();
    if left == 0 {
        left = refuelled();
    }
    set_fuel(left.wrapping_sub(1));
}

/// What a thread has that nobody gave any, and after a panic: enough to drop what it has.
const GRACE: u64 = 1 << 16;

/// A thread begins with what the environment says, or with as much as it likes. Whoever said so runs
/// tests: one that has used it up fails, and others go on.
#[cold]
#[inline(never)]
fn refuelled() -> u64 {
    static ALLOWED: AtomicU64 = AtomicU64::new(0);
    if ALLOWED.load(Ordering::Relaxed) == 0 {
        let asked = self::std::env::var("TESTSMITH_FUEL");
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
        let handler: extern "C" fn() = unsafe { self::std::mem::transmute(handler) };
        handler();
    }
    self::std::process::abort();
}

/// A function that runs; when it is over, its caller does.
pub struct Call {
    caller: u32,
}

#[inline(always)]
pub fn call(region: usize) -> Call {
    turn(region);
    let caller = running();
    set_running(region as u32 + 1);
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
