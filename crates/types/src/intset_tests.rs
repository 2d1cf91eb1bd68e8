//! Integer sets against a `BTreeSet`.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn value() -> impl Strategy<Value = i64> {
    prop_oneof![
        8 => -20..20i64,
        2 => (i64::from(i16::MAX) - 2)..(i64::from(i16::MAX) + 3),
        1 => (i64::from(i32::MIN) - 2)..(i64::from(i32::MIN) + 3),
        1 => prop_oneof![Just(i64::MIN), Just(i64::MAX)],
    ]
}

proptest! {
    #[test]
    fn behaves_as_a_set(ops in prop::collection::vec((any::<bool>(), value()), 0..200)) {
        let (mut ints, mut model) = (IntSet::default(), BTreeSet::new());
        for (add, value) in ops {
            if add {
                prop_assert_eq!(ints.insert(value), model.insert(value));
            } else {
                prop_assert_eq!(ints.remove(value), model.remove(&value));
            }
            prop_assert_eq!(ints.contains(value), add);
        }
        for ints in [&ints, &ints.clone()] {
            prop_assert_eq!(ints.len(), model.len());
            prop_assert!((0..ints.len()).map_while(|i| ints.get(i)).eq(model.iter().copied()));
            prop_assert_eq!(ints.get(ints.len()), None);
            prop_assert!(ints.memory() <= 2 * (8 * ints.len() + 32));
        }
    }
}

#[test]
fn members_are_as_wide_as_the_widest_needs() {
    let mut ints = IntSet::default();
    for value in 0..64 {
        ints.insert(value);
    }
    assert_eq!(ints.memory(), 160);
    ints.insert(40_000);
    assert_eq!(ints.memory(), 320);
    ints.insert(1 << 40);
    assert_eq!(ints.memory(), 640);
}
