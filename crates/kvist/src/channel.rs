//! The protocol without a socket: bytes of requests in, bytes of replies out.
//!
//! For whoever speaks RESP already: a binding with a parser of its own, a proxy, a test. It is to
//! the engine what a connection is to a server, messages out of band included.

use std::sync::Arc;
use std::time::{Duration, Instant};

use base::Protocol;
use engine::State;

use crate::error::Error;
use crate::handle::Kvist;
use crate::house::House;
use crate::inbox::SLICE;
use crate::party::Party;

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
    house: Arc<House>,
    party: Option<Box<Party>>,
    input: Vec<u8>,
    /// What has been handed out, to be emptied.
    given: Vec<u8>,
}

impl std::fmt::Debug for Channel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let id = self.party.as_ref().map(|party| party.session.client.id);
        f.debug_struct("Channel").field("id", &id).finish_non_exhaustive()
    }
}

impl Channel {
    pub(crate) fn new(db: &Kvist, protocol: Protocol) -> Result<Self, Error> {
        let house = Arc::clone(&db.house);
        drop(house.sit()?);
        let mut party = Party::new(&house, protocol);
        party.session.select(db.number());
        Ok(Channel { house, party: Some(party), input: Vec::new(), given: Vec::new() })
    }

    /// Where requests are appended. They run with the next call of [`Channel::replies`].
    pub fn requests(&mut self) -> &mut Vec<u8> {
        &mut self.input
    }

    /// Runs what has been appended, and hands out what there is to say: replies and messages, in
    /// their order. Waits until there is something, up to `timeout`; `None` as a timeout is for
    /// ever. While it waits, `patience` is asked ten times a second whether to give up: then
    /// nothing comes, and nothing is lost.
    ///
    /// # Errors
    /// [`Error::Closed`] at the end of what there is to say, if the session was ended;
    /// [`Error::Forked`]; [`Error::NotDurable`].
    pub fn replies(
        &mut self,
        timeout: Option<Duration>,
        patience: &mut dyn FnMut() -> bool,
    ) -> Result<Option<&[u8]>, Error> {
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let Channel { house, party, input, given } = self;
        given.clear();
        let party = party.as_mut().ok_or(Error::Closed)?;
        loop {
            advance(house, party, input)?;
            while let Some(message) = party.inbox.take() {
                match house.deliver(party, message) {
                    // Its last words are still to be heard.
                    Err(Error::Closed) if !party.out.is_empty() => {}
                    other => other?,
                }
            }
            if party.waits() || !input.is_empty() && !party.is_over() {
                advance(house, party, input)?;
            }
            if !party.out.is_empty() {
                house.settle_disk(party, patience)?;
                std::mem::swap(&mut party.out, given);
                party.inbox.handed_out(std::mem::take(&mut party.pushed));
                return Ok(Some(given));
            }
            if party.is_over() || house.is_closed() {
                return Err(Error::Closed);
            }
            if house.is_stopping() {
                return house.settle_stop();
            }
            let now = Instant::now();
            if deadline.is_some_and(|deadline| deadline <= now) {
                return Ok(None);
            }
            let look = deadline.map_or(now + SLICE, |deadline| deadline.min(now + SLICE));
            if party.waits() {
                let mut asked = false;
                let mut ask = || {
                    asked = patience();
                    false
                };
                house.wait(party, Some(look), &mut ask)?;
                if asked || patience() {
                    return Ok(None);
                }
            } else if let Some(message) = party.inbox.next(look) {
                house.deliver(party, message)?;
            } else if patience() {
                return Ok(None);
            }
        }
    }

    /// Whether there is something to be handed out without waiting.
    ///
    /// # Errors
    /// As [`Channel::replies`].
    pub fn has_replies(&mut self) -> Result<bool, Error> {
        let Channel { house, party, input, .. } = self;
        let party = party.as_mut().ok_or(Error::Closed)?;
        advance(house, party, input)?;
        Ok(!party.out.is_empty() || !party.inbox.is_empty() || party.is_over())
    }
}

/// Runs the requests that are there, until one waits.
fn advance(house: &House, party: &mut Party, input: &mut Vec<u8>) -> Result<(), Error> {
    if house.is_elsewhere() {
        return Err(Error::Forked);
    }
    let mut consumed = 0;
    let mut ended = false;
    while consumed < input.len() && !party.waits() && !party.is_over() {
        let mut seat = house.sit()?;
        let from = &mut input[consumed..];
        let fed = seat.worker.feed(&mut party.session, from, &mut party.out);
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
    if ended || party.is_over() {
        input.clear();
    } else if consumed > 0 {
        input.drain(..consumed);
    }
    Ok(())
}

impl Drop for Channel {
    fn drop(&mut self) {
        if let Some(party) = self.party.take() {
            self.house.part(party);
        }
    }
}
