//! The handle that programs hold.

use base::Protocol;
use engine::persistence::Recovered;
use engine::{Answered, ChangeReader, DirectReply, Engine};
use smallvec::SmallVec;
use wire::Value;

use crate::aside::Aside;
use crate::channel::Channel;
use crate::client_session::ClientSession;
use crate::error::Error;
use crate::reply::{done, reply_in};
use crate::session::Session;
use crate::shared::{CancelCheck, Shared, SharedHandle, never_cancelled};
use crate::subscriber::Subscriber;
use crate::value::FromValue;
use crate::values::Values;

/// A dataset that is open in this process. Clones are handles to the same; any thread may use any.
///
/// ```
/// let db = kvist::Kvist::in_memory()?;
/// std::thread::scope(|scope| {
///     for _ in 0..4 {
///         scope.spawn(|| (0..100).try_for_each(|_| db.incr("n").map(drop)));
///     }
/// });
/// assert_eq!(db.get::<i64>("n")?, Some(400));
/// # Ok::<(), kvist::Error>(())
/// ```
#[derive(Clone)]
pub struct Kvist {
    shared: SharedHandle,
    db: usize,
}

impl std::fmt::Debug for Kvist {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let config = self.shared.engine.config();
        f.debug_struct("Kvist").field("dir", &config.process.dir).field("db", &self.db).finish()
    }
}

impl Kvist {
    pub(crate) fn new(shared: Shared) -> Self {
        Kvist { shared: SharedHandle::new(shared), db: 0 }
    }

    /// A handle to another of the numbered databases.
    ///
    /// # Errors
    /// There is none of that number.
    pub fn database(&self, db: usize) -> Result<Self, Error> {
        if db >= self.shared.engine.store.databases() {
            return Err(Error::Refused("ERR DB index is out of range".to_owned()));
        }
        Ok(Kvist { shared: self.shared.clone(), db })
    }

    /// Runs one command and waits for its reply, however long that takes. Commands that change the
    /// state of a connection need a [`Kvist::session`].
    ///
    /// # Errors
    /// [`Error::Refused`] if the reply is an error; otherwise nothing has happened, unless the
    /// error says so.
    pub fn call<I>(&self, words: I) -> Result<Value, Error>
    where
        I: IntoIterator<Item: AsRef<[u8]>>,
    {
        let words: SmallVec<[I::Item; 8]> = words.into_iter().collect();
        let argv: SmallVec<[&[u8]; 8]> = words.iter().map(AsRef::as_ref).collect();
        let mut values = Values::new();
        let mut out = Vec::new();
        let how = self.answer_in(&argv, (&mut values, &mut out), &mut never_cancelled, false)?;
        let reply = match how {
            Answered::Direct => values.take(),
            Answered::Encoded => reply_in(&out, &mut |_, _| ()),
        };
        done(reply)
    }

    /// The same, with the reply as something of your own choice.
    ///
    /// # Errors
    /// As [`Kvist::call`], and [`Error::Unexpected`] if the reply is not what it is wanted as; the
    /// command has run then.
    pub fn run<T: FromValue>(
        &self,
        words: impl IntoIterator<Item: AsRef<[u8]>>,
    ) -> Result<T, Error> {
        T::from_value(self.call(words)?)
    }

    /// Runs one command whose reply is written to something of your own, in the protocol that it
    /// speaks: for bindings to other languages. If it says
    /// [`Answered::Encoded`] the reply is among the bytes of `out` instead. While the command
    /// waits, or is a script that takes long, `is_cancelled` is asked ten times a second whether to
    /// give up. A script is then ended, and nothing has happened; but one that has written and
    /// holds more than the keys it declares cannot be undone, and goes on without its caller, until
    /// it ends or the engine is closed.
    ///
    /// `answer` is written to while shards of the dataset are locked: it must not wait, nor call
    /// the engine.
    ///
    /// # Errors
    /// As [`Kvist::call`], except that a reply which is an error is written like any other.
    pub fn answer(
        &self,
        argv: &[&[u8]],
        answer: &mut dyn DirectReply,
        out: &mut Vec<u8>,
        is_cancelled: &mut dyn FnMut() -> bool,
    ) -> Result<Answered, Error> {
        self.answer_in(argv, (answer, out), is_cancelled, true)
    }

    /// Scripts that take long leave this thread if that is said.
    fn answer_in(
        &self,
        argv: &[&[u8]],
        (answer, out): (&mut dyn DirectReply, &mut Vec<u8>),
        is_cancelled: CancelCheck<'_>,
        leaves_long: bool,
    ) -> Result<Answered, Error> {
        if let Some(which) = needs_session(&self.shared.engine, argv) {
            return Err(Error::NeedsSession(which));
        }
        let shared = &*self.shared;
        let mut held = Held { shared, client: None };
        let mut slot = shared.lock_worker()?;
        let protocol = answer.protocol();
        let mut client = match slot.own.take() {
            Some(client) if !client.is_over() && client.inbox.is_empty() => client,
            Some(mut ended) => {
                slot.worker.disconnect(&mut ended.session);
                ClientSession::new(shared, protocol)
            }
            None => ClientSession::new(shared, protocol),
        };
        if client.session.db != self.db {
            client.session.select(self.db);
        }
        if client.session.protocol != protocol {
            client.session.speak(protocol);
        }
        client.session.terms.leaves_long = leaves_long;
        std::mem::swap(&mut client.out, out);
        let client = held.client.insert(client);
        let how = slot.worker.answer(&mut client.session, argv, answer, &mut client.out);
        if !client.waits() && !shared.engine.must_hold(client.session.awaited_epoch) {
            std::mem::swap(&mut client.out, out);
            if shared.is_stopping() {
                drop(slot);
                return shared.settle_stop(client);
            }
            slot.own = held.client.take();
            return Ok(how);
        }
        drop(slot);
        let mut client = self.settle(held, is_cancelled)?;
        std::mem::swap(&mut client.out, out);
        self.put_back(client);
        Ok(how)
    }

    /// Waits until a request is answered, in this thread or another.
    fn settle(
        &self,
        mut held: Held<'_>,
        is_cancelled: CancelCheck<'_>,
    ) -> Result<Box<ClientSession>, Error> {
        loop {
            let settled = match &mut held.client {
                Some(client) => self.shared.settle(client, is_cancelled),
                None => Err(Error::Closed),
            };
            let client = held.client.take().ok_or(Error::Closed)?;
            if let Err(error) = settled {
                self.put_back(client);
                return Err(error);
            }
            if !client.session.goes_aside() {
                return Ok(client);
            }
            held.client = Some(Aside::begin(self.shared.arc(), client).ended(is_cancelled)?);
        }
    }

    /// Keeps a session for the next request on this worker, if it has none.
    fn put_back(&self, client: Box<ClientSession>) {
        if client.is_over() || client.waits() {
            return self.shared.disconnect(client);
        }
        let Ok(mut slot) = self.shared.lock_worker() else { return };
        if slot.own.is_none() {
            slot.own = Some(client);
        } else {
            drop(slot);
            self.shared.disconnect(client);
        }
    }

    /// Whether a command takes no longer than a moment and, as things stand, waits for nothing: so
    /// that a lock of the caller's, an interpreter's say, need not be given up meanwhile.
    #[must_use]
    pub fn is_moment(&self, argv: &[&[u8]]) -> bool {
        self.shared.engine.is_moment(self.db, argv)
    }

    /// A session: what a connection is to a server, with its own database, transaction and name.
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::Forked`].
    pub fn session(&self) -> Result<Session, Error> {
        Session::new(&self.shared, self.db, Protocol::Resp3)
    }

    /// A session that listens to channels.
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::Forked`].
    pub fn subscriber(&self) -> Result<Subscriber, Error> {
        Ok(Subscriber::new(self.session()?))
    }

    /// A reader of all changes of keys from now on, of every database: change data capture. Those
    /// of a shard come in order and with their numbers.
    ///
    /// * A change is told when it has been made, before it is durable, also with `appendfsync
    ///   always`: after a crash the dataset may be without it.
    /// * Numbers begin anew with each process. What happens while there is no reader has none.
    /// * What waits to be read takes no more than `backlog_limit` bytes, of which a change takes
    ///   some hundred. It is used memory (`mem_change_backlog` in `INFO memory`) and may make the
    ///   engine evict keys, as may what the transactions that run have changed.
    /// * Writers wait for no reader: what is beyond the limit is a
    ///   [gap](crate::ChangeEvent::Gap). So is what one transaction changes beyond the largest
    ///   limit of all readers.
    /// * When the engine has ended, what was told can still be read; then the reader
    ///   [is over](crate::ChangeReader::is_over).
    ///
    /// `docs/embedding.md` shows what to do about a gap.
    ///
    /// ```
    /// use kvist::{Change, ChangeKind, ChangeEvent};
    /// let db = kvist::Kvist::in_memory()?;
    /// let mut changes = db.changes(1 << 20)?;
    /// db.set("k", "v")?;
    /// let event = changes.next(std::time::Duration::from_secs(20));
    /// let Some(ChangeEvent::Batch(batch)) = event else { panic!("nothing has changed") };
    /// let (number, change) = batch.numbered().next().unwrap();
    /// assert_eq!(number, 1);
    /// let Change::Key { key, kind: ChangeKind::Written, .. } = change else {
    ///     panic!("{change:?}");
    /// };
    /// assert_eq!(**key, *b"k");
    /// # Ok::<(), kvist::Error>(())
    /// ```
    ///
    /// # Errors
    /// A script that takes too long holds a part of the dataset; [`Error::Closed`],
    /// [`Error::Forked`].
    pub fn changes(&self, backlog_limit: usize) -> Result<ChangeReader, Error> {
        let worker = self.shared.lock_worker()?;
        let changes = self.shared.engine.changes(backlog_limit);
        drop(worker);
        changes.map_err(|refusal| {
            Error::Refused(String::from_utf8_lossy(refusal.bytes()).into_owned())
        })
    }

    /// A session that takes requests as bytes and answers in bytes, as a server's socket does.
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::Forked`].
    pub fn channel(&self, protocol: Protocol) -> Result<Channel, Error> {
        Channel::new(&self.shared, self.db, protocol)
    }

    /// What was found in the directory when it was opened.
    #[must_use]
    pub fn recovered(&self) -> &Recovered {
        &self.shared.recovered
    }

    /// Which of the numbered databases this is a handle to.
    #[must_use]
    pub fn number(&self) -> usize {
        self.db
    }

    /// Whether it has been closed, by any handle, or by `SHUTDOWN`.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.shared.is_closed()
    }

    /// Ends everything: requests that run are waited for, those that wait are refused, what is not
    /// durable yet is made so, and the directory is let go. Happens by itself when the last handle
    /// and session are dropped; only here can it be seen to have worked. Calling it again does
    /// nothing, but waits while another thread is at it.
    ///
    /// Scripts do not keep it from ending. One that has written nothing is ended at once. One that
    /// has written is waited for until `busy-reply-threshold`, for five seconds at most. Then it is
    /// ended and undone; if it holds more than the keys that it declares it cannot be, and is
    /// broken off as by a crash: nothing of it is in the journal. Only where there is no journal,
    /// what was not saved before is lost with it; then this is an error.
    ///
    /// # Errors
    /// [`Error::NotDurable`] if the disk refuses, or as above; [`Error::Forked`].
    pub fn close(&self) -> Result<(), Error> {
        self.shared.close()
    }
}

/// What kind of session a command needs, if not any will do.
fn needs_session(engine: &Engine, argv: &[&[u8]]) -> Option<&'static str> {
    engine.changes_connection(argv).then_some("Kvist::session, subscriber or channel")
}

/// A client that is disconnected if what its caller gave panics: `is_cancelled`, or the reply that
/// is written to.
struct Held<'s> {
    shared: &'s Shared,
    client: Option<Box<ClientSession>>,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            self.shared.disconnect(client);
        }
    }
}
