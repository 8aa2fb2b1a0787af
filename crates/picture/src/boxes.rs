//! How much room text takes. There is no font to measure: it is set in a fixed width, and a character
//! gets more than the usual fonts of that kind need.

use crate::{Edge, Node};

/// The font size of a node's main lines.
pub(crate) const FONT: f64 = 13.0;
/// The font size of a node's other lines, and of labels at edges.
pub(crate) const SMALL: f64 = 11.5;
/// The distance from line to line, as a multiple of the font size.
pub(crate) const LEADING: f64 = 1.35;
/// The room around the text of a node.
pub(crate) const PADDING: f64 = 9.0;
/// The height of the loop above a node that leads back to itself.
pub(crate) const LOOP: f64 = 26.0;
/// How far apart the ends of a loop are.
pub(crate) const LOOP_WIDTH: f64 = 34.0;

/// The width of a line.
pub(crate) fn width(text: &str, font: f64) -> f64 {
    // Other than Latin letters may be twice as wide.
    let units: usize = text
        .chars()
        .map(|c| if c < '\u{2e80}' { 1 } else { 2 })
        .sum();
    units as f64 * font * 0.625
}

fn widest(lines: &[String], font: f64) -> f64 {
    lines.iter().map(|it| width(it, font)).fold(0.0, f64::max)
}

/// Width and height of a node without its loop.
pub(crate) fn node(node: &Node) -> (f64, f64) {
    let below = widest(&node.small, SMALL).max(widest(&node.warning, SMALL));
    let width = widest(&node.lines, FONT).max(below);
    let n_below = node.small.len() + node.warning.len();
    let height = (node.lines.len() as f64 * FONT + n_below as f64 * SMALL) * LEADING;
    (
        (width + 2.0 * PADDING).max(70.0),
        (height + 2.0 * PADDING).max(36.0),
    )
}

/// Width and height of an edge's label.
pub(crate) fn label(edge: &Edge) -> (f64, f64) {
    let height = edge.lines.len() as f64 * SMALL * LEADING;
    (widest(&edge.lines, SMALL), height)
}
