//! Queries that are as deep or as long as they may be run on the stack of a thread, or are refused.

use std::time::Duration;

use kvist_graph::query::Class;
use kvist_graph::storage::Graph;
use testkit::processor;

use super::run;

/// How many rows a query has, or why it has none.
fn survives(text: &str) -> Result<usize, Class> {
    let start = processor::used();
    let answer = run(&mut Graph::default(), text);
    let used = processor::used() - start;
    assert!(used < Duration::from_secs(20), "{text:.80}: {used:?}");
    answer.map(|answer| answer.rows().count()).map_err(|error| error.class)
}

fn repeated([before, repeated, after]: [&str; 3], times: usize) -> String {
    format!("{before}{}{after}", repeated.repeat(times))
}

#[test]
fn deep_expressions_have_values() {
    for [before, opens, inside, closes] in [
        ["RETURN ", "(1 + 2 * ", "1", ")"],
        ["RETURN ", "[", "1", "]"],
        ["RETURN ", "{a: ", "1", "}"],
        ["RETURN ", "NOT ", "true", ""],
        ["RETURN ", "abs(", "1", ")"],
        ["RETURN ", "[x IN ", "[1]", "]"],
        ["RETURN ", "[x IN [1] | ", "1", "]"],
        ["RETURN ", "all(x IN [1] WHERE ", "true", ")"],
        ["RETURN ", "reduce(s = 0, x IN [1] | ", "1", ")"],
        ["RETURN ", "CASE WHEN true THEN ", "1", " END"],
        ["RETURN ", "[1][", "0", "]"],
        ["RETURN ", "NOT EXISTS { WITH 1 AS a WHERE ", "true", " }"],
        ["RETURN 1 IN ", "COLLECT { UNWIND ", "[1]", " AS x RETURN x }"],
    ] {
        let text =
            |depth| format!("{before}{}{inside}{} AS v", opens.repeat(depth), closes.repeat(depth));
        let deepest = (1..=150).rev().find(|&depth| match survives(&text(depth)) {
            Ok(rows) => rows == 1,
            // Lists and maps as deep as the text may be are deeper than values may be.
            Err(class) => {
                assert!(matches!(class, Class::SyntaxError | Class::ArgumentError), "{class:?}");
                false
            }
        });
        assert!(deepest.is_some_and(|deepest| deepest >= 20), "{before}{opens} {deepest:?}");
    }
}

#[test]
fn long_queries_run_or_are_refused() {
    for (text, most) in [
        (["RETURN 1", " + 1", " AS x"], 100_000),
        (["RETURN 1", " < 2", " AS x"], 100_000),
        (["RETURN true", " AND true OR false", " AS x"], 20_000),
        (["RETURN [1", ", 1", "] AS x"], 100_000),
        (["RETURN coalesce(null", ", null", ") AS x"], 50_000),
        (["RETURN CASE 1", " WHEN 2 THEN 1", " END AS x"], 20_000),
        (["RETURN 1", " IS NULL", " AS x"], 100),
        (["WITH {b: 1} AS a RETURN a", "['b']", " AS x"], 1),
        (["RETURN 1 AS x", " UNION RETURN 1 AS x", ""], 400),
        (["UNWIND [1] AS a", " WITH a", " RETURN a"], 400),
        (["UNWIND [1] AS a", " UNWIND [1] AS b WITH a", " RETURN a"], 200),
        (["UNWIND [1] AS a", " CALL { RETURN 1 AS b } WITH a", " RETURN a"], 100),
        (["OPTIONAL MATCH (a)", " OPTIONAL MATCH (a)", " RETURN a"], 300),
        (["OPTIONAL MATCH (a)", "-->()", " RETURN a"], 400),
        (["OPTIONAL MATCH (a)", ", ()", " RETURN a"], 900),
        (["CREATE (a)", " SET a.b = 1, a:B", " RETURN a"], 400),
        (["CREATE (a)", " MERGE (a)-[:T]->(a)", " RETURN a"], 150),
        (["CREATE (a)", " CREATE (a)-[:T {x: 1}]->()", " RETURN a"], 20_000),
    ] {
        let [before, again, after] = text;
        assert_eq!(survives(&repeated(text, most)), Ok(1), "{most} times {again}");
        let far = (256 << 10) / again.len();
        let outcome = survives(&format!("{before}{}{after}", again.repeat(far)));
        let fits =
            matches!(outcome, Ok(1) | Err(Class::Limit | Class::SyntaxError | Class::TypeError));
        assert!(fits, "{far} times {again}: {outcome:?}");
    }
}
