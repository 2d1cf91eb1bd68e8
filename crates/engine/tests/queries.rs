//! Queries: commands that read a version on a thread of their own while their client waits. Gates
//! hold them up where a test wants them (`RING.GATE`); each test has gates of its own.
#![cfg(debug_assertions)] // rings are there in such builds only
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use kvist_engine::exchange::Exchange;
use kvist_engine::persistence::DataDir;
use kvist_engine::step::{Progress, Step};
use kvist_engine::{Engine, Message, State};

use crate::disk::{Call, Liar};
use crate::rings;
use crate::test_client::{KilledOnFailure, TestClient, start};

/// An engine with a ring `k` of so many words, and a closed gate.
fn stage(lines: &str, gate: &str, words: usize) -> (Arc<Engine>, TestClient) {
    let engine = rings::engine(start(lines));
    let mut client = TestClient::new(&engine);
    for number in 0..words {
        client.ask(&format!("RING.PUSH k 1000000 word:{number}"));
    }
    client.ask(&format!("RING.GATE CLOSE {gate}"));
    (engine, client)
}

/// Waits until so many queries have come to a gate.
fn entered(client: &mut TestClient, gate: &str, count: usize) {
    let count = format!(":{count}");
    until(|| client.ask(&format!("RING.GATE ENTERED {gate}")) == count);
}

fn until(condition: impl FnMut() -> bool) {
    testkit::wait::until("what a test waits for", condition);
}

/// Nothing of any query is left.
#[track_caller]
fn nothing_left(engine: &Engine) {
    until(|| {
        drop(engine.store.take_trash());
        (engine.store.versions.living(), engine.store.versions.kept()) == (0, 0)
    });
    assert!(engine.waits.blocked.is_empty());
}

/// What the client's own thread does when it has been told something.
fn told(client: &mut TestClient) -> (String, bool) {
    until(|| !client.messages.is_empty(client.session.client.id));
    let mut out = Vec::new();
    for message in client.messages.take(client.session.client.id) {
        let Message::Unblocked { ticket, reply } = message else { panic!("{message:?}") };
        client.worker.unblock(&mut client.session, ticket, &reply, &mut out);
    }
    (String::from_utf8(out).unwrap(), client.session.closing)
}

fn begin(client: &mut TestClient, gate: &str) {
    assert_eq!(client.feed(&format!("RING.SCAN k {gate}\r\n")), (String::new(), State::Blocked));
}

#[test]
fn others_go_on_beside_a_query_which_sees_one_moment() {
    let (engine, mut other) = stage("", "beside", 3);
    let mut client = TestClient::new(&engine);
    let input = "RING.SCAN k beside\r\nRING.WORDS k\r\n";
    let (mut bytes, mut out) = (input.as_bytes().to_vec(), Vec::new());
    let fed = client.worker.feed(&mut client.session, &mut bytes, &mut out);
    // What stands behind it stays there.
    assert_eq!((fed.consumed, fed.state, out.len()), (20, State::Blocked, 0));
    entered(&mut other, "beside", 1);
    assert!(other.ask("INFO clients").contains("blocked_clients:1\r\n"));
    let list = other.ask(&format!("CLIENT LIST ID {}", client.session.client.id));
    assert!(list.contains(" flags=b "), "{list}");
    assert_eq!(other.ask("RING.PUSH k 2 new"), ":2");
    assert_eq!(other.ask("RENAME k other"), "+OK");
    assert!(engine.store.versions.kept() > 0);
    other.ask("RING.GATE OPEN beside");
    let words = "*3\r\n$6\r\nword:0\r\n$6\r\nword:1\r\n$6\r\nword:2\r\n";
    assert_eq!(told(&mut client), (words.to_owned(), false));
    assert_eq!(client.feed("RING.WORDS other\r\n").0, "*2\r\n$6\r\nword:2\r\n$3\r\nnew\r\n");
    assert_eq!(client.ask("RING.SCAN missing beside"), "*0");
    client.ask("SET s v");
    assert!(client.ask("RING.SCAN s beside").starts_with("-WRONGTYPE"));
    nothing_left(&engine);
}

/// What a door does whose input has several requests: all are answered, in order, though some of
/// them wait for other threads.
#[test]
fn all_requests_of_an_input_are_answered_behind_queries() {
    let (engine, mut other) = stage("", "several", 2);
    other.ask("RING.GATE OPEN several");
    let mut client = TestClient::new(&engine);
    let id = client.session.client.id;
    let input = "PING 1\r\nRING.SCAN k several\r\nPING 2\r\nRING.SCAN k several\r\nPING 3\r\n";
    let mut exchange = Exchange::of_bytes(input.as_bytes().to_vec());
    loop {
        match exchange.step(&mut client.worker, &mut client.session) {
            Progress::Answered => break,
            Progress::Waits(None) => until(|| !client.messages.is_empty(id)),
            other => panic!("{other:?}"),
        }
        for message in client.messages.take(id) {
            exchange.told(Step::told(message, &client.session).unwrap());
        }
    }
    let words = "*2\r\n$6\r\nword:0\r\n$6\r\nword:1\r\n";
    let all = format!("$1\r\n1\r\n{words}$1\r\n2\r\n{words}$1\r\n3\r\n");
    assert_eq!(String::from_utf8(exchange.into_parts().0).unwrap(), all);
    nothing_left(&engine);
}

#[test]
fn other_clients_end_the_wait_for_a_query() {
    for (how, reply) in
        [("TIMEOUT", "*-1\r\n"), ("ERROR", "-UNBLOCKED client unblocked via CLIENT UNBLOCK\r\n")]
    {
        // Of two queries one runs, and one waits for its turn.
        let (engine, mut other) = stage("query-threads 1", how, 3);
        let mut clients = [TestClient::new(&engine), TestClient::new(&engine)];
        begin(&mut clients[0], how);
        entered(&mut other, how, 1);
        begin(&mut clients[1], how);
        for client in clients.iter_mut().rev() {
            let id = client.session.client.id;
            assert_eq!(other.ask(&format!("CLIENT UNBLOCK {id} {how}")), ":1");
            assert_eq!(other.ask(&format!("CLIENT UNBLOCK {id} {how}")), ":0");
            assert_eq!(told(client), (reply.to_owned(), false));
            assert_eq!(client.ask("PING"), "+PONG");
        }
        nothing_left(&engine);
        assert_eq!(other.ask(&format!("RING.GATE ENTERED {how}")), ":1");
        let stats = other.ask("INFO commandstats");
        let line = stats.lines().find(|line| line.starts_with("cmdstat_ring.scan:")).unwrap();
        assert!(line.contains("calls=2,") && line.ends_with("failed_calls=2"), "{line}");
    }
}

#[test]
fn a_query_ends_when_its_client_leaves() {
    let (engine, mut other) = stage("query-threads 1", "leaves", 3);
    let mut clients = [TestClient::new(&engine), TestClient::new(&engine)];
    begin(&mut clients[0], "leaves");
    entered(&mut other, "leaves", 1);
    begin(&mut clients[1], "leaves");
    other.ask("RING.PUSH k 1 x");
    assert!(engine.store.versions.kept() > 0);
    for client in clients.iter_mut().rev() {
        client.worker.disconnect(&mut client.session);
        assert!(client.messages.take(client.session.client.id).is_empty());
    }
    nothing_left(&engine);
    // The thread is free.
    other.ask("RING.GATE OPEN leaves");
    assert_eq!(other.ask("RING.SCAN k leaves"), "*1\r\n$1\r\nx");
}

#[test]
fn a_query_ends_with_the_engine() {
    let (engine, mut other) = stage("query-threads 1", "stops", 3);
    let mut clients = [TestClient::new(&engine), TestClient::new(&engine)];
    begin(&mut clients[0], "stops");
    entered(&mut other, "stops", 1);
    begin(&mut clients[1], "stops");
    engine.run.stopping.store(true, Ordering::Release);
    let reply = "-ERR the query was ended: the server is shutting down\r\n";
    clients.iter_mut().for_each(|client| assert_eq!(told(client).0, reply));
    nothing_left(&engine);
}

#[test]
fn queries_run_in_place_in_transactions_scripts_and_functions() {
    let (engine, mut client) = stage("", "place", 2);
    client.ask("RING.GATE OPEN place");
    let words = "*2\r\n$6\r\nword:0\r\n$6\r\nword:1";
    client.ask("MULTI");
    client.ask("RING.PUSH k 2 x");
    client.ask("RING.SCAN k place");
    client.ask("RING.SCAN k place");
    let after = "*2\r\n$6\r\nword:1\r\n$1\r\nx";
    assert_eq!(client.ask("EXEC"), format!("*3\r\n:2\r\n{after}\r\n{after}"));
    client.ask("DEL k");
    client.ask("RING.PUSH k 9 word:0");
    client.ask("RING.PUSH k 9 word:1");
    let call = "return redis.call('ring.scan', KEYS[1], 'place')";
    assert_eq!(client.ask(&format!("EVAL \"{call}\" 1 k")), words);
    assert_eq!(client.ask(&format!("EVAL_RO \"{call}\" 1 k")), words);
    let library = format!(
        "FUNCTION LOAD \"#!lua name=l\\nredis.register_function('f', function(KEYS) {call} end)\""
    );
    client.ask(&library);
    assert_eq!(client.ask("FCALL f 1 k"), words);
    for (way, error) in [("FAIL", "-ERR the gate fails it"), ("BREAK", "-ERR internal error")] {
        client.ask(&format!("RING.GATE {way} place"));
        client.ask("MULTI");
        client.ask("RING.SCAN k place");
        client.ask("PING");
        let reply = client.ask("EXEC");
        assert!(reply.starts_with(&format!("*2\r\n{error}")), "{reply}");
        assert!(reply.ends_with("\r\n+PONG"), "{reply}");
        let reply = client.ask(&format!("EVAL \"{call}\" 1 k"));
        assert!(reply.starts_with(error), "{reply}");
        let reply = client.ask("RING.SCAN k place");
        assert!(reply.starts_with(error), "{reply}");
    }
    let stats = client.ask("INFO commandstats");
    let line = stats.lines().find(|line| line.starts_with("cmdstat_ring.scan:")).unwrap();
    assert!(line.contains("calls=11,") && line.ends_with("failed_calls=6"), "{line}");
    nothing_left(&engine);
}

#[test]
fn a_script_may_leave_what_a_query_answers() {
    let (engine, mut client) = stage("", "statement", 2);
    client.ask("RING.GATE OPEN statement");
    let call = "redis.call('ring.scan', KEYS[1], 'statement')";
    assert_eq!(client.ask(&format!("EVAL \"{call} return 1\" 1 k")), ":1");
    nothing_left(&engine);
}

/// A script's own queries keep nothing of what it changes behind them: nothing frees it meanwhile.
#[test]
fn a_script_keeps_nothing_of_its_queries() {
    let (engine, mut client) = stage("query-kept-memory 1", "loop", 2000);
    client.ask("RING.GATE OPEN loop");
    for way in ["EVAL", "MULTI"] {
        if way == "EVAL" {
            let call = "for n = 1, 50 do redis.call('ring.scan', KEYS[1], 'loop') \
                        redis.call('ring.push', KEYS[1], '1000000', 'x') end return 1";
            assert_eq!(client.ask(&format!("EVAL \"{call}\" 1 k")), ":1");
        } else {
            client.ask("MULTI");
            for _ in 0..5 {
                client.ask("RING.SCAN k loop");
                client.ask("RING.PUSH k 1000000 x");
            }
            assert!(!client.ask("EXEC").contains("-ERR"));
        }
        assert_eq!((engine.store.versions.living(), engine.store.versions.kept()), (0, 0), "{way}");
    }
    nothing_left(&engine);
}

#[test]
fn a_script_is_killed_in_a_query() {
    let (engine, mut other) = stage("", "killed", 2);
    let mut client = TestClient::new(&engine);
    std::thread::scope(|scope| {
        let script = scope.spawn(move || {
            client.ask("EVAL \"return redis.call('ring.scan', KEYS[1], 'killed')\" 1 k")
        });
        until(|| other.ask("SCRIPT KILL") == "+OK");
        let reply = script.join().unwrap();
        assert!(reply.contains("killed"), "{reply}");
    });
    nothing_left(&engine);
}

/// The clients of other threads are told, and each of these ends it: it is as a script that takes
/// too long.
#[test]
fn a_query_in_a_transaction_keeps_others_no_longer_than_a_script() {
    for (number, way) in ["SCRIPT KILL", "CLIENT KILL", "stops", "gone"].into_iter().enumerate() {
        let gate = format!("exec{number}");
        let (engine, mut other) = stage("busy-reply-threshold 30", &gate, 2);
        let _killed = KilledOnFailure(&engine);
        let mut client = TestClient::new(&engine);
        let id = client.session.client.id;
        std::thread::scope(|scope| {
            let scan = format!("RING.SCAN k {gate}");
            let run = scope.spawn(move || {
                client.ask("MULTI");
                client.ask("RING.PUSH k 9 before");
                client.ask(&scan);
                client.ask("RING.PUSH k 9 behind");
                client.ask("EXEC")
            });
            until(|| other.ask("RING.WORDS k").starts_with("-BUSY"));
            let busy = other.ask("RING.PUSH k 9 x");
            assert!(busy.starts_with("-BUSY Redis is busy running a query"), "{busy}");
            let reply = match way {
                "CLIENT KILL" => {
                    assert_eq!(other.ask(&format!("CLIENT KILL ID {id}")), ":1");
                    "-ERR the query was ended: by"
                }
                "gone" => {
                    engine.clients.get(id).unwrap().state.gone.store(true, Ordering::Release);
                    "-ERR the query was ended: by"
                }
                "stops" => {
                    engine.run.stopping.store(true, Ordering::Release);
                    "-ERR the query was ended: the server is shutting down"
                }
                _ => {
                    assert_eq!(other.ask(way), "+OK");
                    "-ERR the query was ended: by"
                }
            };
            // The transaction is whole: what stands behind has run, too.
            let exec = run.join().unwrap();
            assert!(exec.starts_with(&format!("*3\r\n:3\r\n{reply}")), "{way}: {exec}");
            assert!(exec.ends_with("\r\n:4"), "{way}: {exec}");
        });
        assert!(other.ask("RING.WORDS k").starts_with("*4\r\n"), "{way}");
        assert!(other.ask("SCRIPT KILL").starts_with("-NOTBUSY"), "{way}");
        nothing_left(&engine);
    }
}

/// A client that has waited for a key is served by the thread that feeds it, under its locks.
#[test]
fn a_query_that_is_served_keeps_others_no_longer_than_a_script() {
    for (number, way) in ["SCRIPT KILL", "CLIENT KILL", "leaves", "open"].into_iter().enumerate() {
        let gate = format!("served{number}");
        let (engine, mut other) = stage("busy-reply-threshold 30", &gate, 0);
        let _killed = KilledOnFailure(&engine);
        let (mut client, mut feeder) = (TestClient::new(&engine), TestClient::new(&engine));
        let id = client.session.client.id;
        assert_eq!(client.feed(&format!("RING.WAIT k {gate}\r\n")).1, State::Blocked);
        std::thread::scope(|scope| {
            let feeds = scope.spawn(move || feeder.ask("RING.PUSH k 9 word"));
            until(|| other.ask("RING.WORDS k").starts_with("-BUSY"));
            match way {
                "CLIENT KILL" => {
                    assert_eq!(other.ask(&format!("CLIENT KILL ID {id}")), ":1");
                }
                "leaves" => {
                    let TestClient { worker, session, .. } = &mut client;
                    worker.disconnect(session);
                }
                "open" => drop(other.ask(&format!("RING.GATE OPEN {gate}"))),
                _ => assert_eq!(other.ask(way), "+OK"),
            }
            assert_eq!(feeds.join().unwrap(), ":1", "{way}");
        });
        if way != "leaves" {
            until(|| !client.messages.is_empty(id));
            let messages = client.messages.take(id);
            let reply = messages.iter().find_map(|message| match message {
                Message::Unblocked { reply, .. } => Some(String::from_utf8_lossy(reply)),
                _ => None,
            });
            let begins = if way == "open" { "*1\r\n" } else { "-ERR the query was ended: by" };
            assert!(reply.as_ref().is_some_and(|reply| reply.starts_with(begins)), "{reply:?}");
        }
        assert_eq!(other.ask("RING.WORDS k"), "*1\r\n$4\r\nword");
        assert!(other.ask("SCRIPT KILL").starts_with("-NOTBUSY"), "{way}");
        until(|| engine.store.versions.living() == 0 || !engine.store.take_trash().is_empty());
    }
}

/// However quick each of them is: others are told of the time since the shards were taken.
#[test]
fn many_that_are_served_keep_others_no_longer_than_one() {
    const QUICK: usize = 20;
    static TOLD: AtomicUsize = AtomicUsize::new(0);
    static OVERDUE: AtomicUsize = AtomicUsize::new(0);
    let hand_over = |overdue: bool| {
        TOLD.fetch_add(1, Ordering::SeqCst);
        OVERDUE.fetch_add(usize::from(overdue), Ordering::SeqCst);
    };
    for (number, way) in ["plain", "EXEC", "EVAL"].into_iter().enumerate() {
        let gate = format!("slow{number}");
        let (engine, mut other) = stage("busy-reply-threshold 30", &gate, 0);
        let gates = std::iter::once(gate.clone())
            .chain((0..QUICK).map(|quick| format!("quick{number}:{quick}")));
        let mut clients: Vec<TestClient> = Vec::new();
        for gate in gates {
            let mut client = TestClient::new(&engine);
            assert_eq!(client.feed(&format!("RING.WAIT k {gate}\r\n")).1, State::Blocked);
            clients.push(client);
        }
        let mut feeder = TestClient::new(&engine);
        feeder.worker = kvist_engine::Worker::new(&engine, 7).hand_over(hand_over);
        feeder.worker.begin(1_000_000);
        OVERDUE.store(0, Ordering::SeqCst);
        let lines = match way {
            "EXEC" => "MULTI\r\nRING.PUSH k 9 word\r\nEXEC\r\nPING\r\n",
            "EVAL" => "EVAL \"return redis.call('ring.push', KEYS[1], 9, 'word')\" 1 k\r\nPING\r\n",
            _ => "RING.PUSH k 9 word\r\nPING\r\n",
        };
        std::thread::scope(|scope| {
            let _killed = KilledOnFailure(&engine);
            let feeds = scope.spawn(move || feeder.feed(lines));
            until(|| OVERDUE.load(Ordering::SeqCst) > 0);
            TOLD.store(0, Ordering::SeqCst);
            other.ask(&format!("RING.GATE OPEN {gate}"));
            // What stands behind it is of a later time, and another thread may serve it.
            let (replies, state) = feeds.join().unwrap();
            assert!(!replies.contains("PONG") && replies.ends_with(":1\r\n"), "{way}: {replies}");
            assert_eq!(state, State::Full, "{way}");
        });
        let told_of = TOLD.load(Ordering::SeqCst);
        assert!(told_of >= QUICK, "{way}: {told_of}");
        for client in &mut clients {
            assert_eq!(told(client).0, "*1\r\n$4\r\nword\r\n");
        }
        // The next one's time is its own.
        let (mut client, mut feeder) = (TestClient::new(&engine), TestClient::new(&engine));
        client.feed(&format!("RING.WAIT next quick{number}\r\n"));
        TOLD.store(0, Ordering::SeqCst);
        until(|| {
            let (replies, state) = feeder.feed("RING.PUSH next 9 word\r\nDEL next\r\nPING\r\n");
            told(&mut client);
            client.feed(&format!("RING.WAIT next quick{number}\r\n"));
            state == State::Open && replies.ends_with("+PONG\r\n")
        });
        let TestClient { worker, session, .. } = &mut client;
        worker.disconnect(session);
        nothing_left(&engine);
    }
}

/// What a query holds is its client's memory, wherever it runs.
#[test]
fn what_a_query_holds_counts_as_its_clients() {
    let held = |number: usize| format!("{number}{}", "x".repeat(20_000));
    for (number, way) in ["beside", "EXEC", "EVAL", "served"].into_iter().enumerate() {
        let gate = held(number);
        let (engine, mut other) = stage("", &gate, 1);
        let mut client = TestClient::new(&engine);
        let of_client = Arc::clone(&client.session.client);
        let elsewhere = || of_client.told() - of_client.told_by_owner();
        let lines = match way {
            "beside" => format!("RING.SCAN k {gate}\r\n"),
            "EXEC" => format!("MULTI\r\nRING.SCAN k {gate}\r\nEXEC\r\n"),
            "EVAL" => {
                let call = "return redis.call('ring.scan', KEYS[1], ARGV[1])";
                format!("EVAL \"{call}\" 1 k {gate}\r\n")
            }
            _ => format!("RING.WAIT later {gate}\r\n"),
        };
        let mut feeder = TestClient::new(&engine);
        std::thread::scope(|scope| {
            let _killed = KilledOnFailure(&engine);
            let runs = scope.spawn(move || {
                client.feed(&lines);
                if way == "served" {
                    assert_eq!(elsewhere(), 0);
                    feeder.feed("RING.PUSH later 9 word\r\n");
                }
                client
            });
            entered(&mut other, &gate, 1);
            until(|| elsewhere() >= gate.len());
            other.ask(&format!("RING.GATE OPEN {gate}"));
            let mut client = runs.join().unwrap();
            if matches!(way, "beside" | "served") {
                told(&mut client);
            }
        });
        until(|| elsewhere() == 0);
        nothing_left(&engine);
    }
}

#[test]
fn no_more_queries_wait_than_there_are_places() {
    const PLACES: usize = 1024;
    let (engine, mut other) = stage("query-threads 2", "crowd", 1);
    let mut clients: Vec<TestClient> = (0..PLACES).map(|_| TestClient::new(&engine)).collect();
    clients.iter_mut().for_each(|client| begin(client, "crowd"));
    let (reply, state) = other.feed("RING.SCAN k crowd\r\n");
    assert!(reply.starts_with("-ERR too many queries wait"), "{reply}");
    assert_eq!(state, State::Open);
    // Requests that wait for other servers are not in their way, nor they in theirs.
    assert_eq!(other.feed("MIGRATE 127.0.0.1 1 k 0 100\r\n"), (String::new(), State::Blocked));
    assert!(told(&mut other).0.starts_with("-IOERR"));
    other.ask("RING.GATE OPEN crowd");
    for client in &mut clients {
        assert_eq!(told(client).0, "*1\r\n$6\r\nword:0\r\n");
    }
    assert_eq!(other.ask("RING.SCAN k crowd"), "*1\r\n$6\r\nword:0");
    nothing_left(&engine);
}

#[test]
fn limits_of_replies_hold_while_a_query_writes() {
    let long = "x".repeat(2000);
    for (lines, reply, closes) in [
        (
            "max-reply-size 1mb",
            "-ERR the reply would be longer than max-reply-size or the output buffer limit\r\n",
            false,
        ),
        ("client-output-buffer-limit normal 512kb 0 0", "", true),
    ] {
        let (engine, mut client) = stage(lines, "limit", 0);
        client.ask("RING.GATE OPEN limit");
        (0..600).for_each(|_| drop(client.ask(&format!("RING.PUSH k 1000 {long}"))));
        begin(&mut client, "limit");
        assert_eq!(told(&mut client), (reply.to_owned(), closes));
        // A silent client has no use for it, and stays.
        let mut silent = TestClient::new(&engine);
        silent.feed("CLIENT REPLY OFF\r\n");
        begin(&mut silent, "limit");
        assert_eq!(told(&mut silent), (String::new(), false));
        nothing_left(&engine);
    }
}

/// What is on its way to the threads of clients has a bound: it counts as theirs until taken.
#[test]
fn a_reply_counts_as_its_clients_until_it_is_taken() {
    let (engine, mut other) = stage("", "posted", 0);
    let long = "x".repeat(1000);
    (0..100).for_each(|_| drop(other.ask(&format!("RING.PUSH k 1000 {long}"))));
    let all = || engine.memory.buffers.load(Ordering::Relaxed);
    let before = all();
    let mut clients: Vec<TestClient> = (0..8).map(|_| TestClient::new(&engine)).collect();
    clients.iter_mut().for_each(|client| begin(client, "posted"));
    other.ask("RING.GATE OPEN posted");
    for client in &clients {
        until(|| !client.messages.is_empty(client.session.client.id));
    }
    for (at, client) in clients.iter_mut().enumerate() {
        let there = client.session.client.told();
        assert!(there > 100_000, "{there} at {at}");
        assert!(all() - before > (8 - at) * 100_000, "{} at {at}", all() - before);
        assert!(told(client).0.len() > 100_000);
        until(|| client.session.client.told() == 0);
    }
    assert_eq!(all(), before);
    // One that is not taken goes with what would have taken it.
    begin(&mut clients[0], "posted");
    let id = clients[0].session.client.id;
    until(|| !clients[0].messages.is_empty(id));
    assert!(all() - before > 100_000);
    drop(clients[0].messages.take(id));
    until(|| all() == before);
    let TestClient { worker, session, .. } = &mut clients[0];
    worker.disconnect(session);
    nothing_left(&engine);
}

/// What a query has written when it fails is taken back, wherever it runs.
#[test]
fn a_query_that_fails_in_the_middle_of_its_reply_answers_an_error_alone() {
    let (engine, mut client) = stage("", "later", 300);
    client.ask("RING.GATE LATER later");
    let error = "-ERR the gate fails it later";
    assert_eq!(client.ask("RING.SCAN k later"), error);
    assert_eq!(client.ask("RING.WAIT k later"), error);
    for line in ["MULTI", "PING 1", "RING.SCAN k later", "PING 2"] {
        client.ask(line);
    }
    assert_eq!(client.ask("EXEC"), format!("*3\r\n$1\r\n1\r\n{error}\r\n$1\r\n2"));
    let call = "redis.pcall('ring.scan', KEYS[1], 'later')";
    let script = format!("EVAL \"return {{1, {call}.err, 2}}\" 1 k");
    assert_eq!(client.ask(&script), "*3\r\n:1\r\n$27\r\nERR the gate fails it later\r\n:2");
    client.ask("RENAME k away");
    client.feed("RING.WAIT k later\r\n");
    TestClient::new(&engine).ask("RENAME away k");
    assert_eq!(told(&mut client).0, format!("{error}\r\n"));
    assert_eq!(client.ask("PING"), "+PONG");
    nothing_left(&engine);
}

/// Its reply tells what it has read: not before that is on the disk, and for nothing later.
#[test]
fn the_reply_of_a_query_waits_for_what_it_has_read_to_be_durable() {
    let lines = "appendonly yes\nappendfsync always\ndir /liar";
    let engine = rings::engine(start(lines));
    let disk = Liar::default();
    let data_dir = DataDir::on(Arc::new(disk.clone())).map_err(|why| why.to_string()).unwrap();
    engine.attach_data_dir(data_dir);
    engine.recover().unwrap();
    let (mut writer, mut client) = (TestClient::new(&engine), TestClient::new(&engine));
    let hangs = Arc::new(AtomicBool::new(false));
    let still = Arc::clone(&hangs);
    disk.listen(move |call, _, _, _| {
        while call == Call::Sync && still.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    let holds = |client: &TestClient| {
        engine.store.log().flush_soon();
        client.worker.must_hold(&client.session)
    };
    writer.ask("RING.PUSH k 9 a");
    writer.ask("RING.GATE CLOSE durable");
    until(|| !holds(&writer));
    hangs.store(true, Ordering::SeqCst);
    // Begun before what is not durable, or behind it.
    for (first, words) in [(true, "*1\r\n$1\r\na\r\n"), (false, "*2\r\n$1\r\na\r\n$1\r\nb\r\n")] {
        writer.ask("RING.GATE CLOSE durable");
        if !first {
            writer.ask("RING.PUSH k 9 b");
        }
        begin(&mut client, "durable");
        if first {
            writer.ask("RING.PUSH other 9 x");
        }
        writer.ask("RING.GATE OPEN durable");
        assert_eq!(told(&mut client).0, words);
        assert_eq!(holds(&client), !first);
    }
    assert!(holds(&writer));
    hangs.store(false, Ordering::SeqCst);
    until(|| !holds(&client));
    nothing_left(&engine);
    disk.hush();
    engine.close().unwrap();
}

#[test]
fn what_a_client_does_not_want_is_not_sent() {
    let (engine, mut client) = stage("", "silent", 2);
    client.ask("RING.GATE OPEN silent");
    client.feed("CLIENT REPLY SKIP\r\n");
    begin(&mut client, "silent");
    assert_eq!(told(&mut client).0, "");
    assert_eq!(client.ask("PING"), "+PONG");
    nothing_left(&engine);
}

#[test]
fn a_query_counts_when_it_has_run() {
    let lines = "slowlog-log-slower-than 20000\nlatency-monitor-threshold 20";
    let (engine, mut other) = stage(lines, "counts", 2);
    let mut monitor = TestClient::new(&engine);
    monitor.ask("MONITOR");
    let mut client = TestClient::new(&engine);
    begin(&mut client, "counts");
    entered(&mut other, "counts", 1);
    let begun = Instant::now();
    until(|| begun.elapsed() > Duration::from_millis(30));
    assert_eq!(other.ask("SLOWLOG LEN"), ":0");
    other.ask("RING.GATE OPEN counts");
    told(&mut client);
    let log = other.ask("SLOWLOG GET");
    assert!(log.contains("ring.scan") || log.contains("RING.SCAN"), "{log}");
    let stats = other.ask("INFO commandstats");
    let line = stats.lines().find(|line| line.starts_with("cmdstat_ring.scan:")).unwrap();
    let usec = line.split("usec=").nth(1).unwrap().split(',').next().unwrap();
    assert!(line.contains("calls=1,") && usec.parse::<u64>().unwrap() >= 30_000, "{line}");
    assert!(other.ask("LATENCY LATEST").contains("command"));
    assert!(other.ask("INFO stats").contains("keyspace_hits:1\r\n"));
    let seen = monitor.pushed().concat();
    assert_eq!(seen.matches("\"RING.SCAN\" \"k\" \"counts\"").count(), 1, "{seen}");
}

#[test]
fn a_query_that_keeps_too_much_is_given_up() {
    let (engine, mut other) = stage("query-kept-memory 100kb", "kept", 20_000);
    let mut clients = [TestClient::new(&engine), TestClient::new(&engine)];
    let before = engine.used_memory();
    begin(&mut clients[0], "kept");
    other.ask("RING.PUSH k 1000000 x");
    begin(&mut clients[1], "kept");
    other.ask("DEL k");
    drop(engine.store.take_trash());
    for client in &mut clients {
        let (reply, _) = told(client);
        assert!(reply.starts_with("-ERR the query was given up"), "{reply}");
    }
    nothing_left(&engine);
    other.worker.txn.report_memory();
    assert!(engine.used_memory() < before / 10, "{} of {before}", engine.used_memory());
}

/// It is not the fault of a query how long another has run, nor that others write elsewhere.
#[test]
fn the_query_that_is_given_up_is_one_behind_which_much_has_changed() {
    let (engine, mut other) = stage("query-kept-memory 100kb\nquery-threads 2", "guilty", 100);
    (0..20_000).for_each(|number| drop(other.ask(&format!("RING.PUSH busy 1000000 {number}"))));
    let (mut quiet, mut busy) = (TestClient::new(&engine), TestClient::new(&engine));
    begin(&mut quiet, "guilty");
    entered(&mut other, "guilty", 1);
    // A little is kept of its value, too.
    other.ask("RING.PUSH k 1000000 x");
    busy.feed("RING.SCAN busy guilty\r\n");
    entered(&mut other, "guilty", 2);
    other.ask("RING.PUSH busy 1 x");
    let (reply, _) = told(&mut busy);
    assert!(reply.starts_with("-ERR the query was given up"), "{reply}");
    other.ask("RING.GATE OPEN guilty");
    let (reply, _) = told(&mut quiet);
    assert!(reply.starts_with("*100\r\n$6\r\nword:0\r\n"), "{reply}");
    nothing_left(&engine);
}

/// What a client is sent, in order, when its thread takes its messages.
fn sent(client: &mut TestClient) -> String {
    let id = client.session.client.id;
    let mut out = Vec::new();
    loop {
        let messages = client.messages.take(id);
        if messages.is_empty() {
            return String::from_utf8(out).unwrap();
        }
        for message in messages {
            match message {
                Message::Push(bytes) => out.extend_from_slice(&bytes),
                Message::Unblocked { ticket, reply } => {
                    client.worker.unblock(&mut client.session, ticket, &reply, &mut out);
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

/// A copy that is made of the reply of a query is never stale unsaid, whatever came in between.
#[test]
fn a_client_that_caches_hears_behind_the_reply_what_became_stale() {
    let stale = |key: &str| format!(">2\r\n$10\r\ninvalidate\r\n*1\r\n${}\r\n{key}\r\n", key.len());
    let all = ">2\r\n$10\r\ninvalidate\r\n_\r\n".to_owned();
    let (one, both) = (stale("k"), format!("{}{}", stale("k"), stale("other")));
    let words = "*2\r\n$6\r\nword:0\r\n$6\r\nword:1\r\n";
    for (number, (mode, changes, before, behind)) in [
        ("on", &["RING.PUSH k 9 x"][..], &one, one.as_str()),
        ("on", &["RING.PUSH k 9 x", "RING.PUSH k 9 y"], &one, &one),
        ("on", &["DEL k"], &one, &one),
        ("on", &["RENAME k away"], &one, &one),
        ("on", &["PEXPIRE k 0"], &one, &one),
        ("on", &["MULTI", "RING.PUSH k 9 x", "EXEC"], &one, &one),
        ("on", &["FLUSHALL"], &all, &all),
        ("on optin", &["RING.PUSH k 9 x"], &String::new(), ""),
        // Of other keys it hears once.
        ("on", &["SET other 1"], &stale("other"), ""),
        ("on bcast", &["RING.PUSH k 9 x", "SET other 1"], &both, &one),
        ("on bcast prefix x", &["RING.PUSH k 9 x"], &String::new(), ""),
        ("off", &["RING.PUSH k 9 x"], &String::new(), ""),
    ]
    .into_iter()
    .enumerate()
    {
        let gate = format!("stale{number}");
        let (engine, mut other) = stage("", &gate, 2);
        other.ask("SET other 0");
        let mut client = TestClient::new(&engine);
        client.ask("HELLO 3");
        client.ask(&format!("CLIENT TRACKING {mode}"));
        client.ask("GET other");
        begin(&mut client, &gate);
        entered(&mut other, &gate, 1);
        changes.iter().for_each(|change| drop(other.ask(change)));
        assert_eq!(sent(&mut client), *before, "{mode} {changes:?}");
        other.ask(&format!("RING.GATE OPEN {gate}"));
        until(|| !client.messages.is_empty(client.session.client.id));
        assert_eq!(sent(&mut client), format!("{words}{behind}"), "{mode} {changes:?}");
        // What comes later is told as ever: once, to readers of what is there.
        client.ask("RING.WORDS k");
        sent(&mut client);
        other.ask("DEL k away");
        other.ask("RING.PUSH k 9 z");
        let later = sent(&mut client);
        assert_eq!(later.contains("invalidate"), !matches!(number, 7 | 10 | 11), "{later}");
        nothing_left(&engine);
    }
}

/// The same where another client is told, and where the key is forgotten because there are many.
#[test]
fn a_redirected_notice_comes_behind_the_reply_too() {
    let (engine, mut other) = stage("tracking-table-max-keys 1", "redirected", 2);
    let (mut client, mut listener) = (TestClient::new(&engine), TestClient::new(&engine));
    listener.ask("HELLO 3");
    let id = listener.session.client.id;
    client.ask(&format!("CLIENT TRACKING on REDIRECT {id}"));
    begin(&mut client, "redirected");
    entered(&mut other, "redirected", 1);
    other.ask("CLIENT TRACKING on");
    // All shards have room for one key.
    until(|| {
        (0..300).for_each(|number| drop(other.ask(&format!("GET g{number}"))));
        let mut worker = kvist_engine::Worker::new(&engine, 99);
        worker.begin(1_000_000);
        (0..engine.store.shards()).for_each(|shard| store::trim_readers(&mut worker.txn, shard));
        !listener.messages.is_empty(id)
    });
    assert!(sent(&mut listener).contains("$1\r\nk\r\n"));
    other.ask("RING.GATE OPEN redirected");
    assert_eq!(told(&mut client).0, "*2\r\n$6\r\nword:0\r\n$6\r\nword:1\r\n");
    assert!(sent(&mut listener).contains("$1\r\nk\r\n"), "the copy would be kept for ever");
    nothing_left(&engine);
}

/// Rights are asked for before, and a pause holds it back.
#[test]
fn what_refuses_a_request_refuses_a_query() {
    let (engine, mut other) = stage("", "refused", 2);
    other.ask("RING.GATE OPEN refused");
    other.ask("ACL SETUSER u on nopass ~other* +@all");
    let mut client = TestClient::new(&engine);
    client.ask("AUTH u x");
    assert!(client.ask("RING.SCAN k refused").starts_with("-NOPERM"));
    other.ask("CLIENT PAUSE 100000 ALL");
    let mut client = TestClient::new(&engine);
    assert_eq!(client.feed("RING.SCAN k refused\r\n").1, State::Paused);
    assert_eq!(engine.store.versions.living(), 0);
}
