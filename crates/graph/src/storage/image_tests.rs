//! Images that are loaded with few edges entered in lists at a time.

use base::Rng;

use super::*;

/// Edges of three types between 3,000 nodes: two of them have most, and some edges are gone.
fn graph() -> Graph {
    let mut graph = Graph::default();
    let mut rng = Rng::new(7);
    let types: Vec<TypeId> =
        ["A", "B", "C"].iter().map(|name| graph.make_type(name).expect("room")).collect();
    for _ in 0..3_000 {
        graph.create_node(&[]).expect("room");
    }
    for _ in 0..40_000 {
        let kind = types[rng.below(types.len())];
        let ends = [rng.below(3_000), rng.below(3_000)];
        let [source, target] = match rng.below(3) {
            0 => [17, ends[1]],
            1 => [ends[0], 2_000],
            _ => ends,
        };
        let ends = Ends { kind, source: source as NodeId, target: target as NodeId };
        graph.create_edge(ends).expect("both are there");
    }
    for edge in (0..40_000).step_by(11) {
        graph.delete_edge(edge).expect("it is there");
    }
    graph
}

fn parts(graph: &Graph) -> Vec<Vec<u8>> {
    let part = |number| {
        let mut part = Vec::new();
        graph.put_image_part(number, &mut part);
        part
    };
    (0..graph.image_parts()).map(part).collect()
}

/// All neighbours of all nodes, by types, each with its edge.
fn neighbours(graph: &Graph) -> Vec<Vec<(NodeId, EdgeId)>> {
    let of = |lists: &super::super::adjacency::Lists, node| {
        let pairs = lists.of(node);
        pairs.flat_map(|(to, edges)| to.iter().copied().zip(edges.iter().copied())).collect()
    };
    let nodes = |lists| (0..3_000).map(move |node| of(lists, node));
    graph.links.iter().flat_map(|links| nodes(&links.out).chain(nodes(&links.into))).collect()
}

/// However few edges wait for being entered in lists, the lists are the same, and no more wait.
#[test]
fn lists_are_the_same_however_many_edges_are_entered_at_a_time() {
    let graph = graph();
    let (image, wanted) = (parts(&graph), neighbours(&graph));
    let counts: Vec<u32> = graph.links.iter().map(|links| links.count).collect();
    for most in [1, 3_000, 9_000, AT_A_TIME] {
        let mut loader = Loader::default();
        loader.links.most = most;
        for part in &image {
            loader.take_part(part).expect("it is the next part");
            let waiting: usize = loader.links.of_types.iter().map(Vec::len).sum();
            assert_eq!(waiting, loader.links.waiting);
            assert!(waiting < most, "{waiting} wait of {most}");
        }
        let loaded = loader.finish().expect("all parts are there");
        assert_eq!(loaded.links.iter().map(|links| links.count).collect::<Vec<_>>(), counts);
        assert!(neighbours(&loaded) == wanted, "{most} at a time");
        assert!(parts(&loaded) == image, "{most} at a time");
    }
}
