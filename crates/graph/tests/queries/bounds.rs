//! What a query may keep, and how long it may run.

use std::cell::Cell;

use kvist_graph::cypher::NoProcedures;
use kvist_graph::query::{self, Class, Error, Interrupt, NoInterrupt, Prepared, Settings};
use kvist_graph::storage::{CHECK_EVERY, Constraint, ConstraintKind, Graph, Of, On, Rejected};
use kvist_graph::temporal::Clock;
use kvist_graph::value::Map;

use super::{After, graph, within};

fn read(
    graph: &Graph,
    text: &str,
    (memory, interrupt): (usize, &dyn Interrupt),
) -> Result<usize, Error> {
    let (parameters, clock) = (Map::default(), Clock::default());
    let settings = Settings {
        parameters: &parameters,
        clock: &clock,
        seed: 1,
        memory,
        interrupt,
        profile: false,
    };
    let prepared = Prepared::compile(text, &NoProcedures)?;
    Ok(query::read(graph, &prepared, &settings)?.rows().count())
}

/// A graph in which every node leads to every other.
fn clique() -> Graph {
    let nodes: Vec<String> = (0..14).map(|n| format!("(n{n}:N {{x: {n}}})")).collect();
    let mut graph = graph(&format!("CREATE {}", nodes.join(", ")));
    super::run(&mut graph, "MATCH (a:N), (b:N) WHERE a <> b CREATE (a)-[:T]->(b)").unwrap();
    graph
}

#[test]
fn queries_that_would_never_end_are_ended() {
    let graph = clique();
    for text in [
        "MATCH p = (:N)-[*0..]->() RETURN count(p)",
        "MATCH (a), (b), (c), (d), (e), (f), (g), (h) RETURN count(*)",
        "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN count(*)",
        "RETURN reduce(s = 0, x IN range(1, 1000000) | s + reduce(t = 0, y IN range(1, 1000) | \
         t + y))",
        "RETURN size([x IN range(1, 100000) WHERE any(y IN range(1, 100000) WHERE y < 0)])",
        "MATCH (n:N) WHERE NOT EXISTS { MATCH (n)-[*]->({x: -1}) } RETURN n",
        "MATCH (a:N), (b:N) RETURN [(a)-[*]->(b) | 1]",
    ] {
        let error = read(&graph, text, (1 << 30, &After(Cell::new(50)))).unwrap_err();
        assert_eq!((error.class, &*error.detail), (Class::Ended, "TimeIsUp"), "{text}");
    }
}

/// What is done with one large value in each of some rows takes as long as many rows do.
#[test]
fn large_values_in_few_rows_are_asked_about_too() {
    let few = || super::graph("UNWIND range(1, 300) AS x CREATE (:N {x: x})");
    let many = 100;
    for text in [
        "WITH range(1, 30000) AS z UNWIND range(1, 300) AS n RETURN count(DISTINCT z)",
        "WITH range(1, 30000) AS z UNWIND range(1, 300) AS n WITH DISTINCT z RETURN 1",
        "WITH range(1, 30000) AS z UNWIND range(1, 300) AS n RETURN count(z + n)",
        "WITH range(1, 30000) AS z UNWIND range(1, 300) AS n RETURN count([n] IN z)",
        "UNWIND range(1, 64) AS n WITH range(1, 30000) + [n] AS z ORDER BY z RETURN count(z)",
        "WITH reduce(s = 'ab', x IN range(1, 14) | s + s) AS t UNWIND range(1, 300) AS n \
         RETURN count((t + n) =~ '.*b')",
        "RETURN string.replaceRegEx(reduce(s = 'ab', x IN range(1, 14) | s + s), 'a[^z]*z|a', '')",
        "RETURN string.matchRegEx(reduce(s = 'ab', x IN range(1, 14) | s + s), 'a[^z]*z|a')",
    ] {
        let error = read(&few(), text, (1 << 30, &After(Cell::new(many)))).expect_err(text);
        assert_eq!((error.class, &*error.detail), (Class::Ended, "TimeIsUp"), "{text}");
    }
    for text in [
        "UNWIND range(1, 300) AS n CREATE (:Q {z: range(1, 30000)})",
        "MATCH (n:N) SET n.z = range(1, 30000)",
        "MATCH (n:N) SET n += {z: range(1, 30000)}",
        "UNWIND range(1, 300) AS n MERGE (q:Q {x: n}) ON CREATE SET q.z = range(1, 30000)",
    ] {
        let write = |memory, interrupt: &dyn Interrupt| {
            super::within(&mut few(), text, &NoProcedures, (memory, interrupt))
        };
        let error = write(usize::MAX, &After(Cell::new(many))).unwrap_err();
        assert_eq!((error.class, &*error.detail), (Class::Ended, "TimeIsUp"), "{text}");
        // It is refused long before all are made, which would be 128 MB.
        let error = write(16 << 20, &After(Cell::new(many))).unwrap_err();
        assert_eq!(error.class, Class::OutOfMemory, "{text}");
    }
}

/// What is stored is made anew for the rows that ask for it, but for those next to each other.
#[test]
fn stored_values_are_asked_about_too() {
    let graph = super::graph("CREATE (:B {l: range(1, 40000)}), (:B {l: range(1, 40000)})");
    for text in [
        "UNWIND range(1, 300) AS i MATCH (n:B) RETURN count(n.l)",
        "UNWIND range(1, 300) AS i MATCH (n:B) WHERE n.l IS NOT NULL RETURN count(i)",
        "UNWIND range(1, 300) AS i MATCH (n:B) WITH CASE i WHEN 0 THEN 1 ELSE n END AS x \
         RETURN count(x.l)",
    ] {
        let error = read(&graph, text, (1 << 30, &After(Cell::new(100)))).expect_err(text);
        assert_eq!((error.class, &*error.detail), (Class::Ended, "TimeIsUp"), "{text}");
        let error = read(&graph, text, (8 << 20, &NoInterrupt)).expect_err(text);
        assert_eq!(error.class, Class::OutOfMemory, "{text}");
    }
    let shared = "MATCH (n:B) UNWIND range(1, 300) AS i RETURN count(n.l)";
    assert_eq!(read(&graph, shared, (8 << 20, &NoInterrupt)).unwrap(), 1);
}

/// A text of so many letters would be as many values of 48 bytes.
#[test]
fn functions_make_no_more_values_than_there_is_room_for() {
    let graph = Graph::default();
    for text in [
        "RETURN size(split(reduce(s = 'ab', x IN range(1, 15) | s + s), ''))",
        "RETURN size(split(reduce(s = 'ab', x IN range(1, 15) | s + s), 'a'))",
        "RETURN size(string.matchRegEx(reduce(s = 'ab', x IN range(1, 15) | s + s), 'a'))",
    ] {
        let error = read(&graph, text, (1 << 20, &NoInterrupt)).unwrap_err();
        assert_eq!(error.class, Class::ArgumentError, "{text}");
    }
}

#[test]
fn queries_that_keep_too_much_are_refused() {
    let graph = clique();
    for text in [
        "MATCH (a), (b), (c), (d), (e), (f) RETURN a, b, c, d, e, f",
        "MATCH (a), (b), (c), (d), (e), (f) WITH * ORDER BY a RETURN count(*)",
        "MATCH (a), (b), (c), (d), (e), (f) RETURN DISTINCT a, b, c, d, e, f LIMIT 1000000",
        "MATCH (a), (b), (c), (d), (e), (f) RETURN collect(a)",
        "MATCH (a), (b), (c), (d), (e), (f) WITH a, b, c, d, e, f, count(*) AS n RETURN max(n)",
        "UNWIND range(1, 1000) AS i RETURN [(a:N)-[*..4]->(b) | 'x'] AS long",
        "MATCH (n:N) CALL { WITH n MATCH (a), (b), (c), (d), (e) RETURN a.x AS x } RETURN sum(x)",
        "UNWIND range(1, 1000) AS i CALL { WITH i UNWIND range(1, 3000) AS y RETURN y ORDER BY y } \
         RETURN sum(y)",
        "UNWIND range(1, 1000) AS x WITH range(1, 10000 + x) AS l RETURN max(size(l))",
        "UNWIND range(1, 1000) AS x RETURN max(size([y IN range(1, 1000) | [y]]))",
        "UNWIND range(1, 1000) AS x RETURN max(size(reduce(t = [], y IN range(1, 1000) | t + y)))",
    ] {
        let error = read(&graph, text, (1 << 20, &NoInterrupt)).unwrap_err();
        assert_eq!(error.class, Class::OutOfMemory, "{text}: {error}");
    }
    // What is only passed on is not kept.
    let text = "MATCH (a), (b), (c), (d) RETURN count(*)";
    assert_eq!(read(&graph, text, (1 << 20, &NoInterrupt)).unwrap(), 1);
    let text = "MATCH (a), (b), (c), (d) RETURN a ORDER BY a.x DESC LIMIT 3";
    assert_eq!(read(&graph, text, (4 << 20, &NoInterrupt)).unwrap(), 3);
}

/// A hub whose relationships are sifted before they are followed gives back what was kept for it,
/// and no more.
#[test]
fn what_is_given_back_was_kept() {
    let mut graph = graph("CREATE (:Hub)");
    let spokes = "MATCH (h:Hub) UNWIND range(1, 200) AS i CREATE (h)-[:T {x: i}]->(:Spoke)";
    super::run(&mut graph, spokes).unwrap();
    let text = "UNWIND range(1, 16000) AS i MATCH (h:Hub)-[:T*1..1 {x: 7}]->(b) \
                RETURN size(collect([i, 'a string of some length'])) AS count";
    assert_eq!(read(&graph, text, (8 << 20, &NoInterrupt)).unwrap(), 1);
    let error = read(&graph, text, (1 << 20, &NoInterrupt)).unwrap_err();
    assert_eq!(error.class, Class::OutOfMemory, "{}", error.message);
}

#[test]
fn headers_take_time_by_their_length() {
    let read = |text: &str| {
        let (parameters, clock) = (Map::default(), Clock::default());
        let settings = Settings {
            parameters: &parameters,
            clock: &clock,
            seed: 1,
            memory: usize::MAX,
            interrupt: &NoInterrupt,
            profile: false,
        };
        query::parameters(text, &settings).map(|(map, _)| map.len())
    };
    let fine = "CYPHER a=range(0, 3) b=-1 + 2.5 * 3 c=[1, 'x', {y: null}] d=date('2024-02-29') \
                e=vecf32([1, 2]) RETURN 1";
    assert_eq!(read(fine).unwrap(), 5);
    let long = format!("CYPHER a='{}' RETURN 1", "x".repeat(100_000));
    assert_eq!(read(&long).unwrap(), 1);
    let large = read("CYPHER a=range(1, 20000000) RETURN 1").unwrap_err();
    assert!(large.message.contains("too large"), "{}", large.message);
    for joined in ["[1] + [2]", "'a' + 'b'", "range(1, 2) + 3"] {
        let error = read(&format!("CYPHER a={joined} RETURN 1")).unwrap_err();
        assert!(error.message.contains("Parameters must be constants"), "{}", error.message);
    }
}

/// What a statement has changed is looked at for constraints in steps, each of which may end it.
#[test]
fn a_statement_ends_while_its_constraints_are_checked() {
    let statement = "UNWIND range(1, 5000) AS x CREATE (:N {x: x})";
    let run = |graph: &mut Graph, times: usize| {
        let after = After(Cell::new(times));
        let done = within(graph, statement, &NoProcedures, (64 << 20, &after));
        done.map(|_| times - after.0.get())
    };
    let mut graph = super::graph("CREATE (:N {x: 0})");
    let _ = graph.take_changes();
    let without = run(&mut graph, 10_000).unwrap();
    let _ = graph.take_changes();
    let on = On::new(Of::Label(graph.label("N").unwrap()), &[graph.key("x").unwrap()]);
    let constraint = Constraint { kind: ConstraintKind::Mandatory, on };
    assert_eq!(graph.create_constraint(constraint, || Ok::<(), Rejected>(())), Ok(None));
    let _ = graph.take_changes();
    let with = run(&mut graph, 10_000).unwrap();
    // Two changes for each node, and the node.
    assert_eq!(with - without, 3 * 5000 / CHECK_EVERY);
    let _ = graph.take_changes();
    let error = run(&mut graph, with - 1).unwrap_err();
    assert_eq!((error.class, &*error.detail), (Class::Ended, "TimeIsUp"));
}
