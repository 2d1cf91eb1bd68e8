//! Results for the futures that tasks wait on.

use pyo3::prelude::*;

/// Gives a future its result, unless its task has given up.
pub fn resolve(py: Python<'_>, future: &Py<PyAny>, result: PyResult<Py<PyAny>>) -> PyResult<()> {
    let future = future.bind(py);
    if future.call_method0(pyo3::intern!(py, "done"))?.is_truthy()? {
        return Ok(());
    }
    match result {
        Ok(value) => future.call_method1(pyo3::intern!(py, "set_result"), (value,))?,
        Err(error) => {
            future.call_method1(pyo3::intern!(py, "set_exception"), (error.into_value(py),))?
        }
    };
    Ok(())
}
