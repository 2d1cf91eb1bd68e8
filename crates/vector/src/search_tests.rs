//! Results against a simple search through all vectors; recall; filters; special values.

use base::Rng;

use super::*;
use crate::vectors::tests::{blob, options};
use crate::{ELEMENTS, Element, GraphOptions, Metric, Options};

/// Vectors around some centres, as embeddings are.
fn clustered(rng: &mut Rng, count: usize, dimension: usize) -> Vec<Vec<u8>> {
    let mut normal = |scale: f64| {
        let sum: f64 = (0..6).map(|_| rng.below(1 << 20) as f64 / f64::from(1 << 20)).sum();
        (sum - 3.0) * scale
    };
    let centres: Vec<Vec<f64>> =
        (0..20).map(|_| (0..dimension).map(|_| normal(1.0)).collect()).collect();
    let mut all = Vec::with_capacity(count);
    for at in 0..count {
        let mut blob = Vec::new();
        let numbers = centres[at % 20].iter().map(|centre| centre + normal(0.7));
        Element::Float32.write(numbers, &mut blob);
        all.push(blob);
    }
    all
}

fn rows(found: &[(u32, f64)]) -> Vec<u32> {
    found.iter().map(|(row, _)| *row).collect()
}

/// The part of the exact results that are found.
fn recall(vectors: &Vectors, queries: &[Vec<u8>], ef: usize, filter: Filter<'_>) -> f64 {
    let k = 10;
    let (mut hits, mut all) = (0, 0);
    for query in queries {
        let got = vectors.nearest(query, k, ef, filter, &mut |_| false).unwrap();
        assert!(got.iter().all(|(row, _)| filter.is_none_or(|filter| filter(*row))));
        assert!(got.is_sorted_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)).is_lt()));
        let point = Point { bytes: query, norm: 0.0 };
        let best = vectors.best(k);
        let exact = vectors.scan(point, best, f64::INFINITY, filter, &mut |_| false).unwrap();
        assert_eq!(got.len(), exact.len());
        let exact = rows(&exact);
        hits += rows(&got).iter().filter(|row| exact.contains(row)).count();
        all += exact.len();
    }
    hits as f64 / all as f64
}

fn large() -> Options {
    let graph = Some(GraphOptions { m: 16, ef_construction: 60 });
    Options { element: Element::Float32, dimension: 32, metric: Metric::L2, graph }
}

#[test]
fn the_graph_finds_what_a_scan_finds() {
    let mut rng = Rng::new(21);
    let all = clustered(&mut rng, 2600, 32);
    let (stored, queries) = all.split_at(2500);
    let mut vectors = Vectors::new(large());
    for (row, blob) in stored.iter().enumerate() {
        vectors.insert(row as u32, blob).unwrap();
    }
    vectors.check();
    assert_eq!(vectors.unreachable(), 0);
    let found = recall(&vectors, queries, 64, None);
    assert!(found >= 0.95, "{found}");
    for part in [2, 10, 100, 2000] {
        let filter = |row: u32| row.is_multiple_of(part);
        let found = recall(&vectors, queries, 64, Some(&filter));
        assert!(found >= 0.95, "one of {part}: {found}");
    }
    assert_eq!(recall(&vectors, &queries[..3], 10_000, None), 1.0);
}

#[test]
fn recall_stays_after_many_changes() {
    let mut rng = Rng::new(22);
    let all = clustered(&mut rng, 3100, 32);
    let (stored, queries) = all.split_at(3000);
    let mut vectors = Vectors::new(large());
    let mut at: Vec<usize> = (0..1000).collect();
    for (row, blob) in stored[..1000].iter().enumerate() {
        vectors.insert(row as u32, blob).unwrap();
    }
    for _ in 0..1500 {
        let row = rng.below(1000);
        at[row] = rng.below(3000);
        assert!(vectors.remove(row as u32));
        vectors.insert(row as u32, &stored[at[row]]).unwrap();
    }
    vectors.check();
    for row in 0..300 {
        assert!(vectors.remove(row));
    }
    vectors.check();
    assert_eq!(vectors.unreachable(), 0);
    let found = recall(&vectors, queries, 64, None);
    assert!(found >= 0.95, "{found}");
}

/// Elements and metrics against distances in `f64`, flat and with a graph.
#[test]
fn every_element_and_metric() {
    let mut rng = Rng::new(23);
    let mut parts = Vec::new();
    for element in ELEMENTS {
        for metric in [Metric::L2, Metric::InnerProduct, Metric::Cosine] {
            let with_graph = options(element, metric, 5);
            let flat = Options { graph: None, ..with_graph };
            let (mut graph, mut flat) = (Vectors::new(with_graph), Vectors::new(flat));
            let stored: Vec<Vec<u8>> = (0..300).map(|_| blob(&mut rng, element, 5)).collect();
            for (row, blob) in stored.iter().enumerate() {
                // Two vectors a row.
                graph.insert(row as u32 / 2, blob).unwrap();
                flat.insert(row as u32 / 2, blob).unwrap();
            }
            let (mut hits, mut wanted) = (0, 0);
            for _ in 0..10 {
                let query = blob(&mut rng, element, 5);
                let exact = exact(element, metric, &stored, &query);
                let got = flat.nearest(&query, 7, 10, None, &mut |_| false).unwrap();
                let tolerance = if element == Element::Bfloat16 { 0.02 } else { 0.003 };
                for ((_, got), (_, exact)) in got.iter().zip(&exact) {
                    let error = (got - exact).abs();
                    assert!(error <= tolerance * exact.abs().max(1.0), "{got}, not {exact}");
                }
                let some: Vec<u32> = (0..150).rev().chain(0..9).collect();
                let of_rows = flat.nearest_of(&some, &query, 7, &mut |_| false).unwrap();
                assert_eq!(of_rows, got);
                let walked = graph.nearest(&query, 7, 30, None, &mut |_| false).unwrap();
                assert_eq!(walked.len(), 7);
                let all = rows(&got);
                hits += rows(&walked).iter().filter(|row| all.contains(row)).count();
                wanted += 7;
                let radius = got[6].1;
                let near = flat.within(&query, radius, 0.01, None, &mut |_| false).unwrap();
                assert_eq!(near[..7], got[..]);
                assert!(near[7..].iter().all(|(_, distance)| *distance == radius));
            }
            parts.push(hits as f64 / wanted as f64);
        }
    }
    // Few links, and inner products are no distances: single ones find less.
    assert!(parts.iter().all(|part| *part >= 0.75), "{parts:?}");
    assert!(parts.iter().sum::<f64>() >= 0.95 * parts.len() as f64, "{parts:?}");
}

/// Rows with the least distance of their two vectors, sorted by distance.
fn exact(element: Element, metric: Metric, stored: &[Vec<u8>], query: &[u8]) -> Rows {
    let query = element.read(query);
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let distance = |blob: &Vec<u8>| {
        let other = element.read(blob);
        match metric {
            Metric::L2 => query.iter().zip(&other).map(|(a, b)| (a - b) * (a - b)).sum(),
            Metric::InnerProduct => 1.0 - dot(&query, &other),
            Metric::Cosine => {
                let norms = (dot(&query, &query) * dot(&other, &other)).sqrt();
                if norms == 0.0 { 1.0 } else { 1.0 - dot(&query, &other) / norms }
            }
        }
    };
    let least =
        |(row, pair): (usize, &[Vec<u8>])| (row as u32, distance(&pair[0]).min(distance(&pair[1])));
    let mut all: Rows = stored.chunks(2).enumerate().map(least).collect();
    all.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    all
}

#[test]
fn a_radius_is_searched_through_the_graph() {
    let mut rng = Rng::new(24);
    let all = clustered(&mut rng, 1550, 32);
    let (stored, queries) = all.split_at(1500);
    let (mut graph, mut flat) =
        (Vectors::new(large()), Vectors::new(Options { graph: None, ..large() }));
    for (row, blob) in stored.iter().enumerate() {
        graph.insert(row as u32, blob).unwrap();
        flat.insert(row as u32, blob).unwrap();
    }
    let (mut hits, mut wanted) = (0, 0);
    for query in queries {
        let radius = flat.nearest(query, 20, 0, None, &mut |_| false).unwrap()[19].1;
        let odd = |row: u32| row % 2 == 1;
        for filter in [None, Some(&odd as &dyn Fn(u32) -> bool)] {
            let exact = flat.within(query, radius, 0.0, filter, &mut |_| false).unwrap();
            let got = graph.within(query, radius, 0.1, filter, &mut |_| false).unwrap();
            assert!(got.iter().all(|found| exact.contains(found)));
            hits += got.len();
            wanted += exact.len();
        }
        for none in [-1.0, f64::NAN, f64::NEG_INFINITY] {
            assert_eq!(graph.within(query, none, 0.01, None, &mut |_| false), Ok(Vec::new()));
        }
    }
    assert!(hits as f64 >= 0.95 * wanted as f64, "{hits} of {wanted}");
    let infinite = graph.within(&queries[0], f64::INFINITY, 0.01, None, &mut |_| false).unwrap();
    assert_eq!(infinite.len(), 1500);
}

#[test]
fn special_values_come_last_and_break_nothing() {
    let specials = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e38, -1e38, 0.0, -0.0, 1.0];
    for element in [Element::Float32, Element::Float64, Element::Float16, Element::Bfloat16] {
        for metric in [Metric::L2, Metric::InnerProduct, Metric::Cosine] {
            let mut rng = Rng::new(25);
            let mut vectors = Vectors::new(options(element, metric, 3));
            let random = |rng: &mut Rng| {
                let mut blob = Vec::new();
                element.write((0..3).map(|_| specials[rng.below(specials.len())]), &mut blob);
                blob
            };
            for row in 0..400 {
                vectors.insert(row, &random(&mut rng)).unwrap();
                if row % 5 == 4 {
                    vectors.remove(rng.below(row as usize) as u32);
                }
            }
            vectors.check();
            for _ in 0..20 {
                let query = random(&mut rng);
                let found = vectors.nearest(&query, 9, 20, None, &mut |_| false).unwrap();
                assert_eq!(found.len(), 9);
                assert!(found.is_sorted_by(|a, b| a.1.total_cmp(&b.1).is_le()));
                vectors.within(&query, 5.0, 0.01, None, &mut |_| false).unwrap();
            }
        }
    }
}

#[test]
fn searches_end_when_interrupted_and_refuse_wrong_sizes() {
    let mut rng = Rng::new(26);
    for graph in [None, Some(GraphOptions::default())] {
        let mut vectors = Vectors::new(Options { graph, ..large() });
        for (row, blob) in clustered(&mut rng, 300, 32).iter().enumerate() {
            vectors.insert(row as u32, blob).unwrap();
        }
        let query = vec![0; 128];
        let ended = Err(SearchError::Interrupted);
        let stop = &mut |_: usize| true;
        assert_eq!(vectors.nearest(&query, 3, 3, None, stop), ended);
        assert_eq!(vectors.nearest(&query, 3, 3, Some(&|row| row == 7), stop), ended);
        assert_eq!(vectors.within(&query, 3.0, 0.01, None, stop), ended);
        assert_eq!(vectors.nearest_of(&[1, 2], &query, 3, stop), ended);
        let compared = std::cell::Cell::new(0);
        let count = &mut |more: usize| {
            compared.set(compared.get() + more);
            false
        };
        assert_eq!(vectors.nearest(&query, 3, 3, None, count).unwrap().len(), 3);
        assert!((3..=300).contains(&compared.get()));
        assert_eq!(vectors.nearest(&query, 0, 3, None, count), Ok(Vec::new()));
        let wrong = WrongSize { given: 5, expected: 128 };
        let wrong = Err(SearchError::WrongSize(wrong));
        assert_eq!(vectors.nearest(&[0; 5], 1, 1, None, count), wrong);
        assert_eq!(vectors.within(&[0; 5], 1.0, 1.0, None, count), wrong);
        assert_eq!(vectors.nearest_of(&[1], &[0; 5], 1, count), wrong);
        let far = vectors.nearest_of(&[u32::MAX, 1, 4_000_000_000], &query, 9, count).unwrap();
        assert_eq!(rows(&far), [1]);
    }
}

#[test]
fn several_threads_search_at_once() {
    let mut rng = Rng::new(27);
    let all = clustered(&mut rng, 400, 32);
    let mut vectors = Vectors::new(large());
    for (row, blob) in all.iter().enumerate() {
        vectors.insert(row as u32, blob).unwrap();
    }
    let search = || {
        let nearest = |blob: &Vec<u8>| vectors.nearest(blob, 5, 20, None, &mut |_| false).unwrap();
        all.iter().step_by(4).map(nearest).collect::<Vec<_>>()
    };
    let wanted = search();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(search)).collect();
        threads.into_iter().for_each(|thread| assert_eq!(thread.join().unwrap(), wanted));
    });
    vectors.check();
}
