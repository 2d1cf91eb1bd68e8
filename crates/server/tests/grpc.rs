//! `kvist.v1`: operations, batches, lists, watches; users, TLS.

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

use bytes::Bytes;
use grpc::generated::kvist as pb;
use grpc::generated::kvist::operation::Kind as Operation;
use grpc::generated::kvist::operation_result::Kind as Outcome;
use grpc::generated::kvist::value::Kind as Value;
use grpc::generated::kvist::watch_response::Kind as WatchKind;
use tokio_stream::StreamExt;
use tonic::Code::{
    FailedPrecondition, InvalidArgument, NotFound, PermissionDenied, ResourceExhausted,
    Unauthenticated, Unimplemented,
};
use tonic_types::StatusExt;

use crate::calls::{Calls, Kvist, bytes, refused, until};
use crate::secured::Pki;
use crate::server::{eventually, ok, text};

/// A command without blanks in its words.
pub(crate) fn execute(words: &str) -> pb::ExecuteRequest {
    pb::ExecuteRequest { words: words.split(' ').map(bytes).collect(), database: 0 }
}

pub(crate) fn set(key: &str, value: &str) -> pb::SetRequest {
    pb::SetRequest { key: bytes(key), value: bytes(value), ..pb::SetRequest::default() }
}

pub(crate) fn get(key: &str) -> pb::GetRequest {
    pb::GetRequest { key: bytes(key), database: 0 }
}

pub(crate) fn value_of(calls: &Calls, client: &mut Kvist, key: &str) -> Option<Bytes> {
    calls.run(client.get(get(key))).unwrap().into_inner().value
}

#[test]
fn strings_are_set_as_asked() {
    let calls = Calls::start(&[]);
    let mut client = calls.kvist();
    let set = |client: &mut Kvist, request| calls.run(client.set(request)).unwrap().into_inner();
    assert!(set(&mut client, self::set("a", "1")).written);
    assert_eq!(value_of(&calls, &mut client, "a"), Some(bytes("1")));
    let absent = i32::from(pb::Condition::IfAbsent);
    let present = i32::from(pb::Condition::IfPresent);
    let again = pb::SetRequest { condition: absent, ..self::set("a", "2") };
    assert!(!set(&mut client, again.clone()).written);
    let kept = set(&mut client, pb::SetRequest { return_previous: true, ..again });
    assert_eq!((kept.written, kept.previous), (false, Some(bytes("1"))));
    let put = pb::SetRequest { condition: present, return_previous: true, ..self::set("a", "") };
    let put = set(&mut client, put);
    assert_eq!((put.written, put.previous), (true, Some(bytes("1"))));
    assert_eq!(value_of(&calls, &mut client, "a"), Some(Bytes::new()));
    // Bytes are bytes, and databases are apart.
    let raw = Bytes::from_static(b"\xff\0\r\n");
    let request =
        pb::SetRequest { key: raw.clone(), value: raw.clone(), database: 5, ..set_default() };
    assert!(set(&mut client, request).written);
    let request = |database| pb::GetRequest { key: raw.clone(), database };
    assert_eq!(calls.run(client.get(request(5))).unwrap().into_inner().value, Some(raw.clone()));
    assert_eq!(calls.run(client.get(request(0))).unwrap().into_inner().value, None);
    let (code, _) = refused(calls.run(client.get(request(16))));
    assert_eq!(code, InvalidArgument);
}

fn set_default() -> pb::SetRequest {
    pb::SetRequest::default()
}

#[test]
fn keys_live_as_long_as_they_are_told() {
    let calls = Calls::start(&[]);
    let mut client = calls.kvist();
    let ttl = |client: &mut Kvist| {
        let request = pb::TtlRequest { key: bytes("k"), database: 0 };
        calls.run(client.ttl(request)).unwrap().into_inner()
    };
    let expire = |client: &mut Kvist, expiry| {
        let request = pb::ExpireRequest { key: bytes("k"), expiry, database: 0 };
        calls.run(client.expire(request)).map(|done| done.into_inner().changed)
    };
    use pb::expire_request::Expiry::{ExpireAtMs, Persist, TtlMs};
    assert!(!ttl(&mut client).exists);
    assert!(!expire(&mut client, Some(TtlMs(1000))).unwrap());
    let expiry = Some(pb::set_request::Expiry::TtlMs(50_000));
    calls.run(client.set(pb::SetRequest { expiry, ..set("k", "v") })).unwrap();
    let left = ttl(&mut client);
    assert!(left.exists && (1..=50_000).contains(&left.ttl_ms.unwrap()), "{left:?}");
    assert!(expire(&mut client, Some(Persist(true))).unwrap());
    assert_eq!(ttl(&mut client), pb::TtlResponse { exists: true, ttl_ms: None });
    assert!(expire(&mut client, Some(ExpireAtMs(4_000_000_000_000))).unwrap());
    let keep = Some(pb::set_request::Expiry::KeepTtl(true));
    calls.run(client.set(pb::SetRequest { expiry: keep, ..set("k", "w") })).unwrap();
    assert!(ttl(&mut client).ttl_ms.is_some());
    calls.run(client.set(set("k", "w"))).unwrap();
    assert_eq!(ttl(&mut client).ttl_ms, None);
    for nothing in [None, Some(Persist(false))] {
        assert_eq!(refused(expire(&mut client, nothing)).0, InvalidArgument);
    }
    assert!(expire(&mut client, Some(ExpireAtMs(1))).unwrap());
    assert!(!ttl(&mut client).exists);
}

#[test]
fn many_keys_at_once_and_documents() {
    let calls = Calls::start(&[]);
    let mut client = calls.kvist();
    let entries = |n: u8| {
        let entry = |n: u8| pb::KeyValue { key: vec![n].into(), value: vec![n; 2].into() };
        (0..n).map(entry).collect::<Vec<_>>()
    };
    let request = pb::MSetRequest { entries: entries(3), ..pb::MSetRequest::default() };
    assert!(calls.run(client.m_set(request)).unwrap().into_inner().written);
    let request = pb::MSetRequest { entries: entries(4), if_none_exists: true, database: 0 };
    assert!(!calls.run(client.m_set(request)).unwrap().into_inner().written);
    let keys: Vec<Bytes> = (0..4).map(|n: u8| vec![n].into()).collect();
    let request = pb::MGetRequest { keys: keys.clone(), database: 0 };
    let values = calls.run(client.m_get(request)).unwrap().into_inner().values;
    assert_eq!(values[1].value, Some(Bytes::from_static(&[1, 1])));
    assert_eq!((values.len(), values[3].value.clone()), (4, None));
    let request = pb::DeleteRequest { keys, database: 0 };
    assert_eq!(calls.run(client.delete(request)).unwrap().into_inner().deleted, 3);
    let json = |path: &str, json: &str| pb::JsonSetRequest {
        key: bytes("doc"),
        path: path.into(),
        json: json.into(),
        ..pb::JsonSetRequest::default()
    };
    assert!(calls.run(client.json_set(json("", r#"{"a":[1,2]}"#))).unwrap().into_inner().written);
    assert!(calls.run(client.json_set(json("$.a[0]", "true"))).unwrap().into_inner().written);
    let read = |client: &mut Kvist, key: &str, paths: &[&str]| {
        let paths = paths.iter().map(ToString::to_string).collect();
        let request = pb::JsonGetRequest { key: bytes(key), paths, database: 0 };
        calls.run(client.json_get(request)).unwrap().into_inner().json
    };
    assert_eq!(read(&mut client, "doc", &[]).unwrap(), r#"{"a":[true,2]}"#);
    assert_eq!(read(&mut client, "doc", &["$.a[1]"]).unwrap(), "[2]");
    assert_eq!(read(&mut client, "none", &[]), None);
    assert_eq!(refused(calls.run(client.json_set(json("", "{")))).0, InvalidArgument);
}

#[test]
fn any_command_has_its_reply() {
    let calls = Calls::start(&[]);
    let mut client = calls.kvist();
    let mut run = |words: &str| calls.execute(&mut client, words);
    assert_eq!(run("SET n 41").unwrap(), Value::Status("OK".into()));
    assert_eq!(run("INCR n").unwrap(), Value::Integer(42));
    assert_eq!(run("GET n").unwrap(), Value::Blob(bytes("42")));
    assert_eq!(run("GET none").unwrap(), Value::Null(true));
    assert_eq!(run("ZADD z 1.5 m").unwrap(), Value::Integer(1));
    assert_eq!(run("ZSCORE z m").unwrap(), Value::Number(1.5));
    run("HSET h f v").unwrap();
    let Value::Map(map) = run("HGETALL h").unwrap() else { panic!("no map") };
    assert_eq!(map.pairs.len(), 1);
    // Scripts run on other threads, and what they answer comes back all the same.
    let Value::List(list) = run("EVAL return{1,2} 0").unwrap() else { panic!("no list") };
    assert_eq!(list.items[1].kind, Some(Value::Integer(2)));
    let Value::List(list) = run("KEYS *").unwrap() else { panic!("no list") };
    assert_eq!(list.items.len(), 3);
}

#[test]
fn refusals_have_codes_and_reasons() {
    let calls = Calls::start(&[]);
    let mut client = calls.kvist();
    calls.execute(&mut client, "LPUSH list x").unwrap();
    let wrong = calls.run(client.get(get("list"))).unwrap_err();
    assert_eq!(wrong.code(), FailedPrecondition);
    let info = wrong.get_details_error_info().unwrap();
    assert_eq!((info.reason.as_str(), info.domain.as_str()), ("WRONGTYPE", "kvist"));
    let mut code = |words: &str| refused(calls.execute(&mut client, words)).0;
    assert_eq!(code("NONSENSE"), Unimplemented);
    assert_eq!(code("GET"), InvalidArgument);
    assert_eq!(code("RENAME none other"), NotFound);
    for words in ["MULTI", "SUBSCRIBE x", "SELECT 1", "AUTH x", "HELLO 3", "CLIENT REPLY OFF"] {
        assert_eq!(code(words), FailedPrecondition, "{words}");
    }
    let request = pb::ExecuteRequest::default();
    assert_eq!(refused(calls.run(client.execute(request))).0, InvalidArgument);
}

pub(crate) fn operation(kind: Operation) -> pb::Operation {
    pb::Operation { kind: Some(kind) }
}

#[test]
fn batches_are_answered_in_order() {
    let calls = Calls::start(&[]);
    let mut client = calls.kvist();
    let words = |text: &str| text.split(' ').map(bytes).collect();
    let execute =
        |text: &str| Operation::Execute(pb::ExecuteRequest { words: words(text), database: 0 });
    let mut batches = Vec::new();
    for id in 0..20 {
        let mut operations = Vec::new();
        for n in 0..300 {
            operations.push(operation(Operation::Set(set(&format!("{id}:{n}"), "v"))));
            operations.push(operation(Operation::Get(get(&format!("{id}:{n}")))));
        }
        operations.push(operation(execute("LPUSH list x")));
        operations.push(operation(Operation::Get(get("list"))));
        operations.push(operation(execute("KEYS none*")));
        operations.push(operation(execute("BLPOP list 0")));
        operations.push(operation(execute("BLPOP none 0.01")));
        operations.push(operation(execute("SUBSCRIBE x")));
        operations.push(pb::Operation { kind: None });
        batches.push(pb::BatchRequest { id, operations });
    }
    calls.run(async {
        let answers = client.batch(tokio_stream::iter(batches)).await.unwrap();
        let mut answers = answers.into_inner();
        for id in 0..20 {
            let answer = answers.next().await.unwrap().unwrap();
            assert_eq!((answer.id, answer.more, answer.results.len()), (id, false, 607));
            let kinds: Vec<Outcome> =
                answer.results.into_iter().filter_map(|result| result.kind).collect();
            for n in 0..300 {
                assert!(matches!(&kinds[2 * n], Outcome::Set(done) if done.written));
                assert!(matches!(&kinds[2 * n + 1], Outcome::Get(got) if got.value.is_some()));
            }
            let Outcome::Error(wrong) = &kinds[601] else { panic!("{:?}", kinds[601]) };
            assert_eq!(
                (wrong.code, wrong.reason.as_str()),
                (i32::from(FailedPrecondition), "WRONGTYPE")
            );
            let reply = |at: usize| match &kinds[at] {
                Outcome::Execute(done) => done.reply.clone().and_then(|reply| reply.kind).unwrap(),
                other => panic!("{other:?}"),
            };
            assert_eq!(reply(602), Value::List(pb::ValueList::default()));
            assert!(matches!(reply(603), Value::List(popped) if popped.items.len() == 2));
            assert_eq!(reply(604), Value::Null(true));
            assert!(matches!(&kinds[605], Outcome::Error(_)));
            assert!(matches!(&kinds[606], Outcome::Error(_)));
        }
        assert!(answers.next().await.is_none());
    });
}

#[test]
fn large_answers_of_a_batch_come_in_parts() {
    let calls = Calls::start(&[]);
    let mut client = calls.kvist();
    calls.run(client.set(set("big", &"x".repeat(100_000)))).unwrap();
    let operations = (0..100).map(|_| operation(Operation::Get(get("big")))).collect();
    let batch = pb::BatchRequest { id: 7, operations };
    calls.run(async {
        let mut answers = client.batch(tokio_stream::iter([batch])).await.unwrap().into_inner();
        let (mut parts, mut results) = (0, 0);
        loop {
            let answer = answers.next().await.unwrap().unwrap();
            (parts, results) = (parts + 1, results + answer.results.len());
            assert!(answer.id == 7 && answer.results.len() < 10);
            if !answer.more {
                break;
            }
        }
        assert!(results == 100 && parts > 10, "{results} in {parts}");
    });
}

#[test]
fn lists_are_whole_and_in_order() {
    let calls = Calls::start(&[]);
    let mut client = calls.kvist();
    let mut resp = calls.server.connect();
    for n in 0..5000 {
        resp.say(&["SET", &format!("k:{n:04}"), &n.to_string()]);
    }
    (0..5000).for_each(|_| assert_eq!(resp.hear(), ok()));
    resp.ask(&["LPUSH", "k:list", "x"]);
    let name = |n: usize| bytes(&format!("k:{n:04}"));
    calls.run(async {
        let request = pb::ScanRequest { pattern: bytes("k:[0-9]*"), ..pb::ScanRequest::default() };
        let mut pages = client.scan(request).await.unwrap().into_inner();
        let mut keys = Vec::new();
        while let Some(page) = pages.next().await {
            let entries = page.unwrap().entries;
            assert!(!entries.is_empty());
            keys.extend(entries.into_iter().map(|entry| entry.key));
        }
        keys.sort();
        assert_eq!(keys, (0..5000).map(name).collect::<Vec<_>>());

        let request = pb::PrefixRequest {
            prefix: bytes("k:"),
            with_values: true,
            page_size: 700,
            ..pb::PrefixRequest::default()
        };
        let mut pages = client.prefix(request.clone()).await.unwrap().into_inner();
        let mut entries = Vec::new();
        while let Some(page) = pages.next().await {
            entries.extend(page.unwrap().entries);
        }
        assert_eq!(entries.len(), 5001);
        for (n, entry) in entries[..5000].iter().enumerate() {
            assert_eq!((&entry.key, &entry.value), (&name(n), &Some(bytes(&n.to_string()))));
        }
        assert_eq!(
            (entries[5000].key.clone(), entries[5000].value.clone()),
            (bytes("k:list"), None)
        );

        let request =
            pb::PrefixRequest { reverse: true, limit: 3, r#type: "string".into(), ..request };
        let mut pages = client.prefix(request).await.unwrap().into_inner();
        let entries = pages.next().await.unwrap().unwrap().entries;
        let keys: Vec<Bytes> = entries.into_iter().map(|entry| entry.key).collect();
        assert_eq!(keys, [name(4999), name(4998), name(4997)]);
        assert!(pages.next().await.is_none());

        let bound = |n, exclusive| Some(pb::Bound { key: name(n), exclusive });
        for (start, end, expected) in [
            (bound(10, false), bound(12, false), vec![10, 11, 12]),
            (bound(10, true), bound(12, true), vec![11]),
            (bound(12, false), bound(10, false), vec![]),
            (None, bound(1, false), vec![0, 1]),
        ] {
            let request = pb::RangeRequest { start, end, ..pb::RangeRequest::default() };
            let mut pages = client.range(request).await.unwrap().into_inner();
            let mut keys = Vec::new();
            while let Some(page) = pages.next().await {
                keys.extend(page.unwrap().entries.into_iter().map(|entry| entry.key));
            }
            assert_eq!(keys, expected.into_iter().map(name).collect::<Vec<_>>());
        }
    });
}

/// What a page costs is told by what the server has run, not by how long it took.
#[test]
fn pages_of_ranges_cost_what_they_hold() {
    let calls = Calls::start(&["--range-index", "yes"]);
    let mut client = calls.kvist();
    let mut resp = calls.server.connect();
    let value = "v".repeat(1000);
    for n in 0..20_000 {
        resp.say(&["SET", &format!("k:{n:05}"), &value]);
    }
    (0..20_000).for_each(|_| assert_eq!(resp.hear(), ok()));
    let name = |n: usize| bytes(&format!("k:{n:05}"));
    // How often a command has run.
    let mut ran = |name: &str| {
        let stats = text(&resp.ask(&["INFO", "commandstats"]));
        let start = format!("cmdstat_{name}:calls=");
        let line = stats.lines().find_map(|line| line.strip_prefix(start.as_str()));
        let count = line.and_then(|line| line.split(',').next());
        count.map_or(0, |count| count.parse::<u64>().unwrap())
    };
    let request = |limit, reverse| pb::RangeRequest {
        start: Some(pb::Bound { key: name(7_000), exclusive: true }),
        limit,
        reverse,
        ..pb::RangeRequest::default()
    };
    let keys = |client: &mut Kvist, request| {
        calls.run(async {
            let mut pages = client.range(request).await.unwrap().into_inner();
            let mut keys = Vec::new();
            while let Some(page) = pages.next().await {
                keys.extend(page.unwrap().entries.into_iter().map(|entry| entry.key));
            }
            keys
        })
    };
    // One step for one page, and no pass over anything.
    let expected: Vec<Bytes> = (7_001..7_101).map(name).collect();
    assert_eq!(keys(&mut client, request(100, false)), expected);
    assert_eq!((ran("range"), ran("scan")), (1, 0));
    let expected: Vec<Bytes> = (19_900..20_000).rev().map(name).collect();
    assert_eq!(keys(&mut client, request(100, true)), expected);
    assert_eq!((ran("range"), ran("scan")), (2, 0));
    // All of them take as many steps as there are pages.
    assert_eq!(keys(&mut client, request(0, false)).len(), 12_999);
    assert_eq!((ran("range"), ran("scan")), (132, 0));
    // So does a stream that its client does not read to its end: what is not taken is not done. The
    // client takes nothing while its runtime does not run, and its window has room for less than
    // half of the 10 MB.
    let pages = calls.run(async {
        let prefix = bytes("k:1");
        let request =
            pb::PrefixRequest { prefix, with_values: true, ..pb::PrefixRequest::default() };
        let mut pages = client.prefix(request).await.unwrap().into_inner();
        let entries = pages.next().await.unwrap().unwrap().entries;
        assert_eq!(entries[0].key, name(10_000));
        pages
    });
    assert!((1..60).contains(&ran("prefix")), "{}", ran("prefix"));
    drop(pages);
    // Without an index there is no order, and who asks for it is told so.
    let off = ["CONFIG", "SET", "range-index", "no"];
    assert_eq!(calls.server.connect().ask(&off), ok());
    let error = calls.run(async {
        let mut pages = client.range(request(1, false)).await?.into_inner();
        pages.next().await.map_or(Ok(()), |page| page.map(drop))
    });
    let (code, message) = refused(error);
    assert!(code == FailedPrecondition && message.contains("range-index"), "{message}");
}

/// Building an index takes a moment, in which a call waits as during a pause.
#[test]
fn calls_wait_for_an_index() {
    let calls = Calls::start(&[]);
    let mut client = calls.kvist();
    let mut resp = calls.server.connect();
    for n in 0..30_000 {
        resp.say(&["SET", &format!("k:{n:05}"), "v"]);
    }
    (0..30_000).for_each(|_| assert_eq!(resp.hear(), ok()));
    assert_eq!(calls.execute(&mut client, "PREFIX.COUNT k:").unwrap(), Value::Integer(30_000));
    let Value::List(page) = calls.execute(&mut client, "PREFIX k: LIMIT 2").unwrap() else {
        panic!("no list")
    };
    assert_eq!(page.items.len(), 2);
}

#[test]
fn watchers_hear_what_happens_to_their_keys() {
    let calls = Calls::start(&[]);
    let mut client = calls.kvist();
    let mut resp = calls.server.connect();
    calls.run(async {
        let request = pb::WatchRequest {
            keys: vec![bytes("one"), bytes("p:twice")],
            prefixes: vec![bytes("p:"), bytes("p:t")],
            database: 0,
        };
        let mut watch_stream = client.watch(request).await.unwrap().into_inner();
        let first = watch_stream.next().await.unwrap().unwrap().kind;
        assert_eq!(first, Some(WatchKind::Started(pb::WatchStarted {})));
        for words in [
            "SET one 1",
            "SET other 1",
            "SET p:twice 1",
            "EXPIRE p:twice 100",
            "DEL one",
            "SELECT 1",
            "SET one 1",
            "SELECT 0",
            "RPUSH p:list a",
        ] {
            resp.ask(&words.split(' ').collect::<Vec<_>>());
        }
        let expected = [
            ("set", "one"),
            ("set", "p:twice"),
            ("expire", "p:twice"),
            ("del", "one"),
            ("rpush", "p:list"),
        ];
        let mut heard = Vec::new();
        while heard.len() < expected.len() {
            let Some(WatchKind::Events(events)) = watch_stream.next().await.unwrap().unwrap().kind
            else {
                panic!("no events");
            };
            heard.extend(events.events);
        }
        let heard: Vec<(String, String)> = heard
            .into_iter()
            .map(|event| (event.event, String::from_utf8(event.key.to_vec()).unwrap()))
            .collect();
        assert_eq!(heard, expected.map(|(event, key)| (event.to_owned(), key.to_owned())));
    });
    // What is published in channels is what the directive says, and nothing else.
    let mut listener = calls.server.connect();
    listener.ask(&["PSUBSCRIBE", "*"]);
    calls.run(async {
        let request =
            pb::WatchRequest { prefixes: vec![Bytes::new()], ..pb::WatchRequest::default() };
        let mut watch_stream = client.watch(request).await.unwrap().into_inner();
        watch_stream.next().await.unwrap().unwrap();
        resp.ask(&["SET", "one", "2"]);
        watch_stream.next().await.unwrap().unwrap();
    });
    resp.ask(&["PUBLISH", "channel", "message"]);
    assert_eq!(text(&listener.hear().as_slice().unwrap()[2]), "channel");
    let nothing = pb::WatchRequest::default();
    assert_eq!(refused(calls.run(client.watch(nothing))).0, InvalidArgument);
}

#[test]
fn a_watcher_that_is_too_slow_gets_an_error() {
    let calls = Calls::start(&[]);
    let mut client = calls.kvist();
    let mut resp = calls.server.connect();
    let watch_stream = calls.run(async {
        let request =
            pb::WatchRequest { prefixes: vec![Bytes::new()], ..pb::WatchRequest::default() };
        let mut watch_stream = client.watch(request).await.unwrap().into_inner();
        watch_stream.next().await.unwrap().unwrap();
        watch_stream
    });
    // The client takes nothing meanwhile: its runtime does not run.
    let key = "k".repeat(8000);
    for _ in 0..3000 {
        resp.say(&["SET", &key, "v"]);
    }
    (0..3000).for_each(|_| assert_eq!(resp.hear(), ok()));
    let end = calls.run(async {
        let mut watch_stream = watch_stream;
        loop {
            match watch_stream.next().await {
                Some(Ok(_)) => {}
                Some(Err(status)) => break status,
                None => panic!("it ended as if nothing were missing"),
            }
        }
    });
    assert_eq!(end.code(), ResourceExhausted);
    drop(client);
}

/// A call whose write the disk cannot confirm is told so, and later ones what they see.
#[test]
fn trouble_with_the_disk_is_reported_to_waiting_calls() {
    let calls = Calls::start(&["--appendonly", "yes", "--appendfsync", "always"]);
    let mut client = calls.kvist();
    assert!(calls.run(client.set(set("k", "before"))).unwrap().into_inner().written);
    if !calls.server.limit("--fsize=0:unlimited") {
        return;
    }
    let status = calls.run(client.set(set("k", "after"))).unwrap_err();
    assert!(status.message().starts_with("NOTDURABLE "), "{status:?}");
    let reason = status.get_details_error_info().map(|info| info.reason);
    assert_eq!((status.code(), reason.as_deref()), (tonic::Code::Unknown, Some("NOTDURABLE")));
    assert_eq!(value_of(&calls, &mut client, "k"), Some(bytes("after")));
    let (code, message) = refused(calls.run(client.set(set("k", "refused"))));
    assert!(code == FailedPrecondition && message.starts_with("MISCONF"), "{message}");
    assert!(calls.server.limit("--fsize=unlimited:unlimited"));
    eventually("writes again", || calls.run(client.set(set("k", "later"))).ok());
}

/// A batch goes on after an operation that ran elsewhere and got no answer, as does its connection:
/// as the same user, whether that has more rights than callers without credentials or fewer.
#[test]
fn a_user_stays_the_same_after_an_operation_without_an_answer() {
    let journal = ["--appendonly", "yes", "--appendfsync", "always"];
    let key = ["--grpc-api-key", "secret", "--grpc-api-key-user", "limited"];
    for limited in [false, true] {
        let keyed = if limited { key.as_slice() } else { &[] };
        let calls = Calls::start(&[journal.as_slice(), keyed].concat());
        let mut resp = calls.server.connect();
        assert_eq!(resp.ask(&["MSET", "k", "before", "hidden", "from most"]), ok());
        if limited {
            let rules =
                ["ACL", "SETUSER", "limited", "on", "nopass", "~k", "+eval", "+set", "+get"];
            assert_eq!(resp.ask(&rules), ok());
        } else {
            assert_eq!(resp.ask(&["ACL", "SETUSER", "default", "resetpass", ">secret"]), ok());
        }
        let mut client = Kvist::new(calls.line().with("x-api-key", "secret").unwrap());
        assert_eq!(value_of(&calls, &mut client, "k"), Some(bytes("before")));
        if !calls.server.limit("--fsize=0:unlimited") {
            return;
        }
        let words = ["EVAL", "return redis.call('SET', KEYS[1], 'after')", "1", "k"];
        let words = words.map(bytes).to_vec();
        let operations = [
            Operation::Execute(pb::ExecuteRequest { words, database: 0 }),
            Operation::Get(get("k")),
            Operation::Get(get("hidden")),
        ];
        let operations = operations.map(|kind| pb::Operation { kind: Some(kind) }).to_vec();
        let batch = pb::BatchRequest { id: 1, operations };
        let answer = calls.run(async {
            let mut answers = client.batch(tokio_stream::iter([batch])).await.unwrap().into_inner();
            answers.next().await.unwrap().unwrap()
        });
        let kinds: Vec<_> = answer.results.into_iter().map(|result| result.kind.unwrap()).collect();
        let [Outcome::Error(error), Outcome::Get(seen), hidden] = kinds.as_slice() else {
            panic!("{kinds:?}");
        };
        assert!(error.message.starts_with("NOTDURABLE "), "{error:?}");
        assert_eq!(seen.value, Some(bytes("after")));
        assert_eq!(matches!(hidden, Outcome::Error(e) if e.reason == "NOPERM"), limited);
        for _ in 0..3 {
            assert_eq!(value_of(&calls, &mut client, "k"), Some(bytes("after")));
            assert_eq!(calls.run(client.get(get("hidden"))).is_err(), limited);
        }
        assert!(calls.server.limit("--fsize=unlimited:unlimited"));
    }
}

#[test]
fn users_are_those_of_the_server() {
    let calls = Calls::start(&[]);
    let mut resp = calls.server.connect();
    resp.ask(&[
        "ACL",
        "SETUSER",
        "reader",
        "on",
        ">pw",
        "~r:*",
        "resetchannels",
        "+get",
        "+scan",
        "+ping",
    ]);
    resp.ask(&["ACL", "SETUSER", "default", "resetpass", ">root"]);
    resp.ask(&["AUTH", "root"]);
    let with = |name: &str, value: &str| Kvist::new(calls.line().with(name, value).unwrap());
    let (code, message) = refused(calls.run(calls.kvist().get(get("r:1"))));
    assert_eq!((code, message.as_str()), (Unauthenticated, "NOAUTH Authentication required."));
    for value in ["wrong", "reader:wrong", "nobody:root", "reader:"] {
        let mut client = with("x-api-key", value);
        assert_eq!(refused(calls.run(client.get(get("r:1")))).0, Unauthenticated, "{value}");
    }
    for (name, value) in [
        ("x-api-key", "root"),
        ("authorization", "Bearer default:root"),
        ("x-api-key", "default:root"),
    ] {
        assert_eq!(value_of(&calls, &mut with(name, value), "any"), None);
    }
    // Basic is user and password: reader:pw.
    let mut reader = with("authorization", "Basic cmVhZGVyOnB3");
    assert_eq!(value_of(&calls, &mut reader, "r:1"), None);
    let (code, message) = refused(calls.run(reader.get(get("other"))));
    assert!(code == PermissionDenied && message.starts_with("NOPERM"), "{message}");
    assert_eq!(refused(calls.run(reader.set(set("r:1", "v")))).0, PermissionDenied);
    let watch = pb::WatchRequest { prefixes: vec![bytes("r:")], ..pb::WatchRequest::default() };
    assert_eq!(refused(calls.run(reader.watch(watch))).0, PermissionDenied);
    let list = text(&resp.ask(&["CLIENT", "LIST"]));
    assert!(list.contains("cmd=set user=reader"), "{list}");
    assert!(text(&resp.ask(&["INFO", "commandstats"])).contains("cmdstat_get:"));
    // A deleted user is gone at once.
    resp.ask(&["ACL", "DELUSER", "reader"]);
    eventually("the end of the connection", || calls.run(reader.get(get("r:1"))).err());
}

#[test]
fn a_database_takes_the_right_to_select_it() {
    let calls = Calls::start(&[]);
    let mut resp = calls.server.connect();
    let rules = "ACL SETUSER joe on >pw ~* &* +get +set +scan +prefix +psubscribe";
    resp.ask(&rules.split(' ').collect::<Vec<_>>());
    // Basic is user and password: joe:pw.
    let line = calls.line().with("authorization", "Basic am9lOnB3").unwrap();
    let mut joe = Kvist::new(line);
    for may in [false, true] {
        for database in [0, 3, 0] {
            let get = pb::GetRequest { database, ..get("k") };
            let set = pb::SetRequest { database, ..set("k", "v") };
            let execute = pb::ExecuteRequest { database, ..execute("GET k") };
            let prefixes = vec![bytes("k")];
            let watch = pb::WatchRequest { prefixes, database, ..pb::WatchRequest::default() };
            let refusals = [
                calls.run(joe.get(get)).err(),
                calls.run(joe.set(set)).err(),
                calls.run(joe.execute(execute)).err(),
                calls.run(joe.watch(watch)).err(),
            ];
            for refusal in refusals {
                let code = refusal.map(|status| status.code());
                let wanted = (database != 0 && !may).then_some(PermissionDenied);
                assert_eq!(code, wanted, "database {database}, may: {may}");
            }
        }
        assert_eq!(resp.ask(&["ACL", "SETUSER", "joe", "+select"]).as_bytes(), Some(&b"OK"[..]));
    }
}

#[test]
fn replies_wait_for_the_disk_where_they_must() {
    let calls = Calls::start(&["--appendonly", "yes", "--appendfsync", "always"]);
    let mut client = calls.kvist();
    for n in 0..20 {
        assert!(calls.run(client.set(set(&n.to_string(), "v"))).unwrap().into_inner().written);
    }
    calls.run(async {
        let answers: Vec<_> = (0..200)
            .map(|n| {
                let mut client = client.clone();
                tokio::spawn(async move { client.set(set(&n.to_string(), "v")).await })
            })
            .collect();
        for answer in answers {
            assert!(answer.await.unwrap().unwrap().into_inner().written);
        }
    });
    let mut resp = calls.server.connect();
    assert_eq!(resp.ask(&["DBSIZE"]).as_i64(), Some(200));
}

#[test]
fn tls_is_that_of_the_server() {
    let pki = Pki::new();
    let calls = Calls::start(&[
        "--grpc-tls",
        "yes",
        "--tls-auth-clients",
        "no",
        "--tls-cert-file",
        &pki.path("server.crt"),
        "--tls-key-file",
        &pki.path("server.key"),
    ]);
    let mut context = (*pki.context("ca.crt", None, rustls::ALL_VERSIONS)).clone();
    context.alpn_protocols = vec![b"h2".to_vec()];
    let value = calls.run(async {
        let socket = tokio::net::TcpStream::connect(calls.addr()).await.unwrap();
        let name = rustls::pki_types::ServerName::try_from("localhost").unwrap();
        let tls = tokio_rustls::TlsConnector::from(std::sync::Arc::new(context));
        let socket = tls.connect(name, socket).await.unwrap();
        let line = grpc::client_channel::ClientChannel::over(socket, "localhost".to_owned())
            .await
            .unwrap();
        let mut client = Kvist::new(line);
        client.set(set("k", "v")).await.unwrap();
        client.get(get("k")).await.unwrap().into_inner().value
    });
    assert_eq!(value, Some(bytes("v")));
    // A client that does not speak it is not served.
    let plain = calls.run(grpc::client_channel::ClientChannel::connect(calls.addr()));
    if let Ok(line) = plain {
        assert!(calls.run(Kvist::new(line).get(get("k"))).is_err());
    }
}

#[test]
fn a_server_that_stops_lets_calls_end() {
    let mut calls = Calls::start(&[]);
    let mut client = calls.kvist();
    calls.run(client.set(set("k", "v"))).unwrap();
    // One that waits for ever does not keep it.
    let request =
        pb::ExecuteRequest { words: vec![bytes("BLPOP"), bytes("l"), bytes("0")], database: 0 };
    let mut other = client.clone();
    let (waiting,) = calls.run(async {
        let call = tokio::spawn(async move { other.execute(request).await.map(drop) });
        until("a wait", || calls.server.has_blocked(1)).await;
        (call,)
    });
    calls.server.signal("TERM");
    assert!(calls.server.ended().success());
    assert!(calls.run(waiting).unwrap().is_err());
    let mut calls = Calls::start(&[]);
    // And the order may come through a call.
    let _ = calls.execute(&mut calls.kvist(), "SHUTDOWN NOSAVE");
    assert!(calls.server.ended().success());
}
