//! A list that is edited while it is copied is copied as it was.

use base::{PackLimits, Rng};

use super::List;
use crate::{Copier, End};

fn element(rng: &mut Rng) -> Vec<u8> {
    let short = format!("{}", rng.below(50)).into_bytes();
    if rng.below(20) == 0 { [short, vec![b'.'; 1 + rng.below(90)]].concat() } else { short }
}

fn edit(list: &mut List, rng: &mut Rng, limits: &PackLimits) {
    let len = list.len();
    let end = if rng.below(2) == 0 { End::Head } else { End::Tail };
    let at = rng.below(len + 1);
    let few = rng.below(1 + len / 8);
    match rng.below(12) {
        0..3 => list.push(end, &element(rng), limits),
        3 => list.drop_from(end, few),
        4..6 => _ = list.set(at, &element(rng), limits),
        6..8 => _ = list.insert(at, &element(rng), limits),
        8 => _ = list.remove_range(at, few),
        9 => _ = list.remove(&element(rng), 1 + few, end),
        10 => _ = list.rotate(end, limits),
        _ => list.trim(at / 8, len - at / 4),
    }
}

#[test]
fn edits_between_chunks_are_not_in_the_copy() {
    let limits = PackLimits { list_size: 7, ..PackLimits::default() };
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let mut list = List::default();
        for _ in 0..20 + rng.below(200) {
            list.push(End::Tail, &element(&mut rng), &limits);
        }
        let was: Vec<Vec<u8>> = list.iter().map(<[u8]>::to_vec).collect();
        let copier = Copier::default();
        assert!(list.follow(&copier));
        let mut copy: Vec<Vec<u8>> = Vec::new();
        loop {
            for _ in 0..rng.below(6) {
                edit(&mut list, &mut rng, &limits);
            }
            let mut left = 1 + rng.below(10);
            let more = list.copy_past(&copier, &mut |element| {
                copy.push(element.to_vec());
                left -= 1;
                left > 0
            });
            let Some(more) = more else {
                // So much was taken away that a new copy is better.
                assert!(list.len() < was.len(), "seed {seed}");
                break;
            };
            if !more {
                assert_eq!(copy, was, "seed {seed}");
                break;
            }
        }
    }
}

#[test]
fn edits_everywhere_do_not_cut_it_to_pieces() {
    let limits = PackLimits::default();
    let mut rng = Rng::new(7);
    let words: Vec<Vec<u8>> = (0..50_000).map(|n| format!("{n}").into_bytes()).collect();
    let mut list = List::collect(words.iter().map(|word| &word[..]), &limits);
    let copier = Copier::default();
    assert!(list.follow(&copier));
    let nodes = list.nodes();
    for n in 0..20_000 {
        let at = rng.below(list.len());
        if n % 2 == 0 {
            list.set(at, b"other", &limits)
        } else {
            list.insert(at, b"more", &limits)
        };
    }
    let super::Shape::Long(ring) = &mut list.shape else { panic!("a long list") };
    let spans = ring.pre_image.of(&copier).expect("followed").spans.len();
    assert!(spans <= nodes + 1, "{spans} spans of {nodes} nodes");
    let mut copy = Vec::new();
    assert_eq!(
        list.copy_past(&copier, &mut |element| {
            copy.push(element.to_vec());
            true
        }),
        Some(false)
    );
    assert_eq!(copy, words);
}
