//! Polynomials with errors in them, as a subject for test generation.
//!
//! Carlos Pacheco's thesis, *Directed Random Testing*, explains its technique
//! on four Java classes: rational numbers, monomials and polynomials (sections
//! 1.2.2, 2.3 and 4.3, and Appendix A), and a stack of polynomials (section
//! 5.1, Figure 5-2). This crate holds Rust versions of the four.
//!
//! The classes of the thesis contain errors, and so do these, on purpose. Each
//! is marked in the code by a comment that begins with `Planted`. A good test
//! generator finds them. Nobody should use this crate for anything else.

mod mono;
mod poly;
mod pstack;
mod rat;

pub use mono::Mono;
pub use poly::Poly;
pub use pstack::PStack;
pub use rat::Rat;
