//! Writes per second and processor time per write, without a journal and with each policy.

use std::io;

use super::Options;
use super::peers::{Home, Policy, Program};
use super::rows::Rows;
use super::survive;
use crate::keyvalue::progress;
use crate::load::{self, Load, Shape};
use crate::peer::Peer;

const CASES: [(Policy, Shape); 4] = [
    (Policy::Off, Shape { clients: 50, pipeline: 16 }),
    (Policy::EverySecond, Shape { clients: 50, pipeline: 16 }),
    (Policy::Always, Shape { clients: 50, pipeline: 16 }),
    (Policy::Always, Shape { clients: 50, pipeline: 1 }),
];

/// Measures all programs in alternation, then kills each.
pub(super) fn run(programs: &[Program], options: &Options, rows: &mut Rows) -> io::Result<()> {
    for (number, (policy, shape)) in CASES.into_iter().enumerate() {
        let row = format!("SET {shape}, {}", policy.name());
        let homes: Vec<Home> =
            programs.iter().map(|_| Home::new(&options.dir)).collect::<io::Result<_>>()?;
        let mut peers: Vec<Option<Peer>> = Vec::new();
        for (who, (program, home)) in programs.iter().zip(&homes).enumerate() {
            let started = program.start(home.path(), policy);
            peers.push(rows.note(who, &row, started));
        }
        let requests = match (policy, shape.pipeline) {
            (Policy::Always, 1) => options.requests / 20,
            (Policy::Always, _) => options.requests / 4,
            _ => options.requests,
        };
        for round in 0..options.rounds {
            progress(round + number * options.rounds, CASES.len() * options.rounds, &row);
            for (who, peer) in peers.iter().enumerate() {
                let Some(peer) = peer else { continue };
                let ran =
                    load::run(peer, &Load::Test("set"), shape, requests.max(1000), options.keys);
                for sample in rows.note(who, &row, ran).unwrap_or_default() {
                    rows.add("rates", &row, who, "CPU µs/op", sample.cpu);
                    rows.add("rates", &row, who, "of it its own", sample.user);
                    rows.add("rates", &row, who, "op/s", sample.rate);
                    rows.add("rates", &row, who, "p99 ms", sample.p99);
                }
            }
        }
        for (who, peer) in peers.into_iter().enumerate() {
            let Some(peer) = peer else { continue };
            let survived = survive::check(&programs[who], peer, homes[who].path(), policy);
            rows.survived("rates", &row, who, policy, survived);
        }
    }
    progress(1, 1, "");
    Ok(())
}
