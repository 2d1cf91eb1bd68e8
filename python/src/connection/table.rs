//! Waiting for a reply that becomes columns.
//!
//! No object is made of such a reply, so the interpreter is not held while it is read either: the
//! connection's reader hands the stream on to one that makes columns, and takes it back when the
//! reply is complete. If that never comes the connection has lost its reader, and is dropped.

use super::{Connection, Read, Wanted, waiting};
use crate::errors;
use crate::shape::Shape;
use client::Error;
use columns::Rows;
use pyo3::prelude::*;
use std::io;

impl Connection {
    /// As [`reply`](Self::reply), for one that becomes columns: it is read without the interpreter.
    pub fn table(
        &mut self,
        py: Python<'_>,
        wanted: Wanted,
        columns: &columns::Wanted,
    ) -> PyResult<Py<PyAny>> {
        self.pass_messages(py, wanted)?;
        let text = wanted.decode && self.settings()?.encoding.is_utf8();
        let mut rows = Rows::new(columns::Wanted { text, ..columns.clone() });
        let Some(live) = &mut self.live else { return Err(errors::closed(py)) };
        let timeout = wanted.timeout.unwrap_or_else(|| live.transport.timeout());
        // Until it is handed back there is no reader, and the connection is good for nothing else.
        let Some(mut reader) = live.reader.hand_on::<()>() else { return Err(errors::closed(py)) };
        let done = waiting(py, &mut live.transport, |transport| {
            loop {
                match reader.next(&mut rows) {
                    Ok(Some(())) => return Ok(Ok(())),
                    Ok(None) => {}
                    Err(error) => return Ok(Err(error)),
                }
                transport.send(&mut reader)?;
                if transport.fill_within(&mut reader, timeout)? == 0 {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
        })?;
        match done {
            Ok(Ok(())) => {
                if let (Some(live), Some(reader)) = (&mut self.live, reader.hand_on()) {
                    live.reader = reader;
                    self.awaited = self.awaited.saturating_sub(1);
                }
                crate::columns::result(py, rows.finish())
            }
            Ok(Err(error)) => {
                self.drop_socket();
                Err(errors::of_client(py, &Error::Protocol(error)))
            }
            Err(error) => Err(self.broken(py, error)),
        }
    }

    /// Waits until the next bytes begin a reply; messages before it are given to their handler.
    fn pass_messages(&mut self, py: Python<'_>, wanted: Wanted) -> PyResult<()> {
        let mut within = false;
        loop {
            let Some(live) = &self.live else { return Err(errors::closed(py)) };
            match live.reader.pending().first() {
                Some(mark) if within || *mark == b'>' => {
                    match self.parse(py, Shape::Plain, wanted.decode)? {
                        Read::Incomplete => {
                            within = true;
                            self.fill(py, wanted.timeout)?;
                        }
                        Read::Push(push) => {
                            within = false;
                            self.pushed(py, push)?;
                        }
                        Read::Reply(_) => return Err(errors::closed(py)),
                    }
                }
                Some(_) => return Ok(()),
                None => self.fill(py, wanted.timeout)?,
            }
        }
    }
}
