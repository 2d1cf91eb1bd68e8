//! Random changes, forks and versions, against the model; and the changes, applied elsewhere.

use std::sync::Arc;

use base::codec::Source;
use base::{Rng, Versions};
use kvist_graph::storage::{
    Change, Constraint, ConstraintKind, Ends, Entity, FrozenGraph, Graph, Loader, NodeId, Of, On,
    Property, PropertyRef, Refused,
};
use testkit::seed;

use crate::model::{Model, same};

/// A value; mostly of a kind that the key has.
fn value(rng: &mut Rng, key: u16) -> Property {
    let kind = if rng.below(400) == 0 { rng.below(8) as u16 } else { key };
    match kind {
        0 => Property::Integer(rng.below(90) as i64),
        1 => Property::Float(rng.below(1000) as f64 / 8.0),
        2 => Property::Text(["oslo", "rome", "", "ålesund"][rng.below(4)].into()),
        3 => Property::Text("é".repeat(rng.below(100)).into()),
        4 => Property::Bool(rng.below(2) == 0),
        5 => Property::Integer(1_i64.checked_shl(rng.below(64) as u32).unwrap_or(0)),
        6 => Property::Encoded(vec![7; rng.below(50)].into()),
        _ => [Property::Null, Property::Integer(i64::MIN), Property::Float(f64::NAN)][rng.below(3)]
            .clone(),
    }
}

/// One of the nodes, the first ones more often.
fn some_node(rng: &mut Rng, model: &Model) -> NodeId {
    let below = if rng.below(2) == 0 { 10 } else { model.nodes.len().max(1) };
    let extreme = [u32::MAX, u32::MAX - 1, 1 << 31, 4_000_000];
    match rng.below(500) {
        0 => extreme[rng.below(4)],
        _ => model.nodes.keys().nth(rng.below(below)).copied().unwrap_or(0),
    }
}

fn names(graph: &mut Graph, model: &mut Model, rng: &mut Rng) {
    let number = rng.below(5) as u16;
    match rng.below(3) {
        0 => {
            let label = graph.make_label(&format!("Label{number}")).unwrap();
            model.labels = model.labels.max(label + 1);
            assert_eq!(graph.label(&format!("Label{number}")), Some(label));
        }
        1 => {
            let kind = graph.make_type(&format!("TYPE{number}")).unwrap();
            model.types = model.types.max(kind + 1);
            assert_eq!(graph.type_name(kind), Some(format!("TYPE{number}").as_str()));
        }
        _ => {
            let key = graph.make_key(&format!("key{}", rng.below(8))).unwrap();
            model.keys = model.keys.max(key + 1);
        }
    }
}

fn nodes(graph: &mut Graph, model: &mut Model, rng: &mut Rng) {
    let (id, label) = (some_node(rng, model), rng.below(6) as u16);
    let known = (label < model.labels).then(|| model.nodes.get_mut(&id)).flatten();
    match rng.below(12) {
        0..=6 => {
            let labels: Vec<u16> = (0..model.labels).filter(|_| rng.below(3) == 0).collect();
            let id = graph.create_node(&labels).unwrap();
            let old = model.nodes.insert(id, (labels.into_iter().collect(), Default::default()));
            assert!(old.is_none(), "{id} was there");
        }
        7 => {
            let changed = graph.add_label(id, label);
            assert_eq!(changed, known.map(|node| node.0.insert(label)).ok_or(Refused::Missing));
        }
        8 => {
            let changed = graph.remove_label(id, label);
            assert_eq!(changed, known.map(|node| node.0.remove(&label)).ok_or(Refused::Missing));
        }
        9 => {
            let expected = match model.nodes.contains_key(&id) {
                false => Err(Refused::Missing),
                true if !model.edges_of(id).is_empty() => Err(Refused::HasEdges),
                true => Ok(()),
            };
            assert_eq!(graph.delete_node(id), expected);
            if expected.is_ok() {
                model.nodes.remove(&id);
            }
        }
        _ => {
            let edges = model.edges_of(id);
            let deleted = graph.detach_and_delete_node(id);
            if model.nodes.remove(&id).is_some() {
                assert_eq!(deleted, Ok(edges.len()));
                edges.iter().for_each(|edge| drop(model.edges.remove(edge)));
            } else {
                assert_eq!(deleted, Err(Refused::Missing));
            }
        }
    }
}

fn edges(graph: &mut Graph, model: &mut Model, rng: &mut Rng) {
    if rng.below(4) == 0 {
        let id = model.edges.keys().nth(rng.below(model.edges.len() + 1)).copied();
        let id = id.unwrap_or(u32::MAX);
        let removed = model.edges.remove(&id).map(|(ends, _)| ends);
        assert_eq!(graph.delete_edge(id), removed.ok_or(Refused::Missing));
        return;
    }
    let kind = rng.below(usize::from(model.types) + 1) as u16;
    let ends = Ends { kind, source: some_node(rng, model), target: some_node(rng, model) };
    let fits = kind < model.types
        && model.nodes.contains_key(&ends.source)
        && model.nodes.contains_key(&ends.target);
    match graph.create_edge(ends) {
        Ok(id) => {
            assert!(fits);
            assert!(model.edges.insert(id, (ends, Default::default())).is_none());
        }
        Err(refused) => assert!(!fits && refused == Refused::Missing),
    }
}

fn set(graph: &mut Graph, model: &mut Model, rng: &mut Rng) {
    let entity = match rng.below(3) {
        0 => Entity::Edge(rng.below(model.edges.len() + 2) as u32),
        _ => Entity::Node(some_node(rng, model)),
    };
    let key = rng.below(usize::from(model.keys) + 1) as u16;
    let value = if rng.below(6) == 0 { Property::Null } else { value(rng, key) };
    let set = graph.set(entity, key, value.as_ref());
    let is_known = key < model.keys;
    match model.properties(entity).filter(|_| is_known) {
        None => assert_eq!(set, Err(Refused::Missing)),
        Some(properties) => {
            let old = match &value {
                Property::Null => properties.remove(&key),
                value => properties.insert(key, value.clone()),
            };
            assert_eq!(set, Ok(old.unwrap_or(Property::Null) != value));
        }
    }
}

pub fn step(graph: &mut Graph, model: &mut Model, rng: &mut Rng) {
    match rng.below(30) {
        0 => names(graph, model, rng),
        1..=9 => nodes(graph, model, rng),
        10..=18 => edges(graph, model, rng),
        _ => set(graph, model, rng),
    }
}

/// Applies changes to another graph, by way of bytes.
pub fn apply(replica: &mut Graph, changes: &[Change]) {
    let mut bytes = Vec::new();
    changes.iter().for_each(|change| change.put(&mut bytes));
    let mut source = Source::new(&bytes);
    for change in changes {
        let read = Change::take(&mut source).unwrap();
        // A NaN is itself here.
        assert_eq!(&read, change);
        replica.apply(&read).unwrap();
    }
    assert!(source.is_done());
}

/// The graph by way of its image. Images that are cut or spoilt make no graph, or another, but
/// never a panic.
pub fn reload(graph: &Graph, rng: &mut Rng) -> Graph {
    let mut parts = vec![Vec::new(); graph.image_parts()];
    parts.iter_mut().enumerate().for_each(|(part, out)| graph.put_image_part(part, out));
    let load = |parts: &[Vec<u8>]| {
        let mut loader = Loader::default();
        parts.iter().try_for_each(|part| loader.take_part(part))?;
        loader.finish()
    };
    for _ in 0..10 {
        let mut other = parts.clone();
        let part = rng.below(other.len());
        let at = rng.below(other[part].len());
        if rng.below(2) == 0 {
            other[part].truncate(at);
            assert!(load(&other).is_err());
        } else {
            other[part][at] = rng.below(256) as u8;
            let _ = load(&other);
        }
    }
    assert!(load(&parts[..parts.len() - 1]).is_err());
    load(&parts).unwrap()
}

#[test]
fn is_what_a_naive_graph_is_with_forks_versions_and_replicas() {
    let mut rng = seed::rng();
    for _ in 0..seed::setting("KVIST_ROUNDS", 6) {
        let before = testkit::scale::alive();
        let versions = Arc::new(Versions::default());
        {
            let (mut graph, mut model) = (Graph::default(), Model::default());
            let mut replica = Graph::default();
            let mut kept: Vec<(FrozenGraph, Model)> = Vec::new();
            for round in 0..25 {
                (0..rng.below(300)).for_each(|_| step(&mut graph, &mut model, &mut rng));
                apply(&mut replica, &graph.take_changes());
                if rng.below(3) == 0 {
                    kept.push((graph.freeze(&versions), model.clone()));
                }
                let (mut fork, mut changed) = (graph.fork(&versions), model.clone());
                let (kept_before, taken) = (versions.kept(), graph.memory());
                (0..rng.below(400)).for_each(|_| step(&mut fork, &mut changed, &mut rng));
                assert_eq!((versions.kept(), graph.memory()), (kept_before, taken));
                if rng.below(3) > 0 {
                    let (changes, settled) = graph.adopt(fork).ok().unwrap();
                    apply(&mut replica, &changes);
                    drop(settled);
                    model = changed;
                }
                if kept.is_empty() {
                    assert_eq!(versions.kept(), 0);
                }
                if round % 8 == 0 {
                    same(&graph, &model);
                }
                if kept.len() > 3 {
                    let at = rng.below(kept.len());
                    let (version, then) = kept.swap_remove(at);
                    same(&version, &then);
                }
            }
            same(&graph, &model);
            same(&replica, &model);
            let mut loaded = reload(&graph, &mut rng);
            same(&loaded, &model);
            // The same ids come next.
            let labels: Vec<u16> = (0..model.labels).collect();
            for _ in 0..3000 {
                let id = graph.create_node(&labels);
                assert_eq!((replica.create_node(&labels), loaded.create_node(&labels)), (id, id));
            }
            if rng.below(2) == 0 {
                drop(graph);
                kept.iter().for_each(|(version, then)| same(version, then));
            } else {
                drop(kept);
                assert_eq!(versions.kept(), 0);
            }
        }
        assert_eq!(versions.kept(), 0);
        // It knows the account of the value that it was of.
        drop(versions);
        assert_eq!(testkit::scale::alive(), before);
    }
}

/// Versions that another thread reads while the graph goes on: each is what it was.
#[test]
fn versions_are_read_on_other_threads() {
    let mut rng = seed::rng();
    let versions = Arc::new(Versions::default());
    let (send, receive) = std::sync::mpsc::sync_channel::<(FrozenGraph, Model)>(2);
    std::thread::scope(|scope| {
        scope.spawn(move || receive.iter().for_each(|(version, then)| same(&version, &then)));
        let (mut graph, mut model) = (Graph::default(), Model::default());
        for _ in 0..20 {
            (0..150).for_each(|_| step(&mut graph, &mut model, &mut rng));
            send.send((graph.freeze(&versions), model.clone())).unwrap();
        }
        drop((graph, send));
    });
    assert_eq!(versions.kept(), 0);
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let mut graph = Graph::default();
    let label = graph.make_label("A").unwrap();
    let node = graph.create_node(&[label]).unwrap();
    let _ = graph.take_changes();
    let ends = Ends { kind: 0, source: node, target: node };
    let refused = [
        (Change::NewLabel("A".into()), Refused::Differs),
        (Change::CreateNode { id: 7, labels: [].into() }, Refused::Differs),
        (Change::CreateNode { id: u32::MAX, labels: [].into() }, Refused::Differs),
        (Change::CreateNode { id: 1, labels: [9].into() }, Refused::Missing),
        (Change::CreateEdge { id: 0, ends }, Refused::Missing),
        (Change::DeleteNode(u32::MAX), Refused::Missing),
        (Change::DeleteEdge(0), Refused::Missing),
        (Change::AddLabel(node, 65_535), Refused::Missing),
        (Change::Set(Entity::Node(node), 0, Property::Bool(true)), Refused::Missing),
    ];
    for (change, expected) in refused {
        assert_eq!(graph.apply(&change), Err(expected), "{change:?}");
    }
    assert_eq!((graph.node_count(), graph.edge_count(), graph.label_count(label)), (1, 0, 1));
    assert!(graph.take_changes().is_empty());
    assert_eq!(graph.property(Entity::Edge(u32::MAX), 3), PropertyRef::Null);
    // A fork of before is no fork of now, and neither is one of another graph.
    let versions = Arc::new(Versions::default());
    let fork = graph.fork(&versions);
    graph.create_node(&[]).unwrap();
    assert!(graph.adopt(fork).is_err());
    assert!(graph.adopt(Graph::default()).is_err());
}

#[test]
fn bytes_that_are_no_change_are_refused() {
    let mut rng = seed::rng();
    let on = On::new(Of::Type(0), &[5]);
    let constraint = Constraint { kind: ConstraintKind::Unique, on };
    let changes = [
        Change::CreateNode { id: 300, labels: [1, 2, 3].into() },
        Change::Set(Entity::Edge(9), 1, Property::Text("text".into())),
        Change::NewKey("name".into()),
        Change::CreateIndex(On::new(Of::Label(300), &[1, 2])),
        Change::DropIndex(On::new(Of::Type(3), &[7])),
        Change::CreateConstraint(constraint.clone()),
        Change::DropConstraint(constraint),
    ];
    for change in changes {
        let mut bytes = Vec::new();
        change.put(&mut bytes);
        for end in 0..bytes.len() {
            assert!(Change::take(&mut Source::new(&bytes[..end])).is_err());
        }
        for _ in 0..2000 {
            let mut other = bytes.clone();
            let at = rng.below(other.len());
            other[at] = rng.below(256) as u8;
            let _ = Change::take(&mut Source::new(&other));
        }
    }
    let long = [3, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
    assert!(Change::take(&mut Source::new(&long)).is_err());
}

/// Every id that became free is used again before a new one, by the graph and by what is loaded
/// from its image.
#[test]
fn free_ids_are_used_first() {
    let mut rng = seed::rng();
    let mut graph = Graph::default();
    let key = graph.make_key("key").unwrap();
    for _ in 0..5000 {
        graph.create_node(&[]).unwrap();
    }
    // A property that is gone leaves nothing.
    graph.set(Entity::Node(7), key, PropertyRef::Bool(true)).unwrap();
    graph.set(Entity::Node(7), key, PropertyRef::Null).unwrap();
    let mut free = std::collections::BTreeSet::new();
    while free.len() < 1500 {
        let id = rng.below(5000) as u32;
        assert_eq!(graph.delete_node(id).is_ok(), free.insert(id));
    }
    let mut loaded = reload(&graph, &mut rng);
    while !free.is_empty() {
        let id = graph.create_node(&[]).unwrap();
        assert!(free.remove(&id) || id >= 5000, "{id} lives");
        assert_eq!(loaded.create_node(&[]), Ok(id));
    }
    assert_eq!((graph.node_segments(), loaded.node_segments()), (5, 5));
}
