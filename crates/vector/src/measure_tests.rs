//! Distances by hand: all metrics and elements, zero vectors, extremes.

use super::*;
use crate::{ELEMENTS, parse};

fn distance(element: Element, metric: Metric, a: &[f64], b: &[f64]) -> f64 {
    let measure = Measure::new(element, a.len(), metric);
    let stored =
        |numbers: &[f64]| measure.prepare(&parse(element, a.len(), numbers).unwrap()).unwrap();
    let ((a, a_norm), (b, b_norm)) = (stored(a), stored(b));
    measure.distance(Point { bytes: &a, norm: a_norm }, Point { bytes: &b, norm: b_norm })
}

#[test]
fn metrics_are_those_of_the_definition() {
    for element in ELEMENTS {
        let (a, b) = ([3.0, 4.0, 0.0], [4.0, 3.0, 12.0]);
        assert_eq!(distance(element, Metric::L2, &a, &b), 146.0);
        assert_eq!(distance(element, Metric::InnerProduct, &a, &b), -23.0);
        let cosine = distance(element, Metric::Cosine, &a, &b);
        let tolerance = if element == Element::Bfloat16 { 1e-2 } else { 1e-3 };
        assert!((cosine - (1.0 - 24.0 / 65.0)).abs() < tolerance, "{element:?}: {cosine}");
        assert_eq!(distance(element, Metric::Cosine, &[0.0; 3], &b), 1.0);
        assert_eq!(distance(element, Metric::Cosine, &[0.0; 3], &[0.0; 3]), 1.0);
        let same = distance(element, Metric::Cosine, &b, &b);
        assert!((0.0..tolerance).contains(&same), "{element:?}: {same}");
    }
}

#[test]
fn norms_of_extreme_numbers() {
    for scale in [1e-310, 1e-200, 1.0, 1e200, 1e307] {
        let (a, b) = ([scale, 0.0], [scale, scale]);
        let cosine = distance(Element::Float64, Metric::Cosine, &a, &b);
        assert!((cosine - (1.0 - 0.5_f64.sqrt())).abs() < 1e-9, "{scale}: {cosine}");
    }
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(distance(Element::Float32, Metric::Cosine, &[bad, 1.0], &[1.0, 1.0]).is_nan());
    }
}

#[test]
fn originals_are_restored() {
    for element in ELEMENTS {
        for metric in [Metric::L2, Metric::InnerProduct, Metric::Cosine] {
            let measure = Measure::new(element, 3, metric);
            for numbers in [[3.0, 4.0, 12.0], [0.0; 3]] {
                let blob = parse(element, 3, &numbers).unwrap();
                let (bytes, norm) = measure.prepare(&blob).unwrap();
                let back = element.read(&measure.restore(&bytes, norm));
                let close = |(a, b): (&f64, f64)| (a - b).abs() <= 0.01 * b;
                assert!(back.iter().zip(numbers).all(close), "{element:?}: {back:?}");
            }
            let wrong = WrongSize { given: 1, expected: 3 * element.size() };
            assert_eq!(measure.prepare(&[0]), Err(wrong));
        }
    }
}
