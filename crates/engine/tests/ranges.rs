//! Ranges of keys: replies, errors, rights, pages; indexes that are built while others write, that
//! wait, go, and come again; and what is there after a restart.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use kvist_engine::{Allocator, Cron, Engine, Message, State};
use testkit::folder::Folder;

use crate::data_dir::open;
use crate::test_client::{TestClient, engine, engine_with};

/// The words of a flat reply.
fn words(reply: &str) -> Vec<String> {
    reply.split("\r\n").filter(|line| !line.starts_with(['*', '$'])).map(str::to_owned).collect()
}

fn of(line: &str, client: &mut TestClient) -> String {
    words(&client.ask(line)).join(" ")
}

#[test]
fn ranges_and_prefixes() {
    let mut client = TestClient::new(&engine());
    client.ask("MSET b:2 two a:1 one b:10 ten c 3 b: none");
    client.ask("RPUSH b:list x");
    for (line, wanted) in [
        ("RANGE - +", "a:1 b: b:10 b:2 b:list c"),
        ("RANGE + - REV", "c b:list b:2 b:10 b: a:1"),
        ("range [b: (b:2", "b: b:10"),
        ("RANGE (b:2 [b: REV", "b:10 b:"),
        ("RANGE [b: + LIMIT 2", "b: b:10"),
        ("RANGE + [b: LIMIT 2 REV", "c b:list"),
        ("RANGE - + TYPE list", "b:list"),
        ("RANGE - + TYPE ReJSON-RL", ""),
        ("RANGE + -", ""),
        ("RANGE [c [b", ""),
        ("RANGE (c (c", ""),
        ("PREFIX b:", "b: b:10 b:2 b:list"),
        ("PREFIX b: REV LIMIT 1", "b:list"),
        ("PREFIX x", ""),
        ("PREFIX b:1 WITHVALUES", "b:10 ten"),
        ("RANGE - + CURSOR 0 LIMIT 6", "0 a:1 b: b:10 b:2 b:list c"),
        ("PREFIX b:l WITHVALUES", "b:list"),
    ] {
        assert_eq!(of(line, &mut client), wanted, "{line}");
    }
    assert_eq!(client.ask("PREFIX b:l WITHVALUES"), "*2\r\n$6\r\nb:list\r\n$-1");
    assert_eq!(client.ask("RANGE.COUNT - +"), ":6");
    assert_eq!(client.ask("RANGE.COUNT (b: +"), ":4");
    assert_eq!(client.ask("PREFIX.COUNT b:"), ":4");
    client.ask("HELLO 3");
    let pairs = "*2\r\n*2\r\n$3\r\nb:2\r\n$3\r\ntwo\r\n*2\r\n$6\r\nb:list\r\n_";
    assert_eq!(client.ask("RANGE [b:2 (c WITHVALUES"), pairs);
}

#[test]
fn numbers_of_ranges() {
    let mut client = TestClient::new(&engine());
    client.ask("MSET n:1 1 n:2 2.5 n:3 x n:4 -4 n:5 inf m 100");
    for line in ["JSON.SET j:1 $ '{\"a\":[1,2,{\"b\":3}]}'", "JSON.SET j:2 $ '{\"a\":[0.5]}'"] {
        assert_eq!(client.ask(line), "+OK");
    }
    for (line, wanted) in [
        ("RANGE.AGGREGATE [n (o SUM", "$4\r\n-0.5"),
        ("RANGE.AGGREGATE [n (o COUNT", ":3"),
        ("RANGE.AGGREGATE [n (o MIN", "$2\r\n-4"),
        ("RANGE.AGGREGATE [n (o MAX", "$3\r\n2.5"),
        ("RANGE.AGGREGATE [n:1 [n:2 avg", "$4\r\n1.75"),
        ("RANGE.AGGREGATE [x + AVG", "$-1"),
        ("RANGE.AGGREGATE [x + SUM", "$1\r\n0"),
        ("RANGE.AGGREGATE [x + COUNT", ":0"),
        ("RANGE.AGGREGATE - + SUM PATH $.a[*]", "$3\r\n3.5"),
        ("RANGE.AGGREGATE - + MAX PATH $..b", "$1\r\n3"),
        ("RANGE.AGGREGATE - + COUNT PATH .a[0]", ":2"),
        ("RANGE.AGGREGATE - + COUNT PATH $.none", ":0"),
        ("RANGE.AGGREGATE - + MEDIAN", "-ERR syntax error"),
        ("RANGE.AGGREGATE - + SUM PATH", "-ERR syntax error"),
        ("RANGE.AGGREGATE - + SUM x", "-ERR syntax error"),
    ] {
        assert_eq!(client.ask(line), wanted, "{line}");
    }
    assert!(client.ask("RANGE.AGGREGATE - + SUM PATH $[").starts_with("-ERR"));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let mut client = TestClient::new(&engine_with("range-max-reply 3"));
    client.ask("MSET a 1 b 2 c 3 d 4");
    let bounds = "-ERR min or max not valid string range item";
    let integer = "-ERR value is not an integer or out of range";
    let too_many = "-ERR the range holds more than 3 keys, the most of one reply \
                    (range-max-reply); page through it with CURSOR 0";
    for (line, wanted) in [
        ("RANGE a +", bounds),
        ("RANGE - z", bounds),
        ("RANGE.COUNT - z", bounds),
        ("RANGE.DELETE x +", bounds),
        ("RANGE.AGGREGATE x + SUM", bounds),
        ("RANGE -", "-ERR wrong number of arguments for 'range' command"),
        ("PREFIX", "-ERR wrong number of arguments for 'prefix' command"),
        ("RANGE - + LIMIT", "-ERR syntax error"),
        ("RANGE - + SKIP 1", "-ERR syntax error"),
        ("RANGE - + LIMIT 0", "-ERR LIMIT should be greater than 0"),
        ("RANGE - + LIMIT -1", "-ERR LIMIT should be greater than 0"),
        ("RANGE - + LIMIT x", integer),
        ("RANGE - + LIMIT 9223372036854775808", integer),
        ("RANGE.DELETE - + LIMIT 0", "-ERR LIMIT should be greater than 0"),
        ("RANGE.DELETE - + REV", "-ERR syntax error"),
        ("RANGE - + CURSOR 1", "-ERR invalid cursor"),
        ("RANGE - + CURSOR aA", "-ERR invalid cursor"),
        ("RANGE - + CURSOR dYQ", "-ERR invalid cursor"),
        ("RANGE - + TYPE tree", "-ERR unknown type name 'tree'"),
        ("RANGE - +", too_many),
        ("RANGE - + LIMIT 9223372036854775807", too_many),
        ("PREFIX \"\"", too_many),
    ] {
        assert_eq!(client.ask(line), wanted, "{line}");
    }
    // A cursor of the other direction is none.
    assert_eq!(of("RANGE - + CURSOR 0 LIMIT 1", &mut client), "aYQ a");
    assert_eq!(client.ask("RANGE + - REV CURSOR aYQ"), "-ERR invalid cursor");
    // A page is no larger than a reply may be; a bound may be longer than any key.
    assert_eq!(of("RANGE - + CURSOR 0 LIMIT 99999999", &mut client), "aYw a b c");
    let long = "x".repeat(100_000);
    assert_eq!(client.ask(&format!("RANGE [{long} +")), "*0");
    assert_eq!(of(&format!("RANGE - [{long} LIMIT 1"), &mut client), "a");
    assert_eq!(client.ask(&format!("PREFIX.COUNT {long}")), ":0");
    // A cursor outside of the range begins or ends it.
    assert_eq!(of("RANGE [b [c CURSOR aYQ", &mut client), "0 b c");
    assert_eq!(of("RANGE [b [c CURSOR aZQ", &mut client), "0");
}

#[test]
fn keys_past_their_deadline_are_no_keys() {
    let mut client = TestClient::new(&engine());
    for n in 0..100 {
        client.ask(&format!("SET k:{n:02} {n}{}", if n % 2 == 0 { " PX 1000" } else { "" }));
    }
    assert_eq!(client.ask("RANGE.COUNT - +"), ":100");
    client.worker.begin(1_001_001);
    assert_eq!(client.ask("RANGE.COUNT - +"), ":50");
    assert_eq!(client.ask("RANGE.COUNT [k:00 [k:03"), ":2");
    assert_eq!(of("RANGE - + LIMIT 3", &mut client), "k:01 k:03 k:05");
    assert_eq!(of("PREFIX k: REV LIMIT 2 WITHVALUES", &mut client), "k:99 99 k:97 97");
    assert_eq!(of("RANGE - + CURSOR 0 LIMIT 2", &mut client), "aazowMw k:01 k:03");
    assert_eq!(client.ask("RANGE.AGGREGATE - + COUNT"), ":50");
    // Those are not deleted by it; they had gone before.
    assert_eq!(client.ask("RANGE.DELETE - [k:03"), ":2");
    assert_eq!(client.ask("RANGE.COUNT - +"), ":48");
    for shard in 0..client.worker.engine.store.shards() {
        while store::expire_step(&mut client.worker.txn, shard, 1_001_001).0 > 0 {}
    }
    store::ask_deadlines(&mut client.worker.txn.held);
    assert_eq!(client.ask("RANGE.COUNT - +"), ":48");
    assert_eq!(of("RANGE - + LIMIT 1", &mut client), "k:05");
}

#[test]
fn a_user_finds_what_it_may_read() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    client.ask("MSET a:1 1 a:2 2 b:1 3 b:2 4 c 5");
    client.ask("ACL SETUSER u on nopass +@all ~b:* %R~a:1 %W~c");
    client.ask("ACL SETUSER none on nopass +@all -range ~*");
    let mut other = TestClient::new(&engine);
    other.ask("AUTH u x");
    for (line, wanted) in [
        ("RANGE - +", "a:1 b:1 b:2"),
        ("RANGE - + WITHVALUES REV", ""),
        ("RANGE + - WITHVALUES REV", "b:2 4 b:1 3 a:1 1"),
        ("PREFIX a WITHVALUES", "a:1 1"),
        ("RANGE - + CURSOR 0 LIMIT 1", "aYTox a:1"),
        ("RANGE - + CURSOR aYTox LIMIT 1", "aYjox b:1"),
        ("RANGE - + CURSOR aYjoy", "0"),
    ] {
        assert_eq!(of(line, &mut other), wanted, "{line}");
    }
    assert_eq!(other.ask("RANGE.COUNT - +"), ":3");
    assert_eq!(other.ask("PREFIX.COUNT a"), ":1");
    assert_eq!(other.ask("RANGE.AGGREGATE - + SUM"), "$1\r\n8");
    assert_eq!(other.ask("RANGE.DELETE - +"), ":3");
    assert_eq!(of("RANGE - +", &mut client), "a:1 a:2");
    client.ask("MSET b:1 3");
    // In transactions and scripts, too.
    assert_eq!(of("RANGE - +", &mut other), "a:1 b:1");
    other.ask("MULTI");
    other.ask("RANGE - +");
    assert_eq!(of("EXEC", &mut other), "a:1 b:1");
    assert_eq!(of("EVAL \"return redis.call('RANGE','-','+')\" 0", &mut other), "a:1 b:1");
    // Who comes after it on the same worker is not limited by it.
    other.ask("AUTH default x");
    assert_eq!(of("RANGE - +", &mut other), "a:1 a:2 b:1");
    other.ask("AUTH none x");
    let refusal = "-NOPERM this user has no permissions to run the 'range' command";
    assert_eq!(other.ask("RANGE - +"), refusal);
}

#[test]
fn inside_transactions_and_scripts() {
    let mut client = TestClient::new(&engine());
    client.ask("SET a 1");
    client.ask("MULTI");
    for line in ["RANGE - +", "SET b 2", "DEL a", "RANGE - +", "RANGE.DELETE - +", "RANGE - +"] {
        client.ask(line);
    }
    assert_eq!(client.ask("EXEC"), "*6\r\n*1\r\n$1\r\na\r\n+OK\r\n:1\r\n*1\r\n$1\r\nb\r\n:1\r\n*0");
    let script = "redis.call('SET',KEYS[1],1) local r=redis.call('PREFIX','k') \
                  redis.call('DEL',KEYS[1]) r[2]=redis.call('RANGE.COUNT','-','+') return r";
    for _ in 0..3 {
        assert_eq!(client.ask(&format!("EVAL \"{script}\" 1 k1")), "*2\r\n$2\r\nk1\r\n:0");
    }
    // Who watches a key that a range deletes knows.
    client.ask("SET w 1");
    let mut other = TestClient::new(&client.worker.engine);
    other.ask("WATCH w");
    assert_eq!(client.ask("RANGE.DELETE - +"), ":1");
    other.ask("MULTI");
    other.ask("PING");
    assert_eq!(other.ask("EXEC"), "*-1");
}

#[test]
fn a_client_that_waits_for_a_key_is_told_that_a_range_took_it() {
    let engine = engine_with("notify-keyspace-events KEA");
    let (mut client, mut reader) = (TestClient::new(&engine), TestClient::new(&engine));
    let mut listener = TestClient::new(&engine);
    client.ask("XGROUP CREATE s g $ MKSTREAM");
    listener.ask("SUBSCRIBE __keyevent@0__:del");
    listener.pushed();
    let (_, state) = reader.feed("XREADGROUP GROUP g c BLOCK 0 STREAMS s >\r\n");
    assert_eq!(state, State::Blocked);
    assert_eq!(client.ask("RANGE.DELETE - +"), ":1");
    assert_eq!(listener.heard(), ["s"]);
    let messages = reader.messages.take(reader.session.client.id);
    assert!(matches!(&messages[..], [Message::Unblocked { .. }]), "{messages:?}");
}

/// Waits until something is so.
fn await_that(what: &str, is: impl Fn() -> bool) {
    let start = Instant::now();
    while !is() {
        assert!(start.elapsed() < Duration::from_secs(20), "waited for: {what}");
        thread::yield_now();
    }
}

/// Asks, waits if told so, and asks again as a connection would.
fn ask_patiently(client: &mut TestClient, line: &str) -> String {
    let (mut reply, mut state) = client.feed(&format!("{line}\r\n"));
    while state == State::Paused {
        let (id, messages) = (client.session.client.id, Arc::clone(&client.messages));
        await_that("a resumption", || {
            messages.take(id).iter().any(|message| matches!(message, Message::Resume))
        });
        let (more, next) = client.feed("");
        reply += &more;
        state = next;
    }
    reply.trim_end().to_owned()
}

fn fill(engine: &Arc<Engine>, keys: std::ops::Range<usize>) {
    let mut client = TestClient::new(engine);
    let (mut line, last) = (String::new(), keys.end);
    for n in keys {
        line += &format!("SET key:{n:07} {n}\r\n");
        if line.len() > 16 << 10 || n + 1 == last {
            client.feed(&std::mem::take(&mut line));
        }
    }
    client.worker.txn.report_memory();
}

#[test]
fn every_key_of_25_000_is_on_one_page() {
    let engine = engine();
    fill(&engine, 0..25_000);
    let mut client = TestClient::new(&engine);
    let first = ask_patiently(&mut client, "RANGE - + CURSOR 0 LIMIT 700");
    let (mut page, mut seen) = (words(&first), Vec::new());
    loop {
        seen.extend(page.drain(1..));
        if page[0] == "0" {
            break;
        }
        page = words(&client.ask(&format!("RANGE - + CURSOR {} LIMIT 700", page[0])));
    }
    let wanted: Vec<String> = (0..25_000).map(|n| format!("key:{n:07}")).collect();
    assert!(seen == wanted, "{} keys", seen.len());
    assert_eq!(client.ask("PREFIX.COUNT key:00012"), ":100");
    assert_eq!(words(&client.ask("PREFIX key:001")).len(), 10_000);
    let info = client.ask("INFO rangeindex");
    assert!(info.contains("range_index_db0:state=live,keys=25000,bytes="), "{info}");
}

/// Ends what others do, when it goes.
struct Stop<'s>(&'s AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The first who asks waits, others on the same worker go on, and the answer is exact as of then.
#[test]
fn writers_go_on_while_an_index_is_built() {
    let engine = engine();
    fill(&engine, 0..40_000);
    let (stop, written) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        for writer in 0..2 {
            let (engine, stop, written) = (&engine, &stop, &written);
            scope.spawn(move || {
                let mut client = TestClient::new(engine);
                let mut n = 0;
                while !stop.load(Ordering::Relaxed) {
                    // New keys, keys that go, and keys that were there and change.
                    let (new, old) = (n % 5000, 20_000 * (writer + 1) + n % 9000);
                    client.feed(&format!(
                        "SET new:{writer}:{new} 1\r\nDEL key:{old:07}\r\nINCR key:{:07}\r\n",
                        n % 19_000
                    ));
                    if n % 3 == 0 {
                        client.feed(&format!("DEL new:{writer}:{}\r\n", (n / 2) % 5000));
                    }
                    n += 1;
                    written.fetch_add(1, Ordering::Relaxed);
                }
                client.worker.txn.report_memory();
            });
        }
        // A client whose index goes again and again, and is built on the spot.
        scope.spawn(|| {
            let mut client = TestClient::new(&engine);
            while !stop.load(Ordering::Relaxed) {
                store::drop_index(&mut client.worker.txn.held, 0);
                store::merge_index(&mut client.worker.txn.held, 0);
                let build = engine.store.indexes.begin(0);
                let counted = client.ask("EVAL \"return redis.call('PREFIX.COUNT','key:000')\" 0");
                assert_eq!(counted, ":10000");
                if let Some(build) = build {
                    engine.store.indexes.abandon(&build);
                }
                // A client that waits for an index is to get one now and then.
                thread::sleep(Duration::from_millis(50));
            }
            client.worker.txn.report_memory();
        });
        await_that("writers", || written.load(Ordering::Relaxed) > 100);
        let mut client = TestClient::new(&engine);
        // Whatever goes wrong here, they must end.
        let _stop = Stop(&stop);
        for round in 0..4 {
            let own = format!("own:{round}");
            client.ask(&format!("SET {own} 1"));
            let count = ask_patiently(&mut client, "PREFIX.COUNT own:");
            assert_eq!(count, format!(":{}", round + 1), "what was acknowledged is seen");
            let found = ask_patiently(&mut client, &format!("PREFIX {own}"));
            assert_eq!(words(&found), [own]);
            assert_eq!(
                ask_patiently(&mut client, "RANGE.COUNT [key:0000000 (key:0019000"),
                ":19000"
            );
            if round % 2 == 1 {
                store::drop_index(&mut client.worker.txn.held, 0);
            }
        }
        client.worker.txn.report_memory();
    });
    let mut client = TestClient::new(&engine);
    let ranged: Vec<String> = words(&ask_patiently(&mut client, "RANGE - +"));
    let listed: BTreeSet<String> = words(&client.ask("KEYS *")).into_iter().collect();
    assert!(ranged.iter().eq(listed.iter()), "{} and {}", ranged.len(), listed.len());
    client.worker.txn.report_memory();
    let told = engine.store.memory() - engine.store.shared_memory();
    assert_eq!(store::recount(&mut client.worker.txn.held), told);
}

/// Building an index is no part of a pause: who waits for the end of that waits no longer.
#[test]
fn a_pause_ends_at_its_time_whatever_index_is_being_built() {
    let engine = engine();
    fill(&engine, 0..25_000);
    let (mut writer, mut reader) = (TestClient::new(&engine), TestClient::new(&engine));
    assert_eq!(reader.ask("CLIENT PAUSE 50 WRITE"), "+OK");
    assert_eq!(writer.feed("SET k v\r\n").1, State::Paused);
    assert_eq!(reader.feed("RANGE.COUNT - +\r\n").1, State::Paused);
    assert_eq!(engine.resumes_at(&writer.session), engine.waits.pauses.until());
    assert!(reader.session.awaits_index() && !writer.session.awaits_index());
    // Until the index is there, which it may be already.
    assert!([0, u64::MAX].contains(&engine.resumes_at(&reader.session)));
    let client = reader.session.client.id;
    let is_told = |message: &Message| matches!(message, Message::Resume);
    await_that("an index", || reader.messages.take(client).iter().any(is_told));
    assert_eq!(reader.feed(""), (":25000\r\n".to_owned(), State::Open));
    assert!(!reader.session.awaits_index());
    assert_eq!(reader.ask("CLIENT UNPAUSE"), "+OK");
    assert_eq!(writer.feed(""), ("+OK\r\n".to_owned(), State::Open));
}

#[test]
fn a_database_that_goes_while_its_index_is_built() {
    let engine = engine();
    fill(&engine, 0..30_000);
    let mut client = TestClient::new(&engine);
    let build = engine.store.indexes.begin(0).unwrap();
    let run = store::gather_keys(&mut client.worker.txn.held, &build);
    client.ask("FLUSHDB");
    client.ask("SET after 1");
    assert!(!engine.store.indexes.finish(&build, &[run], 0));
    assert_eq!(of("RANGE - +", &mut client), "after");
    client.ask("SELECT 1");
    client.ask("SET there 1");
    let build = engine.store.indexes.begin(1).unwrap();
    let run = store::gather_keys(&mut client.worker.txn.held, &build);
    client.ask("SWAPDB 0 1");
    assert!(!engine.store.indexes.finish(&build, &[run], 0));
    assert_eq!(of("RANGE - +", &mut client), "after");
    client.ask("SELECT 0");
    assert_eq!(of("RANGE - +", &mut client), "there");
    client.ask("SWAPDB 0 1");
    assert_eq!(of("RANGE - +", &mut client), "after");
}

#[test]
fn an_index_is_kept_always_or_never() {
    let engine = engine_with("range-index yes\nenable-debug-command yes");
    let cron = Cron::start(&engine, Allocator::unknown()).unwrap();
    let mut client = TestClient::new(&engine);
    client.ask("SET a 1");
    await_that("an index", || engine.store.indexes.phase(0) == store::IndexPhase::Live);
    assert_eq!(of("RANGE - +", &mut client), "a");
    assert_eq!(client.ask("CONFIG SET range-index no"), "+OK");
    let refusal = "-ERR range queries are disabled: range-index is set to no";
    for line in ["RANGE - +", "PREFIX a", "RANGE.COUNT - +", "RANGE.DELETE - +"] {
        assert_eq!(client.ask(line), refusal, "{line}");
    }
    await_that("none", || engine.store.indexes.phase(0) == store::IndexPhase::Off);
    client.ask("SET b 1");
    assert_eq!(engine.store.indexes.memory(), 0);
    assert_eq!(client.ask("CONFIG SET range-index auto"), "+OK");
    assert_eq!(of("RANGE - +", &mut client), "a b");
    assert!(engine.store.indexes.memory() > 0);
    drop(cron);
}

#[test]
fn what_ranges_deleted_is_gone_after_a_restart() {
    let folder = Folder::new("engine");
    {
        let (engine, _) = open(folder.path(), "appendfsync always\nsave \"\"").unwrap();
        let mut client = TestClient::new(&engine);
        for n in 0..1000 {
            client.ask(&format!("SET k:{n:03} {n}"));
        }
        assert_eq!(client.ask("RANGE.DELETE [k:100 (k:900 LIMIT 700"), ":700");
        client.ask("MULTI");
        client.ask("RANGE.DELETE [k:950 +");
        client.ask("SET after 1");
        client.ask("EXEC");
        // A page ends here and goes on behind the restart.
        assert_eq!(of("RANGE - + LIMIT 2 CURSOR 0", &mut client), "aazowMDA after k:000");
        engine.store.log().sync().unwrap();
        engine.close_data_dir();
    }
    let (engine, _) = open(folder.path(), "appendfsync always\nsave \"\"").unwrap();
    let mut client = TestClient::new(&engine);
    assert_eq!(client.ask("RANGE.COUNT - +"), ":251");
    assert_eq!(of("RANGE - + LIMIT 2 CURSOR aazowMDA", &mut client), "aazowMDI k:001 k:002");
    assert_eq!(of("RANGE (k:099 + LIMIT 2", &mut client), "k:800 k:801");
    assert_eq!(of("RANGE + - REV LIMIT 1", &mut client), "k:949");
}

/// Requests that find no index at the same moment do not take its building from each other.
#[test]
fn an_index_is_built_however_many_ask_for_it_at_once() {
    const THREADS: usize = 8;
    let engine = engine_with("databases 300");
    let started = std::sync::Barrier::new(THREADS);
    // Told at the end: a thread that fails would leave the others waiting.
    let wrong = parking_lot::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (engine, started, wrong) = (&engine, &started, &wrong);
            scope.spawn(move || {
                let mut client = TestClient::new(engine);
                for db in 0..300 {
                    client.ask(&format!("SELECT {db}"));
                    (0..40).for_each(|n| drop(client.ask(&format!("SET {thread}:{n} v"))));
                    started.wait();
                    let reply = client.ask("RANGE.COUNT - +");
                    if reply != format!(":{}", 40 * THREADS) {
                        wrong.lock().push((db, reply));
                    }
                }
            });
        }
    });
    assert!(wrong.lock().is_empty(), "{wrong:?}");
}
