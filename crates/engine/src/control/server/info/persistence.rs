//! INFO persistence: Redis's fields, then what recovery found.

use std::sync::atomic::{AtomicBool, Ordering};

use super::Lines;
use crate::control::Control;
use crate::engine::Engine;
use crate::persistence::{Attempts, Reason, Recovered};

pub(super) fn persistence(control: &mut Control<'_>, lines: &mut Lines) {
    let engine = control.engine;
    let durability = &engine.durability;
    let recovered = durability.recovered.get();
    lines.put("loading", u8::from(durability.is_loading()));
    lines.put_zeros(&[
        "async_loading",
        "current_cow_peak",
        "current_cow_size",
        "current_cow_size_age",
    ]);
    lines.put("current_fork_perc", "0.00");
    let busy = durability.saving.busy.load(Ordering::Relaxed);
    let when_busy = |n: u64| if busy { n } else { 0 };
    lines.put(
        "current_save_keys_processed",
        when_busy(durability.saving.read.load(Ordering::Relaxed)),
    );
    lines.put(
        "current_save_keys_total",
        when_busy(durability.saving.to_read.load(Ordering::Relaxed)),
    );
    lines.put("rdb_changes_since_last_save", engine.unsaved_changes());
    let since = durability.saving.busy_since.load(Ordering::Relaxed);
    let busy_for = |reason: Reason| match durability.is_busy_with(reason) {
        true => i64::try_from(control.context.now.saturating_sub(since) / 1000).unwrap_or(0),
        false => -1,
    };
    lines.put("rdb_bgsave_in_progress", u8::from(durability.is_busy_with(Reason::Save)));
    lines.put("rdb_last_save_time", engine.last_save() / 1000);
    lines.put("rdb_last_bgsave_status", status(&durability.saved.saves.ok));
    lines.put("rdb_last_bgsave_time_sec", seconds(&durability.saved.saves));
    lines.put("rdb_current_bgsave_time_sec", busy_for(Reason::Save));
    lines.put("rdb_saves", durability.saved.saves.done.load(Ordering::Relaxed));
    lines.put_zeros(&["rdb_last_cow_size"]);
    let (loaded, expired) = recovered.map_or((0, 0), |found| match &found.imported {
        Some(imported) => (imported.keys, imported.expired),
        None => (found.keys.saturating_sub(found.overdue), found.overdue),
    });
    lines.put("rdb_last_load_keys_expired", expired);
    lines.put("rdb_last_load_keys_loaded", loaded);
    rewriting(engine, busy_for(Reason::Rewrite), lines);
    if durability.is_journaling() {
        journal(engine, lines);
    }
    if let Some(found) = recovered {
        recovery(found, lines);
    }
    if durability.is_loading() {
        loading(control, lines);
    }
}

fn status(ok: &AtomicBool) -> &'static str {
    if ok.load(Ordering::Relaxed) { "ok" } else { "err" }
}

fn seconds(attempts: &Attempts) -> i64 {
    match attempts.took.load(Ordering::Relaxed) {
        -1 => -1,
        millis => millis / 1000,
    }
}

fn rewriting(engine: &Engine, busy_for: i64, lines: &mut Lines) {
    let durability = &engine.durability;
    lines.put("aof_enabled", u8::from(durability.is_journal_complete(engine.store.log())));
    lines.put("aof_rewrite_in_progress", u8::from(durability.is_busy_with(Reason::Rewrite)));
    lines.put("aof_rewrite_scheduled", u8::from(engine.is_scheduled(Reason::Rewrite)));
    lines.put("aof_last_rewrite_time_sec", seconds(&durability.saved.rewrites));
    lines.put("aof_current_rewrite_time_sec", busy_for);
    lines.put("aof_last_bgrewrite_status", status(&durability.saved.rewrites.ok));
    lines.put("aof_rewrites", durability.saved.rewrites.done.load(Ordering::Relaxed));
    let failures = durability.saved.rewrites.failures.load(Ordering::Relaxed);
    lines.put("aof_rewrites_consecutive_failures", failures);
    let log = engine.store.log();
    lines.put("aof_last_write_status", if log.is_troubled() { "err" } else { "ok" });
    lines.put_zeros(&["aof_last_cow_size", "module_fork_in_progress", "module_fork_last_cow_size"]);
}

fn journal(engine: &Engine, lines: &mut Lines) {
    let (log, durability) = (engine.store.log(), &engine.durability);
    let figures = &log.figures;
    let base = durability.saved.base_size.load(Ordering::Relaxed);
    lines.put("aof_current_size", figures.size.load(Ordering::Relaxed) + base);
    lines.put("aof_base_size", base);
    lines.put("aof_pending_rewrite", 0);
    lines.put("aof_buffer_length", log.waiting());
    lines.put("aof_pending_bio_fsync", u8::from(figures.syncing.load(Ordering::Relaxed)));
    lines.put("aof_delayed_fsync", 0);
    lines.put("journal_segment", figures.segment.load(Ordering::Relaxed));
    lines.put("journal_frames", figures.frames.load(Ordering::Relaxed));
    lines.put("journal_syncs", figures.syncs.load(Ordering::Relaxed));
    lines.put("journal_last_sync_usec", figures.last_sync_micros.load(Ordering::Relaxed));
    lines.put("journal_longest_sync_usec", figures.longest_sync_micros.load(Ordering::Relaxed));
}

fn recovery(found: &Recovered, lines: &mut Lines) {
    lines.put("recovery_snapshot_keys", found.keys);
    lines.put("recovery_journal_records", found.records);
    lines.put("recovery_journal_records_known", found.known);
    lines.put("recovery_journal_records_failed", found.failed);
    lines.put("recovery_bytes", found.bytes);
    lines.put("recovery_msec", found.millis);
    lines.put("recovery_cut_bytes", found.cut.as_ref().map_or(0, |cut| cut.bytes));
}

fn loading(control: &Control<'_>, lines: &mut Lines) {
    let progress = &control.engine.durability.progress;
    let since = progress.since.load(Ordering::Relaxed) / 1000;
    let (total, done) =
        (progress.total.load(Ordering::Relaxed), progress.done.load(Ordering::Relaxed));
    let elapsed = (control.context.now / 1000).saturating_sub(since);
    lines.put("loading_start_time", since);
    lines.put("loading_total_bytes", total);
    lines.put("loading_rdb_used_mem", 0);
    lines.put("loading_loaded_bytes", done);
    lines.put("loading_loaded_perc", format!("{:.2}", done as f64 * 100.0 / total.max(1) as f64));
    let eta = (total.saturating_sub(done)).saturating_mul(elapsed.max(1)) / done.max(1);
    lines.put("loading_eta_seconds", eta);
}
