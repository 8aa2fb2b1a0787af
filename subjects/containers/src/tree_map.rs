//! A sorted map from integers to integers, kept in a red-black tree.

use crate::arena::Arena;

#[cfg(test)]
mod tests;

/// The index of an entry, where there is one.
type Link = Option<usize>;

/// The colour of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Color {
    Red,
    Black,
}

/// One key with its value, as a node of the tree.
#[derive(Debug, Clone)]
struct Entry {
    key: i32,
    value: i32,
    color: Color,
    parent: Link,
    left: Link,
    right: Link,
}

/// A map with its keys in ascending order, modelled on `java.util.TreeMap`.
///
/// The entries form a red-black tree. No red entry has a red child, and all
/// ways from the root down to a missing child pass the same number of black
/// entries, so no way is more than twice as long as another.
///
/// Two maps are equal when they hold the same keys with the same values.
#[derive(Debug, Clone)]
pub struct TreeMap {
    nodes: Arena<Entry>,
    root: Link,
    size: usize,
}

impl TreeMap {
    /// Creates an empty map.
    pub fn new() -> TreeMap {
        TreeMap {
            nodes: Arena::new(),
            root: None,
            size: 0,
        }
    }

    /// Returns the number of keys.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Tells whether the map holds no key.
    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// Tells whether the map holds a key.
    pub fn contains_key(&self, key: i32) -> bool {
        self.find_entry(key).is_some()
    }

    /// Tells whether some key of the map has a given value.
    pub fn contains_value(&self, value: i32) -> bool {
        let mut next = self.first_entry();
        while let Some(entry) = next {
            if self.nodes[entry].value == value {
                return true;
            }
            next = self.successor(entry);
        }
        false
    }

    /// Returns the value of a key, or nothing when the map does not hold it.
    pub fn get(&self, key: i32) -> Option<i32> {
        let entry = self.find_entry(key)?;
        Some(self.nodes[entry].value)
    }

    /// Gives a key a value and returns the value that it had before.
    pub fn put(&mut self, key: i32, value: i32) -> Option<i32> {
        let Some(mut parent) = self.root else {
            self.root = Some(self.new_entry(key, value, None));
            // A single entry is the root, and the root is black.
            self.set_color(self.root, Color::Black);
            return None;
        };
        loop {
            let current = &mut self.nodes[parent];
            if key == current.key {
                let previous = current.value;
                current.value = value;
                return Some(previous);
            }
            let goes_left = key < current.key;
            let next = if goes_left {
                current.left
            } else {
                current.right
            };
            match next {
                Some(child) => parent = child,
                None => {
                    let entry = self.new_entry(key, value, Some(parent));
                    if goes_left {
                        self.nodes[parent].left = Some(entry);
                    } else {
                        self.nodes[parent].right = Some(entry);
                    }
                    self.fix_after_insertion(entry);
                    return None;
                }
            }
        }
    }

    /// Puts all keys of another map with their values into this one.
    pub fn put_all(&mut self, other: &TreeMap) {
        for (key, value) in other.entries() {
            self.put(key, value);
        }
    }

    /// Removes a key and returns the value that it had.
    pub fn remove(&mut self, key: i32) -> Option<i32> {
        let entry = self.find_entry(key)?;
        let value = self.nodes[entry].value;
        self.delete_entry(entry);
        Some(value)
    }

    /// Removes all keys.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.root = None;
        self.size = 0;
    }

    /// Returns the smallest key, or nothing when the map is empty.
    pub fn first_key(&self) -> Option<i32> {
        self.key_of(self.first_entry())
    }

    /// Returns the greatest key, or nothing when the map is empty.
    pub fn last_key(&self) -> Option<i32> {
        self.key_of(self.last_entry())
    }

    /// Returns the smallest key that is not below a given one.
    pub fn ceiling_key(&self, key: i32) -> Option<i32> {
        let mut entry = self.root?;
        loop {
            let current = &self.nodes[entry];
            if key < current.key {
                match current.left {
                    Some(left) => entry = left,
                    None => return Some(current.key),
                }
            } else if key > current.key {
                match current.right {
                    Some(right) => entry = right,
                    // All keys of this subtree are too small. The next
                    // greater one is the first ancestor to the right.
                    None => return self.key_of(self.successor(entry)),
                }
            } else {
                return Some(current.key);
            }
        }
    }

    /// Returns the greatest key that is not above a given one.
    pub fn floor_key(&self, key: i32) -> Option<i32> {
        let mut entry = self.root?;
        loop {
            let current = &self.nodes[entry];
            if key > current.key {
                match current.right {
                    Some(right) => entry = right,
                    None => return Some(current.key),
                }
            } else if key < current.key {
                match current.left {
                    Some(left) => entry = left,
                    // All keys of this subtree are too great. The next
                    // smaller one is the first ancestor to the left.
                    None => return self.key_of(self.predecessor(entry)),
                }
            } else {
                return Some(current.key);
            }
        }
    }

    /// Returns the smallest key above a given one.
    pub fn higher_key(&self, key: i32) -> Option<i32> {
        self.ceiling_key(key.checked_add(1)?)
    }

    /// Returns the greatest key below a given one.
    pub fn lower_key(&self, key: i32) -> Option<i32> {
        self.floor_key(key.checked_sub(1)?)
    }

    /// Removes the smallest key and returns it with its value.
    pub fn poll_first_entry(&mut self) -> Option<(i32, i32)> {
        let entry = self.first_entry()?;
        let polled = (self.nodes[entry].key, self.nodes[entry].value);
        self.delete_entry(entry);
        Some(polled)
    }

    /// Removes the greatest key and returns it with its value.
    pub fn poll_last_entry(&mut self) -> Option<(i32, i32)> {
        let entry = self.last_entry()?;
        let polled = (self.nodes[entry].key, self.nodes[entry].value);
        self.delete_entry(entry);
        Some(polled)
    }

    /// Returns all keys in ascending order.
    pub fn keys(&self) -> Vec<i32> {
        self.entries().into_iter().map(|(key, _)| key).collect()
    }

    /// Returns all values in the order of their keys.
    pub fn values(&self) -> Vec<i32> {
        self.entries().into_iter().map(|(_, value)| value).collect()
    }

    /// Returns all keys with their values, in the order of the keys.
    pub fn entries(&self) -> Vec<(i32, i32)> {
        let mut listed = Vec::with_capacity(self.size);
        let mut next = self.first_entry();
        while let Some(entry) = next {
            listed.push((self.nodes[entry].key, self.nodes[entry].value));
            next = self.successor(entry);
        }
        listed
    }

    /// Creates an entry below a parent, which has yet to be told of it.
    fn new_entry(&mut self, key: i32, value: i32, parent: Link) -> usize {
        self.size += 1;
        self.nodes.insert(Entry {
            key,
            value,
            color: Color::Red,
            parent,
            left: None,
            right: None,
        })
    }

    /// Looks for the entry of a key.
    fn find_entry(&self, key: i32) -> Link {
        let mut next = self.root;
        while let Some(entry) = next {
            if key < self.nodes[entry].key {
                next = self.nodes[entry].left;
            } else if key > self.nodes[entry].key {
                next = self.nodes[entry].right;
            } else {
                return next;
            }
        }
        None
    }

    /// Returns the entry of the smallest key.
    fn first_entry(&self) -> Link {
        let mut entry = self.root?;
        while let Some(left) = self.nodes[entry].left {
            entry = left;
        }
        Some(entry)
    }

    /// Returns the entry of the greatest key.
    fn last_entry(&self) -> Link {
        let mut entry = self.root?;
        while let Some(right) = self.nodes[entry].right {
            entry = right;
        }
        Some(entry)
    }

    /// Returns the entry of the next greater key.
    fn successor(&self, entry: usize) -> Link {
        if let Some(right) = self.nodes[entry].right {
            let mut lowest = right;
            while let Some(left) = self.nodes[lowest].left {
                lowest = left;
            }
            return Some(lowest);
        }
        let mut child = entry;
        let mut parent = self.nodes[entry].parent;
        while let Some(above) = parent {
            if self.nodes[above].right != Some(child) {
                break;
            }
            child = above;
            parent = self.nodes[above].parent;
        }
        parent
    }

    /// Returns the entry of the next smaller key.
    fn predecessor(&self, entry: usize) -> Link {
        if let Some(left) = self.nodes[entry].left {
            let mut highest = left;
            while let Some(right) = self.nodes[highest].right {
                highest = right;
            }
            return Some(highest);
        }
        let mut child = entry;
        let mut parent = self.nodes[entry].parent;
        while let Some(above) = parent {
            if self.nodes[above].left != Some(child) {
                break;
            }
            child = above;
            parent = self.nodes[above].parent;
        }
        parent
    }

    // The balancing operations ask after relatives that may be missing. As in
    // the Java class, the following functions accept a missing entry: it is
    // black, and its relatives are missing too.

    /// Returns the key of an entry.
    fn key_of(&self, entry: Link) -> Option<i32> {
        entry.map(|index| self.nodes[index].key)
    }

    /// Returns the colour of an entry.
    fn color_of(&self, entry: Link) -> Color {
        entry.map_or(Color::Black, |index| self.nodes[index].color)
    }

    /// Returns the parent of an entry.
    fn parent_of(&self, entry: Link) -> Link {
        entry.and_then(|index| self.nodes[index].parent)
    }

    /// Returns the left child of an entry.
    fn left_of(&self, entry: Link) -> Link {
        entry.and_then(|index| self.nodes[index].left)
    }

    /// Returns the right child of an entry.
    fn right_of(&self, entry: Link) -> Link {
        entry.and_then(|index| self.nodes[index].right)
    }

    /// Gives an entry a colour.
    fn set_color(&mut self, entry: Link, color: Color) {
        if let Some(index) = entry {
            self.nodes[index].color = color;
        }
    }

    /// Puts another entry, or none, into the place that an entry has below
    /// its parent. The parent link of the other entry is set as well.
    fn replace_below_parent(&mut self, entry: usize, replacement: Link) {
        let parent = self.nodes[entry].parent;
        if let Some(index) = replacement {
            self.nodes[index].parent = parent;
        }
        match parent {
            None => self.root = replacement,
            Some(above) if self.nodes[above].left == Some(entry) => {
                self.nodes[above].left = replacement;
            }
            Some(above) => self.nodes[above].right = replacement,
        }
    }

    /// Lets the right child of an entry rise to its place, and the entry sink
    /// to the left.
    fn rotate_left(&mut self, entry: Link) {
        let Some(sinking) = entry else {
            return;
        };
        let Some(rising) = self.nodes[sinking].right else {
            return;
        };
        let between = self.nodes[rising].left;
        self.nodes[sinking].right = between;
        if let Some(index) = between {
            self.nodes[index].parent = Some(sinking);
        }
        self.replace_below_parent(sinking, Some(rising));
        self.nodes[rising].left = Some(sinking);
        self.nodes[sinking].parent = Some(rising);
    }

    /// Lets the left child of an entry rise to its place, and the entry sink
    /// to the right.
    fn rotate_right(&mut self, entry: Link) {
        let Some(sinking) = entry else {
            return;
        };
        let Some(rising) = self.nodes[sinking].left else {
            return;
        };
        let between = self.nodes[rising].right;
        self.nodes[sinking].left = between;
        if let Some(index) = between {
            self.nodes[index].parent = Some(sinking);
        }
        self.replace_below_parent(sinking, Some(rising));
        self.nodes[rising].right = Some(sinking);
        self.nodes[sinking].parent = Some(rising);
    }

    /// Restores the colours after a red entry was added, whose parent may be
    /// red as well.
    fn fix_after_insertion(&mut self, added: usize) {
        let mut entry = Some(added);
        while entry != self.root && self.color_of(self.parent_of(entry)) == Color::Red {
            let parent = self.parent_of(entry);
            let grandparent = self.parent_of(parent);
            if parent == self.left_of(grandparent) {
                let uncle = self.right_of(grandparent);
                if self.color_of(uncle) == Color::Red {
                    // The grandparent takes the red of both its children,
                    // and may in turn clash with its own parent.
                    self.set_color(parent, Color::Black);
                    self.set_color(uncle, Color::Black);
                    self.set_color(grandparent, Color::Red);
                    entry = grandparent;
                } else {
                    if entry == self.right_of(parent) {
                        // An inner grandchild is first turned to the outside.
                        entry = parent;
                        self.rotate_left(entry);
                    }
                    let parent = self.parent_of(entry);
                    let grandparent = self.parent_of(parent);
                    self.set_color(parent, Color::Black);
                    self.set_color(grandparent, Color::Red);
                    self.rotate_right(grandparent);
                }
            } else {
                let uncle = self.left_of(grandparent);
                if self.color_of(uncle) == Color::Red {
                    self.set_color(parent, Color::Black);
                    self.set_color(uncle, Color::Black);
                    self.set_color(grandparent, Color::Red);
                    entry = grandparent;
                } else {
                    if entry == self.left_of(parent) {
                        entry = parent;
                        self.rotate_right(entry);
                    }
                    let parent = self.parent_of(entry);
                    let grandparent = self.parent_of(parent);
                    self.set_color(parent, Color::Black);
                    self.set_color(grandparent, Color::Red);
                    self.rotate_left(grandparent);
                }
            }
        }
        self.set_color(self.root, Color::Black);
    }

    /// Takes an entry out of the tree.
    fn delete_entry(&mut self, entry: usize) {
        let mut entry = entry;
        if self.nodes[entry].left.is_some() && self.nodes[entry].right.is_some() {
            // An entry with two children gets the content of its successor,
            // which has no left child, and the successor goes instead.
            let successor = self
                .successor(entry)
                .expect("an entry with a right child has a successor");
            self.nodes[entry].key = self.nodes[successor].key;
            self.nodes[entry].value = self.nodes[successor].value;
            entry = successor;
        }
        let only_child = self.nodes[entry].left.or(self.nodes[entry].right);
        if only_child.is_some() {
            self.replace_below_parent(entry, only_child);
            if self.nodes[entry].color == Color::Black {
                self.fix_after_deletion(only_child);
            }
        } else if self.nodes[entry].parent.is_none() {
            self.root = None;
        } else {
            // Without a child to replace it, the entry stands in for its own
            // replacement while the colours are restored, and is unlinked
            // after that.
            if self.nodes[entry].color == Color::Black {
                self.fix_after_deletion(Some(entry));
            }
            self.replace_below_parent(entry, None);
        }
        self.nodes.remove(entry);
        self.size -= 1;
    }

    /// Restores the colours after a black entry was taken away above a given
    /// one, so that the ways through it pass one black entry too few.
    fn fix_after_deletion(&mut self, deficient: Link) {
        let mut entry = deficient;
        while entry != self.root && self.color_of(entry) == Color::Black {
            let parent = self.parent_of(entry);
            if entry == self.left_of(parent) {
                let mut sibling = self.right_of(parent);
                if self.color_of(sibling) == Color::Red {
                    // After this rotation the sibling is black.
                    self.set_color(sibling, Color::Black);
                    self.set_color(parent, Color::Red);
                    self.rotate_left(parent);
                    sibling = self.right_of(parent);
                }
                if self.color_of(self.left_of(sibling)) == Color::Black
                    && self.color_of(self.right_of(sibling)) == Color::Black
                {
                    // The sibling's side gives up a black entry too, and the
                    // parent is now the one that is short of it.
                    self.set_color(sibling, Color::Red);
                    entry = parent;
                } else {
                    if self.color_of(self.right_of(sibling)) == Color::Black {
                        // The red child of the sibling is turned outside.
                        self.set_color(self.left_of(sibling), Color::Black);
                        self.set_color(sibling, Color::Red);
                        self.rotate_right(sibling);
                        sibling = self.right_of(parent);
                    }
                    self.set_color(sibling, self.color_of(parent));
                    self.set_color(parent, Color::Black);
                    self.set_color(self.right_of(sibling), Color::Black);
                    self.rotate_left(parent);
                    entry = self.root;
                }
            } else {
                let mut sibling = self.left_of(parent);
                if self.color_of(sibling) == Color::Red {
                    self.set_color(sibling, Color::Black);
                    self.set_color(parent, Color::Red);
                    self.rotate_right(parent);
                    sibling = self.left_of(parent);
                }
                if self.color_of(self.right_of(sibling)) == Color::Black
                    && self.color_of(self.left_of(sibling)) == Color::Black
                {
                    self.set_color(sibling, Color::Red);
                    entry = parent;
                } else {
                    if self.color_of(self.left_of(sibling)) == Color::Black {
                        self.set_color(self.right_of(sibling), Color::Black);
                        self.set_color(sibling, Color::Red);
                        self.rotate_left(sibling);
                        sibling = self.left_of(parent);
                    }
                    self.set_color(sibling, self.color_of(parent));
                    self.set_color(parent, Color::Black);
                    self.set_color(self.left_of(sibling), Color::Black);
                    self.rotate_right(parent);
                    entry = self.root;
                }
            }
        }
        self.set_color(entry, Color::Black);
    }
}

impl Default for TreeMap {
    fn default() -> TreeMap {
        TreeMap::new()
    }
}

impl PartialEq for TreeMap {
    fn eq(&self, other: &TreeMap) -> bool {
        self.size == other.size && self.entries() == other.entries()
    }
}

impl Eq for TreeMap {}
