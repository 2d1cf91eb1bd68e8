//! The rows of a statement on a graph that came as columns: objects for those that are looked at,
//! or columns for libraries that speak Arrow.
//!
//! What an object is made of, Python code decides: it gives the functions that make nodes,
//! relationships, paths and times.

use std::sync::{Arc, OnceLock};

use ::graph::value::Value;
use columns::graph::{self, GraphCell, Malformed};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyList, PyString};

use crate::collector::Paused;
use crate::columns::Columns;
use crate::{errors, leaving};

/// Parts that have so many bytes are read without the interpreter.
const LONG: usize = 64 << 10;

/// What makes objects.
#[derive(FromPyObject)]
struct Makers {
    node: Py<PyAny>,
    edge: Py<PyAny>,
    path: Py<PyAny>,
    date: Py<PyAny>,
    time: Py<PyAny>,
    datetime: Py<PyAny>,
    duration: Py<PyAny>,
}

/// Texts that are made once, however often they come.
type Names = OnceLock<Vec<Py<PyString>>>;

/// Rows that came as columns.
#[pyclass(frozen, module = "kvist._core", name = "GraphRows")]
pub struct GraphRows {
    rows: graph::GraphRows,
    makers: Makers,
    /// The texts of each column that repeat.
    texts: Vec<Names>,
    /// There are few names, and many that have them.
    labels: Names,
    types: Names,
    keys: Names,
}

fn malformed(py: Python<'_>, why: Malformed) -> PyErr {
    errors::new(py, "InvalidResponse", &format!("the rows of a graph cannot be read: {why}"))
}

/// The bytes of a part: of one string, or of several that are one behind the other.
fn bytes_of<'a>(part: &'a Bound<'_, PyAny>) -> PyResult<std::borrow::Cow<'a, [u8]>> {
    if let Ok(bytes) = part.cast::<PyBytes>() {
        return Ok(bytes.as_bytes().into());
    }
    let mut joined = Vec::new();
    for piece in part.try_iter()? {
        let piece = piece?;
        match piece.cast::<PyString>() {
            // Bytes that happen to be text.
            Ok(text) => joined.extend_from_slice(text.to_str()?.as_bytes()),
            Err(_) => joined.extend_from_slice(piece.cast::<PyBytes>()?.as_bytes()),
        }
    }
    Ok(joined.into())
}

#[pymethods]
impl GraphRows {
    #[new]
    fn new(
        py: Python<'_>,
        names: Vec<String>,
        parts: Vec<Bound<'_, PyAny>>,
        makers: Makers,
    ) -> PyResult<Self> {
        let parts = parts.iter().map(bytes_of).collect::<PyResult<Vec<_>>>()?;
        let parts: Vec<&[u8]> = parts.iter().map(|part| &**part).collect();
        let texts = names.iter().map(|_| Names::new()).collect();
        let read = || graph::GraphRows::read(names, &parts);
        let long = parts.iter().any(|part| part.len() > LONG);
        let rows = if long { leaving::without(py, read) } else { read() };
        let rows = rows.map_err(|why| malformed(py, why))?;
        let (labels, types, keys) = Default::default();
        Ok(GraphRows { rows, makers, texts, labels, types, keys })
    }

    fn __len__(&self) -> usize {
        self.rows.rows()
    }

    /// Rows from one to another, each a list.
    fn rows<'py>(&self, py: Python<'py>, from: usize, to: usize) -> PyResult<Bound<'py, PyList>> {
        let to = to.min(self.rows.rows());
        let paused = Paused::for_rows(py, to.saturating_sub(from));
        let mut cells = Vec::with_capacity(self.rows.names().len());
        let rows = (from..to).map(|row| {
            for column in 0..self.rows.names().len() {
                cells.push(self.cell(py, column, row)?);
            }
            PyList::new(py, cells.drain(..))
        });
        let made = rows.collect::<PyResult<Vec<_>>>();
        let list = PyList::new(py, made?);
        drop(paused);
        list
    }

    /// A column, as a list.
    fn column<'py>(&self, py: Python<'py>, column: usize) -> PyResult<Bound<'py, PyList>> {
        if column >= self.rows.names().len() {
            return Err(PyIndexError::new_err("there is no such column"));
        }
        let paused = Paused::for_rows(py, self.rows.rows());
        let cells = (0..self.rows.rows()).map(|row| self.cell(py, column, row));
        let list = PyList::new(py, cells.collect::<PyResult<Vec<_>>>()?);
        drop(paused);
        list
    }

    /// All rows as columns of Arrow's types.
    fn to_columns(&self, py: Python<'_>) -> Columns {
        let table = leaving::without(py, || self.rows.to_table());
        Columns { table: Arc::new(table) }
    }
}

impl GraphRows {
    fn cell<'py>(&self, py: Python<'py>, column: usize, row: usize) -> PyResult<Bound<'py, PyAny>> {
        Ok(match self.rows.cell(column, row) {
            GraphCell::Null => py.None().into_bound(py),
            GraphCell::Boolean(is) => PyBool::new(py, is).to_owned().into_any(),
            GraphCell::Integer(number) => number.into_pyobject(py)?.into_any(),
            GraphCell::Float(number) => PyFloat::new(py, number).into_any(),
            GraphCell::Text(text) => PyString::new(py, text).into_any(),
            GraphCell::Repeated(place) => match self.texts(py, column).get(place) {
                Some(text) => text.bind(py).clone().into_any(),
                None => py.None().into_bound(py),
            },
            GraphCell::Node(place) => self.node(py, place.into())?,
            GraphCell::Relationship(place) => self.edge(py, place.into())?,
            GraphCell::Value(value) => self.value(py, value)?,
        })
    }

    /// The texts of a column that repeat: each is one object, however often it comes.
    fn texts(&self, py: Python<'_>, column: usize) -> &[Py<PyString>] {
        let Some(texts) = self.texts.get(column) else { return &[] };
        texts.get_or_init(|| {
            self.rows.repeated(column).map(|text| PyString::new(py, text).unbind()).collect()
        })
    }

    fn value<'py>(&self, py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
        let makers = &self.makers;
        Ok(match value {
            Value::Null => py.None().into_bound(py),
            Value::Boolean(is) => PyBool::new(py, *is).to_owned().into_any(),
            Value::Integer(number) => number.into_pyobject(py)?.into_any(),
            Value::Float(number) => PyFloat::new(py, *number).into_any(),
            Value::String(text) => PyString::new(py, text).into_any(),
            Value::List(values, _) => {
                let made = values.iter().map(|value| self.value(py, value));
                PyList::new(py, made.collect::<PyResult<Vec<_>>>()?)?.into_any()
            }
            Value::Map(map) => {
                let dict = PyDict::new(py);
                for (key, value) in map.iter() {
                    dict.set_item(&**key, self.value(py, value)?)?;
                }
                dict.into_any()
            }
            Value::Node(place) => self.node(py, *place)?,
            Value::Relationship(place) => self.edge(py, *place)?,
            Value::Path(path) => {
                let nodes = path.nodes().iter().map(|&place| self.node(py, place));
                let nodes = PyList::new(py, nodes.collect::<PyResult<Vec<_>>>()?)?;
                let edges = path.relationships().iter().map(|&place| self.edge(py, place));
                let edges = PyList::new(py, edges.collect::<PyResult<Vec<_>>>()?)?;
                makers.path.bind(py).call1((nodes, edges))?
            }
            Value::Point(point) => {
                let dict = PyDict::new(py);
                dict.set_item("latitude", f64::from(point.latitude))?;
                dict.set_item("longitude", f64::from(point.longitude))?;
                dict.into_any()
            }
            Value::Vector(numbers) => {
                PyList::new(py, numbers.iter().map(|&number| f64::from(number)))?.into_any()
            }
            _ => self.time(py, value)?,
        })
    }

    fn time<'py>(&self, py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
        let makers = &self.makers;
        match value {
            Value::Date(date) => makers.date.bind(py).call1((date.days(),)),
            Value::LocalTime(time) => makers.time.bind(py).call1((time.nanos(), py.None())),
            Value::Time(time) => makers.time.bind(py).call1((time.local.nanos(), time.offset())),
            Value::LocalDateTime(both) => {
                let none = py.None();
                makers.datetime.bind(py).call1((both.seconds(), both.nanos(), 0, none))
            }
            Value::DateTime(both) => {
                let (at, zone) = (both.instant(), both.zone().name());
                makers.datetime.bind(py).call1((at.seconds, at.nanos, both.offset(), zone))
            }
            Value::Duration(span) => {
                let days = graph::days(span);
                makers.duration.bind(py).call1((days, span.seconds(), span.nanos()))
            }
            _ => Ok(py.None().into_bound(py)),
        }
    }

    fn label<'py>(&self, py: Python<'py>, place: u32) -> PyResult<Bound<'py, PyString>> {
        name(py, &self.labels, self.rows.labels(), place)
    }

    fn properties<'py>(
        &self,
        py: Python<'py>,
        properties: &[(u32, Value)],
    ) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (key, value) in properties {
            dict.set_item(name(py, &self.keys, self.rows.keys(), *key)?, self.value(py, value)?)?;
        }
        Ok(dict)
    }

    fn node<'py>(&self, py: Python<'py>, place: u64) -> PyResult<Bound<'py, PyAny>> {
        let none = || malformed(py, Malformed("there is a place beyond the nodes"));
        let node = self.rows.node(place).ok_or_else(none)?;
        let labels = node.labels.iter().map(|&label| self.label(py, label));
        let labels = PyList::new(py, labels.collect::<PyResult<Vec<_>>>()?)?;
        let properties = self.properties(py, &node.properties)?;
        self.makers.node.bind(py).call1((node.id, py.None(), labels, properties))
    }

    fn edge<'py>(&self, py: Python<'py>, place: u64) -> PyResult<Bound<'py, PyAny>> {
        let none = || malformed(py, Malformed("there is a place beyond the relationships"));
        let edge = self.rows.relationship(place).ok_or_else(none)?;
        let properties = self.properties(py, &edge.properties)?;
        let made = self.makers.edge.bind(py);
        match edge.ends {
            Some((kind, source, target)) => {
                let kind = name(py, &self.types, self.rows.types(), kind)?;
                made.call1((source, kind, target, edge.id, py.None(), properties))
            }
            // What the statement itself has deleted has no type any more.
            None => made.call1((-1, "", -1, edge.id, py.None(), properties)),
        }
    }
}

/// A name by its place.
fn name<'py>(
    py: Python<'py>,
    made: &Names,
    names: &[String],
    place: u32,
) -> PyResult<Bound<'py, PyString>> {
    let make = || names.iter().map(|name| PyString::new(py, name).unbind()).collect();
    match made.get_or_init(make).get(place as usize) {
        Some(name) => Ok(name.bind(py).clone()),
        None => Err(malformed(py, Malformed("there is a place beyond the names"))),
    }
}
