//! Makes numbers at the boundaries of their types.

use testsmith_protocol::Value;

use crate::rng::Rng;

/// An integer type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Width {
    pub(crate) bits: u32,
    pub(crate) signed: bool,
}

impl Width {
    /// Does the number belong to the type? Numbers beyond `i128` are only made here, so they need
    /// no check.
    pub(crate) fn holds(self, value: i128) -> bool {
        match (self.signed, self.bits) {
            (true, 128) => true,
            (true, bits) => (-(1 << (bits - 1))..1 << (bits - 1)).contains(&value),
            (false, 128) => value >= 0,
            (false, bits) => (0..1 << bits).contains(&value),
        }
    }

    /// The number, cut to the type as by `as`.
    pub(crate) fn wrap(self, value: i128) -> Value {
        let shift = 128 - self.bits;
        match self.signed {
            true => Value::Int(value << shift >> shift),
            false => Value::UInt((value as u128) << shift >> shift),
        }
    }

    /// Zero, one, an end of the range, or a number next to these.
    pub(crate) fn extreme(self, rng: &mut Rng) -> Value {
        let min = match self.signed {
            true => 1 << (self.bits - 1),
            false => 0,
        };
        // Below the least number comes the greatest, because the result is cut to the type.
        let near: i128 = [0, 1, -1, -2][rng.below(4)];
        match rng.chance(25) {
            true => self.wrap(near),
            false => self.wrap(near.wrapping_add(min)),
        }
    }

    /// A power of two below `2^max_bits`, or a neighbour of one.
    pub(crate) fn near_power(self, max_bits: u32, rng: &mut Rng) -> Value {
        let bits = max_bits.min(self.bits) as usize;
        let mut power: i128 = 1 << rng.below(bits);
        if is_costly(power) && rng.chance(98) {
            power = 1 << rng.below(self.bits.min(10) as usize);
        }
        let near = power.wrapping_add([-1, 0, 0, 1][rng.below(4)]);
        self.wrap(match self.signed && rng.chance(20) {
            true => near.wrapping_neg(),
            false => near,
        })
    }
}

/// Is the number small enough to be a size that is really allocated, but large enough to slow down
/// every later call? Such numbers show no more than smaller and larger ones, and cost more.
pub(crate) fn is_costly(value: i128) -> bool {
    (1 << 10..1 << 34).contains(&value.unsigned_abs())
}

/// A number near another one: a neighbour, its double or half, or the number with one bit flipped.
pub(crate) fn neighbour(value: i128, rng: &mut Rng) -> i128 {
    match rng.below(8) {
        0 => value,
        1 => value.wrapping_add(1),
        2 => value.wrapping_sub(1),
        3 => value.wrapping_mul(2),
        4 => value / 2,
        5 => value.wrapping_neg(),
        6 => value ^ (1 << rng.below(16)),
        _ => value.wrapping_add(rng.below(33) as i128 - 16),
    }
}

/// A signed zero, a least or greatest number, NaN or infinity, or a bound of the whole numbers.
pub(crate) fn float64(rng: &mut Rng) -> f64 {
    const EDGES: [f64; 14] = [
        0.0,
        1.0,
        0.5,
        f64::EPSILON,
        f64::MAX,
        f64::MIN_POSITIVE,
        f64::MIN_POSITIVE / 2.0,
        5e-324,
        f64::INFINITY,
        f64::NAN,
        9_007_199_254_740_991.0,
        9_007_199_254_740_992.0,
        9_007_199_254_740_994.0,
        1e10,
    ];
    let edge = EDGES[rng.below(EDGES.len())];
    if rng.chance(50) { -edge } else { edge }
}

/// Does the same as [`float64`] for `f32`.
pub(crate) fn float32(rng: &mut Rng) -> f32 {
    const EDGES: [f32; 14] = [
        0.0,
        1.0,
        0.5,
        f32::EPSILON,
        f32::MAX,
        f32::MIN_POSITIVE,
        f32::MIN_POSITIVE / 2.0,
        1e-45,
        f32::INFINITY,
        f32::NAN,
        16_777_215.0,
        16_777_216.0,
        16_777_218.0,
        1e10,
    ];
    let edge = EDGES[rng.below(EDGES.len())];
    if rng.chance(50) { -edge } else { edge }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn extremes(bits: u32, signed: bool) -> BTreeSet<i128> {
        let mut rng = Rng::new(3);
        let width = Width { bits, signed };
        let number = |value| match value {
            Value::Int(value) => value,
            Value::UInt(value) => value as i128,
            other => panic!("{other:?}"),
        };
        (0..300).map(|_| number(width.extreme(&mut rng))).collect()
    }

    #[test]
    fn extremes_are_the_ends_of_the_range_and_their_neighbours() {
        assert_eq!(extremes(8, false), BTreeSet::from([0, 1, 254, 255]));
        let signed = BTreeSet::from([-128, -127, -2, -1, 0, 1, 126, 127]);
        assert_eq!(extremes(8, true), signed);
        let wide = BTreeSet::from([
            0,
            1,
            -1,
            -2,
            i128::MIN,
            i128::MIN + 1,
            i128::MAX,
            i128::MAX - 1,
        ]);
        assert_eq!(extremes(128, true), wide);
    }

    #[test]
    fn everything_stays_in_its_range() {
        let mut rng = Rng::new(4);
        for bits in [8, 16, 32, 64] {
            for signed in [false, true] {
                let width = Width { bits, signed };
                for _ in 0..500 {
                    for value in [width.extreme(&mut rng), width.near_power(64, &mut rng)] {
                        let inside = match value {
                            Value::Int(value) => width.holds(value),
                            Value::UInt(value) => width.holds(value as i128),
                            _ => false,
                        };
                        assert!(inside, "{value:?} of {width:?}");
                    }
                }
            }
        }
    }
}
