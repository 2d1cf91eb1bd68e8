//! What all workers share.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Instant;

use base::{Hashing, Millis, PackLimits};
use config::{Changes, Config, Peer, SetError, Settings};
use journal::{Manifest, wall_clock};
use parking_lot::{Mutex, RwLock};
use store::{Options, Store};

use crate::access::Users;
use crate::background_requests::BackgroundRequests;
use crate::block::BlockedRequests;
use crate::client::Clients;
use crate::client_eviction::ClientEvictions;
use crate::control;
use crate::cron::Allocator;
use crate::evict::{self, Evictions};
use crate::latency_monitor::LatencyMonitor;
use crate::migrate::Dial;
use crate::monitor::Monitors;
use crate::notifier::Notifier;
use crate::ordered::Building;
use crate::pause::Pauses;
use crate::persistence::Persistence;
use crate::pubsub::PubSub;
use crate::replace_file::replace_file;
use crate::request_flags::RequestFlags;
use crate::scripting::{Functions, Runs, Scripts};
use crate::session::Session;
use crate::slowlog::Slowlog;
use crate::stats::Stats;
use crate::table::{Action, Table};
use crate::tracking::Tracking;
use crate::unauthenticated::Unauthenticated;
use crate::watch::Watchers;

/// Carries out what a change from one configuration to another means outside the engine, or says
/// why that cannot be. The third argument names what was set, in the order it was given. It runs in
/// the thread that changes the settings, one change at a time.
pub type CarryOut =
    Box<dyn Fn(&Config, &Config, &[&'static str]) -> Result<(), SetError> + Send + Sync>;

/// What an engine is started with.
pub struct Start {
    /// The configuration, defaults applied.
    pub settings: Settings,
    /// Unpredictable bits: seed the hashes and name this run.
    pub seed: [u64; 4],
    /// What the manifest of the dataset on disk says, if there is one: it goes on with its own
    /// name and key hash, and with no fewer shards than it has, unless the configuration says so.
    pub kept: Option<Manifest>,
    /// The time.
    pub now: Millis,
    /// Number of worker threads.
    pub workers: usize,
    /// Where the configuration was read from, absolute; empty if from nowhere.
    pub config_file: String,
    /// The executable, absolute.
    pub executable: String,
}

/// What all workers share.
pub struct Engine {
    /// The dataset.
    pub store: Arc<Store>,
    /// Every command.
    pub table: Table,
    /// Every configuration setting, for `CONFIG`.
    pub settings: Mutex<Settings>,
    config: RwLock<Arc<Config>>,
    pub(crate) config_version: AtomicU64,
    /// Connected clients.
    pub clients: Clients,
    /// Users and what they may do.
    pub users: Users,
    /// Subscriptions.
    pub pubsub: PubSub,
    /// The clients that track keys.
    pub tracking: Tracking,
    /// Parts of this program that are told what happens to keys.
    pub(crate) watchers: Watchers,
    /// Blocked requests.
    pub blocked: BlockedRequests,
    /// Counters.
    pub stats: Stats,
    /// Slow requests.
    pub slowlog: Slowlog,
    /// Pauses that were long.
    pub latency_monitor: LatencyMonitor,
    /// Flags that every request reads.
    pub(crate) request_flags: RequestFlags,
    /// The clients that monitor.
    pub(crate) monitors: Monitors,
    /// Until when requests wait.
    pub pauses: Pauses,
    /// How memory is given back.
    pub(crate) allocator: OnceLock<Allocator>,
    /// When the server started.
    pub started: Millis,
    /// When the server started, for durations.
    pub clock: Instant,
    /// 40 hex digits that name this run.
    pub run_id: String,
    /// Number of worker threads.
    pub workers: usize,
    carry_out: OnceLock<CarryOut>,
    /// Where the configuration was read from; empty if from nowhere.
    pub config_file: String,
    /// The executable.
    pub executable: String,
    /// Bytes that clients take: their buffers, what they keep, themselves. Kept by the doors.
    pub buffers: Arc<AtomicUsize>,
    /// The connections whose callers are not authenticated: see [`crate::unauthenticated`].
    pub(crate) unauthenticated: Unauthenticated,
    /// How often something big was freed in the background: a reason for each thread to gather
    /// its part of it.
    pub cleanups: AtomicUsize,
    /// Overdue keys are deleted though no request asks for them: `DEBUG SET-ACTIVE-EXPIRE`.
    pub active_expire: AtomicBool,
    /// The background thread does nothing: `DEBUG PAUSE-CRON`.
    pub at_rest: AtomicBool,
    /// Scripts may run what they otherwise may not: `DEBUG SET-DISABLE-DENY-SCRIPTS`.
    pub(crate) runs_all_in_scripts: AtomicBool,
    /// The server is stopping.
    pub stopping: AtomicBool,
    /// When clients that take too much are looked for.
    pub(crate) client_evictions: ClientEvictions,
    /// Figures about keys dropped for memory.
    pub evictions: Evictions,
    /// The dataset's life on disk.
    pub persistence: Persistence,
    /// The scripts that are known.
    pub(crate) scripts: Scripts,
    /// The libraries of functions.
    pub(crate) functions: Functions,
    /// Scripts and functions that run for long.
    pub(crate) runs: Runs,
    /// Ordered indexes that are being built.
    pub(crate) building: Building,
    /// Threads for requests that wait for other servers or for files.
    pub(crate) background: BackgroundRequests,
    dial: OnceLock<Dial>,
    /// Names the dataset on disk.
    pub(crate) dataset_id: [u8; 16],
    /// Random seed of this run, for the secrets of the journal's files.
    pub(crate) journal_seed: u64,
    /// How keys are hashed.
    pub(crate) hashing: Hashing,
    /// This engine, for threads that outlive a request.
    me: Weak<Engine>,
}

impl Engine {
    /// An engine over an empty dataset.
    ///
    /// # Errors
    /// The configuration renames a command that is not there, or to a name that is; or a command's
    /// spec is broken, which is a mistake in the source.
    pub fn new(start: Start) -> Result<Arc<Self>, String> {
        let table = command_table_as_called(&start.settings)?;
        Ok(Self::with_table(start, table))
    }

    /// The same with a table of its own, for tests of what commands may do wrong.
    #[must_use]
    pub fn with_table(start: Start, table: Table) -> Arc<Self> {
        // Whatever hashes what clients choose must be as unpredictable as the keyspace. The first
        // engine of a process decides: what others make is then seeded by it, which is as good.
        types::seed_members(start.seed[1]);
        json::seed_names(start.seed[1].rotate_left(21));
        script::seed_strings(start.seed[1].rotate_left(42));
        let config = Arc::new(start.settings.config());
        let new = Hashing::new(start.seed[0]);
        let hashing = start.kept.as_ref().map_or(new, |kept| kept.hashing);
        let mut options = Options::for_cores(start.workers, config.databases, hashing);
        let kept = start.kept.as_ref().map_or(0, |kept| kept.shards);
        options.shards = config.shards.unwrap_or(options.shards.max(kept));
        let store = Arc::new(Store::new(options));
        store.set_limits(pack_limits(&config));
        store.set_measure(evict::measure(&config));
        let dataset_id = start.kept.as_ref().map_or_else(|| new_id(&start.seed), |kept| kept.id);
        // The other two numbers are shown to clients, as the name of this run.
        let journal_seed = start.seed[0].rotate_left(17) ^ start.seed[1];
        let run_id = run_id(&start.seed);
        let users = Users::new(&table, &config);
        limit_readers(&store, &config);
        let engine = Arc::new_cyclic(|me: &Weak<Engine>| Engine {
            store,
            table,
            users,
            settings: Mutex::new(start.settings),
            slowlog: Slowlog::default(),
            latency_monitor: LatencyMonitor::default(),
            request_flags: RequestFlags::default(),
            monitors: Monitors::default(),
            pauses: Pauses::default(),
            allocator: OnceLock::new(),
            config: RwLock::new(config),
            config_version: AtomicU64::new(0),
            carry_out: OnceLock::new(),
            clients: Clients::default(),
            pubsub: PubSub::default(),
            tracking: Tracking::default(),
            watchers: Watchers::default(),
            blocked: BlockedRequests::default(),
            stats: Stats::default(),
            started: start.now,
            clock: Instant::now(),
            run_id: run_id[..40].to_owned(),
            workers: start.workers,
            config_file: start.config_file,
            executable: start.executable,
            buffers: Arc::default(),
            unauthenticated: Unauthenticated::default(),
            cleanups: AtomicUsize::new(0),
            active_expire: AtomicBool::new(true),
            at_rest: AtomicBool::new(false),
            runs_all_in_scripts: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
            client_evictions: ClientEvictions::default(),
            evictions: Evictions::default(),
            persistence: Persistence::default(),
            scripts: Scripts::default(),
            functions: Functions::default(),
            runs: Runs::default(),
            building: Building::default(),
            background: BackgroundRequests::default(),
            dial: OnceLock::new(),
            dataset_id,
            journal_seed,
            hashing,
            me: me.clone(),
        });
        engine.follow_indexes(&engine.config());
        engine.store.set_notification_sink(Box::new(Notifier(Arc::downgrade(&engine))));
        engine.follow_events();
        engine
    }

    /// This engine, to keep.
    pub(crate) fn me(&self) -> Option<Arc<Engine>> {
        self.me.upgrade()
    }

    /// The configuration in force.
    #[must_use]
    pub fn config(&self) -> Arc<Config> {
        Arc::clone(&self.config.read())
    }

    /// Sets what carries out changes that reach beyond the engine: to sockets, to limits of the
    /// process. Only the first call has an effect.
    pub fn on_change(&self, carry_out: CarryOut) {
        // Setting it twice is a mistake of the caller's that changes nothing.
        let _ = self.carry_out.set(carry_out);
    }

    /// Sets what connects to other servers. Only the first call has an effect.
    pub fn on_dial(&self, dial: Dial) {
        // Setting it twice is a mistake of the caller's that changes nothing.
        let _ = self.dial.set(dial);
    }

    /// What connects to other servers, if it is set.
    pub(crate) fn dial(&self) -> Option<&Dial> {
        self.dial.get()
    }

    /// `CONFIG SET`: changes all of these settings and puts them in force, or none. What follows
    /// from them is the caller's to do, with no shard in hand: [`Engine::follow_settings`].
    ///
    /// # Errors
    /// Why not, as Redis would tell it.
    pub(crate) fn change_settings(
        &self,
        pairs: &[(&[u8], &[u8])],
        peer: Peer,
    ) -> Result<Changes, SetError> {
        let changes = {
            let mut settings = self.settings.lock();
            let changes = settings.set(pairs, peer)?;
            if let Err(error) = self.reach_out(&self.config(), &settings.config(), &changes) {
                settings.revert(changes);
                return Err(error);
            }
            changes
        };
        self.take_over(&changes);
        Ok(changes)
    }

    /// The same for settings that reach out of the process: to files, which may take as long as
    /// they like. Other clients can ask for settings and change them meanwhile.
    ///
    /// # Errors
    /// As [`change_settings`](Self::change_settings).
    pub(crate) fn change_settings_slowly<W: AsRef<[u8]>>(
        &self,
        pairs: &[(W, W)],
        peer: Peer,
    ) -> Result<Changes, SetError> {
        let _one = self.background.files.reaching_out.lock();
        let mut tried = self.settings.lock().clone();
        let before = tried.config();
        let changes = tried.set(pairs, peer)?;
        self.reach_out(&before, &tried.config(), &changes)?;
        let changes = self.settings.lock().set(pairs, peer)?;
        self.take_over(&changes);
        Ok(changes)
    }

    /// Carries out what changes mean outside of the engine.
    fn reach_out(
        &self,
        before: &Config,
        after: &Config,
        changes: &Changes,
    ) -> Result<(), SetError> {
        // It is made if missing at the next start; but a client that names one now means one that
        // exists.
        if changes.touch("dir")
            && let Err(error) = std::fs::read_dir(&after.dir)
        {
            return Err(SetError::failed("dir", &without_number(&error)));
        }
        match self.carry_out.get() {
            Some(carry_out) => carry_out(before, after, &changes.changed),
            None => Ok(()),
        }
    }

    /// Puts changes in force.
    fn take_over(&self, changes: &Changes) {
        self.publish_settings();
        if changes.touch("requirepass") {
            self.set_default_password(self.config().acl.requirepass.as_deref());
        }
    }

    /// `CONFIG REWRITE`: makes the configuration file say what is in force; `in_full`, of every
    /// directive. Waits for the disk.
    ///
    /// # Errors
    /// The file cannot be read or replaced.
    pub(crate) fn rewrite_settings(&self, in_full: bool) -> std::io::Result<()> {
        let path = Path::new(&self.config_file);
        // Held while writing: no thread may put an older state over a newer one. The settings are
        // not: other clients ask for them, and the disk may take as long as it likes.
        let _rewriting = self.background.files.rewriting.lock();
        let settings = self.settings.lock().clone();
        let users = self.lines_to_rewrite(settings.users(), path)?;
        let text = match in_full {
            true => settings.rewritten_in_full(path, users.as_deref())?,
            false => settings.rewritten(path, users.as_deref())?,
        };
        replace_file(path, &text)?;
        if let Some(users) = users {
            self.lines_rewritten(users);
        }
        Ok(())
    }

    /// Puts the settings in force after they changed; workers see them at their next batch.
    fn publish_settings(&self) {
        // Held meanwhile: two threads that change settings at the same time must not mix what they
        // put in force.
        let settings = self.settings.lock();
        let config = Arc::new(settings.config());
        self.store.set_limits(pack_limits(&config));
        self.store.set_measure(evict::measure(&config));
        limit_readers(&self.store, &config);
        self.follow_indexes(&config);
        *self.config.write() = Arc::clone(&config);
        self.follow_events();
        drop(settings);
        self.config_version.fetch_add(1, Ordering::Release);
    }

    /// Does what follows from the settings in force and may have to wait for other threads, or for
    /// any shard: the caller must hold none. The client who has changed them, if it can wait, waits
    /// for what takes long, and is answered then.
    pub(crate) fn follow_settings(&self, client: Option<&mut Session>) {
        let config = self.config();
        self.evict_clients(&config, wall_clock());
        if let Some(me) = self.me() {
            me.follow_durability(&config, client);
        }
    }

    /// Bytes the dataset, its indexes, those who have read it, the connections, values on their way
    /// to other servers, the scripts that are known, users and what is logged of clients take.
    /// Interpreters are not part of it, as in Redis: no key is evicted for what a script has left
    /// behind. They have limits of their own, and tell what they take themselves.
    #[must_use]
    pub fn used_memory(&self) -> usize {
        self.store.memory() + self.memory_beside()
    }

    /// Bytes of [`used_memory`](Self::used_memory) that are not the dataset's.
    pub(crate) fn memory_beside(&self) -> usize {
        let buffers = self.buffers.load(Ordering::Relaxed);
        let migrating = self.background.migrating.load(Ordering::Relaxed);
        let scripts = usize::try_from(self.scripts.memory()).unwrap_or(usize::MAX);
        let (indexes, readers) = (self.store.index_memory(), self.store.readers_memory());
        let beside = readers + indexes + buffers + migrating + scripts;
        beside + self.functions.memory() + self.records_memory()
    }

    /// Bytes of users and their rules, of `ACL LOG` and of the slow log.
    pub(crate) fn records_memory(&self) -> usize {
        self.users.memory() + self.users.log.memory() + self.slowlog.memory()
    }

    /// Bytes of the interpreters of scripts, of those of functions, of the scripts that are known
    /// and of libraries.
    pub(crate) fn scripting_memory(&self) -> [usize; 4] {
        let (scripts, functions) = self.stats.interpreters();
        let known = usize::try_from(self.scripts.memory()).unwrap_or(usize::MAX);
        [scripts, functions, known, self.functions.memory()]
    }
}

/// What went wrong with a file, in the words of C: without the number.
pub(crate) fn without_number(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

/// Every command of the server.
///
/// # Errors
/// A spec is broken: a mistake in the source.
pub fn command_table() -> Result<Table, String> {
    let data = commands::rows::<store::Txn>();
    let mut rows: Vec<_> = data.into_iter().map(|r| (r.spec, Action::Data(r.run))).collect();
    rows.extend(commands::containers().into_iter().map(|spec| (spec, Action::Container)));
    rows.extend(control::rows());
    rows.sort_by_key(|(spec, _)| spec.name);
    Table::new(rows)
}

/// The same, with the names by which these settings have commands called.
///
/// # Errors
/// They rename a command that is not there, or to a name that is.
pub fn command_table_as_called(settings: &Settings) -> Result<Table, String> {
    let mut table = command_table()?;
    for line in settings.renames() {
        let renamed = table.rename(&line.from, &line.to);
        renamed.map_err(|why| line.rejected(why.to_string()).to_string())?;
    }
    Ok(table)
}

/// A name for a new dataset.
fn new_id(seed: &[u64; 4]) -> [u8; 16] {
    (u128::from(seed[2]) << 64 | u128::from(seed[3])).to_be_bytes()
}

/// A name for this run. It is shown to clients, so nothing of the seeds of hashes may be in it.
fn run_id(seed: &[u64; 4]) -> String {
    let mixed = seed[2].rotate_left(32) ^ seed[3].wrapping_mul(0x9e37_79b9_7f4a_7c15);
    format!("{:016x}{:016x}{mixed:016x}", seed[2], seed[3])
}

/// Tells the store how many keys' readers may be remembered.
fn limit_readers(store: &Store, config: &Config) {
    let limit = config.tracking_table_max_keys;
    let limit = limit.and_then(|limit| usize::try_from(limit).ok());
    store.set_read_keys_limit(limit.unwrap_or(usize::MAX));
}

fn pack_limits(config: &Config) -> PackLimits {
    // A limit beyond what an index can count is no limit.
    let size = |limit: u64| usize::try_from(limit).unwrap_or(usize::MAX);
    PackLimits {
        hash_entries: size(config.hash_max_listpack_entries),
        hash_value: size(config.hash_max_listpack_value),
        list_size: config.list_max_listpack_size,
        set_intset_entries: size(config.set_max_intset_entries),
        zset_entries: size(config.zset_max_listpack_entries),
        zset_value: size(config.zset_max_listpack_value),
        hll_sparse: size(config.hll_sparse_max_bytes),
        stream_node_bytes: size(config.stream_node_max_bytes),
        stream_node_entries: usize::try_from(config.stream_node_max_entries).unwrap_or(0),
        string_max: size(config.proto_max_bulk_len),
    }
}
