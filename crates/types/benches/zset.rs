//! What large sorted sets cost: bytes per member, and every kind of step, one at a time.
//!
//! `cargo bench -p kvist-types --bench zset -- [MEMBERS] [ROUNDS]`, default 200,000 and 5. Of each
//! figure the best round is shown, as other work on the machine only ever makes one worse. It
//! checks what it is told. It must not need anything but a clock.

use std::hint::black_box;
use std::time::Instant;

use base::{DataType, PackLimits};
use kvist_types::ZSet;
use kvist_types::zset::ScoreBound;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Xorshift: the order of members must be the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// The best time of each step, by its name, in the order in which they first came.
#[derive(Default)]
struct Best(Vec<(&'static str, f64)>);

impl Best {
    /// Runs `work`, which makes so many steps.
    fn time<R>(&mut self, name: &'static str, steps: usize, work: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = black_box(work());
        let nanos = start.elapsed().as_secs_f64() * 1e9 / steps.max(1) as f64;
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, best)) => *best = best.min(nanos),
            None => self.0.push((name, nanos)),
        }
        result
    }
}

struct Data {
    /// Members in a random order, each with its score.
    pairs: Vec<(Vec<u8>, f64)>,
    limits: PackLimits,
}

fn data(same_score: bool, count: usize) -> Data {
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut numbers: Vec<usize> = (0..count).collect();
    (1..count).rev().for_each(|at| numbers.swap(at, random.below(at + 1)));
    let pairs = numbers.iter().map(|n| {
        let score = if same_score { 0.0 } else { random.below(4 * count) as f64 };
        (format!("member:{n:07}").into_bytes(), score)
    });
    Data { pairs: pairs.collect(), limits: PackLimits::default() }
}

fn round(data: &Data, best: &mut Best) -> (usize, usize) {
    let Data { pairs, limits } = data;
    let count = pairs.len();
    let built = best.time("collect", count, || {
        ZSet::collect(pairs.iter().map(|(member, score)| (&member[..], *score)), limits)
    });
    let mut zset = ZSet::default();
    best.time("insert", count, || {
        pairs.iter().for_each(|(member, score)| {
            zset.insert(member, *score, limits);
        });
    });
    assert!(zset.iter().eq(built.iter()));
    let grown = zset.memory();
    best.time("rank of a member", count, || {
        pairs.iter().map(|(member, _)| zset.rank(member).map_or(0, |(rank, _)| rank)).sum::<usize>()
    });
    best.time("range of 100", count / 10, || {
        (0..count / 10).map(|at| zset.range(at * 7..at * 7 + 100).count()).sum::<usize>()
    });
    best.time("count of scores", count, || {
        let count = |score: f64| {
            zset.score_ranks(ScoreBound::Included(score), ScoreBound::Excluded(score + 100.0)).len()
        };
        pairs.iter().map(|(_, score)| count(*score)).sum::<usize>()
    });
    best.time("walk of all", count, || zset.iter().map(|(member, _)| member.len()).sum::<usize>());
    best.time("score raised by 1", count, || {
        pairs.iter().for_each(|(member, score)| {
            zset.insert(member, *score + 1.0, limits);
        });
    });
    let removed = best.time("remove", count, || {
        pairs.iter().filter(|(member, _)| zset.remove(member).is_some()).count()
    });
    assert!(removed == count && zset.is_empty());
    (built.memory(), grown)
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter_map(|text| text.parse::<usize>().ok());
    let count = arguments.next().unwrap_or(200_000);
    let rounds = arguments.next().unwrap_or(5);
    for (name, same_score) in [("scores at random", false), ("one score for all", true)] {
        let data = data(same_score, count);
        let mut best = Best::default();
        let mut memory = (0, 0);
        (0..rounds).for_each(|_| memory = round(&data, &mut best));
        let each = |bytes: usize| bytes as f64 / count as f64;
        println!("{name}: {:.2} B/member built, {:.2} grown", each(memory.0), each(memory.1));
        best.0.iter().for_each(|(step, nanos)| println!("  {step:<20}{nanos:>8.0} ns"));
    }
}
