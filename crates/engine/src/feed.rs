//! From the bytes of a connection to executed requests: the batch is the unit.
//!
//! Up to sixteen requests are decoded at a time. Their keys are hashed once, the table's buckets
//! and then the entries are prefetched, so that the cache misses of all sixteen overlap; then
//! they run in order.

use std::time::Instant;

use base::Flag;
use smallvec::SmallVec;
use wire::{Limits, Step};

use crate::execute::{Request, timed};
use crate::session::Session;
use crate::table::Entry;
use crate::worker::Worker;
use crate::Engine;

/// Requests decoded and prefetched together. Measured: more gives nothing.
const GROUP: usize = 16;
/// With a slow log threshold under this many microseconds every command is timed by itself.
const TIME_EACH_BELOW_US: i64 = 1000;

/// What became of the bytes fed.
#[derive(Debug, PartialEq, Eq)]
pub struct Fed {
    /// How many bytes are done with; the rest must be fed again, with more behind it.
    pub consumed: usize,
    /// Whether to go on.
    pub state: State,
}

/// Whether a connection goes on after a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It waits for more bytes.
    Open,
    /// Its last request is blocked; feed nothing until it is unblocked.
    Blocked,
    /// It is to be closed when its replies are sent.
    Closing,
}

struct Pending<'e> {
    entry: Option<&'e Entry>,
    hash: Option<u64>,
    words: (usize, usize),
    end: usize,
}

impl Worker {
    /// Executes every complete request in `input` and appends the replies to `out`.
    ///
    /// `input` must begin where the last call's `consumed` ended. Call [`Worker::begin`] before.
    pub fn feed(&mut self, session: &mut Session, input: &[u8], out: &mut Vec<u8>) -> Fed {
        let engine = std::sync::Arc::clone(&self.engine);
        let mut consumed = 0;
        let mut words = wire::Words::default();
        loop {
            let mut group: SmallVec<[Pending<'_>; GROUP]> = SmallVec::new();
            words.clear();
            let (ended, at) = decode(self, &engine, session, (input, consumed), &mut words, &mut group);
            if group.len() > 1 {
                for pending in &group {
                    if let Some(hash) = pending.hash {
                        engine.store.prefetch_entry(session.db, hash);
                    }
                }
            }
            if let Some(stop) = self.run_group(&engine, session, &group, (input, &words), out) {
                session.decoder.reset();
                self.end_batch();
                return stop;
            }
            consumed = at;
            match ended {
                Ended::Full => {}
                Ended::Short => {
                    self.end_batch();
                    return Fed { consumed, state: State::Open };
                }
                Ended::Broken(text) => {
                    session.closing = true;
                    self.end_batch();
                    let mut writer = wire::RespWriter::new(out, session.protocol);
                    base::Reply::error(&mut writer, &text);
                    engine.stats.error("ERR");
                    return Fed { consumed: input.len(), state: State::Closing };
                }
            }
        }
    }

    /// Runs decoded requests in order. Something to return if the connection must stop here.
    fn run_group(
        &mut self,
        engine: &Engine,
        session: &mut Session,
        group: &[Pending<'_>],
        (input, words): (&[u8], &wire::Words),
        out: &mut Vec<u8>,
    ) -> Option<Fed> {
        let mut argv: SmallVec<[&[u8]; 16]> = SmallVec::new();
        let each = (0..TIME_EACH_BELOW_US).contains(&self.seat.config.slowlog_log_slower_than);
        let start = Instant::now();
        let mut shared: SmallVec<[usize; GROUP]> = SmallVec::new();
        for pending in group {
            argv.clear();
            words.collect(input, pending.words, &mut argv);
            let request = Request { argv: &argv, entry: pending.entry, hash: pending.hash };
            match pending.entry {
                Some(entry) if each || group.len() == 1 || !entry.has(Flag::Fast) => {
                    let ((), took) = timed(|| self.execute(session, request, out));
                    self.seat.took(engine, entry, &argv, session, took);
                }
                entry => {
                    self.execute(session, request, out);
                    shared.extend(entry.map(|e| e.number));
                }
            }
            let state = match (session.closing, session.blocked.is_some()) {
                (true, _) => State::Closing,
                (false, true) => State::Blocked,
                (false, false) => continue,
            };
            return Some(Fed { consumed: pending.end, state });
        }
        self.share_time(start, &shared);
        self.note_activity(session, group);
        None
    }

    /// Divides the time of a group evenly among its fast commands: a clock read per command would
    /// cost a tenth of the command.
    fn share_time(&self, start: Instant, numbers: &[usize]) {
        if numbers.is_empty() {
            return;
        }
        let nanos = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let share = nanos / numbers.len() as u64;
        for &number in numbers {
            self.seat.counters.commands[number].nanos.add(share);
        }
    }

    fn note_activity(&self, session: &Session, group: &[Pending<'_>]) {
        use std::sync::atomic::Ordering::Relaxed;
        let Some(last) = group.last() else { return };
        self.seat.counters.executed.add(group.len() as u64);
        session.client.last.store(self.seat.now, Relaxed);
        if let Some(entry) = last.entry {
            session.client.command.store(entry.number + 1, Relaxed);
        }
    }
}

enum Ended {
    /// The group is full; there may be more.
    Full,
    /// The input ends inside a request, or at its end.
    Short,
    /// The input breaks the protocol.
    Broken(String),
}

fn decode<'e>(
    worker: &Worker,
    engine: &'e Engine,
    session: &mut Session,
    (input, from): (&[u8], usize),
    words: &mut wire::Words,
    group: &mut SmallVec<[Pending<'e>; GROUP]>,
) -> (Ended, usize) {
    let limits = Limits {
        bulk_max: worker.seat.config.proto_max_bulk_len,
        authenticated: session.authenticated,
    };
    let mut at = from;
    while group.len() < GROUP {
        let first = words.len();
        match session.decoder.next(&input[at..], at, &limits, words) {
            Ok(Step::Request { consumed }) => {
                at += consumed;
                let range = (first, words.len());
                if range.0 == range.1 {
                    continue;
                }
                let mut head: SmallVec<[&[u8]; 2]> = SmallVec::new();
                words.collect(input, (first, words.len().min(first + 2)), &mut head);
                let entry = engine.table.find(&head);
                let hash = entry
                    .filter(|e| e.one_key && head.len() > 1)
                    .map(|_| engine.store.hasher().hash(head[1]));
                if let Some(hash) = hash {
                    engine.store.prefetch_bucket(session.db, hash);
                }
                group.push(Pending { entry, hash, words: range, end: at });
            }
            Ok(Step::Incomplete { .. }) => return (Ended::Short, at),
            Err(broken) => return (Ended::Broken(format!("ERR {broken}")), at),
        }
    }
    (Ended::Full, at)
}
