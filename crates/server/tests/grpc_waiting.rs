//! `kvist.v1`: calls that wait or take long end with their callers, and are in no other call's way.

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use grpc::generated::kvist as pb;
use grpc::generated::kvist::operation::Kind as Operation;
use grpc::generated::kvist::operation_result::Kind as Outcome;
use grpc::generated::kvist::value::Kind as Value;
use tokio_stream::StreamExt;
use tonic::Code::DeadlineExceeded;

use crate::calls::{Calls, Kvist, bytes, refused, until};
use crate::grpc::{execute, get, operation, set, value_of};
use crate::server::{self, eventually, ok, text};

#[test]
fn what_waits_ends_with_the_call() {
    let calls = Calls::start(&[]);
    let mut client = calls.kvist();
    let mut resp = calls.server.connect();
    let words = || vec![bytes("BLPOP"), bytes("list"), bytes("0")];
    let blocked = |resp: &mut server::Client, count: &str| {
        eventually("the wait", || {
            (calls.server.info(resp, "blocked_clients") == count).then_some(())
        });
    };
    // A deadline ends it, and so does giving up; the element is not lost to either.
    let mut request = tonic::Request::new(pb::ExecuteRequest { words: words(), database: 0 });
    request.set_timeout(Duration::from_millis(50));
    assert_eq!(refused(calls.run(client.execute(request))).0, DeadlineExceeded);
    blocked(&mut resp, "0");
    calls.run(async {
        let mut other = client.clone();
        let request = pb::ExecuteRequest { words: words(), database: 0 };
        let call = tokio::spawn(async move { other.execute(request).await.map(drop) });
        until("a wait", || calls.server.has_blocked(1)).await;
        call.abort();
        let _ = call.await;
        // The connection tells the server when it next runs.
        let request = pb::ExecuteRequest { words: vec![bytes("PING")], database: 0 };
        client.execute(request).await.unwrap();
    });
    blocked(&mut resp, "0");
    assert_eq!(resp.ask(&["RPUSH", "list", "x"]).as_i64(), Some(1));
    assert_eq!(resp.ask(&["LLEN", "list"]).as_i64(), Some(1));
    // Calls beside one that waits are answered, and it gets what it waits for.
    resp.ask(&["DEL", "list"]);
    let popped = calls.run(async {
        let mut other = client.clone();
        let request = pb::ExecuteRequest { words: words(), database: 0 };
        let call = tokio::spawn(async move { other.execute(request).await });
        until("a wait", || calls.server.has_blocked(1)).await;
        assert_eq!(client.get(get("none")).await.unwrap().into_inner().value, None);
        calls.server.connect().ask(&["RPUSH", "list", "y"]);
        call.await.unwrap().unwrap().into_inner().reply.unwrap().kind.unwrap()
    });
    assert!(
        matches!(popped, Value::List(list) if list.items[1].kind == Some(Value::Blob(bytes("y"))))
    );
}

#[test]
fn pauses_hold_calls_as_they_hold_commands() {
    let calls = Calls::start(&[]);
    let mut client = calls.kvist();
    let mut resp = calls.server.connect();
    assert_eq!(resp.ask(&["CLIENT", "PAUSE", "100000", "WRITE"]), ok());
    assert_eq!(value_of(&calls, &mut client, "k"), None);
    let mut request = tonic::Request::new(set("k", "v"));
    request.set_timeout(Duration::from_millis(50));
    assert_eq!(refused(calls.run(client.set(request))).0, DeadlineExceeded);
    let written = calls.run(async {
        let mut other = client.clone();
        let call = tokio::spawn(async move { other.set(set("k", "v")).await });
        // What waits for the end of a pause counts among the blocked.
        until("a wait", || calls.server.has_blocked(1)).await;
        assert_eq!(calls.server.connect().ask(&["CLIENT", "UNPAUSE"]), ok());
        call.await.unwrap().unwrap().into_inner().written
    });
    assert!(written);
}

#[test]
fn a_call_whose_script_takes_too_long_delays_no_other_client() {
    let calls = Calls::start(&["--busy-reply-threshold", "300"]);
    let mut client = calls.kvist();
    let mut resp = calls.server.connect();
    calls.run(async {
        let mut other = client.clone();
        let words = ["EVAL", "while true do end", "1", "k"].map(bytes).to_vec();
        let request = pb::ExecuteRequest { words, database: 0 };
        let script = tokio::spawn(async move { other.execute(request).await });
        let is_busy = |reply: &wire::Value| text(reply).starts_with("BUSY ");
        until("a script over its time", || is_busy(&resp.ask(&["GET", "k"]))).await;
        assert_eq!(resp.ask(&["PING"]), wire::Value::Simple(b"PONG".to_vec()));
        for words in [&["DBSIZE"][..], &["SAVE"], &["SET", "k", "v"]] {
            assert!(is_busy(&resp.ask(words)), "{words:?}");
        }
        let refused = client.get(get("k")).await.unwrap_err();
        assert!(refused.message().starts_with("BUSY"), "{refused:?}");
        assert_eq!(resp.ask(&["SCRIPT", "KILL"]), ok());
        assert!(script.await.unwrap().is_err());
        assert_eq!(resp.ask(&["DBSIZE"]), wire::Value::Int(0));
    });
    assert_eq!(value_of(&calls, &mut client, "k"), None);
}

/// What may look at every key waits for shards, and works, on other threads than the one that all
/// calls share.
#[test]
fn what_may_look_at_every_key_is_in_no_other_calls_way() {
    let calls = Calls::start(&[]);
    let mut client = calls.kvist();
    let mut resp = calls.server.connect();
    calls.server.hold_shard(&mut resp);
    calls.run(async {
        let lines = ["RANGE.DELETE [a [b", "RANGE - +", "PREFIX p", "SCAN 0 COUNT 100000"];
        let long: Vec<_> = lines
            .into_iter()
            .map(|line| {
                let (mut client, words) = (client.clone(), line.split(' ').map(bytes).collect());
                let request = pb::ExecuteRequest { words, database: 0 };
                tokio::spawn(async move { client.execute(request).await })
            })
            .collect();
        let mut look = calls.server.connect();
        for command in ["range.delete", "range", "prefix", "scan"] {
            until(command, || calls.server.asking(&mut look, command) == 1).await;
        }
        client.execute(execute("PING")).await.unwrap();
        assert!(!long.iter().any(tokio::task::JoinHandle::is_finished), "the script holds a shard");
        calls.server.release_shard(&mut resp);
        for call in long {
            call.await.unwrap().unwrap();
        }
    });
}

/// What waited for the end of a pause takes as long when it goes on: a call of its own, and one of
/// a batch.
#[test]
fn a_long_call_that_waited_delays_no_other_call() {
    let calls = Calls::start(&["--busy-reply-threshold", "300"]);
    let mut client = calls.kvist();
    let mut resp = calls.server.connect();
    for batch in [false, true] {
        assert_eq!(resp.ask(&["CLIENT", "PAUSE", "100000", "WRITE"]), ok());
        calls.run(async {
            let mut other = client.clone();
            let words = ["EVAL", "while true do end", "1", "k"].map(bytes).to_vec();
            let request = pb::ExecuteRequest { words, database: 0 };
            let script = tokio::spawn(async move {
                if !batch {
                    return other.execute(request).await.is_ok();
                }
                let operation = pb::Operation { kind: Some(Operation::Execute(request)) };
                let batch = pb::BatchRequest { id: 1, operations: vec![operation] };
                let mut answers =
                    other.batch(tokio_stream::iter([batch])).await.unwrap().into_inner();
                let answer = answers.next().await.unwrap().unwrap();
                !matches!(answer.results[0].kind, Some(Outcome::Error(_)))
            });
            until("a wait", || calls.server.has_blocked(1)).await;
            assert_eq!(resp.ask(&["CLIENT", "UNPAUSE"]), ok());
            let mut is_busy = || text(&resp.ask(&["GET", "k"])).starts_with("BUSY ");
            until("a script over its time", &mut is_busy).await;
            client.execute(execute("PING")).await.unwrap();
            assert_eq!(resp.ask(&["SCRIPT", "KILL"]), ok());
            assert!(!script.await.unwrap());
        });
    }
}

/// It runs on a thread of its own, which only the end of the server waits for.
#[test]
fn a_server_stops_beside_a_script_that_has_written() {
    for threshold in ["0", "100"] {
        let folder = server::temporary("grpc-script");
        let dir = folder.to_str().unwrap();
        let args = ["--dir", dir, "--save", "3600 1", "--busy-reply-threshold", threshold];
        let mut calls = Calls::start(&args);
        let mut client = calls.kvist();
        let mut resp = calls.server.connect();
        assert_eq!(resp.ask(&["SET", "kept", "v"]), ok());
        let body = "redis.call('SET',KEYS[1],1) while true do end";
        let words = ["EVAL", body, "1", "k"].map(bytes).to_vec();
        let request = pb::ExecuteRequest { words, database: 0 };
        let script = calls.spawn(async move { client.execute(request).await.is_ok() });
        calls.run(until("a script that has written", || {
            text(&resp.ask(&["SCRIPT", "KILL"])).starts_with("UNKILLABLE")
        }));
        calls.server.signal("TERM");
        assert!(calls.server.ended().success(), "{threshold}");
        assert!(!calls.run(script).unwrap());
        let again = server::Server::start(&args);
        let mut resp = again.connect();
        assert_eq!(text(&resp.ask(&["GET", "kept"])), "v", "{threshold}");
        assert_eq!(resp.ask(&["EXISTS", "k"]).as_i64(), Some(0), "{threshold}");
        drop(again);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

/// A call that waits for a file holds neither the port's only thread nor any other.
#[test]
fn a_file_that_hangs_is_in_no_other_calls_way() {
    const USERS: &str = "user default on nopass ~* &* +@all\n";
    let folder = server::temporary("hanging-users");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("users.acl");
    std::fs::write(&file, USERS).unwrap();
    let calls = Calls::start(&["--aclfile", file.to_str().unwrap()]);
    std::fs::remove_file(&file).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
    let (mut client, mut other) = (calls.kvist(), calls.kvist());
    let mut resp = calls.server.connect();
    calls.run(async {
        let request = execute("ACL LOAD");
        let loading = tokio::spawn(async move { other.execute(request).await.is_ok() });
        let begun = async {
            while !calls.server.has_thread("files") {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        tokio::time::timeout(server::PATIENCE, begun).await.unwrap();
        let ping = client.execute(execute("PING"));
        tokio::time::timeout(server::PATIENCE, ping).await.unwrap().unwrap();
        assert_eq!(resp.ask(&["ACL", "SETUSER", "u", "on"]), ok());
        assert!(!loading.is_finished());
        // Waits until it is being read; on a thread that is not waited for.
        let fed = file.clone();
        std::thread::spawn(move || std::fs::write(&fed, USERS).unwrap());
        assert!(tokio::time::timeout(server::PATIENCE, loading).await.unwrap().unwrap());
    });
    assert_eq!(resp.ask(&["ACL", "DELUSER", "u"]).as_i64(), Some(0));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// What is quick unless its keys hold much runs on other threads if they do, and only then.
#[test]
fn what_is_about_large_values_is_in_no_other_calls_way() {
    let calls = Calls::start(&[]);
    let mut client = calls.kvist();
    let mut resp = calls.server.connect();
    for key in ["a", "b"] {
        resp.ask(&["SET", key, key]);
        resp.ask(&["ZADD", "small", "1", key]);
    }
    for n in 0..100 {
        let score = n.to_string();
        let members: Vec<String> = (0..200).map(|m| format!("member:{n}:{m}")).collect();
        let pairs = members.iter().flat_map(|member| [score.as_str(), member]);
        resp.say(&["ZADD", "large"].into_iter().chain(pairs).collect::<Vec<_>>());
    }
    (0..100).for_each(|_| assert_eq!(resp.hear().as_i64(), Some(200)));
    for line in ["ZUNIONSTORE d 1 small", "ZRANGE small 0 -1", "MGET a b", "ZSCORE large m"] {
        calls.execute(&mut client, line).unwrap();
    }
    assert!(!calls.server.has_thread("grpc-heavy") && !calls.server.has_thread("grpc-long"));
    calls.execute(&mut client, "ZUNIONSTORE d 2 small large").unwrap();
    assert!(calls.server.has_thread("grpc-heavy") && !calls.server.has_thread("grpc-long"));
    // What takes the product of two lengths is long by its nature.
    calls.execute(&mut client, "LCS a b").unwrap();
    assert!(calls.server.has_thread("grpc-long"));
}

/// So it is with fast commands: a flag says that they take a moment for each word, not for each
/// byte or for each element that a count asks for.
#[test]
fn fast_commands_about_large_values_are_in_no_other_calls_way() {
    let long = "x".repeat(400 << 10);
    let many: Vec<String> = (0..60_000).map(|n| format!("element:{n}")).collect();
    let words: Vec<&str> = many.iter().map(String::as_str).collect();
    let short = ["GET word", "MGET word word", "SET word w GET", "LPOP list 2", "SPOP set 2"];
    let large = ["GET string", "MGET word string", "SET string v GET", "LPOP list 50000"];
    let large = [&large[..], &["SPOP set 50000", "HMGET hash f f", "GETDEL string"]].concat();
    for line in large {
        let calls = Calls::start(&[]);
        let mut client = calls.kvist();
        let mut resp = calls.server.connect();
        assert_eq!(resp.ask(&["MSET", "string", &long, "word", "v"]), ok());
        for command in [["RPUSH", "list"], ["SADD", "set"]] {
            let words = [&command[..], &words].concat();
            assert_eq!(resp.ask(&words).as_i64(), Some(60_000));
        }
        assert_eq!(resp.ask(&["HSET", "hash", "f", &long]).as_i64(), Some(1));
        for line in short.into_iter().chain(["LLEN list", "HEXISTS hash f", "RPUSH list x"]) {
            calls.execute(&mut client, line).unwrap();
        }
        assert!(!calls.server.has_thread("grpc-heavy"), "before {line}");
        calls.execute(&mut client, line).unwrap();
        assert!(calls.server.has_thread("grpc-heavy"), "{line}");
    }
    // Words count as values do.
    let calls = Calls::start(&[]);
    let words = ["SET", "k", &long].map(bytes).to_vec();
    let request = pb::ExecuteRequest { words, database: 0 };
    calls.run(calls.kvist().execute(request)).unwrap();
    assert!(calls.server.has_thread("grpc-heavy"));
}

/// To read a long answer and to write its message takes longer than a moment.
#[test]
fn long_answers_are_in_no_other_calls_way() {
    let rows = |value: Option<pb::Value>| {
        let Some(Value::List(parts)) = value.unwrap().kind else { panic!("no list") };
        let Some(Value::List(rows)) = &parts.items[1].kind else { panic!("no rows") };
        rows.items.len()
    };
    for batch in [false, true] {
        let calls = Calls::start(&[]);
        let mut client = calls.kvist();
        let request = |count: usize| {
            let statement = format!("UNWIND range(1, {count}) AS x RETURN x");
            let words = ["GRAPH.QUERY", "g", &statement].map(bytes).to_vec();
            pb::ExecuteRequest { words, database: 0 }
        };
        let mut ask = |count| {
            calls.run(async {
                let request = request(count);
                if !batch {
                    return rows(client.execute(request).await.unwrap().into_inner().reply);
                }
                let operations = vec![operation(Operation::Execute(request))];
                let batch = tokio_stream::iter([pb::BatchRequest { id: 1, operations }]);
                let mut answers = client.batch(batch).await.unwrap().into_inner();
                let answer = answers.next().await.unwrap().unwrap();
                match answer.results.into_iter().next().unwrap().kind {
                    Some(Outcome::Execute(answer)) => rows(answer.reply),
                    other => panic!("{other:?}"),
                }
            })
        };
        assert_eq!(ask(1000), 1000);
        assert!(!calls.server.has_thread("grpc-heavy"), "before");
        assert_eq!(ask(50_000), 50_000);
        assert!(calls.server.has_thread("grpc-heavy"), "{batch}");
    }
}

/// Who may see few keys may have to look at all for a page of them.
#[test]
fn pages_for_users_with_few_keys_are_in_no_other_calls_way() {
    let calls = Calls::start(&[]);
    let mut resp = calls.server.connect();
    resp.ask(&["ACL", "SETUSER", "few", "on", ">pw", "~zzz:*", "+@all"]);
    resp.ask(&["ACL", "SETUSER", "all", "on", ">pw", "~*", "+@all", "&*"]);
    for user in ["all", "few"] {
        let line = calls.line().with("x-api-key", &format!("{user}:pw")).unwrap();
        let mut client = Kvist::new(line);
        calls.execute(&mut client, "RANGE - + CURSOR 0 LIMIT 1").unwrap();
        calls.run(async {
            let mut pages = client.range(pb::RangeRequest::default()).await.unwrap().into_inner();
            assert!(pages.next().await.is_none());
        });
        assert_eq!(calls.server.has_thread("grpc-long"), user == "few", "{user}");
    }
}
