//! Sets against a `BTreeSet`, through the changes of form.

use std::collections::BTreeSet;

use base::Rng;
use proptest::prelude::*;

use super::*;

type Model = BTreeSet<Vec<u8>>;

fn limits(entries: usize) -> PackLimits {
    PackLimits { set_intset_entries: entries, ..PackLimits::default() }
}

fn member(text: bool) -> impl Strategy<Value = Vec<u8>> {
    let weight = u32::from(text);
    prop_oneof![
        20 => (-30..30i64).prop_map(|n| n.to_string().into_bytes()),
        1 => any::<i64>().prop_map(|n| n.to_string().into_bytes()),
        8 * weight => (0..200u16).prop_map(|n| format!("m{n}").into_bytes()),
        weight => Just(b"-0".to_vec()),
        weight => Just(b"01".to_vec()),
        weight => Just(vec![b'z'; 65]),
    ]
}

fn ops() -> impl Strategy<Value = Vec<(bool, Vec<u8>)>> {
    any::<bool>().prop_flat_map(|text| {
        prop::collection::vec((prop::bool::weighted(0.75), member(text)), 0..200)
    })
}

fn check(set: &Set, model: &Model) {
    assert_eq!((set.len(), set.iter().len()), (model.len(), model.len()));
    let all: Model = set.iter().map(Member::to_vec).collect();
    assert_eq!(&all, model);
    assert!(set.iter().all(|member| set.contains_member(member)));
    assert!(model.iter().all(|member| set.contains(member)));
    let (mut scanned, mut cursor) = (Model::new(), 0);
    loop {
        cursor = set.scan(cursor, &mut |member| {
            scanned.insert(member.to_vec());
        });
        if cursor == 0 {
            break;
        }
    }
    assert_eq!(&scanned, model);
}

proptest! {
    #[test]
    fn behaves_as_a_set(ops in ops(), most in 0..40usize, seed in any::<u64>()) {
        let limits = limits(most);
        let (mut set, mut model) = (Set::default(), Model::new());
        let mut ints = true;
        for (add, member) in ops {
            if add {
                ints &= parse_i64(&member).is_some();
                prop_assert_eq!(set.add(&member, &limits), model.insert(member));
                ints &= model.len() <= most;
            } else {
                prop_assert_eq!(set.remove(&member), model.remove(&member));
            }
            prop_assert_eq!(set.encoding(), if ints { "intset" } else { "hashtable" });
        }
        check(&set, &model);
        let copy = set.clone();
        check(&copy, &model);
        prop_assert_eq!(copy.encoding(), set.encoding());
        let mut other = Set::default();
        for member in set.iter() {
            prop_assert!(other.add_member(member, &limits));
            prop_assert!(!other.add_member(member, &limits));
        }
        check(&other, &model);

        let mut rng = Rng::new(seed);
        for count in [1, 3, 10, 1000] {
            let drawn = set.random_distinct(count, &mut rng);
            let distinct: Model = drawn.iter().map(|member| member.to_vec()).collect();
            prop_assert_eq!(distinct.len(), count.min(model.len()));
            prop_assert!(distinct.is_subset(&model));
        }
        for count in [1, 3, model.len().saturating_sub(2), 1000] {
            let popped: Model = set.pop_many(count, &mut rng, &limits).into_iter().collect();
            prop_assert_eq!(popped.len(), count.min(model.len()));
            prop_assert!(popped.iter().all(|member| model.remove(member)));
            check(&set, &model);
        }
        prop_assert!(set.pop(&mut rng).is_none());
    }
}

#[test]
fn integers_come_in_order() {
    let limits = PackLimits::default();
    let set = Set::collect([&b"10"[..], b"-1", b"9", b"70000"], &limits);
    let texts: Vec<_> = set.iter().map(Member::to_vec).collect();
    assert_eq!(texts, [&b"-1"[..], b"9", b"10", b"70000"]);
    assert_eq!(&*Member::Int(i64::MIN).text(), b"-9223372036854775808");
}

#[test]
fn what_stays_after_many_pops_may_be_integers_again() {
    let limits = PackLimits::default();
    let mut set = Set::collect([&b"1"[..], b"2", b"3", b"4", b"5", b"6", b"7", b"x"], &limits);
    set.remove(b"x");
    assert_eq!(set.encoding(), "hashtable");
    let mut rng = Rng::new(3);
    set.pop_many(1, &mut rng, &limits);
    assert_eq!(set.encoding(), "hashtable");
    set.pop_many(5, &mut rng, &limits);
    assert_eq!(set.encoding(), "intset");
}

#[test]
fn a_large_set_takes_little_memory() {
    let limits = PackLimits::default();
    let mut set = Set::default();
    for i in 0..10_000 {
        set.add(format!("member:{i:09}").as_bytes(), &limits);
    }
    assert!(set.memory() < 10_000 * 48, "{}", set.memory());
    assert_eq!(set.free_effort(), 10_000);
}
