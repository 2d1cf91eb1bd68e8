//! Statements answer the same with indexes and without; indexes and constraints that statements
//! make, and what they say of them.

use base::Rng;
use kvist_graph::cypher::NoProcedures;
use kvist_graph::procedure::Builtin;
use kvist_graph::query::{
    self, ConstraintStatement, Error, NoInterrupt, Prepared, Settings, Statistics,
};
use kvist_graph::storage::{ConstraintKind, Graph};
use kvist_graph::temporal::Clock;
use kvist_graph::value::{Map, text};
use testkit::seed;

use super::{rows, run, sorted};

const NONE: fn(&mut Settings<'_>) = |_| {};

/// Runs something with settings.
fn with<R>(change: impl Fn(&mut Settings<'_>), run: impl FnOnce(&Settings<'_>) -> R) -> R {
    let (parameters, clock) = (Map::default(), Clock::default());
    let mut settings = Settings {
        parameters: &parameters,
        clock: &clock,
        seed: 1,
        memory: 64 << 20,
        interrupt: &NoInterrupt,
        profile: false,
    };
    change(&mut settings);
    run(&settings)
}

fn explain(graph: &Graph, text: &str) -> String {
    let prepared = Prepared::compile(text, &NoProcedures).unwrap();
    with(NONE, |settings| prepared.explain(graph, settings).to_string())
}

fn statistics(graph: &mut Graph, text: &str) -> Statistics {
    run(graph, text).unwrap_or_else(|error| panic!("{text}: {error}")).statistics
}

fn error(graph: &mut Graph, text: &str) -> String {
    run(graph, text).err().map(|error| error.message.into()).unwrap_or_default()
}

/// The rows of a statement with procedures.
fn called(graph: &Graph, text: &str) -> Vec<String> {
    let prepared = Prepared::compile(text, &Builtin).unwrap();
    let answer = with(NONE, |settings| query::read(graph, &prepared, settings)).unwrap();
    let width = answer.columns.len();
    let shown = |row: query::Row<'_>| {
        let values = (0..width).map(|column| text::verbose(&row.value(column)));
        values.collect::<Vec<_>>().join(" | ")
    };
    answer.rows().map(shown).collect()
}

fn constrain(graph: &mut Graph, text: &str) -> Result<(), Error> {
    let words: Vec<&str> = text.split(' ').collect();
    let statement = ConstraintStatement {
        drop: words[0] == "DROP",
        kind: match words[1] {
            "UNIQUE" => ConstraintKind::Unique,
            _ => ConstraintKind::Mandatory,
        },
        of_relationships: words[2] == "RELATIONSHIP",
        label: words[3].into(),
        properties: words[4..].iter().map(|&word| word.into()).collect(),
    };
    with(NONE, |settings| statement.run(graph, settings))
}

#[test]
fn statements_make_and_drop_indexes() {
    let mut graph = super::graph("UNWIND range(1, 3000) AS i CREATE (:L {a: i % 50, b: i})");
    let made = statistics(&mut graph, "CREATE INDEX FOR (n:L) ON (n.a, n.b)");
    assert_eq!((made.indices_created, made.nodes_created), (2, 0));
    assert_eq!(statistics(&mut graph, "CREATE INDEX ON :M(x)").indices_created, 1);
    let of_edges = "CREATE INDEX FOR ()-[r:T]-() ON (r.w)";
    assert_eq!(statistics(&mut graph, of_edges).indices_created, 1);
    for (text, told) in [
        ("CREATE INDEX FOR (n:L) ON (n.b)", "Attribute 'b' is already indexed"),
        ("CREATE INDEX FOR (n:L) ON (n.c, n.a)", "Attribute 'a' is already indexed"),
        ("CREATE INDEX FOR (n:L) ON (n.c, n.c)", "Attribute 'c' is already indexed"),
        ("CREATE INDEX FOR ()-[r:T]->() ON (r.w)", "Attribute 'w' is already indexed"),
        ("DROP INDEX ON :L(c)", "ERR Unable to drop index on :L(c): no such index."),
        ("DROP INDEX ON :No(a)", "ERR Unable to drop index on :No(a): no such index."),
        (
            "CREATE FULLTEXT INDEX FOR (n:L) ON (n.t)",
            "Full-text indexes are not supported yet: an index is a range index",
        ),
        (
            "CREATE VECTOR INDEX FOR (n:L) ON (n.v) OPTIONS {dimension: 2}",
            "Vector indexes are not supported yet: an index is a range index",
        ),
        ("CREATE INDEX FOR (n:L) ON (n.v) OPTIONS {x: 2}", "A range index has no OPTIONS"),
    ] {
        assert_eq!(error(&mut graph, text), told, "{text}");
    }
    let listed = "CALL db.indexes() YIELD label, properties, types, options, language, stopwords, \
                  entitytype, status";
    assert_eq!(
        called(&graph, listed),
        [
            "L | [a, b] | {a: [RANGE], b: [RANGE]} | {a: {}, b: {}} | english | [] | NODE | \
             OPERATIONAL",
            "M | [x] | {x: [RANGE]} | {x: {}} | english | [] | NODE | OPERATIONAL",
            "T | [w] | {w: [RANGE]} | {w: {}} | english | [] | RELATIONSHIP | OPERATIONAL",
        ]
    );
    assert_eq!(statistics(&mut graph, "DROP INDEX FOR (n:L) ON (n.a)").indices_deleted, 1);
    assert_eq!(statistics(&mut graph, "DROP INDEX ON :M(x)").indices_deleted, 1);
    let left = called(&graph, "CALL db.indexes() YIELD label, properties");
    assert_eq!(left, ["L | [b]", "T | [w]"]);
}

#[test]
fn plans_use_indexes() {
    let mut graph = super::graph(
        "UNWIND range(1, 3000) AS i CREATE (:L {a: i % 50, b: i, t: toString(i)}) \
         CREATE (:From)-[:T {w: i}]->(:To)",
    );
    for text in [
        "CREATE INDEX FOR (n:L) ON (n.a, n.b)",
        "CREATE INDEX ON :L(t)",
        "CREATE INDEX FOR ()-[r:T]->() ON (r.w)",
    ] {
        run(&mut graph, text).unwrap();
    }
    let by_index = "Node By Index Scan | (n:L)";
    for (condition, count) in [
        ("n.b = 7", "1"),
        ("7 = n.b", "1"),
        ("n.a = 7 AND n.b < 100", "2"),
        ("n.b > 2990", "10"),
        ("2990 <= n.b", "11"),
        ("10 < n.b <= 20", "10"),
        ("n.b IN [1, 2, 3, 3, 'x']", "3"),
        ("n.t STARTS WITH '299'", "11"),
        ("n.a = 1 AND n.b > 2900 AND n.t <> '2951'", "1"),
    ] {
        let text = format!("MATCH (n:L) WHERE {condition} RETURN count(n.b)");
        assert!(explain(&graph, &text).contains(by_index), "{}", explain(&graph, &text));
        assert_eq!(rows(&mut graph, &text), [count], "{condition}");
    }
    for (text, wanted) in [
        ("MATCH (n:L {b: 7}) RETURN n", by_index),
        ("UNWIND [1, 2] AS x MATCH (n:L) WHERE n.b = x RETURN n", by_index),
        ("UNWIND [{x: 1}] AS row MATCH (n:L {b: row.x}) RETURN n", by_index),
        ("MATCH (n:L) WHERE id(n) = 7 RETURN n", "Node By Label and ID Scan | (n:L)"),
        ("MATCH (n) WHERE id(n) IN [7] RETURN n", "NodeByIdSeek | (n)"),
        ("MATCH ()-[r:T {w: 3}]->() RETURN r", "Edge By Index Scan | [r:T]"),
        ("MATCH (a:From)-[r:T]->(b:To) WHERE r.w > 2998 RETURN a", "Edge By Index Scan | [r:T]"),
        // What an index does not help.
        ("MATCH (n:L) WHERE n.b <> 7 RETURN n", "Node By Label Scan | (n:L)"),
        ("MATCH (n:L) WHERE n.b > 7 RETURN n", "Node By Label Scan | (n:L)"),
        ("MATCH (n:L) WHERE n.b = toInteger(rand() * 9) RETURN n", "Node By Label Scan | (n:L)"),
        ("MATCH (n:L) WHERE n.b = n.a RETURN n", "Node By Label Scan | (n:L)"),
        ("MATCH (n:From {b: 7}) RETURN n", "Node By Label Scan | (n:From) by b"),
        ("CREATE INDEX ON :L(z)", "Create Index"),
        ("DROP INDEX ON :L(z)", "Drop Index"),
    ] {
        assert!(explain(&graph, text).contains(wanted), "{text}\n{}", explain(&graph, text));
    }
    let profiled = Prepared::compile("CREATE INDEX ON :L(z)", &NoProcedures).unwrap();
    let told = with(|all| all.profile = true, |all| query::write(&mut graph, &profiled, all));
    assert_eq!(&*told.unwrap_err().message, "Can't profile index operations.");
    assert_eq!(rows(&mut graph, "MATCH ()-[r:T {w: 3}]-() RETURN count(r.w)"), ["2"]);
    assert_eq!(
        rows(&mut graph, "MATCH (n:L) WHERE id(n) IN [0, 0, 9999999, null] RETURN n.b").len(),
        1
    );
}

#[test]
fn what_breaks_a_constraint_fails() {
    let mut graph = super::graph("CREATE (:L {a: 1, b: 1}), (:L {a: 2, b: 1})");
    let told = |graph: &mut Graph, text: &str| {
        constrain(graph, text).err().map(|error| error.message.into()).unwrap_or_default()
    };
    let told: &dyn Fn(&mut Graph, &str) -> String = &told;
    assert_eq!(told(&mut graph, "CREATE UNIQUE NODE L a"), "missing supporting exact-match index");
    run(&mut graph, "CREATE INDEX ON :L(a)").unwrap();
    run(&mut graph, "CREATE INDEX ON :L(b)").unwrap();
    for (text, wanted) in [
        ("CREATE UNIQUE NODE L b", "unique constraint violation on node of type L"),
        ("CREATE UNIQUE NODE L b a", ""),
        ("CREATE UNIQUE NODE L a b", "Constraint already exists"),
        ("DROP UNIQUE NODE L a b", ""),
        ("DROP UNIQUE NODE L a b", "Unable to drop constraint, no such constraint."),
        ("DROP UNIQUE NODE No a", "Unable to drop constraint, no such constraint."),
        ("CREATE UNIQUE NODE L a", ""),
        ("CREATE MANDATORY NODE L a", ""),
        (
            "CREATE MANDATORY NODE L q",
            "mandatory constraint violation: node with label L missing property q",
        ),
        ("CREATE MANDATORY RELATIONSHIP T w", ""),
    ] {
        assert_eq!(told(&mut graph, text), wanted, "{text}");
    }
    for (text, wanted) in [
        ("CREATE (:L {a: 1.0})", "unique constraint violation on node of type L"),
        ("MATCH (n:L {a: 1}) SET n.a = 2", "unique constraint violation on node of type L"),
        (
            "MATCH (n:L {a: 1}) SET n.a = null",
            "mandatory constraint violation: node with label L missing property a",
        ),
        ("CREATE (n {a: 1}) SET n:L", "unique constraint violation on node of type L"),
        (
            "CREATE ()-[:T]->()",
            "mandatory constraint violation: edge with relationship-type T missing property w",
        ),
        ("DROP INDEX ON :L(a)", "Index supports constraint"),
        // Those hold at the end of a statement, whatever is between.
        ("MATCH (n:L) SET n.a = 3 - n.a", ""),
        ("MERGE (:L {a: 1})", ""),
    ] {
        // A statement that fails leaves a graph in part: its fork is dropped.
        let versions = std::sync::Arc::default();
        let mut fork = graph.fork(&versions);
        assert_eq!(error(&mut fork, text), wanted, "{text}");
    }
    assert_eq!(
        called(&graph, "CALL db.constraints()"),
        [
            "UNIQUE | L | [a] | NODE | OPERATIONAL",
            "MANDATORY | L | [a] | NODE | OPERATIONAL",
            "MANDATORY | T | [w] | RELATIONSHIP | OPERATIONAL",
        ]
    );
}

const VALUES: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "1.0",
    "0.5",
    "-0.0",
    "0.0/0.0",
    "1.0/0.0",
    "9007199254740993",
    "9007199254740992.0",
    "9223372036854775807",
    "'a'",
    "'ab'",
    "''",
    "'b'",
    "'1'",
    "true",
    "false",
    "null",
    "[1]",
    "[1.0]",
    "[]",
    "date('2024-01-01')",
    "date('2024-01-02')",
    "localdatetime('2024-01-01T00:00')",
    "datetime('2024-01-01T00:00+01:00')",
    "datetime('2023-12-31T23:00Z')",
    "localtime('12:00')",
    "time('12:00+01:00')",
    "duration('P1D')",
    "duration('PT24H')",
    "point({latitude: 1.0, longitude: 2.0})",
];

fn pick<'a>(rng: &mut Rng, all: &[&'a str]) -> &'a str {
    all[rng.below(all.len())]
}

/// Something that is true or not of the properties of what has a name. `values`: what they may be
/// compared with.
fn predicate(rng: &mut Rng, name: &str, keys: &[&str], values: &[&str]) -> String {
    let key = pick(rng, keys);
    let (one, other) = (pick(rng, values), pick(rng, values));
    let comparison = pick(rng, &["=", "=", "<", "<=", ">", ">=", "<>"]);
    match rng.below(9) {
        0 => format!("{name}.{key} IN [{one}, {other}, {}]", pick(rng, VALUES)),
        1 => format!("{name}.{key} STARTS WITH {}", pick(rng, &["'a'", "''", "'b'", "null"])),
        2 => format!("{one} <= {name}.{key} < {other}"),
        3 => format!("{name}.{key} IS NOT NULL"),
        4 => format!("{one} {comparison} {name}.{key}"),
        5 => format!("({name}.{key} = {one} OR {name}.{key} = {other})"),
        6 => format!("id({name}) = {}", rng.below(60)),
        _ => format!("{name}.{key} {comparison} {one}"),
    }
}

fn predicates(rng: &mut Rng, name: &str, keys: &[&str], values: &[&str]) -> String {
    let count = 1 + rng.below(3);
    let all: Vec<String> = (0..count).map(|_| predicate(rng, name, keys, values)).collect();
    all.join(" AND ")
}

fn question(rng: &mut Rng) -> String {
    let keys = &["a", "b", "c"];
    let n = predicates(rng, "n", keys, VALUES);
    let (one, other) = (pick(rng, VALUES), pick(rng, VALUES));
    let joined = predicates(rng, "n", keys, &["x", "x", one]);
    let with_m = predicates(rng, "n", keys, &["m.a", "m.b", one]);
    let r = predicates(rng, "r", &["u", "v"], VALUES);
    let arrow = pick(rng, &["-[r:T]->", "<-[r:T]-", "-[r:T]-"]);
    match rng.below(11) {
        0 => format!("MATCH (n:L:M) WHERE {n} RETURN id(n)"),
        1 => format!(
            "UNWIND [{one}, {other}, {one}] AS x MATCH (n:L) WHERE {joined} RETURN x, id(n)"
        ),
        2 => format!("MATCH (m:M) MATCH (n:L) WHERE {with_m} RETURN id(m), id(n)"),
        3 => format!("MATCH (m:M) OPTIONAL MATCH (n:L) WHERE {with_m} RETURN id(m), id(n)"),
        4 => format!("MATCH (x){arrow}(y) WHERE {r} RETURN id(x), id(r), id(y)"),
        5 => format!("MATCH (n:L){arrow}(m:M) WHERE {n} AND {r} RETURN id(n), id(r), id(m)"),
        6 => format!("MATCH (n:L {{a: {one}, b: {other}}}) RETURN id(n)"),
        7 => format!("MATCH (m:M) WHERE EXISTS {{ MATCH (n:L) WHERE {with_m} }} RETURN id(m)"),
        8 => format!(
            "MATCH (n:L)-->(m){arrow}(k:L {{a: {one}}}) WHERE {n} RETURN id(n), id(k), id(r)"
        ),
        9 => format!("MATCH (n:L) WHERE {n} RETURN n.a, id(n) ORDER BY n.a, id(n)"),
        _ => format!("MATCH (n:L) WHERE {n} RETURN id(n)"),
    }
}

fn change(rng: &mut Rng) -> String {
    let (one, other) = (pick(rng, VALUES), pick(rng, VALUES));
    let id = rng.below(60);
    match rng.below(8) {
        0 => format!("MATCH (n:L) WHERE id(n) = {id} SET n.a = {one}"),
        1 => format!("MATCH (n) WHERE id(n) = {id} DETACH DELETE n"),
        2 => format!("MATCH (n) WHERE id(n) = {id} REMOVE n:L"),
        3 => format!("MATCH (n) WHERE id(n) = {id} SET n:L, n.b = {other}"),
        4 if one != "null" => format!("UNWIND [{one}, {one}] AS x MERGE (:L {{a: x}})"),
        5 => format!("MATCH ()-[r:T]->() WHERE id(r) = {id} SET r.u = {one}"),
        6 => format!(
            "MATCH (n), (m) WHERE id(n) = {id} AND id(m) = {} \
             CREATE (n)-[:T {{u: {one}, v: {other}}}]->(m)",
            rng.below(60)
        ),
        _ => format!(
            "CREATE (:{} {{a: {one}, b: {other}, c: {}}})",
            pick(rng, &["L", "L:M", "M"]),
            pick(rng, VALUES)
        ),
    }
}

#[test]
fn indexes_change_no_answer() {
    let mut rng = seed::rng();
    for _ in 0..seed::setting("KVIST_ROUNDS", 30) {
        let (mut plain, mut indexed) = (Graph::default(), Graph::default());
        let indexes = [
            "CREATE INDEX ON :L(a, b)",
            "CREATE INDEX ON :L(c)",
            "CREATE INDEX ON :M(b)",
            "CREATE INDEX FOR ()-[r:T]-() ON (r.u, r.v)",
        ];
        let early = rng.below(indexes.len() + 1);
        let make = |graph: &mut Graph, text: &str| {
            run(graph, text).unwrap_or_else(|error| panic!("{text}: {error}"));
        };
        indexes[..early].iter().for_each(|text| make(&mut indexed, text));
        for _ in 0..120 {
            let text = change(&mut rng);
            make(&mut plain, &text);
            make(&mut indexed, &text);
        }
        indexes[early..].iter().for_each(|text| make(&mut indexed, text));
        for asked in 0..150 {
            if asked % 5 == 0 {
                let text = change(&mut rng);
                make(&mut plain, &text);
                make(&mut indexed, &text);
            }
            let text = question(&mut rng);
            let (without, with) = match text.contains("ORDER BY") {
                true => (rows(&mut plain, &text), rows(&mut indexed, &text)),
                false => (sorted(&mut plain, &text), sorted(&mut indexed, &text)),
            };
            assert_eq!(with, without, "{text}\n{}", explain(&indexed, &text));
        }
    }
}

/// A value that cannot be computed is an error where it is compared with something, and only there:
/// with an index, with a table of one match, and without.
#[test]
fn what_cannot_be_computed_fails_where_it_is_asked_for() {
    let made = "CREATE (a:A {a: 1})-[:K]->(b:A {a: 2})-[:K]->(a)";
    let gone = "MATCH (n)<-[r:K]-(m:A) DETACH DELETE n WITH * MATCH (o:A {a: n.a}) RETURN count(o)";
    for index in [None, Some("CREATE INDEX FOR (n:A) ON (n.a)")] {
        let with = |more: &str| {
            let mut graph = super::graph(made);
            for statement in index.into_iter().chain([more]).filter(|text| !text.is_empty()) {
                super::run(&mut graph, statement).unwrap();
            }
            super::run(&mut graph, gone).map(|answer| answer.rows().next().map(|row| row.value(0)))
        };
        assert_eq!(with("").unwrap(), Some(kvist_graph::value::Value::Integer(0)), "{index:?}");
        // One is left to compare with.
        let error = with("CREATE (:A {a: 7})").unwrap_err();
        assert_eq!(&*error.detail, "DeletedEntityAccess", "{index:?}");
    }
}
