//! Damage anywhere in a data directory is seen, or harmless; what is mended can be read again,
//! keeps what stood before the damage, and nothing is thrown away.
//!
//! `KVIST_SEED` repeats a run, `KVIST_ROUNDS` makes it longer.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::path::{Path, PathBuf};
use std::sync::Arc;

use journal::record::{self, Derived, Half, Kind, RecordId};
use journal::snapshot::{Place, Reader};
use journal::{Directory, Disk};
use kvist_engine::persistence::{Part, Reason, check, repair};
use testkit::folder::Folder;
use testkit::seed::{rng, setting};

use crate::data_dir::open;
use crate::test_client::TestClient;

const LINES: &str = "save \"\"\nshards 16";

/// Half of the keys in a snapshot, the rest in many frames of the journal; in the order of their
/// numbers.
const KEYS: usize = 600;

fn fill(dir: &Path) {
    let (engine, _) = open(dir, "save \"\"").unwrap();
    let mut client = TestClient::new(&engine);
    for n in 0..KEYS {
        assert_eq!(client.ask(&format!("SET key:{n} value:{n}")), "+OK");
        if n == KEYS / 2 {
            engine.save(Reason::Save, true).unwrap();
        }
        if n % 10 == 0 {
            engine.store.log().sync().unwrap();
        }
    }
    engine.close_data_dir();
}

/// Copies the files of a data directory, without the room that the journal has reserved.
fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let mut bytes = std::fs::read(entry.path()).unwrap();
        let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        bytes.truncate(end.next_multiple_of(64));
        std::fs::write(to.join(entry.file_name()), bytes).unwrap();
    }
}

/// The numbers of the keys there are; each holds its own value.
fn keys(dir: &Path) -> Vec<usize> {
    let (engine, recovered) = open(dir, "save \"\"").unwrap();
    assert_eq!(recovered.failed, 0);
    let mut client = TestClient::new(&engine);
    let there = |n: &usize| {
        let reply = client.ask(&format!("GET key:{n}"));
        let value = format!("value:{n}");
        assert!(reply == "$-1" || reply.ends_with(&value), "{reply}");
        reply != "$-1"
    };
    let found = (0..KEYS).filter(there).collect();
    engine.close_data_dir();
    found
}

fn names(disk: &dyn Disk) -> Vec<String> {
    let mut names = disk.list().unwrap();
    names.sort();
    names
}

#[test]
fn damage_is_seen_and_repaired() {
    let mut rng = rng();
    let source = Folder::new("engine");
    fill(source.path());
    let whole: Arc<dyn Disk> = Arc::new(Directory::open(source.path()).unwrap());
    let checked = check(&*whole).unwrap();
    assert!(checked.problems.is_empty() && checked.strays.is_empty(), "{checked:?}");
    assert_eq!(checked.keys + checked.records, KEYS as u64);
    assert!(checked.journal.1 > 10, "{checked:?}");
    let (mut seen, mut unseen) = (0, 0);
    for round in 0..setting("KVIST_ROUNDS", 15) {
        let folder = Folder::new("engine");
        copy(source.path(), folder.path());
        let disk: Arc<dyn Disk> = Arc::new(Directory::open(folder.path()).unwrap());
        let prefix = ["MANIFEST", "snapshot-", "journal-0"][rng.below(3)];
        let name = names(&*disk).into_iter().find(|name| name.starts_with(prefix)).unwrap();
        let path = folder.join(&name);
        let mut bytes = std::fs::read(&path).unwrap();
        let at = rng.below(bytes.len());
        match rng.below(6) {
            0 => bytes.truncate(at),
            1 => bytes[at..].fill(0),
            _ => bytes[at] ^= 1 << rng.below(8),
        }
        if prefix == "MANIFEST" && at.is_multiple_of(4) {
            std::fs::remove_file(&path).unwrap();
        } else {
            std::fs::write(&path, &bytes).unwrap();
        }
        let what = format!("round {round}: {name} at {at}");
        let before = names(&*disk);
        let mut checked = check(&*disk).unwrap();
        let journal_only = checked.problems.iter().all(|problem| {
            matches!(problem.part, Part::Journal { .. }) && problem.what.contains(&name)
        });
        // What stands before damage of the journal is all there afterwards, and nothing else.
        let standing = checked.keys + checked.records;
        if checked.problems.is_empty() {
            unseen += 1;
            assert!(name.starts_with("journal"), "{what}: not seen");
        } else {
            seen += 1;
            assert!(open(folder.path(), "save \"\"").is_err(), "{what}: {:?}", checked.problems);
        }
        for _ in 0..8 {
            let Some(problem) = checked.problems.first() else { break };
            repair(&disk, checked.manifest.as_ref(), problem).unwrap_or_else(|error| {
                panic!("{what}: {error}: {problem:?}");
            });
            checked = check(&*disk).unwrap();
        }
        assert!(checked.problems.is_empty(), "{what}: {checked:?}");
        let after = names(&*disk);
        assert!(before.iter().all(|old| {
            after.iter().any(|new| new == old || new.starts_with(&format!("{old}.damaged")))
        }));
        let found = keys(folder.path());
        match prefix {
            "MANIFEST" => assert_eq!(found.len(), KEYS, "{what}"),
            "snapshot-" => assert!(found.len() >= KEYS / 2 - 1, "{what}: {}", found.len()),
            _ => {
                assert!(journal_only, "{what}");
                assert_eq!(found.len() as u64, standing, "{what}");
                assert!(found.iter().enumerate().all(|(n, key)| n == *key), "{what}: a gap");
            }
        }
    }
    println!("{seen} seen, {unseen} harmless");
    assert!(seen > 0);
}

/// Flips a byte of a file.
fn spoil(path: &Path, at: u64) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes[usize::try_from(at).unwrap()] ^= 0x55;
    std::fs::write(path, bytes).unwrap();
}

/// Mends all there is to mend.
fn repair_all(disk: &Arc<dyn Disk>) {
    let mut checked = check(&**disk).unwrap();
    assert!(!checked.problems.is_empty(), "nothing is damaged");
    for _ in 0..8 {
        let Some(problem) = checked.problems.first() else { return };
        repair(disk, checked.manifest.as_ref(), problem).unwrap();
        checked = check(&**disk).unwrap();
    }
    panic!("{checked:?}");
}

/// The path of the only snapshot in a directory, and its blocks.
fn snapshot_in(dir: &Path) -> (PathBuf, Vec<Place>) {
    let disk = Directory::open(dir).unwrap();
    let name = names(&disk).into_iter().find(|name| name.ends_with(".kvs")).unwrap();
    let blocks = Reader::open(&disk, &name).unwrap().blocks;
    (dir.join(name), blocks)
}

fn send(client: &mut TestClient, words: &[&[u8]]) {
    let mut reply = Vec::new();
    client.worker.execute(&mut client.session, words, &mut reply);
    assert!(!reply.starts_with(b"-"), "{}", reply.escape_ascii());
}

fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        let shift = |crc: u32, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
        (0..8).fold(crc ^ u32::from(*byte), shift)
    };
    !bytes.iter().fold(!0, step)
}

const ONE_SHARD: &str = "save \"\"\nshards 1\nrdbcompression no";

/// What a client stores is no block of a snapshot, whatever it looks like: those of another
/// dataset, and those of files that have no secret, which any client can make.
#[test]
fn data_cannot_pass_for_a_block() {
    let (theirs, ours) = (Folder::new("engine"), Folder::new("engine"));
    let (engine, _) = open(theirs.path(), ONE_SHARD).unwrap();
    send(&mut TestClient::new(&engine), &[b"SET", b"evil", b"1"]);
    // Seeds are the same in all tests: the second file has another secret than the first of ours.
    (0..2).for_each(|_| _ = engine.save(Reason::Save, false).unwrap());
    engine.close_data_dir();
    let (path, blocks) = snapshot_in(theirs.path());
    let bytes = std::fs::read(path).unwrap();
    let mut forged = Vec::new();
    for place in &blocks {
        let (at, end) = (place.offset as usize, (place.offset + place.len) as usize);
        let mut block = bytes[at..end].to_vec();
        forged.extend_from_slice(&block);
        let sum = crc(&block[8..]);
        block[..4].copy_from_slice(b"KvBl");
        block[4..8].copy_from_slice(&sum.to_le_bytes());
        forged.extend_from_slice(&block);
    }
    let (engine, _) = open(ours.path(), ONE_SHARD).unwrap();
    send(&mut TestClient::new(&engine), &[b"SET", b"host", &forged]);
    engine.save(Reason::Save, false).unwrap();
    engine.close_data_dir();
    let (path, blocks) = snapshot_in(ours.path());
    let place = blocks.iter().find(|place| place.db == 0).unwrap();
    spoil(&path, place.offset + 4);
    repair_all(&(Arc::new(Directory::open(ours.path()).unwrap()) as Arc<dyn Disk>));
    let (engine, _) = open(ours.path(), ONE_SHARD).unwrap();
    let mut client = TestClient::new(&engine);
    assert_eq!([client.ask("EXISTS host"), client.ask("EXISTS evil")], [":0", ":0"]);
    engine.close_data_dir();
}

/// A large value of which a chunk is lost is no value; what else there is stays.
#[test]
fn a_value_with_a_lost_chunk_is_left_out() {
    const FIELDS: usize = 30_000;
    let source = Folder::new("engine");
    let (engine, _) = open(source.path(), ONE_SHARD).unwrap();
    let mut client = TestClient::new(&engine);
    for key in ["one", "other"] {
        for n in 0..FIELDS {
            let field = format!("field {n:050}");
            send(&mut client, &[b"HSET", key.as_bytes(), field.as_bytes(), b"v"]);
        }
    }
    send(&mut client, &[b"SET", b"small", b"1"]);
    engine.save(Reason::Save, false).unwrap();
    engine.close_data_dir();
    let (path, blocks) = snapshot_in(source.path());
    let checked = check(&Directory::open(source.path()).unwrap()).unwrap();
    assert!(checked.problems.is_empty() && checked.keys == 3, "{checked:?}");
    let chunks: Vec<&Place> = blocks.iter().filter(|place| place.db == u32::MAX - 3).collect();
    assert!(chunks.len() >= 4, "{} chunks", chunks.len());
    assert!(chunks.iter().all(|place| place.len < 2 << 20), "a chunk is long");
    for place in [chunks[0], chunks[1], chunks[chunks.len() - 1]] {
        let folder = Folder::new("engine");
        copy(source.path(), folder.path());
        spoil(&folder.join(path.file_name().unwrap()), place.offset + place.len / 2);
        assert!(open(folder.path(), ONE_SHARD).is_err());
        repair_all(&(Arc::new(Directory::open(folder.path()).unwrap()) as Arc<dyn Disk>));
        let (engine, _) = open(folder.path(), ONE_SHARD).unwrap();
        let mut client = TestClient::new(&engine);
        assert_eq!([client.ask("DBSIZE"), client.ask("GET small")], [":2", "$1\r\n1"]);
        let lens = [client.ask("HLEN one"), client.ask("HLEN other")];
        assert!(lens.contains(&format!(":{FIELDS}")), "{lens:?}");
        engine.close_data_dir();
    }
}

/// Writes the records of a frame.
type Frame<'a> = &'a dyn Fn(&mut Vec<u8>);

/// Records that name others: what a start would refuse is not called whole.
#[test]
fn records_that_name_what_is_not_there_are_seen() {
    let barrier = |shard, seq| RecordId { shard, seq };
    let lonely = |out: &mut Vec<u8>, shard| {
        record::put(out, (Kind::Barrier, shard, 1, 0), |out| barrier(5, 1).put(out));
    };
    let half = |out: &mut Vec<u8>, kind, (shard, seq): (u16, u64), other, stays| {
        let half = Half { stays, shard: other, seq, key: b"key" };
        record::put(out, (kind, shard, seq, 0), |out| half.put(out));
    };
    let stored = |out: &mut Vec<u8>, shard, seq, barriers: &[RecordId]| {
        let derived =
            Derived { barriers: barriers.to_vec(), words: vec![b"SUNIONSTORE", b"a", b"b"] };
        record::put(out, (Kind::Derived, shard, seq, 0), |out| derived.put(out));
    };
    let frames: [Frame<'_>; 6] = [
        &|out| lonely(out, 3),
        &|out| half(out, Kind::From, (3, 1), 5, true),
        &|out| stored(out, 5, 1, &[barrier(3, 1)]),
        &|out| {
            // The command knows nothing of the barrier.
            lonely(out, 3);
            stored(out, 5, 1, &[]);
        },
        &|out| {
            half(out, Kind::From, (3, 1), 5, true);
            half(out, Kind::To, (5, 1), 3, false);
        },
        &|out| {
            // Each waits for what comes behind the other.
            half(out, Kind::From, (3, 1), 5, true);
            record::put(out, (Kind::Barrier, 5, 1, 0), |out| barrier(3, 2).put(out));
            stored(out, 3, 2, &[barrier(5, 1)]);
        },
    ];
    for (number, frame) in frames.iter().enumerate() {
        let folder = Folder::new("engine");
        let (engine, _) = open(folder.path(), LINES).unwrap();
        let mut records = Vec::new();
        frame(&mut records);
        let log = engine.store.log();
        log.append(&log.open_write_buffer(), &records);
        log.sync().unwrap();
        engine.close_data_dir();
        let disk: Arc<dyn Disk> = Arc::new(Directory::open(folder.path()).unwrap());
        let checked = check(&*disk).unwrap();
        assert!(open(folder.path(), LINES).is_err(), "{number}");
        let problem = checked.problems.first().unwrap_or_else(|| panic!("{number}: {checked:?}"));
        repair(&disk, checked.manifest.as_ref(), problem).unwrap();
        assert!(check(&*disk).unwrap().problems.is_empty());
        open(folder.path(), LINES).unwrap().0.close_data_dir();
    }
}

/// What the server itself writes of that kind is in order.
#[test]
fn records_that_name_each_other_are_whole() {
    let folder = Folder::new("engine");
    let (engine, _) = open(folder.path(), LINES).unwrap();
    let mut client = TestClient::new(&engine);
    for key in ["a", "b", "c", "d"] {
        assert_eq!(client.ask(&format!("SETRANGE {key} 140000 x")), ":140001");
        assert_eq!(client.ask(&format!("COPY {key} {key}1")), ":1");
        assert_eq!(client.ask(&format!("RENAME {key} {key}2")), "+OK");
        assert_eq!(client.ask(&format!("BITOP OR {key} a2 {key}1 {key}2")), ":140001");
    }
    engine.store.log().sync().unwrap();
    engine.close_data_dir();
    let disk = Directory::open(folder.path()).unwrap();
    let checked = check(&disk).unwrap();
    assert!(checked.problems.is_empty() && checked.records > 24, "{checked:?}");
}
