//! A bounded set.

/// A set of integers with a limit on the number of its elements.
///
/// Two sets are equal when they have the same limit and the same elements, in
/// whatever order these were added.
#[derive(Debug, Clone)]
pub struct BSet {
    elements: Vec<i32>,
    max_size: usize,
}

impl BSet {
    /// Creates an empty set that can hold up to `max_size` elements.
    pub fn new(max_size: usize) -> BSet {
        // No space is set aside here, since the limit may be any number.
        BSet {
            elements: Vec::new(),
            max_size,
        }
    }

    /// Adds an element and tells whether it was added. It is not added when
    /// it is already in the set, or when the set is full.
    pub fn add(&mut self, element: i32) -> bool {
        if self.is_member(element) || self.is_full() {
            return false;
        }
        self.elements.push(element);
        true
    }

    /// Removes an element and tells whether it was in the set.
    pub fn remove(&mut self, element: i32) -> bool {
        for index in 0..self.elements.len() {
            if self.elements[index] == element {
                self.elements.swap_remove(index);
                return true;
            }
        }
        false
    }

    /// Tells whether an element is in the set.
    pub fn is_member(&self, element: i32) -> bool {
        for member in &self.elements {
            if *member == element {
                return true;
            }
        }
        false
    }

    /// Tells whether the set has no element.
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// Tells whether the set can take no more elements.
    pub fn is_full(&self) -> bool {
        self.elements.len() == self.max_size
    }

    /// Returns the number of elements.
    pub fn number_of_elements(&self) -> usize {
        self.elements.len()
    }

    /// Returns the greatest number of elements that the set can hold.
    pub fn max_size(&self) -> usize {
        self.max_size
    }

    /// Returns the elements in ascending order.
    pub fn to_array(&self) -> Vec<i32> {
        let mut sorted = self.elements.clone();
        sorted.sort();
        sorted
    }
}

impl PartialEq for BSet {
    fn eq(&self, other: &BSet) -> bool {
        if self.max_size != other.max_size || self.elements.len() != other.elements.len() {
            return false;
        }
        for element in &self.elements {
            if !other.is_member(*element) {
                return false;
            }
        }
        true
    }
}

impl Eq for BSet {}
