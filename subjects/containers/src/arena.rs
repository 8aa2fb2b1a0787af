//! Storage for the nodes of the linked containers.
//!
//! The Java originals link their nodes in both directions. Safe Rust has no
//! direct counterpart for that, so the nodes live in one vector and refer to
//! each other by index.

use std::ops::{Index, IndexMut};

/// A vector of nodes in which freed places are used again.
#[derive(Debug, Clone)]
pub(crate) struct Arena<T> {
    slots: Vec<Option<T>>,
    vacant: Vec<usize>,
}

impl<T> Arena<T> {
    /// Creates an arena without nodes.
    pub(crate) fn new() -> Arena<T> {
        Arena {
            slots: Vec::new(),
            vacant: Vec::new(),
        }
    }

    /// Stores a node and returns the index by which it is known from now on.
    pub(crate) fn insert(&mut self, node: T) -> usize {
        match self.vacant.pop() {
            Some(index) => {
                self.slots[index] = Some(node);
                index
            }
            None => {
                self.slots.push(Some(node));
                self.slots.len() - 1
            }
        }
    }

    /// Takes a node out. Its index may be given to a later node.
    pub(crate) fn remove(&mut self, index: usize) -> T {
        let node = self.slots[index].take().expect("the node is in the arena");
        self.vacant.push(index);
        node
    }

    /// Moves all nodes of another arena behind the nodes of this one and
    /// returns how far their indices have shifted. The function `relocate` is
    /// called on each moved node with that shift, to correct its links.
    pub(crate) fn append(&mut self, other: Arena<T>, relocate: impl Fn(&mut T, usize)) -> usize {
        let shift = self.slots.len();
        for mut slot in other.slots {
            if let Some(node) = &mut slot {
                relocate(node, shift);
            }
            self.slots.push(slot);
        }
        self.vacant
            .extend(other.vacant.iter().map(|index| index + shift));
        shift
    }

    /// Removes all nodes.
    pub(crate) fn clear(&mut self) {
        self.slots.clear();
        self.vacant.clear();
    }

    /// Returns the number of nodes that are in use.
    #[cfg(test)]
    pub(crate) fn in_use(&self) -> usize {
        self.slots.len() - self.vacant.len()
    }
}

impl<T> Index<usize> for Arena<T> {
    type Output = T;

    fn index(&self, index: usize) -> &T {
        self.slots[index]
            .as_ref()
            .expect("the node is in the arena")
    }
}

impl<T> IndexMut<usize> for Arena<T> {
    fn index_mut(&mut self, index: usize) -> &mut T {
        self.slots[index]
            .as_mut()
            .expect("the node is in the arena")
    }
}
