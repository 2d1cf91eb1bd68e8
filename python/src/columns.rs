//! Replies as columns: what Python says about them, and what it gets.
//!
//! A reply that is asked for as columns never becomes objects. It is read into vectors without the
//! interpreter, and libraries that speak Arrow take the vectors as they are (`__arrow_c_stream__`).
//! Only programs that look at values one by one, or have none of these libraries, pay for objects.

use crate::errors;
use client::ServerError;
use columns::arrow::{ArrowArray, ArrowArrayStream, ArrowSchema};
use columns::{Cell, Column, NotATable, Table, Type};
use pyo3::exceptions::{PyIndexError, PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyBytes, PyCapsule, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType,
};
use std::fmt::Write as _;
use std::sync::Arc;

/// Rows that a notebook shows of a table.
const SHOWN: usize = 10;

/// What columns a reply is to become.
#[pyclass(frozen, module = "kvist._core", name = "Wanted")]
pub struct Request {
    /// The same for the reader.
    pub wanted: Arc<columns::Wanted>,
}

#[pymethods]
impl Request {
    /// `names` are the columns', `types` a mapping from names or positions, or a sequence, of
    /// `int`, `float`, `str` and `bytes`; `None` leaves a column alone.
    #[new]
    #[pyo3(signature = (names=None, types=None))]
    pub fn new(
        names: Option<&Bound<'_, PyAny>>,
        types: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let mut wanted = columns::Wanted::default();
        if let Some(names) = names {
            let names = names.try_iter()?.map(|name| name?.extract()).collect::<PyResult<_>>()?;
            wanted.names = Some(names);
        }
        match types {
            None => {}
            Some(types) if types.is_instance_of::<PyDict>() => {
                for (key, kind) in types.cast::<PyDict>()?.iter() {
                    let Some(kind) = type_of(&kind)? else { continue };
                    match key.extract::<String>() {
                        Ok(name) => wanted.types_by_name.push((name, kind)),
                        Err(_) => wanted.types.push((key.extract()?, kind)),
                    }
                }
            }
            Some(types) => {
                for (index, kind) in types.try_iter()?.enumerate() {
                    wanted.types.extend(type_of(&kind?)?.map(|kind| (index, kind)));
                }
            }
        }
        Ok(Request { wanted: Arc::new(wanted) })
    }
}

fn type_of(kind: &Bound<'_, PyAny>) -> PyResult<Option<Type>> {
    if kind.is_none() {
        return Ok(None);
    }
    let py = kind.py();
    let known = |class: &Bound<'_, PyType>| kind.is(class);
    if known(&py.get_type::<PyInt>()) {
        Ok(Some(Type::Int))
    } else if known(&py.get_type::<PyFloat>()) {
        Ok(Some(Type::Float))
    } else if known(&py.get_type::<PyString>()) {
        Ok(Some(Type::Text))
    } else if known(&py.get_type::<PyBytes>()) {
        Ok(Some(Type::Bytes))
    } else {
        let text = format!("a column's type is int, float, str or bytes, not {}", kind.repr()?);
        Err(PyTypeError::new_err(text))
    }
}

/// What a reply that was read as a table becomes.
pub fn result(py: Python<'_>, table: Result<Table, NotATable>) -> PyResult<Py<PyAny>> {
    match table {
        Ok(table) => Ok(Py::new(py, Columns { table: Arc::new(table) })?.into_any()),
        Err(NotATable::Error(text)) => Err(errors::raised(py, &ServerError::new(text))),
        Err(NotATable::Shape(text)) => {
            Err(errors::new(py, "DataError", &format!("the reply is no table: {text}")))
        }
    }
}

/// A reply as columns. Libraries that speak Arrow take it without copying: `pyarrow.table(it)`,
/// `polars.DataFrame(it)`, `pandas.DataFrame.from_arrow(it)`.
#[pyclass(frozen, weakref, module = "kvist", name = "Columns")]
pub struct Columns {
    /// What it shows.
    pub table: Arc<Table>,
}

impl Columns {
    fn column<'a>(&'a self, key: &Bound<'_, PyAny>) -> PyResult<&'a Column> {
        if let Ok(name) = key.extract::<String>() {
            return self.table.column(&name).ok_or_else(|| PyKeyError::new_err(name));
        }
        let index: isize = key.extract()?;
        let columns = self.table.columns();
        let found = usize::try_from(index).ok().or_else(|| columns.len().checked_add_signed(index));
        found
            .and_then(|index| columns.get(index))
            .ok_or_else(|| PyIndexError::new_err("there is no such column"))
    }

    fn titles(&self) -> Vec<String> {
        let columns = self.table.names().iter().zip(self.table.columns());
        columns.map(|(name, column)| format!("{name}: {}", column.type_name())).collect()
    }
}

#[pymethods]
impl Columns {
    /// The names of the columns.
    #[getter]
    fn names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.table.names())
    }

    /// The types of the columns, by their names: what Arrow calls them.
    #[getter]
    fn types<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let types = PyDict::new(py);
        for (name, column) in self.table.names().iter().zip(self.table.columns()) {
            types.set_item(name, column.type_name())?;
        }
        Ok(types)
    }

    /// How many rows and columns there are.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.table.rows(), self.table.columns().len())
    }

    fn __len__(&self) -> usize {
        self.table.rows()
    }

    /// A column, by its name or position, as a list.
    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let py = key.py();
        let column = self.column(key)?;
        list(py, column, 0, column.len())
    }

    /// The columns as lists, by their names.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, column) in self.table.names().iter().zip(self.table.columns()) {
            dict.set_item(name, list(py, column, 0, column.len())?)?;
        }
        Ok(dict)
    }

    /// The rows as a list of tuples.
    fn to_rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let rows = (0..self.table.rows()).map(|row| {
            let cells = self.table.row(row).map(|cell| object(py, cell));
            PyTuple::new(py, cells.collect::<PyResult<Vec<_>>>()?)
        });
        PyList::new(py, rows.collect::<PyResult<Vec<_>>>()?)
    }

    /// A `pyarrow.Table` of the same memory.
    fn to_arrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("table", (slf,))
    }

    /// A `polars.DataFrame`.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("polars")?.call_method1("DataFrame", (slf,))
    }

    /// A `pandas.DataFrame`; needs pyarrow too.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::to_arrow(slf)?.call_method0("to_pandas")
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let name = Some(c"arrow_schema".to_owned());
        PyCapsule::new(py, ArrowSchema::of(&self.table), name)
    }

    /// The rows as an array of structs. What a user would like better than the columns' own types
    /// they convert themselves.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        drop(requested_schema);
        let name = Some(c"arrow_array".to_owned());
        let array = PyCapsule::new(py, ArrowArray::of(&self.table), name)?;
        Ok((self.__arrow_c_schema__(py)?, array))
    }

    /// The rows as a stream of one batch.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let name = Some(c"arrow_array_stream".to_owned());
        PyCapsule::new(py, ArrowArrayStream::of(&self.table), name)
    }

    fn __repr__(&self) -> String {
        format!("<Columns: {} rows of ({})>", self.table.rows(), self.titles().join(", "))
    }

    /// What a notebook shows: the first rows.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let mut html = String::from("<table><thead><tr>");
        for title in self.titles() {
            let _ = write!(html, "<th>{}</th>", escaped(&title));
        }
        html += "</tr></thead><tbody>";
        for row in 0..self.table.rows().min(SHOWN) {
            html += "<tr>";
            for cell in self.table.row(row) {
                let shown = object(py, cell)?;
                let text = shown.str()?;
                let _ = write!(html, "<td>{}</td>", escaped(text.to_str()?));
            }
            html += "</tr>";
        }
        let _ = write!(html, "</tbody></table><p>{} rows</p>", self.table.rows());
        Ok(html)
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn list<'py>(
    py: Python<'py>,
    column: &Column,
    from: usize,
    to: usize,
) -> PyResult<Bound<'py, PyList>> {
    let items = (from..to).map(|row| object(py, column.get(row)));
    PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)
}

/// A value as an object.
fn object<'py>(py: Python<'py>, cell: Cell<'_>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match cell {
        Cell::Null => py.None().into_bound(py),
        Cell::Bool(truth) => PyBool::new(py, truth).to_owned().into_any(),
        Cell::Int(int) => int.into_pyobject(py)?.into_any(),
        Cell::Float(float) => PyFloat::new(py, float).into_any(),
        Cell::Bytes(bytes) => PyBytes::new(py, bytes).into_any(),
        Cell::Text(text) => PyString::new(py, text).into_any(),
        Cell::List(items, from, to) => list(py, items, from, to)?.into_any(),
        Cell::Struct(fields, row) => {
            let dict = PyDict::new(py);
            for (name, field) in fields {
                dict.set_item(name, object(py, field.get(row))?)?;
            }
            dict.into_any()
        }
    })
}
