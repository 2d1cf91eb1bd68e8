//! A session: what a connection is to a server.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use base::{Property, Protocol};
use engine::Answered;
use smallvec::SmallVec;
use wire::Value;

use crate::client_session::ClientSession;
use crate::error::Error;
use crate::inbox::SLICE;
use crate::reply::{done, reply_in};
use crate::shared::{SharedHandle, never_cancelled};
use crate::value::FromValue;
use crate::values::Values;

/// One client of the engine: it has a database, a name, a transaction, watched keys, and may be
/// told of stale copies (`CLIENT TRACKING`). Dropping it is what disconnecting is to a server.
/// What it is told is kept until [`Session::next_push`] fetches it, up to the limits of
/// `client-output-buffer-limit pubsub`; beyond them it is ended.
///
/// ```
/// let db = kvist::Kvist::in_memory()?;
/// let mut session = db.session()?;
/// session.call(["SELECT", "2"])?;
/// session.call(["WATCH", "balance"])?;
/// session.call(["MULTI"])?;
/// session.call(["INCRBY", "balance", "10"])?;
/// let results: Option<Vec<i64>> = session.run(["EXEC"])?;
/// assert_eq!(results, Some(vec![10]));
/// # Ok::<(), kvist::Error>(())
/// ```
pub struct Session {
    pub(crate) shared: SharedHandle,
    client: Option<Box<ClientSession>>,
    /// Messages that have not been fetched yet, with their lengths: they count in the inbox.
    pushes: VecDeque<(Value, usize)>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let id = self.client.as_ref().map(|client| client.session.client.id);
        f.debug_struct("Session").field("id", &id).finish_non_exhaustive()
    }
}

impl Session {
    pub(crate) fn new(shared: &SharedHandle, db: usize, protocol: Protocol) -> Result<Self, Error> {
        let shared = shared.clone();
        drop(shared.lock_worker()?);
        let mut client = ClientSession::new(&shared, protocol);
        client.session.select(db);
        Ok(Session { shared, client: Some(client), pushes: VecDeque::new() })
    }

    /// Runs one command and waits for its reply, however long that takes. Subscribing is done with
    /// a [`Subscriber`](crate::Subscriber).
    ///
    /// # Errors
    /// As [`Kvist::call`](crate::Kvist::call).
    pub fn call<I>(&mut self, words: I) -> Result<Value, Error>
    where
        I: IntoIterator<Item: AsRef<[u8]>>,
    {
        let words: SmallVec<[I::Item; 8]> = words.into_iter().collect();
        let argv: SmallVec<[&[u8]; 8]> = words.iter().map(AsRef::as_ref).collect();
        let command = self.shared.engine.table.find(&argv);
        if command.is_some_and(|command| command.is(Property::Streams)) {
            return Err(Error::NeedsSession("Kvist::subscriber or channel"));
        }
        done(self.ask(&argv)?)
    }

    /// The same, with the reply as something of your own choice.
    ///
    /// # Errors
    /// As [`Kvist::run`](crate::Kvist::run).
    pub fn run<T: FromValue>(
        &mut self,
        words: impl IntoIterator<Item: AsRef<[u8]>>,
    ) -> Result<T, Error> {
        T::from_value(self.call(words)?)
    }

    /// The reply to a request, an error being one like any other.
    pub(crate) fn ask(&mut self, argv: &[&[u8]]) -> Result<Option<Value>, Error> {
        self.gather()?;
        let Session { shared, client, .. } = self;
        let client = client.as_mut().filter(|client| !client.is_over()).ok_or(Error::Closed)?;
        let mut values = Values::new();
        let slot = shared.lock_worker()?;
        let how = shared.run(slot, client, argv, &mut values, &mut never_cancelled)?;
        let told = self.sort_out();
        Ok(match how {
            Answered::Direct => values.take(),
            Answered::Encoded => told,
        })
    }

    /// The next message out of band, waited for up to `timeout`; `None` as a timeout is for ever.
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::Forked`]. That nothing came is none.
    pub fn next_push(&mut self, timeout: Option<Duration>) -> Result<Option<Value>, Error> {
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        loop {
            self.gather()?;
            if let Some((push, bytes)) = self.pushes.pop_front() {
                self.client.iter().for_each(|client| client.inbox.handed_out(bytes));
                return Ok(Some(push));
            }
            let now = Instant::now();
            if deadline.is_some_and(|deadline| deadline <= now) {
                return Ok(None);
            }
            let look = deadline.map_or(now + SLICE, |deadline| deadline.min(now + SLICE));
            let Session { shared, client, .. } = self;
            let client = client.as_mut().filter(|client| !client.is_over()).ok_or(Error::Closed)?;
            if let Some(message) = client.inbox.next(look) {
                shared.deliver(client, message)?;
            }
        }
    }

    /// Takes what has come from outside.
    fn gather(&mut self) -> Result<(), Error> {
        let taken = self.take_in();
        if taken.is_err() {
            // They will not be fetched any more.
            self.pushes = VecDeque::new();
        }
        taken
    }

    fn take_in(&mut self) -> Result<(), Error> {
        let Session { shared, client, .. } = self;
        if shared.is_elsewhere() {
            return Err(Error::Forked);
        }
        let client = client.as_mut().filter(|client| !client.is_over()).ok_or(Error::Closed)?;
        while let Some(message) = client.inbox.take() {
            shared.deliver(client, message)?;
        }
        self.sort_out();
        if self.shared.is_closed() { Err(Error::Closed) } else { Ok(()) }
    }

    /// Takes the messages from among the bytes that came for it; the reply among them. Messages
    /// that came with a reply, as confirmations do, count from now on as the others do.
    fn sort_out(&mut self) -> Option<Value> {
        let Session { shared, client, pushes } = self;
        let client = client.as_mut().filter(|client| !client.out.is_empty())?;
        let mut kept = 0;
        let reply = reply_in(&client.out, &mut |push, bytes| {
            kept += bytes;
            pushes.push_back((push, bytes));
        });
        client.out.clear();
        let counted = std::mem::take(&mut client.pushed);
        if kept != 0 || counted != 0 {
            client.inbox.kept(kept, counted, shared.limit_of_pushes());
        }
        reply
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            self.shared.disconnect(client);
        }
    }
}
