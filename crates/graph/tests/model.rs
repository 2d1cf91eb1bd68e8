//! A naive graph, and whether a graph is the same.

use std::collections::{BTreeMap, BTreeSet};

use kvist_graph::storage::{
    Direction, EdgeId, Ends, Entity, KeyId, LabelId, NodeId, Property, TypeId, Vector, View,
};

type Properties = BTreeMap<KeyId, Property>;

#[derive(Clone, Default)]
pub struct Model {
    pub nodes: BTreeMap<NodeId, (BTreeSet<LabelId>, Properties)>,
    pub edges: BTreeMap<EdgeId, (Ends, Properties)>,
    pub labels: LabelId,
    pub types: TypeId,
    pub keys: KeyId,
}

impl Model {
    pub fn properties(&mut self, entity: Entity) -> Option<&mut Properties> {
        match entity {
            Entity::Node(id) => self.nodes.get_mut(&id).map(|(_, properties)| properties),
            Entity::Edge(id) => self.edges.get_mut(&id).map(|(_, properties)| properties),
        }
    }

    pub fn edges_of(&self, node: NodeId) -> Vec<EdgeId> {
        let of = |ends: &Ends| ends.source == node || ends.target == node;
        self.edges.iter().filter(|(_, (ends, _))| of(ends)).map(|(&id, _)| id).collect()
    }
}

/// The graph is what the model is, however it is read.
pub fn same(view: &View, model: &Model) {
    assert_eq!(view.node_count(), model.nodes.len());
    assert_eq!(view.edge_count(), model.edges.len());
    let mut ids = Vec::new();
    (0..view.node_segments()).for_each(|segment| view.append_nodes(segment, &[], &mut ids));
    assert!(ids.iter().eq(model.nodes.keys()), "other nodes");
    let mut edges = Vec::new();
    (0..view.edge_segments()).for_each(|segment| view.append_edges(segment, &mut edges));
    assert!(edges.iter().eq(model.edges.keys()), "other edges");
    same_labels(view, model);
    for (&id, (labels, properties)) in &model.nodes {
        assert!(view.labels_of(id).eq(labels.iter().copied()));
        same_properties(view, Entity::Node(id), properties);
    }
    for (&id, (ends, properties)) in &model.edges {
        assert_eq!(view.ends(id), Some(*ends));
        same_properties(view, Entity::Edge(id), properties);
    }
    same_lists(view, model);
    for key in 0..model.keys {
        let mut vector = Vector::default();
        view.fetch_of_nodes(key, &ids, &mut vector);
        assert_eq!(vector.len(), ids.len());
        for (at, (_, properties)) in model.nodes.values().enumerate() {
            let expected = properties.get(&key).unwrap_or(&Property::Null);
            assert_eq!(vector.get(at), expected.as_ref());
            assert_eq!(vector.is_null(at), matches!(expected, Property::Null));
        }
        vector.clear();
        let backwards: Vec<EdgeId> = edges.iter().rev().copied().collect();
        view.fetch_of_edges(key, &backwards, &mut vector);
        for (at, (_, properties)) in model.edges.values().rev().enumerate() {
            let expected = properties.get(&key).unwrap_or(&Property::Null);
            assert_eq!(vector.get(at), expected.as_ref());
        }
    }
}

fn same_labels(view: &View, model: &Model) {
    assert_eq!(view.label_names().count(), usize::from(model.labels));
    for label in 0..model.labels {
        let with: Vec<NodeId> = model
            .nodes
            .iter()
            .filter(|(_, (labels, _))| labels.contains(&label))
            .map(|(&id, _)| id)
            .collect();
        assert_eq!(view.label_count(label), with.len());
        let mut ids = Vec::new();
        (0..view.node_segments()).for_each(|number| view.append_nodes(number, &[label], &mut ids));
        assert_eq!(ids, with);
        let (mut both, other) = (Vec::new(), (label + 1) % model.labels);
        let labels = [label, other];
        (0..view.node_segments()).for_each(|number| view.append_nodes(number, &labels, &mut both));
        assert!(both.iter().eq(with.iter().filter(|id| view.has_label(**id, other))));
    }
}

fn same_properties(view: &View, entity: Entity, properties: &Properties) {
    let expected = properties.iter().map(|(&key, value)| (key, value.as_ref()));
    assert!(view.properties(entity).eq(expected), "other properties of {entity:?}");
}

fn same_lists(view: &View, model: &Model) {
    let mut lists: BTreeMap<(TypeId, bool, NodeId), Vec<(NodeId, EdgeId)>> = BTreeMap::new();
    let mut counts = vec![0; usize::from(model.types)];
    for (&id, (ends, _)) in &model.edges {
        lists.entry((ends.kind, true, ends.source)).or_default().push((ends.target, id));
        lists.entry((ends.kind, false, ends.target)).or_default().push((ends.source, id));
        counts[usize::from(ends.kind)] += 1;
    }
    for (kind, &count) in (0..).zip(&counts) {
        assert_eq!(view.type_count(kind), count);
        for &node in model.nodes.keys() {
            for (out, direction) in [(true, Direction::Out), (false, Direction::In)] {
                let expected = lists.get(&(kind, out, node)).cloned().unwrap_or_default();
                let slices = view.neighbours(node, kind, direction);
                let found: Vec<_> = slices
                    .flat_map(|(to, edges)| to.iter().copied().zip(edges.iter().copied()))
                    .collect();
                assert_eq!(found, expected);
                assert_eq!(view.degree(node, kind, direction), expected.len());
            }
        }
    }
}
