use krate::graph::{Graph, NodeIndex, UnGraph};
use krate::matrix_graph::MatrixGraph;
use krate::stable_graph::StableGraph;
use krate::unionfind::UnionFind;
use krate::graphmap::UnGraphMap;

fn value(random: &mut Random, judge: &mut Judge) {
    let edges = random.list(|it| (it.below(6) as u32, it.below(6) as u32));
    let mut graph: Graph<(), ()> = Graph::from_edges(edges.iter().copied());
    graph.remove_node(NodeIndex::new(random.below(4) as usize));
    judge.same(&graph);
    judge.same(&graph.node_indices());
    let graph: UnGraph<String, u8> = graph.map(|_, _| "a".to_owned(), |_, _| 5).into_edge_type();
    judge.same(&graph);
    let mut stable: StableGraph<(), ()> = StableGraph::from_edges(edges.iter().copied());
    stable.remove_node(NodeIndex::new(random.below(4) as usize));
    judge.same(&stable);
    let once: std::collections::BTreeSet<(u32, u32)> = edges.iter().copied().collect();
    let once = once.into_iter().map(|(a, b)| (a as u16, b as u16, 1));
    let matrix: MatrixGraph<(), u8> = MatrixGraph::from_edges(once);
    judge.same(&matrix);
    let map: UnGraphMap<u32, ()> = UnGraphMap::from_edges(edges.iter().copied());
    judge.same(&map);
    let mut sets = UnionFind::<u8>::new(6);
    for (a, b) in edges {
        sets.union(a as u8, b as u8);
    }
    judge.same(&sets);
}
