//! What clients of a cluster need of the native part: the slot of a key, and a pipeline's requests
//! on one connection and its replies on another day.
//!
//! ```text
//!   Batch.send(a) ─► Batch.send(b) ─► Batch.send(c)     every node has its share
//!   receive from a    receive from b    receive from c   before any reply is waited for
//! ```
//!
//! A pipeline of a cluster takes as long as its slowest node, not as long as all of them together.

use crate::client::Kept;
use crate::connection::Connection;
use crate::pipeline::Pipeline;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyList, PyMemoryView, PyString};

/// The slot of a key: text (as UTF-8) or anything with bytes.
#[pyfunction]
pub fn slot(key: &Bound<'_, PyAny>) -> PyResult<u16> {
    if let Ok(text) = key.cast::<PyString>() {
        return Ok(client::cluster::slot(text.to_str()?.as_bytes()));
    }
    if let Ok(bytes) = key.cast::<PyBytes>() {
        return Ok(client::cluster::slot(bytes.as_bytes()));
    }
    if let Ok(bytes) = key.cast::<PyByteArray>() {
        return Ok(client::cluster::slot(&bytes.to_vec()));
    }
    if key.is_instance_of::<PyMemoryView>() {
        let bytes = key.call_method0(pyo3::intern!(key.py(), "tobytes"))?;
        return Ok(client::cluster::slot(bytes.cast::<PyBytes>()?.as_bytes()));
    }
    Err(PyTypeError::new_err("a key is text or bytes"))
}

/// The commands of a pipeline on their way over one connection.
#[pyclass(module = "kvist._core", name = "Batch")]
pub struct Batch {
    connection: Py<Connection>,
    plans: Vec<Kept>,
}

#[pymethods]
impl Batch {
    /// Sends the commands that a pipeline has queued, between `MULTI` and `EXEC` if `transaction`
    /// is true.
    #[staticmethod]
    fn send(
        py: Python<'_>,
        connection: &Bound<'_, Connection>,
        pipeline: &Bound<'_, Pipeline>,
        transaction: bool,
    ) -> PyResult<Self> {
        let (bytes, plans) = pipeline.borrow().batch(py, transaction);
        let count = u64::try_from(plans.len()).unwrap_or(u64::MAX);
        let mut wire = Connection::hold(connection)?;
        wire.requests(py, &bytes, count)?;
        wire.send(py)?;
        Ok(Batch { connection: connection.clone().unbind(), plans })
    }

    /// Waits for the replies and appends them to a list; an error is one like any other. The
    /// pipeline's `_finish` makes results of them. What was read before a failure is in the list.
    fn receive(&mut self, py: Python<'_>, into: &Bound<'_, PyList>) -> PyResult<()> {
        let mut wire = Connection::hold(self.connection.bind(py))?;
        for kept in self.plans.drain(..) {
            let mut wanted = wire.wanted(kept.shape)?;
            wanted.decode &= !kept.never_decode;
            let reply = wire.reply(py, wanted);
            into.append(kept.result(py, reply)?)?;
        }
        Ok(())
    }

    /// How many replies are still to come.
    fn __len__(&self) -> usize {
        self.plans.len()
    }
}
