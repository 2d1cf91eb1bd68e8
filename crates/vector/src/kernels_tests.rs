//! The vectorised sums against the plain ones, and these against sums of `f64`.

use base::Rng;

use super::*;
use crate::ELEMENTS;

fn blob(rng: &mut Rng, element: Element, dimension: usize) -> Vec<u8> {
    let number = |rng: &mut Rng| match element {
        Element::Int8 => rng.below(256) as f64 - 128.0,
        Element::Uint8 => rng.below(256) as f64,
        _ => rng.below(20_001) as f64 / 10_000.0 - 1.0,
    };
    let mut blob = Vec::new();
    element.write((0..dimension).map(|_| number(rng)), &mut blob);
    blob
}

#[test]
fn vectorised_plain_and_simple_sums_agree() {
    let mut rng = Rng::new(1);
    for element in ELEMENTS {
        for dimension in (0..=140).chain([768, 1000, 1536, 3001]) {
            let (a, b) = (blob(&mut rng, element, dimension), blob(&mut rng, element, dimension));
            let pairs: Vec<(f64, f64)> =
                element.read(&a).into_iter().zip(element.read(&b)).collect();
            for sum in [Sum::Dot, Sum::L2] {
                let exact: f64 = match sum {
                    Sum::Dot => pairs.iter().map(|(a, b)| a * b).sum(),
                    Sum::L2 => pairs.iter().map(|(a, b)| (a - b) * (a - b)).sum(),
                };
                let tolerance = match element {
                    Element::Int8 | Element::Uint8 => 0.0,
                    Element::Float64 => 1e-12 * (1 + dimension) as f64,
                    _ => 1e-6 * (1 + dimension) as f64,
                };
                for kernel in [Kernel::plain(element, sum), Kernel::new(element, sum)] {
                    // One byte further on, as memory has no alignment.
                    let (a, b) = ([&[0], &a[..]].concat(), [&[0], &b[..]].concat());
                    let got = kernel.run(&a[1..], &b[1..]);
                    assert!(
                        (got - exact).abs() <= tolerance,
                        "{element:?} {sum:?} {dimension}: {got}, not {exact}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_largest_bytes_do_not_overflow() {
    let dimension = 1 << 20;
    let (zeros, ones) = (vec![0; dimension], vec![255; dimension]);
    let lows = vec![0x80; dimension];
    let highs = vec![0x7f; dimension];
    for new in [Kernel::new, Kernel::plain] {
        let all = dimension as f64;
        assert_eq!(new(Element::Uint8, Sum::L2).run(&zeros, &ones), 65025.0 * all);
        assert_eq!(new(Element::Uint8, Sum::Dot).run(&ones, &ones), 65025.0 * all);
        assert_eq!(new(Element::Int8, Sum::L2).run(&lows, &highs), 65025.0 * all);
        assert_eq!(new(Element::Int8, Sum::Dot).run(&lows, &lows), 16384.0 * all);
    }
}

#[test]
fn special_values_and_unequal_lengths_are_summed() {
    for element in [Element::Float32, Element::Float64, Element::Float16, Element::Bfloat16] {
        let mut special = Vec::new();
        element.write((0..37).map(|n| if n == 36 { f64::NAN } else { 1.0 }), &mut special);
        let mut infinite = Vec::new();
        element.write((0..37).map(|n| if n == 3 { f64::INFINITY } else { 1.0 }), &mut infinite);
        for new in [Kernel::new, Kernel::plain] {
            assert!(new(element, Sum::L2).run(&special, &infinite).is_nan());
            assert_eq!(new(element, Sum::Dot).run(&infinite, &infinite), f64::INFINITY);
            let short = &infinite[..9 * element.size() + 1];
            assert_eq!(new(element, Sum::Dot).run(&special, short), f64::INFINITY);
            assert_eq!(new(element, Sum::L2).run(&special, &[]), 0.0);
        }
    }
}
