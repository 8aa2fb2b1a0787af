//! An unbalanced binary search tree of integers.

#[cfg(test)]
mod tests;

/// A place where a subtree may hang.
type Link = Option<Box<Node>>;

/// One value and the subtrees of the smaller and the greater values.
#[derive(Debug, Clone)]
struct Node {
    value: i32,
    left: Link,
    right: Link,
}

/// A set of integers kept in a binary search tree that is never rebalanced.
///
/// Two trees are equal when they hold the same values, whatever shapes the
/// order of the insertions has given them.
#[derive(Debug, Clone, Default)]
pub struct BinTree {
    root: Link,
    size: usize,
}

impl BinTree {
    /// Creates an empty tree.
    pub fn new() -> BinTree {
        BinTree {
            root: None,
            size: 0,
        }
    }

    /// Adds a value and tells whether it is new. A value that is already in
    /// the tree is not added a second time.
    pub fn add(&mut self, value: i32) -> bool {
        let mut link = &mut self.root;
        while let Some(node) = link {
            if value < node.value {
                link = &mut node.left;
            } else if value > node.value {
                link = &mut node.right;
            } else {
                return false;
            }
        }
        *link = Some(Box::new(Node {
            value,
            left: None,
            right: None,
        }));
        self.size += 1;
        true
    }

    /// Tells whether a value is in the tree.
    pub fn find(&self, value: i32) -> bool {
        let mut link = &self.root;
        while let Some(node) = link {
            if value < node.value {
                link = &node.left;
            } else if value > node.value {
                link = &node.right;
            } else {
                return true;
            }
        }
        false
    }

    /// Removes a value and tells whether it was in the tree.
    pub fn remove(&mut self, value: i32) -> bool {
        let mut link = &mut self.root;
        while link.as_ref().is_some_and(|node| node.value != value) {
            let node = link.as_mut().expect("the loop condition saw a node");
            link = if value < node.value {
                &mut node.left
            } else {
                &mut node.right
            };
        }
        let Some(node) = link.take() else {
            return false;
        };
        *link = join(node.left, node.right);
        self.size -= 1;
        true
    }

    /// Returns the smallest value, or nothing when the tree is empty.
    pub fn minimum(&self) -> Option<i32> {
        let mut node = self.root.as_ref()?;
        while let Some(smaller) = &node.left {
            node = smaller;
        }
        Some(node.value)
    }

    /// Returns the greatest value, or nothing when the tree is empty.
    pub fn maximum(&self) -> Option<i32> {
        let mut node = self.root.as_ref()?;
        while let Some(greater) = &node.right {
            node = greater;
        }
        Some(node.value)
    }

    /// Returns the number of values.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Tells whether the tree holds no value.
    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// Returns the number of nodes on the longest way down from the root.
    pub fn height(&self) -> usize {
        // The tree may be as deep as it has nodes, so this goes level by
        // level instead of calling itself for each subtree.
        let mut height = 0;
        let mut level: Vec<&Node> = self.root.iter().map(|root| &**root).collect();
        while !level.is_empty() {
            height += 1;
            level = level
                .iter()
                .flat_map(|node| node.left.iter().chain(node.right.iter()))
                .map(|child| &**child)
                .collect();
        }
        height
    }

    /// Returns all values in ascending order.
    pub fn in_order(&self) -> Vec<i32> {
        let mut values = Vec::with_capacity(self.size);
        let mut waiting: Vec<&Node> = Vec::new();
        let mut link = &self.root;
        loop {
            // A node has to wait until its whole left subtree is listed.
            while let Some(node) = link {
                waiting.push(node);
                link = &node.left;
            }
            let Some(node) = waiting.pop() else {
                return values;
            };
            values.push(node.value);
            link = &node.right;
        }
    }
}

/// Makes one tree of the two subtrees that a removed node leaves behind.
fn join(left: Link, right: Link) -> Link {
    match (left, right) {
        (None, None) => None,
        (Some(only), None) | (None, Some(only)) => Some(only),
        (Some(left), Some(mut right)) => {
            // The next greater value takes the place of the removed one. It
            // is the right child itself when nothing hangs on that one's left.
            if right.left.is_none() {
                right.left = Some(left);
                return Some(right);
            }
            let mut successor = detach_leftmost(&mut right);
            successor.left = Some(left);
            successor.right = Some(right);
            Some(successor)
        }
    }
}

/// Takes the node of the smallest value out from under a node that has a left
/// child.
fn detach_leftmost(node: &mut Node) -> Box<Node> {
    let mut parent = node;
    while parent
        .left
        .as_ref()
        .is_some_and(|child| child.left.is_some())
    {
        parent = parent
            .left
            .as_mut()
            .expect("the loop condition saw a child");
    }
    let mut leftmost = parent.left.take().expect("the caller saw a left child");
    parent.left = leftmost.right.take();
    leftmost
}

impl PartialEq for BinTree {
    fn eq(&self, other: &BinTree) -> bool {
        self.size == other.size && self.in_order() == other.in_order()
    }
}

impl Eq for BinTree {}
