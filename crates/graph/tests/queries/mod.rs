//! Queries on small graphs, from text to rows.

mod at_once;
mod bounds;
mod calls;
mod csv;
mod functions;
mod hostile;
mod indexed;
mod looked_up;
mod matching;
mod membership;
mod naive;
mod projecting;
mod reported;
mod typed;

use std::cell::Cell;

use kvist_graph::cypher::{Environment, NoProcedures};
use kvist_graph::query::{self, Answer, Ended, Error, Interrupt, NoInterrupt, Prepared, Settings};
use kvist_graph::storage::Graph;
use kvist_graph::temporal::Clock;
use kvist_graph::value::{Map, text};

/// Ends a statement when it was asked so many times.
pub struct After(pub Cell<usize>);

impl Interrupt for After {
    fn check(&self, _: usize) -> Result<(), Ended> {
        let left = self.0.get();
        self.0.set(left.saturating_sub(1));
        if left == 0 { Err(Ended::TimeIsUp) } else { Ok(()) }
    }
}

/// Runs a statement, which may change the graph.
pub fn run(graph: &mut Graph, query: &str) -> Result<Answer, Error> {
    within(graph, query, &NoProcedures, (64 << 20, &NoInterrupt))
}

/// Runs a statement, which may change the graph and call these procedures, in so much memory,
/// asking this whether it goes on.
pub fn within(
    graph: &mut Graph,
    query: &str,
    procedures: &dyn Environment,
    (memory, interrupt): (usize, &dyn Interrupt),
) -> Result<Answer, Error> {
    let (parameters, clock) = (Map::default(), Clock::default());
    let settings = Settings {
        parameters: &parameters,
        clock: &clock,
        seed: 1,
        memory,
        interrupt,
        profile: false,
    };
    let prepared = Prepared::compile(query, procedures)?;
    match prepared.writes() {
        true => query::write(graph, &prepared, &settings),
        false => query::read(graph, &prepared, &settings),
    }
}

/// A graph that a statement makes.
pub fn graph(query: &str) -> Graph {
    let mut graph = Graph::default();
    run(&mut graph, query).unwrap_or_else(|error| panic!("{query}: {error}"));
    graph
}

/// The rows of a statement as texts.
pub fn rows(graph: &mut Graph, query: &str) -> Vec<String> {
    let answer = run(graph, query).unwrap_or_else(|error| panic!("{query}: {error}"));
    let width = answer.columns.len();
    let shown = |row: query::Row<'_>| {
        let values = (0..width).map(|column| text::verbose(&row.value(column)));
        values.collect::<Vec<_>>().join(" | ")
    };
    answer.rows().map(shown).collect()
}

/// The rows of a statement as texts, in the order of texts.
pub fn sorted(graph: &mut Graph, query: &str) -> Vec<String> {
    let mut rows = rows(graph, query);
    rows.sort();
    rows
}

/// The only value of a statement that needs no graph, as a text.
pub fn value(expression: &str) -> String {
    rows(&mut Graph::default(), &format!("RETURN {expression}")).join("; ")
}

/// The plan of a statement, as lines.
pub fn explained(graph: &mut Graph, query: &str) -> String {
    let (parameters, clock) = (Map::default(), Clock::default());
    let settings = Settings {
        parameters: &parameters,
        clock: &clock,
        seed: 1,
        memory: 64 << 20,
        interrupt: &NoInterrupt,
        profile: false,
    };
    Prepared::compile(query, &NoProcedures).unwrap().explain(graph, &settings).to_string()
}
