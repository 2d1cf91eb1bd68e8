//! Which leases stay, and which go.

use std::sync::Arc;

use super::Leases;
use crate::{Charge, Version, Versions};

fn keeping(versions: &Arc<Versions>, bytes: usize) -> Arc<Version<Charge>> {
    match Version::new(versions, |versions| versions.charge(bytes)) {
        Ok(version) => Arc::new(version),
        Err(refused) => panic!("{refused:?}"),
    }
}

fn is_there(leases: &Leases, number: u64) -> bool {
    leases.get::<Charge>(number, b"key").is_some()
}

#[test]
fn they_are_of_one_key_and_one_type() {
    let (versions, leases) = (Arc::new(Versions::default()), Leases::default());
    leases.keep(7, b"key", &keeping(&versions, 1), 100);
    assert!(is_there(&leases, 7));
    assert!(leases.get::<Charge>(7, b"other").is_none());
    assert!(leases.get::<Charge>(8, b"key").is_none());
    assert!(leases.get::<u8>(7, b"key").is_none());
    leases.end(8);
    leases.end(7);
    assert!(leases.is_empty());
    drop(versions.take_ended());
    assert_eq!(versions.living(), 0);
}

#[test]
fn they_end_in_time_and_where_they_are_given_up() {
    let (versions, leases) = (Arc::new(Versions::default()), Leases::default());
    leases.keep(1, b"key", &keeping(&versions, 10), 100);
    leases.keep(2, b"key", &keeping(&versions, 10), 200);
    assert!(!leases.end_overdue(99) && leases.end_overdue(100));
    assert!(!is_there(&leases, 1) && is_there(&leases, 2));
    drop(versions.take_ended());
    versions.set_most(9);
    assert!(leases.end_overdue(100) && leases.is_empty());
    drop(versions.take_ended());
    assert_eq!(versions.kept(), 0);
}

#[test]
fn what_is_read_stays_for_its_reader() {
    let (versions, leases) = (Arc::new(Versions::default()), Leases::default());
    leases.keep(1, b"key", &keeping(&versions, 10), 100);
    let read = leases.get::<Charge>(1, b"key");
    leases.end(1);
    drop(versions.take_ended());
    assert_eq!(versions.kept(), 10);
    drop(read);
    drop(versions.take_ended());
    assert_eq!(versions.kept(), 0);
}

#[test]
fn there_are_so_many_at_most() {
    let (versions, leases) = (Arc::new(Versions::default()), Leases::default());
    let most = Leases::MOST as u64;
    for number in 0..most {
        leases.keep(number, b"key", &keeping(&versions, 1), 1000 + number);
    }
    // The first is asked for once more, so that the second is the one that goes.
    leases.keep(0, b"key", &keeping(&versions, 1), 5000);
    leases.keep(most, b"key", &keeping(&versions, 1), 3000);
    assert_eq!(leases.len(), Leases::MOST);
    assert!(is_there(&leases, 0) && !is_there(&leases, 1) && is_there(&leases, most));
}

/// What is read of one value over and over ends its own leases, and not those of another.
#[test]
fn the_value_that_has_most_loses_one() {
    let (versions, leases) = (Arc::new(Versions::default()), Leases::default());
    let most = Leases::MOST as u64;
    leases.keep(0, b"key", &keeping(&versions, 1), 1000);
    for number in 1..3 * most {
        leases.keep(number, b"other", &keeping(&versions, 1), 2000 + number);
    }
    assert_eq!(leases.len(), Leases::MOST);
    assert!(is_there(&leases, 0));
    // The newest of the other are there.
    let others = |number| leases.get::<Charge>(number, b"other").is_some();
    assert!((1..3 * most).all(|number| others(number) == (number > 2 * most)));
    // More of the first take their room from it.
    for number in 3 * most..4 * most {
        leases.keep(number, b"key", &keeping(&versions, 1), 1000);
    }
    let left = (1..3 * most).filter(|&number| others(number)).count();
    assert_eq!(left, Leases::MOST / 2);
}
