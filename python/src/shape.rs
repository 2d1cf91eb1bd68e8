//! What simple commands' replies become, known while they are parsed.
//!
//! redis-py turns replies into what users want after they were parsed. Where that is as simple as
//! "a set of it" it happens here in the same pass, and no list is made that is only thrown away. A
//! shape is also a callable that does the same to a reply that was parsed before, because a
//! transaction's replies come as one.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyList, PySet, PyString};

/// What becomes of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// What the protocol says.
    Plain,
    /// Whether it is `OK`.
    Ok,
    /// `True` for `OK`, `None` for nothing, and the old value if that was asked for: `SET`.
    Set,
    /// Whether it is `PONG`.
    Pong,
    /// A number, or nothing.
    Float,
    /// A dict of an array of keys and values, or of a map.
    Pairs,
    /// A set of an array or a set.
    Members,
    /// The rows of a statement on a graph, their cells without their types: see
    /// [`rows`](crate::rows).
    Rows,
}

impl Shape {
    /// The value of a string, if the shape has one.
    pub fn of_text<'py>(self, py: Python<'py>, text: &[u8]) -> Option<PyResult<Bound<'py, PyAny>>> {
        let truth = |truth: bool| Some(Ok(PyBool::new(py, truth).to_owned().into_any()));
        match self {
            Self::Ok => truth(text == b"OK"),
            Self::Set if text == b"OK" => truth(true),
            Self::Pong => truth(text == b"PONG"),
            Self::Float => {
                let text = std::str::from_utf8(text).ok()?;
                let number: f64 = text.parse().ok()?;
                Some(Ok(PyFloat::new(py, number).into_any()))
            }
            _ => None,
        }
    }
}

/// A [`Shape`] for Python: a callback for replies that the parser knows.
#[pyclass(frozen, module = "kvist._core", name = "Shape")]
pub struct Callback {
    /// What it stands for.
    pub shape: Shape,
}

#[pymethods]
impl Callback {
    #[pyo3(signature = (response, **options))]
    fn __call__<'py>(
        &self,
        response: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        apply(self.shape, response, options)
    }

    fn __repr__(&self) -> String {
        format!("<Shape {:?}>", self.shape)
    }
}

/// Does to a parsed reply what the parser would have done.
pub fn apply<'py>(
    shape: Shape,
    response: &Bound<'py, PyAny>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = response.py();
    if shape == Shape::Set && wants_old_value(options)? {
        return Ok(response.clone());
    }
    let text = if let Ok(text) = response.cast::<PyString>() {
        Some(text.to_str()?.as_bytes().to_vec())
    } else {
        response.cast::<PyBytes>().ok().map(|bytes| bytes.as_bytes().to_vec())
    };
    if let Some(value) = text.and_then(|text| shape.of_text(py, &text)) {
        return value;
    }
    match shape {
        Shape::Ok | Shape::Pong => Ok(PyBool::new(py, false).to_owned().into_any()),
        Shape::Pairs => match response.cast::<PyList>() {
            Ok(list) => {
                let pairs = PyDict::new(py);
                for index in (1..list.len()).step_by(2) {
                    pairs.set_item(list.get_item(index - 1)?, list.get_item(index)?)?;
                }
                Ok(pairs.into_any())
            }
            Err(_) if response.is_none() => Ok(PyDict::new(py).into_any()),
            Err(_) => Ok(response.clone()),
        },
        Shape::Members if response.is_none() => Ok(PySet::empty(py)?.into_any()),
        Shape::Members => {
            let set = PySet::empty(py)?;
            for item in response.try_iter()? {
                set.add(item?)?;
            }
            Ok(set.into_any())
        }
        Shape::Plain | Shape::Set | Shape::Float | Shape::Rows => Ok(response.clone()),
    }
}

/// Whether `SET` was asked for the old value.
pub fn wants_old_value(options: Option<&Bound<'_, PyDict>>) -> PyResult<bool> {
    let Some(options) = options else { return Ok(false) };
    match options.get_item("get")? {
        Some(get) => get.is_truthy(),
        None => Ok(false),
    }
}
