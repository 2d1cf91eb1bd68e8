//! FOLIO.EXPORT: a project as text, part by part, all of it as it was when the first part was asked
//! for.
//!
//! ```text
//!   FOLIO.EXPORT key ─────────────────► a version ─► [cursor, pieces], the version is kept
//!   FOLIO.EXPORT key CURSOR cursor ───► that version ─► [cursor, pieces] … ─► [0, pieces]
//! ```
//!
//! A cursor says which version is read, and from where on, so that a part can be asked for again.
//! A version that is not asked for in time is let go, and its cursors mean nothing any more.

mod csv;
mod cursor;
mod part;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use ::folio::{FrozenProject, Trash};
use base::{
    Args, Behaviour, Category, CmdError, Command, Databases, Effect, Flag, Forks, Group, Key,
    KeyFlag, KeySpec, Pace, Property, Query, Reply, Run, Spec, Version, error,
};
use types::Folio;

use self::cursor::{Cursor, Position};
use self::part::{Part, Selection};
use super::format::Format;
use super::{NO_PROJECT, text};
use crate::export_lease::ExportLease;

pub(super) use self::csv::value as of_csv;

const NO_CURSOR: CmdError = CmdError::new(
    "ERR there is no such cursor: an export ends 60 seconds after its last part, when it keeps too \
     much of what has changed since, or when there are more than 64 of them; begin it anew",
);

const NO_TEXT: CmdError = CmdError::new("ERR columns are no text: they cannot be imported");

/// So many records or samples a part has unless it is asked for others, and at most.
const COUNT: usize = 1000;
const MOST: usize = 100_000;
/// Longer filters, in bytes, are refused.
const LONGEST: usize = 64 << 10;
const LONG_FILTER: CmdError = CmdError::new("ERR the filter is longer than 64 KiB");
/// What finds all records.
const ALL: &str = "id";

/// Writes a part of a project.
pub struct Export<'a> {
    key: Key<'a>,
    format: Format,
    filter: Option<&'a [u8]>,
    histories: bool,
    cursor: Option<&'a [u8]>,
    count: usize,
}

impl<'a> Command<'a> for Export<'a> {
    const SPEC: Spec = Spec {
        name: "folio.export",
        group: Group::Folio,
        since: "1.0.0",
        summary: "Exports a project, or what a filter finds, as text, part by part, all of one \
                  version of it.",
        complexity: "O(N), when N is the number of records, tags and samples of a part, and of \
                     records that the filter passes over",
        grammar: "key:key [FORMAT format=(zinc | hayson | json | trio | csv)] \
                  [FILTER filter:string] [HISTORIES] [CURSOR cursor:string] [COUNT count:integer]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Folio],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        behaviour: Behaviour::NEW.properties(&[Property::RunsAsQuery]),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, format) = (args.key()?, Format::Zinc);
        let (filter, cursor) = (None, None);
        let mut export = Export { key, format, filter, histories: false, cursor, count: COUNT };
        while args.left() > 0 {
            if args.token("FILTER") {
                export.filter = Some(args.next()?);
            } else if args.token("HISTORIES") {
                export.histories = true;
            } else if args.token("CURSOR") {
                export.cursor = Some(args.next()?).filter(|cursor| *cursor != b"0");
            } else if args.token("COUNT") {
                let count = usize::try_from(args.integer()?).unwrap_or(0);
                if count == 0 {
                    return Err(error::SYNTAX);
                }
                export.count = count.min(MOST);
            } else {
                export.format = Format::take(&mut args)?.ok_or(error::SYNTAX)?;
                if export.format == Format::Columns {
                    return Err(NO_TEXT);
                }
            }
        }
        Ok(export)
    }
}

impl Export<'_> {
    /// Whose version it is, as a lease names it.
    fn lease_name(&self, db: usize) -> Vec<u8> {
        [&b"folio"[..], &db.to_le_bytes(), self.key.bytes].concat()
    }

    /// What is asked for: only a request for the same goes on with a cursor.
    fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.format as u8, self.histories, self.filter).hash(&mut hasher);
        hasher.finish()
    }

    /// What of the project it is.
    fn selection(&self) -> Result<Selection, CmdError> {
        if self.filter.is_some_and(|filter| filter.len() > LONGEST) {
            return Err(LONG_FILTER);
        }
        Ok(Selection {
            filter: self.filter.map(text).transpose()?.unwrap_or(ALL).to_owned(),
            trash: if self.filter.is_some() { Trash::Without } else { Trash::With },
            histories: self.histories,
            format: self.format,
            count: self.count,
        })
    }
}

impl<H: Databases + Forks<Folio>> Run<H> for Export<'_> {
    fn run(self, host: &mut H, _: &mut dyn Reply) -> Result<Effect, CmdError> {
        let (of, asked) = (self.lease_name(host.db()), self.fingerprint());
        let (cursor, version) = match self.cursor {
            None => {
                host.peek(self.key)?.and_then(Folio::project).ok_or(NO_PROJECT)?;
                let version = Arc::new(host.share(self.key)?.ok_or(NO_PROJECT)?);
                let number = host.rng().next_u64() | 1;
                (Cursor { version: number, asked, position: Position::START }, version)
            }
            Some(cursor) => {
                let cursor = Cursor::read(cursor).filter(|cursor| cursor.asked == asked);
                let cursor = cursor.ok_or(NO_CURSOR)?;
                let version = host.leases().get::<FrozenProject>(cursor.version, &of);
                (cursor, version.ok_or(NO_CURSOR)?)
            }
        };
        let lease = ExportLease { leases: Arc::clone(host.leases()), of, now: host.now() };
        let work = Work { selection: self.selection()?, lease, cursor };
        Ok(Effect::Query(Query::over_kept(version, move |project, pace, out| {
            work.answer(project, pace, out)
        })))
    }
}

/// What is left to be done.
struct Work {
    selection: Selection,
    lease: ExportLease,
    cursor: Cursor,
}

impl Work {
    fn answer(
        &self,
        project: &Arc<Version<FrozenProject>>,
        pace: &mut dyn Pace,
        out: &mut dyn Reply,
    ) -> Result<(), CmdError> {
        let part = self.selection.part(project, self.cursor.position, pace, &*out)?;
        let next = part.next.map(|position| Cursor { position, ..self.cursor });
        write(&part, next, out);
        self.lease.answered(self.cursor.version, project, next.is_some(), pace.elapsed());
        Ok(())
    }
}

/// Writes a cursor, and pieces: of each what it has, and its text.
fn write(part: &Part, next: Option<Cursor>, out: &mut dyn Reply) {
    out.array(2);
    out.bulk(next.map_or_else(|| "0".to_owned(), Cursor::text).as_bytes());
    out.array(usize::from(part.piece.is_some()));
    if let Some((kind, text)) = &part.piece {
        out.array(2);
        out.bulk(kind.as_bytes());
        out.bulk(text);
    }
}
