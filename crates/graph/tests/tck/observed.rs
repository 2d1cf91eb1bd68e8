//! What a statement has done to a graph, by looking at the graph before and after it.

use std::collections::{BTreeMap, BTreeSet};

use kvist_graph::storage::{Change, Entity, View};

/// How often something was made with an id: that of what was deleted is given to what is made next.
#[derive(Default)]
pub struct Makings(BTreeMap<Entity, usize>);

impl Makings {
    pub fn note(&mut self, changes: &[Change]) {
        for change in changes {
            let entity = match change {
                Change::CreateNode { id, .. } => Entity::Node(*id),
                Change::CreateEdge { id, .. } => Entity::Edge(*id),
                _ => continue,
            };
            *self.0.entry(entity).or_default() += 1;
        }
    }

    /// What names a node or an edge, and nothing else before or after it.
    fn name(&self, entity: Entity) -> String {
        format!("{entity:?} {:?}", self.0.get(&entity))
    }
}

/// All that there is in a graph, as sets.
#[derive(Debug, Default, PartialEq)]
pub struct Observed {
    nodes: BTreeSet<String>,
    edges: BTreeSet<String>,
    properties: BTreeSet<String>,
    labels: BTreeSet<String>,
}

impl Observed {
    pub fn of(view: &View, makings: &Makings) -> Self {
        let mut observed = Self::default();
        let mut ids = Vec::new();
        for segment in 0..view.node_segments() {
            view.append_nodes(segment, &[], &mut ids);
        }
        for id in ids {
            let name = makings.name(Entity::Node(id));
            observed.properties_of(view, Entity::Node(id), &name);
            observed.nodes.insert(name);
            let labels = view.labels_of(id).filter_map(|label| view.label_name(label));
            observed.labels.extend(labels.map(str::to_owned));
        }
        let mut ids = Vec::new();
        for segment in 0..view.edge_segments() {
            view.append_edges(segment, &mut ids);
        }
        for id in ids {
            let name = makings.name(Entity::Edge(id));
            observed.properties_of(view, Entity::Edge(id), &name);
            observed.edges.insert(name);
        }
        observed
    }

    fn properties_of(&mut self, view: &View, entity: Entity, name: &str) {
        for (key, value) in view.properties(entity) {
            self.properties.insert(format!("{name} {:?} {value:?}", view.key_name(key)));
        }
    }

    /// What came (`+nodes`) and went (`-nodes`), each with how many.
    pub fn changes(&self, after: &Self) -> BTreeMap<String, usize> {
        let kinds = [
            ("nodes", &self.nodes, &after.nodes),
            ("relationships", &self.edges, &after.edges),
            ("properties", &self.properties, &after.properties),
            ("labels", &self.labels, &after.labels),
        ];
        let mut changes = BTreeMap::new();
        for (kind, before, after) in kinds {
            changes.insert(format!("+{kind}"), after.difference(before).count());
            changes.insert(format!("-{kind}"), before.difference(after).count());
        }
        changes.retain(|_, count| *count > 0);
        changes
    }
}
