//! A graph in the language of Graphviz.

use std::fmt::Write as _;

use crate::Graph;

/// The graph for `dot -Tsvg` and its like.
pub fn dot(graph: &Graph) -> String {
    let mut out = String::from("digraph states {\n");
    let _ = writeln!(out, "  label={};", quoted(&graph.title));
    out.push_str(
        "  labelloc=t; rankdir=LR; fontname=\"monospace\"; nodesep=0.4; ranksep=0.6;\n  \
         node [shape=box, style=\"rounded,filled\", fillcolor=\"#eef4fb\", color=\"#3b6ea5\", \
         fontname=\"monospace\", fontsize=11];\n  \
         edge [fontname=\"monospace\", fontsize=10, color=\"#555555\", arrowsize=0.7];\n",
    );
    if graph.edges.iter().any(|edge| edge.from.is_none()) {
        out.push_str(
            "  start [shape=point, width=0.12, color=\"#333333\", fillcolor=\"#333333\", label=\"\"];\n",
        );
    }
    for (n, node) in graph.nodes.iter().enumerate() {
        let lines: Vec<&str> = [&node.lines, &node.small, &node.warning]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        let _ = writeln!(
            out,
            "  n{n} [label={}, tooltip={}];",
            quoted(&lines.join("\n")),
            quoted(&node.tooltip)
        );
    }
    for edge in &graph.edges {
        let from = match edge.from {
            Some(from) => format!("n{from}"),
            None => "start".to_owned(),
        };
        let tooltip = quoted(&edge.tooltip);
        let _ = writeln!(
            out,
            "  {from} -> n{} [label={}, tooltip={tooltip}, labeltooltip={tooltip}];",
            edge.to,
            quoted(&edge.lines.join("\n")),
        );
    }
    out.push_str("}\n");
    out
}

/// The text in quotes. Graphviz reads escapes of its own in quotes (`\n`, `\N`), and ends the text
/// at a NUL.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push(' '),
            // Graphviz reads entities even in quotes.
            '&' => out.push_str("&amp;"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn what_means_something_to_graphviz_is_escaped() {
        assert_eq!(quoted(r#"a "b" \N"#), r#""a \"b\" \\N""#);
        assert_eq!(quoted("a\nb\0c"), r#""a\nb c""#);
        assert_eq!(quoted("&T < 1 {|}"), r#""&amp;T < 1 {|}""#);
    }
}
