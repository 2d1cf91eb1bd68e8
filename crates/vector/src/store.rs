//! Vectors by node, and the nodes of each row.
//!
//! A node is the place of one vector; freed ones are used again. A row is what the caller knows: it
//! has a list of nodes, of one node unless the field has several values.
//!
//! ```text
//!   first[row] ─► node ─► next[node] ─► …          rows[node] = row, or NONE where it is free
//! ```

use crate::measure::{Measure, Point};
use crate::paged::Paged;

/// No node, no row.
pub const NONE: u32 = u32::MAX;

pub struct Store {
    pub measure: Measure,
    bytes: Paged<u8>,
    norms: Paged<f64>,
    rows: Paged<u32>,
    first: Paged<u32>,
    /// Has pages only where rows have several vectors.
    next: Paged<u32>,
    free: Vec<u32>,
    /// Nodes in use and free ones.
    end: u32,
    row_count: usize,
}

impl Store {
    pub fn new(measure: Measure) -> Self {
        Store {
            measure,
            bytes: Paged::new(measure.size(), 0),
            norms: Paged::new(1, 0.0),
            rows: Paged::new(1, NONE),
            first: Paged::new(1, NONE),
            next: Paged::new(1, NONE),
            free: Vec::new(),
            end: 0,
            row_count: 0,
        }
    }

    /// The number of vectors.
    pub fn len(&self) -> usize {
        self.end as usize - self.free.len()
    }

    /// The number of rows that have vectors.
    pub fn row_count(&self) -> usize {
        self.row_count
    }

    /// Whether a row has more than one vector.
    pub fn has_several(&self) -> bool {
        self.row_count < self.len()
    }

    /// All nodes are below.
    pub fn end(&self) -> u32 {
        self.end
    }

    #[inline]
    pub fn point(&self, node: u32) -> Point<'_> {
        let norm = if self.measure.divides() { self.norms.value(node) } else { 0.0 };
        Point { bytes: self.bytes.slot(node), norm }
    }

    #[inline]
    pub fn distance(&self, point: Point<'_>, node: u32) -> f64 {
        self.measure.distance(point, self.point(node))
    }

    /// The row of a node, or [`NONE`].
    #[inline]
    pub fn row(&self, node: u32) -> u32 {
        self.rows.value(node)
    }

    pub fn bytes(&self, node: u32) -> &[u8] {
        self.bytes.slot(node)
    }

    /// The norm that was given with a vector.
    pub fn norm(&self, node: u32) -> f64 {
        self.norms.value(node)
    }

    /// The nodes of a row.
    pub fn nodes(&self, row: u32) -> impl Iterator<Item = u32> {
        let known = |node: u32| Some(node).filter(|node| *node != NONE);
        std::iter::successors(known(self.first.value(row)), move |node| {
            known(self.next.value(*node))
        })
    }

    /// Stores a vector as [`Measure::prepare`] returned it, before others of its row.
    pub fn insert(&mut self, row: u32, bytes: &[u8], norm: f64) -> u32 {
        let node = self.free.pop().unwrap_or_else(|| {
            self.end += 1;
            self.end - 1
        });
        self.bytes.slot_mut(node).copy_from_slice(bytes);
        if self.measure.has_norms() {
            self.norms.set(node, norm);
        }
        self.rows.set(node, row);
        match self.first.value(row) {
            NONE => self.row_count += 1,
            first => self.next.set(node, first),
        }
        self.first.set(row, node);
        node
    }

    /// Frees the nodes of a row; whether it had any.
    pub fn remove(&mut self, row: u32) -> bool {
        let mut node = self.first.value(row);
        if node == NONE {
            return false;
        }
        self.first.set(row, NONE);
        self.row_count -= 1;
        while node != NONE {
            let next = self.next.value(node);
            if next != NONE {
                self.next.set(node, NONE);
            }
            self.rows.set(node, NONE);
            self.free.push(node);
            node = next;
        }
        if self.row_count == 0 {
            *self = Store::new(self.measure);
        }
        true
    }

    pub fn memory(&self) -> usize {
        let words = [&self.rows, &self.first, &self.next].map(Paged::memory);
        self.bytes.memory()
            + self.norms.memory()
            + words.into_iter().sum::<usize>()
            + self.free.capacity() * size_of::<u32>()
    }

    /// The same, counted page by page.
    #[cfg(test)]
    pub fn recount(&self) -> usize {
        let words = [&self.rows, &self.first, &self.next].map(Paged::recount);
        self.bytes.recount()
            + self.norms.recount()
            + words.into_iter().sum::<usize>()
            + self.free.capacity() * size_of::<u32>()
    }
}
