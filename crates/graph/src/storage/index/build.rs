//! Indexes that come and go.
//!
//! An index over what is there already is built in steps, some segments of ids each; between them
//! the graph is edited, and what is edited is entered. The first step sorts its entries and builds
//! the tree of them at once; so an index that is built in one step is built so as a whole.

use blocks::{Ledger, Left};
use btree::{Part, Text};

use super::super::graph::Graph;
use super::super::view::View;
use super::super::{Change, KeyId};
use super::entries::Entries;
use super::{ConstraintKind, Index, Of, On, Rejected};

/// What was dropped of a graph, and is not freed yet.
#[must_use = "dropping it here takes time on the data path"]
#[derive(Default)]
pub struct Dropped(Vec<Left>);

impl Dropped {
    /// Adds what goes.
    pub(in super::super) fn push(&mut self, left: Left) {
        self.0.push(left);
    }

    /// Whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Graph {
    /// Makes an index. It finds nothing until it is whole:
    /// [`build_indexes`](Self::build_indexes).
    ///
    /// # Errors
    /// There is one already, or can be none; a label, type or key is missing.
    pub fn create_index(&mut self, on: On) -> Result<(), Rejected> {
        self.edit(|view, ledger| view.create_index(ledger, &on))?;
        self.note(Change::CreateIndex(on));
        Ok(())
    }

    /// Removes an index. O(1): see [`take_dropped`](Self::take_dropped).
    ///
    /// # Errors
    /// It is missing, or a constraint needs it.
    pub fn drop_index(&mut self, on: On) -> Result<(), Rejected> {
        let left = self.edit(|view, ledger| view.drop_index(ledger, &on))?;
        self.keep_dropped(left);
        self.note(Change::DropIndex(on));
        Ok(())
    }

    /// Builds on at indexes that are not whole, at most so many segments of 1,024 ids. Whether
    /// there is more to do. It is an edit: a fork from before is none of this graph any more.
    pub fn build_indexes(&mut self, segments: usize) -> bool {
        if self.building().is_none() {
            return false;
        }
        self.edit(|view, ledger| view.build_indexes(ledger, segments));
        self.building().is_some()
    }

    /// Enters what has been gathered for an index. The graph has not been edited meanwhile.
    pub fn enter_gathered(&mut self, gathered: Gathered) {
        self.edit(|view, ledger| view.enter_gathered(ledger, gathered));
    }
}

/// The entries of an index that is not whole, gathered segment by segment, to be entered at once:
/// where the graph is not edited meanwhile, as a fork, an index is built so the fastest.
pub struct Gathered {
    number: usize,
    next: usize,
    rows: Rows,
}

impl Gathered {
    /// Bytes that it holds.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.rows.bytes.capacity() + self.rows.rows.capacity() * size_of::<Row>()
    }
}

impl View {
    /// All indexes, also those that are not whole, in order of creation.
    pub fn indexes(&self) -> impl Iterator<Item = Index<'_>> {
        (0..self.entries.len()).map(|number| Index { view: self, number })
    }

    /// The index on just these properties in this order, if it is whole.
    #[must_use]
    pub fn index_on(&self, of: Of, keys: &[KeyId]) -> Option<Index<'_>> {
        self.whole_indexes(of).find(|index| *index.on().keys == *keys)
    }

    /// The whole indexes of a label or type.
    pub fn whole_indexes(&self, of: Of) -> impl Iterator<Item = Index<'_>> {
        self.indexes().filter(move |index| index.is_whole() && index.on().of == of)
    }

    /// Of the first index that is not whole: how many segments have been entered, and of how many.
    #[must_use]
    pub fn building(&self) -> Option<(usize, usize)> {
        self.indexes().find(|index| !index.is_whole()).map(|index| index.progress())
    }

    /// What is to be gathered for the first index that is not whole.
    #[must_use]
    pub fn to_gather(&self) -> Option<Gathered> {
        let number = self.entries.iter().position(|entries| !entries.is_whole)?;
        Some(Gathered { number, next: self.entries[number].built, rows: Rows::default() })
    }

    /// Gathers the entries of the next segment. Whether there is one more.
    pub fn gather(&self, gathered: &mut Gathered) -> bool {
        let on = &self.schema.get().indexes[gathered.number];
        let all = self.segments_of(on.of);
        if gathered.next < all {
            self.collect(on, gathered.next, &mut gathered.rows);
            gathered.next += 1;
        }
        gathered.next < all
    }

    /// How many segments of ids there may be entries of.
    pub(super) fn segments_of(&self, of: Of) -> usize {
        match of {
            Of::Label(_) => self.node_segments(),
            Of::Type(_) => self.edge_segments(),
        }
    }

    /// Whether there can be an index or a constraint on these.
    pub(super) fn check_names(&self, on: &On) -> Result<(), Rejected> {
        let of = match on.of {
            Of::Label(label) => usize::from(label) < self.label_counts.len(),
            Of::Type(kind) => usize::from(kind) < self.links.len(),
        };
        let keys = on.keys.iter().all(|&key| usize::from(key) < self.columns.len());
        match (of && keys, on.is_fit()) {
            (false, _) => Err(Rejected::Missing),
            (true, false) => Err(Rejected::Unfit),
            (true, true) => Ok(()),
        }
    }

    pub(in super::super) fn create_index(
        &mut self,
        ledger: &mut Ledger,
        on: &On,
    ) -> Result<(), Rejected> {
        self.check_names(on)?;
        if self.schema.get().indexes.contains(on) {
            return Err(Rejected::Exists);
        }
        let is_whole = self.segments_of(on.of) == 0;
        self.schema.edit(ledger, |schema, _| schema.indexes.push(on.clone()));
        let part = Part::new(ledger);
        self.entries.push(Entries { part, built: 0, is_whole });
        Ok(())
    }

    pub(in super::super) fn drop_index(
        &mut self,
        ledger: &mut Ledger,
        on: &On,
    ) -> Result<Left, Rejected> {
        let schema = self.schema.get();
        let number = schema.indexes.iter().position(|index| index == on);
        let number = number.ok_or(Rejected::Missing)?;
        let others = || schema.indexes.iter().filter(|index| *index != on);
        let is_needed = schema.constraints.iter().any(|constraint| {
            constraint.kind == ConstraintKind::Unique
                && constraint.on.is_same_set(on)
                && !others().any(|index| index.is_same_set(on))
        });
        if is_needed {
            return Err(Rejected::Needed);
        }
        self.schema.edit(ledger, |schema, _| schema.indexes.remove(number));
        Ok(self.entries.remove(number).part.drop_whole(ledger))
    }

    pub(in super::super) fn build_indexes(&mut self, ledger: &mut Ledger, segments: usize) {
        let mut left = segments;
        for number in 0..self.entries.len() {
            if left > 0 && !self.entries[number].is_whole {
                left -= self.build_index(ledger, number, left);
            }
        }
    }

    /// Enters at most so many segments. Returns how many.
    fn build_index(&mut self, ledger: &mut Ledger, number: usize, most: usize) -> usize {
        let built = self.entries[number].built;
        let mut gathered = Gathered { number, next: built, rows: Rows::default() };
        let mut left = most;
        while left > 0 && self.gather(&mut gathered) {
            left -= 1;
        }
        self.enter_gathered(ledger, gathered);
        self.entries[number].built - built
    }

    fn enter_gathered(&mut self, ledger: &mut Ledger, gathered: Gathered) {
        let Gathered { number, next, mut rows } = gathered;
        let all = self.segments_of(self.schema.get().indexes[number].of);
        rows.sort();
        let entries = &mut self.entries[number];
        if entries.part.is_empty() {
            entries.part.fill(ledger, rows.iter());
        } else {
            rows.iter().for_each(|row| {
                entries.part.insert(ledger, row);
            });
        }
        entries.built = next;
        entries.is_whole = next == all;
    }

    /// Adds the entries of a segment.
    fn collect(&self, on: &On, segment: usize, rows: &mut Rows) {
        let mut ids = Vec::new();
        match on.of {
            Of::Label(label) => self.append_nodes(segment, &[label], &mut ids),
            Of::Type(_) => self.append_edges(segment, &mut ids),
        }
        for entity in ids.into_iter().map(|id| on.of.entity(id)) {
            let is_of = matches!(on.of, Of::Label(_)) || self.is_of(entity, on.of);
            let start = rows.bytes.len();
            if is_of && self.put_entry(entity, on, &mut rows.bytes) {
                rows.add(start);
            }
        }
    }
}

/// Entries to be sorted.
#[derive(Default)]
struct Rows {
    /// All of them, one behind another.
    bytes: Vec<u8>,
    rows: Vec<Row>,
}

/// Where an entry is, and what it begins with: most are told apart by that.
struct Row {
    head: u64,
    start: usize,
    end: usize,
}

impl Rows {
    /// Adds the entry that was appended from `start` on.
    fn add(&mut self, start: usize) {
        let mut head = [0; 8];
        head.iter_mut().zip(&self.bytes[start..]).for_each(|(to, byte)| *to = *byte);
        self.rows.push(Row { head: u64::from_be_bytes(head), start, end: self.bytes.len() });
    }

    fn sort(&mut self) {
        let of = |row: &Row| &self.bytes[row.start..row.end];
        self.rows.sort_unstable_by(|a, b| a.head.cmp(&b.head).then_with(|| of(a).cmp(of(b))));
    }

    fn iter(&self) -> impl Iterator<Item = Text<'_>> {
        self.rows.iter().map(|row| Text::from(&self.bytes[row.start..row.end]))
    }
}
