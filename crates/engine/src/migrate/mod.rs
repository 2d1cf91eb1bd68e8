//! Keys that move to another server.
//!
//! ```text
//!   source                                         target
//!     lock: DUMP, watch      ──── RESTORE ────►
//!     (requests go on)       ◄──── +OK ───────
//!     lock: unchanged? DEL
//!           changed?   dump again ── RESTORE REPLACE ──►   sixteen times at most
//!           gone?                 ── DEL ──────────────►   it was deleted before it moved
//! ```
//!
//! A key that will not stand still stays here, and the client is told.
//!
//! No shard is locked while bytes travel, so a key can change on its way. It is deleted here only
//! if it is still what the target has confirmed: no write is ever lost. Redis, which lets no
//! request in meanwhile, has nothing to check.

mod target;

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use base::{CmdError, Protocol, Types};
use commands::dump_payload;
use store::{Scope, Txn, Watch};
use wire::RespWriter;

use self::target::Target;
use crate::background::BackgroundWorker;
use crate::client::words_memory;
use crate::engine::Engine;
use crate::engine::entry::Action;
pub(crate) use crate::engine::hooks::{DialError, Line};
use crate::execution::data_command::Call;
use crate::execution::request::Request;
use crate::execution::serving;
use journal::wall_clock;

/// The user to be at the target.
#[derive(Clone, Debug, Default)]
pub(crate) struct Credentials {
    pub user: Option<Vec<u8>>,
    pub password: Option<Vec<u8>>,
}

/// What is to move where.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    pub host: String,
    pub port: u16,
    pub keys: Vec<Vec<u8>>,
    /// The database here.
    pub from: usize,
    /// The database there.
    pub db: i64,
    /// For each step.
    pub timeout: Duration,
    /// The keys stay here, too.
    pub copy: bool,
    /// What the target has under these names goes.
    pub replace: bool,
    pub credentials: Credentials,
}

impl Order {
    /// Bytes of its words and, when it runs, of what it looks for twice among its keys, about.
    pub fn memory(&self) -> usize {
        let Credentials { user, password } = &self.credentials;
        let others = [user, password].into_iter().flatten().map(Vec::len).sum::<usize>();
        let seen = self.keys.len() * 3 * size_of::<&[u8]>();
        words_memory(&self.keys) + seen + others + self.host.len()
    }
}

/// So many keys are on their way at a time.
const BATCH: usize = 64;
/// Or as many as are this long together.
const BATCH_BYTES: usize = 4 << 20;
/// So often a key that changes on its way is sent again.
const ROUNDS: usize = 16;

const CONNECTING: CmdError = CmdError::new("IOERR error or timeout connecting to the client");
const WRITING: CmdError = CmdError::new("IOERR error or timeout writing to target instance");
const READING: CmdError = CmdError::new("IOERR error or timeout reading to target instance");
const HOT: CmdError = CmdError::new(
    "TRYAGAIN a key changed whenever it was sent; it is still here, and the target has an older \
     copy",
);

/// A key on its way, as it was when it was dumped.
struct DumpedKey {
    key: Vec<u8>,
    payload: Vec<u8>,
    /// Milliseconds it has left; 0 for ever.
    ttl: u64,
    watch: Arc<Watch>,
    /// Counts it as memory.
    _charge: Charge,
}

/// Counts bytes on their way as memory, as long as it is there.
struct Charge {
    engine: Arc<Engine>,
    bytes: usize,
}

impl Charge {
    fn of(engine: &Arc<Engine>, bytes: usize) -> Self {
        engine.background.migrating.fetch_add(bytes, Ordering::Relaxed);
        Charge { engine: Arc::clone(engine), bytes }
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.engine.background.migrating.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// What a look at a key that the target has confirmed led to.
enum Settled {
    /// It is deleted here.
    Moved,
    /// It has changed: this is how it is now.
    Changed(DumpedKey),
    /// Another client has deleted it.
    Gone,
}

/// Moves the keys; whether there was any.
///
/// # Errors
/// What the client is told. Keys that the target has confirmed by then have moved.
pub(crate) fn run(
    engine: &Arc<Engine>,
    worker: &mut BackgroundWorker,
    order: Order,
) -> Result<bool, CmdError> {
    // Named twice, a key would be gone the second time, as if it had been deleted.
    let mut seen = HashSet::new();
    let keys: Vec<&[u8]> =
        order.keys.iter().map(Vec::as_slice).filter(|key| seen.insert(*key)).collect();
    let mut migration =
        Migration { engine, worker, order: &order, target: None, refused: None, found: false };
    let mut rest = keys.as_slice();
    while !rest.is_empty() {
        let (looked_at, batch) = migration.pack(rest);
        rest = rest.get(looked_at..).unwrap_or_default();
        migration.send(batch)?;
    }
    migration.refused.map_or(Ok(migration.found), Err)
}

struct Migration<'m> {
    engine: &'m Arc<Engine>,
    worker: &'m mut BackgroundWorker,
    order: &'m Order,
    target: Option<Target>,
    /// The first error that the target has answered.
    refused: Option<CmdError>,
    found: bool,
}

impl Migration<'_> {
    /// Dumps and watches some of the keys; how many it has looked at, one at least.
    fn pack(&mut self, keys: &[&[u8]]) -> (usize, Vec<DumpedKey>) {
        let (mut batch, mut bytes, mut looked_at) = (Vec::new(), 0, 0);
        let engine = Arc::clone(self.engine);
        while looked_at < keys.len().min(BATCH) && bytes < BATCH_BYTES {
            let dumped = self.with_key(keys[looked_at], |txn, key| dump(&engine, txn, key));
            if let Some(dumped) = dumped {
                bytes += dumped.payload.len();
                batch.push(dumped);
            }
            looked_at += 1;
        }
        (looked_at, batch)
    }

    /// Does `work` while the key's shard is held.
    fn with_key<R>(
        &mut self,
        key: &[u8],
        work: impl FnOnce(&mut Txn, base::Key<'_>) -> Option<R>,
    ) -> Option<R> {
        let store = &self.engine.store;
        let key = store.hasher().key(key);
        let (txn, from) = (&mut self.worker.txn, self.order.from);
        txn.begin(wall_clock());
        txn.held.wait_for_disk();
        let scope = Scope::One(store.shard_of(key.hash));
        let done = txn.with(store, scope, |txn| {
            txn.select(from);
            work(txn, key)
        });
        // A panic was contained: as if the key were not there.
        done.ok().flatten()
    }

    /// Sends keys and settles each that the target confirms. No watch is left behind.
    fn send(&mut self, batch: Vec<DumpedKey>) -> Result<(), CmdError> {
        let mut open: VecDeque<DumpedKey> = batch.into();
        let sent = self.exchange(&mut open);
        for dumped in open {
            self.unwatch(&dumped);
        }
        sent
    }

    fn exchange(&mut self, open: &mut VecDeque<DumpedKey>) -> Result<(), CmdError> {
        if open.is_empty() {
            return Ok(());
        }
        let mut replace = self.order.replace;
        let mut target = match self.target.take() {
            Some(target) => target,
            None => Target::reach(self.engine, self.order)?,
        };
        for _ in 0..ROUNDS {
            target.restore(open.iter(), replace)?;
            for _ in 0..open.len() {
                let answer = target.reply()?;
                let Some(dumped) = open.pop_front() else { break };
                match answer {
                    Ok(()) if !self.order.copy => match self.settle(&dumped) {
                        Settled::Moved => self.found = true,
                        Settled::Changed(anew) => open.push_back(anew),
                        Settled::Gone => target.remove(&dumped.key)?,
                    },
                    Ok(()) => {
                        self.unwatch(&dumped);
                        self.found = true;
                    }
                    Err(refusal) => {
                        self.unwatch(&dumped);
                        self.refused.get_or_insert(refusal);
                    }
                }
            }
            target.removed()?;
            if open.is_empty() {
                self.target = Some(target);
                return Ok(());
            }
            // What the target has under these names is what we have put there.
            replace = true;
        }
        // Not removed there: the target may be this very server.
        self.target = Some(target);
        self.refused.get_or_insert(HOT);
        Ok(())
    }

    fn unwatch(&mut self, dumped: &DumpedKey) {
        let from = self.order.from;
        let _: Option<()> = self.with_key(&dumped.key, |txn, key| {
            txn.held.remove_watch(from, key.hash, key.bytes, &dumped.watch);
            None
        });
    }

    /// Deletes a key that the target has, if it is still what was sent.
    fn settle(&mut self, dumped: &DumpedKey) -> Settled {
        let (engine, from) = (Arc::clone(self.engine), self.order.from);
        let counters = Arc::clone(&self.worker.counters);
        let settled = self.with_key(&dumped.key, |txn, key| {
            txn.held.remove_watch(from, key.hash, key.bytes, &dumped.watch);
            if dumped.watch.changed() {
                return Some(dump(&engine, txn, key).map_or(Settled::Gone, Settled::Changed));
            }
            let argv: [&[u8]; 2] = [b"DEL", key.bytes];
            let entry = engine.table.find_own(&argv)?;
            let Action::Data(run) = entry.action else { return None };
            let request = Request { argv: &argv, entry: Some(entry), hash: Some(key.hash) };
            let (counters, request) = (&*counters, &request);
            let call =
                Call { engine: &engine, counters, entry, request, run, reader: None, edited: None };
            let mut reply = Vec::new();
            let _ = call.perform(txn, &mut RespWriter::new(&mut reply, Protocol::Resp2));
            serving::serve_ready(&engine, txn);
            Some(Settled::Moved)
        });
        settled.unwrap_or(Settled::Moved)
    }
}

/// Dumps a key whose shard is held, and watches it. `None` if it is not there.
fn dump(engine: &Arc<Engine>, txn: &mut Txn, key: base::Key<'_>) -> Option<DumpedKey> {
    // What cannot be dumped cannot be moved; no type is of that kind.
    let payload = dump_payload(txn, key).ok().flatten()?;
    let now = txn.time();
    let ttl = txn.deadline(key)?.map_or(0, |at| at.saturating_sub(now).max(1));
    let watch = Arc::new(Watch::default());
    txn.held.add_watch(key.hash, key.bytes, &watch);
    let charge = Charge::of(engine, payload.capacity() + key.bytes.len());
    Some(DumpedKey { key: key.bytes.to_vec(), payload, ttl, watch, _charge: charge })
}
