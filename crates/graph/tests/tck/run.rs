//! Runs a scenario: each statement as a server would, on a version of the graph if it reads, on a
//! fork if it writes.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::Versions;
use kvist_graph::query::{self, NoInterrupt, Phase, Prepared, Settings};
use kvist_graph::storage::Graph;
use kvist_graph::temporal::{Clock, Instant, Zone};
use kvist_graph::value::{Value, text};

use super::compare::Comparison;
use super::environment::Given;
use super::notation::{self, Expected};
use super::observed::{Makings, Observed};
use super::{Scenario, Step};

/// Rows and the names of their columns.
struct Rows {
    columns: Vec<String>,
    rows: Vec<Vec<Value>>,
}

/// A graph that a scenario is about.
struct World {
    graph: Graph,
    versions: Arc<Versions>,
    makings: Makings,
    given: Given,
    /// What the last query gave, and what it has changed.
    last: Option<Result<Rows, query::Error>>,
    changes: BTreeMap<String, usize>,
}

/// Why a scenario does not pass; nothing if it does.
pub fn run(scenario: &Scenario) -> Result<(), String> {
    let mut world = World {
        graph: Graph::default(),
        versions: Arc::new(Versions::default()),
        makings: Makings::default(),
        given: Given::of(scenario),
        last: None,
        changes: BTreeMap::new(),
    };
    scenario.steps.iter().try_for_each(|step| world.step(step))
}

impl World {
    fn step(&mut self, step: &Step) -> Result<(), String> {
        match &*step.text {
            "an empty graph" | "any graph" | "parameters are:" => Ok(()),
            "having executed:" => self.prepare(&step.doc),
            "executing query:" | "executing control query:" => self.execute(&step.doc),
            "no side effects" => self.side_effects(&[]),
            "the side effects should be:" => self.side_effects(&step.table),
            "the result should be empty" => self.rows(&[], Order::Any),
            "the result should be, in any order:" => self.rows(&step.table, Order::Any),
            "the result should be, in order:" => self.rows(&step.table, Order::Given),
            "the result should be (ignoring element order for lists):" => {
                self.rows(&step.table, Order::AnyWithin)
            }
            "the result should be, in order (ignoring element order for lists):" => {
                self.rows(&step.table, Order::GivenButWithin)
            }
            text if text.starts_with("there exists a procedure ") => Ok(()),
            text if text.contains(" should be raised at ") => self.failure(text),
            text => match text.strip_prefix("the ").and_then(|text| text.strip_suffix(" graph")) {
                Some(name) => self.prepare(&super::named_graph(name)),
                None => Err(format!("no step: {text}")),
            },
        }
    }

    fn prepare(&mut self, text: &str) -> Result<(), String> {
        match self.query(text) {
            Ok(_) => Ok(()),
            Err(error) => Err(format!("to prepare: {error}")),
        }
    }

    fn execute(&mut self, text: &str) -> Result<(), String> {
        let before = Observed::of(&self.graph, &self.makings);
        let images = self.image();
        let last = self.query(text);
        self.changes = before.changes(&Observed::of(&self.graph, &self.makings));
        if last.is_err() && images != self.image() {
            return Err("it fails, but leaves a trace".to_owned());
        }
        self.last = Some(last);
        Ok(())
    }

    /// All of the graph as bytes.
    fn image(&self) -> Vec<u8> {
        let mut image = Vec::new();
        (0..self.graph.image_parts()).for_each(|part| self.graph.put_image_part(part, &mut image));
        image
    }

    fn query(&mut self, text: &str) -> Result<Rows, query::Error> {
        let prepared = Prepared::compile(text, &self.given)?;
        let clock = clock();
        let settings = Settings {
            parameters: &self.given.parameters,
            clock: &clock,
            seed: 1,
            memory: 64 << 20,
            interrupt: &NoInterrupt,
            profile: false,
        };
        let answer = if prepared.writes() {
            let mut fork = self.graph.fork(&self.versions);
            let answer = query::write(&mut fork, &prepared, &settings)?;
            let adopted = self.graph.adopt(fork);
            let Ok((changes, settled)) = adopted else { panic!("nobody else writes") };
            self.makings.note(&changes);
            drop(settled);
            answer
        } else {
            query::read(&self.graph.freeze(&self.versions), &prepared, &settings)?
        };
        let columns: Vec<String> = answer.columns.iter().map(|name| name.to_string()).collect();
        let row = |row: query::Row<'_>| (0..columns.len()).map(|at| row.value(at)).collect();
        let rows = answer.rows().map(row).collect();
        Ok(Rows { columns, rows })
    }

    fn side_effects(&self, table: &[Vec<String>]) -> Result<(), String> {
        let count = |row: &Vec<String>| (row[0].clone(), row[1].parse().expect("a count"));
        let expected: BTreeMap<String, usize> = table.iter().map(count).collect();
        if expected == self.changes {
            return Ok(());
        }
        Err(format!("side effects {:?}, not {expected:?}", self.changes))
    }

    fn rows(&self, table: &[Vec<String>], order: Order) -> Result<(), String> {
        let actual = match &self.last {
            Some(Ok(rows)) => rows,
            Some(Err(error)) => return Err(error.to_string()),
            None => return Err("nothing has run".to_owned()),
        };
        let (columns, rows) = match table.split_first() {
            Some((columns, rows)) => (columns.clone(), rows),
            None if actual.rows.is_empty() => return Ok(()),
            None => (Vec::new(), table),
        };
        let mut places = Vec::new();
        for column in &columns {
            let place = actual.columns.iter().position(|name| name == column);
            places.push(place.ok_or_else(|| format!("no column {column}"))?);
        }
        if columns.len() != actual.columns.len() {
            return Err(format!("columns {:?}, not {columns:?}", actual.columns));
        }
        let of_row = |row: &Vec<Value>| places.iter().map(|&place| row[place].clone()).collect();
        let actual: Vec<Vec<Value>> = actual.rows.iter().map(of_row).collect();
        let of_cells = |row: &Vec<String>| row.iter().map(|cell| notation::read(cell)).collect();
        let expected: Vec<Vec<Expected>> = rows.iter().map(of_cells).collect::<Result<_, _>>()?;
        let unordered_lists = matches!(order, Order::AnyWithin | Order::GivenButWithin);
        let comparison = Comparison { view: &self.graph, unordered_lists };
        let ordered = matches!(order, Order::Given | Order::GivenButWithin);
        if comparison.rows(&expected, &actual, ordered) {
            return Ok(());
        }
        let shown = |row: &Vec<Value>| row.iter().map(text::verbose).collect::<Vec<_>>();
        let shown: Vec<_> = actual.iter().take(4).map(shown).collect();
        let wanted: Vec<_> = rows.iter().take(4).collect();
        Err(format!("{} rows {shown:?}, not {} {wanted:?}", actual.len(), rows.len()))
    }

    /// `a TypeError should be raised at runtime: InvalidArgumentType`.
    fn failure(&self, text: &str) -> Result<(), String> {
        let (kind, rest) = text.split_once(" should be raised at ").unwrap_or_default();
        let (phase, detail) = rest.split_once(": ").unwrap_or((rest, ""));
        let kind = kind.strip_prefix("a ").unwrap_or(kind);
        let error = match &self.last {
            Some(Err(error)) => error,
            Some(Ok(rows)) => return Err(format!("{text}, but {} rows", rows.rows.len())),
            None => return Err("nothing has run".to_owned()),
        };
        let is_expected = error.class.name() == kind
            && (phase == "any time" || phase == phase_of(error))
            && (detail == "*" || detail == &*error.detail);
        if is_expected {
            return Ok(());
        }
        let (phase, kind, detail) = (phase_of(error), error.class.name(), &error.detail);
        Err(format!("{text}, but {kind} at {phase}: {detail}: {error}"))
    }
}

/// Which order matters: of rows, and of elements within lists.
#[derive(Clone, Copy)]
enum Order {
    Any,
    Given,
    AnyWithin,
    GivenButWithin,
}

/// The kit's name of a phase.
fn phase_of(error: &query::Error) -> &'static str {
    match error.phase {
        Phase::CompileTime => "compile time",
        Phase::Runtime => "runtime",
    }
}

fn clock() -> Clock {
    let now = Instant { seconds: 1_500_000_000, nanos: 123_456_789 };
    Clock { transaction: now, statement: now, realtime: now, zone: Zone::UTC }
}
