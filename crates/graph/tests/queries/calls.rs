//! `CALL` of procedures: what they yield, what is refused, and that they keep within bounds.

use std::cell::Cell;

use kvist_graph::algorithm::procedures;
use kvist_graph::procedure::Builtin;
use kvist_graph::query::{self, Answer, Class, Error, Interrupt, NoInterrupt};
use kvist_graph::storage::Graph;
use kvist_graph::value::text;

use super::{After, graph, within};

fn call(graph: &mut Graph, text: &str, bounds: (usize, &dyn Interrupt)) -> Result<Answer, Error> {
    within(graph, text, &Builtin, bounds)
}

/// The rows as texts, or the error's.
fn shown(graph: &mut Graph, text: &str) -> String {
    let answer = match call(graph, text, (64 << 20, &NoInterrupt)) {
        Ok(answer) => answer,
        Err(error) => return error.message.lines().next().unwrap_or_default().to_owned(),
    };
    let width = answer.columns.len();
    let row = |row: query::Row<'_>| {
        let values = (0..width).map(|column| text::verbose(&row.value(column)));
        values.collect::<Vec<_>>().join(" ")
    };
    answer.rows().map(row).collect::<Vec<_>>().join("; ")
}

fn small() -> Graph {
    graph(
        "CREATE (a:P {n: 1})-[:F {w: 1, c: 2}]->(b:P {n: 2})-[:F {w: 3, c: 1}]->(c:P {n: 3}), \
         (a)-[:G {w: 9}]->(c), (:Q {n: 4})",
    )
}

#[test]
fn algorithms_are_called() {
    let mut graph = small();
    for (text, rows) in [
        (
            "CALL algo.WCC() YIELD node, componentId RETURN node.n, componentId",
            "1 0; 2 0; 3 0; 4 3",
        ),
        ("CALL ALGO.wcc YIELD node AS x WHERE x.n > 2 RETURN x.n", "3; 4"),
        ("CALL algo.wcc({nodeLabels: ['P']}) YIELD node RETURN count(node)", "3"),
        ("CALL algo.pageRank('P', 'F') YIELD node, score RETURN node.n ORDER BY score", "1; 2; 3"),
        (
            "MATCH (n:P) CALL algo.BFS(n, -1, null) YIELD nodes RETURN n.n, [x IN nodes | x.n]",
            "1 [2, 3]; 2 [3]",
        ),
        (
            "MATCH (n {n: 1}) CALL algo.BFS(n, 9, 'F') YIELD edges RETURN [e IN edges | e.w]",
            "[1, 3]",
        ),
        (
            "MATCH (a:P {n: 1}), (b:P {n: 3}) CALL algo.SPpaths({sourceNode: a, targetNode: b, \
             weightProp: 'w', costProp: 'c'}) YIELD path, pathWeight, pathCost \
             RETURN length(path), pathWeight, pathCost",
            "2 4.000000 3.000000",
        ),
        ("CALL algo.MSF() YIELD edges RETURN size(edges)", "2; 0"),
        ("CALL algo.betweenness(null) YIELD node, score RETURN sum(score)", "0.000000"),
        (
            "CALL algo.labelPropagation({}) YIELD communityId RETURN count(DISTINCT communityId)",
            "2",
        ),
        ("MATCH (m) CALL algo.WCC() YIELD node RETURN count(*)", "16"),
        ("MATCH (m) CALL algo.WCC() RETURN count(*)", "16"),
        ("CREATE (:R) WITH 1 AS x CALL algo.WCC() YIELD node RETURN count(node)", "5"),
        ("MATCH (r:R) DELETE r WITH r CALL algo.BFS(r, 1, null) YIELD nodes RETURN nodes", ""),
        ("CALL algo.WCC({nodeLabels: ['No']}) YIELD node RETURN node.n", ""),
        ("CALL algo.wcc({foo: 1})", "wcc configuration contains unknown key"),
        ("CALL algo.wcc(1)", "invalid argument to algo.wcc"),
        ("CALL algo.SSpaths(null)", "sourceNode is required"),
        ("CALL algo.pageRank", "Procedure `algo.pageRank` requires 2 arguments, got 0"),
        ("CALL algo.BFS(null, 1)", "Procedure `algo.BFS` requires 3 arguments, got 2"),
        (
            "CALL algo.wcc() YIELD Node RETURN 1",
            "Procedure `algo.wcc` does not yield output `Node`",
        ),
        ("CALL algo.none()", "Procedure `algo.none` is not registered"),
    ] {
        let found = shown(&mut graph, text);
        assert!(found == rows || found.contains(&format!("errMsg: {rows} ")), "{text}: {found}");
    }
}

#[test]
fn what_is_not_there_yet_is_said() {
    for name in ["db.idx.fulltext.queryNodes", "DB.IDX.fulltext.drop", "db.idx.vector.queryNodes"] {
        let found = shown(&mut Graph::default(), &format!("CALL {name}('a', 'b')"));
        assert!(found.contains("is not supported: there are no"), "{found}");
    }
}

#[test]
fn all_that_can_be_called_is_listed() {
    let mut graph = Graph::default();
    let listed = shown(&mut graph, "CALL dbms.procedures()");
    for name in procedures().map(|procedure| procedure.name).chain(["db.labels"]) {
        assert!(listed.contains(&format!("{name} READ")), "{name}: {listed}");
    }
}

/// More rows than a batch has, over several rows before them.
#[test]
fn many_rows_come_in_batches() {
    let mut graph = graph("UNWIND range(1, 3000) AS n CREATE (:N {n: n})");
    for (text, rows) in [
        ("CALL algo.WCC() YIELD node RETURN sum(node.n)", "4501500"),
        (
            "UNWIND [1, 2, 3] AS x CALL algo.WCC() YIELD node WITH x, node WHERE node.n > 1 \
             RETURN x, count(*), max(node.n) ORDER BY x",
            "1 2999 3000; 2 2999 3000; 3 2999 3000",
        ),
        ("CALL algo.WCC() YIELD node RETURN node.n SKIP 2999", "3000"),
        ("CALL algo.WCC() YIELD node RETURN node.n LIMIT 1", "1"),
        ("UNWIND range(1, 3000) AS x CALL db.labels() YIELD label RETURN count(label)", "3000"),
    ] {
        assert_eq!(shown(&mut graph, text), rows, "{text}");
    }
}

#[test]
fn calls_keep_within_their_bounds() {
    let mut graph = graph("UNWIND range(1, 300) AS n CREATE (:N {n: n})");
    let all = "MATCH (a:N), (b:N) WHERE a.n <> b.n CREATE (a)-[:T {w: 1}]->(b)";
    super::run(&mut graph, all).unwrap();
    let paths = "MATCH (a:N {n: 1}), (b:N {n: 2}) CALL algo.SPpaths({sourceNode: a, targetNode: b, \
                 pathCount: 1000000000}) YIELD path RETURN count(path)";
    for text in [
        paths,
        "CALL algo.betweenness() YIELD score RETURN sum(score)",
        "UNWIND range(1, 1000) AS i CALL algo.pageRank(null, null) YIELD score RETURN sum(score)",
        "MATCH (n:N) CALL algo.BFS(n, 5, null) YIELD nodes RETURN nodes",
    ] {
        let after = After(Cell::new(30));
        let error = call(&mut graph, text, (1 << 30, &after)).unwrap_err();
        assert_eq!((error.class, &*error.detail), (Class::Ended, "TimeIsUp"), "{text}");
    }
    for (text, memory) in [
        (paths, 4 << 20),
        ("CALL algo.WCC()", 1 << 10),
        ("MATCH (n:N) CALL algo.BFS(n, 5, null) YIELD nodes RETURN nodes", 1 << 20),
        ("UNWIND range(1, 9) AS i MATCH (n:N) CALL algo.WCC() YIELD node RETURN node", 1 << 20),
    ] {
        let error = call(&mut graph, text, (memory, &NoInterrupt)).unwrap_err();
        assert_eq!(error.class, Class::OutOfMemory, "{text}: {error}");
    }
}
