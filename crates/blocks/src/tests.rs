//! The blocks against a plain vector, with versions that live and die at random.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Rng, Versions};
use testkit::scale::Scale;
use testkit::seed;

use crate::node::{Branches, Link, Node};
use crate::{Block, Blocks, FAN_OUT, Frozen};

#[global_allocator]
static SCALE: Scale = Scale;

/// A block whose memory is what its allocation takes.
#[derive(Clone, Debug, PartialEq)]
struct Text(Vec<u8>);

impl Block for Text {
    fn memory(&self) -> usize {
        self.0.capacity()
    }
}

fn text(rng: &mut Rng) -> Text {
    let len = rng.below(40);
    Text((0..len).map(|_| rng.below(256) as u8).collect())
}

fn same(frozen: &Frozen<Text>, model: &[Text]) {
    assert_eq!(frozen.len(), model.len());
    assert!(frozen.iter().eq(model), "the blocks are others");
    assert_eq!(frozen.get(model.len()), None);
}

/// The nodes below a link, by where they lie, and what each takes.
fn nodes(link: &Link<Text>, found: &mut BTreeMap<usize, usize>) {
    match link {
        Link::None => {}
        Link::Block(node) => {
            found.insert(Arc::as_ptr(node).addr(), node.block_size());
        }
        Link::Branches(node) => {
            found.insert(Arc::as_ptr(node).addr(), Node::<Branches<Text>>::size());
            node.value.0.iter().for_each(|link| nodes(link, found));
        }
    }
}

/// What is counted is exactly what is there: of the value, and what versions alone hold.
fn counted(blocks: &Blocks<Text>, kept: &[(Frozen<Text>, Vec<Text>)], versions: &Arc<Versions>) {
    let (mut own, mut all) = (BTreeMap::new(), BTreeMap::new());
    nodes(&blocks.now().root, &mut own);
    assert_eq!(blocks.memory(), own.values().sum::<usize>());
    kept.iter().for_each(|(frozen, _)| nodes(&frozen.root, &mut all));
    let alone = all.iter().filter(|(node, _)| !own.contains_key(node));
    assert_eq!(versions.kept(), alone.map(|(_, bytes)| bytes).sum::<usize>());
}

/// One step on the blocks and on the vector.
fn step(blocks: &mut Blocks<Text>, model: &mut Vec<Text>, rng: &mut Rng, grows: bool) {
    let at = rng.below(model.len() + 1);
    match rng.below(if grows { 10 } else { 14 }) {
        0..=4 => {
            let block = text(rng);
            blocks.push(block.clone());
            model.push(block);
        }
        5..=7 => {
            let new = text(rng);
            let edited = blocks.edit(at, |block| block.0.clone_from(&new.0));
            assert_eq!(edited.is_some(), at < model.len());
            model.iter_mut().skip(at).take(1).for_each(|block| block.0.clone_from(&new.0));
        }
        8 | 10 | 11 => {
            blocks.drop_last();
            model.pop();
        }
        _ => {
            blocks.drop_first();
            model.drain(..model.len().min(1));
        }
    }
}

#[test]
fn versions_stay_what_they_were_and_everything_is_counted() {
    let mut rng = seed::rng();
    for _ in 0..seed::setting("KVIST_ROUNDS", 15) {
        let versions = Arc::new(Versions::default());
        let before = testkit::scale::alive();
        {
            let (mut blocks, mut model) = (Blocks::default(), Vec::new());
            let mut kept: Vec<(Frozen<Text>, Vec<Text>)> = Vec::new();
            let phase = 1 + rng.below(3000);
            for number in 0..2 * phase {
                step(&mut blocks, &mut model, &mut rng, number < phase);
                if rng.below(40) == 0 && kept.len() < 8 {
                    kept.push((blocks.freeze(&versions), model.clone()));
                }
                if rng.below(60) == 0 && !kept.is_empty() {
                    let at = rng.below(kept.len());
                    let (frozen, then) = kept.swap_remove(at);
                    same(&frozen, &then);
                }
                if rng.below(150) == 0 {
                    counted(&blocks, &kept, &versions);
                }
                if rng.below(200) == 0 {
                    same(blocks.now(), &model);
                    assert_eq!(blocks.clone().now().len(), model.len());
                }
            }
            same(blocks.now(), &model);
            // The value goes first, or the versions do.
            if rng.below(2) == 0 {
                drop(std::mem::take(&mut blocks));
                counted(&blocks, &kept, &versions);
                kept.iter().for_each(|(frozen, then)| same(frozen, then));
                drop(kept);
            } else {
                drop(kept);
                assert_eq!(versions.kept(), 0);
                drop(blocks);
            }
        }
        assert_eq!(versions.kept(), 0);
        assert_eq!(testkit::scale::alive(), before);
    }
}

/// Size classes apart, which cost up to a quarter, and the vector's own spare room.
#[test]
fn what_is_counted_is_what_is_there() {
    let mut rng = seed::rng();
    let versions = Arc::new(Versions::default());
    let mut blocks = Blocks::default();
    let before = testkit::scale::alive();
    for _ in 0..20_000 {
        blocks.push(Text(vec![1; 48]));
    }
    let check = |blocks: &Blocks<Text>| {
        let there = testkit::scale::alive() - before;
        let counted = (blocks.memory() + versions.kept()) as isize;
        assert!((there..there + there / 8).contains(&counted), "{counted} counted, {there} there");
    };
    check(&blocks);
    let frozen = blocks.freeze(&versions);
    assert_eq!(versions.kept(), 0, "a version takes nothing by itself");
    for _ in 0..2000 {
        blocks.edit(rng.below(20_000), |block| block.0[0] = 2);
    }
    assert!(versions.kept() > 2000 * 48 / 2);
    check(&blocks);
    (0..500).for_each(|_| blocks.drop_first());
    check(&blocks);
    drop(blocks);
    let there = testkit::scale::alive() - before;
    let kept = versions.kept() as isize;
    assert!((there..there + there / 8).contains(&kept), "{kept} kept, {there} there");
    drop(frozen);
    assert_eq!(versions.kept(), 0);
}

#[test]
fn a_queue_does_not_grow_with_what_has_passed_through() {
    let mut blocks = Blocks::default();
    let mut most = 0;
    for number in 0..100_000_u32 {
        blocks.push(Text(number.to_le_bytes().to_vec()));
        if blocks.now().len() > 3 * FAN_OUT {
            blocks.drop_first();
        }
        most = most.max(blocks.now().height);
    }
    assert_eq!(most, 2);
    while blocks.now().len() > 1 {
        blocks.drop_first();
    }
    assert_eq!((blocks.now().height, blocks.now().first), (0, 0));
    assert_eq!(blocks.now().get(0), Some(&Text(99_999_u32.to_le_bytes().to_vec())));
    blocks.drop_last();
    assert_eq!(blocks.memory(), 0);
}

/// What remains when the tree becomes lower was not touched before, and a version holds it.
#[test]
fn a_tree_that_becomes_lower_leaves_its_upper_nodes() {
    let versions = Arc::new(Versions::default());
    let (mut blocks, mut model) = (Blocks::default(), Vec::new());
    for number in 0..FAN_OUT * FAN_OUT + 1 {
        let block = Text(number.to_le_bytes().to_vec());
        blocks.push(block.clone());
        model.push(block);
    }
    assert_eq!(blocks.now().height, 3);
    let kept = [(blocks.freeze(&versions), model.clone())];
    for _ in 0..FAN_OUT * FAN_OUT {
        blocks.drop_first();
        model.remove(0);
    }
    assert_eq!(blocks.now().height, 0);
    same(blocks.now(), &model);
    same(&kept[0].0, &kept[0].1);
    counted(&blocks, &kept, &versions);
}

/// Readers that look and go while the value changes: each sees its moment, and nothing stays.
#[test]
fn readers_on_other_threads_see_one_moment() {
    const BLOCKS: usize = 100;
    let versions = Arc::new(Versions::default());
    let (send, receive) = std::sync::mpsc::sync_channel::<Frozen<Text>>(4);
    let receive = std::sync::Mutex::new(receive);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                loop {
                    let next = receive.lock().map(|receive| receive.recv());
                    let Ok(Ok(frozen)) = next else { return };
                    let first = frozen.get(0).map(|block| block.0.clone());
                    assert!(first.is_some());
                    assert!(frozen.iter().all(|block| Some(&block.0) == first.as_ref()));
                    assert_eq!(frozen.len(), BLOCKS);
                }
            });
        }
        let mut blocks = Blocks::default();
        (0..BLOCKS).for_each(|_| blocks.push(Text(vec![0; 8])));
        for round in 1..500_u64 {
            let _ = send.send(blocks.freeze(&versions));
            for at in 0..BLOCKS {
                blocks.edit(at, |block| block.0 = round.to_le_bytes().to_vec());
            }
        }
        drop((blocks, send));
    });
    assert_eq!(versions.kept(), 0);
}

#[test]
fn an_edit_that_panics_is_counted() {
    let versions = Arc::new(Versions::default());
    let mut blocks = Blocks::default();
    (0..3).for_each(|_| blocks.push(Text(vec![0; 8])));
    let kept = vec![(blocks.freeze(&versions), vec![Text(vec![0; 8]); 3])];
    let edit = std::panic::AssertUnwindSafe(|| {
        blocks.edit(1, |block| {
            block.0 = vec![1; 100];
            panic!("it breaks");
        })
    });
    assert!(std::panic::catch_unwind(edit).is_err());
    counted(&blocks, &kept, &versions);
    same(&kept[0].0, &kept[0].1);
}
