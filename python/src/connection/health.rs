//! Whether a connection that was idle, however shortly, may be used again.

use super::{Connection, Read};
use crate::errors;
use crate::shape::Shape;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

impl Connection {
    /// Whether the server has left the connection alone: it is open, and nothing has come but
    /// messages out of band, which go to their handler.
    pub fn is_quiet(&mut self, py: Python<'_>) -> bool {
        if !self.is_sure() {
            return false;
        }
        let Some(live) = &mut self.live else { return false };
        match live.transport.fill_now(&mut live.reader) {
            Ok(None) => true,
            Ok(Some(0)) | Err(_) => false,
            Ok(Some(_)) => loop {
                match self.parse(py, Shape::Plain, false) {
                    Ok(Read::Push(push)) => {
                        if self.pushed(py, push).is_err() {
                            return false;
                        }
                    }
                    Ok(Read::Incomplete) => {
                        return self.live.as_ref().is_some_and(|live| live.reader.is_idle());
                    }
                    Ok(Read::Reply(_)) | Err(_) => return false,
                }
            },
        }
    }

    pub(super) fn ping(&mut self, py: Python<'_>) -> PyResult<()> {
        self.request(py, &PyTuple::new(py, ["PING"])?)?;
        let wanted = self.wanted(Shape::Pong)?;
        let pong = self.reply(py, wanted)?;
        if pong.bind(py).is_truthy()? {
            return Ok(());
        }
        self.drop_socket();
        Err(errors::new(py, "ConnectionError", "Bad response from PING health check"))
    }
}
