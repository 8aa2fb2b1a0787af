//! Monomials.

use crate::rat::Rat;

/// A monomial, which is a rational coefficient times a power of x.
#[derive(Debug, Clone, Copy, Eq)]
pub struct Mono {
    coeff: Rat,
    exp: i32,
}

impl Mono {
    /// Creates a monomial.
    ///
    /// # Panics
    ///
    /// Panics when the exponent is negative.
    pub fn new(coeff: Rat, exp: i32) -> Mono {
        assert!(exp >= 0, "the exponent of a monomial is negative");
        Mono { coeff, exp }
    }

    /// Returns the coefficient.
    pub fn coeff(&self) -> Rat {
        self.coeff
    }

    /// Returns the exponent.
    pub fn exp(&self) -> i32 {
        self.exp
    }

    /// Returns the monomial with the opposite sign.
    pub fn negate(&self) -> Mono {
        Mono::new(Rat::new(0, 1).sub(&self.coeff), self.exp)
    }
}

impl PartialEq for Mono {
    fn eq(&self, other: &Mono) -> bool {
        // Only a test that compares an object with itself comes in here, as
        // Figure 5-1 of the thesis does.
        if std::ptr::eq(self, other) {
            return true;
        }
        self.coeff == other.coeff && self.exp == other.exp
    }
}

impl std::hash::Hash for Mono {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.coeff.hash(state);
        self.exp.hash(state);
    }
}
