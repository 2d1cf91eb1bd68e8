//! Nodes with very many edges: what they cost, and that none is lost on the way into pages and out.

use std::sync::Arc;

use base::{Rng, Versions};
use kvist_graph::storage::{Direction, Ends, Graph, NodeId};
use testkit::seed;

use crate::model::{Model, same};

struct Star {
    graph: Graph,
    model: Model,
    kind: u16,
}

impl Star {
    fn new(nodes: usize) -> Self {
        let mut graph = Graph::default();
        let kind = graph.make_type("KNOWS").unwrap();
        let mut model = Model { types: 1, ..Model::default() };
        for _ in 0..nodes {
            model.nodes.insert(graph.create_node(&[]).unwrap(), Default::default());
        }
        Star { graph, model, kind }
    }

    fn connect(&mut self, source: NodeId, target: NodeId) {
        let ends = Ends { kind: self.kind, source, target };
        let id = self.graph.create_edge(ends).unwrap();
        assert!(self.model.edges.insert(id, (ends, Default::default())).is_none());
    }

    fn cut(&mut self, rng: &mut Rng) {
        let id = rng.below(30_000) as u32;
        let known = self.model.edges.range(id..).next().map(|(&id, _)| id);
        let Some(id) = known.or(self.model.edges.keys().next().copied()) else { return };
        self.model.edges.remove(&id);
        self.graph.delete_edge(id).unwrap();
    }
}

#[test]
fn edges_move_into_pages_and_back() {
    let mut rng = seed::rng();
    let mut star = Star::new(40);
    for _ in 0..24_000 {
        let source = if rng.below(3) > 0 { rng.below(2) } else { rng.below(40) };
        star.connect(source as u32, rng.below(40) as u32);
    }
    same(&star.graph, &star.model);
    // Ids that become free are used again: edges come into the middle of lists.
    for _ in 0..6000 {
        star.cut(&mut rng);
        star.cut(&mut rng);
        star.connect(rng.below(2) as u32, rng.below(40) as u32);
    }
    same(&star.graph, &star.model);
    while star.model.edges.len() > 200 {
        star.cut(&mut rng);
    }
    same(&star.graph, &star.model);
    star.graph.detach_and_delete_node(0).unwrap();
    star.model.nodes.remove(&0);
    star.model.edges.retain(|_, (ends, _)| ends.source != 0 && ends.target != 0);
    same(&star.graph, &star.model);
    while !star.model.edges.is_empty() {
        star.cut(&mut rng);
    }
    same(&star.graph, &star.model);
}

/// With a version before each, an edge more copies a few blocks, not the list.
#[test]
fn an_edge_of_a_large_node_copies_little() {
    let versions = Arc::new(Versions::default());
    let mut star = Star::new(3);
    for _ in 0..100_000 {
        star.connect(0, 1);
    }
    assert_eq!(star.graph.degree(0, star.kind, Direction::Out), 100_000);
    let whole = star.graph.memory();
    let mut most = 0;
    for _ in 0..50 {
        let version = star.graph.freeze(&versions);
        star.connect(0, 2);
        most = most.max(versions.kept());
        drop(version);
    }
    assert!(most < 64 << 10, "{most} of {whole}");
    assert_eq!(star.graph.detach_and_delete_node(0), Ok(100_050));
    assert_eq!(star.graph.edge_count(), 0);
}
