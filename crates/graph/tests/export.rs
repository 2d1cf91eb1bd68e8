//! Graphs that are written as text, and made of it again: the same graphs, however the text is cut.

use base::Rng;
use kvist_graph::export::{About, Format, Part, PartLimits, Position, part};
use kvist_graph::import::{self, Table, TableOf};
use kvist_graph::query::{Interrupt, NoInterrupt, Settings, constant};
use kvist_graph::storage::{
    Constraint, ConstraintKind, Ends, Entity, Graph, Of, On, Rejected, View,
};
use kvist_graph::temporal::Clock;
use kvist_graph::value::stored::{from_property, to_property};
use kvist_graph::value::{Map, Value};
use testkit::seed;

/// A value of each kind that can be stored, and those at the edges.
const VALUES: &[&str] = &[
    "true",
    "false",
    "0",
    "-1",
    "9223372036854775807",
    "(-9223372036854775807 - 1)",
    "0.0",
    "-0.0",
    "0.1",
    "1.7976931348623157e308",
    "5e-324",
    "(0.0 / 0.0)",
    "(1.0 / 0.0)",
    "(-1.0 / 0.0)",
    "''",
    "' '",
    "'plain'",
    "' blanks at both ends\t'",
    "'12'",
    "'true'",
    "'[1]'",
    "'it\\'s \"quoted\", \\\\ and; `so` on'",
    "'lines\\nand\\r\\nmore\\tof\\u0000them'",
    "'öäü €漢字 \u{1f600}\u{202e}'",
    "'// no comment /* nor this */'",
    "[]",
    "[1, 2.5, 'a, \"b\"', true]",
    "[[1], [], ['x\\u0000']]",
    "[null, 1]",
    "[date('2024-02-29')]",
    "date('2024-02-29')",
    "localtime('10:11:12.123456789')",
    "time('10:11:12.5+01:30')",
    "localdatetime('1969-12-31T23:59:59.999999999')",
    "datetime('2024-02-29T10:11:12.000000001Z')",
    "datetime('2024-07-01T10:11:12[Europe/Berlin]')",
    "duration('P1Y2M3DT4H5M6.123456789S')",
    "duration('-PT0.5S')",
    "point({latitude: 1.1, longitude: -179.99})",
    "vecf32([1.5, -2.25, 0.1])",
    "vecf32([])",
];

const LABELS: &[&str] =
    &["Person", "a b", "MATCH", "x:y", "back`tick", "Ö", "_export", "line\nend"];
const TYPES: &[&str] = &["KNOWS", "to be", "CREATE", "`"];
const KEYS: &[&str] = &["name", "ON", "a b", "ü", "x:LONG", "_export", "\"q\",", "tick`s"];

fn settings<'a>(
    parameters: &'a Map,
    clock: &'a Clock,
    interrupt: &'a dyn Interrupt,
) -> Settings<'a> {
    Settings { parameters, clock, seed: 1, memory: 64 << 20, interrupt, profile: false }
}

/// A graph with gaps among its numbers. Each node and relationship has a name of its own in `id`.
fn random(rng: &mut Rng) -> Graph {
    let (none, clock) = (Map::default(), Clock::default());
    let settings = settings(&none, &clock, &NoInterrupt);
    let mut graph = Graph::default();
    let values: Vec<Value> = VALUES.iter().map(|text| constant(text, &settings).unwrap()).collect();
    let labels: Vec<_> = LABELS.iter().map(|name| graph.make_label(name).unwrap()).collect();
    let types: Vec<_> = TYPES.iter().map(|name| graph.make_type(name).unwrap()).collect();
    let keys: Vec<_> = KEYS.iter().map(|name| graph.make_key(name).unwrap()).collect();
    let id = graph.make_key("id").unwrap();
    let set = |graph: &mut Graph, rng: &mut Rng, entity, number: usize| {
        let number = to_property(&Value::Integer(number as i64)).unwrap();
        graph.set(entity, id, number.as_ref()).unwrap();
        for _ in 0..rng.below(4) {
            let value = to_property(&values[rng.below(values.len())]).unwrap();
            graph.set(entity, keys[rng.below(keys.len())], value.as_ref()).unwrap();
        }
    };
    let (nodes, relationships) = (1 + rng.below(40), rng.below(60));
    for number in 0..nodes {
        let mut own = labels.clone();
        own.retain(|_| rng.below(6) == 0);
        let node = graph.create_node(&own).unwrap();
        set(&mut graph, rng, Entity::Node(node), number);
    }
    for number in 0..relationships {
        let (source, target) = (rng.below(nodes) as u32, rng.below(nodes) as u32);
        let ends = Ends { kind: types[rng.below(types.len())], source, target };
        let edge = graph.create_edge(ends).unwrap();
        set(&mut graph, rng, Entity::Edge(edge), number);
    }
    for node in 0..nodes {
        if rng.below(5) == 0 {
            graph.detach_and_delete_node(node as u32).unwrap();
        }
    }
    schema(&mut graph, rng);
    graph
}

fn make(graph: &mut Graph, constraint: Constraint) {
    let made = graph.create_constraint(constraint, || Ok::<(), Rejected>(()));
    assert_eq!(made, Ok(None));
}

fn schema(graph: &mut Graph, rng: &mut Rng) {
    let (label, kind) = (graph.label("Person").unwrap(), graph.edge_type("KNOWS").unwrap());
    let (id, name) = (graph.key("id").unwrap(), graph.key("ON").unwrap());
    if rng.below(2) == 0 {
        graph.create_index(On::new(Of::Label(label), &[id, name])).unwrap();
        graph.create_index(On::new(Of::Label(label), &[name])).unwrap();
    }
    if rng.below(2) == 0 {
        graph.create_index(On::new(Of::Type(kind), &[id])).unwrap();
    }
    graph.build_indexes(usize::MAX);
    if rng.below(2) == 0 {
        let on = On::new(Of::Type(kind), &[id]);
        make(graph, Constraint { kind: ConstraintKind::Mandatory, on });
    }
    if graph.indexes().any(|index| index.on().of == Of::Type(kind)) {
        let on = On::new(Of::Type(kind), &[id]);
        make(graph, Constraint { kind: ConstraintKind::Unique, on });
    }
}

/// What a graph is, whatever numbers its nodes and relationships and their names have.
fn said(view: &View) -> Vec<String> {
    let properties = |entity| {
        let all = view.properties(entity);
        let mut all: Vec<String> = all
            .map(|(key, value)| format!("{:?}: {:?}", view.key_name(key), from_property(value)))
            .collect();
        all.sort();
        all.join(", ")
    };
    let mut all = Vec::new();
    let mut ids = Vec::new();
    (0..view.node_segments()).for_each(|segment| view.append_nodes(segment, &[], &mut ids));
    for &id in &ids {
        let mut labels: Vec<_> = view.labels_of(id).map(|label| view.label_name(label)).collect();
        labels.sort();
        all.push(format!("{labels:?} {}", properties(Entity::Node(id))));
    }
    let mut ids = Vec::new();
    (0..view.edge_segments()).for_each(|segment| view.append_edges(segment, &mut ids));
    for &id in &ids {
        let Ends { kind, source, target } = view.ends(id).unwrap();
        let ends = [source, target].map(|node| properties(Entity::Node(node)));
        let kind = view.type_name(kind);
        all.push(format!("{kind:?} {ends:?} {}", properties(Entity::Edge(id))));
    }
    let on = |on: &On| {
        let of = match on.of {
            Of::Label(label) => view.label_name(label),
            Of::Type(kind) => view.type_name(kind),
        };
        let keys: Vec<_> = on.keys.iter().map(|&key| view.key_name(key)).collect();
        format!("{of:?} {keys:?}")
    };
    all.extend(view.indexes().map(|index| format!("index {}", on(index.on()))));
    let constraints = view.constraints().iter();
    all.extend(constraints.map(|one| format!("{:?} {}", one.kind, on(&one.on))));
    all.sort();
    all
}

/// All parts of a graph, of so many nodes and relationships each.
fn parts(graph: &Graph, format: Format, entities: usize) -> Vec<Part> {
    let limits = PartLimits { entities, bytes: 1 << 20, memory: 64 << 20 };
    let (mut parts, mut position) = (Vec::new(), Some(Position::START));
    while let Some(from) = position {
        let part = part(graph, format, from, limits, &NoInterrupt).unwrap();
        assert!(position != part.next, "it goes on from {position:?}");
        position = part.next;
        parts.push(part);
    }
    parts
}

/// A graph of parts, each of which is made on a fork.
fn made(parts: &[Part]) -> Graph {
    let (none, clock) = (Map::default(), Clock::default());
    let settings = settings(&none, &clock, &NoInterrupt);
    let mut graph = Graph::default();
    let mut tables = false;
    for part in parts {
        for piece in &part.pieces {
            let text = piece.text.clone();
            let of = match &piece.about {
                About::Statement => {
                    import::statements(&mut graph, &[&text], &settings).unwrap_or_else(|failed| {
                        panic!("{failed:?}: {text}");
                    });
                    continue;
                }
                About::Nodes(labels) => TableOf::Nodes((&**labels).into()),
                About::Relationships(kind) => TableOf::Relationships((&**kind).into()),
            };
            tables = true;
            let table = Table { of, text: text.clone().into_bytes() };
            import::table(&mut graph, table, &settings).unwrap_or_else(|failed| {
                panic!("{failed:?}: {text}");
            });
        }
    }
    while tables && import::unmark(&mut graph, &settings).unwrap().left > 0 {}
    graph
}

#[test]
fn graphs_are_what_their_text_says() {
    let mut rng = seed::rng();
    for round in 0..seed::setting("KVIST_ROUNDS", 60) {
        let graph = random(&mut rng);
        for format in [Format::Cypher, Format::Csv] {
            let count = 1 + rng.below(50);
            let parts = parts(&graph, format, count);
            let again = made(&parts);
            assert_eq!(said(&again), said(&graph), "round {round}, {format:?}");
        }
    }
}
