//! How long a snapshot takes, and what it does to the writes and the memory meanwhile.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::Options;
use super::peers::{Home, PATIENCE, Policy, Program, order, wait_for};
use super::rows::Rows;
use super::survive;
use crate::client::{Client, Reply};
use crate::keyvalue::{fill, progress};
use crate::load::{self, Load, Sample, Shape};
use crate::peer::Peer;
use crate::process;

const POLICY: Policy = Policy::EverySecond;
const SHAPE: Shape = Shape { clients: 50, pipeline: 16 };

/// Measures one program after the other: a snapshot takes the whole machine.
pub(super) fn run(programs: &[Program], options: &Options, rows: &mut Rows) -> io::Result<()> {
    for (who, program) in programs.iter().enumerate() {
        let row = format!("snapshot of {} keys, {}", options.keys, POLICY.name());
        let home = Home::new(&options.dir)?;
        let measured = measure(program, options, &home, who, &row, rows);
        if let Some(peer) = rows.note(who, &row, measured) {
            let survived = survive::check(program, peer, home.path(), POLICY);
            rows.survived("snapshot", &row, who, POLICY, survived);
        }
    }
    Ok(())
}

fn measure(
    program: &Program,
    options: &Options,
    home: &Home,
    who: usize,
    row: &str,
    rows: &mut Rows,
) -> io::Result<Peer> {
    let peer = program.start(home.path(), POLICY)?;
    let mut client = Client::connect(&peer.addr)?;
    fill(&mut client, &program.name, 0, options.keys)?;
    for round in 0..options.rounds {
        progress(round, options.rounds, &format!("{row}, {}", program.name));
        rows.add("snapshot", row, who, "idle: s", save(&mut client)?.as_secs_f64());
        let (calm, calm_memory) = writes(&peer, options, false)?;
        let (busy, busy_memory) = writes(&peer, options, true)?;
        rows.add("snapshot", row, who, "p99 ms without", calm.p99);
        rows.add("snapshot", row, who, "p99 ms with", busy.p99);
        rows.add("snapshot", row, who, "op/s without", calm.rate);
        rows.add("snapshot", row, who, "op/s with", busy.rate);
        rows.add("snapshot", row, who, "peak MB without", calm_memory);
        rows.add("snapshot", row, who, "peak MB with", busy_memory);
    }
    progress(1, 1, "");
    Ok(peer)
}

/// BGSAVE until LASTSAVE moves. It counts seconds, so the old one must be a second old.
fn save(client: &mut Client) -> io::Result<Duration> {
    wait_for(client, &[("rdb_bgsave_in_progress", "0")])?;
    let old = last_save(client)?;
    std::thread::sleep(Duration::from_millis(1100));
    let begin = Instant::now();
    order(client, &[b"BGSAVE"])?;
    while last_save(client)? == old {
        if begin.elapsed() > PATIENCE {
            return Err(io::Error::other("LASTSAVE does not move"));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(begin.elapsed())
}

fn last_save(client: &mut Client) -> io::Result<i64> {
    match order(client, &[b"LASTSAVE"])? {
        Reply::Int(at) => Ok(at),
        other => Err(io::Error::other(format!("LASTSAVE answered {other:?}"))),
    }
}

/// Writes over all keys, with one snapshot after another beside it or without; gives what
/// redis-benchmark says and the peak of memory in MB.
fn writes(peer: &Peer, options: &Options, saving: bool) -> io::Result<(Sample, f64)> {
    let over = AtomicBool::new(false);
    let peak = AtomicU64::new(0);
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::SeqCst) {
                peak.fetch_max(process::tree_bytes(peer.pid).unwrap_or(0), Ordering::SeqCst);
                std::thread::sleep(Duration::from_millis(25));
            }
        });
        let saver = saving.then(|| scope.spawn(|| save_until(peer, &over)));
        let ran = load::run(
            peer,
            &Load::Test("set"),
            SHAPE,
            options.requests.max(options.keys),
            options.keys,
        );
        over.store(true, Ordering::SeqCst);
        match saver.map(std::thread::ScopedJoinHandle::join) {
            Some(Ok(Err(error))) => Err(error),
            Some(Err(_)) => Err(io::Error::other("the one who saves panicked")),
            Some(Ok(Ok(()))) | None => ran,
        }
    });
    let sample = result?.into_iter().next().ok_or_else(|| io::Error::other("no figures"))?;
    Ok((sample, peak.load(Ordering::SeqCst) as f64 / 1e6))
}

fn save_until(peer: &Peer, over: &AtomicBool) -> io::Result<()> {
    let mut client = Client::connect(&peer.addr)?;
    while !over.load(Ordering::SeqCst) {
        order(&mut client, &[b"BGSAVE"])?;
        wait_for(&mut client, &[("rdb_bgsave_in_progress", "0")])?;
    }
    Ok(())
}
