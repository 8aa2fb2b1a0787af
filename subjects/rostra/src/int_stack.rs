//! The running example of the Rostra paper, a stack of integers.

/// The length of the array of a new stack, and the least it shrinks to.
const INITIAL_CAPACITY: usize = 10;

/// A stack of integers in an array that grows and shrinks as needed.
///
/// Only the first `size` elements of the array are on the stack. Those behind
/// them are left over from earlier pushes, so two stacks may be equal although
/// their arrays differ.
#[derive(Debug, Clone)]
pub struct IntStack {
    store: Vec<i32>,
    size: usize,
}

impl IntStack {
    /// Creates an empty stack.
    pub fn new() -> IntStack {
        IntStack {
            store: vec![0; INITIAL_CAPACITY],
            size: 0,
        }
    }

    /// Puts a value on the stack.
    pub fn push(&mut self, value: i32) {
        if self.size == self.store.len() {
            let mut store = vec![0; self.store.len() * 2];
            store[..self.size].copy_from_slice(&self.store[..self.size]);
            self.store = store;
        }
        self.store[self.size] = value;
        self.size += 1;
    }

    /// Takes the uppermost value off the stack and returns it.
    ///
    /// # Panics
    ///
    /// Panics when the stack is empty.
    pub fn pop(&mut self) -> i32 {
        // As in the paper, it is this access to the array that fails when the
        // stack is empty, before anything has been changed.
        let result = self.store[self.size - 1];
        self.size -= 1;
        if self.store.len() > INITIAL_CAPACITY && self.size * 2 < self.store.len() {
            let mut store = vec![0; self.store.len() / 2];
            store[..self.size].copy_from_slice(&self.store[..self.size]);
            self.store = store;
        }
        result
    }

    /// Tells whether the stack holds no value.
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }
}

impl Default for IntStack {
    fn default() -> IntStack {
        IntStack::new()
    }
}

impl PartialEq for IntStack {
    fn eq(&self, other: &IntStack) -> bool {
        if self.size != other.size {
            return false;
        }
        for index in 0..self.size {
            if self.store[index] != other.store[index] {
                return false;
            }
        }
        true
    }
}

impl Eq for IntStack {}
