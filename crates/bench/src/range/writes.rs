//! What maintaining an index costs writers: new keys, and keys that were there.

use std::fmt::Write as _;
use std::io;

use super::Options;
use super::once::{count, drop_index};
use crate::client::{Client, Reply};
use crate::keyvalue::progress;
use crate::load::{self, Load, Shape};
use crate::peer::Peer;
use crate::process;
use crate::report::median;

/// Sixteen at a time, where the server's own work weighs most.
const SHAPE: Shape = Shape { clients: 50, pipeline: 16 };

/// A table of writes with an index and without.
pub(super) fn table(peer: &Peer, options: &Options) -> io::Result<String> {
    let mut text = String::from(
        "| SET, -c 50 -P 16 | CPU µs without an index | with one | with ÷ without |\n\
         |---|---|---|---|\n",
    );
    // Of so many names hardly any is drawn twice; of so few all are there soon.
    for (title, names) in [("new keys", 1_000_000_000), ("keys that are there", 10_000)] {
        let (mut without, mut with) = (Vec::new(), Vec::new());
        for round in 0..options.rounds {
            progress(round, options.rounds, title);
            without.push(cost(peer, options, names, false)?);
            with.push(cost(peer, options, names, true)?);
        }
        progress(options.rounds, options.rounds, title);
        let ratios = with.iter().zip(&without).map(|(with, without)| with / without).collect();
        let (without, with, ratio) = (median(without), median(with), median(ratios));
        let _ = writeln!(text, "| {title} | {without:.3} | {with:.3} | {ratio:.2} |");
    }
    text.push('\n');
    Ok(text)
}

/// Server CPU of a SET in µs, merging what was noted included.
fn cost(peer: &Peer, options: &Options, names: u64, indexed: bool) -> io::Result<f64> {
    let mut client = Client::connect(&peer.addr)?;
    drop_index(&mut client)?;
    if client.call(&[b"FLUSHALL"])? != Reply::Text("OK".to_owned()) {
        return Err(io::Error::other("FLUSHALL is refused"));
    }
    // A quarter is there before.
    let value = "x".repeat(100);
    let words = ["SET", "key:__rand_int__", &value].map(str::to_owned);
    let load = Load::Command { name: "SET", words: &words };
    load::run(peer, &load, SHAPE, options.writes / 4, names)?;
    if indexed {
        count(&mut client)?;
    }
    let before = process::cpu_seconds(peer.pid)?;
    load::run(peer, &load, SHAPE, options.writes, names)?;
    if indexed {
        count(&mut client)?;
    }
    Ok((process::cpu_seconds(peer.pid)? - before) * 1e6 / options.writes as f64)
}
