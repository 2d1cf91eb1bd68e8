//! Values copied in pieces are what they are in one piece, or are not taken.

use std::sync::Arc;

use base::{Deadline, Holds, Key, Keyspace, StreamId, Strings};
use journal::codec::Source;
use types::{End, Hash, List, Set, Stream, ZSet};

use super::{Changed, LARGE, Large, Rest};
use crate::{Options, Scope, Store, Txn, image};

/// Elements of each value: enough for some pieces.
const COUNT: u32 = 3000;
const KEYS: [&str; 6] = ["string", "list", "set", "hash", "zset", "stream"];

struct Stage {
    store: Arc<Store>,
    txn: Txn,
}

impl Stage {
    fn new() -> Self {
        let store = Arc::new(Store::new(Options { shards: 1, databases: 2, seed: 7 }));
        let mut txn = Txn::new(Arc::clone(&store), 1);
        txn.begin(1_700_000_000_000);
        Stage { store, txn }
    }

    fn run<R>(&mut self, work: impl FnOnce(&mut Txn) -> R) -> R {
        let store = Arc::clone(&self.store);
        let and_publish = |txn: &mut Txn| {
            let result = work(txn);
            txn.publish_changes();
            result
        };
        self.txn.with(&store, Scope::All, and_publish).expect("no panic")
    }

    fn key<'a>(&self, name: &'a str) -> Key<'a> {
        self.store.hasher().key(name.as_bytes())
    }

    /// A large value of each type.
    fn fill(&mut self) {
        let limits = self.txn.limits();
        let [string, list, set, hash, zset, stream] = KEYS.map(|name| self.key(name));
        let word = |n: u32| format!("element number {n:030}").into_bytes();
        self.run(|txn| {
            txn.set_string(string, &[b'x'; 3 * LARGE], Deadline::Clear);
            let refused = "no other type is there";
            let _: () = Holds::<List>::edit(txn, list, |list| {
                (0..COUNT).for_each(|n| list.push(End::Tail, &word(n), &limits));
            })
            .expect(refused);
            Holds::<Set>::edit(txn, set, |set| {
                (0..COUNT).for_each(|n| _ = set.add(&word(n), &limits));
            })
            .expect(refused);
            Holds::<Hash>::edit(txn, hash, |hash| {
                (0..COUNT).for_each(|n| _ = hash.set(&word(n), b"value", &limits));
            })
            .expect(refused);
            Holds::<ZSet>::edit(txn, zset, |zset| {
                (0..COUNT).for_each(|n| _ = zset.insert(&word(n), f64::from(n), &limits));
            })
            .expect(refused);
            Holds::<Stream>::edit(txn, stream, |stream| {
                stream.create_group(b"group", StreamId::MIN, None);
                for ms in 1..u64::from(COUNT) {
                    let (id, value) = (StreamId { ms, seq: 0 }, word(1));
                    stream.push(id, &[b"field", &value], &limits).expect("ascending");
                }
            })
            .expect(refused);
        });
    }

    /// Begins to copy a key in pieces, and copies the first.
    fn begin(&self, name: &str) -> (Large, Rest, Vec<u8>) {
        let mut from = 0;
        loop {
            self.store.slots[0].0.lock().as_mut().expect("a shard").copying = None;
            let step = self.store.read_step(0, 0, from, None);
            let found = step.larges.into_iter().find(|large| *large.key == *name.as_bytes());
            if let Some(large) = found {
                let (mut rest, mut body) = (Rest::default(), Vec::new());
                let more = self.store.copy_piece(0, &large, &mut rest, &mut body);
                assert_eq!(more, Ok(true), "{name} is one piece");
                return (large, rest, body);
            }
            from = step.next.expect("every key is met");
        }
    }
}

/// Every entry of the shard's first database, as a survey reads it.
fn survey(store: &Store) -> Vec<Vec<u8>> {
    let (mut entries, mut from) = (Vec::new(), Some(0));
    while let Some(at) = from {
        let mut out = Vec::new();
        let surveyed = store.survey(0, 0, at, &mut out);
        let mut source = Source::new(&out);
        for _ in 0..3 {
            source.number().expect("the head of a step");
        }
        for _ in 0..surveyed.entries {
            let before = source.rest();
            image::skip(&mut source).expect("an entry");
            entries.push(before[..before.len() - source.rest().len()].to_vec());
        }
        assert!(source.is_done());
        from = surveyed.next;
    }
    entries.sort();
    entries
}

#[test]
fn pieces_make_the_whole() {
    let mut stage = Stage::new();
    stage.fill();
    let in_pieces = survey(&stage.store);
    assert_eq!(in_pieces.len(), KEYS.len());
    // Somebody else copies in pieces already, so this survey takes everything in one hold.
    let (large, ..) = stage.begin("list");
    let whole = survey(&stage.store);
    assert_eq!(in_pieces, whole);
    drop(large);
    let limits = stage.txn.limits();
    for entry in whole {
        image::read(&mut Source::new(&entry), &limits, &mut json::Registry::new())
            .expect("an entry");
    }
}

#[test]
fn a_value_that_changes_is_not_taken() {
    type Change = (&'static str, fn(&mut Stage, Key<'_>));
    let changes: [Change; 9] = [
        ("edited", |stage, key| {
            let limits = stage.txn.limits();
            let edited = stage.run(|txn| {
                Holds::<Hash>::edit(txn, key, |hash| hash.set(b"new", b"field", &limits))
            });
            assert_eq!(edited, Ok(true));
        }),
        ("replaced", |stage, key| {
            stage.run(|txn| txn.set_string(key, b"short", Deadline::Clear));
        }),
        ("given a deadline", |stage, key| {
            stage.run(|txn| assert!(txn.set_deadline(key, Some(1_800_000_000_000))));
        }),
        ("removed", |stage, key| stage.run(|txn| assert!(txn.remove(key, false)))),
        ("renamed", |stage, key| {
            let to = stage.store.hasher().key(b"other");
            stage.run(|txn| assert!(txn.rename(key, to)));
        }),
        ("moved", |stage, key| stage.run(|txn| assert!(txn.move_to(key, 1)))),
        ("flushed", |stage, _| stage.run(|txn| assert_eq!(txn.flush(Some(0), false), 6))),
        ("swapped", |stage, _| stage.run(|txn| txn.swap(0, 1))),
        ("expired", |stage, key| {
            // A deadline that was there before the copy began would be in it.
            stage.run(|txn| txn.set_deadline(key, Some(1_700_000_000_001)));
            stage.txn.begin(1_700_000_000_002);
            stage.run(|txn| txn.expire_key(key.hash, key.bytes));
            assert!(stage.run(|txn| txn.kind(key)).is_none());
        }),
    ];
    for (what, change) in changes {
        let mut stage = Stage::new();
        stage.fill();
        let (large, mut rest, mut body) = stage.begin("hash");
        let key = stage.key("hash");
        change(&mut stage, key);
        let more = stage.store.copy_piece(0, &large, &mut rest, &mut body);
        assert_eq!(more, Err(Changed), "a value that was {what}");
    }
}

#[test]
fn reading_and_other_keys_disturb_nobody() {
    let mut stage = Stage::new();
    stage.fill();
    let (large, mut rest, mut body) = stage.begin("zset");
    let [other, zset] = ["other", "zset"].map(|name| stage.key(name));
    stage.run(|txn| {
        let found = Holds::<ZSet>::peek(txn, zset).expect("a sorted set");
        assert_eq!(found.map(ZSet::len), Some(COUNT as usize));
        txn.set_string(other, b"small", Deadline::Clear);
    });
    assert_eq!(stage.store.copy_piece(0, &large, &mut rest, &mut body), Ok(true));
}

#[test]
fn a_survey_beside_changes_reads_what_was_there_at_some_moment() {
    let mut stage = Stage::new();
    stage.fill();
    let limits = stage.txn.limits();
    let list = stage.key("list");
    let store = Arc::clone(&stage.store);
    let reader = std::thread::spawn(move || (0..5).map(|_| survey(&store)).collect::<Vec<_>>());
    // The list is always of numbers in a row: one is pushed for each that is popped.
    let mut next = COUNT;
    while !reader.is_finished() {
        stage
            .run(|txn| {
                Holds::<List>::edit(txn, list, |list| {
                    list.pop(End::Head);
                    let element = format!("element number {next:030}");
                    list.push(End::Tail, element.as_bytes(), &limits);
                })
            })
            .expect("a list");
        next += 1;
    }
    for entries in reader.join().expect("the reader lives") {
        for entry in &entries {
            let read = image::read(&mut Source::new(entry), &limits, &mut json::Registry::new())
                .expect("an entry");
            let image::Value::Object(crate::Object::List(list)) = read.value else { continue };
            let number = |element: &[u8]| {
                let digits = std::str::from_utf8(&element[element.len() - 30..]).expect("digits");
                digits.parse::<u32>().expect("a number")
            };
            let numbers: Vec<u32> = list.iter().map(number).collect();
            assert_eq!(numbers.len(), COUNT as usize);
            assert!(numbers.windows(2).all(|pair| pair[1] == pair[0] + 1), "of two moments");
        }
    }
}
