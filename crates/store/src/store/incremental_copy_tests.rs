//! Values copied in chunks are what they were when the copy began, or are not taken.

#[path = "incremental_copy_groups_tests.rs"]
mod groups;
#[path = "incremental_copy_moves_tests.rs"]
mod moves;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use base::codec::{Source, put_number};
use base::{Changed, Databases, Deadline, Holds, Key, Keyspace, Rng, StreamId, Strings, Types};
use types::stream::{Keep, Pending, Trim};
use types::{Contexts, Copier, End, Hash, List, Set, Stream, ZSet};

use crate::object::large::{CHUNK, ChunkSink, LARGE, Large, NotPut};
use crate::store::snapshot_scan::{Larges, Step};
use crate::{Assemblies, Object, Options, Scope, Store, Txn, image};

/// Elements of each value: enough for some chunks.
const COUNT: u32 = 3000;
/// The number of streams among types.
const STREAM: u8 = 5;
const KEYS: [&str; 6] = ["string", "list", "set", "hash", "zset", "stream"];

/// Chunks in memory.
#[derive(Default)]
struct Sink {
    chunks: Vec<Vec<u8>>,
    values: u64,
    mark: usize,
    /// How often chunks were taken back.
    taken_back: usize,
}

impl ChunkSink for Sink {
    fn size(&self) -> usize {
        3 * CHUNK
    }

    fn number(&mut self) -> u64 {
        self.values += 1;
        self.values
    }

    fn begin(&mut self) {
        self.mark = self.chunks.len();
    }

    fn take_back(&mut self) {
        self.taken_back += 1;
        self.chunks.truncate(self.mark);
    }

    fn put(&mut self, chunk: &[u8], _: u64) -> std::io::Result<()> {
        assert!(chunk.len() < 12 * CHUNK, "a chunk of {} bytes", chunk.len());
        self.chunks.push(chunk.to_vec());
        Ok(())
    }
}

impl Sink {
    /// The entry that the chunks of a value make, as it would stand in a step.
    fn entry(&self, value: u64) -> Vec<u8> {
        let (mut entry, mut content) = (Vec::new(), Vec::new());
        let of_value = |chunk: &&Vec<u8>| Assemblies::whose(chunk).expect("a piece").0 == value;
        for (number, chunk) in self.chunks.iter().filter(of_value).enumerate() {
            let mut source = Source::new(chunk);
            source.number().expect("a value");
            assert_eq!(source.number(), Ok(number as u64));
            source.byte().expect("flags");
            if number == 0 {
                assert_eq!(source.number(), Ok(0), "a database");
                let before = source.rest();
                image::head(&mut source).expect("a head");
                entry.extend_from_slice(&before[..before.len() - source.rest().len()]);
            }
            content.extend_from_slice(source.rest());
        }
        if entry[0] == STREAM {
            put_number(&mut entry, content.len() as u64);
        }
        entry.append(&mut content);
        entry
    }
}

struct Stage {
    store: Arc<Store>,
    txn: Txn,
}

impl Stage {
    fn new() -> Self {
        let store = Arc::new(Store::new(Options {
            shards: 1,
            databases: 2,
            hashing: base::Hashing::new(7),
        }));
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

    /// Bytes of notes that the shard keeps, of strings.
    fn noted(&self) -> usize {
        let guard = self.store.locks.wait_for(0);
        let copying = guard.as_ref().and_then(|shard| shard.copying.as_ref());
        copying.map_or(0, |copying| copying.texts.iter().map(|text| text.noted.bytes()).sum())
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
                // Its sign is lost in the packed form, in which what is read back begins.
                zset.remove(&word(0));
                zset.insert(&word(0), -0.0, &limits);
            })
            .expect(refused);
            Holds::<Stream>::edit(txn, stream, |stream| {
                stream.create_group(b"group", StreamId::MIN, None);
                for ms in 1..u64::from(COUNT) {
                    let (id, value) = (StreamId { ms, seq: 0 }, word(1));
                    stream.push(id, &[b"field", &value], &limits).expect("ascending");
                }
                stream.edit_group(b"group", |_, group| {
                    let names = [&b"one"[..], b"other", b"third"];
                    let numbers = names.map(|name| group.find_or_create(name, 1).0);
                    for ms in 1..u64::from(COUNT) / 2 {
                        let (id, consumer) =
                            (StreamId { ms: 2 * ms, seq: 0 }, numbers[ms as usize % 3]);
                        group.deliver(Pending { id, delivered: ms, deliveries: 1, consumer });
                    }
                });
            })
            .expect(refused);
        });
    }

    /// Begins to copy a key in chunks.
    fn begin(&self, name: &str) -> Copy {
        let mut from = 0;
        loop {
            let copier = Copier::default();
            let step = self.store.read_step(0, 0, from, Larges::Apart(&copier));
            let mut step = step.expect("every large value can be copied in pieces");
            let larges = std::mem::take(&mut step.larges);
            if larges.iter().any(|large| *large.key == *name.as_bytes()) {
                let (store, sink) = (Arc::clone(&self.store), Sink::default());
                let name = name.into();
                let mut copy = Copy { store, name, step, larges, copier, sink };
                for large in &mut copy.larges {
                    large.number = copy.sink.number();
                    large.begin_chunk(0);
                }
                return copy;
            }
            from = step.next.expect("every key is met");
        }
    }

    /// The entry of a key, read in one hold.
    fn whole(&self, name: &str) -> Vec<u8> {
        let mut from = 0;
        loop {
            let step = self.store.read_step(0, 0, from, Larges::Whole);
            let step = step.expect("all is read");
            if let Some(entry) = entry_of(&step.read, name) {
                return entry;
            }
            from = step.next.expect("every key is met");
        }
    }
}

/// A step on its way, for one of its keys.
struct Copy {
    store: Arc<Store>,
    name: String,
    step: Step,
    larges: Vec<Large>,
    copier: Copier,
    sink: Sink,
}

impl Copy {
    /// Copies the next chunk; whether there is more.
    fn next(&mut self) -> Result<bool, Changed> {
        let of_name = |large: &&mut Large| *large.key == *self.name.as_bytes();
        let large = self.larges.iter_mut().find(of_name).expect("its large value");
        self.store.copy_next(0, 0, large, &self.copier)?;
        let longest = 4200;
        let read = large.copy.as_ref().map_or(0, |copy| copy.last_read());
        assert!(read <= CHUNK + longest, "a hold that is too long");
        let more = !large.done;
        large.put(0, 3 * CHUNK, (false, &mut self.sink)).map_err(changed)?;
        Ok(more)
    }

    /// Copies what is left; the entry of the key as it was.
    fn finish(mut self) -> Result<Vec<u8>, Changed> {
        let to = (false, &mut self.sink as &mut dyn ChunkSink);
        self.store.copy_larges((0, 0), &mut self.larges, &self.copier, to).map_err(changed)?;
        let of_name = |large: &&Large| *large.key == *self.name.as_bytes();
        let large = self.larges.iter().find(of_name).expect("its large value");
        Ok(self.sink.entry(large.number))
    }
}

fn changed(failed: NotPut) -> Changed {
    match failed {
        NotPut::Changed => Changed,
        NotPut::Io(error) => panic!("{error}"),
    }
}

/// The entry of this key among some.
fn entry_of(entries: &[u8], name: &str) -> Option<Vec<u8>> {
    let mut source = Source::new(entries);
    while !source.is_done() {
        let before = source.rest();
        image::skip(&mut source).expect("an entry");
        let entry = &before[..before.len() - source.rest().len()];
        let read = image::read(&mut Source::new(entry), &limits(), &mut Contexts::new(0));
        if read.expect("an entry").key == name.as_bytes() {
            return Some(entry.to_vec());
        }
    }
    None
}

fn limits() -> base::PackLimits {
    base::PackLimits::default()
}

/// Entries of which elements have no order get one.
fn in_order(entry: &[u8]) -> Vec<Vec<u8>> {
    let mut source = Source::new(entry);
    let read = image::read(&mut source, &limits(), &mut Contexts::new(0)).expect("an entry");
    assert!(source.is_done());
    let mut elements: Vec<Vec<u8>> = match read.value {
        image::Value::Object(Object::Hash(hash)) => {
            hash.iter().map(|(field, value)| [field, b"=", value].concat()).collect()
        }
        image::Value::Object(Object::Set(set)) => {
            set.iter().map(|member| member.to_vec()).collect()
        }
        _ => return vec![entry.to_vec()],
    };
    elements.sort();
    // Nothing may be there twice: reading would not tell.
    let (kind, head) = (entry[0], entry.len());
    elements.push(vec![kind]);
    elements.push(head.to_le_bytes().to_vec());
    elements
}

/// Every entry of the shard's first database, as a scan reads it.
fn snapshot_scan(store: &Store) -> Vec<Vec<u8>> {
    let (mut entries, mut from, mut sink) = (Vec::new(), Some(0), Sink::default());
    while let Some(at) = from {
        let mut out = Vec::new();
        let before = sink.values;
        let scanned = store.snapshot_scan((0, 0), at, &mut out, &mut sink).expect("no disk");
        if scanned.large > 0 {
            assert!(sink.values > before);
            let last = sink.values - scanned.large;
            entries.extend((last + 1..=sink.values).map(|value| sink.entry(value)));
        }
        let mut source = Source::new(&out);
        for _ in 0..3 {
            source.number().expect("the head of a step");
        }
        for _ in 0..scanned.entries {
            let before = source.rest();
            image::skip(&mut source).expect("an entry");
            entries.push(before[..before.len() - source.rest().len()].to_vec());
        }
        assert!(source.is_done());
        from = scanned.next;
    }
    entries.sort();
    entries
}

fn word(n: usize) -> Vec<u8> {
    format!("element number {n:030}").into_bytes()
}

/// Changes the stream somehow.
fn change_stream(stream: &mut Stream, which: usize, some: usize, at: u64) {
    let (last, name) = (stream.log().last_id(), format!("consumer {}", some % 5));
    let id = StreamId { ms: at, seq: 0 };
    match which {
        0 => {
            let id = StreamId { ms: last.ms + 1, seq: 0 };
            stream.push(id, &[b"field", b"new"], &limits()).expect("ascending");
        }
        1 => _ = stream.delete(&[id]),
        2 => {
            let keep = Keep::Last((stream.log().len() - some / 4) as u64);
            stream.trim(&Trim { keep, approximate: false, limit: 0 });
        }
        _ => {
            stream.edit_group(b"group", |_, group| match some {
                0 => _ = group.delete(name.as_bytes()),
                1 => _ = group.delete(b"other"),
                2..20 => _ = group.acknowledge(StreamId { ms: at & !1, seq: 0 }),
                _ => {
                    let (consumer, _) = group.find_or_create(name.as_bytes(), 1);
                    let deliveries = some as u64;
                    group.deliver(Pending { id, delivered: 1, deliveries, consumer });
                }
            });
        }
    }
}

/// Changes the value at a key somehow.
fn change(stage: &mut Stage, name: &str, rng: &mut Rng) {
    let (key, limits, count) = (stage.key(name), limits(), COUNT as usize);
    let (old, new) = (word(rng.below(count)), word(count + rng.below(count / 8)));
    let (which, some, at) = (rng.below(6), rng.below(40), rng.below(count));
    let short = vec![b'y'; rng.below(100)];
    let end = if some > 20 { End::Head } else { End::Tail };
    let edited = stage.run(|txn| match name {
        "string" => {
            let len = txn.string(key).expect("a string").map_or(0, <[u8]>::len);
            let at = if which == 0 { len } else { (64 * at).min(len) };
            txn.edit_string_within(key, at..at + short.len(), |bytes| {
                bytes.resize(bytes.len().max(at + short.len()), b'z');
                bytes[at..at + short.len()].copy_from_slice(&short);
            })
        }
        "hash" => Holds::<Hash>::edit(txn, key, |hash| match which {
            0 | 1 => _ = hash.set(&old, &short, &limits),
            2 => _ = hash.set(&new, &short, &limits),
            3 => _ = hash.remove(&new),
            _ => _ = hash.remove(&old),
        }),
        "set" => Holds::<Set>::edit(txn, key, |set| match which {
            0 | 1 => _ = set.add(&old, &limits),
            2 => _ = set.add(&new, &limits),
            3 => _ = set.pop(rng),
            4 => _ = set.remove(&new),
            _ => _ = set.remove(&old),
        }),
        "zset" => Holds::<ZSet>::edit(txn, key, |zset| match which {
            0 | 1 => _ = zset.insert(&old, f64::from(at as u32), &limits),
            2 => _ = zset.insert(&new, f64::from(at as u32), &limits),
            3 => _ = zset.remove_ranks(some * 50..some * 50 + 5),
            4 => _ = zset.pop_max(),
            _ => _ = zset.remove(&old),
        }),
        "list" => Holds::<List>::edit(txn, key, |list| match which {
            0 => list.push(end, &new, &limits),
            1 => _ = list.rotate(End::Tail, &limits),
            2 => _ = list.insert(some * list.len() / 40, &new, &limits),
            3 => _ = list.set(some * list.len() / 41, &new, &limits),
            4 => list.drop_from(end, some / 4),
            _ => _ = list.remove(&old, 1, End::Head),
        }),
        _ => Holds::<Stream>::edit(txn, key, |stream| {
            change_stream(stream, which, some, at as u64);
        }),
    });
    edited.expect("no other type is there");
}

#[test]
fn what_changes_meanwhile_is_copied_as_it_was() {
    for name in KEYS {
        for seed in 0..8 {
            let mut rng = Rng::new(seed);
            let mut stage = Stage::new();
            stage.fill();
            (0..seed * 20).for_each(|_| change(&mut stage, name, &mut rng));
            let was = in_order(&stage.whole(name));
            let mut copy = stage.begin(name);
            let busy = 1 + rng.below(60);
            loop {
                (0..rng.below(busy)).for_each(|_| change(&mut stage, name, &mut rng));
                match copy.next() {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(Changed) => panic!("{name} is not followed with seed {seed}"),
                }
            }
            (0..20).for_each(|_| change(&mut stage, name, &mut rng));
            let read = copy.finish().expect("a copy");
            assert!(in_order(&read) == was, "{name} is another with seed {seed}");
            assert!(in_order(&stage.whole(name)) != was, "nothing changed in {name}");
        }
    }
}

#[test]
fn chunks_make_the_whole() {
    let mut stage = Stage::new();
    stage.fill();
    let mut whole: Vec<Vec<u8>> = KEYS.iter().map(|name| stage.whole(name)).collect();
    whole.sort();
    let read: Vec<_> = snapshot_scan(&stage.store).iter().map(|entry| in_order(entry)).collect();
    let mut whole: Vec<_> = whole.iter().map(|entry| in_order(entry)).collect();
    whole.sort();
    assert_eq!(read.len(), whole.len());
    assert!(read.iter().all(|entry| whole.contains(entry)));
    assert_eq!(stage.store.large.whole.load(Ordering::Relaxed), 0);
}

#[test]
fn chunks_are_put_together_in_their_order_or_not_at_all() {
    let mut stage = Stage::new();
    stage.fill();
    for name in KEYS {
        let mut copy = stage.begin(name);
        let number = copy.larges.iter().find(|large| *large.key == *name.as_bytes());
        let number = number.expect("its large value").number;
        while copy.next().expect("a copy") {}
        let is_its = |chunk: &&Vec<u8>| Assemblies::whose(chunk).expect("a piece").0 == number;
        let chunks: Vec<&Vec<u8>> = copy.sink.chunks.iter().filter(is_its).collect();
        assert!(chunks.len() > 2, "{name} is in {} chunks", chunks.len());
        let take = |which: &[usize]| {
            let mut open = Assemblies::default();
            let mut last = None;
            for &chunk in which {
                last = open.take(chunks[chunk], &limits()).ok()?.1;
            }
            assert_eq!(open.is_empty(), last.is_some());
            last
        };
        let all: Vec<usize> = (0..chunks.len()).collect();
        let mut entry = take(&all).expect("all of it");
        let image::Image { key, value, .. } = entry.image();
        assert_eq!(key, name.as_bytes());
        let whole = stage.whole(name);
        let was = image::read(&mut Source::new(&whole), &limits(), &mut Contexts::new(0));
        let bytes = |value: &image::Value<'_>| match value {
            image::Value::Text(text) => text.len(),
            image::Value::Object(Object::Str(text)) => text.len(),
            image::Value::Object(object) => object.memory(),
        };
        // Tables of other hashes take another form.
        let (now, then) = (bytes(&value), bytes(&was.expect("an entry").value));
        assert!(now.abs_diff(then) < then / 4, "{name}: {now} instead of {then}");
        if let image::Value::Object(Object::ZSet(zset)) = &value {
            let lowest = zset.get(0).expect("a member").1;
            assert!(lowest.is_sign_negative(), "{lowest} instead of -0");
        }
        for (what, which) in [
            ("the first is missing", &all[1..]),
            ("the last is missing", &all[..all.len() - 1]),
            ("one is missing", &[&all[..1], &all[2..]].concat()[..]),
            ("one comes twice", &[&all[..2], &all[1..]].concat()),
            ("two come the other way round", &[&all[..1], &[2, 1], &all[3..]].concat()),
            ("they begin twice", &[&all[..1], &all[..]].concat()),
        ] {
            assert!(take(which).is_none(), "{name}: {what}");
        }
        // Whatever a chunk is cut off to, it is refused or the whole is not there.
        for cut in 0..40.min(chunks[1].len()) {
            let mut open = Assemblies::default();
            let short = &chunks[1][..chunks[1].len() - 1 - cut];
            let taken =
                [&chunks[0][..], short].into_iter().chain(chunks[2..].iter().map(|p| &p[..]));
            let last = taken.map(|chunk| open.take(chunk, &limits())).last();
            assert!(!matches!(last, Some(Ok((_, Some(_))))), "{name} without {cut} bytes");
        }
    }
}

#[test]
fn notes_of_what_is_copied_are_not_kept() {
    let mut stage = Stage::new();
    stage.fill();
    for name in ["hash", "set", "string"] {
        let mut copy = stage.begin(name);
        let key = stage.key(name);
        let mut noted = Vec::new();
        loop {
            // Before each chunk, a part of it changes.
            let some = COUNT as usize / 4;
            let edited = stage.run(|txn| match name {
                "hash" => Holds::<Hash>::edit(txn, key, |hash| {
                    (0..some).for_each(|n| _ = hash.set(&word(n), b"other", &limits()));
                }),
                "set" => Holds::<Set>::edit(txn, key, |set| {
                    (0..some).for_each(|n| _ = set.remove(&word(n)));
                    (0..some).for_each(|n| _ = set.add(&word(n), &limits()));
                }),
                _ => txn.edit_string_within(key, 9000..9999, |bytes| bytes[9000..9999].fill(b'n')),
            });
            edited.expect("no other type is there");
            if !copy.next().expect("a copy") {
                break;
            }
            let large = copy.larges.iter().find(|large| *large.key == *name.as_bytes());
            let copied = large.and_then(|large| large.copy.as_ref()).map_or(0, |copy| copy.noted());
            noted.push(copied + stage.noted());
        }
        let (first, last) = (noted[0], noted[noted.len() - 1]);
        assert!(first > 500 && last < first / 2, "{name}: {noted:?}");
        copy.finish().expect("a copy");
    }
}

/// A byte that changes all the time is noted once: neither the notes nor the chunks that look for
/// theirs become more and more.
#[test]
fn a_byte_that_changes_all_the_time_is_noted_once() {
    let mut stage = Stage::new();
    stage.fill();
    let was = stage.whole("string");
    let mut copy = stage.begin("string");
    let (key, last) = (stage.key("string"), 3 * LARGE - 1);
    for n in 0..20_000_usize {
        stage
            .run(|txn| txn.edit_string_within(key, last..last + 1, |bytes| bytes[last] = n as u8))
            .expect("a string");
        if n % 1000 == 0 {
            assert_eq!(copy.next(), Ok(true));
            assert!(stage.noted() < 200, "{} bytes of notes", stage.noted());
        }
    }
    assert!(copy.finish().expect("a copy") == was);
}

#[test]
fn snapshot_scans_beside_changes_never_hold_for_long() {
    let mut stage = Stage::new();
    stage.fill();
    let scans = |store: &Arc<Store>| {
        let store = Arc::clone(store);
        std::thread::spawn(move || (0..5).map(|_| snapshot_scan(&store)).collect::<Vec<_>>())
    };
    // Two at once: each waits for the other where it copies in chunks.
    let readers = [scans(&stage.store), scans(&stage.store)];
    let list = stage.key("list");
    let mut rng = Rng::new(7);
    // The list is always of numbers in a row: one is pushed for each that is popped.
    let mut next = COUNT as usize;
    while !readers.iter().all(std::thread::JoinHandle::is_finished) {
        let edited = stage.run(|txn| {
            Holds::<List>::edit(txn, list, |list| {
                list.pop(End::Head);
                list.push(End::Tail, &word(next), &limits());
            })
        });
        edited.expect("a list");
        for name in ["string", "hash", "set", "zset"] {
            change(&mut stage, name, &mut rng);
        }
        next += 1;
        std::thread::yield_now();
    }
    assert_eq!(stage.store.large.whole.load(Ordering::Relaxed), 0, "a long hold");
    for entry in readers.into_iter().flat_map(|reader| reader.join().expect("it lives")).flatten() {
        let read = image::read(&mut Source::new(&entry), &limits(), &mut Contexts::new(0))
            .expect("an entry");
        let image::Value::Object(Object::List(list)) = read.value else { continue };
        let number = |element: &[u8]| {
            let digits = std::str::from_utf8(&element[element.len() - 30..]).expect("digits");
            digits.parse::<u32>().expect("a number")
        };
        let numbers: Vec<u32> = list.iter().map(number).collect();
        assert_eq!(numbers.len(), COUNT as usize);
        assert!(numbers.windows(2).all(|pair| pair[1] == pair[0] + 1), "of two moments");
    }
}

#[test]
fn a_snapshot_scan_ends_whatever_happens_to_its_values() {
    let mut stage = Stage::new();
    stage.fill();
    let store = Arc::clone(&stage.store);
    let reader =
        std::thread::spawn(move || (0..3).map(|_| snapshot_scan(&store)).collect::<Vec<_>>());
    while !reader.is_finished() {
        for name in KEYS {
            let (key, other) = (stage.key(name), stage.store.hasher().key(b"other"));
            stage.run(|txn| {
                assert!(txn.rename(key, other));
                assert!(txn.rename(other, key));
            });
        }
        std::thread::yield_now();
    }
    for entries in reader.join().expect("it lives") {
        assert_eq!(entries.len(), KEYS.len());
    }
}
