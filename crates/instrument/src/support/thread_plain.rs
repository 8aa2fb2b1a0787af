// What a thread has of its own. The thread may be ending, with its locals already dropped: then
// nothing is stored, and defaults are read.

use self::std::cell::Cell;

self::std::thread_local! {
    /// Calls and turns of loops that the thread may still make; none before it has made one.
    static FUEL: Cell<u64> = const { Cell::new(0) };
    /// Has the thread been given fuel?
    static IS_FUELLED: Cell<bool> = const { Cell::new(false) };
    /// The function that runs: its region plus one.
    static CURRENT: Cell<u32> = const { Cell::new(0) };
}

#[inline(always)]
fn fuel_left() -> u64 {
    FUEL.try_with(Cell::get).unwrap_or(1)
}

#[inline(always)]
fn set_fuel(fuel: u64) {
    let _ = FUEL.try_with(|it| it.set(fuel));
}

/// Notes that the thread has been given fuel; says whether it had been before.
fn say_fuelled() -> bool {
    IS_FUELLED.try_with(|it| it.replace(true)).unwrap_or(true)
}

#[inline(always)]
fn running() -> u32 {
    CURRENT.try_with(Cell::get).unwrap_or(0)
}

#[inline(always)]
fn set_running(region: u32) {
    let _ = CURRENT.try_with(|it| it.set(region));
}
