//! A binomial heap of integers.

use crate::arena::Arena;

#[cfg(test)]
mod tests;

/// The index of a node, where there is one.
type Link = Option<usize>;

/// One node of a binomial tree.
///
/// The children of a node form a list through their `sibling` links, by
/// falling degree. The roots of the heap form such a list too, by rising
/// degree.
#[derive(Debug, Clone)]
struct Node {
    key: i32,
    degree: usize,
    parent: Link,
    child: Link,
    sibling: Link,
}

/// A priority queue of integers made of binomial trees.
///
/// The heap may hold a key several times. Where an operation names a key that
/// the heap holds more than once, it works on one of them.
#[derive(Debug, Clone)]
pub struct BinomialHeap {
    nodes: Arena<Node>,
    head: Link,
    size: usize,
}

impl BinomialHeap {
    /// Creates an empty heap.
    pub fn new() -> BinomialHeap {
        BinomialHeap {
            nodes: Arena::new(),
            head: None,
            size: 0,
        }
    }

    /// Adds a key.
    pub fn insert(&mut self, key: i32) {
        // The new node is a heap of one tree, which is then united with this.
        let node = self.nodes.insert(Node {
            key,
            degree: 0,
            parent: None,
            child: None,
            sibling: None,
        });
        self.unite_with_roots(Some(node));
        self.size += 1;
    }

    /// Returns the smallest key, or nothing when the heap is empty.
    pub fn find_minimum(&self) -> Option<i32> {
        self.find_minimum_root().map(|root| self.nodes[root].key)
    }

    /// Removes the smallest key and returns it.
    pub fn extract_min(&mut self) -> Option<i32> {
        let minimum = self.find_minimum_root()?;
        Some(self.remove_root(minimum))
    }

    /// Replaces a key by a smaller one and tells whether it was done. It is
    /// not done when the heap does not hold the old key, or when the new key
    /// is greater than the old one.
    pub fn decrease_key_value(&mut self, old_key: i32, new_key: i32) -> bool {
        if new_key > old_key {
            return false;
        }
        let Some(mut node) = self.find_node(old_key) else {
            return false;
        };
        self.nodes[node].key = new_key;
        while let Some(parent) = self.nodes[node].parent {
            if self.nodes[node].key >= self.nodes[parent].key {
                break;
            }
            self.exchange_keys(node, parent);
            node = parent;
        }
        true
    }

    /// Removes a key and tells whether the heap held it.
    pub fn delete(&mut self, key: i32) -> bool {
        let Some(mut node) = self.find_node(key) else {
            return false;
        };
        // The textbook decreases the key to minus infinity and extracts the
        // minimum. No integer is below all others, so the key is carried to
        // the root of its tree without comparing, and that root is removed.
        while let Some(parent) = self.nodes[node].parent {
            self.exchange_keys(node, parent);
            node = parent;
        }
        self.remove_root(node);
        true
    }

    /// Moves all keys of another heap into this one.
    pub fn union(&mut self, other: BinomialHeap) {
        let shift = self.nodes.append(other.nodes, |node, shift| {
            for link in [&mut node.parent, &mut node.child, &mut node.sibling] {
                *link = link.map(|index| index + shift);
            }
        });
        self.unite_with_roots(other.head.map(|index| index + shift));
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
        self.head.is_none()
    }

    /// Returns the root with the smallest key, which is the smallest key of
    /// the whole heap because no child is smaller than its parent.
    fn find_minimum_root(&self) -> Link {
        let mut minimum = self.head?;
        let mut next = self.nodes[minimum].sibling;
        while let Some(root) = next {
            if self.nodes[root].key < self.nodes[minimum].key {
                minimum = root;
            }
            next = self.nodes[root].sibling;
        }
        Some(minimum)
    }

    /// Looks for a node with a given key.
    fn find_node(&self, key: i32) -> Link {
        let mut waiting: Vec<usize> = self.head.into_iter().collect();
        while let Some(node) = waiting.pop() {
            if self.nodes[node].key == key {
                return Some(node);
            }
            waiting.extend(self.nodes[node].sibling);
            // Below a greater key there are only greater ones.
            if self.nodes[node].key < key {
                waiting.extend(self.nodes[node].child);
            }
        }
        None
    }

    /// Exchanges the keys of two nodes and leaves the links alone.
    fn exchange_keys(&mut self, one: usize, other: usize) {
        let key = self.nodes[one].key;
        self.nodes[one].key = self.nodes[other].key;
        self.nodes[other].key = key;
    }

    /// Takes a root away, gives its children back to the heap, and returns
    /// the key of the root.
    fn remove_root(&mut self, root: usize) -> i32 {
        let following = self.nodes[root].sibling;
        match self.root_before(root) {
            None => self.head = following,
            Some(previous) => self.nodes[previous].sibling = following,
        }
        let removed = self.nodes.remove(root);
        let children = self.reverse_into_roots(removed.child);
        self.unite_with_roots(children);
        self.size -= 1;
        removed.key
    }

    /// Returns the root that comes before a given one in the root list.
    fn root_before(&self, root: usize) -> Link {
        let mut previous = None;
        let mut current = self.head;
        while let Some(index) = current {
            if index == root {
                break;
            }
            previous = current;
            current = self.nodes[index].sibling;
        }
        previous
    }

    /// Turns a list of children, which goes by falling degree, into a list of
    /// roots, which goes by rising degree.
    fn reverse_into_roots(&mut self, first_child: Link) -> Link {
        let mut reversed = None;
        let mut current = first_child;
        while let Some(node) = current {
            current = self.nodes[node].sibling;
            self.nodes[node].sibling = reversed;
            self.nodes[node].parent = None;
            reversed = Some(node);
        }
        reversed
    }

    /// Joins another root list to that of this heap, and then links trees
    /// until no two of them have the same degree.
    fn unite_with_roots(&mut self, other: Link) {
        self.head = self.merge_root_lists(self.head, other);
        let Some(mut current) = self.head else {
            return;
        };
        let mut previous: Link = None;
        while let Some(next) = self.nodes[current].sibling {
            let degree = self.nodes[current].degree;
            let after_next = self.nodes[next].sibling;
            let three_alike = after_next.is_some_and(|root| self.nodes[root].degree == degree);
            if self.nodes[next].degree != degree || three_alike {
                // Of three trees of one degree the first stays as it is, and
                // the other two are linked in the next round.
                previous = Some(current);
                current = next;
            } else if self.nodes[current].key <= self.nodes[next].key {
                self.nodes[current].sibling = after_next;
                self.link(next, current);
            } else {
                match previous {
                    None => self.head = Some(next),
                    Some(root) => self.nodes[root].sibling = Some(next),
                }
                self.link(current, next);
                current = next;
            }
        }
    }

    /// Merges two root lists into one that goes by rising degree. It may have
    /// up to two trees of each degree.
    fn merge_root_lists(&mut self, first: Link, second: Link) -> Link {
        let (mut first, mut second) = (first, second);
        let mut merged: Link = None;
        let mut last: Link = None;
        while let (Some(one), Some(other)) = (first, second) {
            let smaller = if self.nodes[one].degree <= self.nodes[other].degree {
                first = self.nodes[one].sibling;
                one
            } else {
                second = self.nodes[other].sibling;
                other
            };
            match last {
                None => merged = Some(smaller),
                Some(root) => self.nodes[root].sibling = Some(smaller),
            }
            last = Some(smaller);
        }
        let rest = first.or(second);
        match last {
            None => merged = rest,
            Some(root) => self.nodes[root].sibling = rest,
        }
        merged
    }

    /// Makes one root the first child of another root of the same degree.
    fn link(&mut self, child: usize, parent: usize) {
        self.nodes[child].parent = Some(parent);
        self.nodes[child].sibling = self.nodes[parent].child;
        self.nodes[parent].child = Some(child);
        self.nodes[parent].degree += 1;
    }
}

impl Default for BinomialHeap {
    fn default() -> BinomialHeap {
        BinomialHeap::new()
    }
}
