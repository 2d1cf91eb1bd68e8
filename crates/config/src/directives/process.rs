//! The process: how it runs, how many threads, how it ends.

use crate::directive::{Directive as D, INT_MAX, Kind, TextRule};
use crate::settings::Settings;
use crate::value::Value;

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

/// What Redis has no word for.
pub(super) const OWN: &[D] = &[
    D::new(
        "shards",
        Kind::PowerOfTwo { max: 65536 },
        "0",
        "Number of parts the data is split into, each with a lock of its own. 0 chooses by the \
         number of threads, but no fewer than the dataset on disk has. Where databases have \
         changed places (`SWAPDB`) since the last snapshot, a start with another number is \
         refused: start with the old one, `SAVE`, and start anew.",
    )
    .at_start()
    .own(),
    #[cfg(debug_assertions)]
    D::yes_no("example-commands", "no", "Commands on the type to copy from, for tests.")
        .at_start()
        .hidden()
        .own(),
];

/// How the process runs, and how it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessSettings {
    /// Number of databases.
    pub databases: usize,
    /// Number of threads.
    pub io_threads: usize,
    /// Number of shards, or `None` to choose by the number of threads.
    pub shards: Option<usize>,
    /// Runs of the background work per second, 1 to 500.
    pub hz: u32,
    /// Run the background work more often when there are many clients.
    pub dynamic_hz: bool,
    /// Data directory.
    pub dir: String,
    /// File for the process number.
    pub pidfile: Option<String>,
    /// What an interrupt does.
    pub shutdown_on_sigint: ShutdownFlags,
    /// What a request to terminate does.
    pub shutdown_on_sigterm: ShutdownFlags,
}

impl Settings {
    /// Whether there are commands on the type to copy from: in builds for tests, if they ask.
    #[must_use]
    pub fn asks_for_examples(&self) -> bool {
        self.yes("example-commands")
    }
}

impl ProcessSettings {
    pub(crate) fn of(settings: &Settings) -> Self {
        Self {
            databases: settings.int("databases"),
            io_threads: settings.int("io-threads"),
            shards: Some(settings.int("shards")).filter(|&shards| shards != 0),
            hz: settings.int("hz"),
            dynamic_hz: settings.yes("dynamic-hz"),
            dir: settings.string("dir"),
            pidfile: settings.path("pidfile"),
            shutdown_on_sigint: shutdown(settings, "shutdown-on-sigint"),
            shutdown_on_sigterm: shutdown(settings, "shutdown-on-sigterm"),
        }
    }
}

/// How a signal shuts the server down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShutdownFlags {
    /// Save even if no save point is configured.
    pub save: bool,
    /// Don't save even if one is.
    pub nosave: bool,
    /// Don't wait for replicas.
    pub now: bool,
    /// Go even if saving fails.
    pub force: bool,
}

fn shutdown(settings: &Settings, name: &str) -> ShutdownFlags {
    let Some(Value::Words(words)) = settings.value(name) else { return ShutdownFlags::default() };
    ShutdownFlags {
        save: words.contains(&"save"),
        nosave: words.contains(&"nosave"),
        now: words.contains(&"now"),
        force: words.contains(&"force"),
    }
}
