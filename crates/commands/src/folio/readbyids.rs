//! FOLIO.READBYIDS: records by their ids, in the order of those.

use ::folio::{Answer, View};
use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Flag, Forks, Group, Key, KeyFlag,
    KeySpec, Pace, Property, Query, Reply, Run, Spec, error,
};
use haystack::value::Rows;
use haystack::{Cell, Col, Dict};
use types::Folio;

use super::by_id::Options;
use super::paced::AtOnce;
use super::reading::is_short;
use super::{NO_PROJECT, id, project, reply};

/// Reads records by their ids.
pub struct ReadByIds<'a> {
    key: Key<'a>,
    words: &'a [&'a [u8]],
    count: usize,
    options: Options,
}

/// The place of the first id.
const FIRST: usize = 3;

impl<'a> Command<'a> for ReadByIds<'a> {
    const SPEC: Spec = Spec {
        name: "folio.readbyids",
        group: Group::Folio,
        since: "1.0.0",
        summary: "Answers records of a project by their ids, in the order of those.",
        complexity: "O(N * M), when N is the number of ids and M that of different tags",
        grammar: "key:key numids:integer id:string... [UNCHECKED] [TRASH] \
                  [FORMAT format=(zinc | hayson | json | trio | csv | columns)]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Folio],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        behaviour: Behaviour::NEW.properties(&[Property::RunsAsQuery]),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, words) = (args.key()?, args.argv());
        let count = usize::try_from(args.integer()?).unwrap_or(0);
        if count == 0 || count > args.left() {
            return Err(error::SYNTAX);
        }
        for _ in 0..count {
            args.next()?;
        }
        Ok(ReadByIds { key, words, count, options: Options::parse(&mut args, false)? })
    }
}

impl<H: Forks<Folio>> Run<H> for ReadByIds<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let project = project(host, self.key)?;
        let asked = (self.count, self.options);
        if is_short(self.count, self.options.format) {
            write(project, self.words, asked, &mut AtOnce, out)?;
            return Ok(Effect::None);
        }
        let version = host.share(self.key)?.ok_or(NO_PROJECT)?;
        Ok(Effect::Query(Query::over_with_words(version, move |view, words, pace, out| {
            write(view, words, asked, pace, out)
        })))
    }
}

fn write(
    view: &View,
    words: &[&[u8]],
    (count, options): (usize, Options),
    pace: &mut dyn Pace,
    out: &mut dyn Reply,
) -> Result<(), CmdError> {
    let ids = words.iter().skip(FIRST).take(count);
    let found = ids.map(|word| options.find(view, id(word)?)).collect::<Result<Vec<_>, _>>()?;
    let answer = view.answer(found.iter().copied().flatten().collect());
    let mut there = 0;
    let rows = found.iter().map(|slot| {
        let row = there;
        there += usize::from(slot.is_some());
        slot.map(|_| row)
    });
    let rows = WithGaps { rows: rows.collect(), answer };
    reply::rows(&rows, options.format, pace, out)
}

/// Records, and rows without any value where one is not there.
struct WithGaps<'v> {
    answer: Answer<'v>,
    rows: Vec<Option<usize>>,
}

impl Rows for WithGaps<'_> {
    fn meta(&self) -> &Dict {
        self.answer.meta()
    }

    fn cols(&self) -> &[Col] {
        self.answer.cols()
    }

    fn row_count(&self) -> usize {
        self.rows.len()
    }

    fn cell(&self, row: usize, col: usize) -> Cell<'_> {
        let there = self.rows.get(row).copied().flatten();
        there.map_or(Cell::Null, |row| self.answer.cell(row, col))
    }
}
