//! Trying again what failed for want of a connection, as a `Retry` says.
//!
//! ```text
//!   Retry itself         persist            the rules of `Retry.call_with_retry`, kept here
//!   a class that is      persist_its_way    its own `call_with_retry`, given functions to call:
//!   based on it                             what to attempt, and whom to tell of a failure
//! ```
//!
//! The first is for nearly all programs and costs nothing as long as nothing fails. Which of the
//! two it is was found out when the client was made.

use std::time::Duration;

use crate::client::Executor;
use crate::errors;
use crate::leaving;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyCFunction, PyDict, PyModule, PyTuple};

static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();

/// Whether a `Retry` is of a class that decides for itself what is tried again, or how.
pub fn has_own_ways(retry: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = retry.py();
    let module = MODULE.get_or_try_init(py, || py.import("kvist.retry").map(Bound::unbind))?;
    let module = module.bind(py);
    if retry.get_type().is(&module.getattr(pyo3::intern!(py, "Retry"))?) {
        return Ok(false);
    }
    module.call_method1(pyo3::intern!(py, "has_own_ways"), (retry,))?.extract()
}

impl Executor {
    /// Calls `act` until it succeeds, fails for a reason that trying again cannot help, or has
    /// failed too often. `failed` is told of every failure that is worth another try, and may end
    /// the matter with an exception of its own.
    pub fn persist<T>(
        &self,
        py: Python<'_>,
        mut act: impl FnMut() -> PyResult<T>,
        mut failed: impl FnMut(&PyErr) -> PyResult<()>,
    ) -> PyResult<T> {
        let mut failures = 0_i64;
        loop {
            let error = match act() {
                Ok(done) => return Ok(done),
                Err(error) => error,
            };
            let Some(retry) = &self.retry else { return Err(error) };
            let retry = retry.bind(py);
            let supported = retry.getattr(pyo3::intern!(py, "_supported_errors"))?;
            if !errors::is_worth_retrying(py, &error, &supported)? {
                return Err(error);
            }
            let backoff = retry.getattr(pyo3::intern!(py, "_backoff"))?;
            if failures == 0 {
                backoff.call_method0(pyo3::intern!(py, "reset"))?;
            }
            failures += 1;
            failed(&error)?;
            let retries: i64 = retry.getattr(pyo3::intern!(py, "_retries"))?.extract()?;
            if retries >= 0 && failures > retries {
                return Err(error);
            }
            let wait: f64 =
                backoff.call_method1(pyo3::intern!(py, "compute"), (failures,))?.extract()?;
            if wait > 0.0 {
                leaving::pause(py, Duration::try_from_secs_f64(wait).unwrap_or(Duration::MAX))?;
            }
        }
    }

    /// The same as the `call_with_retry` of the `Retry` does it.
    pub fn persist_its_way(
        &self,
        py: Python<'_>,
        act: impl Fn(Python<'_>) -> PyResult<Py<PyAny>> + Send + 'static,
        failed: impl Fn(Python<'_>, &PyErr) -> PyResult<()> + Send + 'static,
    ) -> PyResult<Py<PyAny>> {
        let Some(retry) = &self.retry else { return act(py) };
        type Given<'a, 'py> = &'a Bound<'py, PyTuple>;
        type Named<'a, 'py> = Option<&'a Bound<'py, PyDict>>;
        let act = move |args: Given<'_, '_>, _: Named<'_, '_>| act(args.py());
        let failed = move |args: Given<'_, '_>, _: Named<'_, '_>| {
            let error = PyErr::from_value(args.get_item(0)?);
            failed(args.py(), &error)
        };
        let act = PyCFunction::new_closure(py, None, None, act)?;
        let failed = PyCFunction::new_closure(py, None, None, failed)?;
        let name = pyo3::intern!(py, "call_with_retry");
        Ok(retry.bind(py).call_method1(name, (act, failed))?.unbind())
    }
}
