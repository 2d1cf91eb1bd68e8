//! Columns: how they are packed, what they take, and that it is counted.

use std::sync::Arc;

use base::{Rng, Versions};
use kvist_graph::storage::{Bounds, Entity, Graph, PropertyRef, Values, Vector};
use testkit::seed;

fn graph(nodes: u32) -> Graph {
    let mut graph = Graph::default();
    graph.make_key("value").unwrap();
    for _ in 0..nodes {
        graph.create_node(&[]).unwrap();
    }
    let _ = graph.take_changes();
    graph
}

/// Sets the property of every node, and returns how many bytes each takes then.
fn filled<'a>(graph: &mut Graph, value: impl Fn(u32) -> PropertyRef<'a>) -> usize {
    let before = graph.memory();
    let count = u32::try_from(graph.node_count()).unwrap();
    for id in 0..count {
        graph.set(Entity::Node(id), 0, value(id)).unwrap();
    }
    let _ = graph.take_changes();
    (graph.memory() - before) / count as usize
}

#[test]
fn values_take_as_many_bytes_as_they_need() {
    let narrow =
        filled(&mut graph(10_240), |id| PropertyRef::Integer(1 << 40 | i64::from(id % 90)));
    let rising = filled(&mut graph(10_240), |id| PropertyRef::Integer(i64::from(id)));
    let falling = filled(&mut graph(10_240), |id| PropertyRef::Integer(-i64::from(id)));
    let wide = filled(&mut graph(10_240), |id| PropertyRef::Integer(i64::from(id) << 32));
    let few = filled(&mut graph(10_240), |id| {
        PropertyRef::Text(["oslo", "rome", "reykjavik"][id as usize % 3])
    });
    let flags = filled(&mut graph(10_240), |id| PropertyRef::Bool(id % 3 == 0));
    assert_eq!((narrow, rising, falling, wide, few, flags), (1, 2, 2, 8, 1, 0));
}

#[test]
fn a_migrated_column_is_of_one_type_again() {
    let mut graph = graph(3000);
    filled(&mut graph, |id| PropertyRef::Integer(i64::from(id)));
    filled(&mut graph, |id| PropertyRef::Float(f64::from(id) / 2.0));
    let ids: Vec<u32> = (0..3000).collect();
    let mut vector = Vector::default();
    graph.fetch_of_nodes(0, &ids, &mut vector);
    assert!(matches!(vector.values(), Values::Floats(all) if all[2999] == 1499.5));
    let chunk = graph.chunk(Entity::Node(0), 0).unwrap();
    assert_eq!(chunk.bounds(), Bounds::Floats(0.0, 511.5));
}

/// Texts that are overwritten again and again do not pile up.
#[test]
fn garbage_is_bounded() {
    let mut rng = seed::rng();
    let mut graph = graph(1024);
    let text = "x".repeat(500);
    let length = |id: u32| 1 + id as usize % 490;
    filled(&mut graph, |id| PropertyRef::Text(&text[..length(id)]));
    let once = graph.memory();
    for _ in 0..20_000 {
        let id = rng.below(1024) as u32;
        let end = rng.below(10);
        graph.set(Entity::Node(id), 0, PropertyRef::Text(&text[end..end + length(id)])).unwrap();
        graph.set(Entity::Node(id), 0, PropertyRef::Text(&text[..10])).unwrap();
        graph.set(Entity::Node(id), 0, PropertyRef::Text(&text[..length(id)])).unwrap();
        assert!(graph.memory() < 3 * once);
    }
}

fn some<'a>(rng: &mut Rng, text: &'a str) -> PropertyRef<'a> {
    match rng.below(40) {
        0 => PropertyRef::Encoded(&text.as_bytes()[..rng.below(300)]),
        1 => PropertyRef::Null,
        2..=20 => PropertyRef::Text(&text[..rng.below(300)]),
        21..=30 => PropertyRef::Integer(rng.below(70_000) as i64),
        _ => PropertyRef::Float(rng.below(1000) as f64),
    }
}

/// What is counted is what is there, but for size classes.
#[test]
fn memory_is_counted() {
    let mut rng = seed::rng();
    let versions = Arc::new(Versions::default());
    let text = "abc".repeat(100);
    let start = testkit::scale::alive();
    let mut graph = Graph::default();
    let label = graph.make_label("Label").unwrap();
    let kind = graph.make_type("TYPE").unwrap();
    let keys: Vec<u16> =
        (0..6).map(|number| graph.make_key(&format!("key{number}")).unwrap()).collect();
    let check = |graph: &mut Graph| {
        drop(graph.take_changes());
        let there = usize::try_from(testkit::scale::alive() - start).unwrap();
        let counted = graph.memory() + versions.kept();
        assert!((there - there / 50..there + there / 6).contains(&counted), "{counted}, {there}");
    };
    for _ in 0..5000 {
        graph.create_node(&[label]).unwrap();
    }
    check(&mut graph);
    for _ in 0..30_000 {
        let (source, target) = (rng.below(5000) as u32, rng.below(5000) as u32);
        let ends = kvist_graph::storage::Ends { kind, source, target };
        graph.create_edge(ends).unwrap();
    }
    check(&mut graph);
    let version = graph.freeze(&versions);
    for round in 0..4 {
        for _ in 0..20_000 {
            let (id, key) = (rng.below(5000) as u32, keys[rng.below(6)]);
            let value = if round < 3 { some(&mut rng, &text) } else { PropertyRef::Null };
            graph.set(Entity::Node(id), key, value).unwrap();
            if rng.below(3) == 0 {
                let _ = graph.delete_edge(rng.below(30_000) as u32);
            }
        }
        check(&mut graph);
    }
    drop(version);
    assert_eq!(versions.kept(), 0);
    check(&mut graph);
    drop((graph, keys));
    assert_eq!(testkit::scale::alive(), start);
}
