//! Eight small classes used as subjects for test generation.
//!
//! Xie, Marinov and Notkin, *Rostra: A Framework for Detecting Redundant
//! Object-Oriented Unit Tests* (2004), measure how many tests of eight Java
//! classes are redundant (section 5.1 and Table 2). This crate holds Rust
//! versions of the eight. The code of [`IntStack`] is printed in the paper, in
//! Figure 1. For the others the paper gives the number of public methods and
//! the number of lines, which the versions here stay close to.
//!
//! What Java does by throwing an exception is done here by returning an
//! `Option` or a `Result`, except that popping an empty stack panics as the
//! original would throw. As the `equals` method of Figure 1 does, equality looks
//! at what an object holds and not at unused parts of its storage. The set and
//! the bag disregard the order of their elements too, while two trees are
//! equal only when they have the same shape.

mod bank_account;
mod bbag;
mod binary_search_tree;
mod bset;
mod int_stack;
mod linked_list;
mod shopping_cart;
mod ub_stack;

pub use bank_account::{AccountError, BankAccount};
pub use bbag::BBag;
pub use binary_search_tree::{BinarySearchTree, TreeError};
pub use bset::BSet;
pub use int_stack::IntStack;
pub use linked_list::{LinkedList, Position};
pub use shopping_cart::{Product, ProductNotFound, ShoppingCart};
pub use ub_stack::UBStack;
