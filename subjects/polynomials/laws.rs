//! What must hold of polynomials and their stack, to be asked of any values.

use polynomials::{Mono, PStack, Poly};

fn value(monos: &[Mono], x: f64) -> f64 {
    let terms = monos.iter();
    terms
        .map(|mono| mono.coeff().approx() * x.powi(mono.exp()))
        .sum()
}

/// The sum of a polynomial and a monomial has the value of both.
pub fn adding_adds(poly: &Poly, mono: &Mono) -> bool {
    let is_small = |mono: &Mono| mono.exp() < 8 && mono.coeff().approx().abs() < 1000.0;
    if !is_small(mono) || !poly.monos().iter().all(is_small) {
        return true;
    }
    let sum = value(poly.add(mono).monos(), 2.0);
    let both = value(poly.monos(), 2.0) + value(&[*mono], 2.0);
    (sum - both).abs() < 1e-6
}

/// Two polynomials come back from a stack in the opposite order.
pub fn what_is_pushed_is_popped(first: &Poly, second: &Poly) -> bool {
    let pop_both = || {
        let mut stack = PStack::new();
        stack.push(first.clone());
        stack.push(second.clone());
        stack.pop() == *second && stack.pop() == *first
    };
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(pop_both)).unwrap_or(false)
}
