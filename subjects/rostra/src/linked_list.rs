//! A singly linked list with positions, after a textbook.

/// A place where the rest of a list may hang.
type Link = Option<Box<Node>>;

/// One element and the rest of the list behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Node {
    element: i32,
    next: Link,
}

/// A position in a list: before its first element, or at one of its elements.
///
/// A position says how far down the list something is, and keeps doing so
/// when the list changes. It may then be at another element, or past the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    steps: usize,
}

/// A linked list of integers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkedList {
    first: Link,
}

impl LinkedList {
    /// Creates an empty list.
    pub fn new() -> LinkedList {
        LinkedList { first: None }
    }

    /// Tells whether the list has no element.
    pub fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// Removes all elements.
    pub fn make_empty(&mut self) {
        self.first = None;
    }

    /// Returns the position before the first element.
    pub fn zeroth(&self) -> Position {
        Position { steps: 0 }
    }

    /// Returns the position of the first element. In an empty list it is past
    /// the end.
    pub fn first(&self) -> Position {
        Position { steps: 1 }
    }

    /// Inserts an element behind a position and tells whether it was done. It
    /// is not done when the position is past the end.
    pub fn insert(&mut self, element: i32, position: Position) -> bool {
        let mut link = &mut self.first;
        for _ in 0..position.steps {
            match link {
                Some(node) => link = &mut node.next,
                None => return false,
            }
        }
        let next = link.take();
        *link = Some(Box::new(Node { element, next }));
        true
    }

    /// Returns the position of the first element with a given value.
    pub fn find(&self, element: i32) -> Option<Position> {
        let previous = self.find_previous(element)?;
        Some(Position {
            steps: previous.steps + 1,
        })
    }

    /// Returns the position before the first element with a given value.
    pub fn find_previous(&self, element: i32) -> Option<Position> {
        let mut steps = 0;
        let mut link = &self.first;
        while let Some(node) = link {
            if node.element == element {
                return Some(Position { steps });
            }
            steps += 1;
            link = &node.next;
        }
        None
    }

    /// Returns the element at a position, or nothing when the position is
    /// before the first element or past the end.
    pub fn retrieve(&self, position: Position) -> Option<i32> {
        let mut link = &self.first;
        for _ in 1..position.steps {
            link = &link.as_ref()?.next;
        }
        match link {
            Some(node) if position.steps > 0 => Some(node.element),
            _ => None,
        }
    }

    /// Removes the first element with a given value and tells whether there
    /// was one.
    pub fn remove(&mut self, element: i32) -> bool {
        let mut link = &mut self.first;
        while link.as_ref().is_some_and(|node| node.element != element) {
            link = &mut link.as_mut().expect("the condition saw a node").next;
        }
        match link.take() {
            Some(removed) => {
                *link = removed.next;
                true
            }
            None => false,
        }
    }
}
