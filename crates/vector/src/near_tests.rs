//! The order of distances, and the best rows against a sort.

use std::collections::BTreeMap;

use base::Rng;

use super::*;

#[test]
fn all_distances_have_an_order() {
    let order = [f64::NEG_INFINITY, -1e300, -1.0, 0.0, 1e-320, 2.5, f64::INFINITY, f64::NAN];
    for (at, distance) in order.iter().enumerate() {
        let near = Near::new(*distance, 7);
        assert_eq!(near.what(), 7);
        assert_eq!(near.distance().total_cmp(distance), std::cmp::Ordering::Equal);
        assert!(order[at + 1..].iter().all(|more| near < Near::new(*more, 0)));
        assert!(near < Near::new(*distance, 8));
    }
    assert_eq!(Near::new(-0.0, 1), Near::new(0.0, 1));
    assert_eq!(Near::new(-f64::NAN, 1), Near::new(f64::NAN, 1));
}

#[test]
fn the_best_are_those_of_a_sort() {
    let mut rng = Rng::new(3);
    for round in 0..300 {
        let several = round % 2 == 0;
        let k = rng.below(12);
        let mut best = Best::new(k, several);
        let mut rows: BTreeMap<u32, f64> = BTreeMap::new();
        for n in 0..rng.below(60) {
            let row = if several { rng.below(20) as u32 } else { n as u32 };
            let distance = rng.below(30) as f64;
            let least = rows.entry(row).or_insert(distance);
            *least = least.min(distance);
            if best.accepts(distance) {
                best.offer(Near::new(distance, row));
            }
        }
        let mut wanted: Vec<(u32, f64)> = rows.into_iter().collect();
        wanted.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        wanted.truncate(k);
        assert_eq!(best.into_sorted(), wanted);
    }
}
