//! The engine inside a process: what a server's clients are promised, without a server.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

use kvist::{Error, Kvist, Value};
use testkit::folder::Folder;
use testkit::wait::{PATIENCE, until};

#[test]
fn what_is_written_is_there_when_it_is_opened_again() {
    let folder = Folder::missing("again");
    let db = Kvist::open(folder.path()).unwrap();
    db.set("k", "v").unwrap();
    db.rpush("list", ["a", "b"]).unwrap();
    db.close().unwrap();
    assert!(matches!(db.get::<String>("k"), Err(Error::Closed)));
    db.close().unwrap();
    let db = Kvist::open(folder.path()).unwrap();
    assert_eq!(db.get::<String>("k").unwrap().as_deref(), Some("v"));
    assert_eq!(db.run::<Vec<String>>(["LRANGE", "list", "0", "-1"]).unwrap(), ["a", "b"]);
    assert!(db.recovered().bytes > 0, "{:?}", db.recovered());
    // Without being closed: dropping it does the same.
    db.set("k", "w").unwrap();
    drop(db);
    let db = Kvist::open(folder.path()).unwrap();
    assert_eq!(db.get::<String>("k").unwrap().as_deref(), Some("w"));
}

#[test]
fn a_reply_that_is_too_long_is_an_error() {
    let db = Kvist::builder().set("max-reply-size", "1mb").in_memory().unwrap();
    db.set("k", "x".repeat(100_000)).unwrap();
    let many = |times: usize| [&["MGET"][..], &vec!["k"; times]].concat();
    let long = |done: Result<Value, Error>| match done {
        Err(error) => error.to_string().contains("the reply would be longer"),
        Ok(_) => false,
    };
    assert!(long(db.run::<Value>(many(100_000))));
    assert_eq!(db.run::<Vec<String>>(many(9)).unwrap().len(), 9);
    // As bytes, too: a session in a transaction.
    let mut session = db.session().unwrap();
    session.run::<Value>(["MULTI"]).unwrap();
    session.run::<Value>(many(100_000)).unwrap();
    assert!(long(session.run::<Value>(["EXEC"])));
    session.run::<Value>(["PING"]).unwrap();
}

#[test]
fn a_directory_in_use_is_refused() {
    let folder = Folder::missing("in-use");
    let db = Kvist::open(folder.path()).unwrap();
    let refused = Kvist::open(folder.path()).unwrap_err();
    assert!(matches!(&refused, Error::InUse(dir) if *dir == folder.path()), "{refused}");
    assert!(refused.to_string().contains("in use"), "{refused}");
    db.close().unwrap();
    Kvist::open(folder.path()).unwrap();
}

#[test]
fn settings_are_those_of_the_server() {
    let db = Kvist::builder()
        .set("databases", "3")
        .set("maxmemory-policy", "allkeys-lru")
        .set("client-output-buffer-limit", "pubsub 1mb 512kb 10")
        .in_memory()
        .unwrap();
    let said: HashMap<String, String> = db.run(["CONFIG", "GET", "databases"]).unwrap();
    assert_eq!(said["databases"], "3");
    assert!(db.database(2).is_ok());
    assert_eq!(db.database(3).unwrap_err().code(), "ERR");
    let unknown = Kvist::builder().set("no-such-thing", "1").in_memory().unwrap_err();
    assert!(matches!(unknown, Error::Setting(_)), "{unknown}");
    let wrong = Kvist::builder().set("databases", "many").in_memory().unwrap_err();
    assert!(matches!(wrong, Error::Setting(_)), "{wrong}");
    let trick = Kvist::builder().set("dir /tmp\nport", "1").in_memory().unwrap_err();
    assert!(matches!(trick, Error::Setting(_)), "{trick}");
}

#[test]
fn memory_has_its_limit() {
    let db = Kvist::builder().set("maxmemory", "3mb").in_memory().unwrap();
    let value = "x".repeat(100_000);
    let refused = (0..1000).find_map(|n| db.set(format!("k{n}"), &value).err()).unwrap();
    assert_eq!(refused.code(), "OOM");
}

#[test]
fn threads_share_one_dataset() {
    let db = Kvist::in_memory().unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let db = db.clone();
            scope.spawn(move || {
                for n in 0..500 {
                    db.incr("all").unwrap();
                    db.set(format!("{thread}:{n}"), n).unwrap();
                    let mine: Option<i64> = db.get(format!("{thread}:{n}")).unwrap();
                    assert_eq!(mine, Some(n));
                }
            });
        }
    });
    assert_eq!(db.get::<i64>("all").unwrap(), Some(4000));
    assert_eq!(db.run::<usize>(["DBSIZE"]).unwrap(), 4001);
}

#[test]
fn more_threads_than_workers_find_one() {
    let db = Kvist::in_memory().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..100 {
            scope.spawn(|| (0..20).try_for_each(|_| db.incr("n").map(drop)).unwrap());
        }
    });
    assert_eq!(db.get::<i64>("n").unwrap(), Some(2000));
}

#[test]
fn a_blocked_call_is_woken_by_another_thread() {
    let db = Kvist::in_memory().unwrap();
    std::thread::scope(|scope| {
        let popper = scope.spawn(|| db.blpop::<String>("queue", Duration::ZERO).unwrap());
        until("no request waits", || {
            let info: String = db.run(["INFO", "clients"]).unwrap();
            info.contains("blocked_clients:1")
        });
        db.rpush("queue", ["job"]).unwrap();
        assert_eq!(popper.join().unwrap().as_deref(), Some("job"));
    });
    // One that waits in vain, and one that need not.
    let began = Instant::now();
    assert_eq!(db.blpop::<String>("queue", Duration::from_millis(30)).unwrap(), None);
    assert!(began.elapsed() >= Duration::from_millis(25));
    db.rpush("queue", ["next"]).unwrap();
    assert_eq!(db.blpop::<String>("queue", Duration::ZERO).unwrap().as_deref(), Some("next"));
}

#[test]
fn closing_ends_waiting_requests() {
    let db = Kvist::in_memory().unwrap();
    std::thread::scope(|scope| {
        let popper = scope.spawn(|| db.blpop::<String>("queue", Duration::ZERO));
        let mut updates = db.subscriber().unwrap();
        updates.subscribe(["c"]).unwrap();
        let listener = scope.spawn(move || updates.next_message(None));
        until("no request waits", || {
            let info: String = db.run(["INFO", "clients"]).unwrap();
            info.contains("blocked_clients:1")
        });
        db.close().unwrap();
        assert!(matches!(popper.join().unwrap(), Err(Error::Closed)));
        assert!(matches!(listener.join().unwrap(), Err(Error::Closed)));
    });
}

#[test]
fn messages_reach_subscribers_in_order() {
    let db = Kvist::in_memory().unwrap();
    let mut updates = db.subscriber().unwrap();
    updates.subscribe(["a", "b"]).unwrap();
    updates.psubscribe(["?"]).unwrap();
    assert_eq!(db.publish("a", "1").unwrap(), 2);
    assert_eq!(db.publish("z", "2").unwrap(), 1);
    let texts: Vec<(Vec<u8>, bool)> = (0..3)
        .map(|_| updates.next_message(Some(PATIENCE)).unwrap().unwrap())
        .map(|message| (message.payload, message.pattern.is_some()))
        .collect();
    assert_eq!(texts, [(b"1".to_vec(), false), (b"1".to_vec(), true), (b"2".to_vec(), true)]);
    updates.unsubscribe(["a"]).unwrap();
    updates.punsubscribe(["?"]).unwrap();
    assert_eq!(db.publish("a", "3").unwrap(), 0);
    assert_eq!(updates.next_message(Some(Duration::ZERO)).unwrap(), None);
}

#[test]
fn a_subscriber_that_does_not_keep_up_is_ended() {
    let db =
        Kvist::builder().set("client-output-buffer-limit", "pubsub 100kb 0 0").in_memory().unwrap();
    let mut updates = db.subscriber().unwrap();
    updates.subscribe(["c"]).unwrap();
    let payload = "x".repeat(10_000);
    for _ in 0..20 {
        db.publish("c", &payload).unwrap();
    }
    assert!(matches!(updates.next_message(Some(Duration::ZERO)), Err(Error::Closed)));
}

/// What a session is told and does not fetch has its limit, however busy the session is with other
/// things; what it fetches does not count.
#[test]
fn messages_that_are_not_fetched_end_a_session() {
    const MOST: usize = 5000;
    let limits = "pubsub 20kb 0 0";
    let db = Kvist::builder().set("client-output-buffer-limit", limits).in_memory().unwrap();
    let tracking = || {
        let mut session = db.session().unwrap();
        session.call(["CLIENT", "TRACKING", "ON", "BCAST"]).unwrap();
        session
    };
    let (mut busy, mut reading, mut blocked) = (tracking(), tracking(), tracking());
    let mut confirmed = db.subscriber().unwrap();
    std::thread::scope(|scope| {
        let waits = scope.spawn(move || blocked.call(["BLPOP", "queue", "0"]));
        let mut ended = None;
        for n in 0..MOST {
            db.set(format!("key:{n:06}"), "v").unwrap();
            if ended.is_none() && busy.call(["PING"]).is_err() {
                ended = Some(n);
            }
            let push = reading.next_push(Some(PATIENCE)).unwrap();
            assert!(matches!(push, Some(Value::Push(_))), "{push:?}");
        }
        // Each message is some 40 bytes.
        assert!(ended.is_some_and(|n| (200..2000).contains(&n)), "{ended:?}");
        assert!(matches!(busy.next_push(Some(Duration::ZERO)), Err(Error::Closed)));
        assert!(matches!(waits.join().unwrap(), Err(Error::Closed)));
    });
    let refused = (0..MOST).any(|_| confirmed.subscribe(["channel"]).is_err());
    assert!(refused, "confirmations are messages, too");
}

#[test]
fn what_sessions_keep_counts_as_memory() {
    // On a busy machine the slow log would fill, which counts, too.
    let db = Kvist::builder().set("slowlog-log-slower-than", "-1").in_memory().unwrap();
    let used = || {
        let info: String = db.run(["INFO", "memory"]).unwrap();
        let line = info.lines().find_map(|line| line.strip_prefix("used_memory:")).unwrap();
        line.parse::<usize>().unwrap()
    };
    let value = "v".repeat(1 << 20);
    let mut session = db.session().unwrap();
    session.call(["PING"]).unwrap();
    let before = used();
    session.call(["MULTI"]).unwrap();
    session.call(["SET", "k", &value]).unwrap();
    assert!(used() >= before + (1 << 20), "a queued command");
    session.call(["DISCARD"]).unwrap();
    assert_eq!(used(), before);
    session.call(["CLIENT", "TRACKING", "ON", "BCAST"]).unwrap();
    let before = used();
    for n in 0..100 {
        db.set(format!("{n}{}", "k".repeat(1000)), "").unwrap();
    }
    db.run::<()>(["FLUSHALL"]).unwrap();
    assert!(used() >= before + 100_000, "messages that were not fetched");
    drop(session);
    until("the end of them", || used() < before);
    // The largest goes.
    let mut session = db.session().unwrap();
    db.run::<()>(["CONFIG", "SET", "maxmemory-clients", "1mb"]).unwrap();
    session.call(["MULTI"]).unwrap();
    let ended = (0..3).any(|_| session.call(["SET", "k", &value]).is_err());
    assert!(ended && db.run::<Option<String>>(["GET", "k"]).unwrap().is_none());
}

#[test]
fn sessions_have_states_of_their_own() {
    let db = Kvist::in_memory().unwrap();
    let (mut one, mut two) = (db.session().unwrap(), db.session().unwrap());
    one.call(["SELECT", "1"]).unwrap();
    one.call(["SET", "k", "one"]).unwrap();
    assert_eq!(two.run::<Option<String>>(["GET", "k"]).unwrap(), None);
    let other = db.database(1).unwrap();
    assert_eq!(other.get::<String>("k").unwrap().as_deref(), Some("one"));
    assert_eq!(db.get::<String>("k").unwrap(), None);
    // What is watched and changed meanwhile.
    two.call(["WATCH", "k"]).unwrap();
    two.call(["MULTI"]).unwrap();
    assert_eq!(two.call(["SET", "k", "two"]).unwrap(), Value::Simple(b"QUEUED".to_vec()));
    db.set("k", "db").unwrap();
    assert!(two.call(["EXEC"]).unwrap().is_null());
    assert_eq!(db.get::<String>("k").unwrap().as_deref(), Some("db"));
    for stateful in [&["MULTI"][..], &["SELECT", "1"], &["SUBSCRIBE", "c"], &["CLIENT", "ID"]] {
        assert!(matches!(db.call(stateful), Err(Error::NeedsSession(_))), "{stateful:?}");
    }
    two.call(["QUIT"]).unwrap();
    assert!(matches!(two.call(["PING"]), Err(Error::Closed)));
    drop((one, two));
    let clients: String = db.run(["CLIENT", "LIST"]).unwrap();
    assert_eq!(clients.lines().count(), 1, "{clients}");
}

#[test]
fn transactions_begin_anew_until_nothing_has_changed() {
    let db = Kvist::in_memory().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    db.transaction(["n"], |session, plan| {
                        let n: Option<i64> = session.run(["GET", "n"])?;
                        plan.call([
                            "SET".to_owned(),
                            "n".to_owned(),
                            (n.unwrap_or(0) + 1).to_string(),
                        ]);
                        Ok(())
                    })
                    .unwrap();
                }
            });
        }
    });
    assert_eq!(db.get::<i64>("n").unwrap(), Some(200));
    let refused = db.pipeline().call(["SET", "a", "1"]).call(["NOPE"]).atomically().unwrap_err();
    assert_eq!(refused.code(), "ERR");
    assert!(!db.exists("a").unwrap());
    let results = db.pipeline().call(["SET", "a", "x"]).call(["INCR", "a"]).execute().unwrap();
    assert!(results[0].is_ok() && results[1].is_err());
}

#[test]
fn stale_copies_are_told() {
    let db = Kvist::in_memory().unwrap();
    let mut session = db.session().unwrap();
    session.call(["CLIENT", "TRACKING", "ON"]).unwrap();
    session.call(["GET", "k"]).unwrap();
    db.set("k", "new").unwrap();
    let push = session.next_push(Some(PATIENCE)).unwrap().unwrap();
    let Value::Push(parts) = push else { panic!("{push:?}") };
    assert_eq!(parts[0], Value::Bulk(b"invalidate".to_vec()));
}

#[test]
fn keys_expire_by_themselves() {
    let db = Kvist::in_memory().unwrap();
    db.set_for("k", "v", Duration::from_millis(20)).unwrap();
    assert!(db.run::<i64>(["PTTL", "k"]).unwrap() <= 20);
    // It is not read: the engine's own thread deletes it.
    until("it has expired", || db.run::<usize>(["DBSIZE"]).unwrap() == 0);
}

/// The first query waits for the index, and finds the keys that its user may see.
#[test]
fn ranges_wait_for_their_index_and_follow_rights() {
    let db = Kvist::in_memory().unwrap();
    for n in 0..20_000 {
        db.set(format!("other:{n:05}"), "x").unwrap();
    }
    db.set("user:1", "x").unwrap();
    let count: i64 = db.run(["RANGE.COUNT", "-", "+"]).unwrap();
    assert_eq!(count, 20_001);
    db.call(["ACL", "SETUSER", "ada", "on", ">secret", "~user:*", "+@all"]).unwrap();
    let mut session = db.session().unwrap();
    session.call(["AUTH", "ada", "secret"]).unwrap();
    let names: Vec<String> = session.run(["RANGE", "-", "+"]).unwrap();
    assert_eq!(names, ["user:1"]);
}

#[test]
fn a_pause_is_waited_for() {
    let db = Kvist::in_memory().unwrap();
    // Looked at before the pause can have begun: the time until the next call counts for it.
    let began = Instant::now();
    db.call(["CLIENT", "PAUSE", "30", "WRITE"]).unwrap();
    db.set("k", "v").unwrap();
    assert!(began.elapsed() >= Duration::from_millis(20), "{:?}", began.elapsed());
    db.call(["CLIENT", "PAUSE", "1000000", "WRITE"]).unwrap();
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| db.set("k", "w"));
        db.call(["CLIENT", "UNPAUSE"]).unwrap();
        waits.join().unwrap().unwrap();
    });
    assert_eq!(db.get::<String>("k").unwrap().as_deref(), Some("w"));
}

#[test]
fn waits_can_be_cancelled() {
    let db = Kvist::in_memory().unwrap();
    let ended = AtomicBool::new(false);
    let mut patience = || ended.swap(true, Ordering::Relaxed);
    let mut values = kvist::Values::new();
    let argv: [&[u8]; 3] = [b"BLPOP", b"queue", b"0"];
    let done = db.answer(&argv, &mut values, &mut Vec::new(), &mut patience);
    assert!(matches!(done, Err(Error::Interrupted)), "{done:?}");
    // It does not take what comes later.
    assert_eq!(db.rpush("queue", ["x"]).unwrap(), 1);
    assert_eq!(db.lpop::<String>("queue").unwrap().as_deref(), Some("x"));
}

/// Commands on rings, the type to copy from, which only builds for tests have.
#[cfg(debug_assertions)]
#[test]
fn a_caller_waits_for_a_query_or_gives_it_up() {
    let builder = Kvist::builder().set("example-commands", "yes").set("query-threads", "1");
    let db = builder.in_memory().unwrap();
    let keeps = || {
        let info: String = db.run(["INFO", "memory"]).unwrap();
        !info.contains("mem_query_versions:0\r\n")
    };
    let entered = |gate: &str| {
        until("a query", || db.run::<i64>(["RING.GATE", "ENTERED", gate]).unwrap() > 0);
    };
    let scan = |gate: &str| db.run::<Vec<String>>(["RING.SCAN", "k", gate]);
    for gate in ["given-up", "waited-for", "closed"] {
        db.call(["RING.GATE", "CLOSE", gate]).unwrap();
    }
    db.run::<i64>(["RING.PUSH", "k", "9", "a"]).unwrap();
    let ended = AtomicBool::new(false);
    let mut patience = || ended.swap(true, Ordering::Relaxed);
    let argv: [&[u8]; 3] = [b"RING.SCAN", b"k", b"given-up"];
    let done = db.answer(&argv, &mut kvist::Values::new(), &mut Vec::new(), &mut patience);
    assert!(matches!(done, Err(Error::Interrupted)), "{done:?}");
    // Its thread is free for the next.
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| scan("waited-for"));
        entered("waited-for");
        db.run::<i64>(["RING.PUSH", "k", "1", "b"]).unwrap();
        assert!(keeps());
        db.call(["RING.GATE", "OPEN", "waited-for"]).unwrap();
        assert_eq!(waits.join().unwrap().unwrap(), ["a"]);
    });
    until("the memory", || !keeps());
    let mut session = db.session().unwrap();
    assert_eq!(session.run::<Vec<String>>(["RING.SCAN", "k", "waited-for"]).unwrap(), ["b"]);
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| scan("closed"));
        entered("closed");
        db.close().unwrap();
        assert!(matches!(waits.join().unwrap(), Err(Error::Closed)));
    });
}

#[test]
fn scripts_and_long_replies_go_the_same_way() {
    let db = Kvist::in_memory().unwrap();
    let sum: i64 = db.run(["EVAL", "return redis.call('INCRBY', KEYS[1], 5)", "1", "n"]).unwrap();
    assert_eq!(sum, 5);
    let members: Vec<String> = (0..10_000).map(|n| n.to_string()).collect();
    assert_eq!(db.sadd("s", &members).unwrap(), 10_000);
    let all: std::collections::HashSet<i64> = db.smembers("s").unwrap();
    assert_eq!(all.len(), 10_000);
    db.zadd("z", "a", 1.5).unwrap();
    let scores: HashMap<String, f64> = db.run(["ZRANGE", "z", "0", "-1", "WITHSCORES"]).unwrap();
    assert_eq!(scores["a"], 1.5);
    let wrong = db.run::<i64>(["GET", "s"]).unwrap_err();
    assert_eq!(wrong.code(), "WRONGTYPE");
}

#[test]
fn a_script_that_takes_too_long_delays_no_other_client() {
    let db = Kvist::builder().set("busy-reply-threshold", "20").in_memory().unwrap();
    let busy = |words: &[&str]| match db.call(words.iter()) {
        Ok(_) => false,
        Err(error) => {
            assert_eq!(error.code(), "BUSY", "{words:?}");
            true
        }
    };
    for (keys, holds) in [(&["0"][..], false), (&["1", "k"], true)] {
        std::thread::scope(|scope| {
            // Two at a time.
            let scripts = [keys, &["0"]].map(|keys| {
                let words = [&["EVAL", "while true do end"], keys].concat();
                let db = db.clone();
                scope.spawn(move || db.call(words.iter()).unwrap_err())
            });
            if holds {
                until("an overdue script", || busy(&["GET", "k"]));
            }
            for words in [&["SAVE"][..], &["DBSIZE"], &["KEYS", "*"], &["BACKUP", "b"]] {
                // Without a directory two of them fail in the end, but at once.
                let answered = db.call(words.iter());
                let is_busy = answered.is_err_and(|error| error.code() == "BUSY");
                assert_eq!(is_busy, holds, "{words:?}");
            }
            assert!(
                !busy(&["PING"]) && !busy(&["CLIENT", "LIST"]) && !busy(&["CONFIG", "GET", "*"])
            );
            // They are seen to run once they have run for some time.
            until("their end", || {
                let _ = db.call(["SCRIPT", "KILL"]);
                scripts.iter().all(ScopedJoinHandle::is_finished)
            });
        });
        assert!(!busy(&["DBSIZE"]) && !busy(&["KEYS", "*"]) && !busy(&["SET", "k", "v"]));
    }
}

#[test]
fn a_channel_is_a_connection_without_a_socket() {
    let db = Kvist::in_memory().unwrap();
    let mut channel = db.channel(kvist::Protocol::Resp2).unwrap();
    let mut say = |bytes: &[u8]| {
        channel.requests().extend_from_slice(bytes);
        channel.replies(Some(PATIENCE), &mut || false).map(|said| said.unwrap().to_vec())
    };
    assert_eq!(say(b"PING\r\nSET k v\r\nPI").unwrap(), b"+PONG\r\n+OK\r\n");
    assert_eq!(say(b"NG\r\n").unwrap(), b"+PONG\r\n");
    assert_eq!(say(b"BLPOP l 0.01\r\nPING\r\n").unwrap(), b"*-1\r\n+PONG\r\n");
    assert!(say(b"SUBSCRIBE c\r\n").unwrap().starts_with(b"*3\r\n$9\r\nsubscribe"));
    db.publish("c", "hello").unwrap();
    assert!(say(b"").unwrap().ends_with(b"hello\r\n"));
    assert_eq!(say(b"RESET\r\nQUIT\r\nPING\r\n").unwrap(), b"+RESET\r\n+OK\r\n");
    assert!(matches!(say(b"PING\r\n"), Err(Error::Closed)));
}

#[test]
fn shutdown_closes_it() {
    let folder = Folder::missing("shutdown");
    let db = Kvist::open(folder.path()).unwrap();
    db.set("k", "v").unwrap();
    assert!(matches!(db.call(["SHUTDOWN"]), Err(Error::Closed)));
    assert!(db.is_closed());
    let db = Kvist::open(folder.path()).unwrap();
    assert_eq!(db.get::<String>("k").unwrap().as_deref(), Some("v"));
}

#[test]
fn a_database_without_a_journal_is_saved_at_the_end() {
    let folder = Folder::missing("saved");
    let builder = || Kvist::builder().set("appendonly", "no").set("save", "3600 1");
    let db = builder().open(folder.path()).unwrap();
    db.set("k", "v").unwrap();
    db.close().unwrap();
    let db = builder().open(folder.path()).unwrap();
    assert_eq!(db.get::<String>("k").unwrap().as_deref(), Some("v"));
}

/// Threads change keys, and another reads which: none is missing.
#[test]
fn changes_are_read_by_another_thread() {
    let db = Kvist::in_memory().unwrap();
    let mut changes = db.changes(1 << 24).unwrap();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let db = db.clone();
            scope.spawn(move || (0..100).try_for_each(|n| db.set(format!("{writer}:{n}"), "v")));
        }
        let mut keys = std::collections::BTreeSet::new();
        while keys.len() < 400 {
            let Some(kvist::ChangeEvent::Batch(batch)) = changes.next(PATIENCE) else {
                panic!("only {} of 400 keys", keys.len());
            };
            for change in &batch.changes {
                let kvist::Change::Key { key, .. } = change else { panic!("{change:?}") };
                assert!(keys.insert(key.clone()), "{key:?} twice");
            }
        }
    });
    assert!(changes.next(Duration::ZERO).is_none());
    db.close().unwrap();
    assert!(matches!(db.changes(1 << 20), Err(Error::Closed)));
}

/// What a caller gave panics: nothing of its request stays.
#[test]
fn a_caller_that_panics_leaves_nothing_behind() {
    let db = Kvist::in_memory().unwrap();
    let clients = || db.run::<String>(["CLIENT", "LIST"]).unwrap().lines().count();
    let endless = "UNWIND range(1, 1000000) AS x UNWIND range(1, 1000000) AS y \
                   WITH x, y WHERE x = -y CREATE ()";
    let before = clients();
    for argv in [&[&b"BLPOP"[..], b"queue", b"0"], &[b"GRAPH.QUERY", b"g", endless.as_bytes()]] {
        let broken = catch_unwind(AssertUnwindSafe(|| {
            let (mut values, mut out) = (kvist::Values::new(), Vec::new());
            db.answer(argv, &mut values, &mut out, &mut || panic!("the caller's")).map(drop)
        }));
        assert!(broken.is_err());
        assert_eq!(clients(), before);
    }
    // No client waits for it, and no statement keeps others from the graph.
    assert_eq!(db.run::<i64>(["RPUSH", "queue", "x"]).unwrap(), 1);
    assert_eq!(db.run::<i64>(["LLEN", "queue"]).unwrap(), 1);
    db.call(["GRAPH.QUERY", "g", "CREATE ()"]).unwrap();
}
