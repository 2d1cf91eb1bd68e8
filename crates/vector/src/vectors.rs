//! The vectors of a field, by row: insert and remove. See `search` for queries.

use crate::graph::Graph;
use crate::measure::Measure;
use crate::scratch::Pool;
use crate::store::Store;
use crate::{Element, Metric, WrongSize};

/// What a field is created with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub element: Element,
    /// Numbers of a vector.
    pub dimension: usize,
    pub metric: Metric,
    /// Without it, every search compares with all vectors.
    pub graph: Option<GraphOptions>,
}

/// The parameters of HNSW.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphOptions {
    /// Links of a node in each layer, and half of those in the lowest; 2 to 512.
    pub m: usize,
    /// Neighbours among which those of a new node are chosen.
    pub ef_construction: usize,
}

impl Default for GraphOptions {
    fn default() -> Self {
        GraphOptions { m: 16, ef_construction: 200 }
    }
}

/// The vectors of a field. Searches may run on several threads at once.
pub struct Vectors {
    pub(crate) options: Options,
    pub(crate) store: Store,
    pub(crate) graph: Option<Graph>,
    pub(crate) pool: Pool,
}

impl Vectors {
    #[must_use]
    pub fn new(options: Options) -> Self {
        let measure = Measure::new(options.element, options.dimension, options.metric);
        let (store, graph) = (Store::new(measure), options.graph.map(new_graph));
        Vectors { options, store, graph, pool: Pool::default() }
    }

    #[must_use]
    pub fn options(&self) -> Options {
        self.options
    }

    /// Adds a vector to a row, which may have others: a search takes the nearest. Rows are numbered
    /// densely; memory is allocated by 1,024 of them. `u32::MAX` is no row.
    ///
    /// # Errors
    /// The vector has another size than the field's.
    pub fn insert(&mut self, row: u32, blob: &[u8]) -> Result<(), WrongSize> {
        let (bytes, norm) = self.store.measure.prepare(blob)?;
        let node = self.store.insert(row, &bytes, norm);
        if let Some(graph) = &mut self.graph {
            self.pool.with(|scratch| graph.insert(&self.store, node, scratch));
        }
        Ok(())
    }

    /// Removes the vectors of a row; false if it has none.
    pub fn remove(&mut self, row: u32) -> bool {
        if let Some(graph) = &mut self.graph {
            let nodes: Vec<u32> = self.store.nodes(row).collect();
            for node in nodes {
                self.pool.with(|scratch| graph.remove(&self.store, node, scratch));
            }
        }
        let removed = self.store.remove(row);
        if removed && self.is_empty() {
            self.release();
        }
        removed
    }

    /// Frees all memory of an empty field. The number of insertions stays, which heights depend on.
    fn release(&mut self) {
        let inserted = self.graph.as_ref().map_or(0, |graph| graph.inserted);
        *self = Vectors::new(self.options);
        if let Some(graph) = &mut self.graph {
            graph.inserted = inserted;
        }
    }

    /// The number of vectors.
    #[must_use]
    pub fn len(&self) -> usize {
        self.store.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of rows that have vectors.
    #[must_use]
    pub fn row_count(&self) -> usize {
        self.store.row_count()
    }

    #[must_use]
    pub fn contains(&self, row: u32) -> bool {
        self.store.nodes(row).next().is_some()
    }

    /// The vectors of a row, in no order. With cosines, floats may differ from what was inserted by
    /// rounding.
    #[must_use]
    pub fn vectors(&self, row: u32) -> Vec<Vec<u8>> {
        let restore =
            |node| self.store.measure.restore(self.store.bytes(node), self.store.norm(node));
        self.store.nodes(row).map(restore).collect()
    }

    /// Bytes allocated, in O(1). What searches that are running use is not counted.
    #[must_use]
    pub fn memory(&self) -> usize {
        let graph = self.graph.as_ref().map_or(0, Graph::memory);
        size_of::<Self>() + self.store.memory() + graph + self.pool.memory()
    }
}

fn new_graph(options: GraphOptions) -> Graph {
    Graph::new(options.m.clamp(2, 512), options.ef_construction.max(1))
}

#[cfg(test)]
#[path = "vectors_tests.rs"]
pub(crate) mod tests;
