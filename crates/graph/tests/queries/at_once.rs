//! What is answered at once is known to be little before, and ends where it turns out to be much.

use std::cell::Cell;
use std::sync::Arc;

use kvist_graph::cypher::NoProcedures;
use kvist_graph::query::{self, AtOnceBudget, Ended, Interrupt, NoInterrupt, Prepared, Settings};
use kvist_graph::storage::Graph;
use kvist_graph::temporal::Clock;
use kvist_graph::value::Map;

use super::{graph, run, within};

/// Does something with a statement of which the parameters are these, and this memory.
fn with<R>(
    text: &str,
    (memory, interrupt): (usize, &dyn Interrupt),
    ask: impl FnOnce(&Prepared, &Settings<'_>) -> R,
) -> R {
    let (none, clock) = (Map::default(), Clock::default());
    let settings = |parameters, memory, interrupt| Settings {
        parameters,
        clock: &clock,
        seed: 1,
        memory,
        interrupt,
        profile: false,
    };
    let given = query::parameters(text, &settings(&none, 1 << 20, &NoInterrupt));
    let parameters = given.unwrap().0;
    let prepared = Prepared::compile(text, &NoProcedures).unwrap();
    ask(&prepared, &settings(&parameters, memory, interrupt))
}

fn is_short(graph: &Graph, text: &str) -> bool {
    with(text, (1 << 20, &NoInterrupt), |prepared, settings| prepared.is_short(graph, settings))
}

/// Whether a statement that only reads is answered at once.
fn is_answered(graph: &Graph, text: &str) -> bool {
    let budget = AtOnceBudget::of_reading();
    with(text, (budget.memory(), &budget), |prepared, settings| {
        prepared.answer_at_once(graph, settings).is_some()
    })
}

fn people() -> Graph {
    let mut people = graph("UNWIND range(1, 2000) AS i CREATE (:P {id: i})-[:R]->(:Q {i: i})");
    run(&mut people, "CREATE INDEX FOR (n:P) ON (n.id)").unwrap();
    people
}

#[test]
fn each_part_of_a_pattern_is_looked_up() {
    let people = people();
    for (pattern, expected) in [
        ("(a:P {id: 1})", true),
        ("(a:P {id: 1}), (b:P {id: 2})", true),
        ("(a:P {id: 1})-->(b)", true),
        ("(b)<--(a:P {id: 1}), (b)-->(c)<--(d)", true),
        ("(c)<--(b), (d)-->(c), (d)<--(a:P {id: 1})", true),
        ("(a:P {id: 1})-->(c), (b:P {id: 2})-->(d)", true),
        ("(a:P {id: 1}), (b)", false),
        ("(b), (a:P {id: 1})", false),
        ("(a:P {id: 1}), (b:Q {i: 5})", false),
        ("(a:P {id: 1})-->(c), (b)-->(d)", false),
        ("(a:P {id: 1}), (b:P {id: 2}), (c)-->(d)", false),
    ] {
        let read = format!("MATCH {pattern} RETURN a.id");
        assert_eq!(is_short(&people, &read), expected, "{read}");
        let change = format!("MATCH {pattern} SET a.x = 1");
        assert_eq!(is_short(&people, &change), expected, "{change}");
    }
    let long = format!("MATCH (a:P {{id: 1}}){} RETURN a.id", "-->()".repeat(40));
    assert!(!is_short(&people, &long), "to plan it takes long");
}

/// Work that is short each time is much when it is done often: all of it counts.
#[test]
fn work_on_values_counts_however_often_it_is_asked() {
    let mut people = people();
    let double = |t: &str| format!("reduce(t = '{t}', i IN range(1, 12) | t + t)");
    let (one, other) = (double("abcdefgh"), double("abcdefgh"));
    let text = format!("MATCH (n:P {{id: 7}}) SET n.t = {one}, n.u = {other}");
    run(&mut people, &text).unwrap();
    let read = |times| {
        let all = vec!["n.t = n.u"; times].join(" AND ");
        format!("MATCH (n:P {{id: 7}}) WHERE {all} RETURN n.id")
    };
    assert!(is_answered(&people, &read(2)));
    assert!(!is_answered(&people, &read(60)));
}

/// Told of the most that was about to be worked at or held.
#[derive(Default)]
struct Told {
    copied: Cell<usize>,
    worked: Cell<usize>,
}

impl Interrupt for Told {
    fn check(&self, _: usize) -> Result<(), Ended> {
        Ok(())
    }

    fn counts(&self) -> bool {
        true
    }

    fn copy(&self, bytes: usize) -> Result<(), Ended> {
        self.copied.set(self.copied.get() + bytes);
        Ok(())
    }

    fn work(&self, units: usize) -> Result<(), Ended> {
        self.worked.set(self.worked.get() + units);
        Ok(())
    }
}

/// All ways to a value that is stored say how large it is, before it is copied.
#[test]
fn what_is_copied_of_a_large_value_counts() {
    let mut large = graph("CREATE (:P {id: 1})-[:R]->(:P {id: 2})");
    let text = "reduce(t = 'abcdefgh', i IN range(1, 17) | t + t)";
    run(&mut large, &format!("MATCH (a)-[r:R]->(b) SET a.t = {text}, r.t = a.t")).unwrap();
    for statement in [
        "MATCH (a {id: 1}) RETURN a.t",
        "MATCH (a {id: 1}) RETURN [a, 1][0].t",
        "MATCH (a {id: 1}) RETURN a['t']",
        "MATCH (a {id: 1}) RETURN properties(a)",
        "MATCH (a {id: 1})-[r:R*1..2 {t: 'x'}]->(b) RETURN b.id",
        "MATCH (a {id: 1}), (b {id: 2}) SET b = a",
        "MATCH (a {id: 1}) SET a += a",
        "MATCH (a {id: 1})-[r:R]->() SET a = r",
    ] {
        let told = Told::default();
        with(statement, (64 << 20, &told), |prepared, settings| match prepared.writes() {
            true => query::write(&mut large.fork(&Arc::default()), prepared, settings).map(drop),
            false => query::read(&large, prepared, settings).map(drop),
        })
        .unwrap();
        assert!(told.worked.get() >= 1 << 16, "{statement}: {}", told.worked.get());
    }
}

/// The values of a node are held together while they are set on another.
#[test]
fn properties_that_are_copied_count_as_memory() {
    let mut large = graph("CREATE (:P)");
    let text = "reduce(t = 'abcdefgh', i IN range(1, 17) | t + t)";
    for key in 0..20 {
        run(&mut large, &format!("MATCH (a) SET a.t{key} = {text}")).unwrap();
    }
    let set = |memory| {
        let mut large = large.fork(&Arc::default());
        within(&mut large, "MATCH (a) SET a += a", &NoProcedures, (memory, &NoInterrupt)).is_ok()
    };
    assert!(set(64 << 20));
    assert!(!set(8 << 20), "20 MiB are copied");
}

/// Ids that are used again may lie anywhere: of each segment the values are copied.
#[test]
fn copies_count_by_segment() {
    let mut graph = graph("UNWIND range(1, 12 * 1024) AS i CREATE (:P {i: i})");
    let text = "'abcdefghijklmnopqrstuvwxyz0123456789' + toString(n.i)";
    run(&mut graph, &format!("MATCH (n) SET n.t = {text}")).unwrap();
    run(&mut graph, "MATCH (n) WHERE n.i % 1024 = 500 DELETE n").unwrap();
    let copied = |text: &str| {
        let (told, mut fork) = (Told::default(), graph.fork(&Arc::default()));
        with(text, (64 << 20, &told), |prepared, settings| {
            query::write(&mut fork, prepared, settings).unwrap();
        });
        told.copied.get()
    };
    let one = copied("UNWIND ['x'] AS t CREATE (:P {t: t})");
    let twelve = copied(&format!("UNWIND {:?} AS t CREATE (:P {{t: t}})", ["x"; 12]));
    assert!(one > 30 << 10, "{one}");
    assert!(twelve > 11 * one, "{twelve}: {one} each");
}
