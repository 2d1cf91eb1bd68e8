//! A graph as text, part by part: statements of openCypher, or tables of CSV.
//!
//! ```text
//!   statements   index on a mark ─► nodes, marked ─► relationships, by the marks ─► marks removed
//!                ─► indexes, constraints
//!   tables       nodes ─► relationships ─► a piece of statements: indexes, constraints
//! ```
//!
//! A part is made from a [`Position`] on, and says where the next begins. It is cut between nodes
//! or relationships, so it has no more than one beyond what was asked for. Relationships find their
//! nodes by what marks them, a label and a number, so that a text can be run on any graph, also one
//! that has nodes already; the last statements about nodes take the marks away. The name of the
//! mark is one that the graph does not use.
//!
//! | file | what it knows |
//! | --- | --- |
//! | `cypher` | nodes, relationships and marks as statements |
//! | `csv` | nodes and relationships as tables |
//! | `schema` | indexes and constraints |
//! | `batch` | which nodes or relationships come next |
//! | `writer` | text, within its bounds |

mod batch;
mod csv;
mod cypher;
mod schema;
mod writer;

pub use schema::{CONSTRAINT_COMMAND, joined_labels};

use crate::query::{Error, Interrupt};
use crate::storage::View;

use self::batch::Batch;
use self::writer::Writer;

/// What a graph is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Statements of openCypher.
    Cypher,
    /// Tables.
    Csv,
}

/// What is written at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Nodes; of statements the index on their marks before.
    Nodes,
    /// Relationships.
    Relationships,
    /// Statements that take the marks away.
    Marks,
    /// Indexes and constraints.
    Schema,
}

impl Stage {
    /// All, in their order.
    pub const ALL: [Stage; 4] = [Stage::Nodes, Stage::Relationships, Stage::Marks, Stage::Schema];
}

/// Where a part begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// What is written.
    pub stage: Stage,
    /// From which number on: of a node, of a relationship, or in the list of the schema.
    pub next: u64,
}

impl Position {
    /// Where a graph begins.
    pub const START: Position = Position { stage: Stage::Nodes, next: 0 };
}

/// What a piece of text is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About {
    /// A statement, with a semicolon at its end.
    Statement,
    /// A table of nodes with these labels.
    Nodes(String),
    /// A table of relationships of a type.
    Relationships(String),
}

/// A piece of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What it is.
    pub about: About,
    /// The text.
    pub text: String,
}

/// How much a part has.
#[derive(Clone, Copy, Debug)]
pub struct PartLimits {
    /// So many nodes and relationships at most.
    pub entities: usize,
    /// So many bytes, about: it ends behind those that exceed it.
    pub bytes: usize,
    /// So many bytes may be kept; more is an error.
    pub memory: usize,
}

/// A part of a graph's text.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// Its pieces, in their order.
    pub pieces: Vec<Piece>,
    /// Where the next begins; `None`: this is the last.
    pub next: Option<Position>,
}

/// A part of the text of a graph, from a position on. O(n) in the values that it has, and for each
/// 1024 numbers of which no node or relationship is there.
///
/// # Errors
/// It keeps more memory than it may, or is to end.
///
/// ```
/// use kvist_graph::export::{PartLimits, Format, Position, part};
/// use kvist_graph::query::NoInterrupt;
/// use kvist_graph::storage::Graph;
///
/// let mut graph = Graph::default();
/// let label = graph.make_label("Person").unwrap();
/// graph.create_node(&[label]).unwrap();
/// let limits = PartLimits { entities: 100, bytes: 1 << 20, memory: 1 << 20 };
/// let part = part(&graph, Format::Cypher, Position::START, limits, &NoInterrupt).unwrap();
/// let text = "UNWIND [{_export: 0}] AS row CREATE (n:_export:Person) SET n = row;";
/// assert_eq!(part.pieces[1].text, text);
/// assert!(part.next.is_none());
/// ```
pub fn part(
    view: &View,
    format: Format,
    from: Position,
    limits: PartLimits,
    interrupt: &dyn Interrupt,
) -> Result<Part, Error> {
    let mut writer = Writer::new(view, limits, interrupt);
    let stages = Stage::ALL.iter().skip_while(|&&stage| stage != from.stage);
    for &stage in stages {
        let next = if stage == from.stage { from.next } else { 0 };
        if let Some(next) = write(&mut writer, format, Position { stage, next })? {
            return Ok(Part { pieces: writer.pieces, next: Some(Position { stage, next }) });
        }
    }
    Ok(Part { pieces: writer.pieces, next: None })
}

/// Writes on, until a stage or the part ends: then from where on the next part goes on in it.
fn write(writer: &mut Writer<'_>, format: Format, from: Position) -> Result<Option<u64>, Error> {
    let mut next = from.next;
    let mark = match format {
        Format::Cypher => schema::mark(writer.view),
        Format::Csv => String::new(),
    };
    match (from.stage, format) {
        (Stage::Marks, Format::Csv) => return Ok(None),
        (Stage::Marks, Format::Cypher) => return cypher::unmark(writer, &mark, next),
        (Stage::Schema, _) => return schema::write(writer, next),
        (Stage::Nodes, Format::Cypher) if next == 0 => cypher::begin(writer, &mark),
        (Stage::Nodes | Stage::Relationships, _) => {}
    }
    loop {
        if writer.is_full() {
            return Ok(Some(next));
        }
        let Some(batch) = Batch::next(writer, from.stage, next)? else { return Ok(None) };
        match (from.stage, format) {
            (Stage::Nodes, Format::Cypher) => cypher::nodes(writer, &mark, &batch.ids)?,
            (_, Format::Cypher) => cypher::relationships(writer, &mark, &batch.ids)?,
            (Stage::Nodes, Format::Csv) => csv::nodes(writer, &batch.ids)?,
            (_, Format::Csv) => csv::relationships(writer, &batch.ids)?,
        }
        writer.entities += batch.ids.len();
        next = batch.next;
    }
}
