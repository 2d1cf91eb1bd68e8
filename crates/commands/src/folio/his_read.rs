//! FOLIO.HIS.READ: samples of a point.

use ::folio::packed::Writer;
use ::folio::{HisColumns, HisOptions, Values, View};
use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Flag, Forks, Group, Key, KeyFlag,
    KeySpec, Pace, Property, Query, Reply, Run, Spec, error,
};
use haystack::value::Rows;
use haystack::{Cell, Col, DateTime, Dict, Tag, Unit, Value};
use types::Folio;

use super::batch::instant;
use super::format::Format;
use super::his::{self, Range};
use super::paced::AtOnce;
use super::{NO_PROJECT, project, reply, told};

/// So many samples, as far as that is known, are read at once.
const FEW: usize = 512;
/// The place of the id.
const ID: usize = 2;

/// Reads samples of a point.
pub struct HisRead<'a> {
    key: Key<'a>,
    words: &'a [&'a [u8]],
    asked: Asked,
}

/// What is asked.
#[derive(Clone, Copy)]
struct Asked {
    range: Option<Range>,
    options: HisOptions,
    clips: bool,
    format: Option<Format>,
}

impl<'a> Command<'a> for HisRead<'a> {
    const SPEC: Spec = Spec {
        name: "folio.his.read",
        group: Group::Folio,
        since: "1.0.0",
        summary: "Answers samples of a point in order, in its unit and zone.",
        complexity: "O(N + log(M)), when N is the number of samples answered and M that of all",
        grammar: "key:key id:string [RANGE range={start:string end:string}] \
                  [LIMIT limit:integer] [CLIPFUTURE] [AROUND] \
                  [FORMAT format=(zinc | hayson | json | trio | csv | columns)]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Folio],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        behaviour: Behaviour::NEW.properties(&[Property::RunsAsQuery]),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, words) = (args.key()?, args.argv());
        args.next()?;
        let options = HisOptions::default();
        let mut asked = Asked { range: None, options, clips: false, format: None };
        while args.left() > 0 {
            if args.token("RANGE") {
                asked.range = Some(Range::take(&mut args)?);
            } else if args.token("LIMIT") {
                let limit = usize::try_from(args.integer()?).map_err(|_| error::SYNTAX)?;
                asked.options.limit = Some(limit);
            } else if args.token("CLIPFUTURE") {
                asked.clips = true;
            } else if args.token("AROUND") {
                asked.options.around = true;
            } else if let Some(format) = Format::take(&mut args)? {
                asked.format = Some(format);
            } else {
                return Err(error::SYNTAX);
            }
        }
        Ok(HisRead { key, words, asked })
    }
}

impl<H: Forks<Folio>> Run<H> for HisRead<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let mut asked = self.asked;
        asked.options.clip_future = asked.clips.then(|| instant(host.now()));
        let project = project(host, self.key)?;
        let slot = his::point(project, self.words.get(ID).copied().unwrap_or_default())?;
        let most = asked.options.limit.unwrap_or(usize::MAX);
        if project.his_size(slot).min(most) <= FEW {
            asked.answer(project, self.words, &mut AtOnce, out)?;
            return Ok(Effect::None);
        }
        let version = host.share(self.key)?.ok_or(NO_PROJECT)?;
        Ok(Effect::Query(Query::over_with_words(version, move |view, words, pace, out| {
            asked.answer(view, words, pace, out)
        })))
    }
}

impl Asked {
    fn answer(
        self,
        view: &View,
        words: &[&[u8]],
        pace: &mut dyn Pace,
        out: &mut dyn Reply,
    ) -> Result<(), CmdError> {
        let slot = his::point(view, words.get(ID).copied().unwrap_or_default())?;
        let zone = his::zone(view, slot);
        let span = self.range.map(|range| range.span(zone)).transpose()?;
        let read = view.his_columns(slot, span, &self.options).map_err(|error| told(&error))?;
        let samples = Samples::new(&read, view.id_of(slot)).ok_or(error::INTERNAL)?;
        if self.format == Some(Format::Columns) {
            out.bulk(&samples.as_columns());
            return Ok(());
        }
        if self.format.is_some() {
            return reply::rows(&samples, self.format, pace, out);
        }
        let mut text = Vec::new();
        out.array(samples.row_count());
        for row in 0..samples.row_count() {
            if row % 1024 == 1023 {
                pace.go_on(&*out, read.columns.len() * 16)?;
            }
            out.array(2);
            reply::value(&samples.cell(row, 0), &mut text, out);
            reply::value(&samples.cell(row, 1), &mut text, out);
        }
        Ok(())
    }
}

/// Samples as a grid: `ts` and `val`.
struct Samples<'h> {
    read: &'h HisColumns,
    meta: Dict,
    cols: Vec<Col>,
}

impl<'h> Samples<'h> {
    fn new(read: &'h HisColumns, id: &str) -> Option<Self> {
        let mut meta = Dict::new();
        meta.put("id", Value::id(id).ok()?).ok()?;
        let cols = ["ts", "val"].map(|name| Tag::new(name).map(Col::new));
        let cols = cols.into_iter().collect::<Result<Vec<Col>, _>>().ok()?;
        Some(Samples { read, meta, cols })
    }
}

impl Samples<'_> {
    /// The samples as columns of bytes: numbers, as most are, without looking at each.
    fn as_columns(&self) -> Vec<u8> {
        let columns = &self.read.columns;
        let mut out = Vec::with_capacity(columns.len() * 16 + 256);
        let mut writer = Writer::new(&mut out, &self.meta, self.cols.len(), columns.len());
        if let (Values::Numbers(all), [at, value]) = (&columns.values, &*self.cols) {
            let nanos = columns.at.iter().map(|at| at.saturating_mul(1_000_000));
            writer.instants(at, self.read.zone, nanos);
            let unit = self.read.unit.as_ref().map(Unit::symbol);
            writer.numbers(value, unit, all, &columns.na);
        } else {
            out.clear();
            Writer::write(&mut out, self, |_| true);
        }
        out
    }
}

impl Rows for Samples<'_> {
    fn meta(&self) -> &Dict {
        &self.meta
    }

    fn cols(&self) -> &[Col] {
        &self.cols
    }

    fn row_count(&self) -> usize {
        self.read.columns.len()
    }

    fn cell(&self, row: usize, col: usize) -> Cell<'_> {
        let columns = &self.read.columns;
        let Some(at) = columns.at.get(row) else { return Cell::Null };
        if col == 0 {
            let nanos = at.saturating_mul(1_000_000);
            return Cell::DateTime(DateTime::from_nanos(nanos, self.read.zone));
        }
        if columns.na.binary_search(&row).is_ok() {
            return Cell::Na;
        }
        let unit = || self.read.unit.as_ref().map(Unit::symbol);
        let cell = match &columns.values {
            Values::Nothing => None,
            Values::Numbers(all) => all.get(row).map(|number| Cell::Number(*number, unit())),
            Values::Bools(all) => all.get(row).map(|value| Cell::Bool(*value)),
            Values::Strs(all) => all.get(row).map(|text| Cell::Str(text)),
            Values::Coords(all) => all.get(row).map(|coord| Cell::Coord(*coord)),
        };
        cell.unwrap_or(Cell::Na)
    }
}
