//! What patterns find, and how often.

use super::{graph, rows, sorted};

#[test]
fn nodes_are_found_by_label_and_condition() {
    let mut graph = graph("CREATE (:L {x: 1}), (:L {x: 2}), (:L {x: 3.5}), (:M {x: 9}), (:L)");
    assert_eq!(rows(&mut graph, "MATCH (n:L) WHERE n.x > 1 RETURN n.x AS a"), ["2", "3.500000"]);
    assert_eq!(rows(&mut graph, "MATCH (n:L {x: 2}) RETURN n.x"), ["2"]);
    assert_eq!(rows(&mut graph, "MATCH (n) RETURN count(n.x), count(*)"), ["4 | 5"]);
    assert_eq!(rows(&mut graph, "MATCH (n:Z) RETURN n"), [""; 0]);
}

#[test]
fn parallel_relationships_are_found_each() {
    let mut graph = graph("CREATE (a:A)-[:T {x: 1}]->(b:B), (a)-[:T {x: 2}]->(b), (a)-[:U]->(b)");
    assert_eq!(rows(&mut graph, "MATCH (:A)-->(:B) RETURN count(*)"), ["3"]);
    assert_eq!(rows(&mut graph, "MATCH (:A)-[:T]->(b) RETURN count(b)"), ["2"]);
    assert_eq!(sorted(&mut graph, "MATCH (a:A)-[r:T]-(b) RETURN r.x"), ["1", "2"]);
    assert_eq!(rows(&mut graph, "MATCH (a)-[r]->(b)<-[s]-(a) RETURN count(*)"), ["6"]);
}

#[test]
fn ways_of_several_relationships_take_each_once() {
    let mut graph = graph(
        "CREATE (a:A {n: 'a'})-[:T {x: 1}]->(b {n: 'b'})-[:T {x: 2}]->(c {n: 'c'}), \
         (c)-[:T {x: 1}]->(a), (a)-[:T {x: 1}]->(a)",
    );
    let from = |hop: &str| format!("MATCH (:A)-[r{hop}]->(m) RETURN size(r) + m.n");
    assert_eq!(sorted(&mut graph, &from("*1..2")), ["1a", "1b", "2b", "2c"].map(quoted));
    assert_eq!(sorted(&mut graph, &from("*0..1")), ["0a", "1a", "1b"].map(quoted));
    assert_eq!(rows(&mut graph, "MATCH (:A)-[*]->() RETURN count(*)"), ["8"]);
    assert_eq!(rows(&mut graph, "MATCH (:A)-[*{x: 1}]->(m) RETURN count(*)"), ["3"]);
    assert_eq!(rows(&mut graph, "MATCH (:A)-[*3]-() RETURN count(*)"), ["4"]);
    let each = "MATCH (:A)-[r* WHERE r.x = 1]->() RETURN count(*)";
    assert_eq!(rows(&mut graph, each), ["3"]);
}

fn quoted(text: &str) -> String {
    text.to_owned()
}

#[test]
fn the_shortest_ways_are_found() {
    let mut graph = graph(
        "CREATE (a:P {n: 1})-[:T]->(b:P {n: 2})-[:T]->(c:P {n: 3})-[:T]->(d:P {n: 4}), \
         (a)-[:T]->(e:P {n: 5})-[:T]->(c), (a)-[:U]->(d), (b)-[:T]->(c)",
    );
    let ends = "MATCH (a {n: 1}), (d {n: 4}) ";
    let query = |rest: &str| format!("{ends}{rest}");
    for (rest, expected) in [
        ("RETURN length(shortestPath((a)-[:T*]->(d)))", "3"),
        ("RETURN length(shortestPath((a)-[*]->(d)))", "1"),
        ("RETURN shortestPath((d)-[:T*]->(a))", "NULL"),
        ("RETURN length(shortestPath((d)<-[:T*]-(a)))", "3"),
        ("RETURN shortestPath((a)-[:T*..2]->(d))", "NULL"),
        ("MATCH p = shortestPath((a)-[:T*]->(d)) RETURN [n IN nodes(p) | n.n][3]", "4"),
        ("MATCH p = allShortestPaths((a)-[:T*]->(d)) RETURN count(p)", "3"),
        ("MATCH p = allShortestPaths((a)-[r:T*]-(d)) RETURN min(size(r))", "3"),
        ("MATCH p = shortestPath((a)-[*0..]->(a)) RETURN length(p)", "0"),
    ] {
        assert_eq!(rows(&mut graph, &query(rest)), [expected], "{rest}");
    }
}

#[test]
fn rows_without_a_match_stay_where_it_is_optional() {
    let mut graph =
        graph("CREATE (:N {x: 1})-[:T]->(:M {y: 1}), (:N {x: 2}), (:N {x: 3})-[:T]->()");
    let query = "MATCH (n:N) WITH n ORDER BY n.x OPTIONAL MATCH (n)-[r]->(m:M) \
                 RETURN n.x, m.y, r IS NULL";
    assert_eq!(rows(&mut graph, query), ["1 | 1 | false", "2 | NULL | true", "3 | NULL | true"]);
    let then = "OPTIONAL MATCH (z:Z) MATCH (z)-->(m) RETURN count(*)";
    assert_eq!(rows(&mut graph, then), ["0"]);
    let many =
        "UNWIND range(1, 3000) AS i OPTIONAL MATCH (n:N) WHERE n.x = i RETURN count(n), count(*)";
    assert_eq!(rows(&mut graph, many), ["3 | 3000"]);
}

#[test]
fn subqueries_run_for_each_row() {
    let mut graph = graph(
        "UNWIND range(1, 5) AS x CREATE (n:N {x: x}) WITH n, x UNWIND range(1, x) AS y \
         CREATE (n)-[:T {y: y}]->(:M {y: y})",
    );
    for (query, expected) in [
        ("MATCH (n:N) WHERE EXISTS { (n)-[:T]->(:M {y: 4}) } RETURN count(n)", "2"),
        (
            "MATCH (n:N) WHERE EXISTS { MATCH (n)-->(m) WHERE m.y > n.x - 1 RETURN m } RETURN \
             count(n)",
            "5",
        ),
        ("MATCH (n:N) WHERE COUNT { (n)-->() } > 2 RETURN count(n)", "3"),
        ("MATCH (n:N) WHERE (n)-->({y: 5}) RETURN n.x", "5"),
        ("MATCH (n:N) WHERE NOT (n)-->({y: 2}) RETURN n.x", "1"),
        (
            "MATCH (n:N {x: 3}) RETURN COLLECT { MATCH (n)-->(m) RETURN m.y ORDER BY m.y DESC \
             LIMIT 2 }",
            "[3, 2]",
        ),
        (
            "MATCH (n:N) WITH n ORDER BY n.x RETURN collect(size([(n)-->(m) WHERE m.y > 1 | \
             m.y]))",
            "[0, 1, 2, 3, 4]",
        ),
        ("MATCH (n:N) CALL { WITH n MATCH (n)-->(m) RETURN sum(m.y) AS s } RETURN sum(s)", "35"),
        ("MATCH (n:N) CALL (n) { MATCH (n)-->(m) RETURN m.y AS y } RETURN sum(y)", "35"),
        (
            "MATCH (n:N) CALL { MATCH (k:N) RETURN max(k.x) AS k } WITH n, k WHERE n.x = k \
             RETURN n.x",
            "5",
        ),
        (
            "UNWIND [1, 2] AS x CALL { WITH x RETURN x AS y UNION ALL WITH x RETURN x * 10 AS y \
             } RETURN sum(y)",
            "33",
        ),
        ("MATCH (n:N) RETURN sum(COUNT { MATCH (n)-->(m) WHERE EXISTS { (m)<--(n) } })", "15"),
        ("RETURN EXISTS { MATCH (n:Z) }", "false"),
        ("RETURN COUNT { MATCH (n:N) RETURN DISTINCT n.x % 2 }", "2"),
    ] {
        assert_eq!(rows(&mut graph, query), [expected], "{query}");
    }
}

#[test]
fn many_rows_look_nodes_up_by_a_property() {
    let mut graph = graph("UNWIND range(0, 9999) AS i CREATE (:N {i: i, k: i % 10, f: 1.0 * i})");
    for (query, expected) in [
        (
            "UNWIND range(5000, 20000) AS x MATCH (n:N {i: x}) RETURN count(*), min(n.i)",
            "5000 \
         | 5000",
        ),
        (
            "UNWIND [1, 2.0, null, 'x', 0.0 / 0.0] AS x MATCH (n:N {f: x}) RETURN collect(n.i)",
            "[1, 2]",
        ),
        ("MATCH (a:N), (b:N) WHERE a.i = b.i + 9990 RETURN count(*), min(a.i)", "10 | 9990"),
        ("UNWIND [3, 4] AS x MATCH (n:N) WHERE x = n.k RETURN x, count(*)", "3 | 1000; 4 | 1000"),
        ("UNWIND [3, 4] AS x MATCH (n:N {k: x, i: x}) RETURN x, count(*)", "3 | 1; 4 | 1"),
        ("UNWIND [[1, 7]] AS p MATCH (n:N {i: p[0]}), (m:N {i: p[1]}) RETURN n.i, m.i", "1 | 7"),
        (
            "UNWIND [1, 2] AS x OPTIONAL MATCH (n:N {i: x * 9000}) RETURN x, n.i",
            "1 | 9000; 2 \
         | NULL",
        ),
        ("UNWIND [1, 2] AS x MATCH (n:N {z: x}) RETURN count(*)", "0"),
        ("MATCH (n:N {i: 77}) RETURN n.k", "7"),
    ] {
        assert_eq!(rows(&mut graph, query).join("; "), expected, "{query}");
    }
}
