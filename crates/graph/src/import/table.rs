//! Nodes or relationships of a table of CSV. A statement makes those of some lines at a time.

use std::collections::HashSet;
use std::io::Cursor;
use std::sync::Arc;

use super::field::{Column, Id, Kind, wrong};
use super::marks::{self, MARK, Marked};
use super::{Failed, Imported};
use crate::cypher::split_labels;
use crate::execute::{CsvError, Record, Records};
use crate::procedure::Builtin;
use crate::query::{Error, Prepared, Settings, check_constraints, write_part};
use crate::storage::Graph;
use crate::value::{Map, Value, literal};

/// So many lines are made at once.
const ROWS: usize = 1024;
/// And so many bytes of their values, about.
const BYTES: usize = 1 << 20;

/// What a table is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableOf {
    /// Nodes with labels, between which are colons: see
    /// [`joined_labels`](crate::export::joined_labels).
    Nodes(Box<str>),
    /// Relationships of a type.
    Relationships(Box<str>),
}

/// A table: a header, and a line for each node or relationship.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// What it is of.
    pub of: TableOf,
    /// The text.
    pub text: Vec<u8>,
}

/// Makes what a table has. Nodes are marked until [`unmark`](super::unmark) takes the marks away;
/// relationships find the nodes of the tables before by them.
///
/// # Errors
/// The first line that is wrong, or a constraint that does not hold at the end.
pub fn table(graph: &mut Graph, table: Table, settings: &Settings<'_>) -> Result<Imported, Failed> {
    let Table { of, text } = table;
    if !matches!(of, TableOf::Nodes(_)) && !marks::is_indexed(graph) {
        return Err(wrong("there are no nodes of tables to connect").into());
    }
    marks::begin(graph, settings)?;
    let (prepared, holds) = (statement(&of)?, text.len());
    let records = Records::new(Box::new(Cursor::new(text)), b',');
    let mut reader = Reader {
        records,
        record: Record::default(),
        columns: Vec::new(),
        settings,
        holds,
        row: row_of(&of),
    };
    let mut imported = Imported::default();
    if !reader.next(graph)? {
        return Err(wrong("a table has no header").into());
    }
    reader.header(&of).map_err(|error| Failed { at: Some(1), error })?;
    while let Some(Lines { rows, first }) = reader.lines(graph)? {
        let count = rows.len() as u64;
        let at = |error| Failed { at: Some(first), error };
        let rows = Value::list(rows).checked().map_err(Error::from)?;
        let parameters = Map::new([(Arc::from("rows"), rows)]);
        let settings = Settings { parameters: &parameters, ..*settings };
        let statistics = write_part(graph, &prepared, &settings).map_err(at)?.statistics;
        if statistics.relationships_created + statistics.nodes_created != count {
            return Err(at(wrong("not all lines from here on can be made")));
        }
        imported.add(statistics);
    }
    check_constraints(graph, settings.interrupt)?;
    Ok(imported)
}

/// The statement that makes some lines.
fn statement(of: &TableOf) -> Result<Prepared, Error> {
    let mut text = "UNWIND $rows AS row ".to_owned();
    match of {
        TableOf::Nodes(labels) => {
            text.push_str("CREATE (n:");
            text.push_str(MARK);
            for label in split_labels(labels) {
                if *label == *MARK {
                    return Err(wrong(format!("no label may be {MARK} in a table")));
                }
                text.push(':');
                literal::name(&label, &mut text);
            }
            text.push_str(") SET n = row");
        }
        TableOf::Relationships(kind) => {
            text.push_str(&format!(
                "MATCH (a:{MARK} {{{MARK}: row[0]}}) WITH row, a \
                 MATCH (b:{MARK} {{{MARK}: row[1]}}) CREATE (a)-[r:"
            ));
            literal::name(kind, &mut text);
            text.push_str("]->(b) SET r = row[2]");
        }
    }
    Prepared::compile(&text, &Builtin)
}

/// What a line becomes.
#[derive(Clone, Copy)]
enum Row {
    Node,
    Relationship,
}

fn row_of(of: &TableOf) -> Row {
    match of {
        TableOf::Nodes(_) => Row::Node,
        TableOf::Relationships(_) => Row::Relationship,
    }
}

/// Lines that are made at once: of one there is at least.
struct Lines {
    rows: Vec<Value>,
    /// The number of the first.
    first: u64,
}

/// The ids that a line names.
enum Named {
    Node(Id),
    Relationship(Id, Id),
}

impl Named {
    fn memory(&self) -> usize {
        match self {
            Named::Node(id) => id.memory(),
            Named::Relationship(start, end) => start.memory() + end.memory(),
        }
    }

    /// Whether the line may be made: of a node whose id no node has, nor one of the lines before
    /// that are made with it; of a relationship whose ids a node each has.
    fn check(self, marked: &Marked<'_>, new: &mut HashSet<Id>) -> Result<(), Error> {
        match self {
            Named::Node(id) => match marked.count(&id) == 0 && new.insert(id) {
                true => Ok(()),
                false => Err(wrong("a node with this :ID is there already")),
            },
            Named::Relationship(start, end) => {
                ends_there(":START_ID", marked.count(&start))?;
                ends_there(":END_ID", marked.count(&end))
            }
        }
    }
}

/// Whether a relationship finds the one node of an end.
fn ends_there(end: &str, nodes: usize) -> Result<(), Error> {
    match nodes {
        0 => Err(wrong(format!("no table has had a node with this {end}"))),
        1 => Ok(()),
        _ => Err(wrong(format!("several nodes have this {end}"))),
    }
}

/// Reads a table line by line.
struct Reader<'a> {
    records: Records,
    record: Record,
    columns: Vec<Column>,
    settings: &'a Settings<'a>,
    /// Bytes of the text.
    holds: usize,
    row: Row,
}

impl Reader<'_> {
    /// Reads the next line. False if there is none.
    fn next(&mut self, graph: &Graph) -> Result<bool, Failed> {
        let (settings, kept) = (self.settings, self.holds + graph.added());
        let go_on = |more: usize| check(settings, kept + more);
        self.records.next(&mut self.record, go_on).map_err(|error| match error {
            CsvError::Ended(error) => error.into(),
            CsvError::File(what) => Failed { at: Some(self.records.line()), error: wrong(what) },
        })
    }

    fn header(&mut self, of: &TableOf) -> Result<(), Error> {
        let mut columns = Vec::with_capacity(self.record.len());
        for field in self.record.fields() {
            let column = Column::of(field.ok_or_else(not_text)?)?;
            if matches!(&column, Column::Property { name, .. } if **name == *MARK) {
                return Err(wrong(format!("no column may be {MARK}")));
            }
            columns.push(column);
        }
        let count = |is: fn(&Column) -> bool| columns.iter().filter(|column| is(column)).count();
        let ids = count(|column| matches!(column, Column::Id { .. }));
        let starts = count(|column| matches!(column, Column::Start { .. }));
        let ends = count(|column| matches!(column, Column::End { .. }));
        let wanted = match of {
            TableOf::Nodes(_) if (ids, starts, ends) != (1, 0, 0) => ":ID",
            TableOf::Relationships(_) if (ids, starts, ends) != (0, 1, 1) => {
                ":START_ID and :END_ID"
            }
            _ => "",
        };
        if !wanted.is_empty() {
            return Err(wrong(format!("a header has {wanted} once")));
        }
        self.columns = columns;
        Ok(())
    }

    /// The next lines as values; `None` if there are no more.
    fn lines(&mut self, graph: &Graph) -> Result<Option<Lines>, Failed> {
        let marked = Marked::of(graph).ok_or_else(|| wrong("nodes of tables are not found"))?;
        let (mut lines, mut bytes) = (Lines { rows: Vec::new(), first: 0 }, 0);
        let mut new = HashSet::new();
        while lines.rows.len() < ROWS && bytes < BYTES && self.next(graph)? {
            let line = self.record.line;
            if lines.rows.is_empty() {
                lines.first = line;
            }
            let at = |error| Failed { at: Some(line), error };
            let (row, named) = self.line().map_err(at)?;
            bytes += row.memory() + size_of::<Id>() + named.memory();
            check(self.settings, self.holds + graph.added() + bytes)?;
            named.check(&marked, &mut new).map_err(at)?;
            lines.rows.push(row);
        }
        Ok((!lines.rows.is_empty()).then_some(lines))
    }

    /// The line that has been read as a value, and the ids in it.
    fn line(&self) -> Result<(Value, Named), Error> {
        if self.record.len() != self.columns.len() {
            let (found, wanted) = (self.record.len(), self.columns.len());
            return Err(wrong(format!("there are {found} fields, not {wanted}")));
        }
        let mut properties: Vec<(Arc<str>, Value)> = Vec::with_capacity(self.columns.len());
        let (mut of, mut start, mut end) = (None, None, None);
        for (column, field) in self.columns.iter().zip(self.record.fields()) {
            let field = field.ok_or_else(not_text)?;
            match column {
                Column::Id { space, property } => {
                    let id = Id::of(space, field)?;
                    properties.push((Arc::from(MARK), id.value()));
                    of = Some(id);
                    if let Some(name) = property {
                        let value = Kind::Guessed.value(field, self.settings)?;
                        properties.push((Arc::clone(name), value));
                    }
                }
                Column::Start { space } => start = Some(Id::of(space, field)?),
                Column::End { space } => end = Some(Id::of(space, field)?),
                Column::Property { name, kind } => {
                    let value = kind.value(field, self.settings)?;
                    // Another column of the same name may have it.
                    if !value.is_null() {
                        properties.push((Arc::clone(name), value));
                    }
                }
                Column::Ignored => {}
            }
        }
        let properties = Value::Map(Map::new(properties).into());
        match (self.row, of, start.zip(end)) {
            (Row::Node, Some(id), _) => Ok((properties.checked()?, Named::Node(id))),
            (Row::Relationship, _, Some((start, end))) => {
                let row = Value::list([start.value(), end.value(), properties]).checked()?;
                Ok((row, Named::Relationship(start, end)))
            }
            _ => Err(wrong("an id is missing")),
        }
    }
}

fn not_text() -> Error {
    wrong("a field is no text in UTF-8")
}

/// Whether there is room for so many bytes, and it goes on.
fn check(settings: &Settings<'_>, holds: usize) -> Result<(), Error> {
    if holds > settings.memory {
        return Err(Error::out_of_memory(settings.memory));
    }
    Ok(settings.interrupt.check(holds)?)
}
