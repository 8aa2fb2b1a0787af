// What a thread has of its own, without a call to get at it.

/// Calls and turns of loops that the thread may still make; none before it has made one.
#[thread_local]
static mut FUEL: u64 = 0;
/// Was it said how many there may be?
#[thread_local]
static mut IS_FUELLED: bool = false;
/// The function that runs: its region plus one.
#[thread_local]
static mut CURRENT: u32 = 0;

#[inline(always)]
fn fuel_left() -> u64 {
    unsafe { FUEL }
}

#[inline(always)]
fn set_fuel(fuel: u64) {
    unsafe { FUEL = fuel }
}

/// Was it before?
fn say_fuelled() -> bool {
    unsafe {
        let was = IS_FUELLED;
        IS_FUELLED = true;
        was
    }
}

#[inline(always)]
fn running() -> u32 {
    unsafe { CURRENT }
}

#[inline(always)]
fn set_running(region: u32) {
    unsafe { CURRENT = region }
}
