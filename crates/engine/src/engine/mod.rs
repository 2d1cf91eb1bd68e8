//! What all workers share, and what each has of its own.
//!
//! [`Engine`] holds the parts, each from the room that knows it; a room that needs only its part
//! takes that, and not all of this. The table of commands, a worker and what a command is given
//! ([`context`]) know the engine, and it them; they stand here for that.

pub(crate) mod background_worker;
pub(crate) mod categories;
pub(crate) mod context;
pub(crate) mod entry;
pub(crate) mod hooks;
pub(crate) mod key_facts;
pub(crate) mod plan;
mod run;
pub(crate) mod settings;
pub(crate) mod table;
pub(crate) mod worker;

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;

use base::Millis;
use config::{Config, Settings};
use journal::Manifest;
use store::Store;

pub use self::hooks::CarryOut;
use self::hooks::{Dial, Hooks};
pub use self::run::Run;
pub use self::settings::Configuration;
pub(crate) use self::settings::without_number;
use self::table::Table;
use crate::access::Users;
use crate::background::BackgroundRequests;
use crate::client::memory_totals::ClientMemoryTotals;
use crate::client::{Clients, Waits};
use crate::durability::Durability;
use crate::metrics::Metrics;
use crate::notify::Notify;
use crate::scripts::Scripts;
use crate::search::Catalog;

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

impl Start {
    /// An engine for a new dataset, of a program that says nothing of itself.
    #[must_use]
    pub fn new(settings: Settings, seed: [u64; 4], now: Millis) -> Self {
        Start {
            workers: settings.config().process.io_threads,
            settings,
            seed,
            kept: None,
            now,
            config_file: String::new(),
            executable: String::new(),
        }
    }
}

/// What all workers share.
pub struct Engine {
    /// The dataset.
    pub store: Arc<Store>,
    /// Every command.
    pub table: Table,
    /// The settings in force.
    pub configuration: Configuration,
    /// Connected clients.
    pub clients: Clients,
    /// Users and what they may do.
    pub users: Users,
    /// Who hears what happens.
    pub notify: Notify,
    /// Requests that wait.
    pub waits: Waits,
    /// Counters, and what is remembered of slow requests.
    pub metrics: Metrics,
    /// What clients take.
    pub memory: ClientMemoryTotals,
    /// The dataset's life on disk.
    pub durability: Durability,
    /// Scripts and libraries.
    pub(crate) scripts: Scripts,
    /// Secondary indexes.
    pub(crate) catalog: Catalog,
    /// Threads for requests that wait for other servers or for files, and for queries.
    pub(crate) background: BackgroundRequests,
    /// This run.
    pub run: Run,
    /// What the program has handed in.
    pub(crate) hooks: Hooks,
    /// This engine, for threads that outlive a request.
    pub(crate) me: Weak<Engine>,
}

impl Engine {
    /// This engine, to keep.
    pub(crate) fn me(&self) -> Option<Arc<Engine>> {
        self.me.upgrade()
    }

    /// The configuration in force.
    #[must_use]
    pub fn config(&self) -> Arc<Config> {
        Arc::clone(&self.configuration.current.read())
    }

    /// Sets what carries out changes that reach beyond the engine: to sockets, to limits of the
    /// process. Only the first call has an effect.
    pub fn on_change(&self, carry_out: CarryOut) {
        // Setting it twice is a mistake of the caller's that changes nothing.
        let _ = self.hooks.carry_out.set(carry_out);
    }

    /// Sets what connects to other servers. Only the first call has an effect.
    pub fn on_dial(&self, dial: Dial) {
        // Setting it twice is a mistake of the caller's that changes nothing.
        let _ = self.hooks.dial.set(dial);
    }

    /// What connects to other servers, if it is set.
    pub(crate) fn dial(&self) -> Option<&Dial> {
        self.hooks.dial.get()
    }

    /// Bytes the dataset, its indexes, what queries keep of it, those who have read it, changes
    /// that subscribers have not read yet, the connections, values on their way to other servers,
    /// the scripts that are known, users and what is logged of clients take. Interpreters are not
    /// part of it, as in Redis: no key is evicted for what a script has left behind. They have
    /// limits of their own, and tell what they take themselves.
    #[must_use]
    pub fn used_memory(&self) -> usize {
        self.store.memory() + self.memory_beside()
    }

    /// Bytes of [`used_memory`](Self::used_memory) that are not the dataset's.
    pub(crate) fn memory_beside(&self) -> usize {
        let buffers = self.memory.buffers.load(Ordering::Relaxed);
        let migrating = self.background.migrating.load(Ordering::Relaxed);
        let scripts = usize::try_from(self.scripts.cache.memory()).unwrap_or(usize::MAX);
        let (indexes, tracked) = (self.store.indexes.memory(), self.store.tracked.memory());
        let kept = self.store.versions.kept() + self.store.change_backlog();
        let beside = tracked + indexes + kept + buffers + migrating + scripts;
        beside + self.scripts.functions.memory() + self.records_memory() + self.catalog.memory()
    }

    /// Bytes of users and their rules, of `ACL LOG`, of the slow log and of those of graphs.
    pub(crate) fn records_memory(&self) -> usize {
        let logs = self.users.log.memory() + self.metrics.slowlog.memory();
        self.users.memory() + logs + self.store.versions.remembered()
    }

    /// Bytes of the interpreters of scripts, of those of functions, of the scripts that are known
    /// and of libraries.
    pub(crate) fn scripting_memory(&self) -> [usize; 4] {
        let (scripts, functions) = self.metrics.stats.interpreters();
        let known = usize::try_from(self.scripts.cache.memory()).unwrap_or(usize::MAX);
        [scripts, functions, known, self.scripts.functions.memory()]
    }

    /// Something that is no command took so long: kept if the configuration asks for it. The name
    /// should be Redis's for the same thing.
    pub fn note_latency(&self, event: &str, took: Duration, now: Millis) {
        if let Some(threshold) = self.config().logging.latency_monitor_threshold {
            self.metrics.latency_monitor.note(event, took, threshold, now);
        }
    }
}
