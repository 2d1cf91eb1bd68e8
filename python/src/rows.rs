//! What a statement on a graph answers, without the types that its cells come with.
//!
//! ```text
//!   depth    0         1        2      3             4
//!            [ header, [ rows:  [ row: [ 3, 42 ]     type, value      ->  42
//!                               ]      [ 8, [ … ] ]                   ->  [ 8, [ … ] ]
//!              lines ]
//! ```
//!
//! Numbers, texts, truths and nothing are made at once. What is inside of something, or must be
//! given names or a calendar, stays with its type: such a cell is a list, a row with one is a
//! tuple, and so are the rows if one of them is. Who finds a list has no more to do.
//!
//! Of a server that answers columns the parts are bytes: [`graph_rows`](crate::graph_rows) reads
//! them.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyList, PyString, PyTuple};
use std::vec::Drain;
use wire::Leaf;

/// How deep a row, a cell, and its type and value are.
const ROW: usize = 2;
const CELL: usize = 3;
const INSIDE: usize = 4;

const NULL: i64 = 1;
const TEXT: i64 = 2;
const INTEGER: i64 = 3;
const BOOLEAN: i64 = 4;
const FLOAT: i64 = 5;

/// What is known of a cell that is being read. It is a hint: a reply that comes in pieces has none
/// where a piece begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// There is none, or nothing is known of it.
    Outside,
    /// It has begun.
    Begun,
    /// Its type has come.
    Typed(i64),
}

impl Cell {
    /// An aggregate begins.
    #[inline]
    pub fn opens(&mut self, depth: usize) {
        *self = if depth == CELL { Cell::Begun } else { Cell::Outside };
    }

    /// A value, where it is another than in other replies.
    #[inline]
    pub fn leaf(&mut self, py: Python<'_>, leaf: &Leaf<'_>, depth: usize) -> Option<Py<PyAny>> {
        match (*self, leaf) {
            (Cell::Begun, Leaf::Int(kind)) if depth == INSIDE => *self = Cell::Typed(*kind),
            (Cell::Typed(FLOAT), Leaf::Bulk(digits)) if depth == INSIDE => {
                return number(digits).map(|number| PyFloat::new(py, number).into_any().unbind());
            }
            (Cell::Typed(BOOLEAN), Leaf::Bulk(word)) if depth == INSIDE => {
                return Some(PyBool::new(py, *word == b"true").to_owned().into_any().unbind());
            }
            _ => {}
        }
        match leaf {
            // A part of columns.
            Leaf::Bulk(bytes) if depth == 1 => Some(PyBytes::new(py, bytes).into_any().unbind()),
            Leaf::Bulk(bytes) => {
                let text = std::str::from_utf8(bytes).ok()?;
                Some(PyString::new(py, text).into_any().unbind())
            }
            _ => None,
        }
    }
}

fn number(digits: &[u8]) -> Option<f64> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// An array of a reply.
pub fn array(py: Python<'_>, mut items: Drain<'_, Py<PyAny>>, depth: usize) -> PyResult<Py<PyAny>> {
    match depth {
        CELL if items.len() == 2 => {
            let (Some(kind), Some(value)) = (items.next(), items.next()) else {
                return Ok(py.None());
            };
            cell(kind.into_bound(py), value.into_bound(py))
        }
        ROW if items.as_slice().iter().any(|it| it.bind(py).is_exact_instance_of::<PyList>()) => {
            Ok(PyTuple::new(py, items)?.into_any().unbind())
        }
        1 if items.as_slice().iter().any(|it| it.bind(py).is_exact_instance_of::<PyTuple>()) => {
            Ok(PyTuple::new(py, items)?.into_any().unbind())
        }
        _ => Ok(PyList::new(py, items)?.into_any().unbind()),
    }
}

/// A cell: its value, if that needs nothing else.
fn cell(kind: Bound<'_, PyAny>, value: Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    let py = kind.py();
    match kind.extract::<i64>()? {
        NULL | INTEGER => Ok(value.unbind()),
        TEXT => match value.cast::<PyBytes>() {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(bytes.as_bytes());
                Ok(PyString::new(py, &text).into_any().unbind())
            }
            Err(_) => Ok(value.unbind()),
        },
        BOOLEAN => match value.cast::<PyString>() {
            Ok(word) => {
                Ok(PyBool::new(py, word.to_str()? == "true").to_owned().into_any().unbind())
            }
            Err(_) => Ok(value.unbind()),
        },
        FLOAT => match value.cast::<PyString>() {
            Ok(digits) => Ok(PyFloat::new(py, digits.to_str()?.parse()?).into_any().unbind()),
            Err(_) => Ok(value.unbind()),
        },
        _ => Ok(PyList::new(py, [kind, value])?.into_any().unbind()),
    }
}
