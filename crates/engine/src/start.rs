//! How an engine is made: the table of commands, the parts, and what links them.

use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Weak};
use std::time::Instant;

use acl::Vocabulary;
use base::{Hashing, Spec};
use config::Settings;
use parking_lot::{Mutex, RwLock};
use store::{Options, Store};

use crate::access::Users;
use crate::background::BackgroundRequests;
use crate::client::memory_totals::ClientMemoryTotals;
use crate::client::{Clients, Waits};
use crate::control;
use crate::durability::Durability;
use crate::engine::categories::categories;
use crate::engine::entry::Action;
use crate::engine::hooks::Hooks;
use crate::engine::settings::apply_to_store;
use crate::engine::table::Table;
use crate::engine::{Configuration, Engine, Run, Start};
use crate::execution::notifier::Notifier;
use crate::metrics::Metrics;
use crate::notify::Notify;
use crate::notify::request_flags::RequestFlags;
use crate::scripts::Scripts;
use crate::search::Catalog;

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
        let mut options = Options::for_cores(start.workers, config.process.databases, hashing);
        let kept = start.kept.as_ref().map_or(0, |kept| kept.shards);
        options.shards = config.process.shards.unwrap_or(options.shards.max(kept));
        let store = Arc::new(Store::new(options));
        apply_to_store(&store, &config);
        let dataset_id = start.kept.as_ref().map_or_else(|| new_id(&start.seed), |kept| kept.id);
        // The other two numbers are shown to clients, as the name of this run.
        let journal_seed = start.seed[0].rotate_left(17) ^ start.seed[1];
        let run_id = run_id(&start.seed);
        let users = Users::new(vocabulary(&table), &config);
        let memory = ClientMemoryTotals::default();
        let background = BackgroundRequests::new(config.queries.threads);
        let configuration = Configuration {
            settings: Mutex::new(start.settings),
            current: RwLock::new(config),
            version: AtomicU64::new(0),
            file: start.config_file,
        };
        let run = Run {
            started: start.now,
            clock: Instant::now(),
            id: run_id[..40].to_owned(),
            workers: start.workers,
            executable: start.executable,
            dataset_id,
            journal_seed,
            hashing,
            active_expire: AtomicBool::new(true),
            at_rest: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
            request_flags: RequestFlags::default(),
        };
        let engine = Arc::new_cyclic(|me: &Weak<Engine>| Engine {
            store,
            table,
            configuration,
            clients: Clients::new(&memory.buffers),
            users,
            notify: Notify::default(),
            waits: Waits::default(),
            metrics: Metrics::default(),
            memory,
            durability: Durability::default(),
            scripts: Scripts::default(),
            catalog: Catalog::new(start.workers),
            background,
            run,
            hooks: Hooks::default(),
            me: me.clone(),
        });
        engine.follow_indexes(&engine.config());
        engine.store.set_notification_sink(Box::new(Notifier(Arc::downgrade(&engine))));
        engine.follow_events();
        engine
    }
}

/// Every command of the server.
///
/// # Errors
/// A spec is broken: a mistake in the source.
pub fn command_table() -> Result<Table, String> {
    Table::new(all_rows())
}

fn all_rows() -> Vec<(&'static Spec, Action)> {
    let data = commands::rows::<store::Txn>();
    let mut rows: Vec<_> = data.into_iter().map(|r| (r.spec, Action::Data(r.run))).collect();
    rows.extend(commands::containers().into_iter().map(|spec| (spec, Action::Container)));
    rows.extend(control::rows());
    rows.sort_by_key(|(spec, _)| spec.name);
    rows
}

/// With the commands on the type to copy from, in builds that have it, if the settings ask for
/// them.
#[cfg(debug_assertions)]
fn with_examples(
    settings: &Settings,
    mut rows: Vec<(&'static Spec, Action)>,
) -> Vec<(&'static Spec, Action)> {
    if settings.asks_for_examples() {
        let examples = commands::example::rows::<store::Txn>();
        rows.extend(examples.into_iter().map(|row| (row.spec, Action::Data(row.run))));
    }
    rows
}

#[cfg(not(debug_assertions))]
fn with_examples(_: &Settings, rows: Vec<(&'static Spec, Action)>) -> Vec<(&'static Spec, Action)> {
    rows
}

/// The same, with the names by which these settings have commands called.
///
/// # Errors
/// They rename a command that is not there, or to a name that is.
pub fn command_table_as_called(settings: &Settings) -> Result<Table, String> {
    let mut table = Table::new(with_examples(settings, all_rows()))?;
    for line in settings.renames() {
        let renamed = table.rename(&line.from, &line.to);
        renamed.map_err(|why| line.rejected(why.to_string()).to_string())?;
    }
    Ok(table)
}

/// The names of commands, as rules know them.
fn vocabulary(table: &Table) -> Vocabulary {
    let commands = table.entries().iter();
    Vocabulary::new(commands.map(|entry| (entry.name(), categories(entry))))
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
