//! LATENCY DOCTOR: the recorded pauses in words, with what may be behind them.

use std::fmt::Write;
use std::time::Duration;

use crate::metrics::latency_monitor::{
    AOF_FSYNC_ALWAYS, AOF_WRITE, COMMAND, EVICTION_CYCLE, EXPIRE_CYCLE, FAST_COMMAND, Series,
};

/// The report about these events.
pub(super) fn report(threshold: Option<Duration>, events: &[(String, Series)]) -> String {
    if threshold.is_none() {
        return "Pauses are not recorded. CONFIG SET latency-monitor-threshold <milliseconds> \
                records those that are so long or longer.\n"
            .to_owned();
    }
    if events.is_empty() {
        return "No pause has reached latency-monitor-threshold.\n".to_owned();
    }
    let mut text = "Pauses that reached latency-monitor-threshold:\n\n".to_owned();
    for (number, (event, series)) in events.iter().enumerate() {
        let (mean, distance, period) = series.shape();
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{}. {event}: {} samples, {mean} ms on average (mean deviation {distance} ms), one in \
             {period:.2} s; the longest ever took {} ms.",
            number + 1,
            series.samples.len(),
            series.longest
        );
    }
    text.push_str("\nWhat may help:\n\n");
    let mut known: Vec<&str> = events.iter().map(|(event, _)| advice(event)).collect();
    known.dedup();
    for advice in known {
        let _ = writeln!(text, "* {advice}");
    }
    text
}

fn advice(event: &str) -> &'static str {
    match event {
        COMMAND => {
            "Commands whose work grows with the data: SLOWLOG GET shows which, if \
             slowlog-log-slower-than is not above the threshold; LATENCY HISTOGRAM shows how often."
        }
        FAST_COMMAND => {
            "Commands that are short by nature took long, so they waited: for a shard that a long \
             command held, or for a processor. Look at the machine's load, at swapping (the field \
             of that name in /proc), and at commands over many keys."
        }
        EXPIRE_CYCLE => {
            "Many keys reach their deadline at the same time: spread the deadlines by chance."
        }
        EVICTION_CYCLE => {
            "Dropping keys takes long: the limit was lowered, or much is written at once. A lower \
             maxmemory-eviction-tenacity makes each request wait less."
        }
        AOF_WRITE => {
            "The disk takes the journal slowly. No command waits for that before its buffer is \
             full; look at who else writes to the disk."
        }
        AOF_FSYNC_ALWAYS => {
            "Under appendfsync always every reply waits for the disk: use a faster one, or \
             everysec."
        }
        _ => "Look at the log, and at the machine's load, at the times LATENCY HISTORY shows.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::latency_monitor::LatencyMonitor;

    #[test]
    fn every_event_is_told_with_an_advice() {
        let (monitor, limit) = (LatencyMonitor::default(), Duration::from_millis(1));
        assert!(report(None, &[]).contains("CONFIG SET"));
        assert!(report(Some(limit), &[]).starts_with("No pause"));
        for (event, took) in [(COMMAND, 5), (COMMAND, 9), (EXPIRE_CYCLE, 30), ("other", 2)] {
            monitor.note(event, Duration::from_millis(took), limit, took * 1000);
        }
        let text = report(Some(limit), &monitor.all());
        assert!(text.contains("1. command: 2 samples, 7 ms on average"), "{text}");
        assert!(text.contains("one in 4.00 s; the longest ever took 9 ms"), "{text}");
        assert_eq!(text.lines().filter(|line| line.starts_with("* ")).count(), 3, "{text}");
    }
}
