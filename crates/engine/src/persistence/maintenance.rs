//! What persistence does without being asked: save points, a journal grown too long, a snapshot
//! that was scheduled, a disk that may work again. The cron thread looks every tenth of a second.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use config::{AppendFsync, Config};
use journal::Policy;

use super::Reason;
use crate::client::session::Session;
use crate::engine::Engine;
use journal::wall_clock;

/// After a failed snapshot, how long to wait before the next by itself, in milliseconds: as Redis.
const RETRY: u64 = 5_000;
/// That time is doubled no more often than this: some five minutes.
const MOST_DOUBLED: u64 = 6;

impl Engine {
    /// One look around.
    pub(crate) fn maintain_persistence(self: &Arc<Self>) {
        let durability = &self.durability;
        if durability.is_loading() || durability.saving.busy.load(Ordering::Acquire) {
            return;
        }
        let config = self.config();
        let failed =
            wall_clock().saturating_sub(durability.saved.last_failure.load(Ordering::Relaxed));
        if config.persistence.appendonly != durability.is_journaling()
            && failed >= self.retry_begin(&config)
        {
            return self.follow_durability(&config, None);
        }
        let Some(reason) = self.due(&config) else { return };
        durability.saving.scheduled.store(0, Ordering::Relaxed);
        if let Err(error) = self.save_in_background(reason, config.persistence.appendonly) {
            tracing::error!(%error, "a snapshot could not be started");
        }
    }

    fn due(&self, config: &Config) -> Option<Reason> {
        let durability = &self.durability;
        let scheduled = durability.saving.scheduled.load(Ordering::Relaxed);
        if scheduled != 0 {
            return Some(if scheduled == SAVE { Reason::Save } else { Reason::Rewrite });
        }
        let now = wall_clock();
        let failed =
            now.saturating_sub(durability.saved.last_failure.load(Ordering::Relaxed)) < RETRY;
        if failed {
            return None;
        }
        if self.store.log().trouble().is_some_and(|trouble| trouble.unsynced) {
            return Some(Reason::Rewrite);
        }
        let unsaved = self.unsaved_changes();
        let silent = now.saturating_sub(self.last_save()) / 1000;
        let point = self.follows_save_points()
            && config.persistence.save.iter().any(|point| {
                unsaved >= u64::from(point.changes) && silent > point.seconds && unsaved > 0
            });
        if point {
            return Some(Reason::Save);
        }
        (self.has_grown(config) || self.would_free_room(now)).then_some(Reason::Rewrite)
    }

    /// Whether save points count: with a journal nothing is lost without a snapshot, so there only
    /// those that a client asked for do.
    pub(crate) fn follows_save_points(&self) -> bool {
        !self.durability.is_journaling() || self.configuration.settings.lock().is_given("save")
    }

    /// Whether the journal takes longer to replay than its rewriting would make worthwhile. A
    /// short record may stand for a large value: that counts as if the value had been written.
    fn has_grown(&self, config: &Config) -> bool {
        let percentage = config.persistence.auto_aof_rewrite_percentage;
        if percentage == 0 || !self.durability.is_journaling() {
            return false;
        }
        let size = self.store.log().figures.replay_cost();
        let base = self.durability.saved.base_size.load(Ordering::Relaxed);
        let whole = size.saturating_add(base);
        whole >= config.persistence.auto_aof_rewrite_min_size
            && size.saturating_mul(100) / base.max(1) >= percentage
    }

    /// Whether the disk is short of room and a snapshot, which makes the journal so far needless,
    /// would give back far more than it takes. Each failure doubles the time to the next attempt.
    fn would_free_room(&self, now: u64) -> bool {
        let (durability, log) = (&self.durability, self.store.log());
        if !durability.is_journaling() || !log.is_short_of_room() {
            return false;
        }
        let since = now.saturating_sub(durability.saved.last_failure.load(Ordering::Relaxed));
        let snapshot =
            durability.saved.base_size.load(Ordering::Relaxed).max(self.used_memory() as u64);
        let written = log.figures.size.load(Ordering::Relaxed);
        since >= self.retry_rewrite() && written / 2 >= snapshot
    }

    /// How long after a failure the journal is begun or ended again.
    fn retry_begin(&self, config: &Config) -> u64 {
        if config.persistence.appendonly { self.retry_rewrite() } else { RETRY }
    }

    /// How long after so many failures a snapshot is worth another attempt.
    fn retry_rewrite(&self) -> u64 {
        let failures = self.durability.saved.rewrites.failures.load(Ordering::Relaxed);
        RETRY << failures.min(MOST_DOUBLED)
    }

    /// Changes since the dataset was last saved.
    #[must_use]
    pub fn unsaved_changes(&self) -> u64 {
        self.metrics
            .stats
            .changes()
            .saturating_sub(self.durability.saved.changes_saved.load(Ordering::Relaxed))
    }

    /// Whether the journal is on and has not begun, so that changes are in no file yet: its first
    /// snapshot is being made, or has found no room.
    pub(crate) fn owes_journal(&self) -> bool {
        let wanted = self.config().persistence.appendonly && !self.durability.is_journaling();
        wanted && !self.durability.is_loading() && self.unsaved_changes() > 0
    }

    /// When the dataset was last saved, or else this process started.
    pub(crate) fn last_save(&self) -> u64 {
        self.durability.saved.last_save.load(Ordering::Relaxed).max(self.run.started)
    }

    /// Asks for a snapshot as soon as none is being made.
    pub(crate) fn schedule_save(&self, reason: Reason) {
        let code = if reason == Reason::Save { SAVE } else { REWRITE };
        self.durability.saving.scheduled.store(code, Ordering::Relaxed);
    }

    /// Whether one is scheduled.
    pub(crate) fn is_scheduled(&self, reason: Reason) -> bool {
        let code = if reason == Reason::Save { SAVE } else { REWRITE };
        self.durability.saving.scheduled.load(Ordering::Relaxed) == code
    }

    /// Follows the configuration: `appendonly` and `appendfsync` may change at run time. While a
    /// snapshot is being made the journal is part of it, and is left alone; the cron thread comes
    /// back. The client who has changed it waits for what takes long, if it can.
    pub(crate) fn follow_durability(
        self: &Arc<Self>,
        config: &Config,
        client: Option<&mut Session>,
    ) {
        if self.store.log().policy() != policy(config) {
            self.store.log().set_policy(policy(config));
            self.durability.tell();
        }
        if !config.persistence.appendonly {
            self.durability.not_begun.store(false, Ordering::Relaxed);
        }
        if self.durability.is_loading()
            || config.persistence.appendonly == self.durability.is_journaling()
        {
            return;
        }
        let done = if config.persistence.appendonly {
            // From when the first snapshot stands, changes are kept.
            self.save_in_background(Reason::Rewrite, true).map(drop)
        } else {
            self.stop_journal(client)
        };
        if let Err(error) = done {
            tracing::error!(%error, "appendonly could not be followed");
        }
    }
}

const SAVE: u8 = 1;
const REWRITE: u8 = 2;

/// The policy of a configuration.
pub(crate) fn policy(config: &Config) -> Policy {
    match config.persistence.appendfsync {
        AppendFsync::Always => Policy::Always,
        AppendFsync::EverySec => Policy::EverySecond,
        AppendFsync::No => Policy::Never,
    }
}
