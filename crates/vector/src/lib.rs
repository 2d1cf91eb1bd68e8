//! Nearest neighbours of vectors, exact and approximate. Knows no keys, clients, files, clocks or
//! threads.

#![allow(missing_docs)] // public items are documented where a name does not say it
#![deny(unsafe_code)]

mod graph;
mod image;
#[allow(unsafe_code)] // vector instructions; no other file has any
mod kernels;
mod measure;
mod near;
mod numbers;
mod paged;
mod scratch;
mod search;
mod store;
mod vectors;

pub use image::Loading;
pub use numbers::{ParseError, WrongSize, parse};
pub use search::{Filter, Interrupt, Rows, SearchError};
pub use vectors::{GraphOptions, Options, Vectors};

/// What a number is in a vector's bytes, least significant byte first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// IEEE 754, 4 bytes.
    Float32,
    /// IEEE 754, 8 bytes.
    Float64,
    /// IEEE 754, 2 bytes.
    Float16,
    /// The upper half of a `Float32`.
    Bfloat16,
    /// -128 to 127.
    Int8,
    /// 0 to 255.
    Uint8,
}

/// How far two vectors are apart; less is nearer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// The square of the Euclidean distance.
    L2,
    /// 1 - the inner product.
    InnerProduct,
    /// 1 - the cosine of the angle.
    Cosine,
}

/// All types of elements.
#[cfg(test)]
const ELEMENTS: [Element; 6] = [
    Element::Float32,
    Element::Float64,
    Element::Float16,
    Element::Bfloat16,
    Element::Int8,
    Element::Uint8,
];
