//! A graph as a drawing: one file, no scripts, no fonts of its own.

use std::fmt::Write as _;

use crate::boxes::{self, FONT, LEADING, PADDING, SMALL};
use crate::layout::{Layout, Piece, Rect, START, layout};
use crate::{Graph, Node};

/// The size of the title.
const TITLE: f64 = 14.0;

const STYLE: &str = "text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;\
fill:#1f2933}.t{font-size:14px;font-weight:bold}.n{font-size:13px}.s{font-size:11.5px;fill:#66717d}\
.w{font-size:11.5px;fill:#b3261e}.l{font-size:11.5px;fill:#29405a}\
.b{fill:#eef4fb;stroke:#3b6ea5;stroke-width:1.3}.e{fill:none;stroke:#66788a;stroke-width:1.2}";

/// The drawing, on a white background.
pub fn svg(graph: &Graph) -> String {
    let title = match graph.title.is_empty() {
        true => (0.0, 0.0),
        false => (boxes::width(&graph.title, TITLE), TITLE * 2.0),
    };
    let laid = layout(graph, title);
    let Layout { width, height, .. } = laid;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\">\n<title>{}</title>\n\
         <style>{STYLE}</style>\n\
         <defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"7.5\" refY=\"4\" markerWidth=\"7\" \
         markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0.5L8 4L0 7.5z\" fill=\"#66788a\"/></marker></defs>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
        escaped(&graph.title)
    );
    if !graph.title.is_empty() {
        let _ = writeln!(
            out,
            "<text class=\"t\" x=\"16\" y=\"{:.0}\">{}</text>",
            16.0 + TITLE,
            escaped(&graph.title)
        );
    }
    for line in &laid.lines {
        let edge = &graph.edges[line.edge];
        let _ = writeln!(out, "<g><title>{}</title>", escaped(&edge.tooltip));
        let mut path = format!("M{:.1} {:.1}", line.begin.0, line.begin.1);
        for piece in &line.pieces {
            let _ = match piece {
                Piece::To((x, y)) => write!(path, "L{x:.1} {y:.1}"),
                Piece::Curve((ax, ay), (bx, by), (x, y)) => {
                    write!(path, "C{ax:.1} {ay:.1} {bx:.1} {by:.1} {x:.1} {y:.1}")
                }
            };
        }
        let _ = writeln!(
            out,
            "<path class=\"e\" d=\"{path}\" marker-end=\"url(#a)\"/>"
        );
        let is_flat = edge.from.is_some_and(|from| {
            from != edge.to
                && laid.nodes[from].x + laid.nodes[from].width <= line.label.x
                && laid.nodes[edge.to].x + laid.nodes[edge.to].width <= line.label.x
        });
        text(&mut out, "l", SMALL, line.label, &edge.lines, !is_flat);
        out.push_str("</g>\n");
    }
    if let Some((x, y)) = laid.start {
        let _ = writeln!(
            out,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{START}\" fill=\"#1f2933\"/>"
        );
    }
    for (node, rect) in graph.nodes.iter().zip(&laid.nodes) {
        draw_node(&mut out, node, *rect);
    }
    out.push_str("</svg>\n");
    out
}

fn draw_node(out: &mut String, node: &Node, rect: Rect) {
    let Rect {
        x,
        y,
        width,
        height,
    } = rect;
    let _ = writeln!(
        out,
        "<g><title>{}</title>\n<rect class=\"b\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" \
         height=\"{height:.1}\" rx=\"8\"/>",
        escaped(&node.tooltip)
    );
    let n_below = node.small.len() + node.warning.len();
    let inside = (node.lines.len() as f64 * FONT + n_below as f64 * SMALL) * LEADING;
    let mut part = Rect {
        x,
        y: y + PADDING.max((height - inside) / 2.0),
        width,
        height: 0.0,
    };
    for (class, font, lines) in [
        ("n", FONT, &node.lines),
        ("s", SMALL, &node.small),
        ("w", SMALL, &node.warning),
    ] {
        text(out, class, font, part, lines, true);
        part.y += lines.len() as f64 * font * LEADING;
    }
    out.push_str("</g>\n");
}

/// Lines from the top of a place downwards.
fn text(out: &mut String, class: &str, font: f64, rect: Rect, lines: &[String], is_centred: bool) {
    let (x, anchor) = match is_centred {
        true => (rect.x + rect.width / 2.0, " text-anchor=\"middle\""),
        false => (rect.x, ""),
    };
    for (i, line) in lines.iter().enumerate() {
        // The baseline is about a quarter of the leading above the bottom of the line.
        let y = rect.y + (i as f64 + 0.76) * font * LEADING;
        let _ = writeln!(
            out,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\"{anchor}>{}</text>",
            escaped(line)
        );
    }
}

/// The text as XML. Characters that XML cannot have become blanks.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push('\n'),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
