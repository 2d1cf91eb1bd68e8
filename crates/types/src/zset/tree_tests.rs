//! The tree against a `BTreeSet`, with nodes small enough to make it high.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

type Model = BTreeSet<(i8, Vec<u8>)>;

#[derive(Clone, Debug)]
enum Op {
    Insert(i8, Vec<u8>),
    Remove(usize),
    Rescore(usize, i8),
    RemoveRanks(usize, usize),
}

fn member() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        30 => prop::collection::vec(b'a'..b'f', 0..5),
        1 => (200..800usize, any::<u8>()).prop_map(|(n, last)| {
            let mut long = vec![b'p'; n];
            long.push(last);
            long
        }),
    ]
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        30 => (-3..3i8, member()).prop_map(|(score, member)| Op::Insert(score, member)),
        8 => any::<usize>().prop_map(Op::Remove),
        8 => (any::<usize>(), -4..4i8).prop_map(|(i, score)| Op::Rescore(i, score)),
        1 => (any::<usize>(), 0..60usize).prop_map(|(i, n)| Op::RemoveRanks(i, n)),
    ]
}

fn nth(model: &Model, i: usize) -> Option<(i8, Vec<u8>)> {
    if model.is_empty() { None } else { model.iter().nth(i % model.len()).cloned() }
}

fn check(tree: &Tree, model: &Model) {
    tree.check();
    assert_eq!(tree.len(), model.len());
    let expected = || model.iter().map(|(score, member)| (f64::from(*score), member.as_slice()));
    assert!(tree.iter(0..tree.len()).eq(expected()));
    assert!(tree.iter(0..tree.len()).rev().eq(expected().rev()));
}

fn apply(tree: &mut Tree, model: &mut Model, op: Op) {
    match op {
        Op::Insert(score, member) => {
            if model.insert((score, member.clone())) {
                tree.insert((f64::from(score), &member));
            }
        }
        Op::Remove(i) => {
            if let Some((score, member)) = nth(model, i) {
                tree.remove((f64::from(score), &member));
                model.remove(&(score, member));
            }
        }
        Op::Rescore(i, new) => {
            if let Some((score, member)) = nth(model, i)
                && model.insert((new, member.clone()))
            {
                model.remove(&(score, member.clone()));
                tree.rescore((f64::from(score), &member), f64::from(new));
            }
        }
        Op::RemoveRanks(i, n) => {
            let start = i % (model.len() + 1);
            let doomed: Vec<_> = model.iter().skip(start).take(n).cloned().collect();
            let mut seen = Vec::new();
            tree.remove_ranks(start..start + n, &mut |(score, member)| {
                seen.push((score, member.to_vec()));
            });
            assert!(
                seen.iter()
                    .map(|(s, m)| (*s, m))
                    .eq(doomed.iter().map(|(s, m)| (f64::from(*s), m)))
            );
            doomed.iter().for_each(|pair| assert!(model.remove(pair)));
        }
    }
}

proptest! {
    #[test]
    fn behaves_as_an_ordered_set(ops in prop::collection::vec(op(), 0..400)) {
        let (mut tree, mut model) = (Tree::default(), Model::new());
        for op in ops {
            apply(&mut tree, &mut model, op);
            tree.check();
        }
        check(&tree, &model);
        for (rank, (score, member)) in model.iter().enumerate() {
            let pair = (f64::from(*score), member.as_slice());
            prop_assert_eq!(tree.rank(pair), rank);
            prop_assert_eq!(tree.get(rank), Some(pair));
        }
        prop_assert_eq!(tree.get(model.len()), None);
        for bound in -4..5i8 {
            let below = tree.partition(|run, i| run.score(i) < f64::from(bound));
            prop_assert_eq!(below, model.range(..(bound, Vec::new())).count());
        }
        let len = model.len();
        for (start, end) in [(0, len / 2), (len / 3, len), (len / 4, len / 4 * 3)] {
            let mut both = tree.iter(start..end);
            let (mut front, mut back) = (Vec::new(), Vec::new());
            while let Some(pair) = both.next() {
                front.push(pair);
                back.extend(both.next_back());
            }
            front.extend(back.into_iter().rev());
            let expected = model.iter().skip(start).take(end - start);
            let expected = expected.map(|(s, m)| (f64::from(*s), m.as_slice()));
            prop_assert!(front.into_iter().eq(expected));
        }
        let rebuilt = Tree::build(tree.iter(0..len));
        check(&rebuilt, &model);
        // Down to nothing again.
        while !model.is_empty() {
            apply(&mut tree, &mut model, Op::Remove(17));
            tree.check();
        }
        prop_assert_eq!(tree.memory(), 0);
    }
}

#[test]
fn loading_in_order_fills_the_nodes() {
    for descending in [false, true] {
        let mut tree = Tree::default();
        for i in 0..5000u32 {
            let i = if descending { 5000 - i } else { i };
            tree.insert((f64::from(i), b"m"));
        }
        tree.check();
        let whole = tree.memory();
        tree = Tree::build(tree.iter(0..5000));
        assert!(whole < tree.memory() * 5 / 4, "{whole} against {}", tree.memory());
    }
}

#[test]
fn emptying_from_either_end_keeps_the_tree_tidy() {
    for last in [false, true] {
        let mut tree = Tree::default();
        for i in 0..3000u32 {
            tree.insert((f64::from(i % 7), &i.to_be_bytes()));
        }
        while tree.len() > 0 {
            let rank = if last { tree.len() - 1 } else { 0 };
            tree.remove_ranks(rank..rank + 1, &mut |_| {});
            if tree.len() % 100 == 0 {
                tree.check();
            }
        }
        assert_eq!(tree.memory(), 0);
    }
}
