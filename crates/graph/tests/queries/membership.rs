//! `IN`, where many rows ask about one list.

use std::cell::Cell;

use kvist_graph::cypher::NoProcedures;
use kvist_graph::storage::Graph;

use super::{After, rows, run, within};

/// Values of all kinds, some of which are equal, and some neither equal nor not.
const VALUES: [&str; 24] = [
    "null",
    "true",
    "false",
    "0",
    "0.0",
    "-0.0",
    "1",
    "1.0",
    "1.5",
    "-1",
    "0.0 / 0.0",
    "1.0 / 0",
    "9007199254740993",
    "9007199254740992.0",
    "'a'",
    "''",
    "'1'",
    "[1]",
    "[null]",
    "[1, null]",
    "{a: 1}",
    "{a: null}",
    "date('2024-02-29')",
    "point({latitude: 1, longitude: 2})",
];

/// Each value by itself is asked by another way than many.
#[test]
fn many_rows_are_answered_as_one_is() {
    let mut graph = Graph::default();
    let all = VALUES.join(", ");
    let lists = [
        all.clone(),
        VALUES[1..].join(", "),
        VALUES[3..17].join(", "),
        VALUES[..17].join(", "),
        VALUES[11..].join(", "),
        format!("{}, 0, 1, 'a', null", ["7"; 20].join(", ")),
        ["0.0 / 0.0"; 20].join(", "),
        ["null"; 20].join(", "),
    ];
    for list in lists {
        let ones = VALUES.map(|value| super::value(&format!("{value} IN [{list}]")));
        for many in [
            format!("UNWIND [{all}] AS x RETURN x IN [{list}]"),
            format!("WITH [{list}] AS l UNWIND [{all}] AS x RETURN x IN l"),
            format!("UNWIND [{all}] AS x WITH x, [{list}] AS l RETURN x IN l"),
            format!("UNWIND [{all}] AS x WITH x, [{list}] + [x] AS l RETURN x IN l[..-1]"),
        ] {
            assert_eq!(rows(&mut graph, &many), ones, "{many}");
        }
    }
}

#[test]
fn nodes_and_relationships_are_found_in_lists_of_them() {
    let make = "UNWIND range(0, 99) AS i CREATE (:N {i: i})-[:R {i: i}]->(:M {i: i})";
    let mut graph = super::graph(make);
    let mut count = |query: &str| rows(&mut graph, query).join(";");
    let some = "MATCH (n:N)-[r]->(m) WHERE n.i % 3 = 0 WITH collect(n) AS ns, collect(r) AS rs, \
                collect(m) + [null] AS ms";
    let asked = |what: &str| format!("{some} MATCH (a)-[e]->(b) RETURN {what}");
    assert_eq!(count(&asked("sum(CASE WHEN a IN ns THEN 1 ELSE 0 END)")), "34");
    assert_eq!(count(&asked("sum(CASE WHEN e IN rs THEN 1 ELSE 0 END)")), "34");
    assert_eq!(
        count(&asked("count(a IN rs), sum(CASE WHEN a IN rs THEN 1 ELSE 0 END)")),
        "100 | 0"
    );
    assert_eq!(
        count(&asked("count(b IN ms), sum(CASE WHEN b IN ms THEN 1 ELSE 0 END)")),
        "34 | 34"
    );
    let texts =
        "WITH [n IN range(0, 60) | 't' + n] AS l MATCH (n:N) WHERE 't' + n.i IN l RETURN count(n)";
    assert_eq!(count(texts), "61");
}

/// What is looked for in a long list takes as long as the list and the rows do, not their product.
#[test]
fn a_list_is_gone_through_once_for_many_rows() {
    let mut graph = super::graph("UNWIND range(1, 2000) AS i CREATE (:N {i: i})");
    run(&mut graph, "CREATE INDEX FOR (n:N) ON (n.i)").unwrap();
    for text in [
        "WITH range(1, 30000) AS z UNWIND range(1, 300) AS n RETURN count(n IN z)",
        "UNWIND range(1, 300) AS n WITH n IN range(1, 30000) AS found RETURN count(found)",
        "WITH range(-30000, 0) + [null] AS z UNWIND range(1, 300) AS n RETURN count(n IN z)",
        "WITH range(-30000, 0) AS z UNWIND range(1, 300) AS n RETURN count(null IN z)",
        "WITH range(-30000, 0) AS z UNWIND range(1, 300) AS n RETURN count(0.0 / 0.0 * n IN z)",
        "MATCH (n:N) WHERE n.i IN range(1, 30000) RETURN count(n)",
        "MATCH (n) WHERE id(n) IN range(1, 30000) RETURN count(n)",
        "WITH range(1, 3000) AS l RETURN [x IN l WHERE NOT x IN l]",
    ] {
        let done = within(&mut graph, text, &NoProcedures, (64 << 20, &After(Cell::new(100))));
        assert!(done.is_ok(), "{text}: {}", done.err().unwrap());
    }
}
