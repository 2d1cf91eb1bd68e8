//! What an HNSW graph costs and finds: insertion, searches at several `ef`, filters, removal,
//! memory.
//!
//! `cargo bench -p kvist-vector --bench vector -- [FOLDER]`, 20,000 vectors of 128 floats in
//! clusters, M 16, efConstruction 200, k 10, one thread. Rates are of the processor's time.
//! Recall is against a search through all vectors. In FOLDER, if one is given, the vectors and
//! queries are written as raw floats, so that other libraries can be measured with the same.

use std::hint::black_box;

use kvist_vector::{Element, GraphOptions, Metric, Options, Rows, Vectors};
use testkit::processor::cost;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const COUNT: usize = 20_000;
const QUERIES: usize = 1_000;
const DIMENSION: usize = 128;
const K: usize = 10;

/// Vectors around 100 centres: normal distributions, the sum of several even ones.
fn clustered() -> Vec<Vec<u8>> {
    let mut rng = base::Rng::new(42);
    let mut normal = |scale: f64| {
        let sum: f64 = (0..12).map(|_| rng.below(1 << 30) as f64 / f64::from(1 << 30)).sum();
        (sum - 6.0) * scale
    };
    let centres: Vec<Vec<f64>> =
        (0..100).map(|_| (0..DIMENSION).map(|_| normal(1.0)).collect()).collect();
    let vector = |at: usize| {
        let numbers = centres[at * 7919 % 100].iter().map(|centre| (centre + normal(0.5)) as f32);
        numbers.flat_map(f32::to_le_bytes).collect()
    };
    (0..COUNT + QUERIES).map(vector).collect()
}

fn nearest(
    vectors: &Vectors,
    query: &[u8],
    ef: usize,
    filter: Option<&dyn Fn(u32) -> bool>,
) -> Rows {
    vectors.nearest(query, K, ef, filter, &mut |_| false).expect("a result")
}

/// Rate and recall of all queries.
fn show(what: &str, exact: &[Rows], mut search: impl FnMut(usize) -> Rows) {
    let mut found = Vec::new();
    let mut best = std::time::Duration::MAX;
    for _ in 0..3 {
        let (rows, took) = cost(|| (0..exact.len()).map(&mut search).collect::<Vec<_>>());
        (found, best) = (black_box(rows), best.min(took));
    }
    let hits: usize = found
        .iter()
        .zip(exact)
        .map(|(found, exact)| found.iter().filter(|row| exact.contains(row)).count())
        .sum();
    let all: usize = exact.iter().map(Vec::len).sum();
    let rate = exact.len() as f64 / best.as_secs_f64();
    println!("{what:<32} {rate:>10.0} q/s   recall {:.4}", hits as f64 / all as f64);
}

fn main() {
    let all = clustered();
    let (stored, queries) = all.split_at(COUNT);
    let folder = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    if let Some(folder) = folder {
        std::fs::write(format!("{folder}/stored.f32"), stored.concat()).expect("written");
        std::fs::write(format!("{folder}/queries.f32"), queries.concat()).expect("written");
    }
    let graph = Some(GraphOptions { m: 16, ef_construction: 200 });
    let options =
        Options { element: Element::Float32, dimension: DIMENSION, metric: Metric::L2, graph };
    let mut flat = Vectors::new(Options { graph: None, ..options });
    let mut vectors = Vectors::new(options);
    for (row, blob) in (0..).zip(stored) {
        flat.insert(row, blob).expect("a vector");
    }
    let ((), took) = cost(|| {
        for (row, blob) in (0..).zip(stored) {
            vectors.insert(row, blob).expect("a vector");
        }
    });
    println!("build {:.0} vectors/s", COUNT as f64 / took.as_secs_f64());
    let overhead = vectors.memory() as f64 / COUNT as f64 - (4 * DIMENSION) as f64;
    println!("{overhead:.1} bytes a vector besides its floats");
    let exact: Vec<Rows> = queries.iter().map(|query| nearest(&flat, query, 0, None)).collect();
    show("flat", &exact, |at| nearest(&flat, &queries[at], 0, None));
    for ef in [10, 64, 200] {
        show(&format!("ef {ef}"), &exact, |at| nearest(&vectors, &queries[at], ef, None));
    }
    for part in [2_u32, 10, 100] {
        let filter = |row: u32| row.wrapping_mul(0x9e37_79b9) >> 8 < (1 << 24) / part;
        let filter: Option<&dyn Fn(u32) -> bool> = Some(&filter);
        let exact: Vec<Rows> =
            queries.iter().map(|query| nearest(&flat, query, 0, filter)).collect();
        for ef in [10, 64] {
            let what = format!("1 of {part}, ef {ef}");
            show(&what, &exact, |at| nearest(&vectors, &queries[at], ef, filter));
        }
        let rows: Vec<u32> =
            (0..COUNT as u32).filter(|row| filter.is_some_and(|filter| filter(*row))).collect();
        show(&format!("1 of {part}, exactly these"), &exact, |at| {
            vectors.nearest_of(&rows, &queries[at], K, &mut |_| false).expect("a result")
        });
    }
    changes(&mut vectors, stored, &mut flat, queries);
}

/// Replaces half of the rows, removes a quarter; then searches again.
fn changes(vectors: &mut Vectors, stored: &[Vec<u8>], flat: &mut Vectors, queries: &[Vec<u8>]) {
    let half = COUNT as u32 / 2;
    let ((), took) = cost(|| (0..half).for_each(|row| assert!(vectors.remove(row))));
    println!("{:.0} removals/s", f64::from(half) / took.as_secs_f64());
    for row in 0..half / 2 {
        vectors.insert(row, &stored[row as usize]).expect("a vector");
    }
    (half / 2..half).for_each(|row| assert!(flat.remove(row)));
    let exact: Vec<Rows> = queries.iter().map(|query| nearest(flat, query, 0, None)).collect();
    for ef in [10, 64] {
        let what = format!("after changes, ef {ef}");
        show(&what, &exact, |at| nearest(vectors, &queries[at], ef, None));
    }
}
