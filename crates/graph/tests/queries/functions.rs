//! Functions that look at the graph, or at rows before.

use super::{graph, rows, run, value};

#[test]
fn json_of_what_is_in_the_graph() {
    let mut graph = graph(
        "CREATE (:A:B {x: 1, s: 'q\"'})-[:R {w: 2.5}]->(:C {l: [1, null], \
         p: point({latitude: 1.5, longitude: 2})})",
    );
    let a = r#""id": 0, "labels": ["A", "B"], "properties": {"x": 1, "s": "q\""}}"#;
    let point = r#"{"crs":"wgs-84","latitude":1.500000,"longitude":2.000000,"height":null}"#;
    let properties = format!(r#""properties": {{"l": [1, null], "p": {point}}}"#);
    let b = format!(r#""id": 1, "labels": ["C"], {properties}}}"#);
    let node = format!(r#"{{"type": "node", {a}"#);
    let kind = r#""type": "relationship", "id": 0, "relationship": "R", "properties": {"w": 2.5}"#;
    let edge = format!(r#"{{{kind}, "start": {{{a}, "end": {{{b}}}"#);
    for (expression, json) in [
        ("a", node.clone()),
        ("r", edge.clone()),
        ("p", format!(r#"[{node}, {edge}, {{"type": "node", {b}]"#)),
        ("{a: [a, 1], n: null}", format!(r#"{{"a": [{node}, 1], "n": null}}"#)),
        ("null", "NULL".to_owned()),
        ("[]", "[]".to_owned()),
    ] {
        let text = format!("MATCH p = (a:A)-[r]->(b) RETURN toJSON({expression})");
        assert_eq!(rows(&mut graph, &text), [json], "{text}");
    }
    let gone = "MATCH (a:A) DETACH DELETE a RETURN toJSON(a)";
    assert!(run(&mut graph, gone).is_err());
}

/// What is short may have a long text.
#[test]
fn json_is_bounded() {
    let text = "WITH reduce(l = [1], i IN range(1, 22) | l + l) AS l, \
                reduce(s = 'x', i IN range(1, 10) | s + s) AS s RETURN toJSON([x IN l | s])";
    assert!(run(&mut graph("CREATE (:A)"), text).is_err());
}

#[test]
fn maps_are_put_together() {
    assert_eq!(value("{a: 1, b: 2} + {b: 3, c: 4}"), "{a: 1, b: 3, c: 4}");
    assert_eq!(value("{a: 1} + null"), "NULL");
    assert_eq!(value("{} + {}"), "{}");
    assert_eq!(value("[{a: 1}] + {b: 2}"), "[{a: 1}, {b: 2}]");
    assert!(run(&mut graph("CREATE ()"), "RETURN {a: 1} + 2").is_err());
}

#[test]
fn the_row_before_is_remembered() {
    let mut graph = graph("UNWIND range(1, 3000) AS n CREATE (:N {n: n})");
    let all = "UNWIND [1, 2, 2, 5] AS x RETURN x, prev(x), prev(x * 2)";
    assert_eq!(rows(&mut graph, all), ["1 | NULL | NULL", "2 | 1 | 2", "2 | 2 | 4", "5 | 2 | 4"]);
    let steps = "MATCH (n:N) WITH n.n - prev(n.n) AS step RETURN step, count(*) ORDER BY step";
    assert_eq!(rows(&mut graph, steps), ["1 | 2999", "NULL | 1"]);
}

#[test]
fn degrees_of_several_types() {
    let mut graph = graph("CREATE (a:A)-[:R]->(), (a)-[:S]->(), (a)-[:T]->(a)");
    let text = "MATCH (a:A) RETURN outdegree(a), outdegree(a, 'R', 'S', 'R'), outdegree(a, ['R']), \
                indegree(a, 'T', 'No')";
    assert_eq!(rows(&mut graph, text), ["3 | 2 | 1 | 1"]);
}

#[test]
fn vectors_are_compared() {
    for (expression, found) in [
        ("vec.cosineDistance(vecf32([1, 2]), vecf32([1, 2]))", "0.000000"),
        ("vec.cosineDistance(vecf32([1, 2]), vecf32([-2, 1]))", "1.000000"),
        ("vec.euclideanDistance(vecf32([]), vecf32([]))", "0.000000"),
        ("vec.euclideanDistance(vecf32([1, 1]), vecf32([4, 5]))", "5.000000"),
        ("string.matchRegEx('abc', null)", "[]"),
        ("string.matchRegEx(null, 'a')", "[]"),
    ] {
        assert_eq!(value(expression), found, "{expression}");
    }
    let error = run(&mut graph("CREATE ()"), "RETURN vecf32([1, 'a'])").unwrap_err();
    assert_eq!(&*error.message, "vectorf32 expects an array of numbers");
}

/// What a statement tells that it has changed.
#[test]
fn statistics_are_those_of_falkordb() {
    let mut graph = graph("CREATE (:A {x: 1}), (:A)");
    for (text, labels, set, removed) in [
        ("CREATE (:A), (:B), (:B:A)", 1, 0, 0),
        ("MATCH (n:A) SET n:C", 4, 0, 0),
        ("MATCH (n {x: 1}) SET n.x = 2", 0, 1, 1),
        ("MATCH (n {x: 2}) SET n.x = 2", 0, 0, 0),
        ("MATCH (n {x: 2}) SET n = {x: 2, y: 1}", 0, 2, 1),
        ("MATCH (n {x: 2}) SET n = n", 0, 0, 0),
        ("MATCH (n {x: 2}) SET n += {x: 3, y: 1, z: null}", 0, 1, 1),
        ("MATCH (n {x: 3}) SET n = {}", 0, 0, 2),
        ("UNWIND [1, 2] AS x CREATE (n:D) SET n:E", 3, 0, 0),
    ] {
        let found = run(&mut graph, text).unwrap().statistics;
        let found = (found.labels_added, found.properties_set, found.properties_removed);
        assert_eq!(found, (labels, set, removed), "{text}");
    }
}
