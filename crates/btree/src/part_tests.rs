//! A part of a value against a set: forked, adopted or dropped, kept as versions, dropped whole.

use std::collections::BTreeSet;
use std::sync::Arc;

use base::{Rng, Versions};
use blocks::Ledger;
use testkit::seed;

use crate::{Fixed, Frozen, Part, Strings, Text};

type Set = BTreeSet<Vec<u8>>;

fn item(rng: &mut Rng) -> Vec<u8> {
    let number = rng.below(3000) as u32;
    [&b"key"[..rng.below(4)], &number.to_be_bytes(), &vec![7; rng.below(20)]].concat()
}

fn same(view: &Frozen<Strings>, set: &Set) {
    let mut runs = 0;
    for (start, end) in set.iter().zip(set.iter().skip(2)) {
        let of = |bytes: &Vec<u8>| {
            view.run(Text::from(&start[..]), Text::from(&bytes[..])).map(|run| run.len())
        };
        assert!(of(end).is_none_or(|len| len == 2));
        assert!(of(&Vec::new()).is_none_or(|len| len == 0));
        runs += usize::from(of(end).is_some());
    }
    assert!(set.len() < 20 || runs > set.len() / 4, "{runs} of {}", set.len());
    assert!(view.iter(0..view.len()).map(|text| text.to_vec()).eq(set.iter().cloned()));
}

fn edit(part: &mut Part<Strings>, ledger: &mut Ledger, set: &mut Set, rng: &mut Rng) {
    match rng.below(400) {
        0 => {
            *set = (0..rng.below(2000)).map(|_| item(rng)).collect();
            part.fill(ledger, set.iter().map(|item| Text::from(&item[..])));
        }
        1 => {
            let whole = std::mem::replace(part, Part::new(ledger));
            drop(whole.drop_whole(ledger));
            set.clear();
        }
        chosen => {
            let item = item(rng);
            let text = Text::from(&item[..]);
            if chosen % 3 == 0 {
                assert_eq!(part.remove(ledger, text), set.remove(&item));
            } else {
                assert_eq!(part.insert(ledger, text), set.insert(item.clone()));
            }
        }
    }
}

#[test]
fn a_part_is_what_a_set_is_with_forks_and_versions() {
    let mut rng = seed::rng();
    for _ in 0..seed::setting("KVIST_ROUNDS", 6) {
        let versions = Arc::new(Versions::default());
        let mut ledger = Ledger::default();
        let (mut part, mut set) = (Part::new(&mut ledger), Set::new());
        let mut kept: Vec<(Part<Strings>, Set)> = Vec::new();
        for _ in 0..40 {
            (0..rng.below(200)).for_each(|_| edit(&mut part, &mut ledger, &mut set, &mut rng));
            if rng.below(3) == 0 {
                ledger.share(&versions);
                kept.push((part.clone(), set.clone()));
            }
            let (mut fork, mut of_fork) = (part.clone(), ledger.fork(&versions));
            let base = part.clone();
            let (taken, before) = (ledger.bytes(), versions.kept());
            let mut changed = set.clone();
            (0..rng.below(300)).for_each(|_| edit(&mut fork, &mut of_fork, &mut changed, &mut rng));
            assert_eq!((ledger.bytes(), versions.kept()), (taken, before));
            if rng.below(3) > 0 {
                part = fork;
                set = changed;
                let left = ledger.adopt(of_fork);
                drop(base);
                drop(left);
            } else {
                drop((fork, of_fork, base));
            }
            assert_eq!(ledger.bytes(), part.root.recount_memory());
            assert_eq!(ledger.bytes(), part.memory());
            if kept.is_empty() {
                assert_eq!(versions.kept(), 0);
            }
            same(&part, &set);
            if kept.len() > 3 {
                let (version, then) = kept.swap_remove(rng.below(kept.len()));
                same(&version, &then);
            }
        }
        if rng.below(2) == 0 {
            part.leave_whole(&versions, false);
            drop(part);
            kept.iter().for_each(|(version, then)| same(version, then));
        }
        drop(kept);
        assert_eq!(versions.kept(), 0);
    }
}

/// What is left of a part that is dropped whole is what versions hold of it.
#[test]
fn a_part_that_is_dropped_whole_is_told_apart_later() {
    let versions = Arc::new(Versions::default());
    let mut ledger = Ledger::default();
    let mut part: Part<Fixed<u64>> = Part::new(&mut ledger);
    part.fill(&mut ledger, 0..5000);
    ledger.share(&versions);
    let version = part.clone();
    let whole = part.memory();
    // Much of it is no version's.
    for number in 10_000..30_000 {
        assert!(part.insert(&mut ledger, number));
    }
    let kept = versions.kept();
    let left = part.drop_whole(&mut ledger);
    assert!(versions.kept() > kept + whole, "all of it counts until it is told apart");
    drop(left);
    assert_eq!((ledger.bytes(), versions.kept()), (0, whole));
    assert_eq!((version.len(), version.get(4999)), (5000, Some(4999)));
    drop(version);
    assert_eq!(versions.kept(), 0);
}
