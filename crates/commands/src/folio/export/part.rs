//! A part of a project as text.

use ::folio::{HisOptions, Layer, Query, Slot, Span, Trash, View};
use base::{CmdError, Pace, Reply, error};
use haystack::{Col, DateTime, Dict, Grid, GridBuilder, Tag, Value, Zone};

use super::super::format::Format;
use super::super::paced::watched;
use super::super::{by_id, reply, told};
use super::csv;
use super::cursor::Position;

/// A part ends when its values take so many bytes.
const BYTES: usize = 1 << 20;
/// So many records or samples are a piece of work.
const PIECE: usize = 128;

/// What of a project is exported.
pub struct Selection {
    /// Which records: what a filter finds.
    pub filter: String,
    /// Those in the trash, too?
    pub trash: Trash,
    /// With their samples.
    pub histories: bool,
    /// As what.
    pub format: Format,
    /// So many records or samples at once.
    pub count: usize,
}

/// A part.
pub struct Part {
    /// What it has, and the text; none if there was nothing left.
    pub piece: Option<(&'static str, Vec<u8>)>,
    /// What comes next; none at the end.
    pub next: Option<Position>,
}

impl Selection {
    /// The part at a position.
    ///
    /// # Errors
    /// The filter cannot be read; it is to end.
    pub fn part(
        &self,
        view: &View,
        position: Position,
        pace: &mut dyn Pace,
        out: &dyn Reply,
    ) -> Result<Part, CmdError> {
        let query = Query::parse(&self.filter).map_err(|error| told(&error))?;
        let position = match position {
            Position::Records(slot) => {
                let slots = self.slots(view, (&query, slot), pace, out)?;
                if !slots.is_empty() {
                    return self.records(view, slots, pace, out);
                }
                if !self.histories {
                    return Ok(Part { piece: None, next: None });
                }
                Position::Samples(0, i64::MIN)
            }
            samples => samples,
        };
        let Position::Samples(slot, at) = position else { return Err(error::INTERNAL) };
        self.samples(view, (&query, slot, at), pace, out)
    }

    /// The records from a place on, as many as a part may have.
    fn slots(
        &self,
        view: &View,
        (query, from): (&Query<'_>, Slot),
        pace: &mut dyn Pace,
        out: &dyn Reply,
    ) -> Result<Vec<Slot>, CmdError> {
        let found = watched(pace, out, |goes_on| {
            view.find_from(query, self.trash, (from, self.count), goes_on)
        })?;
        Ok(found.unwrap_or_default())
    }

    fn records(
        &self,
        view: &View,
        slots: Vec<Slot>,
        pace: &mut dyn Pace,
        out: &dyn Reply,
    ) -> Result<Part, CmdError> {
        let (mut dicts, mut held) = (Vec::new(), 0);
        for slot in &slots {
            let dict = by_id::dict(view, *slot, Layer::Persistent);
            held += dict.memory();
            dicts.push(dict);
            if held >= BYTES {
                break;
            }
            if dicts.len() % PIECE == 0 {
                pace.go_on(out, held)?;
            }
        }
        let (count, grid) = grid_of(&dicts)?;
        let is_last = count == slots.len() && count < self.count;
        let last = slots.get(count - 1).ok_or(error::INTERNAL)?;
        let text = self.text(&grid, pace, out)?;
        let next = match last.checked_add(1).filter(|_| !is_last) {
            Some(behind) => Some(Position::Records(behind)),
            None => self.histories.then_some(Position::Samples(0, i64::MIN)),
        };
        Ok(Part { piece: Some(("RECORDS", text)), next })
    }

    fn samples(
        &self,
        view: &View,
        (query, mut slot, mut at): (&Query<'_>, Slot, i64),
        pace: &mut dyn Pace,
        out: &dyn Reply,
    ) -> Result<Part, CmdError> {
        let (mut grid, mut count) = (columns(&["id", "ts", "val"])?, 0);
        let mut next = None;
        'all: loop {
            let slots = self.slots(view, (query, slot), pace, out)?;
            let Some(last) = slots.last().copied() else { break };
            for one in slots {
                let from = if one == slot { at } else { i64::MIN };
                next = self.samples_of(view, (one, from), (&mut grid, &mut count));
                if next.is_some() {
                    break 'all;
                }
                pace.go_on(out, count * 64)?;
            }
            let Some(behind) = last.checked_add(1) else { break };
            (slot, at) = (behind, i64::MIN);
        }
        let grid = grid.finish();
        if grid.is_empty() {
            return Ok(Part { piece: None, next: None });
        }
        Ok(Part { piece: Some(("SAMPLES", self.text(&grid, pace, out)?)), next })
    }

    /// Appends the samples of a point from a millisecond on; where the next part begins, if no more
    /// fit in. What is no point with a history has none that could be read.
    fn samples_of(
        &self,
        view: &View,
        (slot, from): (Slot, i64),
        (grid, count): (&mut GridBuilder, &mut usize),
    ) -> Option<Position> {
        if view.his_size(slot) == 0 {
            return None;
        }
        let left = self.count.saturating_sub(*count);
        let instant = |at: i64| DateTime::from_nanos(at, Zone::UTC);
        let start = instant(from.saturating_mul(1_000_000));
        let span = Span { start, end: instant(i64::MAX) };
        let options = HisOptions { limit: Some(left + 1), ..HisOptions::default() };
        let found = view.his_read(slot, Some(span), &options).ok()?;
        let id = Value::id(view.id_of(slot)).ok()?;
        for (at, value) in found.iter().take(left) {
            grid.push([id.clone(), (*at).into(), value.clone()]);
            *count += 1;
        }
        let (behind, _) = found.get(left)?;
        Some(Position::Samples(slot, behind.nanos().div_euclid(1_000_000)))
    }

    fn text(&self, grid: &Grid, pace: &mut dyn Pace, out: &dyn Reply) -> Result<Vec<u8>, CmdError> {
        match self.format {
            Format::Csv => reply::as_text(&csv::grid(grid)?, self.format, pace, out),
            _ => reply::as_text(grid, self.format, pace, out),
        }
    }
}

/// A grid of the first of some records, of as many as one may have that do not have much in common;
/// how many those are.
fn grid_of(dicts: &[Dict]) -> Result<(usize, Grid), CmdError> {
    let mut count = dicts.len();
    while count > 0 {
        match dicts.get(..count).map(|some| Grid::from_dicts(Dict::new(), some)) {
            Some(Ok(grid)) => return Ok((count, grid)),
            _ => count /= 2,
        }
    }
    Err(error::INTERNAL)
}

fn columns(names: &[&str]) -> Result<GridBuilder, CmdError> {
    let cols = names.iter().map(|name| Tag::new(name).map(Col::new)).collect::<Result<_, _>>();
    let grid = cols.and_then(|cols| GridBuilder::new(Dict::new(), cols));
    grid.map_err(|_| error::INTERNAL)
}
