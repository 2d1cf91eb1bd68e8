//! What the server tells about itself.

use crate::directive::{Directive as D, INT_MAX, Kind};

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
