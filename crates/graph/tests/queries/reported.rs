//! What users of other property graphs reported as wrong answers, each with the number of its
//! thread among FalkorDB's issues: here they are right.

use super::{explained, graph, rows, run, sorted};

/// What makes the graph, the statement, and its rows in the order of texts.
type Case = (&'static str, &'static str, &'static [&'static str]);

fn check(cases: &[Case]) {
    for (make, statement, expected) in cases {
        assert_eq!(sorted(&mut graph(make), statement), *expected, "{make}; {statement}");
    }
}

/// Issues 1954, 2171, 1248, 1315, 300, 2161, 1997, 2028.
#[test]
fn whether_a_pattern_exists() {
    const ALONE: &str = "CREATE (:P {n: 1}), (:P {n: 2})";
    const ONE: &str =
        "CREATE (:P {n: 1})-[:K {since: 2020, tags: ['x']}]->(:Q {n: 2}), (:P {n: 3})";
    check(&[
        (ALONE, "MATCH (n:P) RETURN n.n, EXISTS((n)-[:K]->())", &["1 | false", "2 | false"]),
        (ALONE, "MATCH (n) RETURN EXISTS((n)<-[:AUTH]-(:Identity)) LIMIT 1", &["false"]),
        (ONE, "MATCH (n) WHERE exists((n)-[]-()) RETURN n.n", &["1", "2"]),
        (ONE, "MATCH (n {n: 1}) RETURN exists((n {n: 1})-[:K {since: 2020}]->())", &["true"]),
        (ONE, "MATCH (n) WHERE EXISTS { (n)-[:K]->(m) WHERE m.n > n.n } RETURN n.n", &["1"]),
        (ONE, "MATCH (n) WHERE NOT EXISTS { MATCH (n)--() } RETURN n.n", &["3"]),
        (
            ONE,
            "MATCH (n:P) CALL (n) { MATCH (n)-[:K]->(m) RETURN count(m) AS c } RETURN n.n, c",
            &["1 | 1", "3 | 0"],
        ),
        (ONE, "MATCH (n:P) WITH n WHERE ()<-[:K {since: 2020}]-() RETURN n.n", &["1", "3"]),
        (ONE, "MATCH (n:P) WITH n WHERE ()<-[:K {since: 1999}]-() RETURN n.n", &[]),
        (
            ONE,
            "MATCH (n {n: 1}), (m {n: 2}) \
             WHERE any(r IN [(n)-[r:K]->(m) | r] WHERE 'x' IN r.tags) RETURN m.n",
            &["2"],
        ),
    ]);
}

/// Issues 1183, 2106, 1957, 2105, 2085, 1450, 1959.
#[test]
fn every_way_of_variable_length_is_found_once() {
    const TAIL: &str = "CREATE (a {n: 'a'})-[:T]->(b {n: 'b'})-[:T]->(c)-[:T]->(d)-[:T]->(b)";
    const CYCLE: &str = "CREATE (a:P {n: 1})-[:R]->(b:P)-[:R]->(:P)-[:R]->(a)";
    const FRIENDS: &str = "CREATE (a:P {n: 'a'})-[:F]->(b:P {n: 'b'}), (a)-[:F]->(c:P {n: 'c'}), \
                           (b)-[:F]->(c), (c)-[:F]->(a)";
    const LOOP: &str = "CREATE (a:P {n: 1})-[:R]->(b:P {n: 2})-[:R]->(a), (a)-[:R]->(a)";
    const TRIPLE: &str = "CREATE (a:P {n: 1}), (b:P), (c:P) WITH a, b, c UNWIND range(1, 3) AS i \
                          CREATE (a)-[:R]->(b), (b)-[:R]->(c), (c)-[:R]->(a)";
    const DIAMOND: &str = "CREATE (a:P {n: 0})-[:R]->(b)-[:R]->(z {n: 3}), (a)-[:R]->(c)-[:R]->(z)";
    check(&[
        (TAIL, "MATCH p = ({n: 'b'})-[*]-({n: 'a'}) RETURN length(p)", &["1", "4", "4"]),
        (CYCLE, "MATCH p = ({n: 1})-[*1..4]->() RETURN length(p)", &["1", "2", "3"]),
        (CYCLE, "MATCH p = ({n: 1})-[*4..5]->() RETURN length(p)", &[]),
        (CYCLE, "MATCH p = ({n: 1})-[*4]->() RETURN length(p)", &[]),
        (
            FRIENDS,
            "MATCH p = (:P {n: 'c'})-[:F*]-(o:P) RETURN count(p), count(DISTINCT o)",
            &["20 | 3"],
        ),
        (LOOP, "MATCH ({n: 1})-[*2..2]-({n: 1}) RETURN count(*)", &["2"]),
        (LOOP, "MATCH ({n: 1})-[r]-()-[s]-({n: 1}) RETURN count(*)", &["2"]),
        (LOOP, "MATCH ({n: 1})-[*1..1]-()-[*1..1]-({n: 1}) RETURN count(*)", &["2"]),
        (LOOP, "MATCH p = ({n: 1})-[:R*1..2]->({n: 2}) RETURN length(p)", &["1", "2"]),
        (TRIPLE, "MATCH ({n: 1})-[:R*3..3]->(e {n: 1}) RETURN count(e)", &["27"]),
        (DIAMOND, "MATCH (a:P) MATCH (a)-[:R*2]->(z) RETURN z.n", &["3", "3"]),
        (DIAMOND, "MATCH (a:P) MATCH p = (a)-[:R*2]->(z) RETURN z.n", &["3", "3"]),
    ]);
}

/// Issue 2157: whatever order the nodes were made in.
#[test]
fn a_wider_range_finds_no_less() {
    let edges = [(5, 4349), (5, 8798), (4349, 765), (4349, 775), (8798, 4349)];
    for turn in 0..edges.len() {
        let mut edges = edges.map(|(from, to)| format!("[{from}, {to}]"));
        edges.rotate_left(turn);
        let make = format!(
            "UNWIND [{}] AS e MERGE (x:U {{id: e[0]}}) MERGE (y:U {{id: e[1]}}) \
             MERGE (x)-[:F]->(y)",
            edges.join(", ")
        );
        let mut graph = graph(&make);
        for (range, expected) in [
            ("1..1", &["4349", "8798"][..]),
            ("2..2", &["4349", "765", "775"]),
            ("1..2", &["4349", "765", "775", "8798"]),
            ("1..3", &["4349", "765", "775", "8798"]),
        ] {
            let statement =
                format!("MATCH (:U {{id: 5}})-[:F*{range}]->(b:U) RETURN DISTINCT b.id");
            assert_eq!(sorted(&mut graph, &statement), expected, "{make}: {range}");
        }
    }
}

/// Issues 2007, 1944, 1951, 755, 741, 1349.
#[test]
fn rows_are_as_many_as_matches() {
    const PARALLEL: &str = "CREATE (a:P {n: 1})-[:K]->(b:P {n: 2}), (a)-[:K]->(b)";
    const MEET: &str = "CREATE (:P {n: 'a'})-[:K]->(:P {n: 'b'})<-[:K]-(:P {n: 'c'})";
    const WAY: &str = "CREATE (:P {n: 1})-[:W]->(:C {n: 2})-[:L]->(:T {n: 3})";
    const FOUR: &str = "CREATE (:A {id: 4})-[:T {id: 13}]->(n:A {id: 5}), \
                        (:A {id: 6})-[:T {id: 18}]->(m:A {id: 0}), (m)-[:T {id: 22}]->(n)";
    check(&[
        (PARALLEL, "MATCH ({n: 1})-[:K]-({n: 2}) RETURN count(*)", &["2"]),
        (
            MEET,
            "MATCH (a:P)-[:K]->(b)<-[:K]-(c:P) RETURN a.n, b.n, c.n",
            &["a | b | c", "c | b | a"],
        ),
        (
            WAY,
            "MATCH (p:P)-[:W]->(c) OPTIONAL MATCH (c)-[:L]->(t:T) RETURN p.n, c.n, t.n LIMIT 3",
            &["1 | 2 | 3"],
        ),
        (
            FOUR,
            "MATCH (a)-->(b) WHERE a.id = 4 AND b.id = 5 \
             OPTIONAL MATCH (a {id: 4})-[r]->(b {id: 5}), ()-[s]->()-[t]->() \
             RETURN a.id, b.id, r.id, s.id, t.id",
            &["4 | 5 | 13 | 18 | 22"],
        ),
        (
            "UNWIND range(1, 20) AS i CREATE (:N)",
            "MATCH (n), (), () WHERE ('a' <= ('km' + 'X')) RETURN count(*)",
            &["8000"],
        ),
    ]);
}

/// Issues 2100 and 741: an index changes no row.
#[test]
fn an_index_on_what_occurs_twice_hides_nothing() {
    let mut pairs = graph(
        "CREATE (a:P {n: 1})-[:E {u: 'd'}]->(b:P {n: 2}), (b)-[:E {u: 'd'}]->(a), (a)-[:E]->(b)",
    );
    for _ in 0..2 {
        for (statement, count) in [
            ("MATCH ()-[r:E {u: 'd'}]-() RETURN count(r)", "4"),
            ("MATCH ()-[r:E]-() WHERE r.u = 'd' RETURN count(r)", "4"),
            ("MATCH ()-[r:E {u: 'd'}]->() RETURN count(r)", "2"),
            ("MATCH (:P {n: 1})-[r:E {u: 'd'}]-(:P {n: 2}) RETURN count(r)", "2"),
            ("UNWIND [1, 2, 3] AS i MATCH (a:P)-[r]-() WHERE a.n = 1 RETURN count(i)", "9"),
        ] {
            assert_eq!(rows(&mut pairs, statement), [count], "{statement}");
        }
        // The first time.
        let _ = run(&mut pairs, "CREATE INDEX FOR ()-[r:E]-() ON (r.u)");
        let _ = run(&mut pairs, "CREATE INDEX FOR (p:P) ON (p.n)");
    }
}

/// Issues 980, 796, 1004, 232, 989: what would take minutes without.
#[test]
fn an_index_is_used_wherever_its_value_comes_from() {
    let mut graph = graph("UNWIND range(1, 2000) AS i CREATE (:D {id: i, class: 'c'})");
    run(&mut graph, "CREATE INDEX FOR (d:D) ON (d.id)").unwrap();
    for (statement, looks) in [
        ("UNWIND [1, 2] AS id MATCH (d:D {id: id})-[:F]->(:D {class: 'x'}) RETURN d.id", 1),
        ("UNWIND [{id: 1}] AS m MATCH (d:D {id: m.id}) RETURN d", 1),
        ("MATCH (a:D {id: 1}), (b:D {id: 2}) RETURN a, b", 2),
        ("MATCH (a:D {id: 1}) MATCH (b:D {id: a.class}) RETURN a, b", 2),
        ("MATCH (a:D {id: 1}) WITH a MATCH (b:D {id: 2}) RETURN a, b", 2),
    ] {
        let plan = explained(&mut graph, statement);
        assert_eq!(plan.matches("Node By Index Scan").count(), looks, "{statement}\n{plan}");
    }
}
