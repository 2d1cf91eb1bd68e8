//! Errors of the client as Python's exceptions, whose classes are written in Python.

use client::{Error, ServerError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyModule;

static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();

fn module(py: Python<'_>) -> PyResult<&Bound<'_, PyModule>> {
    let module = MODULE.get_or_try_init(py, || py.import("kvist.exceptions").map(Bound::unbind))?;
    Ok(module.bind(py))
}

/// An exception of one of the package's classes.
pub fn new(py: Python<'_>, class: &str, text: &str) -> PyErr {
    match module(py).and_then(|module| module.getattr(class)?.call1((text,))) {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// The exception that an error reply becomes, as an object: in a transaction it is one result of
/// several.
pub fn of_reply(py: Python<'_>, error: &ServerError) -> PyResult<Py<PyAny>> {
    let arguments = (error.class.name(), error.message(), error.code());
    Ok(module(py)?.call_method1(pyo3::intern!(py, "of_reply"), arguments)?.unbind())
}

/// The exception that an error reply is raised as.
pub fn raised(py: Python<'_>, error: &ServerError) -> PyErr {
    match of_reply(py, error) {
        Ok(exception) => PyErr::from_value(exception.into_bound(py)),
        Err(error) => error,
    }
}

/// The exception for anything that goes wrong with a connection, in redis-py's words where it has
/// some.
pub fn of_client(py: Python<'_>, error: &Error) -> PyErr {
    match error {
        Error::Server(error) => raised(py, error),
        Error::Connection(text, Some(cause)) => {
            let reason = cause.to_string();
            let reason = reason.split(" (os error").next().unwrap_or_default();
            let text = match (cause.raw_os_error(), text.strip_prefix("Error connecting to ")) {
                (Some(number), Some(address)) => {
                    format!("Error {number} connecting to {address}. {reason}.")
                }
                _ => format!("{text}: {reason}"),
            };
            new(py, "ConnectionError", &text)
        }
        other => new(py, other.class().name(), &other.to_string()),
    }
}

/// The connection is at its end.
pub fn closed(py: Python<'_>) -> PyErr {
    new(py, "ConnectionError", "Connection closed by server.")
}

/// The server was a primary and is none any more.
pub fn demoted(py: Python<'_>) -> PyErr {
    new(py, "ConnectionError", "The previous master is now a slave")
}

/// Whether trying again is wanted after an exception: a `Retry` names the classes, but a wrong
/// password stays wrong and a full pool full, unless it names just those.
pub fn is_worth_retrying(
    py: Python<'_>,
    error: &PyErr,
    supported: &Bound<'_, PyAny>,
) -> PyResult<bool> {
    if !error.matches(py, supported)? {
        return Ok(false);
    }
    let last = module(py)?.getattr(pyo3::intern!(py, "FINAL"))?;
    Ok(!error.matches(py, last)? || supported.contains(error.get_type(py))?)
}
