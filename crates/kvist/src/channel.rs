//! The protocol without a socket: bytes of requests in, bytes of replies out.
//!
//! For programs that speak RESP already: a binding with a parser of its own, a proxy, a test. It is
//! to the engine what a connection is to a server, messages out of band included.

use std::time::{Duration, Instant};

use base::Protocol;
use engine::State;

use crate::aside::Aside;
use crate::client_session::ClientSession;
use crate::error::Error;
use crate::inbox::SLICE;
use crate::shared::{CancelCheck, Shared, SharedHandle};

/// A session of bytes.
///
/// ```
/// let db = kvist::Kvist::in_memory()?;
/// let mut channel = db.channel(kvist::Protocol::Resp2)?;
/// channel.requests().extend_from_slice(b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\nGET k\r\n");
/// let replies = channel.replies(None, &mut || false)?.expect("no time was set");
/// assert_eq!(replies, b"+OK\r\n$1\r\nv\r\n");
/// # Ok::<(), kvist::Error>(())
/// ```
pub struct Channel {
    shared: SharedHandle,
    client: Option<Box<ClientSession>>,
    /// Where its client is instead, while a script of it takes long.
    aside: Option<Aside>,
    input: Vec<u8>,
    /// What has been handed out, to be emptied.
    given: Vec<u8>,
}

impl std::fmt::Debug for Channel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let id = self.client.as_ref().map(|client| client.session.client.id);
        f.debug_struct("Channel").field("id", &id).finish_non_exhaustive()
    }
}

impl Channel {
    pub(crate) fn new(shared: &SharedHandle, db: usize, protocol: Protocol) -> Result<Self, Error> {
        let shared = shared.clone();
        drop(shared.lock_worker()?);
        let mut client = ClientSession::new(&shared, protocol);
        client.session.select(db);
        client.session.terms.leaves_long = true;
        let (input, given) = (Vec::new(), Vec::new());
        Ok(Channel { shared, client: Some(client), aside: None, input, given })
    }

    /// Where requests are appended. They run with the next call of [`Channel::replies`].
    pub fn requests(&mut self) -> &mut Vec<u8> {
        &mut self.input
    }

    /// Runs what has been appended, and hands out what there is to say: replies and messages, in
    /// their order. Waits until there is something, up to `timeout`; `None` as a timeout is for
    /// ever. While it waits, or runs a script that takes long, `is_cancelled` is asked ten times a
    /// second whether to give up: then nothing comes, and nothing is lost. A script goes on, until
    /// [`Channel::give_up`] or the channel's end.
    ///
    /// # Errors
    /// [`Error::Closed`] at the end of what there is to say, if the session was ended;
    /// [`Error::Forked`]; [`Error::NotDurable`].
    pub fn replies(
        &mut self,
        timeout: Option<Duration>,
        is_cancelled: &mut dyn FnMut() -> bool,
    ) -> Result<Option<&[u8]>, Error> {
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        self.given.clear();
        let any = self.gather(deadline, is_cancelled);
        if let Err(Error::Closed) = any
            && self.shared.is_stopping()
            && let Some(client) = &self.client
        {
            return self.shared.settle_stop(client);
        }
        any.map(|any| any.then_some(&*self.given))
    }

    /// Gathers what there is to say; whether there is something.
    fn gather(
        &mut self,
        deadline: Option<Instant>,
        is_cancelled: CancelCheck<'_>,
    ) -> Result<bool, Error> {
        loop {
            let now = Instant::now();
            let look = deadline.map_or(now + SLICE, |deadline| deadline.min(now + SLICE));
            let is_late = deadline.is_some_and(|deadline| deadline <= now);
            if !self.is_back(look)? {
                if is_late || is_cancelled() {
                    return Ok(false);
                }
                continue;
            }
            let Channel { shared, client, input, given, .. } = self;
            let client = client.as_mut().ok_or(Error::Closed)?;
            advance(shared, client, input)?;
            while let Some(message) = client.inbox.take() {
                match shared.deliver(client, message) {
                    // Its last words are still to be heard.
                    Err(Error::Closed) if !client.out.is_empty() => {}
                    other => other?,
                }
            }
            if client.waits() || !input.is_empty() && !client.is_over() {
                advance(shared, client, input)?;
            }
            if !client.out.is_empty() {
                shared.settle_disk(client, is_cancelled)?;
                std::mem::swap(&mut client.out, given);
                client.inbox.handed_out(std::mem::take(&mut client.pushed));
                return Ok(true);
            }
            if client.is_over() || shared.is_stopping() {
                return Err(Error::Closed);
            }
            if self.goes_aside() {
                continue;
            }
            if is_late || self.waited(look, is_cancelled)? {
                return Ok(false);
            }
        }
    }

    /// Waits a moment for what comes from outside; whether to give up.
    fn waited(&mut self, look: Instant, is_cancelled: CancelCheck<'_>) -> Result<bool, Error> {
        let Channel { shared, client, .. } = self;
        let client = client.as_mut().ok_or(Error::Closed)?;
        if client.waits() {
            let mut asked = false;
            let mut ask = || {
                asked = is_cancelled();
                false
            };
            shared.wait(client, Some(look), &mut ask)?;
            return Ok(asked || is_cancelled());
        }
        match client.inbox.next(look) {
            Some(message) => shared.deliver(client, message).map(|()| false),
            None => Ok(is_cancelled()),
        }
    }

    /// Sends the client away if its script is to run on another thread; whether it is.
    fn goes_aside(&mut self) -> bool {
        let client = self.client.take_if(|client| client.session.goes_aside());
        let goes = client.is_some();
        let begin = |client| Aside::begin(self.shared.arc(), client);
        self.aside = client.map(begin);
        goes
    }

    /// Waits until the client is back from a script, or until `look`.
    fn is_back(&mut self, look: Instant) -> Result<bool, Error> {
        let Some(aside) = &self.aside else { return Ok(true) };
        let waited = aside.wait(look);
        if !matches!(waited, Ok(None)) {
            self.aside = None;
        }
        self.client = waited?;
        Ok(self.client.is_some())
    }

    /// Ends the script that takes long, and the session with it. Does nothing if none runs.
    pub fn give_up(&mut self) {
        self.aside = None;
    }

    /// Why no other session could be opened instead, if the engine was closed; not if only this
    /// one was ended.
    #[must_use]
    pub fn is_closed(&self) -> Option<Error> {
        match (self.shared.is_elsewhere(), self.shared.is_stopping()) {
            (true, _) => Some(Error::Forked),
            (_, true) => Some(Error::Closed),
            _ => None,
        }
    }

    /// Whether there is something to be handed out without waiting.
    ///
    /// # Errors
    /// As [`Channel::replies`].
    pub fn has_replies(&mut self) -> Result<bool, Error> {
        if !self.is_back(Instant::now())? {
            return Ok(false);
        }
        let Channel { shared, client, input, .. } = self;
        let client = client.as_mut().ok_or(Error::Closed)?;
        advance(shared, client, input)?;
        let any = !client.out.is_empty() || !client.inbox.is_empty() || client.is_over();
        // What takes long goes on while no caller waits for it.
        Ok(any || (self.goes_aside() && self.is_back(Instant::now())? && self.has_replies()?))
    }
}

/// Runs the requests that are there, until one waits.
fn advance(shared: &Shared, client: &mut ClientSession, input: &mut Vec<u8>) -> Result<(), Error> {
    if shared.is_elsewhere() {
        return Err(Error::Forked);
    }
    let mut consumed = 0;
    let mut ended = false;
    while consumed < input.len() && !client.waits() && !client.is_over() {
        let mut slot = shared.lock_worker()?;
        let from = &mut input[consumed..];
        let fed = slot.worker.feed(&mut client.session, from, &mut client.out);
        shared.count(client);
        consumed += fed.consumed;
        match fed.state {
            State::Full => {}
            State::Open | State::Blocked | State::Paused => break,
            State::Closing => {
                ended = true;
                break;
            }
        }
    }
    if ended || client.is_over() {
        input.clear();
    } else if consumed > 0 {
        input.drain(..consumed);
    }
    Ok(())
}

impl Drop for Channel {
    fn drop(&mut self) {
        // Before the handle: the engine may be closed with that, and need not wait for it.
        self.aside = None;
        if let Some(client) = self.client.take() {
            self.shared.disconnect(client);
        }
    }
}
