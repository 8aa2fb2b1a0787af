//! Hand-written tests of what the polynomial classes do right. None of them
//! touches a planted error.

use polynomials::{Mono, PStack, Poly, Rat};

/// Makes a monomial with a whole coefficient.
fn mono(coeff: i32, exp: i32) -> Mono {
    Mono::new(Rat::new(coeff, 1), exp)
}

#[test]
fn rationals_are_reduced_and_carry_their_sign_above() {
    for (num, den, expected) in [
        (4, 2, (2, 1)),
        (-2, 4, (-1, 2)),
        (2, -4, (-1, 2)),
        (-3, -9, (1, 3)),
        (0, -7, (0, 1)),
    ] {
        let rat = Rat::new(num, den);
        assert_eq!((rat.num(), rat.den()), expected);
    }
}

#[test]
fn rationals_add_and_subtract() {
    let (half, third) = (Rat::new(1, 2), Rat::new(1, 3));
    assert_eq!(half.add(&third), Rat::new(5, 6));
    assert_eq!(half.sub(&third), Rat::new(1, 6));
    assert!(half.sub(&half).is_zero());
    assert_eq!(half.approx(), 0.5);
}

#[test]
fn rationals_are_defined_at_the_ends_of_the_integers() {
    // The results wrap as in Java. All that matters is that there are some.
    for num in [i32::MIN, -1, 0, 1, i32::MAX] {
        for den in [i32::MIN, -1, 1, i32::MAX] {
            let rat = Rat::new(num, den);
            assert_eq!(rat, rat);
        }
    }
}

#[test]
#[should_panic(expected = "denominator")]
fn rationals_have_no_zero_denominator() {
    Rat::new(1, 0);
}

#[test]
fn monomials_are_compared_by_value() {
    assert_eq!(Mono::new(Rat::new(2, 4), 3), Mono::new(Rat::new(1, 2), 3));
    assert_ne!(mono(1, 3), mono(1, 2));
    assert_ne!(mono(1, 3), mono(2, 3));
    assert_eq!(mono(2, 5).negate(), mono(-2, 5));
    assert_eq!(mono(2, 5).coeff(), Rat::new(2, 1));
    assert_eq!(mono(2, 5).exp(), 5);
}

#[test]
#[should_panic(expected = "exponent")]
fn monomials_have_no_negative_exponent() {
    mono(1, -1);
}

#[test]
fn polynomials_hold_their_monomials() {
    let poly = Poly::new(vec![mono(2, 3), mono(1, 0)]);
    assert!(poly.rep_ok());
    assert_eq!(poly.monos(), [mono(2, 3), mono(1, 0)]);
    assert!(Poly::new(Vec::new()).rep_ok());
}

#[test]
#[should_panic(expected = "polynomial")]
fn polynomials_are_sorted() {
    Poly::new(vec![mono(1, 0), mono(2, 3)]);
}

#[test]
#[should_panic(expected = "polynomial")]
fn polynomials_have_no_zero_coefficient() {
    Poly::new(vec![mono(0, 3)]);
}

#[test]
fn a_monomial_is_put_between_two_others() {
    // This is the example of section 1.2.2 of the thesis.
    let poly = Poly::new(vec![mono(2, 3), mono(1, 0)]);
    let expected = Poly::new(vec![mono(2, 3), mono(1, 2), mono(1, 0)]);
    assert_eq!(poly.add(&mono(1, 2)), expected);
}

#[test]
fn a_monomial_is_added_to_one_of_the_same_exponent() {
    let poly = Poly::new(vec![mono(2, 3), mono(1, 0)]);
    let expected = Poly::new(vec![mono(2, 3), mono(5, 0)]);
    assert_eq!(poly.add(&mono(4, 0)), expected);
}

#[test]
fn a_stack_returns_its_single_polynomial() {
    let poly = Poly::new(vec![mono(2, 3)]);
    let mut stack = PStack::new();
    assert!(stack.push(poly.clone()));
    assert_eq!(stack.size(), 1);
    assert_ne!(stack, PStack::new());
    assert_eq!(stack.pop(), poly);
    assert_eq!(stack, PStack::with_capacity(3));
}

#[test]
fn a_full_stack_refuses_another_polynomial() {
    let mut stack = PStack::with_capacity(1);
    assert!(stack.push(Poly::new(Vec::new())));
    assert!(!stack.push(Poly::new(Vec::new())));
    assert_eq!(stack.size(), 1);
}

#[test]
#[should_panic(expected = "empty stack")]
fn an_empty_stack_has_nothing_to_pop() {
    PStack::new().pop();
}

#[test]
#[should_panic(expected = "two elements")]
fn an_addition_needs_two_polynomials() {
    let mut stack = PStack::new();
    stack.push(Poly::new(Vec::new()));
    stack.add();
}
