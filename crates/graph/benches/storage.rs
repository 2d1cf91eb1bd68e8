//! What a graph costs: loading, bytes, scans of columns, grouping, hops, single changes.
//!
//! `cargo bench -p kvist-graph --bench storage -- [NODES]`, default two millions: persons with an
//! id, a name, an age and a score, and as many edges each of two types with a property. It checks
//! every answer. What is short is the best of some runs; of what is long only the time of the
//! processor counts.

use std::hint::black_box;
use std::ops::Bound;
use std::sync::Arc;
use std::time::{Duration, Instant};

use testkit::processor;

use base::Versions;
use kvist_graph::storage::{
    Direction, Ends, Entity, Graph, NodeId, Of, On, Probe, PropertyRef, Values, Vector, View,
};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Xorshift: what is loaded must be the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

fn nanos(took: Duration, among: usize) -> f64 {
    took.as_secs_f64() * 1e9 / among.max(1) as f64
}

fn millis(took: Duration) -> f64 {
    took.as_secs_f64() * 1e3
}

/// The best of some runs.
fn best<R>(runs: usize, mut work: impl FnMut() -> R) -> (R, Duration) {
    let timed = (0..runs).map(|_| {
        let start = Instant::now();
        let result = work();
        (result, start.elapsed())
    });
    timed.min_by_key(|(_, took)| *took).expect("a run")
}

fn age(id: usize) -> i64 {
    18 + (id * 7 % 73) as i64
}

fn score(id: usize) -> f64 {
    (id % 1000) as f64 / 10.0
}

fn load_nodes(graph: &mut Graph, count: usize) {
    let person = graph.make_label("Person").expect("few");
    let keys = ["id", "name", "age", "score"].map(|key| graph.make_key(key).expect("few"));
    let (before, start) = (graph.memory(), processor::used());
    for id in 0..count {
        let node = Entity::Node(graph.create_node(&[person]).expect("room"));
        let name = format!("person-{id}");
        let values = [
            PropertyRef::Integer(id as i64),
            PropertyRef::Text(&name),
            PropertyRef::Integer(age(id)),
            PropertyRef::Float(score(id)),
        ];
        for (key, value) in keys.into_iter().zip(values) {
            graph.set(node, key, value).expect("it is there");
        }
        if id % 10_000 == 0 {
            drop(graph.take_changes());
        }
    }
    let bytes = (graph.memory() - before) as f64 / count as f64;
    println!("nodes: {:.0} ns and {bytes:.1} B each", nanos(processor::used() - start, count));
}

fn load_edges(graph: &mut Graph, (kind, key): (&str, &str), count: usize, random: &mut Random) {
    let kind_id = graph.make_type(kind).expect("few");
    let key = graph.make_key(key).expect("few");
    let (before, start) = (graph.memory(), processor::used());
    let nodes = graph.node_count();
    for number in 0..count {
        let (source, target) = (random.below(nodes) as NodeId, random.below(nodes) as NodeId);
        let edge = graph.create_edge(Ends { kind: kind_id, source, target }).expect("room");
        let value = match kind {
            "KNOWS" => PropertyRef::Float(score(number)),
            _ => PropertyRef::Integer(1990 + (number % 35) as i64),
        };
        graph.set(Entity::Edge(edge), key, value).expect("it is there");
        if number % 10_000 == 0 {
            drop(graph.take_changes());
        }
    }
    let bytes = (graph.memory() - before) as f64 / count as f64;
    println!("{kind}: {:.0} ns and {bytes:.1} B each", nanos(processor::used() - start, count));
}

/// Calls this with each batch of nodes that have a label.
fn batches(view: &View, label: u16, mut work: impl FnMut(&[NodeId])) {
    let mut ids = Vec::with_capacity(1024);
    for segment in 0..view.node_segments() {
        ids.clear();
        view.append_nodes(segment, &[label], &mut ids);
        work(&ids);
    }
}

fn scans(view: &View, count: usize) {
    let person = view.label("Person").expect("loaded");
    let [age_key, score_key] = ["age", "score"].map(|key| view.key(key).expect("loaded"));
    let (seen, took) = best(9, || {
        let mut seen = 0;
        batches(view, person, |ids| seen += black_box(ids).len());
        seen
    });
    assert_eq!(seen, count);
    println!("label scan: {:.2} ms", millis(took));
    let (sum, took) = best(9, || {
        let (mut sum, mut vector) = (0.0, Vector::default());
        batches(view, person, |ids| {
            vector.clear();
            view.fetch_of_nodes(score_key, ids, &mut vector);
            if let Values::Floats(scores) = vector.values() {
                sum += scores.iter().sum::<f64>();
            }
        });
        sum
    });
    let expected: f64 = (0..count).map(score).sum();
    assert!((sum - expected).abs() < 1.0, "{sum} is not {expected}");
    println!("label scan, fetch and sum of a float: {:.2} ms", millis(took));
    let (groups, took) = best(9, || group_by_age(view, (person, age_key, score_key)));
    assert_eq!(groups.iter().map(|(count, _)| count).sum::<usize>(), count);
    let sum: f64 = groups.iter().map(|(_, sum)| sum).sum();
    assert!((sum - expected).abs() < 1.0, "{sum} is not {expected}");
    println!("GROUP BY age, count, avg(score): {:.2} ms", millis(took));
}

/// How often each age is there, and the sum of its scores.
fn group_by_age(view: &View, (label, age, score): (u16, u16, u16)) -> Vec<(usize, f64)> {
    let mut groups = vec![(0_usize, 0.0_f64); 256];
    let (mut ages, mut scores) = (Vector::default(), Vector::default());
    batches(view, label, |ids| {
        ages.clear();
        scores.clear();
        view.fetch_of_nodes(age, ids, &mut ages);
        view.fetch_of_nodes(score, ids, &mut scores);
        let (Values::Integers(ages), Values::Floats(scores)) = (ages.values(), scores.values())
        else {
            return;
        };
        for (&age, &score) in ages.iter().zip(scores) {
            let group = &mut groups[age as usize & 255];
            *group = (group.0 + 1, group.1 + score);
        }
    });
    groups
}

fn hops(view: &View, edges: usize) {
    let [knows, follows] = ["KNOWS", "FOLLOWS"].map(|kind| view.edge_type(kind).expect("loaded"));
    let nodes = view.node_count() as NodeId;
    let (found, took) = best(3, || {
        let mut found = 0;
        for node in 0..nodes {
            found +=
                view.neighbours(node, knows, Direction::Out).map(|(to, _)| to.len()).sum::<usize>();
        }
        found
    });
    assert_eq!(found, edges);
    println!(
        "one hop from all nodes: {:.1} ms, {:.1} ns an edge",
        millis(took),
        nanos(took, edges)
    );
    let (paths, took) = best(3, || {
        let mut paths = (0_usize, 0_u64);
        for node in 0..nodes {
            for (firsts, _) in view.neighbours(node, knows, Direction::Out) {
                for &first in firsts {
                    for (seconds, _) in view.neighbours(first, follows, Direction::Out) {
                        paths.0 += seconds.len();
                        paths.1 += seconds.iter().map(|&node| u64::from(node)).sum::<u64>();
                    }
                }
            }
        }
        paths
    });
    let (counted, took_degrees) = best(3, || {
        let degree = |node| view.degree(node, follows, Direction::Out);
        let of = |node| view.neighbours(node, knows, Direction::Out).flat_map(|(to, _)| to);
        (0..nodes).map(|node| of(node).map(|&node| degree(node)).sum::<usize>()).sum::<usize>()
    });
    assert_eq!(paths.0, counted);
    println!(
        "two hops from all nodes: {:.1} ms, {:.1} ns each of {} paths; counted by degrees {:.1} ms",
        millis(took),
        nanos(took, paths.0),
        paths.0,
        millis(took_degrees),
    );
}

fn points(view: &View, random: &mut Random) {
    let key = view.key("age").expect("loaded");
    let name = view.key("name").expect("loaded");
    let nodes = view.node_count();
    let ids: Vec<NodeId> = (0..1_000_000).map(|_| random.below(nodes) as NodeId).collect();
    let (sum, took) = best(3, || {
        let of = |id| match view.property(Entity::Node(id), key) {
            PropertyRef::Integer(number) => number,
            _ => 0,
        };
        ids.iter().map(|&id| of(id)).sum::<i64>()
    });
    assert_eq!(sum, ids.iter().map(|&id| age(id as usize)).sum::<i64>());
    println!("a random property: {:.0} ns", nanos(took, ids.len()));
    let (length, took) = best(3, || {
        let (mut length, mut vector) = (0, Vector::default());
        for ids in ids.chunks(1024) {
            vector.clear();
            view.fetch_of_nodes(name, ids, &mut vector);
            if let Values::Texts(texts) = vector.values() {
                length += texts.iter().map(|text| text.len()).sum::<usize>();
            }
        }
        length
    });
    assert!(length > 7 * ids.len());
    println!("random texts by batches: {:.0} ns each", nanos(took, ids.len()));
}

/// Single statements: in place, and each in a fork of its own.
fn changes(graph: &mut Graph, random: &mut Random) {
    const TIMES: usize = 100_000;
    let versions = Arc::new(Versions::default());
    let [person, age] =
        [graph.make_label("Person"), graph.make_key("age")].map(|id| id.expect("few"));
    let knows = graph.make_type("KNOWS").expect("few");
    let nodes = graph.node_count();
    let mut time = |name: &str, graph: &mut Graph, work: &mut dyn FnMut(&mut Graph, usize)| {
        for forked in [false, true] {
            let start = processor::used();
            for number in 0..TIMES {
                let at = random.below(nodes);
                if forked {
                    let mut fork = graph.fork(&versions);
                    work(&mut fork, at + number % 2);
                    let adopted = graph.adopt(fork).ok().expect("of this graph");
                    drop(adopted);
                } else {
                    work(graph, at + number % 2);
                }
            }
            drop(graph.take_changes());
            let way = if forked { "in a fork each" } else { "in place" };
            println!("{name}, {way}: {:.0} ns", nanos(processor::used() - start, TIMES));
        }
    };
    time("CREATE of a node", graph, &mut |graph, _| {
        graph.create_node(&[person]).expect("room");
    });
    time("CREATE of an edge", graph, &mut |graph, at| {
        let (source, target) = (at as NodeId, (at / 2) as NodeId);
        graph.create_edge(Ends { kind: knows, source, target }).expect("room");
    });
    time("SET of an age", graph, &mut |graph, at| {
        let value = PropertyRef::Integer((at % 90) as i64);
        graph.set(Entity::Node(at as NodeId), age, value).expect("it is there");
    });
    assert_eq!(versions.kept(), 0);
    let start = Instant::now();
    let frozen: Vec<_> = (0..1000).map(|_| graph.freeze(&versions)).collect();
    println!("a version: {:.0} ns", nanos(start.elapsed(), frozen.len()));
    let start = Instant::now();
    graph.set(Entity::Node(5), age, PropertyRef::Integer(200)).expect("it is there");
    println!(
        "the first write after a version: {:.1} µs, {} B kept",
        start.elapsed().as_secs_f64() * 1e6,
        versions.kept()
    );
}

/// Builds an index at once and in steps, and says what it takes.
fn build_index(graph: &mut Graph, name: &str) {
    let (of, key) = person(graph, name);
    for segments in [usize::MAX, 64] {
        graph.create_index(On::new(of, &[key])).expect("there is none");
        let (start, mut longest) = (Instant::now(), Duration::ZERO);
        loop {
            let step = Instant::now();
            let more = graph.build_indexes(segments);
            longest = longest.max(step.elapsed());
            if !more {
                break;
            }
        }
        let index = graph.index_on(of, &[key]).expect("it is whole");
        println!(
            "an index on {name} of {} entries: {:.0} ms, {:.1} ms a step at most, {:.1} B an entry",
            index.len(),
            millis(start.elapsed()),
            millis(longest),
            index.memory() as f64 / index.len() as f64
        );
        if segments == usize::MAX {
            graph.drop_index(On::new(of, &[key])).expect("it is there");
            drop(graph.take_dropped());
        }
    }
}

fn person(view: &View, name: &str) -> (Of, u16) {
    (Of::Label(view.label("Person").expect("loaded")), view.key(name).expect("loaded"))
}

/// What indexes find, and what they cost edits.
fn indexes(graph: &mut Graph, random: &mut Random) {
    ["id", "name", "age"].iter().for_each(|name| build_index(graph, name));
    let (of, key) = person(graph, "id");
    let by_id = graph.index_on(of, &[key]).expect("it is whole");
    let wanted: Vec<usize> = (0..200_000).map(|_| random.below(by_id.len() - 100)).collect();
    let mut ids = Vec::new();
    let (sum, took) = best(3, || {
        let mut sum = 0;
        for &id in &wanted {
            let found = by_id.find(&[PropertyRef::Integer(id as i64)], None);
            ids.clear();
            found.expect("a number").take(1024, &mut ids);
            sum += ids.iter().map(|&id| id as usize).sum::<usize>();
        }
        sum
    });
    assert_eq!(sum, wanted.iter().sum::<usize>());
    println!("found by id: {:.0} ns", nanos(took, wanted.len()));
    let by_name = graph.index_on(of, &[person(graph, "name").1]).expect("it is whole");
    let names: Vec<String> = wanted.iter().map(|id| format!("person-{id}")).collect();
    let (sum, took) = best(3, || {
        let mut sum = 0;
        for name in &names {
            let found = by_name.find(&[PropertyRef::Text(name)], None);
            ids.clear();
            found.expect("a text").take(1024, &mut ids);
            sum += ids.iter().map(|&id| id as usize).sum::<usize>();
        }
        sum
    });
    assert_eq!(sum, wanted.iter().sum::<usize>());
    println!("found by name: {:.0} ns", nanos(took, names.len()));
    let (sum, took) = best(3, || {
        let mut sum = 0;
        for &id in &wanted {
            let (low, high) = (id as i64, id as i64 + 100);
            let [low, high] = [low, high].map(PropertyRef::Integer);
            let then = Probe::Between(Bound::Included(low), Bound::Excluded(high));
            ids.clear();
            by_id.find(&[], Some(then)).expect("numbers").take(1024, &mut ids);
            sum += ids.len();
        }
        sum
    });
    assert_eq!(sum, 100 * wanted.len());
    println!("a range of 100 ids: {:.0} ns", nanos(took, wanted.len()));
    let (distinct, took) = best(9, || by_id.distinct(1));
    println!("{distinct} values estimated: {:.0} ns", nanos(took, 1));
}

/// A node of a million edges.
fn hub() {
    const EDGES: usize = 1_000_000;
    let mut graph = Graph::default();
    let kind = graph.make_type("FOLLOWS").expect("few");
    for _ in 0..2 {
        graph.create_node(&[]).expect("room");
    }
    let start = processor::used();
    for number in 0..EDGES {
        graph.create_edge(Ends { kind, source: 0, target: 1 }).expect("room");
        if number % 10_000 == 0 {
            drop(graph.take_changes());
        }
    }
    println!(
        "an edge more of a node of up to a million: {:.0} ns",
        nanos(processor::used() - start, EDGES)
    );
    let versions = Arc::new(Versions::default());
    let start = Instant::now();
    for _ in 0..1000 {
        let mut fork = graph.fork(&versions);
        fork.create_edge(Ends { kind, source: 0, target: 1 }).expect("room");
        drop(graph.adopt(fork).ok().expect("of this graph"));
    }
    println!("the same, in a fork each: {:.1} µs", nanos(start.elapsed(), 1000) / 1000.0);
    let start = processor::used();
    let deleted = graph.detach_and_delete_node(0).expect("it is there");
    println!("its DETACH DELETE: {:.0} ns an edge", nanos(processor::used() - start, deleted));
}

fn main() {
    let count = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(2_000_000);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut graph = Graph::default();
    load_nodes(&mut graph, count);
    load_edges(&mut graph, ("KNOWS", "weight"), count, &mut random);
    load_edges(&mut graph, ("FOLLOWS", "since"), count, &mut random);
    println!("in all {:.1} MB", graph.memory() as f64 / 1e6);
    scans(&graph, count);
    hops(&graph, count);
    points(&graph, &mut random);
    changes(&mut graph, &mut random);
    println!("with indexes on id, name and age:");
    indexes(&mut graph, &mut random);
    changes(&mut graph, &mut random);
    let start = Instant::now();
    drop(graph);
    println!("freed in {:.1} ms", millis(start.elapsed()));
    hub();
}
