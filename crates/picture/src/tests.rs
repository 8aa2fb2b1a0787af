//! Properties of layouts, on random graphs, and of the files.

use crate::layout::{Layout, Rect, layout};
use crate::{Edge, Graph, Node, dot, svg};

/// Random numbers that are the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: u64) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((self.0 >> 33) % n) as usize
    }

    fn words(&mut self, n: u64) -> Vec<String> {
        let n = self.below(n) + 1;
        (0..n).map(|_| "w".repeat(1 + self.below(24))).collect()
    }
}

fn random(seed: u64) -> Graph {
    let mut chance = Chance(seed);
    let n_nodes = chance.below(12) + 1;
    let nodes = (0..n_nodes).map(|_| Node {
        lines: chance.words(3),
        warning: chance.words(2),
        ..Node::default()
    });
    let mut graph = Graph {
        title: format!("graph {seed}"),
        nodes: nodes.collect(),
        edges: Vec::new(),
    };
    let start = [(None, chance.below(n_nodes as u64))];
    let pairs = (0..n_nodes).flat_map(|from| (0..n_nodes).map(move |to| (Some(from), to)));
    for (from, to) in start.into_iter().chain(pairs) {
        if from.is_none() || chance.below(5) == 0 {
            graph.edges.push(Edge {
                from,
                to,
                lines: chance.words(4),
                ..Edge::default()
            });
        }
    }
    graph
}

fn overlap(one: &Rect, other: &Rect) -> bool {
    one.x + one.width > other.x
        && other.x + other.width > one.x
        && one.y + one.height > other.y
        && other.y + other.height > one.y
}

#[test]
fn no_node_or_label_lies_over_another_and_all_are_inside() {
    for seed in 0..300 {
        let graph = random(seed);
        let laid: Layout = layout(&graph, (100.0, 28.0));
        assert_eq!(laid.lines.len(), graph.edges.len(), "graph {seed}");
        let labels = laid.lines.iter().map(|it| it.label);
        let rects: Vec<Rect> = laid.nodes.iter().copied().chain(labels).collect();
        for (i, one) in rects.iter().enumerate() {
            let is_inside = one.x >= 0.0
                && one.y >= 28.0
                && one.x + one.width <= laid.width
                && one.y + one.height <= laid.height;
            assert!(is_inside, "graph {seed}: {one:?}");
            for other in &rects[i + 1..] {
                assert!(!overlap(one, other), "graph {seed}: {one:?} and {other:?}");
            }
        }
    }
}

#[test]
fn a_drawing_is_xml_whatever_the_text() {
    let graph = Graph {
        title: "Vec<&'a str>".to_owned(),
        nodes: vec![Node {
            lines: vec!["a < b && \"c\"\u{1}".to_owned()],
            ..Node::default()
        }],
        edges: Vec::new(),
    };
    let text = svg(&graph);
    assert!(text.contains("Vec&lt;&amp;'a str&gt;"), "{text}");
    assert!(
        text.contains("a &lt; b &amp;&amp; &quot;c&quot; <"),
        "{text}"
    );
    assert_eq!(text.matches("<g>").count(), text.matches("</g>").count());
    assert!(dot(&graph).contains(r#"a < b &amp;&amp; \"c\" "#));
}

#[test]
fn the_same_graph_gives_the_same_drawing() {
    assert_eq!(svg(&random(7)), svg(&random(7)));
}
