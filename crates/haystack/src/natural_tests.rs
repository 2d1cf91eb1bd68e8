//! The natural order, and that it is one.

use super::*;

#[test]
fn digits_at_the_end_are_a_number() {
    let sorted =
        ["", "2", "10", "A", "a", "a2", "a10", "A11", "a 2", "Foo-2", "foo-2", "Foo-010", "Foo-1x"];
    let mut mixed = sorted;
    mixed.reverse();
    mixed.sort_by(|a, b| compare(a, b));
    assert_eq!(mixed, sorted);
    assert_eq!(compare("x99999999999999999999", "x100000000000000000000"), Ordering::Less);
    assert_eq!(compare("x01", "x1").reverse(), compare("x1", "x01"));
}

#[test]
fn it_is_a_total_order() {
    let mut rng = testkit::seed::rng();
    let text = |rng: &mut base::Rng| -> String {
        (0..rng.below(5)).map(|_| ['a', 'B', '0', '1', '2', 'x', 'É'][rng.below(7)]).collect()
    };
    for _ in 0..200 {
        let texts: Vec<String> = (0..20).map(|_| text(&mut rng)).collect();
        for a in &texts {
            for b in &texts {
                assert_eq!(compare(a, b), compare(b, a).reverse());
                for c in &texts {
                    if compare(a, b).is_le() && compare(b, c).is_le() {
                        assert!(compare(a, c).is_le(), "{a} {b} {c}");
                    }
                }
            }
        }
    }
}
