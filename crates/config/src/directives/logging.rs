//! What the server tells about itself.

use std::time::Duration;

use crate::directive::{Directive as D, INT_MAX, Kind};
use crate::settings::Settings;
use crate::typed::some_milliseconds;
use crate::value::Value;

const FACILITIES: &[&str] =
    &["user", "local0", "local1", "local2", "local3", "local4", "local5", "local6", "local7"];

pub(super) const LIST: &[D] = &[
    D::one_of(
        "loglevel",
        &["debug", "verbose", "notice", "warning"],
        "notice",
        "The least important messages that are still logged.",
    ),
    D::text("logfile", "", "File to log to. Empty logs to standard output.").at_start(),
    D::yes_no("syslog-enabled", "no", "Log to the system's log as well.").at_start().pending(),
    D::text("syslog-ident", "redis", "Name under which the system's log lists the server.")
        .at_start()
        .pending(),
    D::one_of("syslog-facility", FACILITIES, "local0", "Facility of the system's log.")
        .at_start()
        .pending(),
    D::int(
        "slowlog-log-slower-than",
        "10000",
        -1,
        i64::MAX,
        "Microseconds a command must take to enter the slow log. 0 logs every command, -1 none.",
    ),
    D::int("slowlog-max-len", "128", 0, i64::MAX, "Number of commands the slow log remembers."),
    D::int(
        "latency-monitor-threshold",
        "0",
        0,
        i64::MAX,
        "Milliseconds an event must take to be recorded for LATENCY. 0 records nothing.",
    ),
    D::yes_no("latency-tracking", "yes", "Keep a histogram of the time each command takes."),
    D::new(
        "latency-tracking-info-percentiles",
        Kind::Percentiles,
        "50 99 99.9",
        "Percentiles of those histograms that INFO shows.",
    ),
    D::yes_no("crash-log-enabled", "yes", "Log a report when the server crashes.").pending(),
    D::yes_no("crash-memcheck-enabled", "yes", "Test memory after a crash.").inert(),
    D::int("watchdog-period", "0", 0, INT_MAX, "Milliseconds after which a stall is reported.")
        .hidden()
        .pending(),
    D::yes_no("use-exit-on-panic", "no", "Exit instead of aborting on a failed assertion.")
        .hidden()
        .inert(),
];

/// What the server tells about itself.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggingSettings {
    /// Least important messages that are logged.
    pub loglevel: LogLevel,
    /// File to log to, or standard output.
    pub logfile: Option<String>,
    /// Microseconds that bring a command into the slow log; 0 all, -1 none.
    pub slowlog_log_slower_than: i64,
    /// Commands the slow log remembers.
    pub slowlog_max_len: usize,
    /// Time that brings an event into LATENCY, if any does.
    pub latency_monitor_threshold: Option<Duration>,
    /// What is kept and shown of the time commands take.
    pub latency: Latency,
}

impl LoggingSettings {
    pub(crate) fn of(settings: &Settings) -> Self {
        Self {
            loglevel: loglevel(settings),
            logfile: settings.path("logfile"),
            slowlog_log_slower_than: settings.int("slowlog-log-slower-than"),
            slowlog_max_len: settings.int("slowlog-max-len"),
            latency_monitor_threshold: some_milliseconds(settings.int("latency-monitor-threshold")),
            latency: latency(settings),
        }
    }
}

/// Importance of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// For developers.
    Debug,
    /// Rarely useful.
    Verbose,
    /// What one wants in production.
    Notice,
    /// Something is wrong.
    Warning,
}

/// What is kept and shown of the time commands take.
#[derive(Clone, Debug, PartialEq)]
pub struct Latency {
    /// Keep histograms.
    pub tracking: bool,
    /// Percentiles that INFO shows, 0 to 100.
    pub info_percentiles: Vec<f64>,
}

fn loglevel(settings: &Settings) -> LogLevel {
    match settings.word("loglevel") {
        "debug" => LogLevel::Debug,
        "verbose" => LogLevel::Verbose,
        "warning" => LogLevel::Warning,
        _ => LogLevel::Notice,
    }
}

fn latency(settings: &Settings) -> Latency {
    Latency { tracking: settings.yes("latency-tracking"), info_percentiles: percentiles(settings) }
}

fn percentiles(settings: &Settings) -> Vec<f64> {
    match settings.value("latency-tracking-info-percentiles") {
        Some(Value::Percentiles(percentiles)) => percentiles.clone(),
        _ => Vec::new(),
    }
}
