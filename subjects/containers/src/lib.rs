//! Four classic containers used as subjects for test generation.
//!
//! Section 8.1 of Carlos Pacheco's thesis, *Directed Random Testing*, measures
//! test generators by the coverage they reach on a binary search tree, a
//! binomial heap, a Fibonacci heap and a red-black tree. The four come from
//! Visser, Păsăreanu and Pelánek, *Test Input Generation for Java Containers
//! using State Matching* (2006). This crate holds Rust versions written from
//! the textbook algorithms, with the same operations and the same branches.
//!
//! All four hold `i32` keys, so that a tester needs to invent nothing but
//! integers. The containers are meant to be correct: the tests of this crate
//! compare them with the standard library and check their inner invariants.

mod arena;
mod bin_tree;
mod binomial_heap;
mod fibonacci_heap;
#[cfg(test)]
mod pseudo_random;
mod tree_map;

pub use bin_tree::BinTree;
pub use binomial_heap::BinomialHeap;
pub use fibonacci_heap::FibonacciHeap;
pub use tree_map::TreeMap;
