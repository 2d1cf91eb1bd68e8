//! Grids: rows of which objects are made when they are looked at.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use ::folio::Found;
use ::folio::packed::Packed;
use haystack::value::Rows;
use haystack::{Cell, Col, Dict, GridBuilder, Tag};
use pyo3::exceptions::{PyIndexError, PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyList, PySlice, PyString};

use super::arrow::{self, Whole};
use super::{objects, refused, to_zinc, values};
use crate::collector::Paused;
use crate::columns::Columns;
use crate::{errors, leaving};

/// Replies of so many bytes are read without the interpreter.
const LONG: usize = 64 << 10;

/// Where the rows of a grid are.
pub enum Source {
    /// In a grid of its own.
    Own(haystack::Grid),
    /// In the bytes of a reply.
    Packed(Box<Packed<PyBackedBytes>>),
    /// In the engine of this process: in a version of the project.
    Found(Box<Found>),
}

impl Source {
    fn rows(&self) -> &(dyn Rows + Sync) {
        match self {
            Source::Own(grid) => grid,
            Source::Packed(packed) => &**packed,
            Source::Found(found) => &**found,
        }
    }
}

/// A column of a grid: its name, and what is said of it.
#[pyclass(frozen, eq, module = "kvist.folio")]
#[derive(PartialEq)]
pub struct GridCol(Col);

#[pymethods]
impl GridCol {
    #[classattr]
    #[pyo3(name = "__match_args__")]
    const MATCH_ARGS: (&'static str, &'static str) = ("name", "meta");

    #[new]
    #[pyo3(signature = (name, meta=None))]
    fn new(py: Python<'_>, name: &str, meta: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let name = Tag::new(name).map_err(|error| refused(py, error))?;
        Ok(GridCol(Col { name, meta: meta.map_or(Ok(Dict::new()), values::dict)? }))
    }

    /// The name.
    #[getter]
    fn name(&self) -> &str {
        self.0.name.as_str()
    }

    /// What is said of the column: nothing, mostly.
    #[getter]
    fn meta<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let said = (!self.0.meta.is_empty()).then(|| objects::dict(py, &self.0.meta));
        said.transpose()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let name = PyString::new(py, self.name()).repr()?;
        Ok(match self.meta(py)? {
            Some(meta) => format!("GridCol(name={name}, meta={})", meta.repr()?),
            None => format!("GridCol(name={name})"),
        })
    }
}

/// Rows of cells below named columns. Rows are dicts, and are made when they are asked for; a cell
/// that is null is not in them. It shows a moment: what it was made of may change meanwhile.
#[pyclass(frozen, weakref, module = "kvist.folio")]
pub struct Grid {
    source: Source,
    /// The names of the columns, which are the keys of all rows.
    names: PyOnceLock<Vec<Py<PyString>>>,
    table: OnceLock<Arc<columns::Table>>,
}

impl Grid {
    /// A grid of these rows.
    pub fn of(source: Source) -> Self {
        Grid { source, names: PyOnceLock::new(), table: OnceLock::new() }
    }

    /// The rows.
    pub fn rows_of(&self) -> &(dyn Rows + Sync) {
        self.source.rows()
    }

    fn keys(&self, py: Python<'_>) -> &[Py<PyString>] {
        self.names.get_or_init(py, || {
            let cols = self.rows_of().cols().iter();
            cols.map(|col| PyString::intern(py, col.name.as_str()).unbind()).collect()
        })
    }

    fn place_of(&self, name: &str) -> PyResult<usize> {
        let mut cols = self.rows_of().cols().iter();
        let place = cols.position(|col| col.name.as_str() == name);
        place.ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }

    fn row<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyDict>> {
        let (rows, dict) = (self.rows_of(), PyDict::new(py));
        for (col, key) in self.keys(py).iter().enumerate() {
            let cell = rows.cell(row, col);
            if !cell.is_null() {
                dict.set_item(key, objects::object(py, &cell)?)?;
            }
        }
        Ok(dict)
    }

    fn some<'py>(
        &self,
        py: Python<'py>,
        rows: impl ExactSizeIterator<Item = usize>,
    ) -> PyResult<Bound<'py, PyList>> {
        let paused = Paused::for_rows(py, rows.len());
        let made = rows.map(|row| self.row(py, row)).collect::<PyResult<Vec<_>>>();
        let list = PyList::new(py, made?);
        drop(paused);
        list
    }

    /// The same as a grid of its own.
    pub fn to_grid(&self, py: Python<'_>) -> PyResult<haystack::Grid> {
        if let Source::Own(grid) = &self.source {
            return Ok(grid.clone());
        }
        let rows = self.rows_of();
        let made = GridBuilder::new(rows.meta().clone(), rows.cols().to_vec());
        let mut grid = made.map_err(|error| refused(py, error))?;
        for row in 0..rows.row_count() {
            let cells = (0..rows.cols().len()).map(|col| rows.cell(row, col).to_value());
            grid.push(cells.collect::<Vec<_>>());
        }
        Ok(grid.finish())
    }

    fn made(&self, py: Python<'_>) -> Arc<columns::Table> {
        let make = || {
            Arc::new(arrow::table(self.rows_of(), |col| match &self.source {
                Source::Packed(packed) => whole(packed, col),
                Source::Own(_) | Source::Found(_) => None,
            }))
        };
        match self.table.get() {
            Some(table) => Arc::clone(table),
            None => {
                let made = leaving::without(py, make);
                Arc::clone(self.table.get_or_init(|| made))
            }
        }
    }
}

/// A column that lies in one piece.
fn whole(packed: &Packed<PyBackedBytes>, col: usize) -> Option<Whole> {
    if let Some((zone, all)) = packed.instants(col) {
        return Some(Whole::instants(zone, all.collect()));
    }
    let (unit, all) = packed.numbers(col)?;
    Some(Whole::numbers(unit, all.collect()))
}

/// The grid of what the engine of this process has handed over.
pub fn handed_over(py: Python<'_>, object: Box<dyn Any + Send>) -> PyResult<Py<PyAny>> {
    match object.downcast::<Found>() {
        Ok(found) => Ok(Py::new(py, Grid::of(Source::Found(found)))?.into_any()),
        Err(_) => Err(errors::new(py, "InvalidResponse", "the engine answered something unknown")),
    }
}

fn cols_of(cols: &Bound<'_, PyAny>) -> PyResult<Vec<Col>> {
    let cols = cols.try_iter()?.map(|col| {
        let col = col?;
        match col.cast::<GridCol>() {
            Ok(col) => Ok(col.get().0.clone()),
            Err(_) => GridCol::new(col.py(), &col.extract::<String>()?, None).map(|col| col.0),
        }
    });
    cols.collect()
}

#[pymethods]
impl Grid {
    /// Rows are dicts of tags. Without `cols` the columns are all tags that a row has: `id` first,
    /// `mod` last, the others in order.
    #[new]
    #[pyo3(signature = (meta=None, cols=None, rows=None))]
    fn new(
        py: Python<'_>,
        meta: Option<&Bound<'_, PyAny>>,
        cols: Option<&Bound<'_, PyAny>>,
        rows: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let meta = meta.map_or(Ok(Dict::new()), values::dict)?;
        let dicts = rows.map(|rows| rows.try_iter()?.map(|row| values::dict(&row?)).collect());
        let dicts: Vec<Dict> = dicts.unwrap_or(Ok(Vec::new()))?;
        let made = match cols.map(cols_of).transpose()? {
            None => haystack::Grid::from_dicts(meta, &dicts),
            Some(cols) => GridBuilder::new(meta, cols).map(|mut grid| {
                dicts.iter().for_each(|dict| grid.push_dict(dict));
                grid.finish()
            }),
        };
        Ok(Grid::of(Source::Own(made.map_err(|error| refused(py, error))?)))
    }

    /// A grid of dicts.
    #[staticmethod]
    #[pyo3(name = "to_grid", signature = (rows, meta=None))]
    fn of_dicts(rows: &Bound<'_, PyAny>, meta: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        Grid::new(rows.py(), meta, None, Some(rows))
    }

    /// The grid of a reply: bytes in the format `columns`.
    #[staticmethod]
    fn read(py: Python<'_>, reply: PyBackedBytes) -> PyResult<Self> {
        let long = reply.len() > LONG;
        let read = || Packed::read(reply);
        let packed = if long { leaving::without(py, read) } else { read() };
        let packed = packed.map_err(|why| {
            errors::new(py, "InvalidResponse", &format!("the columns cannot be read: {why}"))
        })?;
        Ok(Grid::of(Source::Packed(Box::new(packed))))
    }

    /// What is said of the whole.
    #[getter]
    fn meta<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        objects::dict(py, self.rows_of().meta())
    }

    /// The columns.
    #[getter]
    fn cols(&self) -> Vec<GridCol> {
        self.rows_of().cols().iter().cloned().map(GridCol).collect()
    }

    /// The names of the columns.
    #[getter]
    fn col_names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.keys(py))
    }

    /// All rows, as dicts.
    #[getter]
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.some(py, 0..self.rows_of().row_count())
    }

    fn __len__(&self) -> usize {
        self.rows_of().row_count()
    }

    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, count) = (index.py(), self.rows_of().row_count());
        if let Ok(slice) = index.cast::<PySlice>() {
            let places = slice.indices(isize::try_from(count).unwrap_or(isize::MAX))?;
            let at = |step: usize| {
                let offset = places.step.saturating_mul(isize::try_from(step).unwrap_or(0));
                usize::try_from(places.start.saturating_add(offset)).unwrap_or(count)
            };
            return Ok(self.some(py, (0..places.slicelength).map(at))?.into_any());
        }
        let Ok(index) = index.extract::<isize>() else {
            return Err(PyTypeError::new_err("rows are counted: use column(name) for a column"));
        };
        let row = usize::try_from(index).ok().or_else(|| count.checked_add_signed(index));
        match row.filter(|row| *row < count) {
            Some(row) => Ok(self.row(py, row)?.into_any()),
            None => Err(PyIndexError::new_err("there is no such row")),
        }
    }

    fn __iter__(slf: Bound<'_, Self>) -> GridRows {
        GridRows { grid: slf.unbind(), next: 0 }
    }

    /// The values of a column: `None` where a row has none.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let (rows, col) = (self.rows_of(), self.place_of(name)?);
        let paused = Paused::for_rows(py, rows.row_count());
        let made = (0..rows.row_count()).map(|row| objects::object(py, &rows.cell(row, col)));
        let list = PyList::new(py, made.collect::<PyResult<Vec<_>>>()?);
        drop(paused);
        list
    }

    /// The numbers of a column as doubles, side by side, in bytes: NaN where a row has none.
    fn doubles<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyBytes>> {
        self.eights(py, name, f64::NAN.to_ne_bytes(), |cell| match cell {
            Cell::Number(number, _) => Some(number.to_ne_bytes()),
            _ => None,
        })
    }

    /// The instants of a column in nanoseconds since 1970, side by side, in bytes: the lowest
    /// number where a row has none.
    fn nanos<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyBytes>> {
        self.eights(py, name, i64::MIN.to_ne_bytes(), |cell| match cell {
            Cell::DateTime(at) => Some(at.nanos().to_ne_bytes()),
            _ => None,
        })
    }

    /// The kinds of a column's values, in order: `Null` and `Na` among them.
    fn kinds(&self, name: &str) -> PyResult<Vec<String>> {
        let (rows, col) = (self.rows_of(), self.place_of(name)?);
        let kinds = (0..rows.row_count()).map(|row| rows.cell(row, col).kind());
        let kinds: std::collections::BTreeSet<_> = kinds.collect();
        Ok(kinds.into_iter().map(|kind| format!("{kind:?}")).collect())
    }

    /// All rows as columns of Arrow's types, for everything that takes `__arrow_c_stream__`.
    fn to_columns(&self, py: Python<'_>) -> Columns {
        Columns { table: self.made(py) }
    }

    fn __arrow_c_schema__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let columns = Bound::new(slf.py(), slf.get().to_columns(slf.py()))?;
        columns.call_method0("__arrow_c_schema__")
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let name = Some(c"arrow_array_stream".to_owned());
        PyCapsule::new(py, columns::arrow::ArrowArrayStream::of(&self.made(py)), name)
    }

    /// A `pyarrow.Table`; kinds, units and zones are in the metadata of its fields.
    fn to_arrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        tables(slf, "to_arrow", None)
    }

    /// A column as an array of NumPy: doubles, instants, truths, or else objects.
    fn to_numpy<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        tables(slf, "to_numpy", Some(name))
    }

    /// A `pandas.DataFrame`; needs pyarrow too.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        tables(slf, "to_pandas", None)
    }

    /// A `polars.DataFrame`.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        tables(slf, "to_polars", None)
    }

    /// The text of the grid in Zinc.
    fn to_zinc(slf: &Bound<'_, Self>) -> PyResult<String> {
        to_zinc(slf.as_any())
    }

    fn __eq__(&self, py: Python<'_>, other: &Grid) -> PyResult<bool> {
        Ok(self.to_grid(py)? == other.to_grid(py)?)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let read = slf.py().import("kvist.folio")?.getattr("from_zinc")?;
        Ok((read, (to_zinc(slf.as_any())?,)))
    }

    fn __repr__(&self) -> String {
        let rows = self.rows_of();
        let names: Vec<&str> = rows.cols().iter().map(|col| col.name.as_str()).collect();
        format!("<Grid: {} rows of ({})>", rows.row_count(), names.join(", "))
    }
}

impl Grid {
    fn eights<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        default: [u8; 8],
        pick: impl Fn(&Cell<'_>) -> Option<[u8; 8]>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (rows, col) = (self.rows_of(), self.place_of(name)?);
        let mut bytes = Vec::with_capacity(rows.row_count().saturating_mul(8));
        for row in 0..rows.row_count() {
            bytes.extend_from_slice(&pick(&rows.cell(row, col)).unwrap_or(default));
        }
        Ok(PyBytes::new(py, &bytes))
    }
}

/// Has Python's part make a table of another package.
fn tables<'py>(
    grid: &Bound<'py, Grid>,
    what: &str,
    column: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let module = grid.py().import("kvist.folio._tables")?;
    match column {
        Some(column) => module.call_method1(what, (grid, column)),
        None => module.call_method1(what, (grid,)),
    }
}

/// The rows of a grid, one after the other.
#[pyclass(module = "kvist._core")]
pub struct GridRows {
    grid: Py<Grid>,
    next: usize,
}

#[pymethods]
impl GridRows {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let grid = self.grid.get();
        let row = self.next;
        if row >= grid.rows_of().row_count() {
            return Ok(None);
        }
        self.next += 1;
        grid.row(py, row).map(Some)
    }

    fn __length_hint__(&self) -> usize {
        self.grid.get().rows_of().row_count().saturating_sub(self.next)
    }
}
