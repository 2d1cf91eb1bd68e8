//! Values of two trees under a root: forked, adopted, dropped, read as versions, all at random,
//! against maps.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use base::{Rng, Version, Versions};
use testkit::seed;

use crate::{Block, Ledger, Root, Tree};

#[derive(Clone, Debug, PartialEq)]
struct Text(Vec<u8>);

impl Block for Text {
    fn memory(&self) -> usize {
        self.0.capacity()
    }
}

#[derive(Clone, Default)]
struct Parts {
    trees: [Tree<Text>; 2],
    name: Vec<u8>,
}

impl Block for Parts {
    fn memory(&self) -> usize {
        self.name.capacity()
    }
}

type Model = [BTreeMap<usize, Text>; 2];

struct Value {
    root: Root<Parts>,
    ledger: Ledger,
}

impl Value {
    fn new() -> Self {
        let mut ledger = Ledger::default();
        let root = Root::new(Parts::default(), &mut ledger);
        Value { root, ledger }
    }

    fn fork(&self, versions: &Arc<Versions>) -> Value {
        Value { root: self.root.clone(), ledger: self.ledger.fork(versions) }
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        self.root.leave_whole(&self.ledger, |parts, versions, held| {
            parts.trees.iter().for_each(|tree| tree.leave_whole(versions, held));
        });
    }
}

fn number(rng: &mut Rng) -> usize {
    match rng.below(3) {
        0 => rng.below(20),
        1 => rng.below(2000),
        _ => 40_000 + rng.below(40),
    }
}

fn step(value: &mut Value, model: &mut Model, rng: &mut Rng) {
    let (which, at) = (rng.below(2), number(rng));
    let new = Text(vec![rng.below(256) as u8; rng.below(40)]);
    let map = &mut model[which];
    match rng.below(6) {
        0..=2 => {
            value.root.edit(&mut value.ledger, |parts, ledger| {
                parts.trees[which].put(ledger, at, new.clone());
            });
            map.insert(at, new);
        }
        3 => {
            let edited = value.root.edit(&mut value.ledger, |parts, ledger| {
                parts.trees[which].edit(ledger, at, |block| block.0.clone_from(&new.0))
            });
            assert_eq!(edited.is_some(), map.contains_key(&at));
            if let Some(old) = map.get_mut(&at) {
                *old = new;
            }
        }
        4 => {
            value.root.edit(&mut value.ledger, |parts, ledger| {
                parts.trees[which].remove(ledger, at);
            });
            map.remove(&at);
        }
        _ => {
            let length = rng.below(100);
            value.root.edit(&mut value.ledger, |parts, _| parts.name = vec![0; length]);
        }
    }
}

fn same(parts: &Parts, model: &Model) {
    for (tree, map) in parts.trees.iter().zip(model) {
        assert!(tree.iter().eq(map.values()));
        for (&at, block) in map {
            assert_eq!(tree.get(at), Some(block));
        }
    }
}

/// What is alive is what is counted: by the value, the fork and what versions keep. The few bytes
/// that lists of tests and ledgers take are not.
fn counted(start: isize, slack: usize, bytes: usize) {
    let there = usize::try_from(testkit::scale::alive() - start).unwrap();
    let (least, most) = (there.saturating_sub(slack), there + there / 4 + 64);
    assert!((least..=most).contains(&bytes), "{bytes} counted, {there} there, {slack} slack");
}

#[test]
fn a_fork_takes_the_values_place_or_leaves_no_trace() {
    let mut rng = seed::rng();
    for _ in 0..seed::setting("KVIST_ROUNDS", 12) {
        let versions = Arc::new(Versions::default());
        {
            let (mut value, mut model) = (Value::new(), Model::default());
            let mut kept: Vec<(Root<Parts>, Model)> = Vec::new();
            for _ in 0..60 {
                (0..rng.below(60)).for_each(|_| step(&mut value, &mut model, &mut rng));
                if rng.below(4) == 0 {
                    value.ledger.share(&versions);
                    kept.push((value.root.clone(), model.clone()));
                }
                let (mut fork, mut changed) = (value.fork(&versions), model.clone());
                let (before, bytes) = (versions.kept(), value.ledger.bytes());
                (0..rng.below(200)).for_each(|_| step(&mut fork, &mut changed, &mut rng));
                same(fork.root.get(), &changed);
                same(value.root.get(), &model);
                assert_eq!((versions.kept(), value.ledger.bytes()), (before, bytes));
                if rng.below(3) > 0 {
                    let added = fork.ledger.added();
                    let whole = value.ledger.bytes() + versions.kept() + added;
                    value.root = fork.root.clone();
                    let left = value.ledger.adopt(std::mem::take(&mut fork.ledger));
                    assert_eq!(value.ledger.bytes() + versions.kept(), whole);
                    drop(fork);
                    drop(left);
                    model = changed;
                } else {
                    drop(fork);
                }
                if kept.len() > 4 {
                    let at = rng.below(kept.len());
                    let (root, then) = kept.swap_remove(at);
                    same(root.get(), &then);
                }
                if kept.is_empty() {
                    assert_eq!(versions.kept(), 0);
                }
            }
            same(value.root.get(), &model);
            if rng.below(2) == 0 {
                drop(value);
                kept.iter().for_each(|(root, then)| same(root.get(), then));
            } else {
                drop(kept);
                assert_eq!(versions.kept(), 0);
            }
        }
        assert_eq!(versions.kept(), 0);
    }
}

#[test]
fn what_forks_add_and_leave_is_what_is_there() {
    let mut rng = seed::rng();
    let versions = Arc::new(Versions::default());
    let start = testkit::scale::alive();
    let mut value = Value::new();
    for at in 0..5000 {
        value.root.edit(&mut value.ledger, |parts, ledger| {
            parts.trees[0].put(ledger, at, Text(vec![1; 48]));
        });
    }
    counted(start, 0, value.ledger.bytes());
    let version = value.root.clone();
    let mut fork = value.fork(&versions);
    for _ in 0..2000 {
        let at = rng.below(5000);
        fork.root.edit(&mut fork.ledger, |parts, ledger| {
            parts.trees[0].edit(ledger, at, |block| block.0 = vec![2; 100]);
        });
    }
    // The list of what the fork has left: 24 bytes a node, doubled as it grows.
    let list = 4 * 24 * 2000;
    counted(start, list, value.ledger.bytes() + fork.ledger.added());
    value.root = fork.root.clone();
    drop(value.ledger.adopt(std::mem::take(&mut fork.ledger)));
    drop(fork);
    counted(start, 0, value.ledger.bytes() + versions.kept());
    assert!(versions.kept() > 1000 * 48);
    drop(version);
    assert_eq!(versions.kept(), 0);
    counted(start, 0, value.ledger.bytes());
    drop(value);
    assert_eq!(testkit::scale::alive(), start);
}

/// A value that is removed while a fork of it is written: the fork holds what it shares.
#[test]
fn a_fork_outlives_its_value() {
    let versions = Arc::new(Versions::default());
    let (mut value, mut model) = (Value::new(), Model::default());
    let mut rng = seed::rng();
    (0..500).for_each(|_| step(&mut value, &mut model, &mut rng));
    let mut fork = value.fork(&versions);
    drop(value);
    assert!(versions.kept() > 0);
    (0..500).for_each(|_| step(&mut fork, &mut model, &mut rng));
    same(fork.root.get(), &model);
    drop(fork);
    assert_eq!(versions.kept(), 0);
}

/// A block that says, when it goes, what versions keep then.
#[derive(Clone, Default)]
struct Witness(Option<(Arc<Versions>, Arc<AtomicUsize>)>);

impl Block for Witness {
    fn memory(&self) -> usize {
        0
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        if let Some((versions, kept)) = &self.0 {
            kept.fetch_max(versions.kept(), Ordering::Relaxed);
        }
    }
}

/// What a fork has left counts as a whole until it is told apart, and no part of it beside that.
#[test]
fn what_a_fork_has_left_counts_once_while_it_is_told_apart() {
    let versions = Arc::new(Versions::default());
    let mut ledger = Ledger::default();
    let mut tree = Tree::default();
    (0..100).for_each(|at| {
        tree.put(&mut ledger, at, Witness::default());
    });
    ledger.share(&versions);
    let version = tree.clone();
    // This block is no version's: it is freed behind all that versions are charged for.
    let kept = Arc::new(AtomicUsize::new(0));
    let witness = Witness(Some((Arc::clone(&versions), Arc::clone(&kept))));
    tree.edit(&mut ledger, 99, |block| *block = witness.clone());
    let (mut fork, mut of_fork) = (tree.clone(), ledger.fork(&versions));
    (0..100).for_each(|at| {
        fork.edit(&mut of_fork, at, |block| *block = Witness::default());
    });
    tree = fork;
    let left = ledger.adopt(of_fork);
    let whole = versions.kept();
    drop(witness);
    kept.store(0, Ordering::Relaxed);
    drop(left);
    let there = kept.load(Ordering::Relaxed);
    assert!(there > 0 && there <= whole, "{there} of {whole}");
    assert!(versions.kept() < whole);
    drop((version, tree));
    assert_eq!(versions.kept(), 0);
}

/// Which version is given up depends on the value of which most is kept: one that is forked, or of
/// which there are several versions, has one account all the same.
#[test]
fn a_forked_value_has_one_account_of_its_own() {
    let versions = Arc::new(Versions::default());
    let (mut little, mut much) = (Value::new(), Value::new());
    for value in [&mut little, &mut much] {
        value.root.edit(&mut value.ledger, |parts, ledger| {
            (0..100).for_each(|at| parts.trees[0].put(ledger, at, Text(vec![1; 48])));
        });
        let fork = value.fork(&versions);
        drop(fork);
    }
    let version = |value: &Value| {
        let freeze = |versions: &Arc<Versions>| {
            value.ledger.share(versions);
            value.root.clone()
        };
        Version::new(&versions, freeze).ok()
    };
    let (of_little, first, second) = (version(&little), version(&much), version(&much));
    for read in [&of_little, &second].into_iter().flatten() {
        versions.begin_to_read(read.place());
    }
    for (value, blocks) in [(&mut little, 1), (&mut much, 100)] {
        value.root.edit(&mut value.ledger, |parts, ledger| {
            (0..blocks).for_each(|at| {
                parts.trees[0].edit(ledger, at, |block| block.0 = vec![2; 48]);
            });
        });
    }
    versions.set_most(1);
    let given_up = |version: &Option<Version<Root<Parts>>>| {
        version.as_ref().map(|v| versions.gives_up(v.number()))
    };
    assert_eq!((given_up(&of_little), given_up(&second)), (Some(false), Some(true)));
    drop((of_little, first, second));
}
