//! How an engine ends while scripts run, and how a script ends whose caller does not want to wait.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use kvist::{Builder, Error, Kvist, Protocol, Values};
use testkit::folder::Folder;
use testkit::wait::{PATIENCE, until};

/// A script that writes and never ends; what it holds, and so whether it can be undone.
struct Endless {
    what: &'static str,
    request: &'static [&'static str],
    undone: bool,
}

const DECLARED: Endless = Endless {
    what: "a declared key",
    request: &["EVAL", "redis.call('SET', KEYS[1], 'half') while true do end", "1", "k"],
    undone: true,
};

const ENDLESS: &[Endless] = &[
    DECLARED,
    Endless {
        what: "commands in a loop",
        request: &["EVAL", "while true do redis.call('APPEND', KEYS[1], 'x') end", "1", "k"],
        undone: true,
    },
    Endless {
        what: "errors that are caught",
        request: &["EVAL", "while true do pcall(redis.call, 'SET', KEYS[1], 'half') end", "1", "k"],
        undone: true,
    },
    Endless {
        what: "undeclared keys",
        request: &[
            "EVAL",
            "redis.call('SET', 'k', 'half') redis.call('SET', 'new', 1, 'PX', 1) while true do end",
            "0",
        ],
        undone: false,
    },
    Endless {
        what: "a large value",
        request: &[
            "EVAL",
            "redis.call('SET', KEYS[1], 'half') redis.call('LPOP', KEYS[2]) while true do end",
            "2",
            "k",
            "large",
        ],
        undone: false,
    },
];

/// Closes the engine if the test fails: a thread with an endless script would be waited for.
struct ClosedOnFailure<'d>(&'d Kvist);

impl Drop for ClosedOnFailure<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = self.0.close();
        }
    }
}

fn settings() -> Builder {
    Kvist::builder().set("enable-debug-command", "yes")
}

fn quick() -> Builder {
    settings().set("busy-reply-threshold", "50").set("appendfsync", "always")
}

/// What is there before a script runs; its digest.
fn fill(db: &Kvist) -> String {
    db.set("k", "before").unwrap();
    let members: Vec<String> = (0..20_000).map(|n| format!("member {n}")).collect();
    db.rpush("large", &members).unwrap();
    db.rpush("queue", ["job"]).unwrap();
    db.lpop::<String>("queue").unwrap();
    db.run(["DEBUG", "DIGEST"]).unwrap()
}

fn digest(db: &Kvist) -> String {
    db.run(["DEBUG", "DIGEST"]).unwrap()
}

fn is_busy(db: &Kvist, key: &str) -> bool {
    db.get::<String>(key).is_err_and(|error| error.code() == "BUSY")
}

#[test]
fn closing_ends_scripts_that_have_written() {
    for Endless { what, request, .. } in ENDLESS {
        let folder = Folder::missing("ending");
        let db = quick().open(folder.path()).unwrap();
        let before = fill(&db);
        thread::scope(|scope| {
            let _guard = ClosedOnFailure(&db);
            let running = scope.spawn(|| db.call(request.iter()));
            until(what, || is_busy(&db, "k"));
            let waits = scope.spawn(|| db.blpop::<String>("queue", Duration::ZERO));
            until("a waiting client", || {
                let info: String = db.run(["INFO", "clients"]).unwrap();
                info.contains("blocked_clients:1") || is_busy(&db, "queue")
            });
            db.close().unwrap();
            let ended = running.join().unwrap();
            assert!(matches!(ended, Err(Error::Closed)), "{what}: {ended:?}");
            let ended = waits.join().unwrap();
            let refused = ended.as_ref().is_err_and(|error| error.code() == "BUSY");
            assert!(refused || matches!(ended, Err(Error::Closed)), "{what}: {ended:?}");
            assert!(matches!(db.get::<String>("k"), Err(Error::Closed)), "{what}");
        });
        // The directory is free, and has all that was there and nothing of the script.
        let db = quick().open(folder.path()).unwrap();
        assert_eq!(digest(&db), before, "{what}");
    }
}

#[test]
fn closing_ends_a_transaction_whose_script_has_written() {
    let folder = Folder::missing("ending-multi");
    let db = quick().open(folder.path()).unwrap();
    let before = fill(&db);
    thread::scope(|scope| {
        let _guard = ClosedOnFailure(&db);
        scope.spawn(|| {
            let mut session = db.session().unwrap();
            session.call(["MULTI"]).unwrap();
            session.call(["SET", "k", "first"]).unwrap();
            session.call(DECLARED.request.iter()).unwrap();
            session.call(["SET", "k", "last"]).unwrap();
            let ended = session.call(["EXEC"]);
            assert!(matches!(ended, Err(Error::Closed)), "{ended:?}");
        });
        until("a busy transaction", || is_busy(&db, "k"));
        db.close().unwrap();
    });
    assert_eq!(digest(&quick().open(folder.path()).unwrap()), before);
}

/// A script that is never overdue is waited for by others, until the engine is closed; they are not
/// served from what it leaves half done.
#[test]
fn closing_ends_scripts_that_are_never_overdue() {
    for Endless { what, request, undone } in [&ENDLESS[0], &ENDLESS[3]] {
        let folder = Folder::missing("ending-never");
        let builder = || settings().set("busy-reply-threshold", "0");
        let db = builder().open(folder.path()).unwrap();
        let before = fill(&db);
        thread::scope(|scope| {
            let _guard = ClosedOnFailure(&db);
            let running = scope.spawn(|| db.call(request.iter()));
            until(what, || {
                let said = db.call(["SCRIPT", "KILL"]).unwrap_err();
                said.code() == "UNKILLABLE"
            });
            let waits = scope.spawn(|| db.call(["APPEND", "k", "!"]));
            db.close().unwrap();
            assert!(matches!(running.join().unwrap(), Err(Error::Closed)), "{what}");
            assert!(waits.join().unwrap().is_err(), "{what}");
        });
        let db = builder().open(folder.path()).unwrap();
        // What waited may have run, if it ran on what the script had left whole.
        if db.get::<String>("k").unwrap().as_deref() == Some("before!") {
            assert!(undone, "{what}");
            db.set("k", "before").unwrap();
        }
        assert_eq!(digest(&db), before, "{what}");
    }
}

/// Without a journal memory is saved, if the script could be undone.
#[test]
fn a_dataset_without_a_journal_is_saved_beside_a_script() {
    for Endless { what, request, undone } in [&ENDLESS[0], &ENDLESS[3], &ENDLESS[4]] {
        let folder = Folder::missing("ending-saved");
        let builder = || quick().set("appendonly", "no").set("save", "3600 1");
        let db = builder().open(folder.path()).unwrap();
        let before = fill(&db);
        db.call(["SAVE"]).unwrap();
        db.set("late", "acknowledged").unwrap();
        let after = digest(&db);
        thread::scope(|scope| {
            let _guard = ClosedOnFailure(&db);
            scope.spawn(|| db.call(request.iter()).unwrap_err());
            until(what, || is_busy(&db, "k"));
            let closed = db.close();
            assert_eq!(closed.is_ok(), *undone, "{what}: {closed:?}");
        });
        let db = builder().open(folder.path()).unwrap();
        assert_eq!(&digest(&db), if *undone { &after } else { &before }, "{what}");
    }
}

#[test]
fn a_script_that_soon_ends_is_waited_for() {
    let folder = Folder::missing("ending-soon");
    let db = Kvist::open(folder.path()).unwrap();
    let body = "redis.call('SET', KEYS[1], 'a') for i = 1, 2e7 do end \
                redis.call('SET', KEYS[1], 'done')";
    thread::scope(|scope| {
        let _guard = ClosedOnFailure(&db);
        scope.spawn(|| db.call(["EVAL", body, "1", "k"]));
        until("a script that has written", || {
            db.call(["SCRIPT", "KILL"]).unwrap_err().code() == "UNKILLABLE"
        });
        db.close().unwrap();
    });
    let db = Kvist::open(folder.path()).unwrap();
    assert_eq!(db.get::<String>("k").unwrap().as_deref(), Some("done"));
}

#[test]
fn several_that_close_at_once_all_find_it_closed() {
    let folder = Folder::missing("ending-twice");
    let db = quick().open(folder.path()).unwrap();
    thread::scope(|scope| {
        let _guard = ClosedOnFailure(&db);
        scope.spawn(|| db.call(DECLARED.request.iter()));
        until("a busy script", || is_busy(&db, "k"));
        for _ in 0..4 {
            scope.spawn(|| {
                db.close().unwrap();
                // It is open here, or in another of these threads: what was closed is gone.
                let again = quick().open(folder.path());
                assert!(db.is_closed());
                assert!(again.is_ok() || matches!(again, Err(Error::InUse(_))), "{again:?}");
                db.close().unwrap();
            });
        }
    });
    assert!(quick().open(folder.path()).is_ok());
}

/// Runs a request and gives up when asked for the third time.
fn give_up(db: &Kvist, request: &[&str]) -> Result<(), Error> {
    let argv: Vec<&[u8]> = request.iter().map(|word| word.as_bytes()).collect();
    let asked = AtomicUsize::new(0);
    let mut is_cancelled = || asked.fetch_add(1, Ordering::Relaxed) >= 2;
    let (mut values, mut out) = (Values::new(), Vec::new());
    db.answer(&argv, &mut values, &mut out, &mut is_cancelled).map(drop)
}

#[test]
fn a_caller_that_gives_up_ends_its_script() {
    let db = quick().in_memory().unwrap();
    let before = fill(&db);
    let idle: &[&[&str]] = &[
        &["EVAL", "while true do end", "0"],
        &["EVAL", "while true do end", "1", "k"],
        &["EVAL", "while true do redis.call('KEYS', '*') end", "0"],
        &["EVAL_RO", "while true do redis.call('GET', 'k') end", "0"],
    ];
    let written = ENDLESS.iter().filter(|endless| endless.undone).map(|endless| endless.request);
    for request in idle.iter().copied().chain(written) {
        let given_up = give_up(&db, request);
        assert!(matches!(given_up, Err(Error::Interrupted)), "{request:?}: {given_up:?}");
        until("its end", || !is_busy(&db, "k") && db.call(["DBSIZE"]).is_ok());
        assert_eq!(digest(&db), before, "{request:?}");
    }
}

#[test]
fn a_script_that_cannot_be_undone_goes_on_until_the_end() {
    let folder = Folder::missing("ending-alone");
    let db = quick().open(folder.path()).unwrap();
    let before = fill(&db);
    let given_up = give_up(&db, ENDLESS[3].request);
    assert!(matches!(given_up, Err(Error::Interrupted)), "{given_up:?}");
    until("a busy script", || is_busy(&db, "k"));
    assert_eq!(db.call(["SCRIPT", "KILL"]).unwrap_err().code(), "UNKILLABLE");
    // The last handle goes, and the script with it.
    drop(db);
    assert_eq!(digest(&quick().open(folder.path()).unwrap()), before);
}

#[test]
fn a_long_script_that_is_waited_for_runs_once() {
    let db = Kvist::in_memory().unwrap();
    let long = "local n = redis.call('INCR', KEYS[1]) for i = 1, 2e7 do end return n";
    let wide = "local n = redis.call('INCR', ARGV[1]) for i = 1, 2e7 do end return n";
    for (n, request) in [["EVAL", long, "1", "n"], ["EVAL", wide, "0", "n"]].iter().enumerate() {
        let argv = request.map(str::as_bytes);
        let (mut values, mut out) = (Values::new(), Vec::new());
        db.answer(&argv, &mut values, &mut out, &mut || false).unwrap();
        assert_eq!(out, format!(":{}\r\n", n + 1).as_bytes());
    }
    assert_eq!(db.get::<i64>("n").unwrap(), Some(2));
}

#[test]
fn a_channel_goes_on_behind_a_long_script() {
    let db = quick().in_memory().unwrap();
    let mut channel = db.channel(Protocol::Resp2).unwrap();
    let long = "redis.call('INCR', KEYS[1]) for i = 1, 2e7 do end return 'long'";
    let eval = format!("EVAL \"{long}\" 1 n\r\n");
    let requests = ["PING\r\n", &eval, "MULTI\r\n", &eval, "GET n\r\n", "EXEC\r\n", "PING\r\n"];
    channel.requests().extend_from_slice(requests.concat().as_bytes());
    let until = Instant::now() + PATIENCE;
    let (mut said, mut turns) = (Vec::new(), 0);
    let expected = "+PONG\r\n$4\r\nlong\r\n+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n$4\r\nlong\r\n\
                    $1\r\n2\r\n+PONG\r\n";
    while said.len() < expected.len() {
        assert!(Instant::now() < until, "{:?}", String::from_utf8_lossy(&said));
        // It comes back at once if there is nothing yet.
        let come = channel.replies(Some(Duration::ZERO), &mut || true).unwrap();
        said.extend_from_slice(come.unwrap_or_default());
        let _ = channel.has_replies().unwrap();
        turns += 1;
    }
    assert_eq!(String::from_utf8_lossy(&said), expected);
    assert!(turns > 2, "it never came back meanwhile");
}

#[test]
fn a_channel_that_is_dropped_ends_its_script() {
    let db = quick().in_memory().unwrap();
    let before = fill(&db);
    for transaction in [false, true] {
        let mut channel = db.channel(Protocol::Resp3).unwrap();
        let eval: &[u8] = b"EVAL \"while true do end\" 1 k\r\n";
        let (begin, end): (&[u8], &[u8]) =
            if transaction { (b"MULTI\r\n", b"EXEC\r\n") } else { (b"", b"") };
        channel.requests().extend_from_slice(&[begin, eval, end].concat());
        until("a busy script", || {
            let _ = channel.replies(Some(Duration::ZERO), &mut || true).unwrap();
            is_busy(&db, "k")
        });
        drop(channel);
        until("its end", || !is_busy(&db, "k"));
        assert_eq!(digest(&db), before);
    }
    until("the end of its sessions", || {
        let list: String = db.run(["CLIENT", "LIST"]).unwrap();
        list.lines().count() == 1
    });
}

#[test]
fn a_channel_is_closed_with_its_script() {
    let folder = Folder::missing("ending-channel");
    let db = quick().open(folder.path()).unwrap();
    let before = fill(&db);
    let mut channel = db.channel(Protocol::Resp2).unwrap();
    channel.requests().extend_from_slice(
        b"EVAL \"redis.call('SET', KEYS[1], 'half') while true do end\" 1 k\r\n",
    );
    thread::scope(|scope| {
        let _guard = ClosedOnFailure(&db);
        let waits = scope.spawn(move || {
            loop {
                match channel.replies(Some(PATIENCE), &mut || false) {
                    Ok(said) => {
                        assert!(said.is_some_and(|said| said.starts_with(b"-")), "too long")
                    }
                    Err(error) => return error,
                }
            }
        });
        until("a busy script", || is_busy(&db, "k"));
        db.close().unwrap();
        assert!(matches!(waits.join().unwrap(), Error::Closed));
    });
    assert_eq!(digest(&quick().open(folder.path()).unwrap()), before);
}

/// Whichever way it is asked for, `SHUTDOWN` has ended when its client is told.
#[test]
fn a_shutdown_is_over_when_its_client_is_told() {
    for request in ["SHUTDOWN", "SHUTDOWN SAVE", "SHUTDOWN NOSAVE"] {
        let folder = Folder::missing("ending-shutdown");
        let words: Vec<&str> = request.split(' ').collect();
        for way in ["call", "session", "channel"] {
            let db = Kvist::open(folder.path()).unwrap();
            db.set("k", way).unwrap();
            let ended = match way {
                "call" => db.call(&words).map(drop),
                "session" => db.session().unwrap().call(&words).map(drop),
                _ => {
                    let mut channel = db.channel(Protocol::Resp2).unwrap();
                    channel.requests().extend_from_slice(format!("{request}\r\n").as_bytes());
                    channel.replies(Some(PATIENCE), &mut || false).map(drop)
                }
            };
            assert!(matches!(ended, Err(Error::Closed)), "{request} {way}: {ended:?}");
            assert!(db.is_closed(), "{request} {way}");
            let again = Kvist::open(folder.path()).unwrap();
            assert_eq!(again.get::<String>("k").unwrap().as_deref(), Some(way));
        }
    }
}

/// A reader of changes is woken by the end, reads what is left, and is told that it was all.
#[test]
fn readers_of_changes_end_with_the_engine() {
    let db = Kvist::in_memory().unwrap();
    let (mut waiting, mut behind) = (db.changes(1 << 20).unwrap(), db.changes(1 << 20).unwrap());
    db.set("k", "v").unwrap();
    thread::scope(|scope| {
        let (waits, waited) = std::sync::mpsc::channel();
        scope.spawn(move || {
            assert!(waiting.next(Duration::MAX).is_some());
            waits.send(waiting.is_over()).unwrap();
            assert!(waiting.next(Duration::MAX).is_none());
            waits.send(waiting.is_over()).unwrap();
        });
        assert!(!waited.recv_timeout(PATIENCE).unwrap());
        db.close().unwrap();
        assert!(waited.recv_timeout(PATIENCE).unwrap());
    });
    assert!(!behind.is_over(), "there is something to read");
    assert!(behind.next(Duration::ZERO).is_some());
    assert!(behind.next(Duration::MAX).is_none());
    assert!(behind.is_over());
}
