//! The other server: what is said to it, and what it answers.
//!
//! Requests are written without waiting for replies, as many as a batch has. Every reply that is
//! expected is one line.

use std::time::Duration;

use base::CmdError;

use super::{CONNECTING, DialError, DumpedKey, Line, Order, READING, WRITING};
use crate::engine::Engine;

/// Requests are written when they are so long together.
const WRITTEN: usize = 64 << 10;
/// The longest line that is believed.
const LINE_MAX: usize = 64 << 10;

/// A connection to the target, logged in, with the database selected.
pub(super) struct Target {
    line: Box<dyn Line>,
    /// Bytes that have come and were not looked at yet.
    input: Vec<u8>,
    /// Replies to removals that have not come yet.
    removals: usize,
}

impl Target {
    /// Connects.
    ///
    /// # Errors
    /// What the client is told.
    pub fn reach(engine: &Engine, order: &Order) -> Result<Self, CmdError> {
        let dial = engine.dial().ok_or(CONNECTING)?;
        let timeout = order.timeout.max(Duration::from_millis(1));
        let line = dial(&order.host, order.port, timeout).map_err(|error| match error {
            DialError::Unreachable => CONNECTING,
            DialError::Refused => WRITING,
        })?;
        let mut target = Target { line, input: Vec::new(), removals: 0 };
        let mut out = Vec::new();
        if let Some(password) = &order.credentials.password {
            let mut words: Vec<&[u8]> = vec![b"AUTH"];
            words.extend(order.credentials.user.as_deref());
            words.push(password);
            out.extend(wire::request(words));
        }
        out.extend(wire::request([&b"SELECT"[..], order.db.to_string().as_bytes()]));
        target.write(&out)?;
        let mut refused = None;
        for _ in 0..1 + usize::from(order.credentials.password.is_some()) {
            if let Err(refusal) = target.reply()? {
                refused.get_or_insert(refusal);
            }
        }
        refused.map_or(Ok(target), Err)
    }

    /// Asks for keys; each is replied to.
    pub fn restore<'p>(
        &mut self,
        keys: impl Iterator<Item = &'p DumpedKey>,
        replace: bool,
    ) -> Result<(), CmdError> {
        let mut out = Vec::new();
        for DumpedKey { key, payload, ttl, .. } in keys {
            let ttl = ttl.to_string();
            let mut words: Vec<&[u8]> = vec![b"RESTORE", key, ttl.as_bytes(), payload];
            if replace {
                words.push(b"REPLACE");
            }
            out.append(&mut wire::request(words));
            if out.len() >= WRITTEN {
                // One payload is in memory a second time, not all of them.
                self.write(&std::mem::take(&mut out))?;
            }
        }
        self.write(&out)
    }

    /// Removes a key again. [`Target::removed`] takes the reply.
    pub fn remove(&mut self, key: &[u8]) -> Result<(), CmdError> {
        self.write(&wire::request([&b"DEL"[..], key]))?;
        self.removals += 1;
        Ok(())
    }

    /// Takes the replies to all removals; every other reply must have been taken.
    pub fn removed(&mut self) -> Result<(), CmdError> {
        for _ in 0..std::mem::take(&mut self.removals) {
            // It was there a moment ago; if it cannot be removed there is nothing to be done.
            let _ = self.reply()?;
        }
        Ok(())
    }

    /// The next reply: what is refused, or nothing.
    ///
    /// # Errors
    /// It does not come.
    pub fn reply(&mut self) -> Result<Result<(), CmdError>, CmdError> {
        let mut chunk = [0; 4096];
        let end = loop {
            if let Some(end) = self.input.iter().position(|&byte| byte == b'\n') {
                break end;
            }
            if self.input.len() > LINE_MAX {
                return Err(READING);
            }
            match self.line.read(&mut chunk) {
                Ok(n) if n > 0 => self.input.extend_from_slice(&chunk[..n]),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                _ => return Err(READING),
            }
        };
        let line: Vec<u8> = self.input.drain(..=end).collect();
        let line = line.trim_ascii_end();
        match line {
            [b'-', text @ ..] => {
                Ok(Err(CmdError::quoting("ERR Target instance replied with error: ", text, "")))
            }
            b"+OK" | [b':', ..] => Ok(Ok(())),
            // Something that is no server of this protocol confirms nothing.
            _ => Err(READING),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), CmdError> {
        self.line.write_all(bytes).and_then(|()| self.line.flush()).map_err(|_| WRITING)
    }
}
