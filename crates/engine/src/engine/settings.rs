//! The settings in force: how they change, and what follows from that.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use base::PackLimits;
use config::{Changes, Config, Peer, SetError, Settings};
use journal::wall_clock;
use parking_lot::{Mutex, RwLock};
use store::{Measure, Store};

use super::Engine;
use crate::client::session::Session;
use crate::replace_file::replace_file;

/// The settings, and the configuration that they make.
pub struct Configuration {
    /// Every configuration setting, for `CONFIG`.
    pub settings: Mutex<Settings>,
    pub(crate) current: RwLock<Arc<Config>>,
    pub(crate) version: AtomicU64,
    /// Where the configuration was read from; empty if from nowhere.
    pub file: String,
}

impl Engine {
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
            let mut settings = self.configuration.settings.lock();
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
        let mut tried = self.configuration.settings.lock().clone();
        let before = tried.config();
        let changes = tried.set(pairs, peer)?;
        self.reach_out(&before, &tried.config(), &changes)?;
        let changes = self.configuration.settings.lock().set(pairs, peer)?;
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
            && let Err(error) = std::fs::read_dir(&after.process.dir)
        {
            return Err(SetError::failed("dir", &without_number(&error)));
        }
        match self.hooks.carry_out.get() {
            Some(carry_out) => carry_out(before, after, &changes.changed),
            None => Ok(()),
        }
    }

    /// Puts changes in force.
    fn take_over(&self, changes: &Changes) {
        self.publish_settings();
        if changes.touch("requirepass") {
            self.set_default_password(self.config().security.acl.requirepass.as_deref());
        }
    }

    /// `CONFIG REWRITE`: makes the configuration file say what is in force; `in_full`, of every
    /// directive. Waits for the disk.
    ///
    /// # Errors
    /// The file cannot be read or replaced.
    pub(crate) fn rewrite_settings(&self, in_full: bool) -> std::io::Result<()> {
        let path = Path::new(&self.configuration.file);
        // Held while writing: no thread may put an older state over a newer one. The settings are
        // not: other clients ask for them, and the disk may take as long as it likes.
        let _rewriting = self.background.files.rewriting.lock();
        let settings = self.configuration.settings.lock().clone();
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
        let settings = self.configuration.settings.lock();
        let config = Arc::new(settings.config());
        apply_to_store(&self.store, &config);
        self.follow_indexes(&config);
        *self.configuration.current.write() = Arc::clone(&config);
        self.follow_events();
        drop(settings);
        self.configuration.version.fetch_add(1, Ordering::Release);
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
}

/// What went wrong with a file, in the words of C: without the number.
pub(crate) fn without_number(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

/// Tells the store what the configuration says about it: at the start, and whenever that changes.
pub(crate) fn apply_to_store(store: &Store, config: &Config) {
    store.set_limits(pack_limits(config));
    store.set_measure(measure(config));
    limit_readers(store, config);
    store.versions.set_most(config.queries.kept_memory);
}

/// Tells the store how many keys' readers may be remembered.
fn limit_readers(store: &Store, config: &Config) {
    let limit = config.clients.tracking_table_max_keys;
    let limit = limit.and_then(|limit| usize::try_from(limit).ok());
    store.tracked.set_limit(limit.unwrap_or(usize::MAX));
}

/// Where values change their encodings, by a configuration.
fn pack_limits(config: &Config) -> PackLimits {
    // A limit beyond what an index can count is no limit.
    let size = |limit: u64| usize::try_from(limit).unwrap_or(usize::MAX);
    PackLimits {
        hash_entries: size(config.encodings.hash_max_listpack_entries),
        hash_value: size(config.encodings.hash_max_listpack_value),
        list_size: config.encodings.list_max_listpack_size,
        set_intset_entries: size(config.encodings.set_max_intset_entries),
        zset_entries: size(config.encodings.zset_max_listpack_entries),
        zset_value: size(config.encodings.zset_max_listpack_value),
        hll_sparse: size(config.encodings.hll_sparse_max_bytes),
        stream_node_bytes: size(config.encodings.stream_node_max_bytes),
        stream_node_entries: usize::try_from(config.encodings.stream_node_max_entries).unwrap_or(0),
        string_max: size(config.clients.proto_max_bulk_len),
    }
}

/// What the policy says about the use of keys.
fn measure(config: &Config) -> Measure {
    match config.memory.eviction.policy.counts_uses() {
        true => Measure::Frequency {
            log_factor: config.memory.eviction.lfu_log_factor,
            decay: config.memory.eviction.lfu_decay_time,
        },
        false => Measure::Recency,
    }
}
