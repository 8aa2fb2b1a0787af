// Without unstable features, code cannot know whether the compiler evaluates it.

/// Which mutant of a place is active, from 1, or 0.
#[inline(always)]
pub fn const_at(first: u32, n: u32) -> u32 {
    at(first, n)
}

/// A region is entered.
#[inline(always)]
pub fn const_pass(region: usize) {
    pass(region);
}

/// A function or a turn of a loop begins.
#[inline(always)]
pub fn const_turn(region: usize) {
    turn(region);
}

/// A call, perhaps from outside, of a function that does not say when it is over.
#[inline(always)]
pub fn outside<W: FnOnce(&mut Out)>(region: u32, write: W) {
    record_outside(region, write);
}
