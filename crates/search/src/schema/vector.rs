//! The options of a `VECTOR` attribute: `FLAT|HNSW|SVS-VAMANA n {name value}…`, and their limits.

use ::vector::{Element, Metric};

use super::{Algorithm, VectorOptions};
use crate::arguments::{Arguments, count, missing, text};
use crate::error::{Error, Result};
use crate::number;

/// The greatest number of numbers in a vector.
const MAX_DIMENSION: usize = 32_768;
/// The greatest number of links of a vector on a layer.
const MAX_LINKS: usize = 512;
/// The greatest number of candidates that a search of the graph keeps.
const MAX_CANDIDATES: usize = 1_000_000;

/// The names of the types of numbers.
pub(super) const ELEMENTS: [(&str, Element); 6] = [
    ("FLOAT32", Element::Float32),
    ("FLOAT64", Element::Float64),
    ("FLOAT16", Element::Float16),
    ("BFLOAT16", Element::Bfloat16),
    ("INT8", Element::Int8),
    ("UINT8", Element::Uint8),
];

/// The names of the metrics.
pub(super) const METRICS: [(&str, Metric); 3] =
    [("L2", Metric::L2), ("IP", Metric::InnerProduct), ("COSINE", Metric::Cosine)];

/// The names of the algorithms.
pub(super) const ALGORITHMS: [(&str, Algorithm); 3] =
    [("FLAT", Algorithm::Flat), ("HNSW", Algorithm::Hnsw), ("SVS-VAMANA", Algorithm::Vamana)];

/// The name of a value in one of the tables above.
pub(super) fn name_of<T: PartialEq>(table: &[(&'static str, T)], value: &T) -> &'static str {
    table.iter().find(|(_, listed)| listed == value).map_or("", |(name, _)| name)
}

fn find<T: Copy>(table: &[(&str, T)], word: &[u8]) -> Option<T> {
    let found = table.iter().find(|(name, _)| word.eq_ignore_ascii_case(name.as_bytes()));
    found.map(|(_, value)| *value)
}

/// What was said so far.
struct Parts {
    algorithm: Algorithm,
    element: Option<Element>,
    dimension: Option<usize>,
    metric: Option<Metric>,
    options: VectorOptions,
}

/// Takes the algorithm, the count and the options.
pub(super) fn parse(words: &mut Arguments<'_>) -> Result<VectorOptions> {
    let word = words.value("vector similarity algorithm")?;
    let algorithm = find(&ALGORITHMS, word).ok_or_else(|| {
        Error::new(format!("Bad arguments for vector similarity algorithm: {}", text(word)))
    })?;
    let list = words.list("vector similarity number of parameters")?;
    if list.len() % 2 != 0 {
        return Err(Error::new(format!(
            "Bad number of arguments for vector similarity index: got {} but expected even number \
             as algorithm parameters (should be submitted as named arguments)",
            list.len()
        )));
    }
    let options = VectorOptions {
        algorithm,
        element: Element::Float32,
        dimension: 0,
        metric: Metric::L2,
        m: if algorithm == Algorithm::Vamana { 32 } else { 16 },
        ef_construction: 200,
        ef_runtime: 10,
        epsilon: 0.01,
        initial_cap: None,
        block_size: None,
    };
    let mut parts = Parts { algorithm, element: None, dimension: None, metric: None, options };
    for pair in list.chunks_exact(2) {
        if let [name, value] = pair {
            parts.set(name, value)?;
        }
    }
    parts.finish()
}

impl Parts {
    fn name(&self) -> &'static str {
        name_of(&ALGORITHMS, &self.algorithm)
    }

    fn set(&mut self, name: &[u8], value: &[u8]) -> Result<()> {
        let upper = name.to_ascii_uppercase();
        let option = String::from_utf8_lossy(&upper).into_owned();
        match &upper[..] {
            b"TYPE" => {
                let element = find(&ELEMENTS, value).ok_or_else(|| self.bad("type", value))?;
                self.element = Some(element);
            }
            b"DIM" => {
                let dimension = count(value).filter(|n| (1..=MAX_DIMENSION).contains(n));
                self.dimension = Some(dimension.ok_or_else(|| self.bad("dim", value))?);
            }
            b"DISTANCE_METRIC" => {
                let metric = find(&METRICS, value).ok_or_else(|| self.bad("metric", value))?;
                self.metric = Some(metric);
            }
            b"INITIAL_CAP" => {
                self.options.initial_cap = Some(self.whole(&option, value, 0, usize::MAX)?);
            }
            b"BLOCK_SIZE" => {
                self.options.block_size = Some(self.whole(&option, value, 1, usize::MAX)?);
            }
            _ => self.set_of_graph(&upper, &option, name, value)?,
        }
        Ok(())
    }

    /// Options of graphs; those of `SVS-VAMANA` are kept under the names that HNSW has for them.
    fn set_of_graph(
        &mut self,
        upper: &[u8],
        option: &str,
        name: &[u8],
        value: &[u8],
    ) -> Result<()> {
        use Algorithm::{Hnsw, Vamana};
        match (self.algorithm, upper) {
            (Hnsw, b"M") | (Vamana, b"GRAPH_MAX_DEGREE") => {
                self.options.m = self.whole(option, value, 2, MAX_LINKS)?;
            }
            (Hnsw, b"EF_CONSTRUCTION") | (Vamana, b"CONSTRUCTION_WINDOW_SIZE") => {
                self.options.ef_construction = self.whole(option, value, 1, MAX_CANDIDATES)?;
            }
            (Hnsw, b"EF_RUNTIME") | (Vamana, b"SEARCH_WINDOW_SIZE") => {
                self.options.ef_runtime = self.whole(option, value, 1, MAX_CANDIDATES)?;
            }
            (Hnsw | Vamana, b"EPSILON") => {
                let epsilon = number::parse(value).filter(|n| *n > 0.0 && n.is_finite());
                self.options.epsilon = epsilon.ok_or_else(|| self.bad("epsilon", value))?;
            }
            // How Vamana compresses vectors: HNSW does not.
            (Vamana, b"COMPRESSION") => {}
            (Vamana, b"TRAINING_THRESHOLD" | b"REDUCE") => {
                self.whole(option, value, 1, usize::MAX)?;
            }
            _ => {
                let (algorithm, name) = (self.name(), text(name));
                return Err(Error::new(format!("Bad arguments for algorithm {algorithm}: {name}")));
            }
        }
        Ok(())
    }

    fn whole(&self, option: &str, value: &[u8], least: usize, most: usize) -> Result<usize> {
        let number = count(value).filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| self.bad(option, value))
    }

    fn bad(&self, option: &str, value: &[u8]) -> Error {
        let (algorithm, value) = (self.name(), text(value));
        Error::new(format!(
            "Bad arguments for vector similarity {algorithm} index {option}: {value}"
        ))
    }

    fn finish(self) -> Result<VectorOptions> {
        let absent = |option: &str| {
            Error::new(format!(
                "Missing mandatory parameter: cannot create {} index without specifying {option} \
                 argument",
                self.name()
            ))
        };
        let element = self.element.ok_or_else(|| absent("TYPE"))?;
        let dimension = self.dimension.ok_or_else(|| absent("DIM"))?;
        let metric = self.metric.ok_or_else(|| absent("DISTANCE_METRIC"))?;
        if dimension == 0 {
            return Err(missing("DIM"));
        }
        Ok(VectorOptions { element, dimension, metric, ..self.options })
    }
}

impl VectorOptions {
    /// Bytes of a vector.
    pub fn blob_size(&self) -> usize {
        let element = match self.element {
            Element::Float64 => 8,
            Element::Float32 => 4,
            Element::Float16 | Element::Bfloat16 => 2,
            Element::Int8 | Element::Uint8 => 1,
        };
        self.dimension * element
    }
}
