//! Values as objects.

use haystack::{Cell, Dict, Value};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString};

use super::grid::{Grid, Source};
use super::instants;
use super::kinds::{Coord, Marker, NA, Number, Ref, Remove, Symbol, Uri, XStr, plain};

/// A value as an object.
pub fn object<'py>(py: Python<'py>, cell: &Cell<'_>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match *cell {
        Cell::Null => py.None().into_bound(py),
        Cell::Marker => Marker::one(py)?,
        Cell::Na => NA::one(py)?,
        Cell::Remove => Remove::one(py)?,
        Cell::Bool(is) => PyBool::new(py, is).to_owned().into_any(),
        Cell::Number(value, None) => plain(py, value)?,
        Cell::Number(value, Some(unit)) => {
            let of = haystack::Unit::named(unit).map_err(|error| super::refused(py, error))?;
            Bound::new(py, Number { value, of: Some(of) })?.into_any()
        }
        Cell::Str(text) => PyString::new(py, text).into_any(),
        Cell::Uri(text) => Bound::new(py, Uri { val: text.into() })?.into_any(),
        Cell::Ref(id, dis) => {
            Bound::new(py, Ref { val: id.into(), dis: dis.map(Into::into) })?.into_any()
        }
        Cell::Symbol(name) => Bound::new(py, Symbol { val: name.into() })?.into_any(),
        Cell::Date(date) => instants::date(py, date)?,
        Cell::Time(time) => instants::time(py, time)?,
        Cell::DateTime(at) => instants::datetime(py, at)?,
        Cell::Coord(coord) => Bound::new(py, Coord(coord))?.into_any(),
        Cell::XStr(of, text) => {
            Bound::new(py, XStr { type_name: of.into(), val: text.into() })?.into_any()
        }
        Cell::List(list) => self::list(py, list)?.into_any(),
        Cell::Dict(dict) => self::dict(py, dict)?.into_any(),
        Cell::Grid(grid) => Bound::new(py, Grid::of(Source::Own(grid.clone())))?.into_any(),
    })
}

fn list<'py>(py: Python<'py>, list: &[Value]) -> PyResult<Bound<'py, PyList>> {
    let items = list.iter().map(|value| object(py, &value.cell()));
    PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)
}

/// Tags and values as a dict.
pub fn dict<'py>(py: Python<'py>, dict: &Dict) -> PyResult<Bound<'py, PyDict>> {
    let made = PyDict::new(py);
    for (tag, value) in dict.iter() {
        made.set_item(tag.as_str(), object(py, &value.cell())?)?;
    }
    Ok(made)
}
