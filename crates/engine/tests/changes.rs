//! The change stream: what consumers are told is what has changed, whichever way it came.
//!
//! ```text
//!   what the dataset held before ─► the changes that are told ─► what it holds after,
//!                                                                but for the values written
//! ```
//!
//! `KVIST_SEED` repeats a run of random requests.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use base::{Flag, Rng};
use kvist_engine::{Action, Change, ChangeBatch, ChangeEvent, ChangeKind, ChangeReader, Engine};
use testkit::seed::rng;

use crate::contents::unseen;
use crate::tame;
use crate::test_client::{TestClient, engine_with};

const BACKLOG_LIMIT: usize = 1 << 30;

/// What a key holds: its deadline, the digest of its value, and what that leaves out.
type Held = (Option<u64>, Vec<u8>, String);

/// What each key of each database holds, `None` if that is yet to be seen.
type State = BTreeMap<(usize, Vec<u8>), Option<Held>>;

/// A database, a key, and what became of it.
type Told = (usize, String, ChangeKind);

/// A reader, and the number of the last change of each shard that it knows.
struct Reader {
    changes: ChangeReader,
    known: Vec<u64>,
}

impl Reader {
    fn new(engine: &Arc<Engine>) -> Self {
        Reader::with_backlog_limit(engine, BACKLOG_LIMIT)
    }

    fn with_backlog_limit(engine: &Arc<Engine>, limit: usize) -> Self {
        let changes = engine.changes(limit).unwrap();
        let known = (0..engine.store.shards()).map(|shard| changes.since(shard)).collect();
        Reader { changes, known }
    }

    /// All batches that are there, in order and without a gap.
    fn batches(&mut self) -> Vec<Arc<ChangeBatch>> {
        let mut batches = Vec::new();
        while let Some(item) = self.changes.next(Duration::ZERO) {
            let ChangeEvent::Batch(batch) = item else { panic!("{item:?}") };
            assert_eq!(batch.first, self.known[batch.shard] + 1, "{batch:?}");
            assert!(!batch.changes.is_empty());
            self.known[batch.shard] = batch.last();
            batches.push(batch);
        }
        batches
    }

    /// What became of keys, those of one shard in order.
    fn told(&mut self) -> Vec<Told> {
        let batches = self.batches();
        let told = batches.iter().flat_map(|batch| &batch.changes).map(|change| match change {
            Change::Key { db, key, kind, .. } => {
                (*db, String::from_utf8_lossy(key).into_owned(), *kind)
            }
            other => panic!("{other:?}"),
        });
        told.collect()
    }

    /// The same, sorted: shards have no order among each other.
    fn told_sorted(&mut self) -> Vec<Told> {
        let mut told = self.told();
        told.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        told
    }
}

fn told(db: usize, key: &str, kind: ChangeKind) -> Told {
    (db, key.to_owned(), kind)
}

fn encode(words: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", words.len()).into_bytes();
    for word in words {
        bytes.extend(format!("${}\r\n", word.len()).bytes());
        bytes.extend(word);
        bytes.extend(b"\r\n");
    }
    bytes
}

/// Sends requests at once; a wait is given up.
fn send(client: &mut TestClient, requests: &[Vec<Vec<u8>>]) -> Vec<u8> {
    let mut out = Vec::new();
    for request in requests {
        let mut input = encode(request);
        client.worker.feed(&mut client.session, &mut input, &mut out);
        if client.session.blocked.is_some() {
            client.waited();
        }
    }
    out
}

/// Everything that is there, also past its deadline. To see it changes nothing.
fn state(engine: &Arc<Engine>) -> State {
    let mut eyes = TestClient::new(engine);
    // At this time nothing has expired.
    eyes.worker.begin(0);
    let mut keys = Vec::new();
    for db in 0..engine.store.databases() {
        for shard in 0..engine.store.shards() {
            store::each_entry(&mut eyes.worker.txn.held, shard, db, &mut |seen| {
                keys.push((db, seen.key.to_vec(), seen.deadline, unseen(&seen)));
            });
        }
    }
    let words = |words: &[&[u8]]| words.iter().map(|word| word.to_vec()).collect::<Vec<_>>();
    let mut state = State::new();
    for (db, key, deadline, unseen) in keys {
        let select = words(&[b"SELECT", db.to_string().as_bytes()]);
        let value = send(&mut eyes, &[select, words(&[b"DEBUG", b"DIGEST-VALUE", &key])]);
        assert!(value.starts_with(b"+OK\r\n*1\r\n"), "{}", value.escape_ascii());
        state.insert((db, key), Some((deadline, value, unseen)));
    }
    state
}

/// What the changes make of a state.
fn follow(engine: &Engine, state: &mut State, batches: &[Arc<ChangeBatch>]) {
    for batch in batches {
        let is_here =
            |key: &[u8]| engine.store.shard_of(engine.store.hasher().hash(key)) == batch.shard;
        for change in &batch.changes {
            match change {
                Change::Key { db, key, kind: ChangeKind::Written, .. } => {
                    assert!(is_here(key));
                    state.insert((*db, key.to_vec()), None);
                }
                Change::Key { db, key, kind, .. } => {
                    assert!(is_here(key));
                    let was = state.remove(&(*db, key.to_vec()));
                    assert!(*kind == ChangeKind::Removed || was.is_some(), "{change:?}");
                }
                Change::Flushed { db } => state.retain(|(of, key), _| of != db || !is_here(key)),
                Change::Swapped { a, b } => {
                    let here = std::mem::take(state).into_iter();
                    *state = here
                        .map(|((db, key), value)| match db {
                            db if db == *a && is_here(&key) => ((*b, key), value),
                            db if db == *b && is_here(&key) => ((*a, key), value),
                            db => ((db, key), value),
                        })
                        .collect();
                }
            }
        }
    }
}

/// The changes have made of what was before what is after, and tell of no key that no request
/// has named or that went by itself.
fn check(
    engine: &Engine,
    before: State,
    after: &State,
    batches: &[Arc<ChangeBatch>],
    named: &[Vec<u8>],
) {
    let mut followed = before;
    follow(engine, &mut followed, batches);
    for (place, value) in after {
        let told = followed.get(place);
        let told = told.unwrap_or_else(|| panic!("it is not told that there is {place:?}"));
        assert!(
            told.is_none() || told == value,
            "it is not told that {} has changed by {}",
            place.1.escape_ascii(),
            named.join(&b" "[..]).escape_ascii()
        );
    }
    for place in followed.keys() {
        assert!(after.contains_key(place), "it is told that there is {place:?}");
    }
    for change in batches.iter().flat_map(|batch| &batch.changes) {
        if let Change::Key { key, kind: ChangeKind::Written | ChangeKind::Removed, .. } = change {
            assert!(named.iter().any(|word| **word == **key), "{change:?} of {named:?}");
        }
    }
}

/// Runs the requests that it is given, each with the number of its words before it.
const SCRIPT: &str = "local at = 1
    while at <= #ARGV do
        local words, n = {}, tonumber(ARGV[at])
        for i = 1, n do words[i] = ARGV[at + i] end
        redis.pcall(unpack(words))
        at = at + n + 1
    end";

fn words(line: &str) -> Vec<Vec<u8>> {
    line.split(' ').map(|word| word.as_bytes().to_vec()).collect()
}

/// A request of which kind ever.
fn any_request(rng: &mut Rng) -> Vec<Vec<u8>> {
    let line = |line: &str, rng: &mut Rng| {
        let key = format!("key:{}", rng.below(40));
        let other = format!("key:{}", rng.below(40));
        let text = line.replace("KEY", &key).replace("OTHER", &other);
        words(&text.replace("NUMBER", &rng.below(40).to_string()))
    };
    match rng.below(20) {
        0..4 => tame::document_request(rng),
        4 => line("PEXPIRE KEY NUMBER", rng),
        5 => line("GET KEY", rng),
        6 if rng.below(5) == 0 => {
            const WHOLE: [&str; 5] =
                ["FLUSHDB", "FLUSHALL", "FLUSHALL ASYNC", "SWAPDB 0 1", "SWAPDB 1 2"];
            words(WHOLE[rng.below(WHOLE.len())])
        }
        6 => {
            const MORE: [&str; 15] = [
                "EXPIRE KEY -1",
                "SET KEY v PXAT 1",
                "BLPOP KEY 0.001",
                "BRPOP KEY 0.001",
                "BLMPOP 0.001 1 KEY LEFT",
                "BRPOPLPUSH KEY OTHER 0.001",
                "BZPOPMIN KEY 0.001",
                "BZPOPMAX KEY 0.001",
                "BZMPOP 0.001 1 KEY MIN",
                "SPOP KEY",
                "SPOP KEY 2",
                "ZREMRANGEBYLEX KEY - +",
                "ZRANDMEMBER KEY",
                "XGROUP CREATE stream:1 g 0 MKSTREAM",
                "RANGE.DELETE [key:1NUMBER [key:1NUMBER",
            ];
            let at = rng.below(MORE.len());
            line(MORE[at], rng)
        }
        _ => tame::any_request(rng),
    }
}

/// One step: some requests, by one door; what they name. Whether all is one transaction.
fn step(client: &mut TestClient, rng: &mut Rng) -> (Vec<Vec<u8>>, bool) {
    let count = if rng.below(3) == 0 { 1 + rng.below(6) } else { 1 };
    let requests: Vec<_> = (0..count).map(|_| any_request(rng)).collect();
    let named: Vec<Vec<u8>> = requests.concat();
    match rng.below(4) {
        0 | 1 => {
            send(client, &requests);
            (named, false)
        }
        2 => {
            send(client, &[words("MULTI")]);
            send(client, &requests);
            send(client, &[words("EXEC")]);
            (named, true)
        }
        _ => {
            let key = requests[0].get(1).cloned().unwrap_or_default();
            let mut script = vec![b"EVAL".to_vec(), SCRIPT.into(), b"1".to_vec(), key];
            for request in requests {
                script.push(request.len().to_string().into_bytes());
                script.extend(request);
            }
            send(client, &[script]);
            (named, true)
        }
    }
}

#[test]
fn what_is_told_is_what_has_changed() {
    let mut rng = rng();
    let engine = engine_with("databases 4\nshards 4\nenable-debug-command yes");
    let mut client = TestClient::new(&engine);
    let mut reader = Reader::new(&engine);
    let mut txn = store::Txn::new(Arc::clone(&engine.store), 1);
    let (mut before, mut now) = (state(&engine), 1_000_000);
    for _ in 0..testkit::seed::setting("KVIST_STEPS", 400) {
        now += rng.below(20) as u64;
        client.worker.begin(now);
        let (mut named, mut at_once) = (Vec::new(), false);
        match rng.below(40) {
            0 => {
                store::expire_step(&mut txn, rng.below(4), now);
            }
            1 => {
                let victims = store::Victims { by: store::By::Random, expiring: false, samples: 1 };
                store::evict_step(&mut txn, &victims, 1);
            }
            2 => drop(send(&mut client, &[words(&format!("SELECT {}", rng.below(4)))])),
            _ => (named, at_once) = step(&mut client, &mut rng),
        }
        let (batches, after) = (reader.batches(), state(&engine));
        if at_once {
            let shards: BTreeSet<usize> = batches.iter().map(|batch| batch.shard).collect();
            assert_eq!(shards.len(), batches.len(), "a transaction is one batch: {batches:?}");
        }
        // A range of keys is named by its ends.
        if named.iter().any(|word| word.to_ascii_lowercase().starts_with(b"range")) {
            named.extend(before.keys().map(|(_, key)| key.clone()));
        }
        check(&engine, before, &after, &batches, &named);
        before = after;
    }
    assert_eq!(engine.store.change_backlog(), 0);
}

/// Commands that write and that no random request is made of.
const ELSEWHERE: &[&str] = &["migrate", "restore", "restore-asking"];

/// What changes something only behind others.
const RARE: &[&str] = &[
    "GRAPH.QUERY one CREATE()",
    "GRAPH.PROFILE one CREATE()",
    "GRAPH.CONSTRAINT CREATE one MANDATORY NODE L PROPERTIES 1 a",
    "GRAPH.COPY one two",
    "GRAPH.DELETE one",
    "GRAPH.APPLY one \u{0}\u{1}L",
    "GRAPH.BULK three BEGIN 1 0 1 0 L\u{0}\u{1}\u{0}\u{0}\u{0}a\u{0}\u{0}",
    "GRAPH.IMPORT three FORMAT CYPHER CREATE()",
    "FOLIO.OPEN project",
    "FOLIO.COMMIT project ADD {id:@a,trash}",
    "FOLIO.EMPTYTRASH project",
    "FOLIO.COMMIT project ADD {id:@t,point,his,tz:\"UTC\",kind:\"Bool\"}",
    "FOLIO.HIS.WRITE project t [{ts:2024-01-01T00:00:00Z,val:T}]",
    "FOLIO.HIS.CLEAR project t",
    "FOLIO.HIS.WRITEALL project [{id:@t,ts:2024-01-01T00:00:00Z,val:T}]",
    "FOLIO.IMPORT project RECORDS {id:@b,site}",
    "FOLIO.APPLY project \u{2}\u{5}",
    "JSON.SET d $ [1,2,3]",
    "JSON.ARRTRIM d $ 0 0",
    "JSON.SET d $ true",
    "JSON.TOGGLE d $",
    "XADD s 1-1 f v",
    "XADD s 2-1 f v",
    "XGROUP CREATE s g 0",
    "XREADGROUP GROUP g a STREAMS s >",
    "XCLAIM s g b 0 1-1",
    "XAUTOCLAIM s g c 0 0",
    "XACK s g 1-1",
    "XGROUP DELCONSUMER s g a",
    "XTRIM s MAXLEN 1",
    "XDEL s 2-1",
];

#[test]
fn every_command_that_writes_tells_it() {
    let table = kvist_engine::command_table().unwrap();
    let writes = |entry: &&kvist_engine::Entry| {
        matches!(entry.action, Action::Data(_)) && entry.has(Flag::Write)
    };
    let mut silent: BTreeSet<&str> =
        table.callable().filter(writes).map(|entry| entry.name()).collect();
    silent.retain(|name| !ELSEWHERE.contains(name) && !name.starts_with("ring."));
    let mut rng = rng();
    let engine = engine_with("databases 4\nshards 4\nenable-debug-command yes");
    let mut client = TestClient::new(&engine);
    let mut reader = Reader::new(&engine);
    for round in 0..200_000 {
        client.worker.begin(1_000_000 + round as u64);
        let request = RARE.get(round).map_or_else(|| any_request(&mut rng), |line| words(line));
        send(&mut client, std::slice::from_ref(&request));
        if !reader.batches().is_empty() {
            let lower = |word: &Vec<u8>| String::from_utf8_lossy(word).to_ascii_lowercase();
            let name = lower(&request[0]);
            let full = format!("{name}|{}", request.get(1).map(lower).unwrap_or_default());
            silent.retain(|of| *of != name && *of != full);
        }
        if silent.is_empty() {
            break;
        }
    }
    assert!(silent.is_empty(), "no change of these was told: {silent:?}");
}

#[test]
fn what_moves_is_two_changes() {
    use ChangeKind::{Removed, Written};
    let engine = engine_with("");
    let mut client = TestClient::new(&engine);
    client.feed("SET a 1\r\nSET m 1\r\n");
    let mut reader = Reader::new(&engine);
    assert_eq!(client.ask("RENAME a b"), "+OK");
    assert_eq!(reader.told_sorted(), [told(0, "a", Removed), told(0, "b", Written)]);
    assert_eq!(client.ask("COPY b c"), ":1");
    assert_eq!(reader.told(), [told(0, "c", Written)]);
    assert_eq!(client.ask("COPY b c DB 2"), ":1");
    assert_eq!(reader.told(), [told(2, "c", Written)]);
    assert_eq!(client.ask("MOVE m 1"), ":1");
    assert_eq!(reader.told_sorted(), [told(0, "m", Removed), told(1, "m", Written)]);
    assert_eq!(
        client.ask("RESTORE r 0 nonsense"),
        "-ERR DUMP payload version or checksum are wrong"
    );
    let dump = send(&mut client, &[words("DUMP b")]);
    let dump =
        dump[dump.iter().position(|&byte| byte == b'\n').unwrap() + 1..dump.len() - 2].to_vec();
    assert!(reader.told().is_empty());
    send(&mut client, &[[words("RESTORE r 0"), vec![dump]].concat()]);
    assert_eq!(reader.told(), [told(0, "r", Written)]);
}

#[test]
fn whole_databases_are_one_change_of_shard_0_and_each_that_has_keys() {
    let engine = engine_with("shards 4");
    let mut client = TestClient::new(&engine);
    let mut reader = Reader::new(&engine);
    for (flush, db) in
        [("FLUSHDB", 0), ("FLUSHALL", 0), ("FLUSHALL ASYNC", 0), ("FLUSHALL SYNC", 0)]
    {
        for in_exec in [false, true] {
            (0..50).for_each(|n| drop(client.ask(&format!("SET key:{n} v"))));
            assert_eq!(reader.told().len(), 50);
            match in_exec {
                true => drop(client.feed(&format!("MULTI\r\n{flush}\r\nEXEC\r\n"))),
                false => drop(client.ask(flush)),
            }
            let batches = reader.batches();
            let mut shards: Vec<usize> = batches.iter().map(|batch| batch.shard).collect();
            shards.sort_unstable();
            assert_eq!(shards, [0, 1, 2, 3], "{flush}");
            let of_db = |batch: &Arc<ChangeBatch>| {
                let empty = |change: &Change| matches!(change, Change::Flushed { .. });
                batch.changes.contains(&Change::Flushed { db }) && batch.changes.iter().all(empty)
            };
            assert!(batches.iter().all(of_db));
            assert!(batches.iter().all(|batch| batch.shard == 0 || batch.changes.len() == 1));
            client.ask(flush);
            let shards: Vec<usize> = reader.batches().iter().map(|batch| batch.shard).collect();
            assert_eq!(shards, [0], "{flush} of nothing");
        }
    }
    // One that walks has each shard for a moment only.
    (0..50).for_each(|n| drop(client.ask(&format!("SET key:{n} v"))));
    reader.told();
    let mut txn = store::Txn::new(Arc::clone(&engine.store), 1);
    let walk = |txn: &mut store::Txn| base::Databases::flush(txn, None, false);
    assert_eq!(txn.with(&engine.store, store::Scope::None, walk).unwrap(), 50);
    assert_eq!(reader.batches().len(), 4);
    client.ask("SET key v");
    reader.told();
    client.ask("SWAPDB 0 3");
    let batches = reader.batches();
    assert!((1..=2).contains(&batches.len()) && batches.iter().any(|batch| batch.shard == 0));
    assert!(batches.iter().all(|batch| batch.changes == [Change::Swapped { a: 0, b: 3 }]));
}

#[test]
fn keys_that_go_by_themselves_are_told_as_such() {
    use ChangeKind::{Evicted, Expired, Written};
    let engine = engine_with("maxmemory-policy allkeys-random");
    let mut client = TestClient::new(&engine);
    client.feed("PSETEX read 5 v\r\nPSETEX walked 5 v\r\nPSETEX anew 5 v\r\nSET dropped v\r\n");
    let mut reader = Reader::new(&engine);
    client.worker.begin(1_000_100);
    assert_eq!(client.ask("GET read"), "$-1");
    assert_eq!(reader.told(), [told(0, "read", Expired)]);
    assert_eq!(client.ask("APPEND anew w"), ":1");
    assert_eq!(reader.told(), [told(0, "anew", Expired), told(0, "anew", Written)]);
    let mut txn = store::Txn::new(Arc::clone(&engine.store), 1);
    for shard in 0..engine.store.shards() {
        store::expire_step(&mut txn, shard, 1_000_100);
    }
    assert_eq!(reader.told(), [told(0, "walked", Expired)]);
    client.ask("DEL anew");
    reader.told();
    client.ask("CONFIG SET maxmemory 1");
    client.worker.begin(1_000_200);
    assert_eq!(client.ask("EXISTS dropped"), ":0");
    assert_eq!(reader.told(), [told(0, "dropped", Evicted)]);
}

#[test]
fn a_transaction_is_told_at_its_end() {
    use ChangeKind::{Removed, Written};
    let engine = engine_with("shards 1");
    let mut client = TestClient::new(&engine);
    let mut reader = Reader::new(&engine);
    client.feed("MULTI\r\nSET a 1\r\nINCR a\r\nLPUSH a x\r\nDEL a\r\n");
    assert!(reader.told().is_empty());
    client.feed("EXEC\r\n");
    let batches = reader.batches();
    assert_eq!(batches.len(), 1);
    let kinds = batches[0].changes.iter().map(|change| match change {
        Change::Key { kind, .. } => *kind,
        other => panic!("{other:?}"),
    });
    assert_eq!(kinds.collect::<Vec<_>>(), [Written, Written, Removed]);
    // What is discarded, or refused, is nothing.
    client.feed("MULTI\r\nSET a 1\r\nDISCARD\r\n");
    client.feed("WATCH w\r\nMULTI\r\nSET a 1\r\n");
    TestClient::new(&engine).ask("SET w 1");
    assert_eq!(client.feed("EXEC\r\n").0, "*-1\r\n");
    assert_eq!(reader.told(), [told(0, "w", Written)]);
}

/// Its keys are of other shards than it declares: it runs twice, and the first time is undone.
#[test]
fn what_a_script_takes_back_is_not_told() {
    use ChangeKind::Written;
    let engine = engine_with("shards 64");
    let mut client = TestClient::new(&engine);
    let mut reader = Reader::new(&engine);
    let script = "redis.call('SET', KEYS[1], ARGV[1])
        for n = 1, 8 do redis.call('SET', 'other:' .. n, ARGV[1]) end";
    let request: Vec<Vec<u8>> =
        ["EVAL", script, "1", "k", "v"].iter().map(|word| word.as_bytes().to_vec()).collect();
    assert_eq!(send(&mut client, &[request]), b"$-1\r\n");
    let mut keys: Vec<Told> = (1..9).map(|n| told(0, &format!("other:{n}"), Written)).collect();
    keys.insert(0, told(0, "k", Written));
    assert_eq!(reader.told_sorted(), keys);
}

/// What expired is put back with the rest, and expires again when the script runs once more.
#[test]
fn what_expires_in_a_script_that_is_taken_back_is_told_once() {
    use ChangeKind::{Expired, Written};
    let engine = engine_with("shards 64\nnotify-keyspace-events Ex");
    let mut client = TestClient::new(&engine);
    let mut listener = TestClient::new(&engine);
    listener.feed("SUBSCRIBE __keyevent@0__:expired\r\n");
    // One is met when it is written, and one is read before.
    for (number, first) in ["", "redis.call('GET', KEYS[1])"].into_iter().enumerate() {
        client.worker.begin(1_000_000 * (number as u64 + 1));
        client.ask("PSETEX k 5 v");
        let mut reader = Reader::new(&engine);
        client.worker.begin(1_000_000 * (number as u64 + 1) + 100);
        let script = format!(
            "{first} redis.call('APPEND', KEYS[1], ARGV[1])
            for n = 1, 8 do redis.call('SET', 'other:' .. n, ARGV[1]) end"
        );
        let request: Vec<Vec<u8>> =
            ["EVAL", &script, "1", "k", "v"].iter().map(|word| word.as_bytes().to_vec()).collect();
        assert_eq!(send(&mut client, &[request]), b"$-1\r\n");
        let mut told = reader.told();
        told.retain(|(_, key, _)| key == "k");
        assert_eq!(told, [(0, "k".to_owned(), Expired), (0, "k".to_owned(), Written)], "{first}");
        assert_eq!(engine.store.expired(), number as u64 + 1, "{first}");
        assert_eq!(listener.heard(), ["k"], "{first}");
    }
}

/// The limit is one for all shards: a share for each would hold nothing.
#[test]
fn a_backlog_limit_is_for_all_shards_together() {
    let engine = engine_with("shards 64");
    let mut client = TestClient::new(&engine);
    let mut reader = Reader::with_backlog_limit(&engine, 1000);
    client.ask("SET k v");
    assert_eq!(reader.told(), [told(0, "k", ChangeKind::Written)]);
    for n in 0..100 {
        client.ask(&format!("SET key:{n} v"));
    }
    assert!((1..=1000).contains(&engine.store.change_backlog()));
}

#[test]
fn a_wait_that_is_served_is_part_of_what_feeds_it() {
    use ChangeKind::{Removed, Written};
    let engine = engine_with("shards 1");
    let (mut waiter, mut feeder) = (TestClient::new(&engine), TestClient::new(&engine));
    let mut reader = Reader::new(&engine);
    waiter.feed("BLMOVE from to LEFT RIGHT 0\r\n");
    assert!(reader.told().is_empty());
    feeder.ask("RPUSH from x");
    let batches = reader.batches();
    assert_eq!(batches.len(), 1, "{batches:?}");
    let keys = batches[0].changes.iter().map(|change| match change {
        Change::Key { key, kind, .. } => (&**key, *kind),
        other => panic!("{other:?}"),
    });
    let expected: [(&[u8], ChangeKind); 3] =
        [(b"from", Written), (b"to", Written), (b"from", Removed)];
    assert_eq!(keys.collect::<Vec<_>>(), expected);
}

/// The target is of another shard: the request is served by a transaction of its own.
#[test]
fn a_wait_that_is_served_later_is_told_then() {
    use ChangeKind::{Removed, Written};
    let engine = engine_with("shards 64");
    let hash = |key: &str| engine.store.shard_of(engine.store.hasher().hash(key.as_bytes()));
    let to = (0..).map(|n| format!("to:{n}")).find(|to| hash(to) != hash("from")).unwrap();
    let (mut waiter, mut feeder) = (TestClient::new(&engine), TestClient::new(&engine));
    let mut reader = Reader::new(&engine);
    waiter.feed(&format!("BLMOVE from {to} LEFT RIGHT 0\r\n"));
    feeder.ask("RPUSH from x");
    feeder.ask("EXISTS from");
    let expected = [told(0, "from", Written), told(0, "from", Removed), told(0, &to, Written)];
    assert_eq!(reader.told_sorted(), expected);
}

#[test]
fn what_is_read_back_is_no_change() {
    let engine = engine_with("enable-debug-command yes");
    let mut client = TestClient::new(&engine);
    client.feed("SET a 1\r\nRPUSH l 1 2 3\r\nSET b 1 EX 100\r\n");
    let mut reader = Reader::new(&engine);
    assert_eq!(client.ask("DEBUG RELOAD NOSAVE"), "+OK");
    let mut txn = store::Txn::new(Arc::clone(&engine.store), 1);
    txn.begin_replay(1_000_000);
    txn.with(&engine.store, store::Scope::All, |txn| {
        let key = engine.store.hasher().key(b"replayed");
        base::Strings::set_string(txn, key, b"v", base::Deadline::Clear);
        txn.publish_changes();
        base::Keyspace::remove(txn, engine.store.hasher().key(b"a"), false);
        txn.publish_changes();
        base::Databases::flush(txn, Some(0), false);
    })
    .unwrap();
    assert_eq!(client.ask("DBSIZE"), ":0");
    assert!(reader.batches().is_empty());
    client.ask("SET a 2");
    assert_eq!(reader.told(), [told(0, "a", ChangeKind::Written)]);
}

/// A reader that does not keep up is told what it has missed, and goes on behind it.
#[test]
fn what_is_beyond_the_backlog_limit_is_a_gap() {
    let engine = engine_with("shards 1");
    let mut client = TestClient::new(&engine);
    let (mut slow, mut quick) = (Reader::with_backlog_limit(&engine, 4000), Reader::new(&engine));
    let before = engine.used_memory();
    (0..100).for_each(|n| drop(client.ask(&format!("SET key:{n} v"))));
    assert!(engine.store.change_backlog() > 4000);
    client.worker.txn.report_memory();
    assert!(engine.used_memory() >= before + engine.store.change_backlog());
    let shown = client.ask("INFO memory");
    assert!(shown.contains(&format!("mem_change_backlog:{}\r\n", engine.store.change_backlog())));
    assert_eq!(quick.told().len(), 100, "the one does not know of the other");
    let kept = engine.store.change_backlog();
    assert!((1..=4000).contains(&kept), "{kept}");
    let mut seen = 0;
    let (first, last) = loop {
        match slow.changes.next(Duration::ZERO).unwrap() {
            ChangeEvent::Batch(batch) => {
                assert_eq!(batch.first, seen + 1);
                seen = batch.last();
            }
            ChangeEvent::Gap { shard, first, last } => {
                assert_eq!(shard, 0);
                break (first, last);
            }
        }
    };
    assert!(seen > 0);
    assert_eq!((first, last), (seen + 1, 100));
    assert_eq!(engine.store.change_backlog(), 0);
    slow.known[0] = last;
    client.ask("SET more v");
    assert_eq!(slow.told(), [told(0, "more", ChangeKind::Written)]);
    // What was never read goes with its reader.
    client.ask("SET more v");
    drop(quick);
    drop(slow);
    assert_eq!((engine.store.change_backlog(), engine.store.interest()), (0, 0));
}

/// One that comes when others are there, or leaves before them, changes nothing for them.
#[test]
fn readers_come_and_go() {
    let engine = engine_with("shards 1");
    let mut client = TestClient::new(&engine);
    let mut first = Reader::new(&engine);
    client.ask("SET a 1");
    let mut second = Reader::new(&engine);
    client.ask("SET b 1");
    assert_eq!(first.told().len(), 2);
    assert_eq!(second.told(), [told(0, "b", ChangeKind::Written)]);
    drop(first);
    client.ask("SET c 1");
    assert_eq!(second.told().len(), 1);
    drop(second);
    client.ask("SET d 1");
    let mut third = Reader::new(&engine);
    assert!(third.told().is_empty());
    client.ask("SET e 1");
    assert_eq!(third.told().len(), 1);
}

/// Clients that watch keys or cache them hear the same with a reader as without, and commands
/// that do not tell clients who watch tell the reader all the same.
#[test]
fn what_watchers_do_not_hear_is_told_to_readers() {
    let engine = engine_with("");
    let mut client = TestClient::new(&engine);
    client.feed("XADD s 1-1 f v\r\nXGROUP CREATE s g 0\r\n");
    let mut reader = Reader::new(&engine);
    let mut other = TestClient::new(&engine);
    other.feed("WATCH s\r\nMULTI\r\nPING\r\n");
    client.ask("XREADGROUP GROUP g c STREAMS s >");
    assert_eq!(reader.told().len(), 1);
    client.ask("GET nothing");
    client.ask("SADD none");
    client.ask("LPUSH s x");
    assert!(reader.told().is_empty());
    assert_eq!(other.feed("EXEC\r\n").0, "*1\r\n+PONG\r\n");
}

/// While an overdue script holds a shard no thread waits for it, nor does a reader.
#[test]
fn an_overdue_script_is_not_waited_for() {
    let engine = engine_with("shards 1");
    let mut txn = store::Txn::new(Arc::clone(&engine.store), 1);
    let refused = txn.with(&engine.store, store::Scope::All, |txn| {
        txn.held.obstruct();
        std::thread::scope(|scope| {
            scope.spawn(|| engine.changes(BACKLOG_LIMIT).is_err()).join().unwrap()
        })
    });
    assert!(refused.unwrap());
    assert!(engine.changes(BACKLOG_LIMIT).is_ok());
}
