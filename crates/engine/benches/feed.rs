//! What a pipelined request costs in the engine, without sockets: decode, look up, run, reply.
//!
//! `cargo bench -p kvist-engine [-- KEYS]` prints nanoseconds per request. Answers are checked.

#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

#[path = "../tests/seats/mod.rs"]
mod seats;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use seats::{Seat, engine};

const VALUE: usize = 100;
/// The best of these is printed: the machine may be shared.
const ROUNDS: usize = 7;

fn main() {
    allocator::set_up();
    let keys: usize = std::env::args().skip(1).find_map(|a| a.parse().ok()).unwrap_or(100_000);
    let engine = engine();
    let mut seat = Seat::new(&engine);
    let value = "x".repeat(VALUE);
    let set =
        |n: usize| format!("*3\r\n$3\r\nSET\r\n$16\r\nkey:{n:012}\r\n${VALUE}\r\n{value}\r\n");
    let get = |n: usize| format!("*2\r\n$3\r\nGET\r\n$16\r\nkey:{n:012}\r\n");
    for first in (0..keys).step_by(100) {
        let batch: String = (first..first + 100).map(set).collect();
        assert_eq!(seat.feed(&batch).0, "+OK\r\n".repeat(100));
    }
    seat.worker.txn.report_memory();
    let per_key = engine.store.memory() as f64 / keys as f64;
    println!("{keys} keys, {per_key:.1} bytes per key");
    let only = std::env::var("DEPTH").ok().and_then(|d| d.parse().ok());
    for depth in [1, 16, 100].into_iter().filter(|d| only.is_none_or(|o: usize| o == *d)) {
        for (name, make) in [("SET", &set as &dyn Fn(usize) -> String), ("GET", &get)] {
            let batches: Vec<Vec<u8>> = batches(depth, keys, make);
            let (mut input, mut out) = (Vec::new(), Vec::new());
            let mut best = Duration::MAX;
            for _ in 0..ROUNDS {
                let start = Instant::now();
                for batch in &batches {
                    out.clear();
                    input.clear();
                    input.extend_from_slice(batch); // as a read from a socket would
                    seat.worker.begin(1_000_000);
                    seat.worker.feed(&mut seat.session, &mut input, &mut out);
                }
                best = best.min(start.elapsed());
            }
            let nanos = best.as_nanos() as f64 / (batches.len() * depth) as f64;
            assert!(!out.is_empty() && out[0] != b'-' && !out.starts_with(b"$-1"));
            println!("{name} -P {depth}: {nanos:.0} ns");
        }
    }
}

/// Batches of `depth` requests for scattered keys.
fn batches(depth: usize, keys: usize, make: &dyn Fn(usize) -> String) -> Vec<Vec<u8>> {
    let mut state: u64 = 7;
    (0..200_000 / depth)
        .map(|_| {
            let mut batch = String::new();
            for _ in 0..depth {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let _ = write!(batch, "{}", make((state >> 33) as usize % keys));
            }
            batch.into_bytes()
        })
        .collect()
}
