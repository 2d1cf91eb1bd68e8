//! Floats of few digits, and all others, as `%.15g` has them.

use proptest::prelude::*;

use super::{write_long, write_short};

fn short(number: f64) -> Option<String> {
    let mut text = String::new();
    write_short(number, &mut text).then_some(text)
}

fn long(number: f64) -> String {
    let mut text = String::new();
    write_long(number, &mut text);
    text
}

proptest! {
    #[test]
    fn few_digits_are_those_of_many(
        whole in -2_000_000_000_000_000_i64..2_000_000_000_000_000,
        by in 0_usize..6,
    ) {
        let number = whole as f64 / [1.0, 10.0, 100.0, 1000.0, 10_000.0, 1e9][by];
        if let Some(text) = short(number) {
            prop_assert_eq!(text, long(number));
        }
    }

    #[test]
    fn any_float(number in any::<f64>()) {
        if let Some(text) = short(number) {
            prop_assert_eq!(text, long(number));
        }
    }
}

#[test]
fn most_numbers_that_people_store_are_short() {
    for (number, text) in [
        (0.0, "0"),
        (-0.0, "-0"),
        (0.001, "0.001"),
        (-12.5, "-12.5"),
        (49.95, "49.95"),
        (1e11, "100000000000"),
        (999_999_999_999.999, "999999999999.999"),
    ] {
        assert_eq!(short(number).as_deref(), Some(text));
        assert_eq!(long(number), text);
    }
    assert_eq!(short(1.0 / 3.0), None);
    assert_eq!(short(1e15), None);
}
