//! A tiny deterministic source of numbers for the tests of this crate.
//!
//! The tests must do the same thing on every run, and the crate has no
//! dependencies, so it brings its own generator.

/// A xorshift generator with 64 bits of state.
pub struct PseudoRandom {
    state: u64,
}

impl PseudoRandom {
    /// Starts a generator. A zero seed would stay zero for ever, so it is
    /// replaced by another constant.
    pub fn new(seed: u64) -> PseudoRandom {
        PseudoRandom {
            state: if seed == 0 { 0x9e37_79b9 } else { seed },
        }
    }

    /// Returns a number from zero up to but not including `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) % limit
    }

    /// Returns a small key centred on zero, so that negative keys occur too.
    pub fn key(&mut self, spread: i32) -> i32 {
        self.below(2 * spread as u64 + 1) as i32 - spread
    }
}
