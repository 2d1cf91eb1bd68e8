//! What the index costs: loading, bytes per key, ranges, counting, merging batches.
//!
//! `cargo bench -p kvist-index -- [KEYS]`, default one million. It checks every answer. It must not
//! need anything but a clock.

use std::hint::black_box;
use std::time::{Duration, Instant};

use kvist_index::{Delta, Edge, KeyList, Span, Tree, changes, merge, sort};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Xorshift: the order of keys must be the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

fn keys(name: &str, count: usize, random: &mut Random) -> KeyList {
    let mut numbers: Vec<usize> = (0..count).collect();
    for at in (1..count).rev() {
        numbers.swap(at, random.below(at + 1));
    }
    let mut list = KeyList::default();
    for (at, n) in numbers.iter().enumerate() {
        match name {
            "key" => list.push(format!("key:{n:07}").as_bytes()),
            "mixed" if at % 2 == 0 => list.push(format!("key:{n:07}").as_bytes()),
            "mixed" => list.push(format!("account:{n:07}").as_bytes()),
            _ => {
                let hash = (*n as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                list.push(format!("{hash:016x}").as_bytes());
            }
        }
    }
    list
}

fn nanos(took: Duration, among: usize) -> f64 {
    took.as_secs_f64() * 1e9 / among.max(1) as f64
}

fn load(name: &str, list: &KeyList) -> Tree {
    let start = Instant::now();
    let order = sort(u32::try_from(list.len()).expect("few"), |at| list.get(at as usize));
    let sorted = start.elapsed();
    let tree = merge(&[(list, &order)]);
    let took = start.elapsed();
    assert_eq!(tree.len(), list.len());
    println!(
        "{name}: loaded in {:.0} ns/key, of which sorting {:.0}; {:.1} B/key",
        nanos(took, list.len()),
        nanos(sorted, list.len()),
        tree.memory() as f64 / list.len() as f64,
    );
    tree
}

fn ranges(name: &str, tree: &Tree, list: &KeyList, random: &mut Random) {
    for (width, rounds) in [(100, 2000), (1000, 400), (10_000, 60)] {
        let mut out = KeyList::default();
        let (mut shown, start) = (0, Instant::now());
        for _ in 0..rounds {
            out.clear();
            let from = Edge::Before(list.get(random.below(list.len())));
            tree.collect(Span { start: from, end: Edge::Last }, false, width, &mut out);
            shown += out.len();
            black_box(&out);
        }
        println!("{name}: range of {width}: {:.1} ns/key", nanos(start.elapsed(), shown));
    }
    let start = Instant::now();
    let rounds = 100_000;
    for _ in 0..rounds {
        black_box(tree.rank(Edge::Before(list.get(random.below(list.len())))));
    }
    println!("{name}: rank: {:.0} ns", nanos(start.elapsed(), rounds));
}

fn batches(name: &str, list: &KeyList, size: usize) {
    let half = list.len() / 2;
    let order = {
        let first: KeyList = list.iter().take(half).collect();
        let order = sort(u32::try_from(half).expect("few"), |at| first.get(at as usize));
        (first, order)
    };
    let mut tree = merge(&[(&order.0, &order.1)]);
    let (mut noting, mut merging) = (Duration::ZERO, Duration::ZERO);
    let mut at = half;
    while at < list.len() {
        let end = list.len().min(at + size);
        let start = Instant::now();
        let mut deltas: Vec<Delta> = vec![Delta::default(); 64];
        (at..end).for_each(|n| deltas[n % 64].push(list.get(n), true));
        noting += start.elapsed();
        let start = Instant::now();
        tree.apply(&changes(&deltas));
        merging += start.elapsed();
        at = end;
    }
    assert_eq!(tree.len(), list.len());
    println!(
        "{name}: batches of {size}: {:.0} ns to note, {:.0} ns to merge; {:.1} B/key then",
        nanos(noting, half),
        nanos(merging, half),
        tree.memory() as f64 / list.len() as f64,
    );
}

fn main() {
    let count = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    let mut random = Random(0x1234_5678_9abc_def1);
    for name in ["key", "mixed", "hex"] {
        let list = keys(name, count, &mut random);
        let tree = load(name, &list);
        ranges(name, &tree, &list, &mut random);
        [100, 4096, 65_536].into_iter().for_each(|size| batches(name, &list, size));
    }
}
