//! A bounded stack without duplicates.

/// The greatest number of elements of a stack.
const MAX_SIZE: usize = 5;

/// A stack that holds at most five integers, each at most once.
///
/// Pushing an element that is already on the stack moves it to the top.
/// Pushing a new element on a full stack has no effect.
#[derive(Debug, Clone)]
pub struct UBStack {
    elements: [i32; MAX_SIZE],
    size: usize,
}

impl UBStack {
    /// Creates an empty stack.
    pub fn new() -> UBStack {
        UBStack {
            elements: [0; MAX_SIZE],
            size: 0,
        }
    }

    /// Puts an element on top, unless the stack is full and does not hold the
    /// element yet.
    pub fn push(&mut self, element: i32) {
        if let Some(index) = self.index_of(element) {
            // Turning the part from the element upwards by one place brings
            // the element to the top and keeps the others in their order.
            self.elements[index..self.size].rotate_left(1);
        } else if !self.is_full() {
            self.elements[self.size] = element;
            self.size += 1;
        }
    }

    /// Takes the uppermost element off the stack.
    ///
    /// # Panics
    ///
    /// Panics when the stack is empty.
    pub fn pop(&mut self) {
        assert!(self.size > 0, "pop from an empty stack");
        self.size -= 1;
    }

    /// Returns the uppermost element, or nothing when the stack is empty.
    pub fn top(&self) -> Option<i32> {
        self.live().last().copied()
    }

    /// Tells whether the stack holds no element.
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// Tells whether the stack can take no new element.
    pub fn is_full(&self) -> bool {
        self.size == MAX_SIZE
    }

    /// Tells whether an element is on the stack.
    pub fn is_member(&self, element: i32) -> bool {
        self.index_of(element).is_some()
    }

    /// Returns the number of elements.
    pub fn number_of_elements(&self) -> usize {
        self.size
    }

    /// Returns the greatest number of elements that the stack can hold.
    pub fn max_size(&self) -> usize {
        MAX_SIZE
    }

    /// Returns the elements from the bottom to the top.
    pub fn to_array(&self) -> Vec<i32> {
        self.live().to_vec()
    }

    /// Returns the part of the array that is on the stack.
    fn live(&self) -> &[i32] {
        &self.elements[..self.size]
    }

    /// Returns how far from the bottom an element is.
    fn index_of(&self, element: i32) -> Option<usize> {
        self.live().iter().position(|held| *held == element)
    }
}

impl Default for UBStack {
    fn default() -> UBStack {
        UBStack::new()
    }
}

impl PartialEq for UBStack {
    fn eq(&self, other: &UBStack) -> bool {
        // What earlier pushes left behind in the arrays does not count.
        self.live() == other.live()
    }
}

impl Eq for UBStack {}
