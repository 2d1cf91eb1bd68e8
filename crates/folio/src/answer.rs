//! Records that were found, as rows and columns that are read where they lie.

use std::borrow::Cow;

use haystack::value::Rows;
use haystack::{Cell, Col, Dict, Grid, GridBuilder, Tag};

use crate::bits::Bits;
use crate::chunk::Chunk;
use crate::packed::{Filling, Writer};
use crate::view::{ID, View};
use crate::{Slot, place_of, segment_of};

/// Records that were found. Its columns are all tags that any of them has: `id`, `def` and `name`
/// first, `mod` last, the others in order. If nothing was found, it is the one column `empty`.
///
/// Nothing is copied: a cell is read from the columns of the project when it is asked for. The ids
/// of the column `id` have their display names.
pub struct Answer<'v> {
    view: &'v View,
    slots: Vec<Slot>,
    meta: Dict,
    shape: Shape,
    /// The chunks of each column, by segment.
    chunks: Vec<Vec<Option<&'v Chunk>>>,
}

/// What columns some records have, and those of their names that are put together.
pub(crate) struct Shape {
    pub cols: Vec<Col>,
    /// The numbers of the columns' tags.
    pub numbers: Vec<u16>,
    /// The names of those rows that have one that is put together.
    names: Vec<(usize, String)>,
    /// Whether all are called by their tag `dis`, as it is.
    has_plain_names: bool,
}

impl Shape {
    pub fn new(view: &View, slots: &[Slot]) -> Shape {
        let mut numbers = tags_of(view, slots);
        numbers.retain(|number| view.tag_of(*number).is_some());
        numbers.sort_by_key(|number| view.tag_of(*number).map(place_of_col));
        let tags = numbers.iter().filter_map(|number| view.tag_of(*number).cloned());
        let mut cols: Vec<Col> = tags.map(|name| Col { name, meta: Dict::new() }).collect();
        if cols.is_empty() {
            let empty = Tag::new("empty").into_iter();
            cols.extend(empty.map(|name| Col { name, meta: Dict::new() }));
        }
        let mut has_plain_names = true;
        let names = names_put_together(view, slots, &mut has_plain_names);
        Shape { cols, numbers, names, has_plain_names }
    }

    /// The name of the record of a row.
    pub fn name_of<'a>(&'a self, view: &'a View, row: usize, slot: Slot) -> &'a str {
        if let Ok(at) = self.names.binary_search_by_key(&row, |(row, _)| *row) {
            return self.names.get(at).map_or("", |(_, name)| name);
        }
        if let Cow::Borrowed(name) = view.display(slot) { name } else { "" }
    }
}

impl<'v> Answer<'v> {
    pub(crate) fn new(view: &'v View, slots: Vec<Slot>) -> Answer<'v> {
        let shape = Shape::new(view, &slots);
        let chunks = shape.numbers.iter().map(|number| chunks_of(view, *number)).collect();
        Answer { view, slots, meta: Dict::new(), shape, chunks }
    }

    /// The same with something said of the whole.
    #[must_use]
    pub fn with_meta(mut self, meta: Dict) -> Answer<'v> {
        self.meta = meta;
        self
    }

    /// The places of the records.
    #[must_use]
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// How many records were found.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether none was.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// A grid of its own. O(rows · columns).
    #[must_use]
    pub fn to_grid(&self) -> Option<Grid> {
        let mut grid = GridBuilder::new(self.meta.clone(), self.shape.cols.clone()).ok()?;
        for row in 0..self.len() {
            let cells = (0..self.cols().len()).map(|col| self.cell(row, col).to_value());
            grid.push(cells.collect::<Vec<_>>());
        }
        Some(grid.finish())
    }
}

/// What columns are sorted by.
fn place_of_col(tag: &Tag) -> (usize, &str) {
    let place = match tag.as_str() {
        "id" => 0,
        "def" => 1,
        "name" => 2,
        "mod" => 4,
        _ => 3,
    };
    (place, tag)
}

/// The tags that any of some records has. O(records + tags · segments).
fn tags_of(view: &View, slots: &[Slot]) -> Vec<u16> {
    let mut segments: Vec<(usize, Bits)> = Vec::new();
    let mut sorted: Cow<'_, [Slot]> = Cow::Borrowed(slots);
    if !slots.is_sorted() {
        sorted.to_mut().sort_unstable();
    }
    for slot in sorted.iter() {
        let segment = segment_of(*slot);
        if segments.last().is_none_or(|(last, _)| *last != segment) {
            segments.push((segment, Bits::NONE));
        }
        if let Some((_, bits)) = segments.last_mut() {
            bits.add(place_of(*slot));
        }
    }
    let has = |number: &u16| {
        segments.iter().any(|(segment, bits)| !bits.and(&view.bits(*number, *segment)).is_empty())
    };
    (0..view.columns.len() as u16).filter(has).collect() // tags are that many
}

fn chunks_of(view: &View, number: u16) -> Vec<Option<&Chunk>> {
    let column = view.columns.get(usize::from(number));
    (0..view.segments()).map(|segment| column?.chunks.get(segment)).collect()
}

fn names_put_together(view: &View, slots: &[Slot], all_plain: &mut bool) -> Vec<(usize, String)> {
    let rows = slots.iter().enumerate().filter(|(_, slot)| {
        let is_plain = view.has_plain_name(**slot);
        *all_plain &= is_plain;
        !is_plain
    });
    let owned = rows.filter_map(|(row, slot)| match view.display(*slot) {
        Cow::Owned(name) => Some((row, name)),
        Cow::Borrowed(_) => None,
    });
    owned.collect()
}

impl Answer<'_> {
    /// Writes it as columns of bytes, as long as `goes_on` says so of the bytes that they have
    /// taken: what [`Writer::write`] does, but for columns that lie in one piece.
    pub fn write_columns(&self, out: &mut Vec<u8>, mut goes_on: impl FnMut(usize) -> bool) -> bool {
        let mut writer = Writer::new(out, &self.meta, self.cols().len(), self.len());
        let mut cols = self.cols().iter().enumerate();
        cols.all(|(at, col)| {
            let lies = |filling: &mut Filling| self.fill(at, filling);
            writer.column(col, (self, at), lies, &mut goes_on)
        })
    }

    /// Fills a column with the values of chunks as they lie. `false`: it is not done, since these
    /// have not all the same form.
    fn fill(&self, col: usize, filling: &mut Filling) -> bool {
        let chunks = self.chunks.get(col).map_or(&[][..], Vec::as_slice);
        let is_id = self.shape.numbers.get(col) == Some(&ID);
        if is_id && !self.shape.has_plain_names {
            return false;
        }
        let mut row = 0;
        self.slots.chunk_by(|a, b| segment_of(*a) == segment_of(*b)).all(|run| {
            let rows = (row..).zip(run.iter().map(|slot| place_of(*slot)));
            row += run.len();
            let chunk = run.first().and_then(|slot| *chunks.get(segment_of(*slot))?);
            chunk.is_none_or(|chunk| filling.fill(chunk, rows, is_id))
        })
    }
}

impl Rows for Answer<'_> {
    fn meta(&self) -> &Dict {
        &self.meta
    }

    fn cols(&self) -> &[Col] {
        &self.shape.cols
    }

    fn row_count(&self) -> usize {
        self.slots.len()
    }

    fn cell(&self, row: usize, col: usize) -> Cell<'_> {
        let (Some(&slot), Some(&number)) = (self.slots.get(row), self.shape.numbers.get(col))
        else {
            return Cell::Null;
        };
        let chunk = self.chunks.get(col).and_then(|all| *all.get(segment_of(slot))?);
        match chunk.map_or(Cell::Null, |chunk| chunk.cell(place_of(slot))) {
            Cell::Ref(id, _) if number == ID => {
                Cell::Ref(id, Some(self.shape.name_of(self.view, row, slot)))
            }
            cell => cell,
        }
    }

    fn visit(&self, col: usize, each: &mut dyn FnMut(usize, Cell<'_>) -> bool) {
        let chunks = self.chunks.get(col).map_or(&[][..], Vec::as_slice);
        let is_id = self.shape.numbers.get(col) == Some(&ID);
        for (row, &slot) in self.slots.iter().enumerate() {
            let chunk = chunks.get(segment_of(slot)).copied().flatten();
            let cell = match chunk.map_or(Cell::Null, |chunk| chunk.cell(place_of(slot))) {
                Cell::Null => continue,
                Cell::Ref(id, _) if is_id => {
                    Cell::Ref(id, Some(self.shape.name_of(self.view, row, slot)))
                }
                cell => cell,
            };
            if !each(row, cell) {
                return;
            }
        }
    }
}
