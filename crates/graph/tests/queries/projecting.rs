//! `WITH` and `RETURN`, and the expressions in them.

use kvist_graph::storage::Graph;

use super::{rows, value};

#[test]
fn expressions_have_values() {
    for (expression, expected) in [
        ("1 + 2 * 3", "7"),
        ("[x IN range(1, 5) WHERE x % 2 = 1 | x * x]", "[1, 9, 25]"),
        ("all(x IN [1, 2] WHERE x > 0)", "true"),
        ("single(x IN [1, 2, null] WHERE x = 1)", "NULL"),
        ("reduce(s = 0, x IN [1, 2, 3] | s + x)", "6"),
        ("CASE WHEN false THEN 1 / 0 ELSE 2 END", "2"),
        ("false AND 1 / 0 = 1", "false"),
        ("{a: 1, b: [1, 2]}.b[1]", "2"),
        ("[1, 2, 3][1..]", "[2, 3]"),
        ("'abc' =~ 'a.c'", "true"),
        ("null IN [1]", "NULL"),
        ("1 < 2 <= 2 > 3", "false"),
    ] {
        assert_eq!(value(expression), expected, "{expression}");
    }
}

#[test]
fn rows_are_grouped_sorted_and_cut() {
    let mut graph = Graph::default();
    let query = "UNWIND range(1, 10) AS x WITH x % 3 AS k, sum(x) AS s, collect(x) AS all \
                 ORDER BY s DESC SKIP 1 LIMIT 1 RETURN k, s, size(all) + 1";
    assert_eq!(rows(&mut graph, query), ["0 | 18 | 4"]);
    assert_eq!(rows(&mut graph, "UNWIND [2, 1, 2] AS x RETURN DISTINCT x"), ["2", "1"]);
    assert_eq!(rows(&mut graph, "UNWIND [] AS x RETURN count(x), max(x)"), ["0 | NULL"]);
    assert_eq!(
        rows(&mut graph, "RETURN 1 AS x UNION RETURN 1 AS x UNION RETURN 2 AS x"),
        ["1", "2"]
    );
}

#[test]
fn groups_are_the_same_by_whatever_they_are_looked_up() {
    let mut graph = super::graph(
        "UNWIND range(0, 2999) AS i CREATE (:N {i: i % 7, s: 'k' + (i % 3), m: CASE i % 4 \
         WHEN 0 THEN 1 WHEN 1 THEN 1.0 WHEN 2 THEN 'x' END})",
    );
    let mut rows = |query: &str| super::sorted(&mut graph, query);
    assert_eq!(rows("MATCH (n:N) RETURN n.s, count(*)"), ["k0 | 1000", "k1 | 1000", "k2 | 1000"]);
    assert_eq!(
        rows("MATCH (n:N) WITH n.i AS i, count(n) AS c RETURN sum(i), sum(c)"),
        ["21 | 3000"]
    );
    // One and 1.0 are one key, and null is one.
    assert_eq!(
        rows("MATCH (n:N) WITH n.m AS m, count(*) AS c RETURN m IS NULL, m = 1, c"),
        ["false | false | 750", "false | true | 1500", "true | NULL | 750"]
    );
    assert_eq!(rows("MATCH (n:N) WITH n, count(*) AS c RETURN count(n), max(c)"), ["3000 | 1"]);
    assert_eq!(rows("MATCH (n:N) RETURN n.s, n.i > 100, count(DISTINCT n.i)").len(), 3);
}

#[test]
fn what_is_counted_alone_is_not_made() {
    let mut graph = super::graph(
        "CREATE (a:A {x: 1})-[:T]->(b:B), (a)-[:T]->(b), (a)-[:U]->(a), (b)-[:T]->(c:B), (:B)",
    );
    for (query, expected) in [
        ("MATCH (n) RETURN count(*)", "4"),
        ("MATCH (n:B) RETURN count(n)", "3"),
        ("MATCH (n:Z) RETURN count(n)", "0"),
        ("MATCH ()-[r]->() RETURN count(r)", "4"),
        ("MATCH ()-[r:T]->() RETURN count(*)", "3"),
        ("MATCH ()<-[r:T|U]-() RETURN count(*)", "4"),
        ("MATCH (a:A)-[:T]->(m) RETURN count(m)", "2"),
        ("MATCH (a:A)-->(m:B) RETURN count(m)", "2"),
        ("MATCH (a:A)--(m) RETURN count(m)", "3"),
        ("MATCH (a:A)-[:T]->(m)-[:T]->(o) RETURN count(*)", "2"),
        ("MATCH (a:A) MATCH (a)-[r]->() RETURN a.x, count(r)", "1 | 3"),
        ("MATCH (a:B) WITH a MATCH (n) RETURN count(n)", "12"),
        ("MATCH (n) OPTIONAL MATCH (n)-[r:T]->() RETURN count(r), count(*)", "3 | 5"),
        ("OPTIONAL MATCH (z:Z) RETURN count(z), EXISTS { MATCH (z) }", "0 | false"),
        ("MATCH (n:A) RETURN count(n), max(n.x)", "1 | 1"),
    ] {
        assert_eq!(rows(&mut graph, query), [expected], "{query}");
    }
    let plan = super::explained(&mut graph, "MATCH (n:B) RETURN count(n)");
    assert!(plan.contains("Node Count | (n:B)"), "{plan}");
    let plan = super::explained(&mut graph, "MATCH (a:A)-[:T]->(m) RETURN count(m)");
    assert!(plan.contains("Degree | -[:T]->(m)"), "{plan}");
}
