//! A stack of polynomials.

use std::cell::RefCell;
use std::rc::Rc;

use crate::poly::Poly;

/// The number of polynomials for which a stack has room unless told otherwise.
const INITIAL_CAPACITY: u8 = 10;

/// A stack of polynomials with room for a fixed number of them, as part of a
/// calculator that works on the uppermost elements.
///
/// As in Java, the stack holds a reference to its array, and two stacks can
/// come to refer to the same array. Two stacks are equal when they hold the
/// same polynomials.
#[derive(Debug)]
pub struct PStack {
    stack: Rc<RefCell<Vec<Option<Poly>>>>,
    size: usize,
}

impl PStack {
    /// Creates an empty stack with room for ten polynomials.
    pub fn new() -> PStack {
        PStack::with_capacity(INITIAL_CAPACITY)
    }

    /// Creates an empty stack with room for the given number of polynomials.
    /// The array is made at once, so the number is of a type that does not
    /// let a caller ask for all the memory there is.
    pub fn with_capacity(capacity: u8) -> PStack {
        PStack {
            stack: Rc::new(RefCell::new(vec![None; usize::from(capacity)])),
            size: 0,
        }
    }

    /// Puts a polynomial on the stack and tells whether there was room for it.
    pub fn push(&mut self, poly: Poly) -> bool {
        let mut stack = self.stack.borrow_mut();
        if self.size == stack.len() {
            return false;
        }
        // Planted (thesis, section 5.1, Figure 5-2): the free place is the one
        // at `size`, but the polynomial is stored one place below it, where it
        // replaces the uppermost element. The figure has `stack[size-1] = p`
        // without remarking on it. In an empty stack that would be the place
        // -1, no push would ever succeed, and the error of `copy` could never
        // be seen, so the first push is let through to the place zero here.
        stack[self.size.saturating_sub(1)] = Some(poly);
        self.size += 1;
        true
    }

    /// Takes the uppermost polynomial off the stack and returns it.
    ///
    /// # Panics
    ///
    /// Panics when the stack is empty.
    pub fn pop(&mut self) -> Poly {
        assert!(self.size > 0, "pop from an empty stack");
        self.size -= 1;
        self.stack.borrow()[self.size]
            .clone()
            .expect("there is a polynomial at each place below the size")
    }

    /// Replaces the two uppermost polynomials by their sum.
    ///
    /// # Panics
    ///
    /// Panics when the stack has fewer than two elements.
    pub fn add(&mut self) {
        assert!(self.size >= 2, "an addition needs two elements");
        let right = self.pop();
        let mut result = self.pop();
        for mono in right.monos() {
            result = result.add(mono);
        }
        self.push(result);
    }

    /// Replaces the two uppermost polynomials by their difference, which is
    /// the lower one less the upper one.
    ///
    /// # Panics
    ///
    /// Panics when the stack has fewer than two elements.
    pub fn sub(&mut self) {
        assert!(self.size >= 2, "a subtraction needs two elements");
        let right = self.pop();
        let mut result = self.pop();
        for mono in right.monos() {
            result = result.add(&mono.negate());
        }
        self.push(result);
    }

    /// Returns the number of polynomials on the stack.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns another stack with the same polynomials, on which the work can
    /// go on without changing this one.
    pub fn copy(&self) -> PStack {
        let mut copied = PStack::new();
        // Planted (thesis, section 5.1, Figure 5-2): the copy must get an array
        // of its own, but it refers to the array of this stack. What is pushed
        // on one of the two then appears in the other. This is the error that
        // the thesis marks.
        copied.stack = Rc::clone(&self.stack);
        // Planted (thesis, section 5.1, Figure 5-2): the size is not copied, so
        // the copy of a stack is always empty. The thesis prints the method
        // like this without remarking on it.
        copied
    }
}

impl Default for PStack {
    fn default() -> PStack {
        PStack::new()
    }
}

impl PartialEq for PStack {
    fn eq(&self, other: &PStack) -> bool {
        if self.size != other.size {
            return false;
        }
        let (own, foreign) = (self.stack.borrow(), other.stack.borrow());
        own[..self.size] == foreign[..other.size]
    }
}

impl Eq for PStack {}
