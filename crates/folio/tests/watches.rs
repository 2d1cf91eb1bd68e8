//! Watches against a model, and their leases.

use std::collections::{BTreeMap, BTreeSet};

use haystack::Name;
use kvist_folio::{ErrorKind, Watches, limits};

fn name(number: usize) -> Name {
    Name::new(&format!("r{number}"))
}

/// What a watch is in the model: its records, those that changed, when it ends.
type Watch = (BTreeSet<Name>, BTreeSet<Name>, u64);

#[test]
fn watches_tell_what_has_changed() {
    testkit::fuzz::fuzz(|rng| {
        let (mut watches, mut model) = (Watches::default(), BTreeMap::<u64, Watch>::new());
        let mut now = 0;
        for _ in 0..200 {
            now += rng.below(9) as u64;
            model.retain(|_, watch| watch.2 >= now);
            watches.expire(now);
            let watch = 1 + rng.below(6) as u64;
            if let Some(known) = model.get_mut(&watch) {
                match rng.below(6) {
                    0 => {
                        let ids: Vec<Name> = (0..3).map(|_| name(rng.below(9))).collect();
                        watches.add(watch, ids.clone(), now).unwrap();
                        known.0.extend(ids);
                    }
                    1 => {
                        let id = name(rng.below(9));
                        watches.remove(watch, [id.as_str()], now).unwrap();
                        known.0.remove(&id);
                        known.1.remove(&id);
                    }
                    2 => {
                        let changed = std::mem::take(&mut known.1);
                        assert!(watches.poll(watch, now).unwrap().iter().eq(&changed));
                    }
                    3 => {
                        known.1.clear();
                        assert!(watches.refresh(watch, now).unwrap().iter().eq(&known.0));
                    }
                    4 => watches.renew(watch, now).unwrap(),
                    _ => {
                        assert!(watches.close(watch));
                        model.remove(&watch);
                        continue;
                    }
                }
                known.2 = now + 20;
            } else {
                assert_eq!(watches.poll(watch, now).unwrap_err().kind(), ErrorKind::UnknownWatch);
                let opened = watches.open("x", Some(20), now).unwrap();
                model.insert(opened, (BTreeSet::new(), BTreeSet::new(), now + 20));
            }
            let id = name(rng.below(9));
            watches.changed([&id]);
            for watch in model.values_mut().filter(|watch| watch.0.contains(&id)) {
                watch.1.insert(id.clone());
            }
            assert_eq!(watches.len(), model.len());
            let of = model.values().filter(|watch| watch.0.contains(&id)).count();
            assert_eq!(watches.count_of(&id), of);
        }
        assert_eq!(watches.expire(u64::MAX), model.len());
        assert!(watches.is_empty() && (0..9).all(|n| watches.count_of(&name(n)) == 0));
    });
}

#[test]
fn leases_have_a_length() {
    let mut watches = Watches::default();
    let asked = [None, Some(0), Some(600), Some(u64::MAX)];
    let opened = asked.map(|lease| watches.open(&"long".repeat(99), lease, 5).unwrap());
    let leases = opened.map(|watch| watches.lease(watch).unwrap());
    assert_eq!(leases, [60, 1, 600, 3600]);
    assert_eq!(watches.dis(opened[0]).unwrap().len(), limits::LONGEST_NAME);
    assert!(watches.renew(opened[0], 65).is_ok());
    assert!(watches.renew(opened[1], 66).is_err());
    assert!(watches.renew(opened[0], 126).is_err());
}

#[test]
fn watches_are_bounded() {
    let mut watches = Watches::default();
    let first = watches.open("x", None, 0).unwrap();
    for _ in 1..limits::MOST_WATCHES {
        watches.open("x", None, 0).unwrap();
    }
    assert!(watches.open("x", None, 0).is_err());
    let many = || (0..=limits::MOST_WATCHED).map(name);
    assert!(watches.add(first, many(), 0).is_err());
    assert!(watches.refresh(first, 0).unwrap().is_empty());
    watches.add(first, many().skip(1), 0).unwrap();
    assert!(watches.add(first, [name(1)], 0).is_ok());
    assert!(watches.add(first, [name(0)], 0).is_err());
    // All have ended by then.
    assert!(watches.open("x", None, 61).is_ok());
    assert_eq!(watches.len(), 1);
}
