//! What versions keep, and which is given up, without any value.

use std::sync::Arc;

use super::{Pressure, Version, Versions};
use crate::error;

/// A version that keeps so many bytes.
fn keeping(versions: &Arc<Versions>, bytes: usize) -> Version<super::Charge> {
    match Version::new(versions, |versions| versions.charge(bytes)) {
        Ok(version) => version,
        Err(refused) => panic!("{refused:?}"),
    }
}

#[test]
fn what_is_kept_counts_until_it_is_freed() {
    let versions = Arc::new(Versions::default());
    let (one, other) = (keeping(&versions, 10), keeping(&versions, 3));
    assert_eq!((versions.kept(), versions.living()), (13, 2));
    drop(one);
    // It waits to be freed.
    assert_eq!((versions.kept(), versions.living()), (13, 2));
    drop(versions.take_ended());
    assert_eq!((versions.kept(), versions.living()), (3, 1));
    drop(other);
    drop(versions.take_ended());
    assert_eq!((versions.kept(), versions.living()), (0, 0));
}

#[test]
fn above_the_limit_the_oldest_is_given_up_and_none_is_added() {
    let versions = Arc::new(Versions::default());
    // One that nothing reads yet cannot be told.
    let _waiting = keeping(&versions, 0);
    let (oldest, next) = (keeping(&versions, 10), keeping(&versions, 10));
    [&oldest, &next].iter().for_each(|version| versions.begin_to_read(version.place()));
    assert!(!versions.gives_up(oldest.number()), "there is no limit");
    versions.set_most(19);
    assert!(versions.gives_up(oldest.number()) && !versions.gives_up(next.number()));
    let refused = Version::new(&versions, |versions| versions.charge(0)).err();
    assert_eq!(refused, Some(error::VERSIONS_FULL));
    // What has ended is the oldest for as long as its memory is not free.
    drop(oldest);
    assert!(!versions.gives_up(next.number()));
    drop(versions.take_ended());
    assert!(!versions.gives_up(next.number()));
    drop(keeping(&versions, 0));
    versions.set_most(9);
    assert!(versions.gives_up(next.number()));
    drop(next);
}

/// A version of the value with this account that keeps so many bytes more.
fn of_value(
    (versions, value): (&Arc<Versions>, &Arc<Versions>),
    bytes: usize,
) -> Version<super::Charge> {
    let freeze = |versions: &Arc<Versions>| {
        versions.join(value);
        versions.charge(bytes)
    };
    match Version::new(versions, freeze) {
        Ok(version) => version,
        Err(refused) => panic!("{refused:?}"),
    }
}

#[test]
fn what_is_given_up_is_of_the_value_of_which_most_is_kept() {
    let versions = Arc::new(Versions::default());
    let [first, second, unread] = [(); 3].map(|()| versions.of_another_value());
    let little = of_value((&versions, &first), 10);
    let _waits = of_value((&versions, &unread), 1000);
    let much: Vec<_> = [1, 100, 50].map(|bytes| of_value((&versions, &second), bytes)).into();
    for version in much.iter().chain([&little]) {
        versions.begin_to_read(version.place());
    }
    assert!(first.are_any() && second.are_any());
    versions.set_most(1100);
    let given_up = || -> Vec<bool> {
        let all = [&little].into_iter().chain(&much);
        all.map(|version| versions.gives_up(version.number())).collect()
    };
    // The oldest of them, though what it keeps itself is little: what else it holds is not known.
    assert_eq!(given_up(), [false, true, false, false]);
    versions.set_most(1000);
    let mut much = much.into_iter();
    for _ in 0..2 {
        drop(much.next());
        drop(versions.take_ended());
        let next = much.as_slice().first().map_or(0, Version::number);
        assert!(versions.gives_up(next) && !versions.gives_up(little.number()));
    }
    drop(much);
    drop(versions.take_ended());
    assert!(!second.are_any() && versions.gives_up(little.number()), "none else is read");
}

#[test]
fn where_there_is_no_room_versions_go_one_after_another() {
    let versions = Arc::new(Versions::default());
    let (one, other) = (keeping(&versions, 1), keeping(&versions, 2));
    [&one, &other].iter().for_each(|version| versions.begin_to_read(version.place()));
    versions.press(Pressure::Kept(1));
    assert!(versions.gives_up(other.number()) && !versions.gives_up(one.number()));
    assert!(Version::new(&versions, |_| ()).is_err());
    drop(other);
    drop(versions.take_ended());
    // That was enough, though no thread has taken the pressure away.
    assert!(!versions.gives_up(one.number()) && Version::new(&versions, |_| ()).is_ok());
    drop(versions.take_ended());
    versions.press(Pressure::Kept(0));
    assert!(versions.gives_up(one.number()));
    versions.press(Pressure::None);
    assert!(!versions.gives_up(one.number()) && Version::new(&versions, |_| ()).is_ok());
}

/// Values that versions share could be dropped, so one of the versions goes, and not all.
#[test]
fn where_values_could_be_dropped_one_version_goes() {
    let versions = Arc::new(Versions::default());
    let (one, other) = (keeping(&versions, 0), keeping(&versions, 0));
    [&one, &other].iter().for_each(|version| versions.begin_to_read(version.place()));
    versions.press(Pressure::Living(1));
    assert!(versions.gives_up(one.number()) && !versions.gives_up(other.number()));
    drop(one);
    drop(versions.take_ended());
    assert!(!versions.gives_up(other.number()));
    assert!(Version::new(&versions, |_| ()).is_err(), "it would have to go at once");
    versions.press(Pressure::None);
    assert!(Version::new(&versions, |_| ()).is_ok());
}

#[test]
fn a_whole_that_is_divided_counts_once() {
    let versions = Arc::new(Versions::default());
    let whole = versions.charge(100);
    let mut parts = Vec::new();
    whole.divide(|| {
        for _ in 0..3 {
            parts.push(versions.charge(20));
            assert_eq!(versions.kept(), 100);
        }
        parts.pop();
        assert_eq!(versions.kept(), 80, "a version has gone meanwhile");
    });
    assert_eq!(versions.kept(), 40);
    parts.push(versions.charge(5));
    assert_eq!(versions.kept(), 45);
    parts.clear();
    // The parts may turn out to take more than the whole did.
    versions.charge(10).divide(|| parts.push(versions.charge(30)));
    assert_eq!(versions.kept(), 30);
    parts.clear();
    assert_eq!(versions.kept(), 0);
}
