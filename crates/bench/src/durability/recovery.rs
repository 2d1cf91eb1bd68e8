//! From the start of the process to the first answer: snapshot, journal, and both.

use std::io;
use std::time::Duration;

use super::Options;
use super::peers::{Home, Policy, Program, order, size, wait_for};
use super::rows::Rows;
use crate::client::Client;
use crate::keyvalue::{fill, progress};
use crate::peer::Processors;
use crate::process;

/// What NeuroIndex has published: keys, and seconds until they are there again.
pub(super) const PUBLISHED: [(u64, f64); 3] = [(100_000, 0.37), (500_000, 1.78), (1_000_000, 3.5)];

/// Nothing else runs meanwhile, so a server may have all processors; on one it is told what they do
/// for it.
const PROCESSORS: [(Processors, &str); 2] =
    [(Processors::All, "s"), (Processors::First, "s on one processor")];

/// Memory that is touched before each start, per key. A virtual machine may have given back what is
/// unused, and the first server would pay for getting it again.
const BYTES_EACH: u64 = 600;

/// Recoveries of one directory; more would not say more.
const MOST_ROUNDS: usize = 3;

/// What is in the directory.
#[derive(Clone, Copy, Debug)]
enum Source {
    Snapshot,
    Journal,
    /// Half of the keys in what the journal was rewritten to, half behind it.
    Both,
}

impl Source {
    fn policy(self) -> Policy {
        match self {
            Self::Snapshot => Policy::Off,
            Self::Journal | Self::Both => Policy::EverySecond,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Snapshot => "snapshot, no journal",
            Self::Journal => "journal alone, everysec",
            Self::Both => "half rewritten, half new, everysec",
        }
    }
}

/// Fills a directory per program, source and size; kills the server; starts it and waits for it.
pub(super) fn run(programs: &[Program], options: &Options, rows: &mut Rows) -> io::Result<()> {
    for keys in &options.sizes {
        for source in [Source::Snapshot, Source::Journal, Source::Both] {
            let row = format!("{keys} keys: {}", source.name());
            let homes: Vec<Home> =
                programs.iter().map(|_| Home::new(&options.dir)).collect::<io::Result<_>>()?;
            let mut filled = Vec::new();
            for (who, program) in programs.iter().enumerate() {
                let done = prepare(program, &homes[who], source, *keys);
                filled.push(rows.note(who, &row, done).is_some());
            }
            let rounds = options.rounds.min(MOST_ROUNDS);
            for round in 0..rounds {
                progress(round, rounds, &row);
                for (who, program) in programs.iter().enumerate().filter(|(who, _)| filled[*who]) {
                    for (processors, metric) in PROCESSORS {
                        process::touch_memory(keys.saturating_mul(BYTES_EACH));
                        let recovered = recover(program, &homes[who], source, *keys, processors);
                        if let Some(took) = rows.note(who, &row, recovered) {
                            rows.add("recovery", &row, who, metric, took.as_secs_f64());
                            rows.told("recovery", &row, who, format!("{keys} of {keys} there"));
                        }
                    }
                }
            }
        }
    }
    progress(1, 1, "");
    Ok(())
}

/// Leaves a directory behind with all keys in it, as a `kill -9` leaves it.
fn prepare(program: &Program, home: &Home, source: Source, keys: u64) -> io::Result<()> {
    let mut peer = program.start(home.path(), source.policy())?;
    let mut client = Client::connect(&peer.addr)?;
    match source {
        Source::Snapshot => {
            fill(&mut client, &program.name, 0, keys)?;
            order(&mut client, &[b"BGSAVE"])?;
            let saved = [("rdb_bgsave_in_progress", "0"), ("rdb_last_bgsave_status", "ok")];
            wait_for(&mut client, &saved)?;
        }
        Source::Journal => fill(&mut client, &program.name, 0, keys)?,
        Source::Both => {
            fill(&mut client, &program.name, 0, keys / 2)?;
            order(&mut client, &[b"BGREWRITEAOF"])?;
            let done = [("aof_rewrite_in_progress", "0"), ("aof_rewrite_scheduled", "0")];
            wait_for(&mut client, &done)?;
            fill(&mut client, &program.name, keys / 2, keys)?;
        }
    }
    // What everysec may still hold back is not what is measured here.
    std::thread::sleep(Duration::from_millis(2100));
    peer.kill();
    Ok(())
}

/// Starts the server, counts, and kills it again.
fn recover(
    program: &Program,
    home: &Home,
    source: Source,
    keys: u64,
    processors: Processors,
) -> io::Result<Duration> {
    let (mut peer, took) = program.start_on(home.path(), source.policy(), processors)?;
    let found = size(&mut Client::connect(&peer.addr)?)?;
    peer.kill();
    if found == keys {
        return Ok(took);
    }
    Err(io::Error::other(format!("{found} of {keys} keys are there after kill -9")))
}
