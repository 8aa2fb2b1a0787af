//! Where everything goes: columns from left to right, by the distance from the start.
//!
//! As Sugiyama, Tagawa and Toda have it (1981), with two changes. Between any two columns of nodes
//! stands a column of labels, and a label is a box like any other: boxes of a column never touch, and
//! lines cross a column only where they have a place in it, so no line or label lies over a node. And
//! an edge between two nodes of one column bulges into the column of labels beside it.

use std::collections::VecDeque;

use crate::boxes::{self, LOOP};
use crate::place::{Wish, settle};
use crate::{Edge, Graph};

/// The gap between two columns, in which lines change their height.
const GAP: f64 = 30.0;
/// The gap between two boxes of a column.
const SPACE: f64 = 14.0;
/// The height of a line that passes through a column of nodes.
const LANE: f64 = 10.0;
/// The gap between a label and the line below it.
pub(crate) const LIFT: f64 = 4.0;
/// The margin around the drawing.
const MARGIN: f64 = 16.0;
/// The radius of the dot that marks the start.
pub(crate) const START: f64 = 5.0;
/// How many times orders and heights are improved.
const ROUNDS: usize = 24;

#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Rect {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// The line of an edge, and its label.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Line {
    /// The index of the edge.
    pub(crate) edge: usize,
    /// Where it begins.
    pub(crate) begin: (f64, f64),
    /// Its pieces. Each is a curve with two control points, or straight.
    pub(crate) pieces: Vec<Piece>,
    /// The place of its label.
    pub(crate) label: Rect,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Piece {
    To((f64, f64)),
    Curve((f64, f64), (f64, f64), (f64, f64)),
}

/// The places of everything in the drawing.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Layout {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) nodes: Vec<Rect>,
    pub(crate) start: Option<(f64, f64)>,
    pub(crate) lines: Vec<Line>,
}

/// An item of a column: a node, a label, or the lane of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum What {
    Node(usize),
    Start,
    Label(usize),
    Lane,
}

#[derive(Clone, Debug)]
struct Item {
    what: What,
    column: usize,
    width: f64,
    height: f64,
    /// The distance from the centre of the box down to the point where lines meet it.
    drop: f64,
    /// The height at which lines meet it.
    at: f64,
    /// The items in the columns beside it that it is connected with.
    near: Vec<usize>,
}

impl Item {
    /// An item that is not connected with anything; lines meet it at its centre.
    fn new(what: What, column: usize, width: f64, height: f64) -> Item {
        Item {
            what,
            column,
            width,
            height,
            drop: 0.0,
            at: 0.0,
            near: Vec::new(),
        }
    }
}

/// The place of a column.
#[derive(Clone, Copy, Debug, Default)]
struct Column {
    left: f64,
    width: f64,
}

impl Column {
    fn right(self) -> f64 {
        self.left + self.width
    }
}

/// The way of an edge: the items at its ends and between them.
struct Way {
    edge: usize,
    items: Vec<usize>,
}

/// Lays a graph out below a title of this size.
pub(crate) fn layout(graph: &Graph, title: (f64, f64)) -> Layout {
    let (mut items, ways) = items(graph);
    let mut columns = ordered(&mut items);
    columns.retain(|column| !column.is_empty());
    raise(&mut items, &columns);

    let top = items
        .iter()
        .map(|it| it.at - it.drop - it.height / 2.0)
        .fold(f64::INFINITY, f64::min);
    let shift = MARGIN + title.1 - top;
    for item in &mut items {
        item.at += shift;
    }
    let bottom = items
        .iter()
        .map(|it| it.at - it.drop + it.height / 2.0)
        .fold(MARGIN + title.1, f64::max);

    // The column of each item.
    let mut columns_of = vec![Column::default(); items.len()];
    let mut x = MARGIN;
    for column in &columns {
        let width = column.iter().map(|it| items[*it].width).fold(0.0, f64::max);
        for item in column {
            columns_of[*item] = Column { left: x, width };
        }
        x += width + GAP;
    }
    let right = x - GAP;

    let mut out = Layout {
        width: right.max(MARGIN + title.0) + MARGIN,
        height: bottom + MARGIN,
        nodes: vec![Rect::default(); graph.nodes.len()],
        start: None,
        lines: Vec::new(),
    };
    for (item, column) in items.iter().zip(&columns_of) {
        let centre = column.left + column.width / 2.0;
        match item.what {
            What::Node(n) => {
                let (width, height) = boxes::node(&graph.nodes[n]);
                out.nodes[n] = Rect {
                    x: centre - width / 2.0,
                    y: item.at - height / 2.0,
                    width,
                    height,
                };
            }
            What::Start => out.start = Some((centre, item.at)),
            What::Label(_) | What::Lane => {}
        }
    }
    for (i, edge) in graph.edges.iter().enumerate() {
        if edge.from == Some(edge.to) {
            out.lines.push(own_loop(i, edge, out.nodes[edge.to]));
        }
    }
    let ends = ends(&items, &ways, &out);
    for (way, ends) in ways.iter().zip(ends) {
        out.lines.push(line(graph, way, ends, &items, &columns_of));
    }
    out
}

/// The column of each node, by its distance from the start. Nodes that the start does not lead to
/// begin at the left as well.
fn ranks(graph: &Graph) -> Vec<usize> {
    let mut ranks = vec![usize::MAX; graph.nodes.len()];
    let starts = graph.edges.iter().filter(|it| it.from.is_none());
    let roots = starts.map(|it| it.to).chain(0..graph.nodes.len());
    for root in roots {
        if ranks[root] != usize::MAX {
            continue;
        }
        ranks[root] = 0;
        let mut todo = VecDeque::from([root]);
        while let Some(node) = todo.pop_front() {
            for edge in graph.edges.iter().filter(|it| it.from == Some(node)) {
                if ranks[edge.to] == usize::MAX {
                    ranks[edge.to] = ranks[node] + 1;
                    todo.push_back(edge.to);
                }
            }
        }
    }
    ranks
}

/// The items of all columns, and the ways of all edges except loops.
fn items(graph: &Graph) -> (Vec<Item>, Vec<Way>) {
    let ranks = ranks(graph);
    let mut items: Vec<Item> = (0..graph.nodes.len())
        .map(|n| node_item(graph, n, 2 * ranks[n] + 2))
        .collect();
    if graph.edges.iter().any(|it| it.from.is_none()) {
        items.push(Item::new(What::Start, 0, 2.0 * START, 2.0 * START));
    }
    let start = graph.nodes.len();
    let mut ways = Vec::new();
    for (i, edge) in graph.edges.iter().enumerate() {
        let from = edge.from.unwrap_or(start);
        if from != edge.to {
            ways.push(way(&mut items, i, edge, from));
        }
    }
    (items, ways)
}

/// The box of a node, with room for the loops above it.
fn node_item(graph: &Graph, n: usize, column: usize) -> Item {
    let (width, height) = boxes::node(&graph.nodes[n]);
    let mut item = Item::new(What::Node(n), column, width, height);
    let loops = graph.edges.iter();
    for edge in loops.filter(|it| it.from == Some(n) && it.to == n) {
        let (width, height) = boxes::label(edge);
        item.width = item.width.max(width);
        item.height += height + LOOP;
        item.drop += (height + LOOP) / 2.0;
    }
    item
}

/// The way of an edge from this item: adds its label and its lanes, and connects them.
fn way(items: &mut Vec<Item>, i: usize, edge: &Edge, from: usize) -> Way {
    let (begin, end) = (items[from].column, items[edge.to].column);
    // A label is beside the node where its edge begins.
    let columns: Vec<usize> = match begin.cmp(&end) {
        std::cmp::Ordering::Less => (begin + 1..end).collect(),
        std::cmp::Ordering::Equal => vec![begin + 1],
        std::cmp::Ordering::Greater => (end + 1..begin).rev().collect(),
    };
    let mut way = vec![from];
    for (n, column) in columns.into_iter().enumerate() {
        let item = match n {
            0 => {
                let (width, height) = boxes::label(edge);
                let mut label = Item::new(What::Label(i), column, width, height + LIFT);
                if begin != end {
                    label.drop = (height + LIFT) / 2.0;
                }
                label
            }
            _ => Item::new(What::Lane, column, 0.0, LANE),
        };
        way.push(items.len());
        items.push(item);
    }
    way.push(edge.to);
    for pair in way.windows(2) {
        items[pair[0]].near.push(pair[1]);
        items[pair[1]].near.push(pair[0]);
    }
    Way {
        edge: i,
        items: way,
    }
}

/// The items of each column from top to bottom, in an order with few crossings.
fn ordered(items: &mut [Item]) -> Vec<Vec<usize>> {
    let n_columns = items.iter().map(|it| it.column + 1).max().unwrap_or(0);
    let mut columns = vec![Vec::new(); n_columns];
    for (i, item) in items.iter().enumerate() {
        columns[item.column].push(i);
    }
    let mut best = columns.clone();
    let mut fewest = n_crossings(items, &columns);
    for round in 0..ROUNDS {
        let is_forward = round % 2 == 0;
        for n in 0..n_columns {
            let column = if is_forward { n } else { n_columns - 1 - n };
            let mut place = vec![0.0; items.len()];
            for of in &columns {
                for (i, item) in of.iter().enumerate() {
                    place[*item] = (i as f64 + 0.5) / of.len() as f64;
                }
            }
            let wish = |item: &usize| {
                let near = items[*item].near.iter();
                let side = near.filter(|it| match is_forward {
                    true => items[**it].column < column,
                    false => items[**it].column > column,
                });
                let (sum, n) = side.fold((0.0, 0), |(sum, n), it| (sum + place[*it], n + 1));
                if n == 0 {
                    place[*item]
                } else {
                    sum / f64::from(n)
                }
            };
            let mut wishes: Vec<(f64, usize)> =
                columns[column].iter().map(|it| (wish(it), *it)).collect();
            wishes.sort_by(|one, other| one.0.total_cmp(&other.0));
            columns[column] = wishes.into_iter().map(|(_, item)| item).collect();
        }
        let crossings = n_crossings(items, &columns);
        if crossings < fewest {
            fewest = crossings;
            best = columns.clone();
        }
    }
    best
}

fn n_crossings(items: &[Item], columns: &[Vec<usize>]) -> usize {
    let mut place = vec![0; items.len()];
    for column in columns {
        for (i, item) in column.iter().enumerate() {
            place[*item] = i;
        }
    }
    let mut n = 0;
    for column in columns {
        let links: Vec<(usize, usize)> = column
            .iter()
            .flat_map(|item| {
                let right = items[*item].near.iter();
                let right = right.filter(|it| items[**it].column > items[*item].column);
                right.map(|it| (place[*item], place[*it]))
            })
            .collect();
        for (i, one) in links.iter().enumerate() {
            let crosses = |other: &&(usize, usize)| {
                one.0 < other.0 && one.1 > other.1 || one.0 > other.0 && one.1 < other.1
            };
            n += links[i + 1..].iter().filter(crosses).count();
        }
    }
    n
}

/// Gives every item its height, near the items that it is connected with.
fn raise(items: &mut [Item], columns: &[Vec<usize>]) {
    for round in 0..ROUNDS {
        for n in 0..columns.len() {
            let column = match round % 2 {
                0 => &columns[n],
                _ => &columns[columns.len() - 1 - n],
            };
            let wish = |item: &usize| {
                let item = &items[*item];
                let sum: f64 = item.near.iter().map(|it| items[*it].at).sum();
                let at = match item.near.len() {
                    0 => item.at,
                    n => sum / n as f64,
                };
                Wish {
                    centre: at - item.drop,
                    height: item.height + SPACE,
                    weight: match item.what {
                        What::Node(_) | What::Start => 2.0,
                        What::Label(_) | What::Lane => 1.0,
                    },
                }
            };
            let wishes: Vec<Wish> = column.iter().map(wish).collect();
            for (item, centre) in column.iter().zip(settle(&wishes)) {
                items[*item].at = centre + items[*item].drop;
            }
        }
    }
}

/// The points where ways meet the nodes at their ends: one above the other, in the order of the
/// heights that they lead to.
fn ends(items: &[Item], ways: &[Way], out: &Layout) -> Vec<[(f64, f64); 2]> {
    let mut ends = vec![[(0.0, 0.0); 2]; ways.len()];
    for (at, item) in items.iter().enumerate() {
        for is_right in [false, true] {
            // (height of what is next, way, which end of it)
            let mut met = Vec::new();
            for (w, way) in ways.iter().enumerate() {
                let last = way.items.len() - 1;
                for (end, here, next) in [(0, 0, 1), (1, last, last - 1)] {
                    let next = &items[way.items[next]];
                    let is_side = (next.column > item.column) == is_right;
                    if way.items[here] == at && is_side {
                        met.push((next.at, w, end));
                    }
                }
            }
            met.sort_by(|one, other| one.0.total_cmp(&other.0));
            let (x, room) = match item.what {
                What::Node(n) => {
                    let Rect {
                        x, width, height, ..
                    } = out.nodes[n];
                    (if is_right { x + width } else { x }, height - 12.0)
                }
                _ => (out.start.map_or(0.0, |it| it.0 + START), 0.0),
            };
            let step = (room / met.len() as f64).min(18.0);
            for (i, (_, way, end)) in met.iter().enumerate() {
                let above = i as f64 - (met.len() - 1) as f64 / 2.0;
                ends[*way][*end] = (x, item.at + above * step);
            }
        }
    }
    ends
}

fn line(
    graph: &Graph,
    way: &Way,
    [begin, end]: [(f64, f64); 2],
    items: &[Item],
    columns: &[Column],
) -> Line {
    let edge: &Edge = &graph.edges[way.edge];
    let between = &way.items[1..way.items.len() - 1];
    let Column { left, width: room } = columns[between[0]];
    let label = &items[between[0]];
    let (width, height) = boxes::label(edge);
    let (first, last) = (way.items[0], way.items[way.items.len() - 1]);
    let mut pieces = Vec::new();
    if items[first].column == items[last].column {
        // It bulges to the left side of its label, and comes back. A line that goes up has another
        // place than one that goes down, so that they do not lie over each other.
        let x = left - if end.1 > begin.1 { 5.0 } else { 12.0 };
        let reach = (end.1 - begin.1) / 4.0;
        pieces.push(Piece::Curve(
            (x, begin.1),
            (x, label.at - reach),
            (x, label.at),
        ));
        pieces.push(Piece::Curve((x, label.at + reach), (x, end.1), end));
        let label = Rect {
            x: left,
            y: label.at - height / 2.0,
            width,
            height,
        };
        return Line {
            edge: way.edge,
            begin,
            pieces,
            label,
        };
    }
    let is_forward = items[first].column < items[last].column;
    let mut from = begin;
    for item in between {
        let (left, right) = (columns[*item].left, columns[*item].right());
        let y = items[*item].at;
        let (near, far) = match is_forward {
            true => (left, right),
            false => (right, left),
        };
        pieces.extend(swing(from, (near, y), columns[first], is_forward));
        pieces.push(Piece::To((far, y)));
        from = (far, y);
    }
    pieces.extend(swing(from, end, columns[last], is_forward));
    Line {
        edge: way.edge,
        begin,
        pieces,
        label: Rect {
            x: left + (room - width) / 2.0,
            y: label.at - height - LIFT,
            width,
            height,
        },
    }
}

/// The pieces of a line from one height to another. Within a column a line is level, and bends only in the gap: a node may
/// be narrower than its column, and there are others above and below it.
fn swing(
    from: (f64, f64),
    to: (f64, f64),
    column: Column,
    is_forward: bool,
) -> impl Iterator<Item = Piece> {
    let (left, right) = (column.left, column.right());
    let inside = |x: f64| x > left && x < right;
    let mut pieces = Vec::new();
    let mut begin = from;
    if inside(from.0) {
        begin.0 = if is_forward { right } else { left };
        pieces.push(Piece::To(begin));
    }
    let mut end = to;
    if inside(to.0) {
        end.0 = if is_forward { left } else { right };
    }
    let middle = (begin.0 + end.0) / 2.0;
    pieces.push(Piece::Curve((middle, begin.1), (middle, end.1), end));
    if end != to {
        pieces.push(Piece::To(to));
    }
    pieces.into_iter()
}

/// The line of an edge that leads back to the node where it begins: a loop above it.
fn own_loop(i: usize, edge: &Edge, node: Rect) -> Line {
    let centre = node.x + node.width / 2.0;
    let half = boxes::LOOP_WIDTH / 2.0;
    let (width, height) = boxes::label(edge);
    let (begin, end) = ((centre - half, node.y), (centre + half, node.y));
    // A curve comes up to three quarters of the height of its control points.
    let peak = node.y - LOOP;
    Line {
        edge: i,
        begin,
        pieces: vec![Piece::Curve(
            (begin.0 - 10.0, peak),
            (end.0 + 10.0, peak),
            end,
        )],
        label: Rect {
            x: centre - width / 2.0,
            y: node.y - LOOP * 0.75 - LIFT - height,
            width,
            height,
        },
    }
}
