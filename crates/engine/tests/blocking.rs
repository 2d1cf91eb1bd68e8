//! Blocked clients: who is served, by whom, in which order, and with what.
//!
//! The scripts were recorded from a redis-server and run on it again where one is installed;
//! `KVIST_RECORD=1` writes down what it answers.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test says why by failing

mod script;

use std::sync::atomic::{AtomicBool, Ordering};

use kvist_engine::{Message, State};
use script::{Kvist, Redis, expected, parse, run};
use testkit::oracle;

use crate::test_client;

const SCENARIOS: &str = include_str!("blocking/scenarios.txt");

#[test]
fn blocked_clients_are_served_as_written() {
    let mut wrong = Vec::new();
    for scenario in parse(SCENARIOS) {
        let (found, wanted) = (run(&scenario, &mut Kvist::new()), expected(&scenario));
        if found != wanted {
            wrong.push(format!(
                "== {}\n-- wanted\n{}\n-- found\n{}\n",
                scenario.name,
                wanted.join("\n"),
                found.join("\n")
            ));
        }
    }
    assert!(wrong.is_empty(), "{} scripts:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_scripts_are_what_redis_does() {
    let Some(oracle) = oracle::Oracle::start(&[]) else { return };
    let recording = std::env::var_os("KVIST_RECORD").is_some();
    let opening = SCENARIOS.split("\n== ").next().unwrap();
    let mut record = opening.to_owned();
    for mut scenario in parse(SCENARIOS) {
        if recording {
            scenario.steps.iter_mut().for_each(|step| step.heard.clear());
        }
        let found = run(&scenario, &mut Redis::new(&oracle, recording));
        if recording {
            record.push_str(&format!("\n== {}\n{}\n", scenario.name, found.join("\n")));
        } else {
            assert_eq!(found, expected(&scenario), "{}", scenario.name);
        }
    }
    if recording {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/blocking/scenarios.txt");
        std::fs::write(path, record).unwrap();
    }
}

/// Save points and INFO go by how many commands have changed something: the served one is another.
#[test]
fn what_is_served_counts_as_a_change() {
    let engine = test_client::engine();
    let (mut waiting, mut feeding) =
        (test_client::TestClient::new(&engine), test_client::TestClient::new(&engine));
    assert_eq!(waiting.feed("BLMOVE a b LEFT LEFT 0\r\n").0, "");
    assert_eq!(engine.unsaved_changes(), 0);
    assert_eq!(feeding.ask("RPUSH a x"), ":1");
    assert_eq!(engine.unsaved_changes(), 2);
}

/// Redis 7.0 answers most of these with no entries, later versions with none of them.
#[test]
fn a_blocked_read_is_never_answered_without_entries() {
    const ANSWER: &[u8] =
        b"*1\r\n*2\r\n$1\r\ns\r\n*1\r\n*2\r\n$3\r\n9-0\r\n*2\r\n$1\r\nf\r\n$1\r\nv\r\n";
    for feeds in [
        "XADD s MAXLEN 0 5-0 f v",
        "MULTI\r\nXADD s 5-0 f v\r\nXDEL s 5-0\r\nEXEC",
        "MULTI\r\nXADD s 5-0 f v\r\nXTRIM s MAXLEN 0\r\nEXEC",
        "EVAL \"redis.call('xadd','s','5-0','f','v')redis.call('xdel','s','5-0')\" 1 s",
        "XSETID s 5-0\r\nXDEL s 1-1\r\nEXPIRE s 100\r\nXGROUP DESTROY s other",
        "XADD t 5-0 f v\r\nXGROUP CREATE t g 1-1\r\nXDEL t 5-0\r\nRENAME t s",
        "XADD t 5-0 f v\r\nXGROUP CREATE t g 1-1\r\nXDEL t 5-0\r\nCOPY t s REPLACE",
    ] {
        let engine = test_client::engine();
        let [mut feeder, mut reader, mut member] =
            [(); 3].map(|()| test_client::TestClient::new(&engine));
        feeder.feed("XADD s 1-1 f v\r\nXGROUP CREATE s g $\r\nXGROUP CREATE s other $\r\n");
        for (client, request) in [
            (&mut reader, "XREAD BLOCK 0 STREAMS s $\r\n"),
            (&mut member, "XREADGROUP GROUP g c BLOCK 0 STREAMS s >\r\n"),
        ] {
            assert_eq!(client.feed(request).1, State::Blocked);
        }
        let (done, _) = feeder.feed(&format!("{feeds}\r\n"));
        assert!(!done.contains("-ERR"), "{feeds}: {done}");
        feeder.ask("XADD s 9-0 f v");
        for client in [&reader, &member] {
            let messages = client.messages.take(client.session.client.id);
            let [Message::Unblocked { reply, .. }] = &messages[..] else { panic!("{messages:?}") };
            assert_eq!(&reply[..], ANSWER, "{feeds}: {}", String::from_utf8_lossy(reply));
        }
    }
}

/// Whichever way the key goes: by a read that meets it past its deadline, a write, or a walk.
#[test]
fn a_key_that_expires_under_a_reader_ends_the_wait_for_its_group() {
    for meets in ["EXISTS s", "MULTI\r\nEXISTS s\r\nEXEC", "DEL s", "walk"] {
        let engine = test_client::engine();
        let [mut other, mut member] = [(); 2].map(|()| test_client::TestClient::new(&engine));
        other.feed("XGROUP CREATE s g $ MKSTREAM\r\nPEXPIRE s 5\r\n");
        let waits = "XREADGROUP GROUP g c BLOCK 0 STREAMS s >\r\n";
        assert_eq!(member.feed(waits).1, State::Blocked);
        other.worker.begin(1_000_100);
        match meets {
            "walk" => {
                let mut txn = store::Txn::new(std::sync::Arc::clone(&engine.store), 1);
                for shard in 0..engine.store.shards() {
                    store::expire_step(&mut txn, shard, 1_000_100);
                }
            }
            _ => drop(other.feed(&format!("{meets}\r\n"))),
        }
        other.ask("PING");
        let messages = member.messages.take(member.session.client.id);
        let [Message::Unblocked { reply, .. }] = &messages[..] else {
            panic!("{meets}: {messages:?}")
        };
        assert!(reply.starts_with(b"-UNBLOCKED"), "{meets}: {}", reply.escape_ascii());
    }
}

/// Redis leaves them waiting, even through what is added later.
#[test]
fn what_is_stored_over_another_type_serves() {
    for (request, makes, stores) in [
        ("BZPOPMIN x 0", "ZADD z 1 a", "ZUNIONSTORE x 1 z"),
        ("BZPOPMIN x 0", "ZADD z 1 a", "ZINTERSTORE x 1 z"),
        ("BZPOPMIN x 0", "ZADD z 1 a", "ZDIFFSTORE x 1 z"),
        ("BZPOPMIN x 0", "ZADD z 1 a", "ZRANGESTORE x z 0 -1"),
        ("BZPOPMIN x 0", "GEOADD z 1 1 a", "GEOSEARCHSTORE x z FROMMEMBER a BYRADIUS 1 m"),
        ("BLPOP x 0", "RPUSH l 1", "SORT l STORE x"),
    ] {
        for stores in [stores.to_owned(), format!("MULTI\r\n{stores}\r\nEXEC")] {
            let engine = test_client::engine();
            let [mut feeder, mut waiter] = [(); 2].map(|()| test_client::TestClient::new(&engine));
            assert_eq!(waiter.feed(&format!("{request}\r\n")).1, State::Blocked);
            feeder.feed(&format!("SET x s\r\n{makes}\r\n{stores}\r\n"));
            assert_eq!(waiter.messages.take(waiter.session.client.id).len(), 1, "{stores}");
            assert_eq!(feeder.ask("EXISTS x"), ":0", "{stores}");
        }
    }
}

/// So many wait that looking at each of them would show.
const CROWD: u64 = 2_000;

#[test]
fn feeding_a_key_looks_at_those_it_serves_and_not_at_those_who_wait() {
    let engine = test_client::engine();
    let mut feeder = test_client::TestClient::new(&engine);
    feeder.ask("XGROUP CREATE s g $ MKSTREAM");
    for (request, feeds, empties) in [
        ("BLPOP key 0", "RPUSH key a", "DEL key"),
        ("BZPOPMIN key 0", "ZADD key 1 a", "DEL key"),
        ("BLMOVE key other LEFT LEFT 0", "RPUSH key a", "DEL other"),
        ("XREADGROUP GROUP g c BLOCK 0 STREAMS s >", "XADD s * a b", "DBSIZE"),
    ] {
        let mut crowd: Vec<test_client::TestClient> =
            (0..CROWD).map(|_| test_client::TestClient::new(&engine)).collect();
        for client in &mut crowd {
            assert_eq!(client.feed(&format!("{request}\r\n")).1, State::Blocked);
        }
        let before = engine.waits.blocked.looked_at();
        // A key of another type, and one that is gone again, serve no client.
        if request.starts_with('B') {
            feeder.ask("SET key x");
            feeder.feed("MULTI\r\nDEL key\r\nRPUSH key b\r\nZADD key2 1 a\r\nDEL key\r\nEXEC\r\n");
        }
        for _ in 0..10 {
            feeder.ask(feeds);
        }
        let looked = engine.waits.blocked.looked_at() - before;
        assert!(looked <= 100, "{request}: looked {looked} times at those who wait");
        // First come, first served.
        let served: Vec<bool> = crowd
            .iter()
            .map(|client| !client.messages.take(client.session.client.id).is_empty())
            .collect();
        assert!(served[..10].iter().all(|&served| served), "{request}");
        assert!(!served[10..].iter().any(|&served| served), "{request}");
        crowd.iter_mut().for_each(|client| client.worker.disconnect(&mut client.session));
        assert!(engine.waits.blocked.is_empty());
        feeder.ask(empties);
    }
}

/// A client that waits with a target elsewhere is served before another sees what was fed, also
/// one that comes between its feeder and the locks it needs.
#[test]
fn no_client_takes_what_is_owed_to_one_that_waits() {
    let engine = test_client::engine();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for thief in ["LPOP from", "RPOP from", "LRANGE from 0 -1", "DEL from"] {
            let (engine, stop) = (&engine, &stop);
            scope.spawn(move || {
                let mut client = test_client::TestClient::new(engine);
                while !stop.load(Ordering::Relaxed) {
                    let got = client.ask(thief);
                    assert!(["$-1", "*0", ":0"].contains(&got.as_str()), "{thief}: {got}");
                }
            });
        }
        let (mut waiter, mut feeder) =
            (test_client::TestClient::new(&engine), test_client::TestClient::new(&engine));
        for round in 0..2_000 {
            // Its target is another shard's most of the time.
            let state = waiter.feed(&format!("BLMOVE from to{round} LEFT LEFT 0\r\n")).1;
            assert_eq!(state, State::Blocked);
            feeder.ask("RPUSH from x");
            // It is served by the time its feeder has been answered, or by who came between.
            let mut messages = waiter.messages.take(waiter.session.client.id);
            while messages.is_empty() {
                std::thread::yield_now();
                messages = waiter.messages.take(waiter.session.client.id);
            }
            let Some(Message::Unblocked { ticket, reply }) = messages.pop() else { panic!() };
            assert_eq!(&reply[..], b"$1\r\nx\r\n");
            let mut out = Vec::new();
            assert!(waiter.worker.unblock(&mut waiter.session, ticket, &reply, &mut out));
            assert_eq!(feeder.ask(&format!("LLEN to{round}")), ":1");
        }
        stop.store(true, Ordering::Relaxed);
    });
}

/// Each of them needs a shard of its own, and one feeds the next: by the time the first feeder has
/// been answered all have been served.
#[test]
fn a_chain_of_waiters_is_served_before_the_feeder_is_answered() {
    let engine = test_client::engine();
    let mut feeder = test_client::TestClient::new(&engine);
    let mut chain: Vec<test_client::TestClient> =
        (0..50).map(|_| test_client::TestClient::new(&engine)).collect();
    for (at, client) in chain.iter_mut().enumerate() {
        let request = format!("BLMOVE key{at} key{} LEFT LEFT 0\r\n", at + 1);
        assert_eq!(client.feed(&request).1, State::Blocked);
    }
    feeder.ask("RPUSH key0 x");
    for client in &chain {
        assert_eq!(client.messages.take(client.session.client.id).len(), 1);
    }
    assert_eq!(feeder.ask("LLEN key50"), ":1");
    // Many who wait for one key, with targets all over.
    let mut crowd: Vec<test_client::TestClient> =
        (0..50).map(|_| test_client::TestClient::new(&engine)).collect();
    for (at, client) in crowd.iter_mut().enumerate() {
        let request = format!("BLMOVE one to{at} LEFT LEFT 0\r\n");
        assert_eq!(client.feed(&request).1, State::Blocked);
    }
    let elements = (0..50).map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
    feeder.feed(&format!("MULTI\r\nRPUSH one {elements}\r\nLLEN one\r\nEXEC\r\n"));
    for (at, client) in crowd.iter().enumerate() {
        assert_eq!(client.messages.take(client.session.client.id).len(), 1);
        let moved = feeder.ask(&format!("LRANGE to{at} 0 -1"));
        assert!(moved.ends_with(&format!("\r\n{at}")), "first come, first served: {moved}");
    }
}
