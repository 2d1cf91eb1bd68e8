//! Sorted sets against a sorted vector, through the change of form.

use std::collections::BTreeMap;

use base::Rng;
use proptest::prelude::*;

use super::*;

type Model = BTreeMap<Vec<u8>, f64>;

fn limits(entries: usize) -> PackLimits {
    PackLimits { zset_entries: entries, zset_value: 8, ..PackLimits::default() }
}

fn member() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        40 => prop::collection::vec(b'a'..b'e', 0..4),
        1 => Just(vec![b'x'; 9]),
    ]
}

fn score() -> impl Strategy<Value = f64> {
    prop_oneof![
        20 => (-4..4i8).prop_map(f64::from),
        1 => Just(0.5),
        1 => Just(f64::INFINITY),
        1 => Just(f64::NEG_INFINITY),
    ]
}

fn sorted(model: &Model) -> Vec<(&[u8], f64)> {
    let mut pairs: Vec<_> = model.iter().map(|(m, s)| (m.as_slice(), *s)).collect();
    pairs.sort_by(|a, b| order_of_scored((a.1, a.0), (b.1, b.0)));
    pairs
}

fn check(zset: &ZSet, model: &Model) {
    let pairs = sorted(model);
    assert_eq!((zset.len(), zset.iter().len()), (pairs.len(), pairs.len()));
    assert!(zset.iter().eq(pairs.iter().copied()));
    assert!(zset.iter().rev().eq(pairs.iter().rev().copied()));
    for (rank, (member, score)) in pairs.iter().enumerate() {
        assert_eq!(zset.score(member), Some(*score));
        assert_eq!(zset.rank(member), Some((rank, *score)));
        assert_eq!(zset.get(rank), Some((*member, *score)));
    }
    let (mut scanned, mut cursor) = (Model::new(), 0);
    loop {
        cursor = zset.scan(cursor, &mut |member, score| {
            scanned.insert(member.to_vec(), score);
        });
        if cursor == 0 {
            break;
        }
    }
    assert_eq!(&scanned, model);
    if let Shape::Large(large) = &zset.shape {
        large.tree.check();
        assert_eq!(large.table.len(), large.tree.len());
    }
}

fn check_scores(zset: &ZSet, model: &Model) {
    use ScoreBound::{Excluded, Included};
    let pairs = sorted(model);
    let bounds = [f64::NEG_INFINITY, -4.5, -1.0, 0.0, 0.5, 2.0, f64::INFINITY];
    for min in bounds.iter().flat_map(|b| [Included(*b), Excluded(*b)]) {
        for max in bounds.iter().flat_map(|b| [Included(*b), Excluded(*b)]) {
            let inside = |score: f64| !min.is_above(score) && max.reaches(score);
            let expected = pairs.iter().copied().filter(|pair| inside(pair.1));
            let ranks = zset.score_ranks(min, max);
            assert_eq!(ranks.len(), expected.clone().count(), "{min:?} {max:?}");
            assert!(zset.range(ranks).eq(expected));
        }
    }
}

proptest! {
    #[test]
    fn behaves_as_a_sorted_map(
        ops in prop::collection::vec((0..6u8, member(), score()), 0..150),
        entries in 0..20usize,
        cut in (any::<usize>(), any::<usize>()),
        seed in any::<u64>(),
    ) {
        let limits = limits(entries);
        let (mut zset, mut model) = (ZSet::default(), Model::new());
        let mut large = false;
        for (op, member, score) in ops {
            if op == 0 {
                prop_assert_eq!(zset.remove(&member), model.remove(&member));
            } else {
                let old = model.insert(member.clone(), score);
                large |= old.is_none() && (member.len() > 8 || model.len() > entries);
                prop_assert_eq!(zset.insert(&member, score, &limits), old);
            }
            prop_assert_eq!(zset.encoding(), if large { "skiplist" } else { "listpack" });
        }
        check(&zset, &model);
        check_scores(&zset, &model);
        let copy = zset.clone();
        check(&copy, &model);
        prop_assert_eq!(copy.encoding(), zset.encoding());
        let collected = ZSet::collect(model.iter().map(|(m, s)| (m.as_slice(), *s)), &limits);
        check(&collected, &model);

        let mut rng = Rng::new(seed);
        for count in [1, 3, 1000] {
            let drawn: Model =
                zset.random_distinct(count, &mut rng).iter().map(|p| (p.0.to_vec(), p.1)).collect();
            prop_assert_eq!(drawn.len(), count.min(model.len()));
            prop_assert!(drawn.iter().all(|(m, s)| model.get(m) == Some(s)));
        }
        let (start, end) = (cut.0 % (model.len() + 2), cut.1 % (model.len() + 2));
        let doomed: Vec<_> =
            sorted(&model).iter().take(end).skip(start).map(|p| p.0.to_vec()).collect();
        prop_assert_eq!(zset.remove_ranks(start..end), doomed.len());
        doomed.iter().for_each(|member| assert!(model.remove(member).is_some()));
        check(&zset, &model);
        while let Some((member, score)) = zset.pop_min() {
            prop_assert_eq!(model.remove(&member), Some(score));
            prop_assert!(model.values().all(|other| *other >= score));
            if let Some((member, score)) = zset.pop_max() {
                prop_assert_eq!(model.remove(&member), Some(score));
                prop_assert!(model.values().all(|other| *other <= score));
            }
        }
        prop_assert!(model.is_empty() && zset.random(&mut rng).is_none());
    }

    #[test]
    fn lex_ranges_agree(
        members in prop::collection::btree_set(member(), 0..60),
        bounds in prop::collection::vec((0..8u8, member()), 2),
        large in any::<bool>(),
    ) {
        use LexBound::{Excluded, First, Included, Last};
        let limits = limits(if large { 0 } else { 100 });
        let zset = ZSet::collect(members.iter().map(|m| (m.as_slice(), 1.0)), &limits);
        let bound = |i: usize| match &bounds[i] {
            (0, _) => First,
            (1, _) => Last,
            (2..5, member) => Included(member.as_slice()),
            (_, member) => Excluded(member.as_slice()),
        };
        let (min, max) = (bound(0), bound(1));
        let inside = |member: &[u8]| !min.is_above(member) && max.reaches(member);
        let expected: Vec<_> = members.iter().map(Vec::as_slice).filter(|m| inside(m)).collect();
        let ranks = zset.lex_ranks(min, max);
        prop_assert_eq!(ranks.len(), expected.len());
        prop_assert!(zset.range(ranks.clone()).map(|pair| pair.0).eq(expected));
        let rev = zset.lex_ranks_rev(min, max);
        prop_assert!(rev == ranks || (rev.is_empty() && ranks.is_empty()));
    }
}

#[test]
fn a_packed_zero_loses_its_sign() {
    let limits = PackLimits::default();
    let mut zset = ZSet::default();
    zset.insert(b"a", -0.0, &limits);
    assert!(zset.score(b"a").unwrap().is_sign_positive());
    zset.insert(&[b'x'; 65], 1.0, &limits);
    zset.insert(b"b", -0.0, &limits);
    assert!(zset.score(b"b").unwrap().is_sign_negative());
    zset.insert(b"b", 0.0, &limits);
    assert!(zset.score(b"b").unwrap().is_sign_negative(), "equal scores change nothing");
    assert_eq!(zset.rank(b"b"), Some((1, 0.0)));
}

#[test]
fn mixed_scores_are_ranged_as_redis_does() {
    use LexBound::{First, Included, Last};
    let limits = PackLimits::default();
    let pairs = [(&b"b"[..], 1.0), (b"d", 2.0), (b"a", 3.0), (b"c", 4.0)];
    let zset = ZSet::collect(pairs, &limits);
    // b d a c: up from the first that is not below, down from the last that is not above.
    assert_eq!(zset.lex_ranks(First, Included(b"c")), 0..1);
    assert_eq!(zset.lex_ranks_rev(First, Included(b"c")), 0..4);
    assert_eq!(zset.lex_ranks(Included(b"c"), Last), 1..4);
    assert_eq!(zset.lex_ranks_rev(Included(b"c"), Last), 3..4);
    assert!(zset.lex_ranks(Included(b"d"), Last).is_empty());
    assert!(zset.lex_ranks(Last, First).is_empty());
}

#[test]
fn only_new_members_change_the_form() {
    let pairs = [(&b"a"[..], 1.0), (b"b", 2.0), (b"c", 3.0)];
    let mut zset = ZSet::collect(pairs, &limits(3));
    zset.insert(b"a", 5.0, &limits(1));
    zset.update(b"new", &limits(1), |_| None);
    assert_eq!(zset.encoding(), "listpack");
    zset.insert(b"new", 5.0, &limits(1));
    assert_eq!(zset.encoding(), "skiplist");
}

#[test]
fn update_asks_before_it_changes() {
    let limits = PackLimits::default();
    for entries in [0, 10] {
        let limits = PackLimits { zset_entries: entries, ..limits };
        let mut zset = ZSet::default();
        assert_eq!(zset.update(b"m", &limits, |old| old.map(|_| 1.0)), None);
        assert!(zset.is_empty());
        assert_eq!(zset.update(b"m", &limits, |old| Some(old.unwrap_or(3.0))), None);
        assert_eq!(zset.update(b"m", &limits, |old| old.map(|old| old + 1.0)), Some(3.0));
        assert_eq!(zset.update(b"m", &limits, |_| None), Some(4.0));
        assert_eq!(zset.score(b"m"), Some(4.0));
    }
}
