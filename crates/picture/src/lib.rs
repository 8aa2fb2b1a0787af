//! Small graphs as pictures: SVG that needs no other program, and DOT for those who have Graphviz.
//!
//! Nothing here knows what a graph is about. The layout is for a dozen nodes with long labels, which
//! layouts for large graphs treat badly: here labels have places of their own (`layout.rs`), and
//! nothing lies over anything.
//!
//! ```
//! use testsmith_picture::{Edge, Graph, Node, dot, svg};
//!
//! let node = |text: &str| Node { lines: vec![text.to_owned()], ..Node::default() };
//! let graph = Graph {
//!     title: "A door".to_owned(),
//!     nodes: vec![node("open"), node("closed")],
//!     edges: vec![
//!         Edge { from: None, to: 0, lines: vec!["new".to_owned()], ..Edge::default() },
//!         Edge { from: Some(0), to: 1, lines: vec!["shut".to_owned()], ..Edge::default() },
//!     ],
//! };
//! assert!(svg(&graph).starts_with("<svg "));
//! assert!(dot(&graph).contains("n0 -> n1"));
//! ```

mod boxes;
mod dot;
mod layout;
mod place;
mod svg;
#[cfg(test)]
mod tests;

pub use dot::dot;
pub use svg::svg;

/// A directed graph with a start.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Graph {
    /// The title: what it is a picture of.
    pub title: String,
    /// Its nodes.
    pub nodes: Vec<Node>,
    /// Its edges; at most one between two nodes reads well.
    pub edges: Vec<Edge>,
}

/// A node.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Node {
    /// The lines of its text.
    pub lines: Vec<String>,
    /// Further lines in a smaller font.
    pub small: Vec<String>,
    /// Further lines in the style of a warning.
    pub warning: Vec<String>,
    /// The text that is shown when the pointer is over it.
    pub tooltip: String,
}

/// An edge.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Edge {
    /// The node where it begins, or `None` if it begins at the start.
    pub from: Option<usize>,
    /// The node where it ends.
    pub to: usize,
    /// What it says.
    pub lines: Vec<String>,
    /// The text that is shown when the pointer is over it.
    pub tooltip: String,
}
