//! What a partition says it has allocated is what it has allocated, and updates leave it as it was.

use std::sync::Arc;

use kvist_search::partition::Partition;
use kvist_search::schema::{Definition, Kind};
use testkit::scale::alive;

use crate::sample;

/// Random updates; compares what is reported with what is allocated.
fn updates(definition: Definition, check: impl Fn(isize, isize)) {
    let mut rng = testkit::seed::rng();
    let definition = Arc::new(definition);
    let before = alive();
    let mut partition = Partition::new(definition, Arc::default());
    let (empty, none) = (alive() - before, partition.memory() as isize);
    for round in 0..6000 {
        let key = rng.below(500).to_string();
        if rng.below(4) == 0 {
            partition.remove(key.as_bytes());
        } else {
            let _ = partition.put(key.as_bytes(), &sample::document(&mut rng));
        }
        drop(key);
        if round % 10 == 0 {
            check(partition.memory() as isize - none, alive() - before - empty);
        }
    }
    for key in 0..500 {
        partition.remove(key.to_string().as_bytes());
    }
    check(partition.memory() as isize - none, alive() - before - empty);
    let figures = partition.figures();
    assert_eq!((figures.documents, figures.terms, figures.records, figures.length), (0, 0, 0, 0));
    drop(partition);
    assert!(alive() <= before);
}

#[test]
fn memory_is_exact() {
    let mut definition = sample::everything();
    definition.attributes.retain(|it| !matches!(it.kind, Kind::Numeric | Kind::Geo));
    updates(definition, |reported, allocated| assert_eq!(reported, allocated));
}

/// Trees of numbers count what the allocator's size classes make of their nodes.
#[test]
fn memory_of_numbers_is_that_of_size_classes() {
    updates(sample::everything(), |reported, allocated| {
        assert!((allocated..=allocated + allocated / 8 + 64).contains(&reported));
    });
}

/// A million updates with `KVIST_UPDATES=1000000`.
#[test]
fn updates_leave_memory_flat() {
    let mut rng = testkit::seed::rng();
    let mut partition = Partition::new(Arc::new(sample::everything()), Arc::default());
    let updates = testkit::seed::setting("KVIST_UPDATES", 20_000);
    let mut highest_early = 0;
    for round in 0..updates {
        let key = rng.below(300).to_string();
        let _ = partition.put(key.as_bytes(), &sample::document(&mut rng));
        if round < updates / 3 {
            highest_early = partition.memory().max(highest_early);
        }
    }
    let now = partition.memory();
    assert!(now <= highest_early + highest_early / 20, "{now} after {highest_early}");
}
