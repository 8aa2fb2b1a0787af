// What a thread has of its own, without a call to get at it.
//
// All of it is read and written by value, by the functions below and by no others.

/// Calls and turns of loops that the thread may still make; none before it has made one.
#[thread_local]
static mut FUEL: u64 = 0;
/// Has the thread been given fuel?
#[thread_local]
static mut IS_FUELLED: bool = false;
/// The function that runs: its region plus one.
#[thread_local]
static mut CURRENT: u32 = 0;

#[inline(always)]
fn fuel_left() -> u64 {
    // SAFETY: each thread has a `FUEL` of its own, no reference to it exists, and it has no destructor.
    unsafe { FUEL }
}

#[inline(always)]
fn set_fuel(fuel: u64) {
    // SAFETY: each thread has a `FUEL` of its own, no reference to it exists, and it has no destructor.
    unsafe { FUEL = fuel }
}

/// Notes that the thread has been given fuel; says whether it had been before.
fn say_fuelled() -> bool {
    // SAFETY: each thread has an `IS_FUELLED` of its own, no reference to it exists, and it has no
    // destructor.
    unsafe {
        let was = IS_FUELLED;
        IS_FUELLED = true;
        was
    }
}

#[inline(always)]
fn running() -> u32 {
    // SAFETY: each thread has a `CURRENT` of its own, no reference to it exists, and it has no destructor.
    unsafe { CURRENT }
}

#[inline(always)]
fn set_running(region: u32) {
    // SAFETY: each thread has a `CURRENT` of its own, no reference to it exists, and it has no destructor.
    unsafe { CURRENT = region }
}
