//! The native part of the Python package: `kvist._core`.
//!
//! ```text
//!   kvist.Kvist ─► Client ─┐                         ┌─ words    arguments to bytes
//!   Pipeline ──────────────┼─► Pool ─► Connection ───┼─ client   sockets, TLS, handshake
//!   kvist.aio ─► Link ─────┘          (a Link has    └─ objects  bytes to objects
//!                                      no socket)  └─ columns  bytes to columns
//!   kvist.folio ─► Grid, Number, Ref …                folio     records, cell by cell
//! ```
//!
//! Classes here have no `dict` of their own: what pyo3 0.28 makes of one is never freed. Those
//! written in Python on top of them have one from Python.
//!
//! Python code above it decides what is configurable and what users see; everything that runs once
//! for each command, reply or byte is here. The interpreter is held to turn arguments into bytes
//! and bytes into objects, and never while waiting.
#![forbid(unsafe_code)]

mod carrier;
mod client;
mod cluster;
mod collector;
mod columns;
mod connection;
mod embedded;
mod errors;
mod folio;
mod graph_rows;
mod leaving;
mod link;
mod objects;
mod pipeline;
mod pool;
mod reader;
mod retry;
mod rows;
mod settings;
mod shape;
mod tape;
mod words;

use pyo3::prelude::*;

/// The native part of the package. Use `kvist` instead.
#[pymodule(gil_used = false)]
mod _core {
    use super::shape::{Callback, Shape};
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::client::{Client, stains};
    #[pymodule_export]
    use super::cluster::{Batch, slot};
    #[pymodule_export]
    use super::columns::{Columns, Request};
    #[pymodule_export]
    use super::connection::Connection;
    #[pymodule_export]
    use super::embedded::Engine;
    #[pymodule_export]
    use super::folio::kinds::{Coord, Marker, NA, Number, Ref, Remove, Symbol, Uri, XStr};
    #[pymodule_export]
    use super::folio::{Grid, GridCol, GridRows, from_zinc, to_zinc};
    #[pymodule_export]
    use super::folio::{long_histories, wide_histories};
    #[pymodule_export]
    use super::graph_rows::GraphRows;
    #[pymodule_export]
    use super::link::Link;
    #[pymodule_export]
    use super::pipeline::Pipeline;
    #[pymodule_export]
    use super::pool::Pool;
    #[pymodule_export]
    use super::reader::Reader;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        for (name, shape) in [
            ("OK", Shape::Ok),
            ("SET", Shape::Set),
            ("PONG", Shape::Pong),
            ("FLOAT", Shape::Float),
            ("PAIRS", Shape::Pairs),
            ("MEMBERS", Shape::Members),
            ("ROWS", Shape::Rows),
        ] {
            module.add(name, Callback { shape })?;
        }
        super::leaving::announce(module)
    }
}
