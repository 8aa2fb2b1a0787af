//! A bounded bag.

/// An integer and how many times it is in the bag, which is at least once.
#[derive(Debug, Clone)]
struct Occurrence {
    element: i32,
    count: usize,
}

/// A bag of integers, which may hold an element several times, with a limit
/// on the number of elements in all.
///
/// Two bags are equal when they have the same limit and hold the same
/// elements equally many times.
#[derive(Debug, Clone)]
pub struct BBag {
    occurrences: Vec<Occurrence>,
    size: usize,
    max_size: usize,
}

impl BBag {
    /// Creates an empty bag that can hold up to `max_size` elements.
    pub fn new(max_size: usize) -> BBag {
        // No space is set aside here, since the limit may be any number.
        BBag {
            occurrences: Vec::new(),
            size: 0,
            max_size,
        }
    }

    /// Adds an element once and tells whether it was added. It is not added
    /// when the bag is full.
    pub fn add(&mut self, element: i32) -> bool {
        if self.is_full() {
            return false;
        }
        match self.index_of(element) {
            Some(index) => self.occurrences[index].count += 1,
            None => self.occurrences.push(Occurrence { element, count: 1 }),
        }
        self.size += 1;
        true
    }

    /// Removes an element once and tells whether it was in the bag.
    pub fn remove(&mut self, element: i32) -> bool {
        let Some(index) = self.index_of(element) else {
            return false;
        };
        if self.occurrences[index].count > 1 {
            self.occurrences[index].count -= 1;
        } else {
            self.occurrences.remove(index);
        }
        self.size -= 1;
        true
    }

    /// Returns how many times an element is in the bag.
    pub fn multiplicity(&self, element: i32) -> usize {
        match self.index_of(element) {
            Some(index) => self.occurrences[index].count,
            None => 0,
        }
    }

    /// Tells whether the bag has no element.
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// Tells whether the bag can take no more elements.
    pub fn is_full(&self) -> bool {
        self.size == self.max_size
    }

    /// Returns the number of elements, each counted as often as it is there.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns the greatest number of elements that the bag can hold.
    pub fn max_size(&self) -> usize {
        self.max_size
    }

    /// Returns where an element is kept.
    fn index_of(&self, element: i32) -> Option<usize> {
        self.occurrences
            .iter()
            .position(|occurrence| occurrence.element == element)
    }
}

impl PartialEq for BBag {
    fn eq(&self, other: &BBag) -> bool {
        if self.max_size != other.max_size || self.size != other.size {
            return false;
        }
        for occurrence in &self.occurrences {
            if other.multiplicity(occurrence.element) != occurrence.count {
                return false;
            }
        }
        true
    }
}

impl Eq for BBag {}
