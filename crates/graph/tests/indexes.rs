//! Indexes find what the language says, in its order, whatever becomes of the graph.

use std::cmp::Ordering;
use std::ops::Bound;
use std::sync::Arc;

use base::{Rng, Versions};
use kvist_graph::storage::{
    Entity, FrozenGraph, Graph, Index, KeyId, Of, On, Probe, Property, PropertyRef, Rejected, View,
};
use kvist_graph::temporal::{
    Date, DateTime, Duration, Instant, LocalDateTime, LocalTime, Time, Zone,
};
use kvist_graph::value::comparison::{greater, greater_or_equal, less, less_or_equal};
use kvist_graph::value::equality::{equal, is_in};
use kvist_graph::value::order::compare;
use kvist_graph::value::stored::{from_property, to_property};
use kvist_graph::value::{Point, Value};
use testkit::seed;

use crate::model::{Model, same};
use crate::random::{apply, reload, step};

const NUMBERS: [f64; 12] = [
    0.0,
    -0.0,
    0.1,
    -1.5,
    1e-310,
    9_007_199_254_740_992.0,
    9_223_372_036_854_775_808.0,
    -9_223_372_036_854_775_808.0,
    f64::MAX,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

fn time(rng: &mut Rng) -> Value {
    let few = |rng: &mut Rng| rng.below(5) as i64 * 43_200 - 86_400;
    let local = LocalTime::from_nanos(few(rng) * 1_000_000_000 + rng.below(2) as i64);
    let zones = ["Europe/Stockholm", "America/New_York", "UTC", "Asia/Tokyo"];
    let zone = match rng.below(3) {
        0 => Zone::named(zones[rng.below(4)]),
        _ => Zone::fixed(few(rng) as i32 / 4),
    };
    let zone = zone.unwrap();
    match rng.below(6) {
        0 => Value::Date(Date::from_days(few(rng)).unwrap()),
        1 => Value::LocalTime(local),
        2 => Value::Time(Time::new(local, zone.offset_at(0)).unwrap()),
        3 => Value::LocalDateTime(LocalDateTime::new(Date::from_days(few(rng)).unwrap(), local)),
        4 => {
            let instant = Instant { seconds: few(rng), nanos: rng.below(2) as u32 };
            Value::DateTime(DateTime::new(instant, zone).unwrap())
        }
        _ => {
            let days = rng.below(4) as i64 - 1;
            Value::from(Duration::new(rng.below(2) as i64, days, few(rng), few(rng)).unwrap())
        }
    }
}

/// A value of any type that is found by what it is.
fn value(rng: &mut Rng) -> Value {
    let texts = ["", "a", "ab", "abc", "\0", "\u{1}", "a\0", "a\u{1}b", "b", "å", "\u{10ffff}"];
    match rng.below(8) {
        0 => Value::Boolean(rng.below(2) == 0),
        1 => Value::Integer(rng.below(6) as i64 - 3),
        2 => {
            let far = [i64::MAX, i64::MIN, 1 << 53, (1 << 53) + 1, -(1 << 53) - 1, i64::MIN + 1];
            Value::Integer(far[rng.below(6)].saturating_add(rng.below(3) as i64))
        }
        3 => Value::Float(NUMBERS[rng.below(12)]),
        4 => Value::Float(rng.below(12) as f64 / 4.0 - 1.0),
        5 => Value::from(texts[rng.below(texts.len())]),
        _ => time(rng),
    }
}

/// One that may have no order, or is none.
fn any_value(rng: &mut Rng) -> Value {
    match rng.below(12) {
        0 => Value::list([value(rng)]),
        1 => Value::Point(Point { latitude: 1.0, longitude: rng.below(3) as f32 }),
        2 => Value::Vector(vec![rng.below(3) as f32].into()),
        3 => Value::Null,
        _ => value(rng),
    }
}

fn found(index: Index<'_>, equal: &[PropertyRef<'_>], then: Option<Probe<'_>>) -> Option<Vec<u32>> {
    let mut found = index.find(equal, then)?;
    assert_eq!(index.count(equal, then), Some(found.len()));
    let (mut ids, len) = (Vec::new(), found.len());
    while !found.is_empty() {
        found.take(3, &mut ids);
    }
    assert_eq!(ids.len(), len);
    // From the end it is the same, the other way; and from both.
    let (mut back, mut both) = (Vec::new(), Vec::new());
    index.find(equal, then)?.take_back(usize::MAX, &mut back);
    assert!(back.iter().rev().eq(&ids));
    let mut again = index.find(equal, then)?;
    again.take(len / 2, &mut both);
    again.take_back(usize::MAX, &mut both);
    both[len / 2..].reverse();
    assert_eq!((both, again.len()), (ids.clone(), 0));
    Some(ids)
}

/// Those of which something is known to be true, in order of values and ids.
fn naive(values: &[Value], holds: impl Fn(&Value) -> Option<bool>) -> Vec<u32> {
    let mut ids: Vec<u32> = (0..values.len())
        .filter(|&id| holds(&values[id]) == Some(true))
        .map(|id| id as u32)
        .collect();
    ids.sort_by(|&a, &b| compare(&values[a as usize], &values[b as usize]).then(a.cmp(&b)));
    ids
}

fn is_told(value: &Value) -> bool {
    !matches!(value, Value::List(..) | Value::Point(_) | Value::Vector(_))
}

#[test]
fn an_index_finds_what_the_language_does() {
    let mut rng = seed::rng();
    for round in 0..seed::setting("KVIST_ROUNDS", 6) {
        let mut graph = Graph::default();
        let (label, key) = (graph.make_label("L").unwrap(), graph.make_key("x").unwrap());
        let of = Of::Label(label);
        graph.create_index(On::new(of, &[key])).unwrap();
        let is_ordered = round % 2 == 0;
        let values: Vec<Value> = (0..400)
            .map(|_| if is_ordered { value(&mut rng) } else { any_value(&mut rng) })
            .collect();
        for value in &values {
            let node = Entity::Node(graph.create_node(&[label]).unwrap());
            graph.set(node, key, to_property(value).unwrap().as_ref()).unwrap();
        }
        let index = graph.index_on(of, &[key]).unwrap();
        assert_eq!(index.is_ordered(), is_ordered);
        let all = naive(&values, |value| Some(!value.is_null()));
        let mut every = found(index, &[], Some(Probe::Any)).unwrap();
        assert_eq!(Some(&every), found(index, &[], None).as_ref());
        if !is_ordered {
            every.sort_by(|&a, &b| {
                compare(&values[a as usize], &values[b as usize]).then(a.cmp(&b))
            });
        }
        assert_eq!(every, all);
        for _ in 0..300 {
            probe_one(index, &values, &mut rng);
        }
    }
}

fn probe_one(index: Index<'_>, values: &[Value], rng: &mut Rng) {
    let (low, high) = (any_value(rng), any_value(rng));
    let (of_low, of_high) = (to_property(&low).unwrap(), to_property(&high).unwrap());
    let at = found(index, &[of_low.as_ref()], None);
    assert_eq!(at, found(index, &[], Some(Probe::Equal(of_low.as_ref()))));
    assert_eq!(at, is_told(&low).then(|| naive(values, |value| equal(value, &low))), "= {low:?}");
    let some: Vec<Value> = (0..rng.below(5)).map(|_| any_value(rng)).collect();
    let of_some: Vec<Property> = some.iter().map(|it| to_property(it).unwrap()).collect();
    let refs: Vec<PropertyRef<'_>> = of_some.iter().map(Property::as_ref).collect();
    let list = Value::list(some.iter().cloned());
    let is_one = |value: &Value| is_in(value, &list).unwrap();
    let expected = some.iter().all(is_told).then(|| naive(values, is_one));
    assert_eq!(found(index, &[], Some(Probe::In(&refs))), expected, "{some:?}");
    let (from, to) = (rng.below(3), rng.below(3));
    let bound = |kind, value| match kind {
        0 => Bound::Included(value),
        1 => Bound::Excluded(value),
        _ => Bound::Unbounded,
    };
    let then = Probe::Between(bound(from, of_low.as_ref()), bound(to, of_high.as_ref()));
    let holds = |value: &Value| {
        let above = [greater_or_equal, greater].get(from).map(|compare| compare(value, &low));
        let below = [less_or_equal, less].get(to).map(|compare| compare(value, &high));
        let is_true = |it: Option<Option<bool>>| it.is_none_or(|truth| truth == Some(true));
        Some(!value.is_null() && is_true(above) && is_true(below))
    };
    if from == 2 && to == 2 {
        let mut ids = found(index, &[], Some(then)).unwrap();
        ids.sort_unstable();
        let mut all = naive(values, holds);
        all.sort_unstable();
        assert_eq!(ids, all);
    } else {
        let is_told = (from == 2 || is_told(&low)) && (to == 2 || is_told(&high));
        let expected = is_told.then(|| naive(values, holds));
        assert_eq!(found(index, &[], Some(then)), expected, "{then:?}");
    }
    let text = ["", "a", "ab", "\0", "a\0", "\u{1}", "å", "zz"][rng.below(8)];
    let begins = |value: &Value| match value {
        Value::String(other) => Some(other.starts_with(text)),
        _ => None,
    };
    assert_eq!(found(index, &[], Some(Probe::StartsWith(text))), Some(naive(values, begins)));
}

#[test]
fn an_index_on_several_properties_finds_by_the_first_ones() {
    let mut rng = seed::rng();
    let mut graph = Graph::default();
    let kind = graph.make_type("T").unwrap();
    let keys = ["a", "b", "c"].map(|name| graph.make_key(name).unwrap());
    let node = graph.create_node(&[]).unwrap();
    let mut rows: Vec<[Value; 3]> = Vec::new();
    for _ in 0..2000 {
        let ends = kvist_graph::storage::Ends { kind, source: node, target: node };
        let edge = Entity::Edge(graph.create_edge(ends).unwrap());
        let first = Value::Integer(rng.below(3) as i64);
        let row = [first, any_value(&mut rng), any_value(&mut rng)];
        for (key, value) in keys.iter().zip(&row) {
            graph.set(edge, *key, to_property(value).unwrap().as_ref()).unwrap();
        }
        rows.push(row);
    }
    let of = Of::Type(kind);
    graph.create_index(On::new(of, &keys)).unwrap();
    assert!(graph.index_on(of, &keys).is_none() && graph.whole_indexes(of).next().is_none());
    while graph.build_indexes(1) {}
    let index = graph.index_on(of, &keys).unwrap();
    let ids = |holds: &dyn Fn(&[Value; 3]) -> bool| -> Vec<u32> {
        (0..).zip(&rows).filter(|(_, row)| holds(row)).map(|(id, _)| id).collect()
    };
    let sorted = |found: Option<Vec<u32>>| {
        found.map(|mut ids| {
            ids.sort_unstable();
            ids
        })
    };
    for _ in 0..200 {
        let (one, two) = (Value::Integer(rng.below(4) as i64), value(&mut rng));
        let [first, second] = [&one, &two].map(|value| to_property(value).unwrap());
        let equal_to = |a: &Value, b: &Value| equal(a, b) == Some(true);
        let at = sorted(found(index, &[first.as_ref()], None));
        assert_eq!(at, Some(ids(&|row| equal_to(&row[0], &one))));
        let there = sorted(found(index, &[first.as_ref()], Some(Probe::Any)));
        assert_eq!(there, Some(ids(&|row| equal_to(&row[0], &one) && !row[1].is_null())));
        let range = Probe::Between(Bound::Unbounded, Bound::Excluded(second.as_ref()));
        let below = sorted(found(index, &[first.as_ref()], Some(range)));
        let is_below = |row: &[Value; 3]| less(&row[1], &two) == Some(true);
        assert_eq!(below, Some(ids(&|row| equal_to(&row[0], &one) && is_below(row))));
        let both = sorted(found(index, &[first.as_ref(), second.as_ref()], None));
        let are = |row: &[Value; 3]| equal_to(&row[0], &one) && equal_to(&row[1], &two);
        assert_eq!(both, Some(ids(&are)));
        let four = [first.as_ref(); 3];
        assert!(index.find(&four, Some(Probe::Any)).is_none());
    }
    assert_eq!((index.distinct(1), index.len()), (3, 2000));
}

#[test]
fn values_are_estimated() {
    let mut graph = Graph::default();
    let (label, key) = (graph.make_label("L").unwrap(), graph.make_key("x").unwrap());
    for number in 0..6000 {
        let node = Entity::Node(graph.create_node(&[label]).unwrap());
        // 3000 of one value, 3000 of 300 values.
        let value = if number % 2 == 0 { -1 } else { number % 600 };
        graph.set(node, key, PropertyRef::Integer(value)).unwrap();
    }
    let of = Of::Label(label);
    graph.create_index(On::new(of, &[key])).unwrap();
    graph.build_indexes(usize::MAX);
    let estimate = graph.index_on(of, &[key]).unwrap().distinct(1);
    assert!((150..600).contains(&estimate), "{estimate}");
    let empty = Graph::default();
    assert!(empty.index_on(of, &[key]).is_none());
}

/// The index that the model says, as far as it is whole.
fn same_index(index: Index<'_>, model: &Model, rng: &mut Rng) {
    let on = index.on();
    let value = |properties: &std::collections::BTreeMap<KeyId, Property>, key| {
        from_property(properties.get(&key).unwrap_or(&Property::Null).as_ref())
    };
    let mut rows: Vec<(Vec<Value>, u32)> = Vec::new();
    let mut add = |id, properties| {
        let values: Vec<Value> = on.keys.iter().map(|&key| value(properties, key)).collect();
        let first = properties.get(&on.keys[0]);
        if first.is_some_and(|first| !matches!(first, Property::Null)) {
            rows.push((values, id));
        }
    };
    match on.of {
        Of::Label(label) => {
            let with = model.nodes.iter().filter(|(_, (labels, _))| labels.contains(&label));
            with.for_each(|(&id, (_, properties))| add(id, properties));
        }
        Of::Type(kind) => {
            let with = model.edges.iter().filter(|(_, (ends, _))| ends.kind == kind);
            with.for_each(|(&id, (_, properties))| add(id, properties));
        }
    }
    assert_eq!(index.len(), rows.len());
    let ids = found(index, &[], None).unwrap();
    let mut sorted = ids.clone();
    sorted.sort_unstable();
    assert!(sorted.iter().eq(rows.iter().map(|(_, id)| id)));
    let row = |id: u32| &rows[rows.binary_search_by_key(&id, |row| row.1).unwrap()];
    for pair in ids.windows(2) {
        let (one, other) = (row(pair[0]), row(pair[1]));
        let mut orders = one.0.iter().zip(&other.0).map(|(a, b)| (a, b, compare(a, b)));
        let first = orders.find(|(_, _, order)| order.is_ne());
        // Lists stand in no order, and bytes that are no value, which read as null.
        let has_order = |value: &Value| is_told(value) && !value.is_null();
        if let Some((a, b, order)) = first
            && has_order(a)
            && has_order(b)
        {
            assert_eq!(order, Ordering::Less, "{a:?} {b:?}");
        }
    }
    for _ in 0..5 {
        let Some((values, _)) = rows.get(rng.below(rows.len().max(1))) else { return };
        let wanted = &values[0];
        let property = to_property(wanted).unwrap();
        if let Some(found) = found(index, &[property.as_ref()], None) {
            let equals = rows.iter().filter(|row| equal(&row.0[0], wanted) == Some(true));
            let mut found = found;
            found.sort_unstable();
            assert!(found.iter().eq(equals.map(|(_, id)| id)), "{wanted:?}");
        }
    }
}

type Schema = Vec<On>;

fn same_indexes(view: &View, model: &Model, schema: &Schema, rng: &mut Rng) {
    assert!(view.indexes().map(|index| index.on().clone()).eq(schema.iter().cloned()));
    for index in view.indexes().filter(Index::is_whole) {
        same_index(index, model, rng);
    }
}

fn on(model: &Model, rng: &mut Rng) -> On {
    let of = match rng.below(2) {
        0 => Of::Label(rng.below(usize::from(model.labels) + 1) as u16),
        _ => Of::Type(rng.below(usize::from(model.types) + 1) as u16),
    };
    let count = usize::from(model.keys) + 1;
    let keys: Vec<u16> = (0..1 + rng.below(3)).map(|_| rng.below(count) as u16).collect();
    On::new(of, &keys)
}

/// A change of the graph, or of its indexes.
fn change(graph: &mut Graph, model: &mut Model, schema: &mut Schema, rng: &mut Rng) {
    match rng.below(60) {
        0 => {
            let on = on(model, rng);
            let is_known = match on.of {
                Of::Label(label) => label < model.labels,
                Of::Type(kind) => kind < model.types,
            } && on.keys.iter().all(|&key| key < model.keys);
            let differ = (1..on.keys.len()).all(|at| !on.keys[..at].contains(&on.keys[at]));
            let expected = match (is_known, differ, schema.contains(&on)) {
                (false, ..) => Err(Rejected::Missing),
                (_, false, _) => Err(Rejected::Unfit),
                (.., true) => Err(Rejected::Exists),
                _ => Ok(()),
            };
            assert_eq!(graph.create_index(on.clone()), expected);
            if expected.is_ok() {
                schema.push(on);
            }
        }
        1 if schema.len() > rng.below(6) => {
            let on = schema.remove(rng.below(schema.len()));
            assert_eq!(graph.drop_index(on.clone()), Ok(()));
            assert_eq!(graph.drop_index(on), Err(Rejected::Missing));
            drop(graph.take_dropped());
        }
        2 => {
            let more = graph.build_indexes(rng.below(4));
            assert_eq!(more, graph.building().is_some());
        }
        3..=15 if model.keys > 0 => {
            let all = model.nodes.len().max(1);
            let entity = match rng.below(3) {
                0 => model
                    .edges
                    .keys()
                    .nth(rng.below(model.edges.len().max(1)))
                    .copied()
                    .map(Entity::Edge),
                _ => model.nodes.keys().nth(rng.below(all)).copied().map(Entity::Node),
            };
            let Some(entity) = entity else { return };
            let (key, value) = (rng.below(model.keys.into()) as u16, any_value(rng));
            let property = to_property(&value).unwrap();
            graph.set(entity, key, property.as_ref()).unwrap();
            let properties = model.properties(entity).unwrap();
            match property {
                Property::Null => properties.remove(&key),
                property => properties.insert(key, property),
            };
        }
        _ => step(graph, model, rng),
    }
}

#[test]
fn indexes_are_true_with_forks_versions_and_replicas() {
    let mut rng = seed::rng();
    for _ in 0..seed::setting("KVIST_ROUNDS", 6) {
        let before = testkit::scale::alive();
        let versions = Arc::new(Versions::default());
        {
            let mut now = (Graph::default(), Model::default(), Schema::new());
            let mut replica = Graph::default();
            let mut kept: Vec<(FrozenGraph, Model, Schema)> = Vec::new();
            for round in 0..25 {
                let (graph, model, schema) = &mut now;
                (0..rng.below(300)).for_each(|_| change(graph, model, schema, &mut rng));
                apply(&mut replica, &graph.take_changes());
                if rng.below(3) == 0 {
                    kept.push((graph.freeze(&versions), model.clone(), schema.clone()));
                }
                let mut fork = (graph.fork(&versions), model.clone(), schema.clone());
                let (kept_before, taken) = (versions.kept(), graph.memory());
                (0..rng.below(400))
                    .for_each(|_| change(&mut fork.0, &mut fork.1, &mut fork.2, &mut rng));
                assert_eq!((versions.kept(), graph.memory()), (kept_before, taken));
                if rng.below(3) > 0 {
                    let (changes, settled) = graph.adopt(fork.0).ok().unwrap();
                    apply(&mut replica, &changes);
                    drop(settled);
                    (*model, *schema) = (fork.1, fork.2);
                }
                if kept.is_empty() {
                    assert_eq!(versions.kept(), 0);
                }
                if round % 4 == 0 {
                    same_indexes(graph, model, schema, &mut rng);
                }
                if kept.len() > 3 {
                    let (version, then, schema) = kept.swap_remove(rng.below(kept.len()));
                    same_indexes(&version, &then, &schema, &mut rng);
                }
            }
            let (mut graph, model, schema) = now;
            replica.build_indexes(usize::MAX);
            graph.build_indexes(usize::MAX);
            drop(replica.take_dropped());
            let loaded = reload(&graph, &mut rng);
            for graph in [&graph, &replica, &loaded] {
                assert_eq!(graph.building(), None);
                same(graph, &model);
                same_indexes(graph, &model, &schema, &mut rng);
            }
            if rng.below(2) == 0 {
                drop(graph);
                for (version, then, schema) in &kept {
                    same_indexes(version, then, schema, &mut rng);
                }
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

/// What an index takes counts as the graph's, to the byte, and is gone with it.
#[test]
fn what_an_index_takes_is_counted() {
    let mut rng = seed::rng();
    let versions = Arc::new(Versions::default());
    let mut graph = Graph::default();
    let (label, key) = (graph.make_label("L").unwrap(), graph.make_key("x").unwrap());
    for number in 0..20_000 {
        let node = Entity::Node(graph.create_node(&[label]).unwrap());
        graph.set(node, key, PropertyRef::Integer(number % 7000)).unwrap();
    }
    drop(graph.take_changes());
    let of = Of::Label(label);
    let schema = |graph: &Graph| graph.indexes().map(|index| index.memory()).sum::<usize>();
    // Once the lists of definitions and of trees have room for one they keep it.
    graph.create_index(On::new(of, &[key])).unwrap();
    graph.drop_index(On::new(of, &[key])).unwrap();
    assert!(!graph.take_dropped().is_empty() && graph.take_dropped().is_empty());
    let start = graph.memory();
    for kind in 0..4 {
        graph.create_index(On::new(of, &[key])).unwrap();
        let there = testkit::scale::alive();
        match kind {
            0 => drop(graph.build_indexes(usize::MAX)),
            _ => while graph.build_indexes(1) {},
        }
        drop(graph.take_changes());
        let index = graph.index_on(of, &[key]).unwrap();
        assert_eq!(index.len(), 20_000);
        let (counted, grown) = (schema(&graph), testkit::scale::alive() - there);
        let grown = usize::try_from(grown).unwrap();
        assert!((grown - grown / 50..grown + grown / 6).contains(&counted), "{counted}, {grown}");
        let version = graph.freeze(&versions);
        for _ in 0..3000 {
            let node = Entity::Node(rng.below(20_000) as u32);
            graph.set(node, key, PropertyRef::Integer(rng.below(7000) as i64)).unwrap();
        }
        let frozen = version.index_on(of, &[key]).unwrap().memory();
        if kind < 2 {
            let (whole, kept) = (graph.memory(), versions.kept());
            let of_index = schema(&graph);
            graph.drop_index(On::new(of, &[key])).unwrap();
            // And a few bytes of the list of indexes, of which the version has its own.
            let (less, more) = (whole - graph.memory(), versions.kept() - kept);
            assert!((of_index..of_index + 500).contains(&less), "{less}, {of_index}");
            assert!((of_index..of_index + 1000).contains(&more), "{more}, {of_index}");
            drop(graph.take_dropped());
            assert!(versions.kept() >= frozen);
        } else {
            let mut fork = graph.fork(&versions);
            fork.drop_index(On::new(of, &[key])).unwrap();
            assert!(fork.take_dropped().is_empty());
            if kind == 3 {
                drop(fork);
                fork = graph.fork(&versions);
                assert_eq!(fork.added(), 0);
                fork.drop_index(On::new(of, &[key])).unwrap();
            }
            drop(graph.take_changes());
            drop(graph.adopt(fork).ok().unwrap());
        }
        assert_eq!(version.index_on(of, &[key]).unwrap().len(), 20_000);
        drop(version);
        assert_eq!(versions.kept(), 0);
        for node in 0..20_000 {
            let number = i64::from(node) % 7000;
            graph.set(Entity::Node(node), key, PropertyRef::Integer(number)).unwrap();
        }
        drop(graph.take_changes());
    }
    // The values lie as they did, but for room to spare.
    assert!(graph.memory() <= start + start / 10, "{} of {start}", graph.memory());
}
