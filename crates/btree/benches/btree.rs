//! What the tree costs, beside the tree of key names (`index`) and `std`'s, on the same data.
//!
//! `cargo bench -p kvist-btree -- [ELEMENTS] [ROUNDS]`, default 500,000 and 3. Of each figure the
//! best round is shown, as other work on the machine only ever makes one worse. It checks what it
//! is told. It must not need anything but a clock.
//!
//! On two cores of a shared machine, 500,000 names, steps in nanoseconds:
//!
//! | | `btree` | `index` |
//! | --- | --- | --- |
//! | bytes a name, `key:0000001` | 6.4 | 5.8 |
//! | bytes a name, 16 hexadecimal digits | 18.2 | 17.6 |
//! | rank | 292 | 337 |
//! | range of 100 names, copied | 1025 | 898 |
//! | one inserted | 328 | 632 |
//! | one of 100 inserted, merged | 487 | 629 |
//! | one of 65,536 inserted, merged | 307 | 197 |
//!
//! `index` only ever merges batches, and is there for every key of a database, so bytes count most
//! and room to grow in place is of no use to it: it keeps its own blocks. A number of 8 bytes with
//! a row of 4 takes 14.6 bytes, or 15.6 where versions are kept; ranks in 220 ns, single inserts in
//! 215.

use std::collections::BTreeSet;
use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Instant;

use index::{Edge, Span};
use kvist_btree::{Element, Fixed, SharedTree, Strings, Tree};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Xorshift: the order of elements must be the same in every run.
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
struct Best(Vec<(String, f64)>);

impl Best {
    /// Runs `work`, which makes so many steps.
    fn time<R>(&mut self, name: &str, steps: usize, work: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = black_box(work());
        self.note(name, start.elapsed().as_secs_f64() * 1e9 / steps.max(1) as f64);
        result
    }

    fn note(&mut self, name: &str, figure: f64) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, best)) => *best = best.min(figure),
            None => self.0.push((name.to_owned(), figure)),
        }
    }

    fn show(&self, title: &str) {
        println!("{title}");
        self.0.iter().for_each(|(step, figure)| println!("  {step:<32}{figure:>10.1}"));
    }
}

/// Sizes of batches that are merged into a tree of half of the elements.
const BATCHES: [usize; 3] = [100, 4096, 65_536];

fn shuffled(count: usize, random: &mut Random) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..count).collect();
    (1..count).rev().for_each(|at| numbers.swap(at, random.below(at + 1)));
    numbers
}

fn names(kind: &str, count: usize) -> Vec<Vec<u8>> {
    let numbers = shuffled(count, &mut Random(0x1234_5678_9abc_def1));
    let name = |n: usize| match kind {
        "key:0000001" => format!("key:{n:07}"),
        _ => format!("{:016x}", (n as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)),
    };
    numbers.into_iter().map(|n| name(n).into_bytes()).collect()
}

/// The tree of this crate, with names.
fn ours(names: &[Vec<u8>], sorted: &[Vec<u8>], best: &mut Best) {
    let count = names.len();
    let mut tree: Tree<Strings> =
        best.time("built, ns", count, || Tree::build(sorted.iter().map(|name| name[..].into())));
    best.note("bytes, built", tree.memory() as f64 / count as f64);
    best.time("rank, ns", count, || {
        names.iter().map(|name| tree.rank(name[..].into())).sum::<usize>()
    });
    best.time("range of 100, ns", count / 50, || {
        let mut out = Vec::new();
        names.iter().take(count / 50).for_each(|name| {
            out.clear();
            let from = tree.rank(name[..].into());
            tree.iter(from..from + 100).for_each(|text| {
                out.extend_from_slice(text.prefix);
                out.extend_from_slice(text.rest);
            });
            black_box(&out);
        });
    });
    best.time("removed one by one, ns", count / 2, || {
        names[count / 2..].iter().for_each(|name| assert!(tree.remove(name[..].into())));
    });
    best.time("inserted one by one, ns", count / 2, || {
        names[count / 2..].iter().for_each(|name| assert!(tree.insert(name[..].into())));
    });
    best.note("bytes, grown", tree.memory() as f64 / count as f64);
    for size in BATCHES {
        let mut half = names[..count / 2].to_vec();
        half.sort_unstable();
        let mut tree: Tree<Strings> = Tree::build(half.iter().map(|name| name[..].into()));
        let mut nanos = 0.0;
        for batch in names[count / 2..].chunks(size) {
            let mut batch: Vec<&[u8]> = batch.iter().map(|name| &name[..]).collect();
            batch.sort_unstable();
            let changes: Vec<_> = batch.iter().map(|name| ((*name).into(), true)).collect();
            let start = Instant::now();
            tree.apply(&changes);
            nanos += start.elapsed().as_secs_f64() * 1e9;
        }
        assert_eq!(tree.len(), count);
        best.note(&format!("merged {size} at a time, ns"), nanos / (count / 2) as f64);
    }
}

fn change(name: &[u8], is_there: bool) -> index::Change<'_> {
    index::Change { key: name, is_there }
}

fn built_index(sorted: &[Vec<u8>]) -> index::Tree {
    let mut builder = index::Builder::default();
    sorted.iter().for_each(|name| builder.push(name));
    builder.finish()
}

/// The tree of key names.
fn of_index(names: &[Vec<u8>], sorted: &[Vec<u8>], best: &mut Best) {
    let count = names.len();
    let mut tree = best.time("built, ns", count, || built_index(sorted));
    best.note("bytes, built", tree.memory() as f64 / count as f64);
    best.time("rank, ns", count, || {
        names.iter().map(|name| tree.rank(Edge::Before(name))).sum::<usize>()
    });
    best.time("range of 100, ns", count / 50, || {
        let mut out = Vec::new();
        names.iter().take(count / 50).for_each(|name| {
            out.clear();
            let span = Span { start: Edge::Before(name), end: Edge::Last };
            tree.show(span, false, 100, |prefix, rests| {
                rests.iter().for_each(|rest| {
                    out.extend_from_slice(prefix);
                    out.extend_from_slice(rest);
                });
            });
            black_box(&out);
        });
    });
    best.time("removed one by one, ns", count / 2, || {
        names[count / 2..].iter().for_each(|name| tree.apply(&[change(name, false)]));
    });
    best.time("inserted one by one, ns", count / 2, || {
        names[count / 2..].iter().for_each(|name| tree.apply(&[change(name, true)]));
    });
    best.note("bytes, grown", tree.memory() as f64 / count as f64);
    for size in BATCHES {
        let mut half = names[..count / 2].to_vec();
        half.sort_unstable();
        let mut tree = built_index(&half);
        let mut nanos = 0.0;
        for batch in names[count / 2..].chunks(size) {
            let mut changes: Vec<_> = batch.iter().map(|name| change(name, true)).collect();
            changes.sort_unstable_by_key(|change| change.key);
            let start = Instant::now();
            tree.apply(&changes);
            nanos += start.elapsed().as_secs_f64() * 1e9;
        }
        assert_eq!(tree.len(), count);
        best.note(&format!("merged {size} at a time, ns"), nanos / (count / 2) as f64);
    }
    let all = tree.walk(Span::ALL, false, |_| ControlFlow::<()>::Continue(()));
    assert!(all.is_continue());
}

/// Pairs of a number and a row, in trees of this crate: alone, and with versions.
fn pairs<E: Element>(pairs: &[E], sorted: &[E], best: &mut Best) {
    let count = pairs.len();
    let mut tree: Tree<Fixed<E>> =
        best.time("built, ns", count, || Tree::build(sorted.iter().copied()));
    best.note("bytes, built", tree.memory() as f64 / count as f64);
    best.time("rank, ns", count, || pairs.iter().map(|pair| tree.rank(*pair)).sum::<usize>());
    best.time("range of 100, ns", count / 50, || {
        let sum =
            |from: usize| tree.iter(from..from + 100).filter(|pair| *pair < sorted[0]).count();
        pairs.iter().take(count / 50).map(|pair| sum(tree.rank(*pair))).sum::<usize>()
    });
    best.time("removed one by one, ns", count / 2, || {
        pairs[count / 2..].iter().for_each(|pair| assert!(tree.remove(*pair)));
    });
    best.time("inserted one by one, ns", count / 2, || {
        pairs[count / 2..].iter().for_each(|pair| assert!(tree.insert(*pair)));
    });
    best.note("bytes, grown", tree.memory() as f64 / count as f64);
    let mut shared: SharedTree<Fixed<E>> = SharedTree::build(sorted.iter().copied());
    best.note("bytes, with versions", shared.memory() as f64 / count as f64);
    let versions = std::sync::Arc::default();
    best.time("removed beside versions, ns", count / 2, || {
        let mut frozen = shared.freeze(&versions);
        for (at, pair) in pairs[count / 2..].iter().enumerate() {
            assert!(shared.remove(*pair));
            if at % 10_000 == 9999 {
                frozen = shared.freeze(&versions);
            }
        }
        drop(frozen);
    });
    best.time("inserted without them, ns", count / 2, || {
        pairs[count / 2..].iter().for_each(|pair| assert!(shared.insert(*pair)));
    });
}

/// `std`'s set of pairs, which knows no ranks.
fn of_std<E: Element>(pairs: &[E], sorted: &[E], best: &mut Best) {
    let count = pairs.len();
    let mut set: BTreeSet<E> = best.time("built, ns", count, || sorted.iter().copied().collect());
    best.time("range of 100, ns", count / 50, || {
        let sum = |from: E| set.range(from..).take(100).filter(|pair| **pair < sorted[0]).count();
        pairs.iter().take(count / 50).map(|pair| sum(*pair)).sum::<usize>()
    });
    best.time("removed one by one, ns", count / 2, || {
        pairs[count / 2..].iter().for_each(|pair| assert!(set.remove(pair)));
    });
    best.time("inserted one by one, ns", count / 2, || {
        pairs[count / 2..].iter().for_each(|pair| assert!(set.insert(*pair)));
    });
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter_map(|text| text.parse::<usize>().ok());
    let count = arguments.next().unwrap_or(500_000);
    let rounds = arguments.next().unwrap_or(3);
    for kind in ["key:0000001", "hexadecimal"] {
        let names = names(kind, count);
        let mut sorted = names.clone();
        sorted.sort_unstable();
        let (mut our, mut other) = (Best::default(), Best::default());
        for _ in 0..rounds {
            ours(&names, &sorted, &mut our);
            of_index(&names, &sorted, &mut other);
        }
        our.show(&format!("names, {kind}: this tree"));
        other.show(&format!("names, {kind}: the tree of `index`"));
    }
    let mut random = Random(0x0fed_cba9_8765_4321);
    let all: Vec<(u64, u32)> = shuffled(count, &mut random)
        .into_iter()
        .map(|row| (random.below(count) as u64, u32::try_from(row).unwrap_or(u32::MAX)))
        .collect();
    let mut sorted = all.clone();
    sorted.sort_unstable();
    let (mut our, mut other) = (Best::default(), Best::default());
    for _ in 0..rounds {
        pairs(&all, &sorted, &mut our);
        of_std(&all, &sorted, &mut other);
    }
    our.show("a number of 8 bytes and a row of 4: this tree");
    other.show("a number of 8 bytes and a row of 4: BTreeSet");
}
