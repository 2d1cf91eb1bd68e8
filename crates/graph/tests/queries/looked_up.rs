//! What is looked up without operators is what operators find, and what is made column by column is
//! what is made one by one.

use kvist_graph::cypher::NoProcedures;
use kvist_graph::query::{self, NoInterrupt, Prepared, Settings};
use kvist_graph::storage::Graph;
use kvist_graph::temporal::Clock;
use kvist_graph::value::Map;

use super::{graph, rows, run};

/// A graph with values of all kinds that one property may have, with and without an index on it.
fn people() -> Graph {
    let mut people = graph(
        "UNWIND [1, 1.0, 2, 2.5, '1', 'two', true, [1], null, -0.0, 0, 9007199254740993, 1, 'two'] \
         AS v CREATE (:P {k: v, name: toStringOrNull(v) + '!', more: [v]}), (:Q {k: v})",
    );
    run(&mut people, "MATCH (n:P {k: 'two'}) SET n:Q").unwrap();
    run(&mut people, "UNWIND range(1, 300) AS i CREATE (:P {k: 'many', i: i})").unwrap();
    run(&mut people, "CREATE (:P {k: 'long', name: reduce(t = 'x', i IN range(1, 17) | t + t)})")
        .unwrap();
    people
}

#[test]
fn nodes_are_looked_up_as_operators_find_them() {
    let mut people = people();
    let returns = ["n", "n.k, n.name, n.missing", "n.more, n", "n.name AS a, n.name AS b"];
    let values = [
        "1",
        "1.0",
        "2",
        "2.5",
        "3",
        "'1'",
        "'two'",
        "true",
        "[1]",
        "null",
        "0",
        "-0.0",
        "9007199254740993",
        "9007199254740992.0",
        "'many'",
        "'long'",
        "0.0 / 0.0",
    ];
    for indexed in [false, true] {
        if indexed {
            run(&mut people, "CREATE INDEX FOR (n:P) ON (n.k)").unwrap();
        }
        let mut answered = 0;
        for value in values {
            for columns in returns {
                for text in [
                    format!("CYPHER v={value} MATCH (n:P {{k: $v}}) RETURN {columns}"),
                    format!("MATCH (n:P) WHERE {value} = n.k RETURN {columns}"),
                    format!("CYPHER v={value} MATCH (n:Missing {{k: $v}}) RETURN {columns}"),
                    format!("CYPHER v={value} MATCH (n:P {{missing: $v}}) RETURN {columns}"),
                    format!("CYPHER v={value} MATCH (n:P:Q {{k: $v}}) RETURN {columns}"),
                ] {
                    answered += usize::from(is_same(&people, &text));
                }
            }
        }
        assert_eq!(answered > 60, indexed, "{answered}");
    }
}

/// Whether a statement is answered at once; then it is answered as it is else.
fn is_same(graph: &Graph, text: &str) -> bool {
    let (none, clock) = (Map::default(), Clock::default());
    let settings = |parameters| Settings {
        parameters,
        clock: &clock,
        seed: 1,
        memory: 64 << 20,
        interrupt: &NoInterrupt,
        profile: false,
    };
    let Ok((parameters, _)) = query::parameters(text, &settings(&none)) else { return false };
    let (settings, prepared) = (settings(&parameters), Prepared::compile(text, &NoProcedures));
    let prepared = prepared.unwrap();
    let Some(at_once) = prepared.answer_at_once(graph, &settings) else { return false };
    let answer = query::read(graph, &prepared, &settings).unwrap();
    assert_eq!(at_once.columns, answer.columns);
    let shown = |answer: &query::Answer| -> Vec<String> {
        let width = answer.columns.len();
        let row = |row: query::Row<'_>| {
            format!("{:?}", (0..width).map(|at| row.value(at)).collect::<Vec<_>>())
        };
        answer.rows().map(row).collect()
    };
    assert_eq!(shown(&at_once), shown(&answer), "{text}");
    true
}

#[test]
fn what_is_made_by_columns_is_what_is_made_one_by_one() {
    let list = "[{a: 1, b: 'x', c: 1.5}, {a: null, b: 2, c: 2.5}, {b: [1, 'y'], c: null}, \
                {a: 4, b: true, c: -1.0}]";
    let by_columns = "CREATE (n:N {a: row.a, b: row.b, c: row.c, d: 'same', e: null, f: i})";
    let by_maps = "CREATE (n:N) SET n.a = row.a, n.b = row.b, n.c = row.c, n.d = 'same', n.f = i";
    let edges =
        "MATCH (n:N), (m:M) WHERE n.f % 7 = 0 CREATE (n)-[:R {a: n.a, b: n.b, f: n.f}]->(m)";
    for indexed in [false, true] {
        let mut graphs = [by_columns, by_maps].map(|made| {
            let mut graph = graph("CREATE (:M)");
            if indexed {
                for on in ["a", "b", "d, f"] {
                    let on = on.split(", ").map(|key| format!("n.{key}")).collect::<Vec<_>>();
                    let index = format!("CREATE INDEX FOR (n:N) ON ({})", on.join(", "));
                    run(&mut graph, &index).unwrap();
                }
            }
            // Some ids in the middle are used again.
            run(&mut graph, "UNWIND range(1, 3000) AS i CREATE (:Old {a: i})").unwrap();
            run(&mut graph, "MATCH (n:Old) WHERE n.a % 3 = 0 DELETE n").unwrap();
            let text = format!("UNWIND range(1, 700) AS i UNWIND {list} AS row {made}");
            let made = run(&mut graph, &text).unwrap().statistics;
            assert_eq!((made.nodes_created, made.properties_set), (2800, 700 * 17));
            run(&mut graph, edges).unwrap();
            graph
        });
        for text in [
            "MATCH (n) RETURN id(n), labels(n), properties(n) ORDER BY id(n)",
            "MATCH (n)-[r:R]->() RETURN id(n), properties(r) ORDER BY id(r)",
            "MATCH (n:N {a: 4}) RETURN id(n)",
            "MATCH (n:N) WHERE n.b = 'x' RETURN id(n) ORDER BY id(n)",
            "MATCH (n:N {d: 'same', f: 99}) RETURN id(n) ORDER BY id(n)",
        ] {
            let [one, other] = &mut graphs;
            assert_eq!(rows(one, text), rows(other, text), "{indexed}: {text}");
        }
    }
}
