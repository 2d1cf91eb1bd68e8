//! A graph made of text: what [`export`](crate::export) has written, or others have.
//!
//! A part is run on a fork: after an error the caller drops it. What constraints ask is looked at
//! when all of a part is done.
//!
//! | file | what it knows |
//! | --- | --- |
//! | `constraint` | lines about constraints |
//! | `table` | nodes and relationships of a table of CSV |
//! | `field` | a field of one, as a value |
//! | `rows` | where the lines of one end |
//! | `marks` | the marks by which relationships of tables find their nodes |

mod constraint;
mod field;
mod marks;
mod rows;
mod table;

pub use marks::{MARK, Unmarked, unmark};
pub use rows::{Row, Rows};
pub use table::{Table, TableOf, table};

use std::cell::Cell;

use crate::cypher::{Progress, Statements};
use crate::procedure::Builtin;
use crate::query::{
    Error, Prepared, Settings, Statistics, check_constraints, parameters, write_part,
};
use crate::storage::Graph;

use self::constraint::constraint;

/// What is wrong, and with what: a statement of a part, or a line of a table, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// Which one; `None`: it is about all of them.
    pub at: Option<u64>,
    /// What is wrong.
    pub error: Error,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Failed {
        Failed { at: None, error }
    }
}

/// What has been made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Nodes that are new.
    pub nodes: u64,
    /// Relationships that are new.
    pub relationships: u64,
}

impl Imported {
    fn add(&mut self, statistics: Statistics) {
        self.nodes += statistics.nodes_created;
        self.relationships += statistics.relationships_created;
    }
}

/// Runs the statements of texts, one after the other; each ends with a semicolon or with its text.
/// Lines that make constraints, as [`export`](crate::export) writes them, are statements, too.
///
/// # Errors
/// The first statement that has no answer, or a constraint that does not hold at the end.
///
/// ```
/// use kvist_graph::import::statements;
/// use kvist_graph::query::{NoInterrupt, Settings};
/// use kvist_graph::storage::Graph;
/// use kvist_graph::temporal::Clock;
/// use kvist_graph::value::Map;
///
/// let (parameters, clock) = (Map::default(), Clock::default());
/// let settings = Settings {
///     parameters: &parameters,
///     clock: &clock,
///     seed: 0,
///     memory: 1 << 20,
///     interrupt: &NoInterrupt,
///     profile: false,
/// };
/// let mut graph = Graph::default();
/// let text = "CREATE (:A); CREATE (:A)-[:TO]->(:B);";
/// let made = statements(&mut graph, &[text], &settings).unwrap();
/// assert_eq!((made.nodes, made.relationships), (3, 1));
/// let failed = statements(&mut graph, &["RETURN 1; MATCH;"], &settings).unwrap_err();
/// assert_eq!(failed.at, Some(2));
/// ```
pub fn statements(
    graph: &mut Graph,
    texts: &[&str],
    settings: &Settings<'_>,
) -> Result<Imported, Failed> {
    let (mut imported, mut at) = (Imported::default(), 0);
    let (added, ended) = (Cell::new(graph.added()), Cell::new(None));
    // Nothing is kept of what the text is split at.
    let go_on = |_| {
        ended.set(settings.interrupt.check(added.get()).err());
        ended.get().is_none()
    };
    let progress = Progress::new(settings.memory, &go_on);
    for text in texts {
        for statement in Statements::with_progress(text, &progress) {
            at += 1;
            settings.interrupt.check(graph.added()).map_err(Error::from)?;
            let made = run(graph, statement, settings);
            imported.add(made.map_err(|error| Failed { at: Some(at), error })?);
            added.set(graph.added());
        }
    }
    if let Some(ended) = ended.get() {
        return Err(Error::from(ended).into());
    }
    check_constraints(graph, settings.interrupt)?;
    Ok(imported)
}

fn run(graph: &mut Graph, text: &str, settings: &Settings<'_>) -> Result<Statistics, Error> {
    if let Some(constraint) = constraint(text)? {
        constraint.run(graph, settings)?;
        return Ok(Statistics::default());
    }
    let (parameters, _) = parameters(text, settings)?;
    let prepared = Prepared::compile_within(text, &Builtin, settings.memory, settings.interrupt)?;
    let settings = Settings { parameters: &parameters, ..*settings };
    Ok(write_part(graph, &prepared, &settings)?.statistics)
}
