//! The vectors of one attribute: the crate `vector` with the defaults of the attribute.
//!
//! A row may have several vectors (JSON), the nearest of which counts.

use vector::{Element, GraphOptions, Options};

use super::bitmap::Bitmap;
use crate::schema::{Algorithm, VectorOptions};

/// So many matches for each neighbour that is wanted are compared one by one: a walk through the
/// graph would look at more.
const EXACT: usize = 20;

/// See the head of this file.
pub struct Vectors {
    vectors: vector::Vectors,
    /// `EF_RUNTIME` and `EPSILON`.
    ef: usize,
    epsilon: f64,
}

/// Bytes of a number.
pub fn width(element: Element) -> usize {
    match element {
        Element::Float64 => 8,
        Element::Float32 => 4,
        Element::Float16 | Element::Bfloat16 => 2,
        Element::Int8 | Element::Uint8 => 1,
    }
}

impl Vectors {
    pub fn new(options: &VectorOptions) -> Self {
        let graph = match options.algorithm {
            Algorithm::Flat => None,
            Algorithm::Hnsw | Algorithm::Vamana => {
                Some(GraphOptions { m: options.m, ef_construction: options.ef_construction })
            }
        };
        let (element, dimension, metric) = (options.element, options.dimension, options.metric);
        let vectors = vector::Vectors::new(Options { element, dimension, metric, graph });
        Self { vectors, ef: options.ef_runtime, epsilon: options.epsilon }
    }

    /// Adds a vector to a row; nothing if the blob is of another length.
    pub fn insert(&mut self, row: u32, blob: &[u8]) {
        // Its length was asked when the document was read.
        let _ = self.vectors.insert(row, blob);
    }

    /// Removes the vectors of a row.
    pub fn remove(&mut self, row: u32) {
        self.vectors.remove(row);
    }

    /// The vectors of a row, as they were given.
    pub fn of(&self, row: u32) -> Vec<Vec<u8>> {
        self.vectors.vectors(row)
    }

    /// Rows with vectors.
    pub fn len(&self) -> usize {
        self.vectors.row_count()
    }

    /// The nearest rows with their distances, nearest first, among some rows if they are given;
    /// `None` if the blob is of another length. An `ef` of 0 is the attribute's.
    pub fn nearest(
        &self,
        query: &[u8],
        k: usize,
        ef: usize,
        among: Option<&Bitmap>,
    ) -> Option<Vec<(u32, f64)>> {
        let ef = if ef == 0 { self.ef } else { ef };
        let mut goes_on = |_: usize| false;
        let found = match among {
            Some(rows) if rows.len() <= (EXACT * k).max(self.len() / 20) => {
                let rows: Vec<u32> = rows.iter().collect();
                self.vectors.nearest_of(&rows, query, k, &mut goes_on)
            }
            Some(rows) => {
                let passes = |row: u32| rows.contains(row);
                self.vectors.nearest(query, k, ef, Some(&passes), &mut goes_on)
            }
            None => self.vectors.nearest(query, k, ef, None, &mut goes_on),
        };
        found.ok().map(comparable)
    }

    /// The rows within a distance, ascending, with their distances; `None` if the blob is of
    /// another length.
    pub fn within(
        &self,
        query: &[u8],
        radius: f64,
        epsilon: Option<f64>,
    ) -> Option<Vec<(u32, f64)>> {
        let epsilon = epsilon.unwrap_or(self.epsilon);
        let found =
            self.vectors.within(query, radius, epsilon, None, &mut |_: usize| false).ok()?;
        let mut found = comparable(found);
        found.sort_unstable_by_key(|(row, _)| *row);
        Some(found)
    }

    /// Bytes allocated. O(1).
    pub fn memory(&self) -> usize {
        self.vectors.memory()
    }
}

/// Without distances that are no numbers, which come last.
fn comparable(mut found: Vec<(u32, f64)>) -> Vec<(u32, f64)> {
    found.retain(|(_, distance)| !distance.is_nan());
    found
}
