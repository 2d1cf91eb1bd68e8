//! The tree against a `BTreeMap`, with nodes small enough to make it high: every layout, alone and
//! with versions that live and die at random.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::Bound;
use std::sync::Arc;

use base::{Rng, Version, Versions};
use testkit::scale::{Scale, alive};
use testkit::seed;

use crate::hold::{Held, Hold, Shared};
use crate::node::Node;
use crate::{Cursor, Fixed, Frozen, Layout, Scored, SharedTree, Strings, Text, Tree, View};

#[global_allocator]
static SCALE: Scale = Scale;

/// A layout whose elements can be drawn and kept in a `BTreeMap`.
trait Sample: Layout {
    /// An element that is ordered as the layout orders it.
    type Key: Ord + Clone + Debug;
    fn draw(rng: &mut Rng) -> Self::Key;
    fn as_item(key: &Self::Key) -> Self::Item<'_>;
    fn key(item: Self::Item<'_>) -> Self::Key;
}

impl Sample for Fixed<(u64, u32)> {
    type Key = (u64, u32);

    fn draw(rng: &mut Rng) -> Self::Key {
        (rng.below(40) as u64, rng.below(30) as u32)
    }

    fn as_item(key: &Self::Key) -> (u64, u32) {
        *key
    }

    fn key(item: (u64, u32)) -> Self::Key {
        item
    }
}

fn bytes(rng: &mut Rng) -> Vec<u8> {
    match rng.below(40) {
        0 => [vec![b'p'; rng.below(800)], vec![rng.below(256) as u8]].concat(),
        1..=15 => format!("key:{:05}", rng.below(600)).into_bytes(),
        _ => (0..rng.below(5)).map(|_| b'a' + rng.below(5) as u8).collect(),
    }
}

impl Sample for Scored {
    type Key = (i8, Vec<u8>);

    fn draw(rng: &mut Rng) -> Self::Key {
        (rng.below(6) as i8 - 3, bytes(rng))
    }

    fn as_item((score, member): &Self::Key) -> (f64, &[u8]) {
        (f64::from(*score), member)
    }

    fn key((score, member): (f64, &[u8])) -> Self::Key {
        (score as i8, member.to_vec())
    }
}

impl Sample for Strings {
    type Key = Vec<u8>;

    fn draw(rng: &mut Rng) -> Self::Key {
        bytes(rng)
    }

    fn as_item(key: &Self::Key) -> Text<'_> {
        key[..].into()
    }

    fn key(item: Text<'_>) -> Self::Key {
        item.to_vec()
    }
}

/// Which elements there are.
type Model<L> = BTreeMap<<L as Sample>::Key, ()>;

fn nth<L: Sample>(model: &Model<L>, number: usize) -> Option<L::Key> {
    if model.is_empty() { None } else { model.keys().nth(number % model.len()).cloned() }
}

fn same<L: Sample, H: Hold>(view: &View<L, H>, model: &Model<L>) {
    assert_eq!(view.len(), model.len());
    assert!(view.iter(0..view.len()).map(L::key).eq(model.keys().cloned()));
    assert!(view.iter(0..view.len()).rev().map(L::key).eq(model.keys().rev().cloned()));
}

fn removes_ranks<L: Sample, H: Hold>(tree: &mut Tree<L, H>, model: &mut Model<L>, rng: &mut Rng) {
    let start = rng.below(model.len() + 1);
    let count = if rng.below(20) == 0 { model.len() } else { rng.below(60) };
    let doomed: Vec<L::Key> = model.keys().skip(start).take(count).cloned().collect();
    let mut seen = Vec::new();
    tree.remove_ranks(start..start.saturating_add(count), &mut |item| seen.push(L::key(item)));
    assert_eq!(seen, doomed);
    doomed.iter().for_each(|key| assert!(model.remove(key).is_some()));
}

fn applies<L: Sample, H: Hold>(tree: &mut Tree<L, H>, model: &mut Model<L>, rng: &mut Rng) {
    let drawn: BTreeMap<L::Key, bool> = (0..rng.below(60))
        .map(|_| match nth::<L>(model, rng.below(1000)).filter(|_| rng.below(2) == 0) {
            Some(key) => (key, rng.below(4) == 0),
            None => (L::draw(rng), rng.below(4) > 0),
        })
        .collect();
    let mut changes: Vec<(L::Item<'_>, bool)> =
        drawn.iter().map(|(key, is_there)| (L::as_item(key), *is_there)).collect();
    if rng.below(8) == 0 {
        changes.reverse();
    }
    tree.apply(&changes);
    for (key, is_there) in drawn.clone() {
        if is_there {
            model.insert(key, ());
        } else {
            model.remove(&key);
        }
    }
}

/// One step on the tree and on the model; `grows`: more comes than goes.
fn step<L: Sample, H: Hold>(
    tree: &mut Tree<L, H>,
    model: &mut Model<L>,
    rng: &mut Rng,
    grows: bool,
) {
    match rng.below(if grows { 60 } else { 100 }) {
        0..=39 => {
            let key = L::draw(rng);
            assert_eq!(tree.insert(L::as_item(&key)), model.insert(key.clone(), ()).is_none());
        }
        40..=49 => {
            let (Some(old), new) = (nth::<L>(model, rng.below(1000)), L::draw(rng)) else { return };
            if !model.contains_key(&new) {
                assert!(tree.replace(L::as_item(&old), L::as_item(&new)));
                model.remove(&old);
                model.insert(new, ());
            }
        }
        50..=54 => applies(tree, model, rng),
        55 | 56 => removes_ranks(tree, model, rng),
        57..=59 => {
            let key = L::draw(rng);
            assert_eq!(tree.remove(L::as_item(&key)), model.remove(&key).is_some());
        }
        _ => {
            let Some(key) = nth::<L>(model, rng.below(1000)) else { return };
            assert!(tree.remove(L::as_item(&key)) && model.remove(&key).is_some());
        }
    }
}

/// All questions that a tree answers.
fn answers<L: Sample, H: Hold>(tree: &Tree<L, H>, model: &Model<L>, rng: &mut Rng) {
    tree.check();
    same(tree, model);
    for (rank, key) in model.keys().enumerate() {
        assert_eq!(
            (tree.rank(L::as_item(key)), tree.rank_behind(L::as_item(key))),
            (rank, rank + 1)
        );
        assert_eq!(tree.get(rank).map(L::key).as_ref(), Some(key));
        let pivot = L::as_item(key);
        assert_eq!(tree.partition(|node, at| node.order_to(at, pivot).is_lt()), rank);
    }
    assert!(tree.get(model.len()).is_none());
    for _ in 0..20 {
        let (one, other) = (L::draw(rng), L::draw(rng));
        let (low, high) = (one.clone().min(other.clone()), one.clone().max(other));
        assert_eq!(tree.contains(L::as_item(&low)), model.contains_key(&low));
        let ranks =
            tree.ranks(Bound::Excluded(L::as_item(&low)), Bound::Included(L::as_item(&high)));
        let wanted = model.range((Bound::Excluded(&low), Bound::Included(&high)));
        if low < high {
            assert!(tree.iter(ranks).map(L::key).eq(wanted.map(|(key, ())| key.clone())));
        }
        let cursor = Cursor::<L>::beyond(L::as_item(&one), false);
        let behind: Vec<L::Key> = model
            .range((Bound::Excluded(&one), Bound::Unbounded))
            .map(|(k, ())| k.clone())
            .collect();
        assert_eq!(read_all(cursor, tree), behind);
        let cursor = Cursor::<L>::beyond(L::as_item(&one), true);
        let before: Vec<L::Key> = model.range(..one).rev().map(|(key, ())| key.clone()).collect();
        assert_eq!(read_all(cursor, tree), before);
    }
    from_both_ends(tree, model);
    let copy = tree.clone();
    copy.check();
    same(&copy, model);
}

fn read_all<L: Sample, H: Hold>(mut cursor: Cursor<L>, tree: &Tree<L, H>) -> Vec<L::Key> {
    let mut read = Vec::new();
    while cursor.read(tree, 7, |item| read.push(L::key(item))) {}
    read
}

fn from_both_ends<L: Sample, H: Hold>(tree: &Tree<L, H>, model: &Model<L>) {
    let len = model.len();
    for (start, end) in [(0, len / 2), (len / 3, len), (len / 4, len / 4 * 3)] {
        let mut both = tree.iter(start..end);
        let (mut front, mut back) = (Vec::new(), Vec::new());
        while let Some(item) = both.next() {
            front.push(L::key(item));
            back.extend(both.next_back().map(L::key));
        }
        front.extend(back.into_iter().rev());
        assert!(front.iter().eq(model.keys().skip(start).take(end - start)));
    }
}

fn against_a_map<L: Sample, H: Hold>() {
    let mut rng = seed::rng();
    for _ in 0..seed::setting("KVIST_ROUNDS", 12) {
        let before = alive();
        {
            let (mut tree, mut model) = (Tree::<L, H>::default(), Model::<L>::new());
            let phase = 1 + rng.below(500);
            for number in 0..2 * phase {
                step(&mut tree, &mut model, &mut rng, number < phase);
                tree.check();
                if number % 97 == 0 {
                    answers(&tree, &model, &mut rng);
                }
            }
            answers(&tree, &model, &mut rng);
            // Down to nothing again, in steps.
            let left = tree.len();
            let steps = (0..).take_while(|_| tree.free_some(10)).count();
            assert_eq!(steps, left.saturating_sub(1) / 10);
            tree.check();
            assert_eq!(tree.memory(), Tree::<L, H>::default().memory());
        }
        assert_eq!(alive(), before, "something is left behind");
    }
}

#[test]
fn numbers_are_an_ordered_set() {
    against_a_map::<Fixed<(u64, u32)>, crate::Alone>();
    against_a_map::<Fixed<(u64, u32)>, Shared>();
}

#[test]
fn scores_and_members_are_an_ordered_set() {
    against_a_map::<Scored, crate::Alone>();
    against_a_map::<Scored, Shared>();
}

#[test]
fn strings_are_an_ordered_set() {
    against_a_map::<Strings, crate::Alone>();
    against_a_map::<Strings, Shared>();
}

/// The nodes below one, by where they lie, and what each takes.
fn nodes<L: Layout>(node: &Node<L, Shared>, found: &mut BTreeMap<usize, usize>) {
    match node {
        Node::Leaf(leaf) => {
            found.insert(std::ptr::from_ref(Held::get(leaf)).addr(), node.memory());
        }
        Node::Inner(inner) => {
            let inner = Held::get(inner);
            found.insert(std::ptr::from_ref(inner).addr(), node.memory());
            inner.kids.iter().for_each(|kid| nodes(kid, found));
        }
    }
}

/// What is counted is exactly what is there: of the tree, and what versions alone hold.
fn counted<L: Sample>(
    tree: &SharedTree<L>,
    kept: &[(Frozen<L>, Model<L>)],
    versions: &Arc<Versions>,
) {
    let (mut own, mut all) = (BTreeMap::new(), BTreeMap::new());
    nodes(&tree.root, &mut own);
    assert_eq!(tree.memory(), own.values().sum::<usize>());
    kept.iter().for_each(|(frozen, _)| nodes(&frozen.root, &mut all));
    let alone = all.iter().filter(|(node, _)| !own.contains_key(node));
    assert_eq!(versions.kept(), alone.map(|(_, bytes)| bytes).sum::<usize>());
}

fn versions_stay<L: Sample>() {
    let mut rng = seed::rng();
    for _ in 0..seed::setting("KVIST_ROUNDS", 12) {
        let versions = Arc::new(Versions::default());
        let before = alive();
        {
            let (mut tree, mut model) = (SharedTree::<L>::default(), Model::<L>::new());
            let mut kept: Vec<(Frozen<L>, Model<L>)> = Vec::new();
            let phase = 1 + rng.below(600);
            for number in 0..2 * phase {
                step(&mut tree, &mut model, &mut rng, number < phase);
                if rng.below(30) == 0 && kept.len() < 8 {
                    kept.push((tree.freeze(&versions), model.clone()));
                }
                if rng.below(40) == 0 && !kept.is_empty() {
                    let at = rng.below(kept.len());
                    let (frozen, then) = kept.swap_remove(at);
                    same(&frozen, &then);
                }
                if rng.below(20) == 0 {
                    tree.check();
                    counted(&tree, &kept, &versions);
                }
            }
            answers(&tree, &model, &mut rng);
            kept.iter().for_each(|(frozen, then)| same(frozen, then));
            // The tree goes first, in one way or the other, or the versions do.
            match rng.below(3) {
                0 => drop(std::mem::take(&mut tree)),
                1 => while tree.free_some(20) {},
                _ => kept.clear(),
            }
            counted(&tree, &kept, &versions);
            kept.iter().for_each(|(frozen, then)| same(frozen, then));
        }
        assert_eq!(versions.kept(), 0);
        assert_eq!(alive(), before, "something is left behind");
    }
}

#[test]
fn versions_stay_what_they_were_and_everything_is_counted() {
    versions_stay::<Fixed<(u64, u32)>>();
    versions_stay::<Scored>();
    versions_stay::<Strings>();
}

/// What makes no difference copies nothing.
#[test]
fn an_edit_that_changes_nothing_leaves_no_node_to_versions() {
    let versions = Arc::new(Versions::default());
    let mut tree: SharedTree<Fixed<u64>> = SharedTree::build(0..500);
    let _frozen = tree.freeze(&versions);
    assert!(!tree.insert(7) && !tree.remove(1000) && !tree.replace(1000, 1001));
    assert_eq!(versions.kept(), 0);
    assert!(tree.insert(1000));
    assert!(versions.kept() > 0);
}

#[test]
fn a_batch_copies_no_leaf_that_it_does_not_change() {
    let versions = Arc::new(Versions::default());
    let mut tree: SharedTree<Fixed<u64>> = SharedTree::build((0..5000).map(|number| 2 * number));
    let version = Version::new(&versions, |versions| tree.freeze(versions)).ok();
    let mut changes: Vec<_> = (0..10_000).step_by(50).map(|item| (item, true)).collect();
    changes.extend((1..10_000).step_by(50).map(|item| (item, false)));
    changes.sort_unstable();
    tree.apply(&changes);
    assert_eq!((versions.kept(), tree.len()), (0, 5000));
    changes[0].1 = false;
    tree.apply(&changes);
    let (kept, whole) = (versions.kept(), tree.memory());
    assert!(kept > 0 && kept < whole / 10, "{kept} of {whole}");
    assert!(!tree.contains(0) && version.is_some_and(|version| version.contains(0)));
}

/// What is given up is of the tree of which most is kept, whichever of its versions is read.
#[test]
fn all_versions_of_a_tree_have_one_account() {
    let versions = Arc::new(Versions::default());
    let build = || -> SharedTree<Fixed<u64>> { SharedTree::build(0..5000) };
    let (mut little, mut much) = (build(), build());
    let version = |tree: &SharedTree<Fixed<u64>>| {
        Version::new(&versions, |versions| tree.freeze(versions)).map_err(|_| "full")
    };
    let [of_little, first, second] = [&little, &much, &much].map(version).map(Result::ok);
    for read in [&of_little, &second].into_iter().flatten() {
        versions.begin_to_read(read.place());
    }
    little.remove(1);
    much.remove_ranks(0..4000, &mut |_| {});
    versions.set_most(1);
    let given_up = |version: &Option<Version<Frozen<Fixed<u64>>>>| {
        version.as_ref().is_some_and(|version| versions.gives_up(version.number()))
    };
    assert!(given_up(&second) && !given_up(&of_little));
    drop((of_little, first, second));
}

/// Readers that look and go while the tree changes: each sees its moment, and nothing stays.
#[test]
fn readers_on_other_threads_see_one_moment() {
    const ELEMENTS: u64 = 300;
    let versions = Arc::new(Versions::default());
    let (send, receive) = std::sync::mpsc::sync_channel::<Frozen<Fixed<(u64, u64)>>>(4);
    let receive = std::sync::Mutex::new(receive);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                loop {
                    let next = receive.lock().map(|receive| receive.recv());
                    let Ok(Ok(frozen)) = next else { return };
                    let round = frozen.get(0).map(|first| first.1);
                    let all = (0..ELEMENTS).map(|at| (at, round.unwrap_or(u64::MAX)));
                    assert!(frozen.iter(0..frozen.len()).eq(all));
                }
            });
        }
        let mut tree = SharedTree::build((0..ELEMENTS).map(|at| (at, 0)));
        for round in 0..300 {
            let _ = send.send(tree.freeze(&versions));
            (0..ELEMENTS).for_each(|at| assert!(tree.replace((at, round), (at, round + 1))));
        }
        drop((tree, send));
    });
    assert_eq!(versions.kept(), 0);
}

#[test]
fn loading_in_order_fills_the_nodes() {
    for descending in [false, true] {
        let mut tree: Tree<Scored> = Tree::default();
        for i in 0..5000_u32 {
            let i = if descending { 5000 - i } else { i };
            tree.insert((f64::from(i), b"m"));
        }
        tree.check();
        let whole = tree.memory();
        tree = tree.clone();
        assert!(whole < tree.memory() * 5 / 4, "{whole} against {}", tree.memory());
    }
}

#[test]
fn emptying_from_either_end_keeps_the_tree_tidy() {
    for last in [false, true] {
        let mut tree: Tree<Scored> = Tree::default();
        for i in 0..3000_u32 {
            tree.insert((f64::from(i % 7), &i.to_be_bytes()));
        }
        while !tree.is_empty() {
            let rank = if last { tree.len() - 1 } else { 0 };
            tree.remove_ranks(rank..rank + 1, &mut |_| {});
            if tree.len().is_multiple_of(100) {
                tree.check();
            }
        }
        assert_eq!(tree.memory(), 0);
    }
}

/// The boxes of inner nodes apart, which are rounded up.
#[test]
fn what_is_counted_is_what_is_there() {
    let mut rng = seed::rng();
    let keys: Vec<Vec<u8>> =
        (0..20_000).map(|_| format!("account:{:07}", rng.below(1_000_000)).into_bytes()).collect();
    let before = alive();
    let mut tree: Tree<Strings> = Tree::default();
    let check = |tree: &Tree<Strings>| {
        let (memory, there) = (tree.memory() as isize, alive() - before);
        assert!((there..=there + there / 16).contains(&memory), "{memory} counted, {there} there");
    };
    for (number, key) in keys.iter().enumerate() {
        tree.insert(key[..].into());
        if number % 1000 == 0 {
            check(&tree);
        }
    }
    for key in &keys[..15_000] {
        tree.remove(key[..].into());
    }
    check(&tree);
}
