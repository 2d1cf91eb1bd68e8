//! Constraints: what a statement breaks is found in what it has changed.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Rng, Versions};
use kvist_graph::storage::{
    CHECK_EVERY, Constraint, ConstraintKind, Ends, Entity, Graph, Of, On, PropertyRef, Rejected,
    View,
};
use testkit::seed;

use crate::random::{apply, reload};

fn unique(of: Of, keys: &[u16]) -> Constraint {
    Constraint { kind: ConstraintKind::Unique, on: On::new(of, keys) }
}

fn mandatory(of: Of, keys: &[u16]) -> Constraint {
    Constraint { kind: ConstraintKind::Mandatory, on: On::new(of, keys) }
}

/// A graph with a label, a type and two properties, and indexes on both of nodes and on the first
/// of edges.
fn graph() -> (Graph, Of, Of, [u16; 2]) {
    let mut graph = Graph::default();
    let (label, kind) = (graph.make_label("P").unwrap(), graph.make_type("K").unwrap());
    let keys = ["a", "b"].map(|name| graph.make_key(name).unwrap());
    let (nodes, edges) = (Of::Label(label), Of::Type(kind));
    graph.create_index(On::new(nodes, &keys)).unwrap();
    graph.create_index(On::new(edges, &keys[..1])).unwrap();
    (graph, nodes, edges, keys)
}

/// A check is never told to end.
fn on() -> Result<(), Rejected> {
    Ok(())
}

fn told(graph: &Graph) -> Option<String> {
    graph.broken_constraint(on).unwrap().map(|broken| broken.text(graph))
}

#[test]
fn what_breaks_is_said_as_clients_know_it() {
    let (mut graph, nodes, edges, [a, b]) = graph();
    let one = PropertyRef::Integer(1);
    for constraint in [
        unique(nodes, &[b, a]),
        mandatory(nodes, &[b]),
        unique(edges, &[a]),
        mandatory(edges, &[b]),
    ] {
        graph.create_constraint(constraint.clone(), on).unwrap();
        assert_eq!(graph.create_constraint(constraint, on), Err(Rejected::Exists));
    }
    assert_eq!(graph.create_constraint(unique(nodes, &[a, b]), on), Err(Rejected::Exists));
    let node = graph.create_node(&[0]).unwrap();
    let lacks = "mandatory constraint violation: node with label P missing property b";
    assert_eq!(told(&graph).as_deref(), Some(lacks));
    graph.set(Entity::Node(node), b, one).unwrap();
    assert_eq!(told(&graph), None);
    graph.set(Entity::Node(node), a, one).unwrap();
    // A node without the label is nothing to them, until it has it.
    let other = graph.create_node(&[]).unwrap();
    graph.set(Entity::Node(other), a, PropertyRef::Float(1.0)).unwrap();
    graph.set(Entity::Node(other), b, one).unwrap();
    assert_eq!(told(&graph), None);
    let _ = graph.take_changes();
    graph.add_label(other, 0).unwrap();
    let twins = "unique constraint violation on node of type P";
    assert_eq!(told(&graph).as_deref(), Some(twins));
    graph.set(Entity::Node(other), a, PropertyRef::Float(f64::NAN)).unwrap();
    graph.set(Entity::Node(node), a, PropertyRef::Float(f64::NAN)).unwrap();
    assert_eq!(told(&graph), None, "no NaN is equal to another");
    let ends = Ends { kind: 0, source: node, target: other };
    let [first, second] = [0, 1].map(|_| Entity::Edge(graph.create_edge(ends).unwrap()));
    let lacks = "mandatory constraint violation: edge with relationship-type K missing property b";
    assert_eq!(told(&graph).as_deref(), Some(lacks));
    for edge in [first, second] {
        graph.set(edge, b, one).unwrap();
        assert_eq!(told(&graph).is_none(), edge == second);
    }
    for edge in [first, second] {
        graph.set(edge, a, one).unwrap();
    }
    let twins = "unique constraint violation, on edge of relationship-type K";
    assert_eq!(told(&graph).as_deref(), Some(twins));
    // What is taken away again breaks nothing.
    graph.delete_edge(second.id()).unwrap();
    assert_eq!(told(&graph), None);
}

#[test]
fn constraints_are_refused_that_cannot_be() {
    let (mut graph, nodes, edges, [a, b]) = graph();
    let one = PropertyRef::Integer(1);
    let ids = [0, 1].map(|_| graph.create_node(&[0]).unwrap());
    let broken = graph.create_constraint(mandatory(nodes, &[a]), on).unwrap();
    assert_eq!(broken.map(|it| (it.entity, it.missing)), Some((Entity::Node(ids[0]), Some(a))));
    for id in ids {
        graph.set(Entity::Node(id), a, one).unwrap();
        graph.set(Entity::Node(id), b, one).unwrap();
    }
    let both = unique(nodes, &[a, b]);
    let broken = graph.create_constraint(both.clone(), on).unwrap();
    assert_eq!(broken.map(|it| it.entity), Some(Entity::Node(ids[1])));
    assert_eq!(graph.create_constraint(unique(nodes, &[a]), on), Err(Rejected::NoIndex));
    assert_eq!(graph.create_constraint(mandatory(nodes, &[]), on), Err(Rejected::Unfit));
    assert_eq!(graph.create_constraint(mandatory(nodes, &[a, a]), on), Err(Rejected::Unfit));
    assert_eq!(graph.create_constraint(mandatory(nodes, &[9]), on), Err(Rejected::Missing));
    assert_eq!(graph.create_constraint(mandatory(Of::Type(9), &[a]), on), Err(Rejected::Missing));
    assert_eq!(graph.drop_constraint(both.clone()), Err(Rejected::Missing));
    assert!(graph.constraints().is_empty());
    graph.set(Entity::Node(ids[1]), a, PropertyRef::Null).unwrap();
    graph.create_constraint(both.clone(), on).unwrap();
    let index = On::new(nodes, &[a, b]);
    assert_eq!(graph.drop_index(index.clone()), Err(Rejected::Needed));
    graph.drop_index(On::new(edges, &[a])).unwrap();
    graph.drop_constraint(both).unwrap();
    graph.drop_index(index).unwrap();
    // An index that is not whole is none yet.
    graph.create_index(On::new(nodes, &[b])).unwrap();
    assert_eq!(graph.create_constraint(unique(nodes, &[b]), on), Err(Rejected::NoIndex));
}

/// Whether all constraints hold, looked at from the beginning.
fn hold(view: &View, [a, b]: [u16; 2]) -> bool {
    let mut ids = Vec::new();
    (0..view.node_segments()).for_each(|segment| view.append_nodes(segment, &[0], &mut ids));
    let number = |id, key| match view.property(Entity::Node(id), key) {
        PropertyRef::Integer(number) => Some(number),
        PropertyRef::Float(number) => Some(number as i64),
        _ => None,
    };
    let mut seen: BTreeMap<(i64, i64), u32> = BTreeMap::new();
    ids.iter().all(|&id| match (number(id, a), number(id, b)) {
        (Some(a), Some(b)) => seen.insert((a, b), id).is_none(),
        (_, b) => b.is_some(),
    })
}

fn statement(graph: &mut Graph, [a, b]: [u16; 2], rng: &mut Rng) {
    for _ in 0..1 + rng.below(4) {
        let id = rng.below(60) as u32;
        let key = if rng.below(2) == 0 { a } else { b };
        let value = match rng.below(12) {
            0 => PropertyRef::Null,
            1..=4 => PropertyRef::Float(rng.below(12) as f64),
            _ => PropertyRef::Integer(rng.below(12) as i64),
        };
        let _ = match rng.below(10) {
            0 => graph.create_node(&[0]).and_then(|id| graph.set(Entity::Node(id), b, value)),
            1 => graph.create_node(&[]).map(|_| true),
            2 => graph.add_label(id, 0),
            3 => graph.remove_label(id, 0),
            4 => graph.detach_and_delete_node(id).map(|_| true),
            _ => graph.set(Entity::Node(id), key, value),
        };
    }
}

#[test]
fn a_statement_breaks_what_it_breaks() {
    let mut rng = seed::rng();
    let versions = Arc::new(Versions::default());
    let (mut graph, nodes, _, keys) = graph();
    let mut replica = Graph::default();
    graph.create_constraint(unique(nodes, &keys), on).unwrap();
    graph.create_constraint(mandatory(nodes, &keys[1..]), on).unwrap();
    apply(&mut replica, &graph.take_changes());
    let mut outcomes = [0, 0];
    for _ in 0..3000 {
        let mut fork = graph.fork(&versions);
        statement(&mut fork, keys, &mut rng);
        let holds = hold(&fork, keys);
        assert_eq!(fork.broken_constraint(on).unwrap().is_none(), holds, "{:?}", fork.changes());
        outcomes[usize::from(holds)] += 1;
        if holds {
            let (changes, settled) = graph.adopt(fork).ok().unwrap();
            apply(&mut replica, &changes);
            drop(settled);
        }
    }
    assert!(outcomes.iter().all(|&count| count > 300), "{outcomes:?}");
    let loaded = reload(&graph, &mut rng);
    for other in [&replica, &loaded] {
        assert_eq!(other.constraints(), graph.constraints());
        assert!(hold(other, keys) && other.building().is_none());
    }
    assert_eq!(versions.kept(), 0);
}

/// Checks of many nodes and relationships ask whether they go on, and end where they may not.
#[test]
fn long_checks_can_be_ended() {
    let (mut graph, nodes, _, keys) = graph();
    let many = 3 * CHECK_EVERY as i64;
    for number in 0..many {
        let node = Entity::Node(graph.create_node(&[0]).unwrap());
        graph.set(node, keys[0], PropertyRef::Integer(number)).unwrap();
        graph.set(node, keys[1], PropertyRef::Integer(1)).unwrap();
    }
    for constraint in [unique(nodes, &keys), mandatory(nodes, &keys)] {
        let mut asked = 0;
        let ended = graph.create_constraint(constraint.clone(), || {
            asked += 1;
            if asked == 2 { Err(Rejected::Unfit) } else { Ok(()) }
        });
        assert_eq!((ended, asked), (Err(Rejected::Unfit), 2));
        assert!(graph.constraints().iter().all(|other| !other.is_same(&constraint)));
        assert_eq!(graph.create_constraint(constraint, on), Ok(None));
    }
    // There are three changes to a node, and two constraints.
    let mut asked = 0;
    let go_on = || {
        asked += 1;
        Ok::<(), Rejected>(())
    };
    assert_eq!(graph.broken_constraint(go_on), Ok(None));
    assert_eq!(asked, 3 * 3 + 3 * 2);
    for end in [1, 12] {
        let mut asked = 0;
        let ended = graph.broken_constraint(|| {
            asked += 1;
            if asked == end { Err(Rejected::Unfit) } else { Ok(()) }
        });
        assert_eq!((ended, asked), (Err(Rejected::Unfit), end));
    }
}
