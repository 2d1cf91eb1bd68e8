//! Columns of numbers, ids and texts are worked on without values: the answers are those of values.

use kvist_graph::storage::Graph;

use super::{graph, rows, run, sorted};

/// Nodes whose properties make columns of each type, of several batches.
fn many() -> Graph {
    graph(
        "UNWIND range(0, 20000) AS i CREATE (:Many {i: (i * 7919) % 1000 - 500, \
         big: i * 4611686018427 % 1000003 * 9000000000, f: toFloat((i * 31) % 777) / 8, \
         t: 'text ' + toString((i * 13) % 300), same: 5, \
         mixed: CASE i % 3 WHEN 0 THEN i % 10 WHEN 1 THEN toFloat(i % 10) \
         ELSE toString(i % 10) END})",
    )
}

#[test]
fn the_first_rows_are_those_of_all_rows_sorted() {
    let mut graph = many();
    for key in ["n.i", "n.big", "n.f", "n.t", "n.same", "n.mixed", "n.none"] {
        for order in ["", "DESC"] {
            let query = format!("MATCH (n:Many) RETURN {key}, id(n) ORDER BY {key} {order}, id(n)");
            let all = rows(&mut graph, &query);
            let first = rows(&mut graph, &format!("{query} LIMIT 9"));
            assert_eq!(first, all[..9], "{query}");
            let later = rows(&mut graph, &format!("{query} SKIP 12000 LIMIT 3"));
            assert_eq!(later, all[12_000..12_003], "{query}");
            // Of rows that are equal the earlier one comes first.
            let one = format!("MATCH (n:Many) RETURN {key}, id(n) ORDER BY {key} {order}");
            assert_eq!(rows(&mut graph, &format!("{one} LIMIT 9")), all[..9], "{one}");
        }
    }
}

#[test]
fn groups_are_those_of_values() {
    let mut graph = many();
    for key in ["i", "big", "f", "t", "same", "mixed", "none"] {
        // A list of one is no number and no text.
        let typed = format!(
            "MATCH (n:Many) RETURN n.{key} AS k, count(*), sum(n.i), avg(n.f), min(n.big), max(n.t)"
        );
        let plain = format!(
            "MATCH (n:Many) WITH [n.{key}] AS k, [n.i] AS i, [n.f] AS f, [n.big] AS b, [n.t] AS t \
             RETURN k[0], count(*), sum(i[0]), avg(f[0]), min(b[0]), max(t[0])"
        );
        let groups = sorted(&mut graph, &typed);
        assert_eq!(groups, sorted(&mut graph, &plain), "{key}");
        let distinct = format!("MATCH (n:Many) RETURN count(DISTINCT n.{key}), sum(DISTINCT n.i)");
        let listed = format!(
            "MATCH (n:Many) WITH [n.{key}] AS k, [n.i] AS i RETURN count(DISTINCT k[0]), \
             sum(DISTINCT i[0])"
        );
        assert_eq!(rows(&mut graph, &distinct), rows(&mut graph, &listed), "{key}");
        let each = format!("MATCH (n:Many) RETURN DISTINCT n.{key}");
        assert_eq!(rows(&mut graph, &each).len(), groups.len(), "{key}");
    }
}

#[test]
fn a_number_and_a_node_of_this_number_are_two_groups() {
    let mut graph = graph("UNWIND range(0, 2) AS i CREATE (:A)-[:R]->(:A)");
    let all = "MATCH (n)-[r]->() RETURN n AS x UNION ALL MATCH ()-[r]->() RETURN r AS x UNION ALL \
               UNWIND [0, 1, 2.0, 0] AS x RETURN x UNION ALL UNWIND [2, 2] AS x RETURN x";
    let grouped = format!("CALL {{ {all} }} RETURN x, count(*)");
    let expected = [
        "(0) | 1",
        "(1) | 1",
        "(2) | 1",
        "0 | 2",
        "1 | 1",
        "2.000000 | 3",
        "[0] | 1",
        "[1] | 1",
        "[2] | 1",
    ];
    assert_eq!(sorted(&mut graph, &grouped), expected);
    let distinct = format!("CALL {{ {all} }} RETURN DISTINCT x");
    assert_eq!(rows(&mut graph, &distinct).len(), expected.len());
}

#[test]
fn arithmetic_on_columns_is_that_of_values() {
    let mut graph = many();
    for operator in ["+", "-", "*", "/", "%", "^"] {
        for (left, right) in [("i", "same"), ("f", "same"), ("i", "f"), ("f", "f"), ("mixed", "i")]
        {
            if left == "mixed" && operator != "+" {
                continue;
            }
            let filter = "MATCH (n:Many) WHERE n.i <> 0 AND n.f > 0.0";
            let typed = format!("{filter} RETURN n.{left} {operator} n.{right}");
            let plain = format!(
                "{filter} WITH [n.{left}, n.{right}] AS both RETURN both[0] {operator} both[1]"
            );
            assert_eq!(rows(&mut graph, &typed), rows(&mut graph, &plain), "{typed}");
        }
    }
    for wrong in ["n.i / 0", "n.i % 0", "n.big * n.big * n.big", "9223372036854775807 + n.same"] {
        let error = run(&mut graph, &format!("MATCH (n:Many) RETURN {wrong}"));
        assert!(error.is_err(), "{wrong}");
    }
}

#[test]
fn long_texts_and_short_ones_pass_through_all_operators() {
    let mut graph = graph(
        "UNWIND range(0, 3000) AS i CREATE (:T {t: CASE WHEN i % 2 = 0 THEN 'short ' + \
         toString(i) ELSE reduce(s = 'long ', x IN range(0, 40) | s + toString(i)) END})",
    );
    let query = "MATCH (n:T) WITH n.t AS t, id(n) AS i ORDER BY t UNWIND [1, 2] AS x \
                 WITH t, i, x WHERE size(t) > 0 RETURN count(DISTINCT t), count(t), min(t), \
                 max(size(t)), count(DISTINCT i)";
    let shown = rows(&mut graph, query);
    assert_eq!(shown.len(), 1);
    assert!(shown[0].starts_with("3001 | 6002 | long 1001"), "{shown:?}");
    let found = rows(&mut graph, "MATCH (n:T) WHERE n.t ENDS WITH '17' RETURN n.t ORDER BY n.t");
    assert_eq!(found.len(), 30);
}
