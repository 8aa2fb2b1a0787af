//! Polynomials.

use crate::mono::Mono;

/// A polynomial in x with rational coefficients.
///
/// It is the sum of its monomials. These go by falling exponent, no two have
/// the same exponent, and none has the coefficient zero.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Poly {
    monos: Vec<Mono>,
}

impl Poly {
    /// Creates a polynomial of the given monomials.
    ///
    /// # Panics
    ///
    /// Panics when the monomials do not go by falling exponent, when two have
    /// the same exponent, or when one has the coefficient zero.
    pub fn new(monos: Vec<Mono>) -> Poly {
        let poly = Poly { monos };
        assert!(poly.rep_ok(), "the monomials do not make a polynomial");
        poly
    }

    /// Returns the monomials by falling exponent.
    pub fn monos(&self) -> &[Mono] {
        &self.monos
    }

    /// Returns the sum of this polynomial and a monomial.
    pub fn add(&self, mono: &Mono) -> Poly {
        // The new monomials. The loop goes through those of this polynomial
        // and puts the given one into its place among them.
        //
        // Planted (thesis, section 2.3, Figure 2-1): nothing puts the monomial
        // behind the last one, so it is lost when its exponent is below all
        // others. The thesis prints the method like this without remarking
        // on it.
        let mut monos = Vec::new();
        for own in &self.monos {
            if own.exp() == mono.exp() {
                let sum = Mono::new(own.coeff().add(&mono.coeff()), mono.exp());
                // Planted (thesis, section 2.3, Figure 2-1, line 14): the sum
                // must be left out when its coefficient is zero, but it is
                // added in any case. This is the error that the thesis marks.
                monos.push(sum);
                continue;
            }
            if own.exp() < mono.exp() {
                // Planted (thesis, section 2.3, Figure 2-1): this happens for
                // every monomial with a smaller exponent and not only for the
                // first, and even after the sum was added above. The thesis
                // prints the method like this without remarking on it.
                monos.push(*mono);
            }
            monos.push(*own);
        }
        // The result is not made by `new`, whose check would turn an error of
        // this method into a panic. The Java constructor checks by an `assert`
        // that is off unless asked for, and the test of Figure 2-2 relies on
        // getting the faulty polynomial in order to examine it.
        Poly { monos }
    }

    /// Tells whether the monomials go by falling exponent, with no exponent
    /// twice and no coefficient zero. It is the oracle of the thesis (section
    /// 2.3, Figure 2-2): a polynomial for which it is false reveals an error.
    pub fn rep_ok(&self) -> bool {
        for index in 0..self.monos.len() {
            if index > 0 && self.monos[index - 1].exp() <= self.monos[index].exp() {
                return false;
            }
            if self.monos[index].coeff().is_zero() {
                return false;
            }
        }
        true
    }
}
