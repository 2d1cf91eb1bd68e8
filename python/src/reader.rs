//! Parses replies from bytes that another transport has received: `kvist.Reader`.

use crate::collector::Paused;
use crate::columns::Request;
use crate::errors;
use crate::leaving;
use crate::objects::Objects;
use crate::shape::Shape;
use crate::words::Encoding;
use client::Error;
use columns::Rows;
use pyo3::prelude::*;
use wire::{ReplyError, ReplyReader};

/// Reads replies from bytes, for programs with a transport of their own: files of replies, proxies,
/// event loops. Bytes come in by `feed`, in any pieces, and replies out by `gets`.
///
/// With an `encoding`, strings become text. `raw` replies are as near to the protocol as objects
/// can be. What `gets` returns before a reply is whole is `not_enough_data`.
#[pyclass(module = "kvist", name = "Reader")]
pub struct Reader {
    encoding: Encoding,
    not_enough_data: Py<PyAny>,
    reader: ReplyReader<Py<PyAny>>,
    /// A reply that is read as columns, in part; the bytes behind it wait in its reader.
    table: Option<(ReplyReader<()>, Rows)>,
    failure: Option<PyErr>,
}

fn broken(py: Python<'_>, error: ReplyError) -> PyErr {
    errors::of_client(py, &Error::Protocol(error))
}

#[pymethods]
impl Reader {
    #[new]
    #[pyo3(signature = (*, encoding=None, errors="strict", raw=false, not_enough_data=None))]
    fn new(
        py: Python<'_>,
        encoding: Option<&str>,
        errors: &str,
        raw: bool,
        not_enough_data: Option<Py<PyAny>>,
    ) -> Self {
        let decode = encoding.is_some();
        Reader {
            encoding: Encoding::new(encoding.unwrap_or("utf-8"), errors, decode).raw(raw),
            not_enough_data: not_enough_data.unwrap_or_else(|| py.None()),
            reader: ReplyReader::new(),
            table: None,
            failure: None,
        }
    }

    /// Takes bytes.
    fn feed(&mut self, data: &[u8]) {
        match &mut self.table {
            Some((reader, _)) => reader.feed(data),
            None => self.reader.feed(data),
        }
    }

    /// Whether there are bytes that belong to no reply yet.
    fn has_data(&self) -> bool {
        match &self.table {
            Some((reader, _)) => !reader.is_idle(),
            None => !self.reader.is_idle(),
        }
    }

    /// The next reply, if it is whole. An error reply is returned as an exception, not raised: what
    /// is raised is `InvalidResponse`, after which the bytes can be understood no more.
    fn gets(&mut self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        if self.table.is_some() {
            let text = "a reply is being read as columns: ask for the rest of it so";
            return Err(errors::new(py, "DataError", text));
        }
        let mut objects = Objects::new(py, &self.encoding, self.encoding.decode, Shape::Plain);
        let paused = Paused::for_reply(py, &self.reader);
        let read = self.reader.next(&mut objects);
        drop(paused);
        let Objects { error, failure, .. } = objects;
        let failure = self.failure.take().or(failure);
        match read.map_err(|error| broken(py, error))? {
            None => {
                self.failure = failure;
                Ok(self.not_enough_data.clone_ref(py))
            }
            Some(value) => match (error, failure) {
                (Some(error), _) => errors::of_reply(py, &error),
                (None, Some(failure)) => Err(failure),
                (None, None) => Ok(value),
            },
        }
    }

    /// The next reply as columns, if it is whole; the arguments are those of `Kvist.columns`.
    #[pyo3(signature = (*, names=None, types=None))]
    fn columns(
        &mut self,
        py: Python<'_>,
        names: Option<&Bound<'_, PyAny>>,
        types: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let table = match self.table.take() {
            Some(table) => Some(table),
            None => {
                let wanted = Request::new(names, types)?.wanted;
                let text = self.encoding.decode && self.encoding.is_utf8();
                let wanted = columns::Wanted { text, ..columns::Wanted::clone(&wanted) };
                self.reader.hand_on().map(|reader| (reader, Rows::new(wanted)))
            }
        };
        let Some((mut reader, mut rows)) = table else {
            let text = "a reply is being read as objects: ask for the rest of it so";
            return Err(errors::new(py, "DataError", text));
        };
        // It takes a while, and no other thread can use this reader meanwhile.
        let read =
            leaving::without(py, || reader.next(&mut rows)).map_err(|error| broken(py, error))?;
        if read.is_none() {
            self.table = Some((reader, rows));
            return Ok(self.not_enough_data.clone_ref(py));
        }
        self.reader = reader.hand_on().unwrap_or_default(); // it is between replies
        crate::columns::result(py, rows.finish())
    }
}
