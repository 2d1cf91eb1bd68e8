//! A project to read: as it is, or as it was.

use std::hash::BuildHasher;
use std::ops::Bound::{Excluded, Included, Unbounded};
use std::sync::Arc;

use base::Versions;
use blocks::{Block, Ledger, Root, Tree};
use btree::{Fixed, Part};
use foldhash::quality::RandomState;
use haystack::{Cell, Dict, Name, Records, Tag, Value};
use table::size_class;

use crate::bits::Bits;
use crate::column::Column;
use crate::error::{Error, ErrorKind};
use crate::evaluate::slot_at;
use crate::history::History;
use crate::names::Names;
use crate::{SEGMENT, Slot, limits, segment_of};

/// The number of the tag `id`, which every record has.
pub const ID: u16 = 0;
/// The number of the tag `mod`.
pub const MOD: u16 = 1;
/// The number of the tag `trash`.
pub const TRASH: u16 = 2;
/// The number of the tag `dis`.
pub const DIS: u16 = 3;
/// The number of the tag `disMacro`.
pub const DIS_MACRO: u16 = 4;
/// The tags that every project knows, by their numbers.
const KNOWN: [&str; 10] = [
    "id",
    "mod",
    "trash",
    "dis",
    "disMacro",
    "hisSize",
    "hisStart",
    "hisStartVal",
    "hisEnd",
    "hisEndVal",
];
/// The numbers of the tags that tell of a history: how many samples, the first instant and value,
/// the last ones.
pub const TOLD: [u16; 5] = [5, 6, 7, 8, 9];

/// Which of a record's tags are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// All of them.
    Merged,
    /// Those that are kept.
    Persistent,
    /// Those that are gone when the project is opened again.
    Transient,
}

/// Records to read.
#[derive(Clone)]
pub struct View {
    names: Root<Names>,
    pub(crate) columns: Vec<Column>,
    /// The hash of each record's id, and the record.
    ids: Part<Fixed<(u64, u32)>>,
    /// The segments that have places below the end which no record has.
    free: Part<Fixed<u32>>,
    /// What records have measured, by their places.
    pub(crate) histories: Tree<History>,
    /// How many places there are up to the last record.
    end: u32,
    pub(crate) version: u64,
    pub(crate) hasher: RandomState,
    pub(crate) prefix: Option<Name>,
}

impl Block for View {
    fn memory(&self) -> usize {
        size_class(self.columns.capacity() * size_of::<Column>())
    }
}

impl View {
    pub(crate) fn new(ledger: &mut Ledger, prefix: Option<Name>) -> View {
        let mut names = Names::default();
        for name in KNOWN {
            names.add(&tag_of(name));
        }
        let mut columns = vec![Column::default(); KNOWN.len()];
        columns[usize::from(ID)].owns_ids = true;
        View {
            names: Root::new(names, ledger),
            columns,
            ids: Part::new(ledger),
            free: Part::new(ledger),
            histories: Tree::default(),
            end: 0,
            version: 1,
            hasher: RandomState::default(),
            prefix,
        }
    }

    pub(crate) fn leave_whole(&self, versions: &Arc<Versions>, held: bool) {
        self.names.leave_below(versions, held);
        self.columns.iter().for_each(|column| column.leave_whole(versions, held));
        self.ids.leave_whole(versions, held);
        self.free.leave_whole(versions, held);
        self.histories.leave_whole(versions, held);
    }

    /// How many records there are, those in the trash among them. O(1).
    #[must_use]
    pub fn len(&self) -> usize {
        self.columns[usize::from(ID)].count as usize
    }

    /// Whether there are none. O(1).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of persistent batches, counted from 1 for an empty project.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// How many records have a tag, in the trash or not. O(log n).
    #[must_use]
    pub fn tag_count(&self, tag: &str) -> usize {
        self.column(tag).map_or(0, |column| column.count as usize)
    }

    /// The tags in use, in order, each with the number of records that have it.
    pub fn tags(&self) -> impl Iterator<Item = (&Tag, usize)> {
        let names = self.names.get();
        names.in_order().iter().filter_map(|&number| {
            let count = self.columns.get(usize::from(number))?.count;
            Some((names.tag(number)?, count as usize)).filter(|(_, count)| *count > 0)
        })
    }

    /// Whether all values of a tag are found by an index, and not its refs alone.
    #[must_use]
    pub fn is_indexed(&self, tag: &str) -> bool {
        self.column(tag).is_some_and(|column| column.is_indexed)
    }

    pub(crate) fn number(&self, tag: &str) -> Option<u16> {
        self.names.get().number(tag)
    }

    pub(crate) fn numbers_in_order(&self) -> &[u16] {
        self.names.get().in_order()
    }

    pub(crate) fn tag_of(&self, number: u16) -> Option<&Tag> {
        self.names.get().tag(number)
    }

    pub(crate) fn column(&self, tag: &str) -> Option<&Column> {
        self.columns.get(usize::from(self.number(tag)?))
    }

    pub(crate) fn cell_of(&self, slot: Slot, number: u16) -> Cell<'_> {
        self.columns.get(usize::from(number)).map_or(Cell::Null, |column| column.cell(slot))
    }

    /// The value of a record's tag, or null.
    #[must_use]
    pub fn value(&self, slot: Slot, tag: &str) -> Cell<'_> {
        self.column(tag).map_or(Cell::Null, |column| column.cell(slot))
    }

    /// The id of a record; empty if there is no such record.
    #[must_use]
    pub fn id_of(&self, slot: Slot) -> &str {
        if let Cell::Ref(id, _) = self.cell_of(slot, ID) { id } else { "" }
    }

    /// The record with exactly this id, in the trash or not. O(log n).
    #[must_use]
    pub fn slot_of(&self, id: &str) -> Option<Slot> {
        let key = self.hasher.hash_one(id);
        let end = key.checked_add(1).map_or(Unbounded, |next| Excluded((next, 0)));
        let mut found = self.ids.iter(self.ids.ranks(Included((key, 0)), end));
        found.find(|(_, slot)| self.id_of(*slot) == id).map(|(_, slot)| slot)
    }

    /// The record with this id, or with this id behind the project's prefix; in the trash or not.
    #[must_use]
    pub fn find_any(&self, id: &str) -> Option<Slot> {
        self.slot_of(id).or_else(|| self.slot_of(&format!("{}{id}", self.prefix.as_deref()?)))
    }

    /// Whether a record is in the trash.
    #[must_use]
    pub fn is_trash(&self, slot: Slot) -> bool {
        !self.cell_of(slot, TRASH).is_null()
    }

    /// The record with this id, absolute or relative, unless it is in the trash. O(log n).
    ///
    /// # Errors
    /// There is none, and its text is the id.
    pub fn read_by_id(&self, id: &str) -> Result<Slot, Error> {
        let found = self.find_any(id).filter(|slot| !self.is_trash(*slot));
        found.ok_or_else(|| {
            let shown: String = id.chars().take(60).collect();
            Error::new(ErrorKind::UnknownRec, shown)
        })
    }

    /// The records of some ids in their order, as [`read_by_id`](Self::read_by_id) finds them.
    #[must_use]
    pub fn read_by_ids<'a>(&self, ids: impl IntoIterator<Item = &'a str>) -> Vec<Option<Slot>> {
        ids.into_iter().map(|id| self.read_by_id(id).ok()).collect()
    }

    /// A record as a dict, its tags in order. O(tags of the project).
    #[must_use]
    pub fn dict(&self, slot: Slot, layer: Layer) -> Dict {
        let mut dict = Dict::new();
        for &number in self.numbers_in_order() {
            let Some(column) = self.columns.get(usize::from(number)) else { continue };
            let cell = column.cell(slot);
            let is_meant = number == ID
                || match layer {
                    Layer::Merged => true,
                    Layer::Persistent => !column.is_transient(slot),
                    Layer::Transient => column.is_transient(slot),
                };
            if let (false, true, Some(tag)) = (cell.is_null(), is_meant, self.tag_of(number)) {
                dict.set(tag.clone(), cell.to_value());
            }
        }
        dict
    }

    /// How many places there are, those that no record has among them.
    pub(crate) fn end(&self) -> Slot {
        self.end
    }

    /// The tags of which all values are found by an index.
    pub(crate) fn indexed(&self) -> impl Iterator<Item = &Tag> {
        let numbers = self.numbers_in_order().iter().copied();
        let indexed = numbers.filter(|number| self.columns[usize::from(*number)].is_indexed);
        indexed.filter_map(|number| self.tag_of(number))
    }

    pub(crate) fn segments(&self) -> usize {
        (self.end as usize).div_ceil(SEGMENT)
    }

    /// The records of a segment that have a tag.
    #[inline]
    pub(crate) fn bits(&self, number: u16, segment: usize) -> Bits {
        let column = self.columns.get(usize::from(number));
        column.and_then(|column| column.chunks.get(segment)).map_or(Bits::NONE, |it| it.bits)
    }

    /// The place that the next record gets; `None` if there is no more.
    pub(crate) fn next_slot(&self) -> Option<Slot> {
        let free = self.free.get(0).and_then(|segment| self.gap(segment as usize));
        free.or(((self.end as usize) < limits::MOST_RECORDS).then_some(self.end))
    }

    /// The first place of a segment, below the end, that no record has.
    fn gap(&self, segment: usize) -> Option<Slot> {
        let first = (segment * SEGMENT) as Slot; // segments are that many
        let place = self.bits(ID, segment).first_missing()?;
        Some(first + Slot::from(place)).filter(|slot| *slot < self.end)
    }

    /// Notes whether a segment has places that no record has.
    fn note_gap(&mut self, ledger: &mut Ledger, segment: usize) {
        let (number, has_gap) = (segment as u32, self.gap(segment).is_some());
        if has_gap != self.free.contains(number) {
            if has_gap {
                self.free.insert(ledger, number);
            } else {
                self.free.remove(ledger, number);
            }
        }
    }

    /// Notes all places that no record has, once records have been put at some.
    pub(crate) fn note_gaps(&mut self, ledger: &mut Ledger) {
        (0..self.segments()).for_each(|segment| self.note_gap(ledger, segment));
    }

    /// Makes a record of nothing but its id, which no other has.
    pub(crate) fn add(&mut self, ledger: &mut Ledger, id: &Name) -> Option<Slot> {
        let slot = self.next_slot()?;
        self.put(ledger, slot, id);
        self.note_gap(ledger, segment_of(slot));
        Some(slot)
    }

    /// Makes a record of nothing but its id, which no other has, at a place that no other has.
    pub(crate) fn put(&mut self, ledger: &mut Ledger, slot: Slot, id: &Name) {
        self.end = self.end.max(slot + 1);
        self.ids.insert(ledger, (self.hasher.hash_one(id.as_str()), slot));
        let value = Value::from(haystack::Ref { id: id.clone(), dis: None });
        self.set(ledger, (slot, ID), &value, false);
    }

    /// Takes a record away with all its tags and its history. O(tags of the project).
    pub(crate) fn remove(&mut self, ledger: &mut Ledger, slot: Slot) {
        self.ids.remove(ledger, (self.hasher.hash_one(self.id_of(slot)), slot));
        for number in 0..self.columns.len() {
            if !self.columns[number].cell(slot).is_null() {
                self.set(ledger, (slot, number as u16), &Value::NULL, false); // tags are that many
            }
        }
        self.histories.remove(ledger, slot as usize);
        self.note_gap(ledger, segment_of(slot));
        if slot + 1 == self.end {
            self.end_behind_last(ledger);
        }
    }

    /// The end is behind the last record again, once that has gone: places behind it cost nothing.
    fn end_behind_last(&mut self, ledger: &mut Ledger) {
        for segment in (0..self.segments()).rev() {
            if let Some(place) = self.bits(ID, segment).last() {
                self.end = slot_at(segment, place) + 1;
                return self.note_gap(ledger, segment);
            }
            self.end = (segment * SEGMENT) as Slot; // segments are that many
            self.free.remove(ledger, segment as u32);
        }
    }

    /// Gives a record's tag a value; null takes it away.
    pub(crate) fn set(
        &mut self,
        ledger: &mut Ledger,
        (slot, number): (Slot, u16),
        value: &Value,
        is_transient: bool,
    ) {
        if let Some(column) = self.columns.get_mut(usize::from(number)) {
            column.set((ledger, &self.hasher), slot, value, is_transient);
        }
    }

    /// The number of a tag, a new one if need be; `None` if there are too many.
    pub(crate) fn make_tag(&mut self, ledger: &mut Ledger, tag: &Tag) -> Option<u16> {
        if let Some(number) = self.number(tag) {
            return Some(number);
        }
        if self.names.get().len() >= limits::MOST_TAGS {
            return self.rename_unused(ledger, tag);
        }
        let number = self.names.edit(ledger, |names, _| names.add(tag))?;
        self.columns.push(Column::default());
        Some(number)
    }

    /// Gives a tag the number of one that no record has. O(tags).
    fn rename_unused(&mut self, ledger: &mut Ledger, tag: &Tag) -> Option<u16> {
        let number = self.unused_tags().next()?;
        self.names.edit(ledger, |names, _| names.rename(number, tag));
        Some(number)
    }

    /// The numbers of tags that no record has and that need not be known.
    fn unused_tags(&self) -> impl Iterator<Item = u16> + '_ {
        let all = self.columns.iter().enumerate().skip(KNOWN.len());
        let unused = all.filter(|(_, column)| column.count == 0 && !column.is_indexed);
        unused.map(|(number, _)| number as u16) // tags are that many
    }

    /// Whether a tag is known and cannot make room for another.
    pub(crate) fn is_used(&self, tag: &str) -> bool {
        let known = self.number(tag).map(usize::from);
        let is_used = |column: &Column| column.count > 0 || column.is_indexed;
        known.is_some_and(|at| at < KNOWN.len() || self.columns.get(at).is_some_and(is_used))
    }

    /// Whether so many tags can be known beside those that are used. O(tags) where there are many.
    pub(crate) fn has_room_for_tags(&self, new: usize) -> bool {
        let all = self.names.get().len() + new;
        all <= limits::MOST_TAGS || all - self.unused_tags().count() <= limits::MOST_TAGS
    }

    /// Finds all values of a tag by an index from now on.
    pub(crate) fn index(&mut self, ledger: &mut Ledger, number: u16) {
        let segments = self.segments();
        if let Some(column) = self.columns.get_mut(usize::from(number)) {
            column.index(ledger, &self.hasher, segments);
        }
    }
}

/// The tag of a word that is one.
fn tag_of(name: &str) -> Tag {
    Tag::new(name).unwrap_or_else(|_| unreachable!("a tag's name"))
}

/// A project's records as filters see them. Refs lead to records in the trash, too.
impl Records for View {
    type Record = Slot;

    fn tag<'a>(&'a self, record: &Slot, tag: &Tag) -> Cell<'a> {
        self.value(*record, tag)
    }

    fn find(&self, id: &str) -> Option<Slot> {
        self.slot_of(id)
    }
}

#[cfg(test)]
impl View {
    /// Whether what is counted is what is there.
    pub(crate) fn check(&self) {
        let mut live = 0;
        for segment in 0..self.segments() {
            live += self.bits(ID, segment).count();
        }
        assert_eq!(live, self.len());
        assert_eq!(self.ids.len(), live);
        for segment in 0..self.segments() {
            assert_eq!(self.free.contains(segment as u32), self.gap(segment).is_some());
        }
    }
}
