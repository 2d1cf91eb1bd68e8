//! Queries: the nearest rows, and those within a radius; exact or through the graph.
//!
//! Where the graph would have to visit a large part of the vectors, all of them are compared: with
//! few vectors, and where a filter allows few rows. If a query knows that its filter allows few, it
//! should compare just these ([`Vectors::nearest_of`]).

use crate::WrongSize;
use crate::graph::{Interrupted, Limits, Walk};
use crate::kernels::prefetch;
use crate::measure::Point;
use crate::near::{Best, Near};
use crate::store::NONE;
use crate::vectors::Vectors;

/// Whether a row may be in the result.
pub type Filter<'a> = Option<&'a dyn Fn(u32) -> bool>;
/// Is called with the number of vectors compared since the last call; true ends the search.
pub type Interrupt<'a> = &'a mut dyn FnMut(usize) -> bool;
/// Rows with their distances, the nearest first, and the smaller row first where these are equal.
pub type Rows = Vec<(u32, f64)>;

/// Why a search has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchError {
    /// The vector has another size than those of the field.
    WrongSize(WrongSize),
    /// The search was interrupted.
    Interrupted,
}

impl std::fmt::Display for SearchError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SearchError::WrongSize(wrong) => wrong.fmt(f),
            SearchError::Interrupted => Interrupted.fmt(f),
        }
    }
}

impl std::error::Error for SearchError {}

impl From<WrongSize> for SearchError {
    fn from(wrong: WrongSize) -> Self {
        SearchError::WrongSize(wrong)
    }
}

impl From<Interrupted> for SearchError {
    fn from(_: Interrupted) -> Self {
        SearchError::Interrupted
    }
}

/// Distances in a graph per node of `ef`, at least: with fewer vectors than that all are compared.
const VISITS: usize = 4;
/// A filtered walk ends when it has compared one of so many vectors, and all are compared.
const WALKED: usize = 4;
/// Vectors that are compared between two calls of an interrupt.
const STEP: usize = 256;
/// Vectors that are loaded before they are compared.
const AHEAD: usize = 4;
/// Nodes from which a search within a radius begins.
const RANGE_EF: usize = 16;

/// Allows every row.
fn any(_: u32) -> bool {
    true
}

impl Vectors {
    /// The `k` nearest rows that the filter allows. `ef` is how many nodes a walk through the graph
    /// considers: more find the nearest with a higher probability.
    ///
    /// # Errors
    /// The vector is of the wrong size, or the search was interrupted.
    pub fn nearest(
        &self,
        blob: &[u8],
        k: usize,
        ef: usize,
        filter: Filter<'_>,
        interrupt: Interrupt<'_>,
    ) -> Result<Rows, SearchError> {
        let (bytes, norm) = self.store.measure.prepare(blob)?;
        let point = Point { bytes: &bytes, norm };
        let wanted = ef.max(k);
        let graph = self.graph.as_ref().filter(|_| k > 0 && wanted < self.len() / VISITS);
        if let Some(graph) = graph {
            let mut walk = Walk { graph, store: &self.store, point, interrupt: &mut *interrupt };
            let found = match filter {
                None if !self.store.has_several() => self.walk(&mut walk, k, wanted)?,
                _ => self.walk_filtered(&mut walk, (k, ef), filter.unwrap_or(&any))?,
            };
            if let Some(found) = found {
                return Ok(found);
            }
        }
        self.scan(point, self.best(k), f64::INFINITY, filter, interrupt)
    }

    fn best(&self, k: usize) -> Best {
        Best::new(k, self.store.has_several())
    }

    /// Through the graph. `None` if fewer than `k` rows are reached.
    fn walk(&self, walk: &mut Walk<'_>, k: usize, ef: usize) -> Result<Option<Rows>, Interrupted> {
        self.pool.with(|scratch| {
            let Some(entry) = walk.descend(1)? else { return Ok(None) };
            walk.search(&[entry], 0, ef, scratch)?;
            if scratch.found.len() < k {
                return Ok(None);
            }
            let row = |near: Near| Near::new(near.distance(), self.store.row(near.what()));
            let mut rows: Vec<Near> = scratch.found.drain().map(row).collect();
            rows.sort_unstable();
            rows.truncate(k);
            Ok(Some(rows.iter().map(|near| (near.what(), near.distance())).collect()))
        })
    }

    /// Through the graph, for rows that are allowed. `None` if these are few.
    fn walk_filtered(
        &self,
        walk: &mut Walk<'_>,
        (k, ef): (usize, usize),
        accept: &dyn Fn(u32) -> bool,
    ) -> Result<Option<Rows>, Interrupted> {
        self.pool.with(|scratch| {
            let Some(entry) = walk.descend(1)? else { return Ok(None) };
            let mut best = self.best(k);
            // If fewer than `k` of so many are allowed, these are fewer than one in 20, and to call
            // the filter for all rows costs less than to walk on.
            let few = (20 * k).max(200).max(self.len() / 32);
            let limits = Limits { ef: ef.max(1), few, most: self.len() / WALKED };
            let is_done = walk.search_rows((entry, limits), accept, &mut best, scratch)?;
            Ok(is_done.then(|| best.into_sorted()))
        })
    }

    /// The `k` nearest of these rows, exactly.
    ///
    /// # Errors
    /// The vector is of the wrong size, or the search was interrupted.
    pub fn nearest_of(
        &self,
        rows: &[u32],
        blob: &[u8],
        k: usize,
        interrupt: Interrupt<'_>,
    ) -> Result<Rows, SearchError> {
        let (bytes, norm) = self.store.measure.prepare(blob)?;
        let point = Point { bytes: &bytes, norm };
        // A caller may name a row twice.
        let mut best = Best::new(k, true);
        let mut nodes = Vec::new();
        for step in rows.chunks(STEP) {
            nodes.clear();
            for row in step {
                nodes.extend(self.store.nodes(*row).map(|node| (node, *row)));
            }
            for (at, (node, row)) in nodes.iter().enumerate() {
                if let Some((later, _)) = nodes.get(at + AHEAD) {
                    prefetch(self.store.bytes(*later));
                }
                best.consider(Near::new(self.store.distance(point, *node), *row));
            }
            if interrupt(step.len()) {
                return Err(SearchError::Interrupted);
            }
        }
        Ok(best.into_sorted())
    }

    /// All rows within `radius` that the filter allows. With a graph, those are found that are
    /// reached through vectors within `radius · (1 + epsilon)`.
    ///
    /// # Errors
    /// The vector is of the wrong size, or the search was interrupted.
    pub fn within(
        &self,
        blob: &[u8],
        radius: f64,
        epsilon: f64,
        filter: Filter<'_>,
        interrupt: Interrupt<'_>,
    ) -> Result<Rows, SearchError> {
        let (bytes, norm) = self.store.measure.prepare(blob)?;
        let point = Point { bytes: &bytes, norm };
        let best = self.best(usize::MAX);
        match self.graph.as_ref().filter(|_| RANGE_EF < self.len() / VISITS) {
            Some(graph) => {
                let walk = Walk { graph, store: &self.store, point, interrupt };
                // Distances may be negative: inner products.
                let reach = radius + epsilon.max(0.0) * radius.abs();
                Ok(self.walk_within(walk, (radius, reach), filter.unwrap_or(&any), best)?)
            }
            None => self.scan(point, best, radius, filter, interrupt),
        }
    }

    fn walk_within(
        &self,
        mut walk: Walk<'_>,
        range: (f64, f64),
        accept: &dyn Fn(u32) -> bool,
        mut best: Best,
    ) -> Result<Rows, Interrupted> {
        self.pool.with(|scratch| {
            if let Some(entry) = walk.descend(1)? {
                walk.search(&[entry], 0, RANGE_EF, scratch)?;
                walk.search_within(range, accept, &mut best, scratch)?;
            }
            Ok(best.into_sorted())
        })
    }

    /// Compares with all vectors of allowed rows; takes those within `radius`, or all if that is
    /// infinite.
    fn scan(
        &self,
        point: Point<'_>,
        mut best: Best,
        radius: f64,
        filter: Filter<'_>,
        interrupt: Interrupt<'_>,
    ) -> Result<Rows, SearchError> {
        let accept = filter.unwrap_or(&any);
        let is_within = |distance: f64| radius == f64::INFINITY || distance <= radius;
        let mut compared = 0;
        for node in 0..self.store.end() {
            let row = self.store.row(node);
            if row != NONE && accept(row) {
                let distance = self.store.distance(point, node);
                if is_within(distance) {
                    best.consider(Near::new(distance, row));
                }
                compared += 1;
            }
            if node as usize % STEP == STEP - 1 && interrupt(std::mem::take(&mut compared)) {
                return Err(SearchError::Interrupted);
            }
        }
        Ok(best.into_sorted())
    }
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
