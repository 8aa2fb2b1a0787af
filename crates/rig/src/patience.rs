//! How long tests may take, and how much they may do, before they are ended.

use std::time::Duration;

/// The longest that testsmith waits for a test or a whole binary of tests.
pub const LONGEST: Duration = Duration::from_secs(600);

/// With a mutant, a test may take this many times its usual time, and [`MORE`] on top.
const FACTOR: f64 = 10.0;
const MORE: Duration = Duration::from_secs(5);

/// The same for calls and turns of loops, which show sooner than time that something has become
/// endless.
const FUEL_FACTOR: u64 = 5;
const MORE_FUEL: u64 = 300_000;

/// How long a test may take with a mutant if it takes `usual` without.
pub fn with_mutant(usual: Duration) -> Duration {
    (usual.mul_f64(FACTOR) + MORE).min(LONGEST)
}

/// How many calls and turns of loops a test may make with a mutant if it makes `usual` without.
pub(crate) fn fuel(usual: u64) -> u64 {
    usual.saturating_mul(FUEL_FACTOR).saturating_add(MORE_FUEL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_has_an_end() {
        assert_eq!(with_mutant(Duration::ZERO), MORE);
        assert_eq!(with_mutant(Duration::from_secs(1)), Duration::from_secs(15));
        assert_eq!(with_mutant(Duration::from_secs(500)), LONGEST);
        assert_eq!(fuel(u64::MAX), u64::MAX);
    }
}
