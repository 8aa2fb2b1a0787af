//! A Fibonacci heap of integers.

use crate::arena::Arena;

#[cfg(test)]
mod tests;

/// The index of a node, where there is one.
type Link = Option<usize>;

/// One node of the heap.
///
/// The children of a node form a ring through their `left` and `right` links,
/// and so do the roots. A node that is alone in its ring is its own neighbour.
#[derive(Debug, Clone)]
struct Node {
    key: i32,
    degree: usize,
    /// Whether the node has lost a child since it was itself made a child.
    marked: bool,
    parent: Link,
    child: Link,
    left: usize,
    right: usize,
}

/// A priority queue of integers made of loosely ordered trees.
///
/// The heap may hold a key several times. Where an operation names a key that
/// the heap holds more than once, it works on one of them.
#[derive(Debug, Clone)]
pub struct FibonacciHeap {
    nodes: Arena<Node>,
    /// The root with the smallest key.
    min: Link,
    size: usize,
}

impl FibonacciHeap {
    /// Creates an empty heap.
    pub fn new() -> FibonacciHeap {
        FibonacciHeap {
            nodes: Arena::new(),
            min: None,
            size: 0,
        }
    }

    /// Adds a key.
    pub fn insert(&mut self, key: i32) {
        // The links to the neighbours are set when the node joins the roots.
        let node = self.nodes.insert(Node {
            key,
            degree: 0,
            marked: false,
            parent: None,
            child: None,
            left: 0,
            right: 0,
        });
        match self.min {
            None => {
                self.make_single(node);
                self.min = Some(node);
            }
            Some(min) => {
                self.insert_right_of(min, node);
                if key < self.nodes[min].key {
                    self.min = Some(node);
                }
            }
        }
        self.size += 1;
    }

    /// Returns the smallest key, or nothing when the heap is empty.
    pub fn min(&self) -> Option<i32> {
        self.min.map(|min| self.nodes[min].key)
    }

    /// Removes the smallest key and returns it.
    pub fn remove_min(&mut self) -> Option<i32> {
        let min = self.min?;
        while let Some(child) = self.nodes[min].child {
            self.take_from_parent(child, min);
            self.insert_right_of(min, child);
        }
        let neighbour = self.nodes[min].right;
        self.take_from_ring(min);
        if neighbour == min {
            self.min = None;
        } else {
            // The neighbour is only a way into the ring of roots until the
            // consolidation has found the new minimum.
            self.min = Some(neighbour);
            self.consolidate(neighbour);
        }
        self.size -= 1;
        Some(self.nodes.remove(min).key)
    }

    /// Replaces a key by a smaller one and tells whether it was done. It is
    /// not done when the heap does not hold the old key, or when the new key
    /// is greater than the old one.
    pub fn decrease_key(&mut self, old_key: i32, new_key: i32) -> bool {
        if new_key > old_key {
            return false;
        }
        let Some(node) = self.find_node(old_key) else {
            return false;
        };
        self.nodes[node].key = new_key;
        if let Some(parent) = self.nodes[node].parent
            && new_key < self.nodes[parent].key
        {
            self.cut(node, parent);
            self.cascading_cut(parent);
        }
        if self.min().is_none_or(|smallest| new_key < smallest) {
            self.min = Some(node);
        }
        true
    }

    /// Removes a key and tells whether the heap held it.
    pub fn delete(&mut self, key: i32) -> bool {
        let Some(node) = self.find_node(key) else {
            return false;
        };
        // The textbook decreases the key to minus infinity and removes the
        // minimum. No integer is below all others, so the node is cut and
        // declared the minimum without comparing.
        if let Some(parent) = self.nodes[node].parent {
            self.cut(node, parent);
            self.cascading_cut(parent);
        }
        self.min = Some(node);
        self.remove_min();
        true
    }

    /// Moves all keys of another heap into this one.
    pub fn union(&mut self, other: FibonacciHeap) {
        let shift = self.nodes.append(other.nodes, |node, shift| {
            node.parent = node.parent.map(|index| index + shift);
            node.child = node.child.map(|index| index + shift);
            node.left += shift;
            node.right += shift;
        });
        let other_min = other.min.map(|index| index + shift);
        match (self.min, other_min) {
            (None, _) => self.min = other_min,
            (Some(_), None) => {}
            (Some(own), Some(foreign)) => {
                self.join_rings(own, foreign);
                if self.nodes[foreign].key < self.nodes[own].key {
                    self.min = other_min;
                }
            }
        }
        self.size += other.size;
    }

    /// Tells whether the heap holds a key.
    pub fn contains(&self, key: i32) -> bool {
        self.find_node(key).is_some()
    }

    /// Returns the number of keys.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Tells whether the heap holds no key.
    pub fn is_empty(&self) -> bool {
        self.min.is_none()
    }

    /// Removes all keys.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.min = None;
        self.size = 0;
    }

    /// Links roots of the same degree until all roots have different degrees,
    /// and finds the new minimum among them.
    fn consolidate(&mut self, start: usize) {
        // The ring changes while trees are linked, so its roots are listed
        // beforehand.
        let mut by_degree: Vec<Link> = Vec::new();
        for root in self.ring(start) {
            let mut tree = root;
            loop {
                let degree = self.nodes[tree].degree;
                if by_degree.len() <= degree {
                    by_degree.resize(degree + 1, None);
                }
                let Some(rival) = by_degree[degree].take() else {
                    by_degree[degree] = Some(tree);
                    break;
                };
                if self.nodes[rival].key < self.nodes[tree].key {
                    self.link(tree, rival);
                    tree = rival;
                } else {
                    self.link(rival, tree);
                }
            }
        }
        self.min = None;
        for root in by_degree.into_iter().flatten() {
            if self
                .min
                .is_none_or(|min| self.nodes[root].key < self.nodes[min].key)
            {
                self.min = Some(root);
            }
        }
    }

    /// Makes one root a child of another.
    fn link(&mut self, child: usize, parent: usize) {
        self.take_from_ring(child);
        match self.nodes[parent].child {
            None => {
                self.make_single(child);
                self.nodes[parent].child = Some(child);
            }
            Some(sibling) => self.insert_right_of(sibling, child),
        }
        self.nodes[child].parent = Some(parent);
        self.nodes[child].marked = false;
        self.nodes[parent].degree += 1;
    }

    /// Makes a child a root.
    fn cut(&mut self, child: usize, parent: usize) {
        self.take_from_parent(child, parent);
        let min = self.min.expect("a heap with children has a minimum");
        self.insert_right_of(min, child);
        self.nodes[child].marked = false;
    }

    /// Follows up on a node that has lost a child. A child may lose one child
    /// and is marked for it. When it loses a second one, it becomes a root,
    /// and its own parent has lost a child in turn.
    fn cascading_cut(&mut self, node: usize) {
        let mut node = node;
        while let Some(parent) = self.nodes[node].parent {
            if !self.nodes[node].marked {
                self.nodes[node].marked = true;
                return;
            }
            self.cut(node, parent);
            node = parent;
        }
    }

    /// Takes a child out of the ring of children of its parent. The caller
    /// has to put it into another ring.
    fn take_from_parent(&mut self, child: usize, parent: usize) {
        let sibling = self.nodes[child].right;
        if sibling == child {
            self.nodes[parent].child = None;
        } else {
            if self.nodes[parent].child == Some(child) {
                self.nodes[parent].child = Some(sibling);
            }
            self.take_from_ring(child);
        }
        self.nodes[parent].degree -= 1;
        self.nodes[child].parent = None;
    }

    /// Makes a node its own neighbour on both sides.
    fn make_single(&mut self, node: usize) {
        self.nodes[node].left = node;
        self.nodes[node].right = node;
    }

    /// Makes the neighbours of a node forget it.
    fn take_from_ring(&mut self, node: usize) {
        let (left, right) = (self.nodes[node].left, self.nodes[node].right);
        self.nodes[left].right = right;
        self.nodes[right].left = left;
    }

    /// Puts a node into a ring, to the right of a node that is already there.
    fn insert_right_of(&mut self, place: usize, node: usize) {
        self.make_single(node);
        self.join_rings(place, node);
    }

    /// Makes one ring of two. The second starts to the right of `first`.
    fn join_rings(&mut self, first: usize, second: usize) {
        let after_first = self.nodes[first].right;
        let before_second = self.nodes[second].left;
        self.nodes[first].right = second;
        self.nodes[second].left = first;
        self.nodes[before_second].right = after_first;
        self.nodes[after_first].left = before_second;
    }

    /// Lists the nodes of a ring.
    fn ring(&self, start: usize) -> Vec<usize> {
        let mut members = vec![start];
        let mut node = self.nodes[start].right;
        while node != start {
            members.push(node);
            node = self.nodes[node].right;
        }
        members
    }

    /// Looks for a node with a given key.
    fn find_node(&self, key: i32) -> Link {
        let mut waiting = self.ring(self.min?);
        while let Some(node) = waiting.pop() {
            if self.nodes[node].key == key {
                return Some(node);
            }
            // Below a greater key there are only greater ones.
            if self.nodes[node].key < key
                && let Some(child) = self.nodes[node].child
            {
                waiting.extend(self.ring(child));
            }
        }
        None
    }
}

impl Default for FibonacciHeap {
    fn default() -> FibonacciHeap {
        FibonacciHeap::new()
    }
}
