//! The vectors of one attribute, compared one by one.
//!
//! A row may have several vectors (JSON), the nearest of which counts. This scan stands for the
//! structures of the crate `vector`, which take its place with the same four calls.

use hashbrown::HashMap;
use vector::{Element, Metric};

use crate::schema::VectorOptions;

/// See the head of this file.
pub struct Vectors {
    element: Element,
    metric: Metric,
    dimension: usize,
    of: HashMap<u32, Vec<Box<[f64]>>, foldhash::fast::RandomState>,
    /// Vectors, and bytes allocated by the lists of them.
    count: usize,
    lists: usize,
}

fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    sign * match exponent {
        0 => fraction * 2_f64.powi(-24),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2_f64.powi(exponent - 15),
    }
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

fn number(element: Element, bytes: &[u8]) -> f64 {
    let word = |from: usize| bytes.get(from).copied().unwrap_or(0);
    let short = u16::from_le_bytes([word(0), word(1)]);
    let float = [word(0), word(1), word(2), word(3)];
    match element {
        Element::Float64 => {
            let rest = [word(4), word(5), word(6), word(7)];
            let bits = u64::from(u32::from_le_bytes(rest)) << 32;
            f64::from_bits(bits | u64::from(u32::from_le_bytes(float)))
        }
        Element::Float32 => f32::from_le_bytes(float).into(),
        Element::Float16 => half(short),
        Element::Bfloat16 => f32::from_bits(u32::from(short) << 16).into(),
        Element::Int8 => f64::from(word(0) as i8),
        Element::Uint8 => f64::from(word(0)),
    }
}

impl Vectors {
    pub fn new(options: &VectorOptions) -> Self {
        Self {
            element: options.element,
            metric: options.metric,
            dimension: options.dimension,
            of: HashMap::default(),
            count: 0,
            lists: 0,
        }
    }

    fn numbers(&self, blob: &[u8]) -> Option<Box<[f64]>> {
        let width = width(self.element);
        let fits = self.dimension.checked_mul(width) == Some(blob.len());
        fits.then(|| blob.chunks(width).map(|bytes| number(self.element, bytes)).collect())
    }

    /// Adds a vector to a row; nothing if the blob is of another length.
    pub fn insert(&mut self, row: u32, blob: &[u8]) {
        let Some(numbers) = self.numbers(blob) else { return };
        let list = self.of.entry(row).or_default();
        let before = list.capacity();
        list.reserve_exact(1);
        list.push(numbers);
        self.lists += (list.capacity() - before) * size_of::<Box<[f64]>>();
        self.count += 1;
    }

    /// Removes the vectors of a row.
    pub fn remove(&mut self, row: u32) {
        if let Some(list) = self.of.remove(&row) {
            self.lists -= list.capacity() * size_of::<Box<[f64]>>();
            self.count -= list.len();
        }
    }

    /// Rows with vectors.
    pub fn len(&self) -> usize {
        self.of.len()
    }

    fn between(&self, a: &[f64], b: &[f64]) -> f64 {
        let pairs = || a.iter().zip(b);
        let inner = || pairs().map(|(a, b)| a * b).sum::<f64>();
        match self.metric {
            Metric::L2 => pairs().map(|(a, b)| (a - b) * (a - b)).sum(),
            Metric::InnerProduct => 1.0 - inner(),
            Metric::Cosine => {
                let length = |of: &[f64]| of.iter().map(|it| it * it).sum::<f64>().sqrt();
                let lengths = length(a) * length(b);
                if lengths == 0.0 { 1.0 } else { 1.0 - inner() / lengths }
            }
        }
    }

    /// The distance of a row's nearest vector.
    fn distance(&self, row: u32, query: &[f64]) -> Option<f64> {
        let list = self.of.get(&row)?;
        let distances = list.iter().map(|vector| self.between(vector, query));
        distances.filter(|distance| !distance.is_nan()).min_by(f64::total_cmp)
    }

    /// The nearest rows with their distances, nearest first, of those that pass the filter; `None`
    /// if the blob is of another length.
    pub fn nearest(
        &self,
        query: &[u8],
        k: usize,
        _ef: usize,
        filter: Option<&dyn Fn(u32) -> bool>,
    ) -> Option<Vec<(u32, f64)>> {
        let query = self.numbers(query)?;
        let rows = self.of.keys().filter(|row| filter.is_none_or(|passes| passes(**row)));
        let mut found: Vec<(u32, f64)> =
            rows.filter_map(|row| Some((*row, self.distance(*row, &query)?))).collect();
        found.sort_unstable_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        found.truncate(k);
        Some(found)
    }

    /// The rows within a distance, ascending, with their distances; `None` if the blob is of
    /// another length.
    pub fn within(&self, query: &[u8], radius: f64) -> Option<Vec<(u32, f64)>> {
        let query = self.numbers(query)?;
        let rows = self.of.keys();
        let near = rows.filter_map(|row| Some((*row, self.distance(*row, &query)?)));
        let mut found: Vec<(u32, f64)> = near.filter(|(_, far)| *far <= radius).collect();
        found.sort_unstable_by_key(|(row, _)| *row);
        Some(found)
    }

    /// Bytes allocated. O(1).
    pub fn memory(&self) -> usize {
        self.of.allocation_size() + self.lists + self.count * self.dimension * size_of::<f64>()
    }
}
