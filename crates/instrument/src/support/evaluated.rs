// In a `const fn`: what the compiler evaluates is the original, and is not counted.

/// Which mutant of a place is active, from 1, or 0.
#[inline(always)]
pub const fn const_at(first: u32, n: u32) -> u32 {
    self::std::intrinsics::const_eval_select((first, n), none, at)
}

const fn none(_: u32, _: u32) -> u32 {
    0
}

/// A region is entered.
#[inline(always)]
pub const fn const_pass(region: usize) {
    self::std::intrinsics::const_eval_select((region,), nothing, pass)
}

/// A function or a turn of a loop begins.
#[inline(always)]
pub const fn const_turn(region: usize) {
    self::std::intrinsics::const_eval_select((region,), nothing, turn)
}

const fn nothing(_: usize) {}

/// A call, perhaps from outside, of a function that does not say when it is over.
#[inline(always)]
pub const fn outside<W: FnOnce(&mut Out)>(region: u32, write: W) {
    self::std::intrinsics::const_eval_select((region, write), forgotten, record_outside)
}

const fn forgotten<W: FnOnce(&mut Out)>(_: u32, write: W) {
    self::std::mem::forget(write);
}
