//! The distance of two vectors as an index stores them.
//!
//! For cosines, vectors of floats are divided by their norm when they are stored, so that the rest
//! is an inner product; those of integers stay as they are and each distance divides. The norm is
//! stored with both, so that the original can be returned.

use crate::kernels::{Kernel, Sum};
use crate::{Element, Metric, WrongSize};

/// How vectors are stored and compared.
#[derive(Clone, Copy)]
pub struct Measure {
    pub element: Element,
    pub dimension: usize,
    pub metric: Metric,
    kernel: Kernel,
}

/// A vector as it is stored or searched for.
#[derive(Clone, Copy)]
pub struct Point<'a> {
    pub bytes: &'a [u8],
    /// Only where [`Measure::divides`].
    pub norm: f64,
}

impl Measure {
    pub fn new(element: Element, dimension: usize, metric: Metric) -> Self {
        let sum = if metric == Metric::L2 { Sum::L2 } else { Sum::Dot };
        Measure { element, dimension, metric, kernel: Kernel::new(element, sum) }
    }

    /// Bytes of a vector.
    pub fn size(&self) -> usize {
        self.dimension.saturating_mul(self.element.size())
    }

    pub fn has_norms(&self) -> bool {
        self.metric == Metric::Cosine
    }

    /// Whether each distance divides by the norms.
    #[inline]
    pub fn divides(&self) -> bool {
        self.metric == Metric::Cosine && self.element.is_integer()
    }

    /// A vector as it is stored, with its norm.
    pub fn prepare(&self, blob: &[u8]) -> Result<(Vec<u8>, f64), WrongSize> {
        if blob.len() != self.size() {
            return Err(WrongSize { given: blob.len(), expected: self.size() });
        }
        if !self.has_norms() {
            return Ok((blob.to_vec(), 0.0));
        }
        let numbers = self.element.read(blob);
        let norm = norm(&numbers);
        if self.divides() || norm == 0.0 {
            return Ok((blob.to_vec(), norm));
        }
        let mut bytes = Vec::with_capacity(blob.len());
        self.element.write(numbers.into_iter().map(|number| number / norm), &mut bytes);
        Ok((bytes, norm))
    }

    /// The vector that was stored as `bytes`, but for rounding.
    pub fn restore(&self, bytes: &[u8], norm: f64) -> Vec<u8> {
        if !self.has_norms() || self.divides() || norm == 0.0 {
            return bytes.to_vec();
        }
        let mut blob = Vec::with_capacity(bytes.len());
        let numbers = self.element.read(bytes).into_iter();
        self.element.write(numbers.map(|number| number * norm), &mut blob);
        blob
    }

    #[inline]
    pub fn distance(&self, a: Point<'_>, b: Point<'_>) -> f64 {
        let sum = self.kernel.run(a.bytes, b.bytes);
        match self.metric {
            Metric::L2 => sum,
            Metric::InnerProduct => 1.0 - sum,
            Metric::Cosine => {
                let norms = if self.divides() { a.norm * b.norm } else { 1.0 };
                let cosine = if norms == 0.0 { 0.0 } else { sum / norms };
                // Rounding may make the cosine larger than 1. NaN stays.
                if cosine > 1.0 { 0.0 } else { 1.0 - cosine }
            }
        }
    }
}

/// The Euclidean norm, also of numbers whose squares are out of range.
fn norm(numbers: &[f64]) -> f64 {
    let simple = numbers.iter().map(|number| number * number).sum::<f64>().sqrt();
    if simple.is_normal() {
        return simple;
    }
    let largest = numbers.iter().fold(0.0, |largest: f64, number| largest.max(number.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return simple;
    }
    let squares = numbers.iter().map(|number| (number / largest) * (number / largest));
    squares.sum::<f64>().sqrt() * largest
}

#[cfg(test)]
#[path = "measure_tests.rs"]
mod tests;
