//! Replies as Python objects, made while they are read.
//!
//! ```text
//!   +text $bytes =verbatim   bytes, or str if replies are decoded
//!   :n (n ,x #b _            int, int, float, bool, None
//!   *array ~set >push        list
//!   %map                     dict
//!   -error                   raised; inside another reply, an exception in its place
//! ```
//!
//! Raw replies differ in little: a set is a set, `+text` and `=verbatim` are always str, and bytes
//! that are no text stay bytes even if replies are decoded.
//!
//! Nothing may stop the reader in the middle of a reply, or the next one could not be found. So
//! what goes wrong (text that cannot be decoded, say) is kept until the reply is complete and
//! raised then: the connection stays as good as it was.

use crate::errors;
use crate::rows;
use crate::shape::Shape;
use crate::words::Encoding;
use client::ServerError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PySet, PyString, PyTuple};
use std::vec::Drain;
use wire::{Aggregate, Build, Leaf};

/// Builds the objects of one reply.
pub struct Objects<'a, 'py> {
    py: Python<'py>,
    encoding: &'a Encoding,
    decode: bool,
    shape: Shape,
    /// The reply is this error.
    pub error: Option<ServerError>,
    /// The reply is a message out of band.
    pub pushed: bool,
    /// What went wrong while it was built.
    pub failure: Option<PyErr>,
    /// What is known of the cell that is being read, if rows are.
    cell: rows::Cell,
}

impl<'a, 'py> Objects<'a, 'py> {
    /// For a reply that is to have a shape; `decode` says whether bytes become text.
    pub fn new(py: Python<'py>, encoding: &'a Encoding, decode: bool, shape: Shape) -> Self {
        Objects {
            py,
            encoding,
            decode,
            shape,
            error: None,
            pushed: false,
            failure: None,
            cell: rows::Cell::Outside,
        }
    }

    fn kept(&mut self, made: PyResult<Py<PyAny>>) -> Py<PyAny> {
        made.unwrap_or_else(|error| {
            self.failure.get_or_insert(error);
            self.py.None()
        })
    }

    fn text(&mut self, bytes: &[u8], depth: usize) -> Py<PyAny> {
        if depth == 0
            && self.shape != Shape::Plain
            && let Some(made) = self.shape.of_text(self.py, bytes)
        {
            return self.kept(made.map(Bound::unbind));
        }
        if self.decode {
            match self.encoding.text(self.py, bytes) {
                Err(_) if self.encoding.raw => {}
                made => return self.kept(made),
            }
        }
        PyBytes::new(self.py, bytes).into_any().unbind()
    }

    fn error(&mut self, bytes: &[u8], depth: usize) -> Py<PyAny> {
        let error = ServerError::new(String::from_utf8_lossy(bytes));
        if depth == 0 {
            self.error = Some(error);
            return self.py.None();
        }
        let made = errors::of_reply(self.py, &error);
        self.kept(made)
    }

    fn dict(&self, mut items: Drain<'_, Py<PyAny>>) -> PyResult<Py<PyAny>> {
        let dict = PyDict::new(self.py);
        while let (Some(key), Some(value)) = (items.next(), items.next()) {
            let key = key.into_bound(self.py);
            // Lists and dicts cannot be keys; what is equal to them in all that counts can.
            let key = if key.is_instance_of::<PyList>() || key.is_instance_of::<PyDict>() {
                frozen(&key)?
            } else {
                key
            };
            dict.set_item(key, value)?;
        }
        Ok(dict.into_any().unbind())
    }

    fn set(&self, items: Drain<'_, Py<PyAny>>) -> PyResult<Py<PyAny>> {
        let items = items.map(|item| frozen(item.bind(self.py))).collect::<PyResult<Vec<_>>>()?;
        Ok(PySet::new(self.py, items)?.into_any().unbind())
    }

    fn number(&self, digits: &[u8]) -> PyResult<Py<PyAny>> {
        let digits = String::from_utf8_lossy(digits);
        Ok(self.py.get_type::<PyInt>().call1((digits,))?.unbind())
    }
}

impl Build for Objects<'_, '_> {
    type Value = Py<PyAny>;

    #[inline]
    fn leaf(&mut self, leaf: Leaf<'_>, depth: usize) -> Py<PyAny> {
        let py = self.py;
        if self.shape == Shape::Rows
            && let Some(made) = self.cell.leaf(py, &leaf, depth)
        {
            return made;
        }
        match leaf {
            Leaf::Bulk(bytes) => self.text(bytes, depth),
            Leaf::Simple(text) | Leaf::Verbatim(_, text) if self.encoding.raw => {
                PyString::new(py, &String::from_utf8_lossy(text)).into_any().unbind()
            }
            Leaf::Simple(bytes) | Leaf::Verbatim(_, bytes) => self.text(bytes, depth),
            Leaf::Int(number) => match number.into_pyobject(py) {
                Ok(number) => number.into_any().unbind(),
            },
            Leaf::NullBulk | Leaf::NullArray | Leaf::Null => match self.shape {
                Shape::Members if depth == 0 => {
                    let made = PySet::empty(py).map(|set| set.into_any().unbind());
                    self.kept(made)
                }
                _ => py.None(),
            },
            Leaf::Boolean(truth) => PyBool::new(py, truth).to_owned().into_any().unbind(),
            Leaf::Double(digits) => {
                let text = std::str::from_utf8(digits).unwrap_or_default();
                let number = text.parse().unwrap_or(f64::NAN); // the reader has checked it
                PyFloat::new(py, number).into_any().unbind()
            }
            Leaf::BigNumber(digits) => {
                let made = self.number(digits);
                self.kept(made)
            }
            Leaf::Error(text) | Leaf::BulkError(text) => self.error(text, depth),
        }
    }

    #[inline]
    fn open(&mut self, _: Option<Aggregate>, depth: usize) {
        self.cell.opens(depth);
    }

    #[inline]
    fn aggregate(
        &mut self,
        kind: Aggregate,
        items: Drain<'_, Py<PyAny>>,
        depth: usize,
    ) -> Py<PyAny> {
        let py = self.py;
        if depth == 0 {
            self.pushed = kind == Aggregate::Push;
        }
        let shape = if depth == 0 && !self.pushed { self.shape } else { Shape::Plain };
        let made = match (kind, shape) {
            (Aggregate::Map, _) | (Aggregate::Array, Shape::Pairs) => self.dict(items),
            (Aggregate::Array | Aggregate::Set, Shape::Members) => {
                PySet::new(py, items).map(|set| set.into_any().unbind())
            }
            (Aggregate::Set, _) if self.encoding.raw => self.set(items),
            (Aggregate::Array, _) if self.shape == Shape::Rows => rows::array(py, items, depth),
            _ => PyList::new(py, items).map(|list| list.into_any().unbind()),
        };
        self.kept(made)
    }
}

/// The same as something that can be a key: tuples for lists, pairs for dicts.
fn frozen<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    if let Ok(list) = value.cast::<PyList>() {
        let items = list.iter().map(|item| frozen(&item)).collect::<PyResult<Vec<_>>>()?;
        return Ok(PyTuple::new(py, items)?.into_any());
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        let pairs = dict
            .iter()
            .map(|(key, value)| PyTuple::new(py, [key, frozen(&value)?]))
            .collect::<PyResult<Vec<_>>>()?;
        return Ok(PyTuple::new(py, pairs)?.into_any());
    }
    Ok(value.clone())
}
