//! GRAPH.EXPORT: a graph as text, part by part, all of it as it was when the first part was asked
//! for.
//!
//! ```text
//!   GRAPH.EXPORT key ─────────────────► a version ─► [cursor, pieces], the version is kept
//!   GRAPH.EXPORT key CURSOR cursor ───► that version ─► [cursor, pieces] … ─► [0, pieces]
//! ```
//!
//! A cursor says which version is read, and from where on, so that a part can be asked for again.
//! A version that is not asked for in time is let go, and its cursors mean nothing any more.

use std::sync::Arc;

use ::graph::export::{About, Format, Part, PartLimits, Piece, Position, Stage, part};
use ::graph::storage::FrozenGraph;
use base::{
    Args, Behaviour, Category, CmdError, Command, Databases, Effect, Flag, Forks, Group, Key,
    KeyFlag, KeySpec, Pace, Property, Query, Reply, Run, Spec, Version, error, num,
};
use types::Graph;

use super::NO_GRAPH;
use super::statement::{error_reply, watched};
use crate::export_lease::ExportLease;

const NO_FORMAT: CmdError = CmdError::new("ERR the formats are CYPHER and CSV");
const NO_NUMBER: CmdError =
    CmdError::new("ERR a cursor is a number that GRAPH.EXPORT has answered");
const NO_CURSOR: CmdError = CmdError::new(
    "ERR there is no such cursor: an export ends 60 seconds after its last part, when it keeps too \
     much of what has changed since, or when there are more than 64 of them; begin it anew",
);

/// So many nodes and relationships a part has unless it is asked for others, and at most.
const COUNT: usize = 1000;
const MOST: usize = 100_000;
/// A part ends when its pieces have so many bytes.
const BYTES: usize = 1 << 20;

/// Writes a part of a graph.
pub struct Export<'a> {
    key: Key<'a>,
    format: Format,
    cursor: u64,
    count: usize,
}

impl<'a> Command<'a> for Export<'a> {
    const SPEC: Spec = Spec {
        name: "graph.export",
        group: Group::Graph,
        since: "1.0.0",
        summary: "Exports a graph as openCypher or CSV, part by part, all of one version of it.",
        complexity: "O(N), when N is the number of nodes, relationships and properties of a part",
        grammar: "key:key [FORMAT format=(CYPHER | CSV)] [CURSOR cursor:integer] \
                  [COUNT count:integer]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Graph],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        behaviour: Behaviour::NEW.properties(&[Property::RunsAsQuery]),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let key = args.key()?;
        let mut export = Export { key, format: Format::Cypher, cursor: 0, count: COUNT };
        while args.left() > 0 {
            if args.token("FORMAT") {
                export.format = format(&mut args)?;
            } else if args.token("CURSOR") {
                let cursor = num::parse_i64(args.next()?).ok_or(NO_NUMBER)?;
                export.cursor = u64::try_from(cursor).map_err(|_| NO_CURSOR)?;
            } else if args.token("COUNT") {
                let count = usize::try_from(args.integer()?).unwrap_or(0);
                if count == 0 {
                    return Err(error::SYNTAX);
                }
                export.count = count.min(MOST);
            } else {
                return Err(error::SYNTAX);
            }
        }
        Ok(export)
    }
}

/// The word behind `FORMAT`.
///
/// # Errors
/// There is no such format.
pub(super) fn format(args: &mut Args<'_>) -> Result<Format, CmdError> {
    match args.next()? {
        word if word.eq_ignore_ascii_case(b"CYPHER") => Ok(Format::Cypher),
        word if word.eq_ignore_ascii_case(b"CSV") => Ok(Format::Csv),
        _ => Err(NO_FORMAT),
    }
}

/// Where an export goes on: which version, and from which position on.
///
/// ```text
///   28 bits: number of the version, not 0 | 2: stage | 33: number of a node or relationship
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cursor {
    version: u64,
    position: Position,
}

impl Cursor {
    /// Numbers of versions are below.
    const VERSIONS: u64 = 1 << 28;

    fn number(self) -> u64 {
        let stage = Stage::ALL.iter().position(|&stage| stage == self.position.stage);
        let stage = stage.unwrap_or(0) as u64;
        self.version << 35 | stage << 33 | self.position.next & ((1 << 33) - 1)
    }

    fn of(number: u64) -> Option<Cursor> {
        let version = number >> 35;
        let stage = Stage::ALL.get(usize::try_from(number >> 33 & 3).ok()?)?;
        let position = Position { stage: *stage, next: number & ((1 << 33) - 1) };
        (1..Self::VERSIONS).contains(&version).then_some(Cursor { version, position })
    }
}

/// What is exported, as a lease names it.
fn lease_name(db: usize, key: &[u8], format: Format) -> Vec<u8> {
    let format = u8::from(format == Format::Csv);
    [&db.to_le_bytes()[..], &[format], key].concat()
}

impl<H: Databases + Forks<Graph>> Run<H> for Export<'_> {
    fn run(self, host: &mut H, _: &mut dyn Reply) -> Result<Effect, CmdError> {
        let of = lease_name(host.db(), self.key.bytes, self.format);
        let (cursor, version) = if self.cursor == 0 {
            host.peek(self.key)?.and_then(Graph::graph).ok_or(NO_GRAPH)?;
            let version = Arc::new(host.share(self.key)?.ok_or(NO_GRAPH)?);
            let number = 1 + host.rng().next_u64() % (Cursor::VERSIONS - 1);
            (Cursor { version: number, position: Position::START }, version)
        } else {
            let cursor = Cursor::of(self.cursor).ok_or(NO_CURSOR)?;
            let version = host.leases().get::<FrozenGraph>(cursor.version, &of);
            (cursor, version.ok_or(NO_CURSOR)?)
        };
        let work = Work {
            lease: ExportLease { leases: Arc::clone(host.leases()), of, now: host.now() },
            cursor,
            format: self.format,
            count: self.count,
        };
        Ok(Effect::Query(Query::over_kept(version, move |graph, pace, out| {
            work.answer(graph, pace, out)
        })))
    }
}

/// What is left to be done.
struct Work {
    lease: ExportLease,
    cursor: Cursor,
    format: Format,
    count: usize,
}

impl Work {
    fn answer(
        &self,
        graph: &Arc<Version<FrozenGraph>>,
        pace: &mut dyn Pace,
        out: &mut dyn Reply,
    ) -> Result<(), CmdError> {
        let until = pace.bounds().time;
        let part = watched(until, pace, &*out, |memory, interrupt| {
            let limits = PartLimits { entities: self.count, bytes: BYTES, memory };
            let part = part(graph, self.format, self.cursor.position, limits, interrupt);
            part.map_err(|error| error_reply(&error))
        })?;
        let held: usize = part.pieces.iter().map(|piece| piece.text.len()).sum();
        let next = part.next.map(|position| Cursor { position, ..self.cursor });
        self.write(part, held, pace, out)?;
        self.lease.answered(self.cursor.version, graph, next.is_some(), pace.elapsed());
        Ok(())
    }

    /// Writes the reply; each piece goes as soon as it is in there.
    fn write(
        &self,
        part: Part,
        mut held: usize,
        pace: &mut dyn Pace,
        out: &mut dyn Reply,
    ) -> Result<(), CmdError> {
        out.array(2);
        let next = part.next.map_or(0, |position| Cursor { position, ..self.cursor }.number());
        out.bulk(next.to_string().as_bytes());
        out.array(part.pieces.len());
        for Piece { about, text } in part.pieces {
            let table = match &about {
                About::Statement if self.format == Format::Cypher => None,
                About::Statement => Some(("SCHEMA", "")),
                About::Nodes(labels) => Some(("NODES", labels.as_str())),
                About::Relationships(kind) => Some(("RELATIONSHIPS", kind.as_str())),
            };
            if let Some((kind, name)) = table {
                out.array(3);
                out.bulk(kind.as_bytes());
                out.bulk(name.as_bytes());
            }
            out.bulk(text.as_bytes());
            held = held.saturating_sub(text.len());
            drop(text);
            pace.go_on(&*out, held)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Cursor, Position, Stage};

    #[test]
    fn cursors_are_numbers() {
        for stage in Stage::ALL {
            for (version, next) in [(1, 0), (Cursor::VERSIONS - 1, 1 << 32), (77, 12345)] {
                let cursor = Cursor { version, position: Position { stage, next } };
                assert_eq!(Cursor::of(cursor.number()), Some(cursor));
            }
        }
        for nonsense in [0, 1, 1 << 34, u64::MAX] {
            assert!(Cursor::of(nonsense).is_none_or(|cursor| cursor.version > 0));
        }
        assert_eq!(Cursor::of(12345), None);
    }
}
