//! Replies that came as bytes, and replies as callers get them.

use wire::{ReplyParser, Value};

use crate::error::Error;

/// The reply among these bytes; messages out of band go to `pushed`, with their lengths.
pub(crate) fn reply_in(bytes: &[u8], pushed: &mut dyn FnMut(Value, usize)) -> Option<Value> {
    let mut parser = ReplyParser::default();
    parser.feed(bytes);
    let (mut reply, mut left) = (None, bytes.len());
    while let Ok(Some(value)) = parser.next_value() {
        let before = std::mem::replace(&mut left, parser.pending().len());
        match value {
            Value::Push(_) => pushed(value, before - left),
            other => reply = Some(other),
        }
    }
    reply
}

/// A reply as the value that the caller asked for.
pub(crate) fn done(reply: Option<Value>) -> Result<Value, Error> {
    match reply {
        Some(value) => match value.as_error() {
            Some(text) => Err(Error::Refused(String::from_utf8_lossy(text).into_owned())),
            None => Ok(value),
        },
        // Silent by its own wish: `CLIENT REPLY`.
        None => Ok(Value::Null),
    }
}
