//! Client-side caching: no copy is stale for good, whatever threads do at the same time; the table
//! of readers is bounded and forgets those that are gone.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Barrier};
use std::thread;

use kvist_engine::{Cron, Engine};
use parking_lot::Mutex;
use testkit::wait::until;

use crate::test_client::{TestClient, engine, engine_with};

const KEYS: usize = 6;
const ROUNDS: usize = 1500;

/// A client that keeps copies of what it reads.
struct Reader {
    client: TestClient,
    copies: BTreeMap<String, String>,
    notices: usize,
}

impl Reader {
    fn new(engine: &Arc<Engine>, mode: &str) -> Self {
        let mut client = TestClient::new(engine);
        client.ask("HELLO 3");
        assert_eq!(client.ask(&format!("CLIENT TRACKING on {mode}")), "+OK");
        Reader { client, copies: BTreeMap::new(), notices: 0 }
    }

    fn read(&mut self, key: &str) {
        // Only who has no copy asks.
        if !self.copies.contains_key(key) {
            let value = self.client.ask(&format!("GET {key}"));
            self.copies.insert(key.to_owned(), value);
        }
        self.listen();
    }

    /// Throws stale copies away.
    fn listen(&mut self) {
        for push in self.client.pushed() {
            self.notices += 1;
            for key in keys_of(&push) {
                self.copies.remove(&key);
            }
        }
    }
}

/// The keys that a notice names: its words that look like keys.
fn keys_of(push: &str) -> Vec<String> {
    push.split("\r\n").filter(|word| word.starts_with("key")).map(str::to_owned).collect()
}

/// Writers and readers of the same few keys; when the writers pause, all copies that no client was
/// told about are what the server has.
fn copies_are_fresh(modes: &[&str]) {
    let engine = engine();
    let (writers, barrier) = (2, Barrier::new(2 + modes.len()));
    // A thread that panics would leave the others at the barrier: what is wrong is told later.
    let wrong = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for writer in 0..writers {
            let (engine, barrier) = (&engine, &barrier);
            scope.spawn(move || {
                let mut client = TestClient::new(engine);
                for round in 0..ROUNDS {
                    for n in 0..KEYS {
                        let key = (n + writer * 3 + round) % KEYS;
                        match (round + n) % 5 {
                            0 => client.ask(&format!("DEL key{key}")),
                            1 => client.feed(&format!("MULTI\r\nINCR key{key}\r\nEXEC\r\n")).0,
                            2 => client.ask(&format!("RENAME key{key} key{}", (key + 1) % KEYS)),
                            _ => client.ask(&format!("SET key{key} {round}{writer}")),
                        };
                    }
                    barrier.wait();
                    barrier.wait();
                }
            });
        }
        for mode in modes {
            let (engine, barrier, wrong) = (&engine, &barrier, &wrong);
            scope.spawn(move || {
                let mut reader = Reader::new(engine, mode);
                let mut check = TestClient::new(engine);
                for round in 0..ROUNDS {
                    for n in 0..KEYS * 3 {
                        reader.read(&format!("key{}", (n * 5 + round) % KEYS));
                    }
                    barrier.wait();
                    reader.listen();
                    for (key, copy) in &reader.copies {
                        let now = check.ask(&format!("GET {key}"));
                        let copy = if copy == "_" { "$-1" } else { copy };
                        if copy != now {
                            let what = format!("round {round}: {key} is {now}, not {copy}; {mode}");
                            wrong.lock().push(what);
                        }
                    }
                    barrier.wait();
                }
                if reader.notices < ROUNDS {
                    wrong.lock().push(format!("{} notices; {mode}", reader.notices));
                }
            });
        }
    });
    assert_eq!(wrong.into_inner(), Vec::<String>::new());
}

#[test]
fn what_was_read_is_never_stale_unsaid() {
    copies_are_fresh(&["", "NOLOOP"]);
}

#[test]
fn broadcasts_miss_nothing() {
    copies_are_fresh(&["BCAST", "BCAST PREFIX key"]);
}

/// What a client's own script changes, the client has changed itself: `NOLOOP` spares it, in
/// either mode. Redis 7.0.15 sends it to those that broadcast.
#[test]
fn no_loop_spares_the_client_of_a_script() {
    let engine = engine();
    let mut writer = TestClient::new(&engine);
    let library = "#!lua name=l\\nredis.register_function('f', function(keys) \
        redis.call('SET', keys[1], 1) end)";
    assert_eq!(writer.ask(&format!("FUNCTION LOAD \"{library}\"")), "$1\r\nl");
    let requests = [
        "SET key 1",
        "EVAL \"redis.call('SET', KEYS[1], 1)\" 1 key",
        "EVAL \"redis.call('SET', 'key', 1)\" 0",
        "FCALL f 1 key",
        "MULTI\r\nEVAL \"redis.call('SET', KEYS[1], 1)\" 1 key\r\nEXEC",
    ];
    for request in requests {
        for mode in ["NOLOOP", "BCAST NOLOOP"] {
            let (mut own, mut other) = (Reader::new(&engine, mode), Reader::new(&engine, mode));
            own.read("key");
            other.read("key");
            let (replies, _) = own.client.feed(&format!("{request}\r\n"));
            assert!(!replies.contains("-ERR"), "{request} {mode}: {replies}");
            own.listen();
            other.listen();
            assert!(!replies.contains("invalidate"), "{request} {mode}: {replies}");
            assert_eq!((own.notices, other.notices), (0, 1), "{request} {mode}");
        }
    }
}

#[test]
fn the_table_of_readers_is_bounded() {
    let engine = engine_with("tracking-table-max-keys 50");
    let mut reader = Reader::new(&engine, "NOLOOP");
    for n in 0..1000 {
        reader.client.ask(&format!("GET key:{n}"));
        assert!(engine.store.tracked.keys() <= 50);
    }
    assert_eq!(engine.store.tracked.readers(), 50);
    assert!((50 * 50..50 * 150).contains(&engine.store.tracked.memory()));
    // A client that was forgotten was told; its own reading made it so, hence among the replies.
    let mut client = TestClient::new(&engine);
    client.ask("HELLO 3");
    client.ask("CLIENT TRACKING on");
    let (replies, _) =
        client.feed(&(0..200).map(|n| format!("GET own:{n}\r\n")).collect::<String>());
    let told = replies.matches("invalidate").count();
    assert!((150..200).contains(&told), "{told} of 200 were told");
    let mut writer = TestClient::new(&engine);
    for n in 0..1000 {
        writer.ask(&format!("SET key:{n} x"));
        writer.ask(&format!("SET own:{n} x"));
    }
    assert_eq!((engine.store.tracked.keys(), engine.store.tracked.readers()), (0, 0));
    assert_eq!(engine.store.tracked.memory(), 0);
    let told_later: BTreeSet<String> = client.pushed().into_iter().collect();
    assert_eq!(told + told_later.len(), 200);
}

#[test]
fn cron_forgets_readers_that_are_gone_or_too_many() {
    let engine = engine();
    let mut leaving: Vec<TestClient> = (0..3).map(|_| TestClient::new(&engine)).collect();
    let mut staying = Reader::new(&engine, "");
    for n in 0..2000 {
        for client in &mut leaving {
            client.ask("CLIENT TRACKING on");
            client.ask(&format!("GET key:{n}"));
        }
        if n % 2 == 0 {
            staying.client.ask(&format!("GET key:{n}"));
        }
    }
    assert_eq!((engine.store.tracked.keys(), engine.store.tracked.readers()), (2000, 7000));
    let _cron = Cron::start(&engine, kvist_engine::Allocator::unknown()).unwrap();
    for client in &mut leaving {
        client.worker.disconnect(&mut client.session);
    }
    until("forgetting", || {
        (engine.store.tracked.keys(), engine.store.tracked.readers()) == (1000, 1000)
    });
    staying.client.ask("CONFIG SET tracking-table-max-keys 100");
    until("trimming", || engine.store.tracked.keys() == 100);
    until("telling", || {
        staying.listen();
        staying.notices == 900
    });
    // No client that tracks is left: nothing is asked for any more.
    assert_ne!(engine.store.interest(), 0);
    staying.client.ask("CLIENT TRACKING off");
    until("rest", || engine.store.interest() == 0 && engine.store.tracked.memory() == 0);
}

#[test]
fn readers_are_told_of_what_expires() {
    let engine = engine();
    let mut readers = ["", "NOLOOP", "BCAST NOLOOP"].map(|mode| Reader::new(&engine, mode));
    let mut writer = TestClient::new(&engine);
    for met in [true, false] {
        writer.worker.begin(1_000_000);
        writer.ask("PSETEX key 5 x");
        for reader in &mut readers {
            reader.listen();
            reader.notices = 0;
            reader.client.worker.begin(1_000_000);
            assert_eq!(reader.client.ask("GET key"), "$1\r\nx");
        }
        if met {
            writer.worker.begin(1_000_005);
            assert_eq!(writer.ask("EXISTS key"), ":0");
        } else {
            let mut txn = store::Txn::new(Arc::clone(&engine.store), 1);
            for shard in 0..engine.store.shards() {
                store::expire_step(&mut txn, shard, 1_000_005);
            }
        }
        for reader in &mut readers {
            reader.listen();
            assert_eq!(reader.notices, 1);
        }
    }
}

#[test]
fn lists_and_info_show_who_is_told() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    let mut other = TestClient::new(&engine);
    let field = |client: &mut TestClient, name: &str| {
        let info = client.ask("INFO everything");
        let line = info.lines().find_map(|line| line.strip_prefix(&format!("{name}:")));
        line.unwrap().to_owned()
    };
    client.ask("CLIENT TRACKING on");
    assert!(client.ask("CLIENT INFO").contains(" flags=t "));
    assert!(client.ask("CLIENT INFO").contains(" redir=0 "));
    client.ask("MGET a b c");
    let id = other.session.client.id;
    other.ask("CLIENT TRACKING on BCAST PREFIX x PREFIX y");
    assert!(other.ask("CLIENT INFO").contains(" flags=tB "));
    for (name, count) in [
        ("tracking_clients", "2"),
        ("tracking_total_keys", "3"),
        ("tracking_total_items", "3"),
        ("tracking_total_prefixes", "2"),
    ] {
        assert_eq!(field(&mut client, name), count, "{name}");
    }
    client.ask(&format!("CLIENT TRACKING on REDIRECT {id}"));
    assert!(client.ask("CLIENT INFO").contains(&format!(" redir={id} ")));
    other.worker.disconnect(&mut other.session);
    client.ask("SET a 1");
    assert!(client.ask("CLIENT INFO").contains(" flags=tR "));
    client.ask("CLIENT TRACKING off");
    assert!(client.ask("CLIENT INFO").contains(" flags=N "));
    assert!(client.ask("CLIENT INFO").contains(" redir=-1 "));
    assert_eq!(field(&mut client, "tracking_clients"), "0");
}

/// A client whose `QUIT` is answered has not disconnected yet; what is sent to it then is lost.
#[test]
fn a_redirection_is_broken_before_the_end_of_its_target_is_answered() {
    let engine = engine();
    for goodbye in ["QUIT", "POST / HTTP/1.1"] {
        let (mut reader, mut target) = (TestClient::new(&engine), TestClient::new(&engine));
        target.ask("SUBSCRIBE __redis__:invalidate");
        reader.ask("HELLO 3");
        let id = target.session.client.id;
        assert_eq!(reader.ask(&format!("CLIENT TRACKING on REDIRECT {id}")), "+OK");
        let mut writer = TestClient::new(&engine);
        writer.ask("SET k 1");
        reader.ask("GET k");
        target.ask(goodbye);
        writer.ask("SET k 2");
        let pushed = reader.pushed();
        let broken = pushed.len() == 1 && pushed[0].contains("tracking-redir-broken");
        assert!(broken, "{goodbye}: {pushed:?}");
        target.worker.disconnect(&mut target.session);
        reader.worker.disconnect(&mut reader.session);
    }
}
