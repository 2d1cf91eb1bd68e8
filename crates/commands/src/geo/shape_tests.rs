//! Searches against looking at every member.

use base::{PackLimits, Rng};

use super::*;

fn anywhere(rng: &mut Rng, degrees: f64) -> f64 {
    (rng.below(2_000_001) as f64 / 1_000_000.0 - 1.0) * degrees
}

#[test]
fn nothing_in_a_small_shape_is_missed() {
    let mut rng = Rng::new(31);
    let limits = PackLimits::default();
    let mut zset = ZSet::default();
    for n in 0..3000 {
        let point =
            Point { longitude: anywhere(&mut rng, 12.0), latitude: anywhere(&mut rng, 60.0) };
        zset.insert(format!("m{n}").as_bytes(), point.score(), &limits);
    }
    for _ in 0..300 {
        let center =
            Point { longitude: anywhere(&mut rng, 10.0), latitude: anywhere(&mut rng, 55.0) };
        let size = rng.below(900) as f64;
        let extent = if rng.below(2) == 0 {
            Extent::Circle { radius: size }
        } else {
            Extent::Box { width: size, height: rng.below(900) as f64 }
        };
        let shape = Shape { center, extent, unit: 1000.0 };
        let mut found: Vec<&[u8]> = shape.search(&zset, None).iter().map(|f| f.member).collect();
        let origin = Origin::new(center);
        let inside = |score: f64| shape.distance(&origin, Point::of_score(score)).is_some();
        let mut wanted: Vec<&[u8]> =
            zset.iter().filter(|(_, score)| inside(*score)).map(|(member, _)| member).collect();
        found.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(found, wanted, "{shape:?}");
    }
}

#[test]
fn enough_is_enough() {
    let limits = PackLimits::default();
    let mut zset = ZSet::default();
    for n in 0..200_u32 {
        let point = Point { longitude: f64::from(n) / 1000.0, latitude: 0.0 };
        zset.insert(&n.to_le_bytes(), point.score(), &limits);
    }
    let extent = Extent::Circle { radius: 100.0 };
    let shape = Shape { center: Point::default(), extent, unit: 1000.0 };
    assert_eq!(shape.search(&zset, Some(7)).len(), 7);
    assert_eq!(shape.search(&zset, None).len(), 200);
}

#[test]
fn shapes_without_sense_end() {
    let limits = PackLimits::default();
    let mut zset = ZSet::default();
    for (n, score) in [-1.0, f64::INFINITY, f64::NEG_INFINITY, 1e300, 5.0, 1e16].iter().enumerate()
    {
        zset.insert(&[u8::try_from(n).unwrap()], *score, &limits);
    }
    let sizes = [0.0, 5e-324, 1.0, 1e300, f64::INFINITY, f64::MAX];
    for longitude in [-180.0, 0.0, 180.0] {
        for latitude in [-85.051_128_78, 0.0, 66.5, 85.051_128_78] {
            for size in sizes {
                for other in sizes {
                    let center = Point { longitude, latitude };
                    for unit in [1.0, 1609.34] {
                        let extent = Extent::Box { width: size, height: other };
                        Shape { center, extent, unit }.search(&zset, None);
                        let extent = Extent::Circle { radius: size };
                        Shape { center, extent, unit }.search(&zset, None);
                    }
                }
            }
        }
    }
}
