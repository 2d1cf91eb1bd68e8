//! Objects as values.

use haystack::{Dict, Value};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple};

use super::instants::{Moment, moment};
use super::kinds::{Coord, Marker, NA, Number, Ref, Remove, Symbol, Uri, XStr};
use super::{Grid, refused};

/// So deep lists, dicts and grids may be in one another, as in projects.
const DEEPEST: usize = 32;

/// The value that an object is.
///
/// # Errors
/// It is none: `DataError`.
pub fn value(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    within(object, DEEPEST)
}

/// The tags of a mapping.
///
/// # Errors
/// It is none; some of it is no value.
pub fn dict(object: &Bound<'_, PyAny>) -> PyResult<Dict> {
    tags(object, DEEPEST)
}

fn within(object: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    if let Some(value) = scalar(object)? {
        return Ok(value);
    }
    let below =
        || depth.checked_sub(1).ok_or_else(|| refused(object.py(), "values nest too deeply"));
    if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        let items = object.try_iter()?.map(|item| within(&item?, below()?));
        return items.collect::<PyResult<Vec<_>>>().map(Value::list);
    }
    if let Ok(grid) = object.cast::<Grid>() {
        return Ok(Value::grid(grid.get().to_grid(object.py())?));
    }
    if object.is_instance_of::<PyDict>() || object.is_instance_of::<PyMapping>() {
        return tags(object, below()?).map(Value::dict);
    }
    let text = format!("no value of Haystack's: {}", object.get_type().name()?);
    Err(refused(object.py(), text))
}

fn tags(object: &Bound<'_, PyAny>, depth: usize) -> PyResult<Dict> {
    let py = object.py();
    let Ok(mapping) = object.cast::<PyMapping>() else {
        return Err(PyTypeError::new_err("tags are a mapping of names to values"));
    };
    let mut dict = Dict::new();
    for pair in mapping.items()?.iter() {
        let (name, object): (String, Bound<'_, PyAny>) = pair.extract()?;
        let value = within(&object, depth)?;
        dict.put(&name, value).map_err(|error| refused(py, error))?;
    }
    Ok(dict)
}

/// What an object is if nothing is in it.
fn scalar(object: &Bound<'_, PyAny>) -> PyResult<Option<Value>> {
    let valid = |made: Result<Value, haystack::Error>| {
        made.map(Some).map_err(|error| refused(object.py(), error))
    };
    if object.is_none() {
        Ok(Some(Value::NULL))
    } else if let Ok(text) = object.cast::<PyString>() {
        Ok(Some(Value::str(text.to_str()?)))
    } else if let Ok(is) = object.cast::<PyBool>() {
        Ok(Some(is.is_true().into()))
    } else if object.is_instance_of::<PyFloat>() || object.is_instance_of::<PyInt>() {
        Ok(Some(object.extract::<f64>()?.into()))
    } else if object.is_instance_of::<Marker>() {
        Ok(Some(Value::MARKER))
    } else if let Ok(made) = object.cast::<Ref>() {
        let Ref { val, dis } = made.get();
        valid(dis.as_ref().map_or_else(|| Value::id(val), |dis| Value::id_dis(val, dis)))
    } else if let Ok(number) = object.cast::<Number>() {
        Ok(Some(Value::number(number.get().value, number.get().of.as_ref())))
    } else {
        rare(object)
    }
}

fn rare(object: &Bound<'_, PyAny>) -> PyResult<Option<Value>> {
    let py = object.py();
    let valid =
        |made: Result<Value, haystack::Error>| made.map(Some).map_err(|error| refused(py, error));
    if object.is_instance_of::<NA>() {
        Ok(Some(Value::NA))
    } else if object.is_instance_of::<Remove>() {
        Ok(Some(Value::REMOVE))
    } else if let Ok(symbol) = object.cast::<Symbol>() {
        valid(Value::symbol(&symbol.get().val))
    } else if let Ok(uri) = object.cast::<Uri>() {
        Ok(Some(Value::uri(&*uri.get().val)))
    } else if let Ok(coord) = object.cast::<Coord>() {
        Ok(Some(coord.get().0.into()))
    } else if let Ok(made) = object.cast::<XStr>() {
        valid(Value::xstr(&made.get().type_name, &made.get().val))
    } else {
        Ok(moment(object)?.map(|moment| match moment {
            Moment::Date(date) => date.into(),
            Moment::Time(time) => time.into(),
            Moment::DateTime(at) => at.into(),
        }))
    }
}
