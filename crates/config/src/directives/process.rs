//! The process: how it runs, how many threads, how it ends.

use crate::directive::{Directive as D, INT_MAX, Kind, TextRule};

const SHUTDOWN: Kind = Kind::EnumSet(&["default", "save", "nosave", "now", "force"]);

pub(super) const LIST: &[D] = &[
    D::int(
        "databases",
        "16",
        1,
        INT_MAX,
        "Number of databases that SELECT can reach, counted from 0.",
    )
    .at_start(),
    D::int(
        "io-threads",
        D::CORES,
        1,
        128,
        "Threads that read, execute and reply. The default is the number of cores.",
    )
    .at_start(),
    D::yes_no("io-threads-do-reads", "no", "Every thread always reads here, whatever this says.")
        .at_start()
        .inert(),
    D::new(
        "hz",
        Kind::Clamped { low: 1, high: 500 },
        "10",
        "Runs of the background work (expiry, time-outs, statistics) per second, 1 to 500.",
    ),
    D::yes_no(
        "dynamic-hz",
        "yes",
        "Run the background work more often when there are many clients.",
    ),
    D::text(
        "dir",
        "./kvist-data",
        "Directory of everything the server writes. It is made if missing.",
    )
    .protected(),
    D::yes_no("daemonize", "no", "Go to the background after start.").at_start().pending(),
    D::one_of(
        "supervised",
        &["upstart", "systemd", "auto", "no"],
        "no",
        "Which service manager to tell that the server is ready.",
    )
    .at_start()
    .pending(),
    D::text("pidfile", "", "File to write the process number to. Empty writes none.").at_start(),
    D::yes_no("always-show-logo", "no", "There is no logo; accepted for the sake of old files.")
        .at_start()
        .inert(),
    D::yes_no("set-proc-title", "yes", "The process title is left alone, whatever this says.")
        .at_start()
        .inert(),
    D::new(
        "proc-title-template",
        Kind::Text(TextRule::TitleTemplate),
        "{title} {listen-addr} {server-mode}",
        "Pattern of the process title: {title}, {listen-addr}, {server-mode}, {port}, {tls-port}, \
         {unixsocket}, {config-file}.",
    )
    .inert(),
    D::int(
        "shutdown-timeout",
        "10",
        0,
        INT_MAX,
        "Seconds that a shutdown waits for replicas to catch up.",
    )
    .pending(),
    D::new(
        "shutdown-on-sigint",
        SHUTDOWN,
        "default",
        "What an interrupt does: default, or any of save or nosave, now and force, as in SHUTDOWN.",
    )
    .pending(),
    D::new(
        "shutdown-on-sigterm",
        SHUTDOWN,
        "default",
        "What a request to terminate does; the same words as shutdown-on-sigint.",
    )
    .pending(),
    D::text("server_cpulist", "", "Processors for the threads that serve clients, as in 0-7:2.")
        .at_start()
        .pending(),
    D::text("bio_cpulist", "", "Processors for background threads.").at_start().pending(),
    D::text("aof_rewrite_cpulist", "", "Processors for rewriting the journal.")
        .at_start()
        .pending(),
    D::text("bgsave_cpulist", "", "Processors for writing snapshots.").at_start().pending(),
    D::one_of(
        "oom-score-adj",
        &["no", "yes", "relative", "absolute"],
        "no",
        "Whether to tell the kernel how willing the server is to be killed when memory runs out.",
    )
    .pending(),
    D::new(
        "oom-score-adj-values",
        Kind::OomScores,
        "0 200 800",
        "The scores, from -2000 to 2000, of a master, a replica and a background process.",
    )
    .pending(),
    D::yes_no("disable-thp", "yes", "Ask the kernel not to use huge pages for this process.")
        .at_start()
        .pending(),
    D::text("ignore-warnings", "", "Start-up checks whose failure should not stop the server.")
        .inert(),
];
