//! A walk over the rows of one partition that match a part of a query, ascending.
//!
//! All kinds are moved by [`Cursor::seek`]: to the first matching row that is not less than a row.
//! An intersection moves its rarest part and seeks with the others; what is costly to walk and
//! cheap to look up (negations, ranges over a column) is only tested.

use super::context::Context;
use super::near::Near;
use crate::partition::Partition;
use crate::partition::bitmap::{Bitmap, END};
use crate::partition::geo;
use crate::partition::numbers::Numbers;
use crate::partition::postings;
use crate::partition::record::{Shape, TextSet};

/// Rows that an intersection tries before it says how far it has come.
const SOME: usize = 1000;

/// A condition on the column of an attribute.
pub enum Condition {
    /// Both ends included.
    Between(u64, u64),
    Within {
        center: (f64, f64),
        meters: f64,
    },
}

impl Condition {
    /// Whether one of a row's values satisfies it.
    pub fn holds(&self, words: &[u64]) -> bool {
        match self {
            Condition::Between(min, max) => words.iter().any(|word| min <= word && word <= max),
            Condition::Within { center, meters } => {
                words.iter().any(|cell| geo::distance(geo::place(*cell), *center) <= *meters)
            }
        }
    }
}

/// The rows of a term of the dictionary of words.
pub struct TermRows<'p> {
    pub rows: postings::Cursor<'p>,
    pub shape: Shape,
    /// Only rows with the term in one of these attributes.
    pub attributes: TextSet,
    /// Whether there are rows with it in others alone.
    pub is_restricted: bool,
    pub idf: f64,
}

/// An intersection.
pub struct And<'p> {
    /// In the order of the query.
    pub parts: Vec<Cursor<'p>>,
    /// Places of those that are moved, rarest first.
    pub moved: Vec<usize>,
    /// Places of those that are tested.
    pub tested: Vec<usize>,
    pub near: Option<Near>,
}

/// The rows of a whole set with what each adds to a score.
pub struct Summed {
    pub rows: Bitmap,
    pub sums: Vec<f64>,
}

/// Kinds of cursors.
pub enum Kind<'p> {
    Nothing,
    All,
    Term(TermRows<'p>),
    Tag(postings::Cursor<'p>),
    Rows { rows: Vec<u32>, distances: Vec<f64>, at: usize },
    Bits(Bitmap),
    Missing(&'p Bitmap),
    Summed(Summed),
    And(And<'p>),
    Or(Vec<Cursor<'p>>),
    Not(Box<Cursor<'p>>),
    Optional(Box<Cursor<'p>>),
    Column { numbers: &'p Numbers, condition: Condition },
}

/// See the head of this file.
pub struct Cursor<'p> {
    pub partition: &'p Partition,
    pub kind: Kind<'p>,
    /// By which the score is multiplied.
    pub weight: f64,
    /// The current row.
    pub row: u32,
}

impl<'p> Cursor<'p> {
    pub fn new(partition: &'p Partition, kind: Kind<'p>) -> Self {
        Self { partition, kind, weight: 1.0, row: 0 }
    }

    /// Moves to the first row that is not less than this one, and returns it; [`END`] if there is
    /// none or the evaluation is stopped. Rows only grow from call to call.
    pub fn seek(&mut self, row: u32, context: &mut Context<'_>) -> u32 {
        let live = self.partition.rows.live();
        self.row = match &mut self.kind {
            Kind::Nothing => END,
            Kind::All | Kind::Optional(_) => live.next(row),
            Kind::Term(term) => term.seek(row, context),
            Kind::Tag(rows) => rows.seek(row),
            Kind::Rows { rows, at, .. } => {
                *at += gallop(&rows[*at..], row);
                rows.get(*at).copied().unwrap_or(END)
            }
            Kind::Bits(rows) => rows.next(row),
            Kind::Missing(rows) => rows.next(row),
            Kind::Summed(summed) => summed.rows.next(row),
            Kind::And(and) => and.seek(row, self.partition, context, usize::MAX).unwrap_or(END),
            // Of a pattern they may be many.
            Kind::Or(parts) if context.tick(parts.len() / super::PARTS) => END,
            Kind::Or(parts) => {
                let mut least = END;
                for part in parts {
                    let next = if part.row >= row { part.row } else { part.seek(row, context) };
                    least = least.min(next);
                }
                least
            }
            Kind::Not(part) => {
                let mut at = live.next(row);
                while at != END && part.is_at(at, context) {
                    at = if context.tick(1) { END } else { live.next(at + 1) };
                }
                at
            }
            Kind::Column { numbers, condition } => {
                let mut at = live.next(row);
                while at != END && !condition.holds(numbers.get(at)) {
                    at = if context.tick(1) { END } else { live.next(at + 1) };
                }
                at
            }
        };
        self.row
    }

    /// As [`Cursor::seek`], but gives up after some thousand rows that do not match: no row before
    /// the one that is returned does.
    ///
    /// # Errors
    /// That row.
    pub fn seek_some(&mut self, row: u32, context: &mut Context<'_>) -> Result<u32, u32> {
        let Kind::And(and) = &mut self.kind else { return Ok(self.seek(row, context)) };
        let found = and.seek(row, self.partition, context, SOME);
        self.row = found.unwrap_or(self.row);
        found
    }

    /// Whether a row matches, which is in use and not less than those asked for before.
    pub fn is_at(&mut self, row: u32, context: &mut Context<'_>) -> bool {
        match &mut self.kind {
            Kind::Column { numbers, condition } => condition.holds(numbers.get(row)),
            Kind::Optional(_) => true,
            // It was moved past the row, or to it; at first it is at 0 without having been moved.
            _ if self.row > row => false,
            _ if self.row == row && row != 0 => true,
            Kind::Not(part) => !part.is_at(row, context),
            _ => self.seek(row, context) == row,
        }
    }

    /// Appends where the words of this part stand in the current row.
    pub fn positions(&mut self, row: u32, context: &mut Context<'_>, into: &mut Vec<u32>) {
        match &mut self.kind {
            Kind::Term(term) if term.rows.row() == row => {
                let from = into.len();
                term.shape.positions(term.rows.payload(), into);
                if term.is_restricted {
                    let mut own = into.split_off(from);
                    let data = &self.partition.rows.get(row).words;
                    self.partition.words.restrict(data, term.attributes, &mut own);
                    into.append(&mut own);
                }
            }
            Kind::And(and) => {
                and.parts.iter_mut().for_each(|part| part.positions_at(row, context, into));
            }
            Kind::Or(parts) => {
                parts.iter_mut().for_each(|part| part.positions_at(row, context, into));
            }
            Kind::Optional(part) => part.positions_at(row, context, into),
            _ => {}
        }
    }

    /// As [`Cursor::positions`], if the row matches.
    fn positions_at(&mut self, row: u32, context: &mut Context<'_>, into: &mut Vec<u32>) {
        if self.has_positions() && self.is_at(row, context) {
            if let Kind::Optional(part) = &mut self.kind {
                part.positions_at(row, context, into);
            } else {
                self.positions(row, context, into);
            }
        }
    }

    /// Whether it can have positions.
    pub fn has_positions(&self) -> bool {
        match &self.kind {
            Kind::Term(term) => matches!(term.shape, Shape::Words { offsets: true, .. }),
            Kind::And(and) => and.parts.iter().any(Cursor::has_positions),
            Kind::Or(parts) => parts.iter().any(Cursor::has_positions),
            Kind::Optional(part) => part.has_positions(),
            _ => false,
        }
    }

    /// The number of rows, if no walk is needed to count them.
    pub fn known_count(&self) -> Option<usize> {
        match &self.kind {
            Kind::Nothing => Some(0),
            Kind::All | Kind::Optional(_) => Some(self.partition.len()),
            Kind::Rows { rows, .. } => Some(rows.len()),
            Kind::Bits(rows) => Some(rows.len()),
            Kind::Missing(rows) => Some(rows.len()),
            Kind::Summed(summed) => Some(summed.rows.len()),
            _ => None,
        }
    }

    /// The distance of a row in the first vector range of the query that has it.
    pub fn distance(&self, row: u32) -> Option<f64> {
        match &self.kind {
            Kind::Rows { rows, distances, .. } if !distances.is_empty() => {
                let at = rows.binary_search(&row).ok()?;
                distances.get(at).copied()
            }
            Kind::And(and) => and.parts.iter().find_map(|part| part.distance(row)),
            Kind::Or(parts) => parts.iter().find_map(|part| part.distance(row)),
            Kind::Optional(part) => part.distance(row),
            _ => None,
        }
    }
}

/// How many rows of a sorted list are less than a row.
fn gallop(rows: &[u32], row: u32) -> usize {
    let mut step = 1;
    while rows.get(step).is_some_and(|at| *at < row) {
        step *= 2;
    }
    rows[..rows.len().min(step + 1)].partition_point(|at| *at < row)
}

impl TermRows<'_> {
    fn seek(&mut self, row: u32, context: &mut Context<'_>) -> u32 {
        let mut at = self.rows.seek(row);
        while self.is_restricted && at != END && !self.is_in_attributes() {
            if context.tick(1) {
                return END;
            }
            self.rows.advance();
            at = self.rows.row();
        }
        at
    }

    fn is_in_attributes(&self) -> bool {
        self.shape.summary(self.rows.payload()).1 & self.attributes != 0
    }
}

impl<'p> And<'p> {
    /// The first row from this one on that all parts have; after so many attempts, the row that
    /// comes next as the error.
    fn seek(
        &mut self,
        mut row: u32,
        partition: &Partition,
        context: &mut Context<'_>,
        mut attempts: usize,
    ) -> Result<u32, u32> {
        'rows: loop {
            attempts = attempts.checked_sub(1).ok_or(row)?;
            let at = match self.moved.first() {
                Some(first) => self.parts[*first].seek(row, context),
                None => partition.rows.live().next(row),
            };
            let cost = 1 + (self.moved.len() + self.tested.len()) / super::PARTS;
            if at == END || context.tick(cost) {
                return Ok(END);
            }
            for part in self.moved.iter().skip(1) {
                let next = self.parts[*part].seek(at, context);
                if next != at {
                    row = next;
                    if next == END {
                        return Ok(END);
                    }
                    continue 'rows;
                }
            }
            for part in &self.tested {
                if !self.parts[*part].is_at(at, context) {
                    row = at + 1;
                    continue 'rows;
                }
            }
            if self.near.is_none_or(|near| self.is_near(near, at, partition, context)) {
                return Ok(at);
            }
            row = at + 1;
        }
    }

    fn is_near(
        &mut self,
        near: Near,
        row: u32,
        partition: &Partition,
        context: &mut Context<'_>,
    ) -> bool {
        let needed = self.parts.iter_mut().filter(|part| !matches!(part.kind, Kind::Optional(_)));
        let lists = lists(needed, row, context);
        context.tick(lists.iter().map(Vec::len).sum::<usize>() / 16);
        if !near.holds(&lists) {
            return false;
        }
        let data = &partition.rows.get(row).words;
        if lists.len() < 2 || !partition.words.has_extents() {
            return true;
        }
        // Within one attribute: each has a stretch of positions.
        partition.words.extents(data).into_iter().any(|extent| {
            let within = lists.iter().map(|list| {
                let (start, end) = (extent.start, extent.end);
                let from = list.partition_point(|position| *position < start);
                let to = list.partition_point(|position| *position < end);
                list[from..to.max(from)].to_vec()
            });
            let within: Vec<Vec<u32>> = within.collect();
            within.iter().all(|list| !list.is_empty()) && near.holds(&within)
        })
    }
}

/// The positions of each part that has words in a row; sorted.
pub fn lists<'c, 'p: 'c>(
    parts: impl Iterator<Item = &'c mut Cursor<'p>>,
    row: u32,
    context: &mut Context<'_>,
) -> Vec<Vec<u32>> {
    let mut lists = Vec::new();
    for part in parts {
        if part.has_positions() {
            let mut list = Vec::new();
            part.positions_at(row, context, &mut list);
            if !list.is_empty() {
                list.sort_unstable();
                list.dedup();
                lists.push(list);
            }
        }
    }
    lists
}
