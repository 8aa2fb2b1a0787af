//! A binary search tree with the operations of a textbook.

use std::error::Error;
use std::fmt;

/// A place where a subtree may hang.
type Link = Option<Box<Node>>;

/// One element and the subtrees of the smaller and the greater elements.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Node {
    element: i32,
    left: Link,
    right: Link,
}

/// The reason why a tree could not be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeError {
    /// The element to insert is already in the tree.
    DuplicateItem,
    /// The element to remove is not in the tree.
    ItemNotFound,
}

impl fmt::Display for TreeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            TreeError::DuplicateItem => "the item is already in the tree",
            TreeError::ItemNotFound => "the item is not in the tree",
        })
    }
}

impl Error for TreeError {}

/// A set of integers in a binary search tree that is never rebalanced.
///
/// Two trees are equal when they have the same elements and the same shape.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BinarySearchTree {
    root: Link,
}

impl BinarySearchTree {
    /// Creates an empty tree.
    pub fn new() -> BinarySearchTree {
        BinarySearchTree { root: None }
    }

    /// Adds an element that is not in the tree yet.
    pub fn insert(&mut self, element: i32) -> Result<(), TreeError> {
        insert_below(&mut self.root, element)
    }

    /// Removes an element that is in the tree.
    pub fn remove(&mut self, element: i32) -> Result<(), TreeError> {
        remove_below(&mut self.root, element)
    }

    /// Removes the smallest element and returns it.
    pub fn remove_min(&mut self) -> Result<i32, TreeError> {
        remove_min_below(&mut self.root).ok_or(TreeError::ItemNotFound)
    }

    /// Returns the smallest element, or nothing when the tree is empty.
    pub fn find_min(&self) -> Option<i32> {
        let mut node = self.root.as_ref()?;
        while let Some(left) = &node.left {
            node = left;
        }
        Some(node.element)
    }

    /// Returns the greatest element, or nothing when the tree is empty.
    pub fn find_max(&self) -> Option<i32> {
        let mut node = self.root.as_ref()?;
        while let Some(right) = &node.right {
            node = right;
        }
        Some(node.element)
    }

    /// Tells whether an element is in the tree.
    pub fn find(&self, element: i32) -> bool {
        let mut link = &self.root;
        while let Some(node) = link {
            if element < node.element {
                link = &node.left;
            } else if element > node.element {
                link = &node.right;
            } else {
                return true;
            }
        }
        false
    }

    /// Removes all elements.
    pub fn make_empty(&mut self) {
        self.root = None;
    }

    /// Tells whether the tree has no element.
    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// Returns the elements in ascending order.
    pub fn to_sorted_list(&self) -> Vec<i32> {
        let mut elements = Vec::new();
        list_below(&self.root, &mut elements);
        elements
    }
}

/// Adds an element to a subtree.
fn insert_below(link: &mut Link, element: i32) -> Result<(), TreeError> {
    match link {
        None => {
            *link = Some(Box::new(Node {
                element,
                left: None,
                right: None,
            }));
            Ok(())
        }
        Some(node) => {
            if element < node.element {
                insert_below(&mut node.left, element)
            } else if element > node.element {
                insert_below(&mut node.right, element)
            } else {
                Err(TreeError::DuplicateItem)
            }
        }
    }
}

/// Removes an element from a subtree.
fn remove_below(link: &mut Link, element: i32) -> Result<(), TreeError> {
    let Some(node) = link else {
        return Err(TreeError::ItemNotFound);
    };
    if element < node.element {
        return remove_below(&mut node.left, element);
    }
    if element > node.element {
        return remove_below(&mut node.right, element);
    }
    if node.left.is_none() {
        *link = node.right.take();
    } else {
        // With two children, the element is replaced by the next greater one.
        match remove_min_below(&mut node.right) {
            Some(successor) => node.element = successor,
            None => *link = node.left.take(),
        }
    }
    Ok(())
}

/// Removes the smallest element of a subtree and returns it.
fn remove_min_below(link: &mut Link) -> Option<i32> {
    let node = link.as_mut()?;
    if node.left.is_some() {
        return remove_min_below(&mut node.left);
    }
    let smallest = node.element;
    *link = node.right.take();
    Some(smallest)
}

/// Appends the elements of a subtree to a list.
fn list_below(link: &Link, elements: &mut Vec<i32>) {
    if let Some(node) = link {
        list_below(&node.left, elements);
        elements.push(node.element);
        list_below(&node.right, elements);
    }
}
