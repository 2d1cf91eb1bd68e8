//! Project Haystack's records: kinds as objects, grids that make objects of what is looked at.
//!
//! ```text
//!   FOLIO.READALL … FORMAT columns ─┬─ a socket: bytes ─────► Packed ─┐
//!                                   └─ this process: Found ───────────┼─ Rows ─► Grid
//!   Grid(meta, cols, rows) ─► haystack::Grid ─────────────────────────┘          │
//!                                              objects ◄── cell by cell ◄────────┤
//!                                              columns ◄── Arrow's types ◄───────┘
//! ```
//!
//! | file | what it knows |
//! | --- | --- |
//! | `kinds` | the classes of kinds that Python has none for |
//! | `objects`, `instants` | values as objects |
//! | `values` | objects as values |
//! | `grid` | the class `Grid` |
//! | `arrow`, `histories` | rows, and histories of many points, as columns of Arrow's types |

mod arrow;
mod grid;
mod histories;
mod instants;
pub mod kinds;
mod objects;
mod values;

pub use grid::{Grid, GridCol, GridRows, handed_over};
pub use histories::{long_histories, wide_histories};

use haystack::{Cell, zinc};
use pyo3::prelude::*;

use crate::errors;

/// An exception for what is no value.
fn refused(py: Python<'_>, error: impl std::fmt::Display) -> PyErr {
    errors::new(py, "DataError", &error.to_string())
}

/// The text of a value in Zinc: of a grid, one that stands alone.
#[pyfunction]
pub fn to_zinc(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let value = values::value(value)?;
    let mut text = Vec::new();
    match value.cell() {
        Cell::Grid(grid) => zinc::write_grid(&mut text, grid),
        cell => zinc::write_value(&mut text, &cell),
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// The value of a text in Zinc.
#[pyfunction]
pub fn from_zinc<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let value = if text.trim_start().starts_with("ver:") {
        zinc::read_grid(text).map(haystack::Value::grid)
    } else {
        zinc::read_value(text)
    };
    objects::object(py, &value.map_err(|error| refused(py, error))?.cell())
}
