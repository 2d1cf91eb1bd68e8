//! Pauses that were long: `LATENCY HISTORY`, `LATEST`, `GRAPH`, `DOCTOR`.
//!
//! A thread that has done something that clients may have waited for reports how long it took; what
//! took `latency-monitor-threshold` or longer is kept. Of each kind of event the last 160 seconds
//! in which one happened are kept, with the longest of each such second, as in Redis.
//!
//! Only what is over the threshold takes a lock, so this costs nothing where nothing is slow.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use base::Millis;
use parking_lot::Mutex;

/// A command.
pub(crate) const COMMAND: &str = "command";
/// A command that is always short by nature.
pub(crate) const FAST_COMMAND: &str = "fast-command";
/// A round of deleting keys past their deadline.
pub(crate) const EXPIRE_CYCLE: &str = "expire-cycle";
/// A round of dropping keys because memory is full.
pub(crate) const EVICTION_CYCLE: &str = "eviction-cycle";
/// A step of it: the worst keys of one shard were looked for and dropped.
pub(crate) const EVICTION_DEL: &str = "eviction-del";
/// A write to the journal.
pub(crate) const AOF_WRITE: &str = "aof-write";
/// A sync of the journal that clients waited for.
pub(crate) const AOF_FSYNC_ALWAYS: &str = "aof-fsync-always";

/// Samples kept of each kind of event.
const KEPT: usize = 160;

/// One second in which an event took long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatencySample {
    /// The second, since 1970.
    pub second: u64,
    /// The milliseconds the longest of that second took.
    pub millis: u64,
}

/// What is kept of one kind of event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Series {
    /// The last samples, oldest first.
    pub samples: VecDeque<LatencySample>,
    /// The milliseconds of the longest ever.
    pub longest: u64,
}

impl Series {
    /// The last sample.
    #[must_use]
    pub fn latest(&self) -> Option<LatencySample> {
        self.samples.back().copied()
    }

    /// The mean of the samples, the mean of their distances from it, and the seconds from one to
    /// the next. Zeros of nothing.
    #[must_use]
    pub fn shape(&self) -> (u64, u64, f64) {
        let count = self.samples.len() as u64;
        if count == 0 {
            return (0, 0, 0.0);
        }
        let sum = |of: &dyn Fn(&LatencySample) -> u64| self.samples.iter().map(of).sum::<u64>();
        let mean = sum(&|sample| sample.millis) / count;
        let distance = sum(&|sample| sample.millis.abs_diff(mean)) / count;
        let span = match (self.samples.front(), self.samples.back()) {
            (Some(first), Some(last)) => last.second.saturating_sub(first.second),
            _ => 0,
        };
        // Lossless for any time a server runs.
        (mean, distance, span as f64 / (count - 1).max(1) as f64)
    }
}

/// Every kind of event of which something is kept.
#[derive(Default)]
pub struct LatencyMonitor(Mutex<BTreeMap<String, Series>>);

impl LatencyMonitor {
    /// Something took so long at time `now`; kept if that is `threshold` or more.
    #[inline]
    pub fn note(&self, event: &str, took: Duration, threshold: Duration, now: Millis) {
        if took >= threshold {
            self.keep(event, took, now / 1000);
        }
    }

    #[cold]
    fn keep(&self, event: &str, took: Duration, second: u64) {
        let millis = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let mut all = self.0.lock();
        let series = all.entry(event.to_owned()).or_default();
        series.longest = series.longest.max(millis);
        if let Some(last) = series.samples.back_mut().filter(|last| last.second == second) {
            last.millis = last.millis.max(millis);
            return;
        }
        if series.samples.len() == KEPT {
            series.samples.pop_front();
        }
        series.samples.push_back(LatencySample { second, millis });
    }

    /// What is kept of an event; `None` if that is nothing.
    #[must_use]
    pub fn of(&self, event: &str) -> Option<Series> {
        self.0.lock().get(event).cloned()
    }

    /// What is kept of all events.
    #[must_use]
    pub fn all(&self) -> Vec<(String, Series)> {
        self.0.lock().iter().map(|(name, series)| (name.clone(), series.clone())).collect()
    }

    /// Forgets an event; whether anything was kept of it.
    pub fn forget(&self, event: &str) -> bool {
        self.0.lock().remove(event).is_some()
    }

    /// Forgets all events; how many there were.
    pub fn forget_all(&self) -> usize {
        std::mem::take(&mut *self.0.lock()).len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn a_second_keeps_its_longest_and_short_ones_are_not_kept() {
        let monitor = LatencyMonitor::default();
        for (took, now) in [(20, 1000), (50, 1500), (30, 1999), (9, 2000), (10, 3000)] {
            monitor.note("command", millis(took), millis(10), now);
        }
        let series = monitor.of("command").unwrap();
        let kept =
            [LatencySample { second: 1, millis: 50 }, LatencySample { second: 3, millis: 10 }];
        assert_eq!(series.samples, kept);
        assert_eq!((series.longest, series.latest()), (50, Some(kept[1])));
        assert!(monitor.of("nothing").is_none());
    }

    #[test]
    fn the_oldest_make_room() {
        let monitor = LatencyMonitor::default();
        for second in 0..200_u64 {
            monitor.note("command", millis(500 - second), millis(1), second * 1000);
        }
        let series = monitor.of("command").unwrap();
        assert_eq!((series.samples.len(), series.samples[0].second), (160, 40));
        assert_eq!(series.longest, 500);
    }

    /// What redis-server 7.0.15 says of the same samples.
    #[test]
    fn the_shape_is_that_of_redis() {
        let monitor = LatencyMonitor::default();
        for (second, took) in [50, 132, 20, 5, 30].into_iter().enumerate() {
            monitor.note("command", millis(took), millis(1), second as u64 * 1000);
        }
        let (mean, distance, period) = monitor.of("command").unwrap().shape();
        assert_eq!((mean, distance), (47, 34));
        assert!((period - 1.0).abs() < 0.01);
        assert!(monitor.forget("command") && !monitor.forget("command"));
        assert_eq!(monitor.forget_all(), 0);
    }
}
