//! Small graphs for algorithms, by hand and at random, and what may be spent on them.

use base::Rng;
use kvist_graph::algorithm::Budget;
use kvist_graph::storage::{EdgeId, Ends, Entity, Graph, NodeId, PropertyRef};

/// More than any test needs.
pub const MEMORY: usize = 1 << 30;

/// Work that is never ended.
pub fn work() -> Budget<'static> {
    Budget::new(MEMORY, &|_| true)
}

/// An edge as a naive algorithm sees it.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    pub id: EdgeId,
    pub from: NodeId,
    pub to: NodeId,
    pub weight: Option<f64>,
    pub cost: Option<f64>,
}

/// A graph, and the same as lists.
#[derive(Default)]
pub struct Network {
    pub graph: Graph,
    pub nodes: Vec<NodeId>,
    pub links: Vec<Link>,
}

impl Network {
    /// So many nodes with a label, without edges.
    pub fn new(nodes: usize, label: &str) -> Self {
        let mut network = Network::default();
        network.add(nodes, label);
        network
    }

    pub fn add(&mut self, nodes: usize, label: &str) {
        let label = self.graph.make_label(label).unwrap();
        for _ in 0..nodes {
            self.nodes.push(self.graph.create_node(&[label]).unwrap());
        }
    }

    /// An edge of a type, with its weight and its cost.
    pub fn link(
        &mut self,
        kind: &str,
        (from, to): (NodeId, NodeId),
        [weight, cost]: [PropertyRef<'_>; 2],
    ) -> EdgeId {
        let kind = self.graph.make_type(kind).unwrap();
        let id = self.graph.create_edge(Ends { kind, source: from, target: to }).unwrap();
        for (name, value) in [("w", weight), ("c", cost)] {
            let key = self.graph.make_key(name).unwrap();
            self.graph.set(Entity::Edge(id), key, value).unwrap();
        }
        let [weight, cost] = [weight, cost].map(|value| match value {
            PropertyRef::Integer(number) => Some(number as f64),
            PropertyRef::Float(number) if !number.is_nan() => Some(number),
            _ => None,
        });
        self.links.push(Link { id, from, to, weight, cost });
        id
    }

    /// Edges of one type without properties.
    pub fn links(&mut self, kind: &str, ends: &[(NodeId, NodeId)]) {
        for &ends in ends {
            self.link(kind, ends, [PropertyRef::Null; 2]);
        }
    }

    /// A graph with loops, parallel edges, gaps among the ids, and numbers that are missing.
    pub fn random(rng: &mut Rng, least: i64) -> Self {
        let mut network = Network::new(1 + rng.below(7), "A");
        let gap = network.nodes[rng.below(network.nodes.len())];
        if network.nodes.len() > 1 {
            network.graph.delete_node(gap).unwrap();
            network.nodes.retain(|&node| node != gap);
        }
        for _ in 0..rng.below(14) {
            let mut end = || network.nodes[rng.below(network.nodes.len())];
            let ends = (end(), end());
            let mut number = || match rng.below(8) {
                0 => PropertyRef::Null,
                1 => PropertyRef::Text("three"),
                2 => PropertyRef::Float(rng.below(8) as f64 / 2.0),
                3 => PropertyRef::Float(f64::NAN),
                _ => PropertyRef::Integer(least + rng.below(5) as i64),
            };
            let numbers = [number(), number()];
            network.link("F", ends, numbers);
        }
        network
    }
}
