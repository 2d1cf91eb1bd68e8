//! Keeps replies within their limits (`client/reply_limit.rs`), where they are made.

use base::{Reply, error};
use wire::RespWriter;

use super::direct_reply::DirectReply;
use crate::client::reply_limit::ReplyLimit;
use crate::client::session::Session;
use crate::engine::worker::WorkerContext;

/// What one element takes beside its bytes, where replies are not bytes.
const ELEMENT: usize = 32;

impl WorkerContext {
    /// What becomes of a session whose reply, from `start` on, became too long.
    #[cold]
    pub(crate) fn reply_too_long(
        &self,
        session: &mut Session,
        limit: ReplyLimit,
        (out, start): (&mut Vec<u8>, usize),
    ) {
        out.truncate(start);
        // What it took is not kept for others.
        out.shrink_to(start.max(1 << 20));
        if !limit.closes {
            return RespWriter::new(out, session.protocol)
                .error_bytes(error::REPLY_TOO_LONG.bytes());
        }
        self.counters.output_overflows.add(1);
        let client = &session.client;
        tracing::warn!(
            id = client.id,
            addr = client.origin.addr,
            bytes = limit.bytes,
            "client closed for overcoming of output buffer limits"
        );
        session.closing = true;
    }
}

/// A direct reply that may not become longer than so much.
pub(crate) struct Limited<'a> {
    inner: &'a mut dyn DirectReply,
    left: usize,
    over: bool,
}

impl<'a> Limited<'a> {
    /// No longer than `limit`.
    pub fn new(inner: &'a mut dyn DirectReply, limit: ReplyLimit) -> Self {
        Limited { inner, left: limit.bytes, over: false }
    }

    /// Puts an error in the place of what became too long.
    pub fn finish(self) {
        if self.over {
            self.inner.clear();
            self.inner.error_bytes(error::REPLY_TOO_LONG.bytes());
        }
    }

    fn fits(&mut self, bytes: usize) -> bool {
        let takes = bytes.saturating_add(ELEMENT);
        self.over |= takes > self.left;
        if self.over {
            // Nothing after it is kept either.
            self.left = 0;
            return false;
        }
        self.left -= takes;
        true
    }
}

impl DirectReply for Limited<'_> {
    fn clear(&mut self) {
        self.inner.clear();
    }
}

/// Hands on what there is room for.
macro_rules! hand_on {
    ($($name:ident($($arg:ident: $kind:ty),*) takes $bytes:expr;)*) => {
        $(fn $name(&mut self, $($arg: $kind),*) {
            if self.fits($bytes) {
                self.inner.$name($($arg),*);
            }
        })*
    };
}

impl Reply for Limited<'_> {
    fn protocol(&self) -> base::Protocol {
        self.inner.protocol()
    }

    fn room(&self) -> usize {
        self.left
    }

    fn is_over(&self) -> bool {
        self.over
    }

    fn takes_objects(&self) -> bool {
        self.inner.takes_objects()
    }

    fn object(&mut self, object: Box<dyn std::any::Any + Send>) {
        if self.fits(0) {
            self.inner.object(object);
        }
    }

    hand_on! {
        simple(text: &str) takes text.len();
        simple_bytes(text: &[u8]) takes text.len();
        error_bytes(text: &[u8]) takes text.len();
        int(n: i64) takes 0;
        bulk(bytes: &[u8]) takes bytes.len();
        null() takes 0;
        null_array() takes 0;
        array(len: usize) takes 0;
        map(len: usize) takes 0;
        set(len: usize) takes 0;
        push(len: usize) takes 0;
        double(d: f64) takes 0;
        double_digits(digits: &str) takes digits.len();
        boolean(b: bool) takes 0;
        verbatim(format: &str, text: &[u8]) takes text.len();
        big_number(digits: &str) takes digits.len();
    }
}
