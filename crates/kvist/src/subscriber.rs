//! Messages that are published.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use wire::Value;

use crate::error::Error;
use crate::session::Session;

/// A published message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The channel it was published in.
    pub channel: Vec<u8>,
    /// The pattern it was received by, if by one.
    pub pattern: Option<Vec<u8>>,
    /// What was published.
    pub payload: Vec<u8>,
}

/// A session that listens. What it does not fetch in time is kept for it, up to the limit of
/// `client-output-buffer-limit pubsub`; beyond that it is ended.
///
/// ```
/// use std::time::Duration;
///
/// let db = kvist::Kvist::in_memory()?;
/// let mut updates = db.subscriber()?;
/// updates.subscribe(["updates"])?;
/// db.publish("updates", "it works")?;
/// let message = updates.next_message(Some(Duration::from_secs(10)))?.unwrap();
/// assert_eq!(message.payload, b"it works");
/// # Ok::<(), kvist::Error>(())
/// ```
#[derive(Debug)]
pub struct Subscriber {
    session: Session,
    messages: VecDeque<Message>,
}

impl Subscriber {
    pub(crate) fn new(session: Session) -> Self {
        Subscriber { session, messages: VecDeque::new() }
    }

    fn change<I>(&mut self, verb: &str, names: I) -> Result<(), Error>
    where
        I: IntoIterator<Item: AsRef<[u8]>>,
    {
        let mut words: Vec<Vec<u8>> = vec![verb.as_bytes().to_vec()];
        words.extend(names.into_iter().map(|name| name.as_ref().to_vec()));
        let argv: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
        // What it answers are messages, which are passed over when they are read.
        match self.session.ask(&argv)? {
            Some(Value::Error(text)) => {
                Err(Error::Refused(String::from_utf8_lossy(&text).into_owned()))
            }
            _ => Ok(()),
        }
    }

    /// Listens to channels.
    ///
    /// # Errors
    /// [`Error::Refused`] without the right to; [`Error::Closed`], [`Error::Forked`].
    pub fn subscribe<I>(&mut self, channels: I) -> Result<(), Error>
    where
        I: IntoIterator<Item: AsRef<[u8]>>,
    {
        self.change("SUBSCRIBE", channels)
    }

    /// Listens to all channels whose names match one of these patterns.
    ///
    /// # Errors
    /// As [`Subscriber::subscribe`].
    pub fn psubscribe<I>(&mut self, patterns: I) -> Result<(), Error>
    where
        I: IntoIterator<Item: AsRef<[u8]>>,
    {
        self.change("PSUBSCRIBE", patterns)
    }

    /// Listens to these channels no more; to none if none are given.
    ///
    /// # Errors
    /// As [`Subscriber::subscribe`].
    pub fn unsubscribe<I>(&mut self, channels: I) -> Result<(), Error>
    where
        I: IntoIterator<Item: AsRef<[u8]>>,
    {
        self.change("UNSUBSCRIBE", channels)
    }

    /// Listens to these patterns no more; to none if none are given.
    ///
    /// # Errors
    /// As [`Subscriber::subscribe`].
    pub fn punsubscribe<I>(&mut self, patterns: I) -> Result<(), Error>
    where
        I: IntoIterator<Item: AsRef<[u8]>>,
    {
        self.change("PUNSUBSCRIBE", patterns)
    }

    /// The next message, waited for up to `timeout`; `None` as a timeout is for ever.
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::Forked`]. That nothing came is none.
    pub fn next_message(&mut self, timeout: Option<Duration>) -> Result<Option<Message>, Error> {
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        loop {
            if let Some(message) = self.messages.pop_front() {
                return Ok(Some(message));
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            match self.session.next_push(left)? {
                Some(push) => self.messages.extend(message(push)),
                None => return Ok(None),
            }
        }
    }
}

/// The message that a push is, unless it only confirms something.
fn message(push: Value) -> Option<Message> {
    let Value::Push(items) = push else { return None };
    let mut words = items.into_iter().map(|item| match item {
        Value::Bulk(bytes) | Value::Simple(bytes) => bytes,
        _ => Vec::new(),
    });
    let kind = words.next()?;
    let pattern = match &kind[..] {
        b"message" | b"smessage" => None,
        b"pmessage" => Some(words.next()?),
        _ => return None,
    };
    Some(Message { pattern, channel: words.next()?, payload: words.next()? })
}
