//! Python's garbage collector, left out while a large reply is made into objects.
//!
//! It begins whenever there are some hundred lists more than there were, and looks at all of them:
//! for a reply of ten thousand rows that is half of the time, and none of it is garbage. What is
//! made here holds nothing that leads back to it.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyModule;
use wire::ReplyReader;

/// Replies of which so many bytes have come are large.
const LARGE: usize = 16 << 10;

static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();

/// As long as this lives, nothing is collected.
pub struct Paused<'py>(Bound<'py, PyModule>);

impl<'py> Paused<'py> {
    /// Pauses it if what is about to be read is large, and it is not paused already.
    #[inline]
    pub fn for_reply<V>(py: Python<'py>, reader: &ReplyReader<V>) -> Option<Self> {
        let pending = reader.pending();
        if pending.len() < LARGE || !(reader.is_within() || has_many(pending)) {
            return None;
        }
        // Without it the same is made, only slower.
        Self::now(py).ok().flatten()
    }

    /// Pauses it if so many rows are about to be made, and it is not paused already.
    pub fn for_rows(py: Python<'py>, rows: usize) -> Option<Self> {
        if rows < 100 { None } else { Self::now(py).ok().flatten() }
    }

    fn now(py: Python<'py>) -> PyResult<Option<Self>> {
        let module = MODULE.get_or_try_init(py, || py.import("gc").map(Bound::unbind))?.bind(py);
        if !module.call_method0(pyo3::intern!(py, "isenabled"))?.is_truthy()? {
            return Ok(None);
        }
        module.call_method0(pyo3::intern!(py, "disable"))?;
        Ok(Some(Paused(module.clone())))
    }
}

/// Whether a reply has a hundred items or more, by its first line; one of three lists may have them
/// inside, as what statements on graphs answer has.
fn has_many(reply: &[u8]) -> bool {
    let digits = |digits: &[u8]| digits.iter().all(u8::is_ascii_digit);
    match reply {
        [b'*', b'3', b'\r', b'\n', b'*', ..] => true,
        [b'*' | b'%' | b'~', a, b, c, ..] => digits(&[*a, *b, *c]),
        _ => false,
    }
}

impl Drop for Paused<'_> {
    fn drop(&mut self) {
        // It takes no arguments and cannot fail.
        let _ = self.0.call_method0(pyo3::intern!(self.0.py(), "enable"));
    }
}
