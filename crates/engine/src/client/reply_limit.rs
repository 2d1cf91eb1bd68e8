//! How long a reply may become, asked while it is made: a command may not fill the memory before it
//! is checked.
//!
//! ```text
//!   hard limit of client-output-buffer-limit ─┐  the connection is closed, as in Redis
//!   maxmemory-clients ────────────────────────┤  (an error, where many share a connection)
//!   max-reply-size ───────────────────────────┴► an error
//! ```
//!
//! A command that has changed something has changed it: only its reply is lost. All replies of one
//! `EXEC` are one reply. What a script is answered is bound by its memory, and what it answers is a
//! reply like others.

use super::session::Session;
use config::{BufferLimit, Config};

/// The limit of one reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReplyLimit {
    /// Its bytes.
    pub bytes: usize,
    /// A client that asks for more is closed.
    pub(crate) closes: bool,
}

/// The limits of replies by a configuration: they are asked for with every request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReplyLimits {
    normal: ReplyLimit,
    pubsub: ReplyLimit,
}

impl ReplyLimits {
    /// Those of a configuration.
    pub fn new(config: &Config) -> Self {
        let limits = &config.clients.client_output_buffer_limit;
        ReplyLimits {
            normal: ReplyLimit::of(config, &limits.normal),
            pubsub: ReplyLimit::of(config, &limits.pubsub),
        }
    }

    /// The limit for a session.
    #[inline]
    pub fn of(&self, session: &Session) -> ReplyLimit {
        let limit = if session.is_subscriber() { self.pubsub } else { self.normal };
        ReplyLimit { closes: limit.closes && !session.terms.shares, ..limit }
    }
}

impl ReplyLimit {
    fn of(config: &Config, class: &BufferLimit) -> Self {
        let closing = match (class.hard, config.clients.maxmemory_clients) {
            (0, None) => u64::MAX,
            (0, Some(all)) => all,
            (hard, None) => hard,
            (hard, Some(all)) => hard.min(all),
        };
        let closing = usize::try_from(closing).unwrap_or(usize::MAX);
        let most = config.clients.callers.max_reply_size;
        ReplyLimit { bytes: closing.min(most), closes: closing <= most }
    }
}
