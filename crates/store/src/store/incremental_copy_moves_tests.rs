//! Values that go elsewhere, or away, while they are copied.

use super::*;

/// Databases may change places while values of them are copied: the copies go on where those are.
#[test]
fn copies_go_on_where_their_database_is() {
    for name in KEYS {
        let mut stage = Stage::new();
        stage.fill();
        let was = stage.whole(name);
        let mut copy = stage.begin(name);
        assert_eq!(copy.next(), Ok(true));
        let key = stage.key(name);
        stage.run(|txn| {
            txn.swap(0, 1);
            txn.select(1);
        });
        stage
            .run(|txn| match name {
                "hash" => Holds::<Hash>::edit(txn, key, |hash| {
                    (0..COUNT as usize).for_each(|n| _ = hash.set(&word(n), b"other", &limits()));
                }),
                "string" => txn.edit_string_within(key, 9000..9999, |bytes| bytes[9000] = b'n'),
                _ => Ok(()),
            })
            .expect("no other type is there");
        assert_eq!(copy.next(), Ok(true), "{name}");
        stage.run(|txn| txn.swap(0, 1));
        assert!(in_order(&copy.finish().expect("a copy")) == in_order(&was), "{name}");
    }
}

#[test]
fn what_was_put_of_a_value_that_goes_away_is_taken_back() {
    let mut stage = Stage::new();
    stage.fill();
    let (key, other) = (stage.key("hash"), stage.store.hasher().key(b"other"));
    let mut sink = Renaming { sink: Sink::default(), stage, key, other };
    let store = Arc::clone(&sink.stage.store);
    let (mut from, mut larges) = (Some(0), 0);
    while let Some(at) = from {
        let mut out = Vec::new();
        let scanned = store.snapshot_scan((0, 0), at, &mut out, &mut sink).expect("no disk");
        (from, larges) = (scanned.next, larges + scanned.large);
    }
    assert_eq!(sink.sink.taken_back, 3);
    assert_eq!(larges, KEYS.len() as u64);
    let mut open = Assemblies::default();
    let ended = sink.sink.chunks.iter().filter(|chunk| {
        open.take(chunk, &limits()).expect("no piece of what was taken back").1.is_some()
    });
    assert_eq!(ended.count(), KEYS.len());
    assert!(open.is_empty());
}

/// Puts a copy in the place of the hash when a chunk of it comes, three times.
struct Renaming<'k> {
    sink: Sink,
    stage: Stage,
    key: Key<'k>,
    other: Key<'k>,
}

impl ChunkSink for Renaming<'_> {
    fn size(&self) -> usize {
        self.sink.size()
    }

    fn number(&mut self) -> u64 {
        self.sink.number()
    }

    fn begin(&mut self) {
        self.sink.begin();
    }

    fn take_back(&mut self) {
        self.sink.take_back();
    }

    fn put(&mut self, chunk: &[u8], entries: u64) -> std::io::Result<()> {
        let is_hash = chunk.windows(4).take(40).any(|bytes| bytes == b"hash");
        if is_hash && entries == 0 && self.sink.taken_back < 3 {
            let (key, other) = (self.key, self.other);
            self.stage.run(|txn| {
                assert!(txn.copy(key, other, 0, true).unwrap());
                assert!(txn.rename(other, key));
            });
        }
        self.sink.put(chunk, entries)
    }
}

type Change = (&'static str, fn(&mut Stage, Key<'_>));

#[test]
fn a_value_that_goes_away_is_not_taken() {
    let changes: [Change; 6] = [
        ("replaced", |stage, key| {
            stage.run(|txn| txn.set_string(key, &[b'y'; 3 * LARGE], Deadline::Clear));
        }),
        ("removed", |stage, key| stage.run(|txn| assert!(txn.remove(key, false)))),
        ("renamed", |stage, key| {
            let to = stage.store.hasher().key(b"other");
            stage.run(|txn| assert!(txn.rename(key, to)));
        }),
        ("moved", |stage, key| stage.run(|txn| assert!(txn.move_to(key, 1)))),
        ("flushed", |stage, _| stage.run(|txn| assert_eq!(txn.flush(Some(0), false), 6))),
        ("expired", |stage, key| {
            stage.run(|txn| txn.set_deadline(key, Some(1_700_000_000_001)));
            stage.txn.begin(1_700_000_000_002);
            stage.run(|txn| txn.expire_key(key.hash, key.bytes));
            assert!(stage.run(|txn| txn.kind(key)).is_none());
        }),
    ];
    for name in KEYS {
        for (what, change) in changes {
            let mut stage = Stage::new();
            stage.fill();
            let mut copy = stage.begin(name);
            assert_eq!(copy.next(), Ok(true), "{name} is one chunk");
            let key = stage.key(name);
            change(&mut stage, key);
            assert_eq!(copy.next(), Err(Changed), "{name} was {what}");
            assert!(copy.finish().is_err(), "{name} was {what}");
        }
    }
}

#[test]
fn what_comes_back_is_not_what_was() {
    for name in KEYS {
        let mut stage = Stage::new();
        stage.fill();
        let mut copy = stage.begin(name);
        assert_eq!(copy.next(), Ok(true));
        let (key, other) = (stage.key(name), stage.store.hasher().key(b"other"));
        stage.run(|txn| {
            assert!(txn.copy(key, other, 0, false).unwrap());
            assert!(txn.rename(other, key));
        });
        assert_eq!(copy.next(), Err(Changed), "another {name} has come");
    }
}

#[test]
fn bytes_that_change_in_an_unknown_way_spoil_a_copy() {
    let mut stage = Stage::new();
    stage.fill();
    let mut copy = stage.begin("string");
    assert_eq!(copy.next(), Ok(true));
    let key = stage.key("string");
    stage.run(|txn| txn.edit_string(key, |bytes| bytes.fill(b'y'))).expect("a string");
    assert_eq!(copy.next(), Err(Changed));
    let mut copy = stage.begin("string");
    let bulk = 2 * LARGE;
    stage
        .run(|txn| txn.edit_string_within(key, 0..bulk, |bytes| bytes[..bulk].fill(b'z')))
        .expect("a string");
    assert_eq!(copy.next(), Err(Changed), "too much to keep");
}

#[test]
fn a_deadline_set_meanwhile_is_a_later_change() {
    for name in KEYS {
        let mut stage = Stage::new();
        stage.fill();
        let was = stage.whole(name);
        let mut copy = stage.begin(name);
        assert_eq!(copy.next(), Ok(true));
        let key = stage.key(name);
        stage.run(|txn| assert!(txn.set_deadline(key, Some(1_800_000_000_000))));
        assert!(in_order(&copy.finish().expect("a copy")) == in_order(&was));
    }
}

#[test]
fn the_step_is_of_the_moment_at_which_it_began() {
    let mut stage = Stage::new();
    stage.fill();
    stage.store.start_recording();
    let key = stage.key("hash");
    let set = |stage: &mut Stage, field: &[u8]| {
        stage.run(|txn| {
            let set = |hash: &mut Hash| hash.set(field, b"value", &limits());
            Holds::<Hash>::edit(txn, key, set).expect("a hash");
            txn.held.record_key(0, key);
        });
    };
    set(&mut stage, b"before");
    let copy = stage.begin("hash");
    set(&mut stage, b"after");
    assert_eq!(copy.step.seq, 1);
    let entry = copy.finish().expect("a copy");
    let read = image::read(&mut Source::new(&entry), &limits(), &mut Contexts::new(0));
    let Ok(image::Image { value: image::Value::Object(Object::Hash(hash)), .. }) = read else {
        panic!("a hash");
    };
    assert!(hash.contains(b"before") && !hash.contains(b"after"));
}

#[test]
fn a_value_is_followed_for_one_and_its_copies_for_none() {
    let mut stage = Stage::new();
    stage.fill();
    let (key, other) = (stage.key("hash"), stage.store.hasher().key(b"other"));
    let copy = stage.begin("hash");
    stage.run(|txn| assert!(txn.copy(key, other, 0, false).unwrap()));
    let noted = |stage: &mut Stage, key, copier: &Copier| {
        stage.run(|txn| {
            let noted = |hash: &mut Hash| {
                hash.set(b"new", b"field", &limits());
                hash.noted(copier).is_some()
            };
            Holds::<Hash>::edit(txn, key, noted).expect("a hash")
        })
    };
    assert!(!noted(&mut stage, other, &copy.copier), "a copy is followed");
    assert!(noted(&mut stage, key, &copy.copier));
    let later = stage.begin("hash");
    assert!(!noted(&mut stage, key, &copy.copier), "two are followed");
    assert!(noted(&mut stage, key, &later.copier));
}
