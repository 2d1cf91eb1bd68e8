//! The only way out of a command: replies, written through one trait by every door.

use std::any::Any;

/// The protocol a client speaks, for the few replies whose shape depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// RESP2, the protocol of a fresh connection.
    #[default]
    Resp2,
    /// RESP3, after `HELLO 3`.
    Resp3,
}

/// Where a command writes its reply.
///
/// A command writes exactly one reply, and only after its work succeeded: errors are returned,
/// never written. Aggregates are announced with their length, then their elements follow.
pub trait Reply {
    /// The protocol the reply is for.
    fn protocol(&self) -> Protocol;
    /// `+text`, without line breaks.
    fn simple(&mut self, text: &str);
    /// `-text`; for the engine and for errors inside `EXEC` or nested replies.
    fn error_bytes(&mut self, text: &[u8]);
    /// `:n`
    fn int(&mut self, n: i64);
    /// A byte string.
    fn bulk(&mut self, bytes: &[u8]);
    /// Byte strings that all begin with `prefix`: one for each of `rests`.
    fn bulks(&mut self, prefix: &[u8], rests: &[&[u8]]) {
        let mut bytes = prefix.to_vec();
        for rest in rests {
            bytes.truncate(prefix.len());
            bytes.extend_from_slice(rest);
            self.bulk(&bytes);
        }
    }
    /// A missing value: `$-1` or `_`.
    fn null(&mut self);
    /// A missing aggregate: `*-1` or `_`.
    fn null_array(&mut self);
    /// An array of `len` replies that follow.
    fn array(&mut self, len: usize);
    /// A map of `len` pairs: `*2n` or `%n`; key, value, key, value … follow.
    fn map(&mut self, len: usize);
    /// A set of `len` replies: `*n` or `~n`.
    fn set(&mut self, len: usize);
    /// An out-of-band message of `len` parts: `*n` or `>n`.
    fn push(&mut self, len: usize);
    /// A double: a bulk string or `,d`, printed with 17 significant digits as Redis does.
    fn double(&mut self, d: f64);
    /// A double whose digits are given: a bulk string or `,digits`. For the few replies that Redis
    /// prints in another way than [`Reply::double`] does.
    fn double_digits(&mut self, digits: &str);
    /// A boolean: `:1`/`:0` or `#t`/`#f`.
    fn boolean(&mut self, b: bool);
    /// Text with a three-letter format: a bulk string or `=len`.
    fn verbatim(&mut self, format: &str, text: &[u8]);
    /// A number too large for `:n`: a bulk string or `(n`.
    fn big_number(&mut self, digits: &str);

    /// `+text` of any bytes without line breaks, which only scripts produce. Writers that can hold
    /// bytes do; others show what is not text as replacement characters.
    fn simple_bytes(&mut self, text: &[u8]) {
        self.simple(&String::from_utf8_lossy(text));
    }

    /// Bytes that may still be written: what comes after them is not kept, and the request fails.
    /// For commands that make a long text before they write it.
    fn room(&self) -> usize {
        usize::MAX
    }

    /// Whether something that was wanted was not kept: there was no room for it.
    fn is_over(&self) -> bool {
        false
    }

    /// Whether the caller is in this process and knows what [`Reply::object`] hands over.
    fn takes_objects(&self) -> bool {
        false
    }

    /// Hands something over as it is, as the whole reply: only where [`Reply::takes_objects`] says
    /// that it is wanted. All others get null. Here it must be neither looked at nor dropped by
    /// anything that waits.
    fn object(&mut self, object: Box<dyn Any + Send>) {
        drop(object);
        self.null();
    }

    /// `-text`
    fn error(&mut self, text: &str) {
        self.error_bytes(text.as_bytes());
    }

    /// `+OK`
    #[inline]
    fn ok(&mut self) {
        self.simple("OK");
    }

    /// An integer from a count.
    #[inline]
    fn count(&mut self, n: usize) {
        self.int(i64::try_from(n).unwrap_or(i64::MAX));
    }

    /// A byte string or a missing value.
    #[inline]
    fn bulk_or_null(&mut self, bytes: Option<&[u8]>) {
        match bytes {
            Some(bytes) => self.bulk(bytes),
            None => self.null(),
        }
    }
}
