//! Rational numbers.

use std::hash::{Hash, Hasher};

/// A rational number, reduced to lowest terms and with a positive denominator.
///
/// The arithmetic wraps around at the ends of the integers as it does in Java,
/// so that neither promise holds for numbers as great as those.
#[derive(Debug, Clone, Copy)]
pub struct Rat {
    num: i32,
    den: i32,
    /// The value as a floating point number. It follows from the other two, so
    /// equality and hashing leave it out.
    approx: f64,
}

impl Rat {
    /// Creates the rational number `num / den`.
    ///
    /// # Panics
    ///
    /// Panics when the denominator is zero. The text of the thesis says that
    /// the constructor throws an exception then (sections 2.3 and 4.1), though
    /// the listing in its Appendix A makes the number zero instead.
    pub fn new(num: i32, den: i32) -> Rat {
        assert!(den != 0, "the denominator of a rational number is zero");
        // The greatest common divisor, possibly with a minus sign, reduces
        // the number to lowest terms.
        let (mut divisor, mut remainder) = (num, den);
        while remainder != 0 {
            (divisor, remainder) = (remainder, divisor.wrapping_rem(remainder));
        }
        let mut reduced_num = num.wrapping_div(divisor);
        let mut reduced_den = den.wrapping_div(divisor);
        if reduced_den < 0 {
            reduced_num = reduced_num.wrapping_neg();
            reduced_den = reduced_den.wrapping_neg();
        }
        Rat {
            num: reduced_num,
            den: reduced_den,
            approx: f64::from(reduced_num) / f64::from(reduced_den),
        }
    }

    /// Returns the numerator.
    pub fn num(&self) -> i32 {
        self.num
    }

    /// Returns the denominator.
    pub fn den(&self) -> i32 {
        self.den
    }

    /// Returns the value as a floating point number.
    pub fn approx(&self) -> f64 {
        self.approx
    }

    /// Returns the sum of this number and another.
    ///
    /// # Panics
    ///
    /// Panics when the product of the denominators wraps around to zero.
    pub fn add(&self, other: &Rat) -> Rat {
        // a/b + x/y = (ay + bx)/by
        let sum = self
            .num
            .wrapping_mul(other.den)
            .wrapping_add(other.num.wrapping_mul(self.den));
        Rat::new(sum, self.den.wrapping_mul(other.den))
    }

    /// Returns this number less another.
    ///
    /// # Panics
    ///
    /// Panics when the product of the denominators wraps around to zero.
    pub fn sub(&self, other: &Rat) -> Rat {
        self.add(&Rat::new(other.num.wrapping_neg(), other.den))
    }

    /// Tells whether this number is zero.
    pub fn is_zero(&self) -> bool {
        self.num == 0
    }
}

impl PartialEq for Rat {
    fn eq(&self, other: &Rat) -> bool {
        // The same object needs no comparison. The thesis uses such a check
        // as an example of code that only aliasing reaches (section 5.1).
        if std::ptr::eq(self, other) {
            return true;
        }
        self.num == other.num && self.den == other.den
    }
}

impl Eq for Rat {}

impl Hash for Rat {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.num.hash(state);
        self.den.hash(state);
    }
}
