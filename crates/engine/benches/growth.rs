//! How a dataset grows: the longest single insert, and bytes per key on the way.
//!
//! `cargo bench -p kvist-engine --bench growth [-- KEYS [SHARDS]]`, default ten million keys of 16
//! bytes with values of 100. Every SET is fed by itself and timed by itself, three times over; an
//! insert counts with the least of its times, as the machine may be shared.

#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

#[path = "../tests/test_client/mod.rs"]
mod test_client;

use std::io::Write as _;
use std::time::{Duration, Instant};

use test_client::{TestClient, engine_with};

const VALUE: usize = 100;
const RUNS: usize = 3;
/// Where the bytes per key are printed, in thousands.
const STOPS: [usize; 8] = [100, 500, 900, 1_000, 1_200, 2_000, 3_000, 10_000];

fn main() {
    allocator::set_up();
    let mut numbers = std::env::args().skip(1).filter_map(|arg| arg.parse::<usize>().ok());
    let keys = numbers.next().unwrap_or(10_000_000);
    let shards = numbers.next().unwrap_or(64);
    let mut least = vec![u32::MAX; keys];
    for run in 0..RUNS {
        grow(&mut least, shards, run == 0);
    }
    let mut order: Vec<usize> = (0..keys).collect();
    order.sort_unstable_by_key(|&n| std::cmp::Reverse(least[n]));
    for &n in &order[..3] {
        let took = Duration::from_nanos(u64::from(least[n]));
        println!("longest insert: {took:?} at {n} keys");
    }
    let sum: u64 = least.iter().map(|&nanos| u64::from(nanos)).sum();
    println!("mean insert: {} ns", sum / keys as u64);
}

fn grow(least: &mut [u32], shards: usize, tell: bool) {
    let engine = engine_with(&format!("shards {shards}\n"));
    let mut client = TestClient::new(&engine);
    let (mut input, mut out) = (Vec::new(), Vec::new());
    let value = "x".repeat(VALUE);
    for (n, least) in least.iter_mut().enumerate() {
        input.clear();
        out.clear();
        write!(input, "*3\r\n$3\r\nSET\r\n$16\r\nkey:{n:012}\r\n${VALUE}\r\n{value}\r\n")
            .expect("a vector takes all");
        let start = Instant::now();
        client.worker.feed(&mut client.session, &mut input, &mut out);
        let nanos = u32::try_from(start.elapsed().as_nanos()).unwrap_or(u32::MAX);
        assert_eq!(out, b"+OK\r\n");
        *least = nanos.min(*least);
        let count = n + 1;
        if tell && count % 1_000 == 0 && STOPS.contains(&(count / 1_000)) {
            client.worker.txn.report_memory();
            let per_key = engine.store.memory() as f64 / count as f64;
            println!("{:>6} thousand keys: {per_key:.1} bytes per key", count / 1_000);
        }
    }
    if tell {
        println!("{} shards", engine.store.shards());
    }
}
