//! What a run is asked to do.

use std::path::PathBuf;

use differential::rng::Rng;
use testkit::server::Program;

/// When a server forces its journal to disk, and so what it has promised when it is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fsync {
    /// Before a reply: everything acknowledged is there.
    Always,
    /// Every second: what was acknowledged a second (and a flush) earlier is there.
    EverySecond,
    /// Whenever: some prefix is there.
    No,
}

impl Fsync {
    /// The directive's word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::EverySecond => "everysec",
            Self::No => "no",
        }
    }

    /// Reads the directive's word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Always, Self::EverySecond, Self::No].into_iter().find(|mode| mode.word() == word)
    }
}

/// Something done to the directory between the kill and the restart, to see that it is noticed.
pub type Tamper = fn(&std::path::Path) -> std::io::Result<()>;

/// See the module.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The server.
    pub program: Program,
    /// How often it is killed.
    pub cycles: u64,
    /// Where the random numbers begin.
    pub seed: u64,
    /// The policy; none: another one after every kill.
    pub fsync: Option<Fsync>,
    /// The average time between recovery and kill.
    pub seconds: f64,
    /// Connections that write.
    pub connections: usize,
    /// The longest pipeline.
    pub pipeline: usize,
    /// Keys of ballast.
    pub ballast: usize,
    /// Milliseconds a flush may take, on top of the second of `everysec`.
    pub flush_ms: i64,
    /// Whether the journal is switched off and on, and the server asked to end, now and then.
    pub switches: bool,
    /// Whether nothing happens but work and kills: no snapshots, no rewrites.
    pub calm: bool,
    /// For tests of the tester.
    pub tamper: Option<Tamper>,
    /// Where the servers' directory is made.
    pub place: PathBuf,
    /// Whether to say a line per cycle.
    pub verbose: bool,
}

impl Settings {
    /// The usual ones.
    #[must_use]
    pub fn new(program: Program, seed: u64) -> Self {
        Self {
            program,
            cycles: 20,
            seed,
            fsync: Some(Fsync::Always),
            seconds: 1.0,
            connections: 10,
            pipeline: 16,
            ballast: 20_000,
            flush_ms: 1000,
            switches: true,
            calm: false,
            tamper: None,
            place: std::env::temp_dir(),
            verbose: false,
        }
    }

    /// The policy of this life of the server.
    pub fn fsync_now(&self, rng: &mut Rng) -> Fsync {
        let all = [Fsync::Always, Fsync::EverySecond, Fsync::Always, Fsync::EverySecond, Fsync::No];
        self.fsync.unwrap_or(*rng.pick(&all))
    }

    /// The command that repeats the run.
    #[must_use]
    pub fn repeat(&self) -> String {
        let extra: String =
            self.program.extra.iter().map(|arg| format!(" --arg {arg:?}")).collect();
        format!(
            "crash --program {}{extra} --cycles {} --seed {} --fsync {} --seconds-per-cycle {} \
             --connections {} --pipeline {} --ballast {} --flush-ms {}{}{}",
            self.program.path.display(),
            self.cycles,
            self.seed,
            self.fsync.map_or("mix", Fsync::word),
            self.seconds,
            self.connections,
            self.pipeline,
            self.ballast,
            self.flush_ms,
            if self.switches { "" } else { " --switches no" },
            if self.calm { " --calm yes" } else { "" },
        )
    }
}
