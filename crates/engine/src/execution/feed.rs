//! From the bytes of a connection to executed requests: the batch is the unit.
//!
//! Up to sixteen requests are decoded at a time. Their keys are hashed once, the table's buckets
//! and then the entries are prefetched, so that the cache misses of all sixteen overlap; then
//! they run in order.

use std::ops::Range;
use std::sync::atomic::Ordering;
use std::time::Instant;

use smallvec::SmallVec;
use wire::{Decoder, Limits, ProtocolError, Step, Word};

use crate::client::session::Session;
use crate::engine::Engine;
use crate::engine::entry::Entry;
use crate::engine::worker::{Worker, WorkerParts};
use crate::execution::request::{Request, timed};

/// Requests decoded and prefetched together. Measured: more gives nothing.
const GROUP: usize = 16;
/// Once the replies of a turn are this long the connection's other requests wait for its next turn:
/// a short pipeline can ask for more than the machine has, and other clients for a word.
pub const REPLIES_PER_TURN: usize = 1 << 20;

/// What became of the bytes fed.
#[derive(Debug, PartialEq, Eq)]
pub struct Fed {
    /// How many bytes are done with; the rest must be fed again, with more behind it.
    pub consumed: usize,
    /// At least so many bytes the unfinished request needs behind them, by the client's word; 0 if
    /// there is none.
    pub missing: usize,
    /// Whether to go on.
    pub state: State,
}

/// Whether a connection goes on after a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It waits for more bytes.
    Open,
    /// It has had its turn: its replies have reached `REPLIES_PER_TURN`, a script has taken long,
    /// or it has posted more to others than they can read. Send the replies, let others have
    /// theirs, then feed what is left.
    Full,
    /// Its last request is blocked; feed nothing until it is unblocked.
    Blocked,
    /// Its last request was postponed (`CLIENT PAUSE`): feed again, with what is left, when the
    /// pause is over or a [`crate::Message::Resume`] comes.
    Paused,
    /// It is to be closed when its replies are sent.
    Closing,
}

/// A decoded request. One without words (`*0`, an empty line) asks for nothing, but ends what held
/// for the one request behind the last.
struct Pending<'e> {
    entry: Option<&'e Entry>,
    hash: Option<u64>,
    words: Range<usize>,
    end: usize,
}

type Group<'e> = SmallVec<[Pending<'e>; GROUP]>;

/// How far the requests of a group have run.
enum Ran {
    /// To the last.
    All,
    /// Up to here. What follows is decoded again, as settings have changed, or what this client
    /// may send.
    UpTo(usize),
    /// The connection must stop here.
    Stopped(Fed),
}

/// Why decoding stopped.
enum Ended {
    /// The group is full; there may be more.
    Full,
    /// The input ends inside a request that needs so many bytes more, or at its end.
    Short(usize),
    /// The input breaks the protocol.
    Broken(ProtocolError),
}

impl Worker {
    /// Executes the complete requests in `input` and appends the replies to `out`: all of them, or
    /// as many as make `REPLIES_PER_TURN`.
    ///
    /// `input` must begin where the last call's `consumed` ended; it is writable because inline
    /// requests are unquoted where they lie. Call [`Worker::begin`] before.
    pub fn feed(&mut self, session: &mut Session, input: &mut [u8], out: &mut Vec<u8>) -> Fed {
        let mut words = std::mem::take(&mut self.context.words);
        let mut worker = self.parts();
        let fed = worker.feed(session, input, &mut words, out);
        worker.end_batch();
        self.context.words = words;
        self.note_seen(session);
        session.leave_if_closing();
        fed
    }
}

impl WorkerParts<'_> {
    fn feed(
        &mut self,
        session: &mut Session,
        input: &mut [u8],
        words: &mut Vec<Word>,
        out: &mut Vec<u8>,
    ) -> Fed {
        let engine = self.engine;
        if session.closing {
            // It ended while it waited: what has come behind that is not looked at.
            return Fed { consumed: input.len(), missing: 0, state: State::Closing };
        }
        if let Some(stop) = self.resume(session, out) {
            return stop;
        }
        let mut consumed = 0;
        loop {
            let mut group = Group::new();
            words.clear();
            let decoder = &mut session.decoder;
            let limits = Limits {
                max_bulk: i64::try_from(self.context.config.clients.proto_max_bulk_len)
                    .unwrap_or(i64::MAX),
                authenticated: session.user.authenticated,
            };
            // AUTH lifts the limits for what follows it, so it must run before that is decoded.
            let most = if session.user.authenticated { GROUP } else { 1 };
            let ended;
            (ended, consumed) =
                decode(engine, decoder, &limits, (input, consumed), words, (&mut group, most));
            let input = &*input;
            prefetch(engine, session.db, &mut group, words, input);
            match self.run_group(session, &group, (input, words), out) {
                Ran::All => {}
                Ran::UpTo(end) => {
                    session.decoder = Decoder::new();
                    consumed = end;
                    continue;
                }
                Ran::Stopped(stop) => {
                    session.decoder = Decoder::new();
                    return stop;
                }
            }
            match ended {
                Ended::Full if (self.context.threads.is_crowding)() => {
                    return Fed { consumed, missing: 0, state: State::Full };
                }
                Ended::Full => {}
                Ended::Short(missing) => return Fed { consumed, missing, state: State::Open },
                Ended::Broken(error) => {
                    session.closing = true;
                    error.write_reply(out);
                    engine.metrics.stats.error("ERR");
                    return Fed { consumed: input.len(), missing: 0, state: State::Closing };
                }
            }
        }
    }

    /// Runs decoded requests in order, as far as they were decoded by what holds for them.
    fn run_group(
        &mut self,
        session: &mut Session,
        group: &Group<'_>,
        (input, words): (&[u8], &[Word]),
        out: &mut Vec<u8>,
    ) -> Ran {
        if group.is_empty() {
            return Ran::All;
        }
        // The words of all requests behind each other: one loop is quicker than sixteen.
        let all: Vec<&[u8]> = words.iter().map(|word| word.of(input)).collect();
        let each = self.context.times_each();
        let known = (self.context.config_version, session.user.authenticated);
        let start = Instant::now();
        let mut shared: SmallVec<[usize; GROUP]> = SmallVec::new();
        // When the request before ended, if it was timed: this one begins then.
        let mut ended = Some(start);
        self.note_activity(session, group);
        let mut end = Ran::All;
        for pending in group {
            let argv = &all[pending.words.clone()];
            let request = Request { argv, entry: pending.entry, hash: pending.hash };
            match pending.entry {
                Some(entry) if each || group.len() == 1 || !entry.facts.quick => {
                    let begun = ended.unwrap_or_else(Instant::now);
                    let ran = self.execute(session, request, out);
                    let now = Instant::now();
                    ended = Some(now);
                    if ran {
                        let took = now.duration_since(begun);
                        self.context.took(self.engine, entry, argv, session, took);
                    }
                }
                None if argv.is_empty() => self.pass_over(session, out),
                entry => {
                    ended = None;
                    if self.execute(session, request, out) {
                        shared.extend(entry.map(|e| e.number));
                    }
                }
            }
            if let Some(state) = self.stop_after(session, out) {
                return Ran::Stopped(Fed { consumed: pending.end, missing: 0, state });
            }
            if (self.context.config_version, session.user.authenticated) != known {
                end = Ran::UpTo(pending.end);
                break;
            }
        }
        self.context.share_time(start, &shared);
        end
    }

    /// Runs the request that a pause has postponed, if there is one. Something to return if the
    /// connection must stop at it.
    fn resume(&mut self, session: &mut Session, out: &mut Vec<u8>) -> Option<Fed> {
        let words = self.engine.resumed(session)?;
        let argv: SmallVec<[&[u8]; 16]> = words.iter().map(Vec::as_slice).collect();
        let entry = self.engine.table.find(&argv);
        let request = Request { argv: &argv, entry, hash: None };
        let (ran, took) = timed(|| self.execute(session, request, out));
        if let (true, Some(entry)) = (ran, entry) {
            self.context.took(self.engine, entry, &argv, session, took);
        }
        let state = self.stop_after(session, out);
        Some(Fed { consumed: 0, missing: 0, state: state? })
    }

    /// A request without words: not run, not answered, and yet the one that `CLIENT REPLY SKIP` or
    /// `CLIENT CACHING` was said for.
    #[cold]
    fn pass_over(&mut self, session: &mut Session, out: &mut Vec<u8>) {
        let start = out.len();
        session.replies.request_done(out, start);
        session.tracking.caching &= session.transaction.multi.is_some();
    }

    fn note_activity(&self, session: &Session, group: &Group<'_>) {
        session.client.last.store(self.context.now, Ordering::Relaxed);
        let last = group.iter().rfind(|pending| !pending.words.is_empty());
        if let Some(entry) = last.and_then(|pending| pending.entry) {
            session.client.command.store(entry.number + 1, Ordering::Relaxed);
        }
    }

    /// Why the connection must stop after the request that has just run, if it must.
    #[inline]
    fn stop_after(&mut self, session: &Session, out: &[u8]) -> Option<State> {
        // Time has passed for those behind a long script, and another thread may have to go on.
        let overran = std::mem::take(&mut self.context.overran) | self.txn.held.take_overran();
        if session.closing {
            return Some(State::Closing);
        }
        if session.blocked.is_some() {
            return Some(State::Blocked);
        }
        if session.is_paused() {
            return Some(State::Paused);
        }
        (overran || out.len() >= REPLIES_PER_TURN).then_some(State::Full)
    }
}

/// Decodes up to `most` requests from `at` on; where it stopped, and why. Those behind the first
/// may have to be decoded again, if one before them makes the connection stop. So an inline request
/// with quotes can only be the first: it is unquoted where it lies.
fn decode<'e>(
    engine: &'e Engine,
    decoder: &mut Decoder,
    limits: &Limits,
    (input, mut at): (&mut [u8], usize),
    words: &mut Vec<Word>,
    (group, most): (&mut Group<'e>, usize),
) -> (Ended, usize) {
    while group.len() < most {
        if !group.is_empty() && wire::is_unquoted_in_place(input.get(at..).unwrap_or_default()) {
            return (Ended::Full, at);
        }
        let first = words.len();
        match decoder.next(input, at, limits, words) {
            Ok(Step::Request { bytes, .. }) => {
                at += bytes;
                let range = first..words.len();
                let second = || words.get(first + 1).map(|word| word.of(input));
                let entry = engine.table.find_by(words[first].of(input), second);
                group.push(Pending { entry, hash: None, words: range, end: at });
            }
            Ok(Step::Empty { bytes }) => {
                at += bytes;
                group.push(Pending { entry: None, hash: None, words: first..first, end: at });
            }
            Ok(Step::Partial { missing }) => return (Ended::Short(missing), at),
            Err(error) => return (Ended::Broken(error), at),
        }
    }
    (Ended::Full, at)
}

/// Hashes the keys of a group, once; with several, overlaps their cache misses: first the buckets
/// of all are fetched, then the entries of all.
fn prefetch(engine: &Engine, db: usize, group: &mut Group<'_>, words: &[Word], input: &[u8]) {
    let several = group.len() > 1;
    for pending in group.iter_mut() {
        if pending.entry.is_some_and(|e| e.facts.one_key) && pending.words.len() > 1 {
            let hash = engine.store.hasher().hash(words[pending.words.start + 1].of(input));
            pending.hash = Some(hash);
            if several {
                engine.store.prefetch_bucket(db, hash);
            }
        }
    }
    if several {
        for hash in group.iter().filter_map(|pending| pending.hash) {
            engine.store.prefetch_entry(db, hash);
        }
    }
}
