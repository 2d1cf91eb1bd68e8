//! What versions keep, and which is given up, without any value.

use std::sync::Arc;

use super::{Version, Versions};
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
    [&oldest, &next].iter().for_each(|version| versions.begin_to_read(version.number()));
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
