//! `memorize.Memorize`: what its clients know, and what they could not rely on.

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

use grpc::generated::memorize as pb;
use tonic::Code::{FailedPrecondition, InvalidArgument, ResourceExhausted, Unauthenticated};

use crate::calls::{Calls, Memorize, refused};
use crate::server::ok;

fn set(calls: &Calls, client: &mut Memorize, key: &str, value: &str, ttl_seconds: u64) {
    let (key, value) = (key.to_owned(), value.to_owned());
    let done = calls.run(client.set(pb::SetRequest { key, value, ttl_seconds })).unwrap();
    assert!(done.into_inner().success);
}

fn get(calls: &Calls, client: &mut Memorize, key: &str) -> Option<String> {
    calls.run(client.get(pb::GetRequest { key: key.into() })).unwrap().into_inner().value
}

fn search(
    calls: &Calls,
    client: &mut Memorize,
    prefix: &str,
    limit: u32,
    skip: u32,
) -> (Vec<String>, u64) {
    let request = pb::SearchKeysRequest { prefix: prefix.into(), limit, skip };
    let found = calls.run(client.search_keys(request)).unwrap().into_inner();
    (found.keys, found.total_count)
}

#[test]
fn values_come_and_go() {
    let calls = Calls::start(&[]);
    let mut client = calls.memorize();
    assert_eq!(get(&calls, &mut client, "a"), None);
    set(&calls, &mut client, "a", "1", 0);
    assert_eq!(get(&calls, &mut client, "a").as_deref(), Some("1"));
    // An empty text is a value.
    set(&calls, &mut client, "empty", "", 0);
    assert_eq!(get(&calls, &mut client, "empty").as_deref(), Some(""));
    let contains = |client: &mut Memorize, key: &str| {
        let request = pb::ContainsRequest { key: key.into() };
        calls.run(client.contains(request)).unwrap().into_inner().exists
    };
    assert!(contains(&mut client, "empty") && !contains(&mut client, "other"));
    let delete = |client: &mut Memorize, key: &str| {
        let request = pb::DeleteRequest { key: key.into() };
        calls.run(client.delete(request)).unwrap().into_inner().deleted
    };
    assert!(delete(&mut client, "a") && !delete(&mut client, "a"));
    set(&calls, &mut client, "b", "2", 0);
    let all = calls.run(client.delete_all(pb::DeleteAllRequest {})).unwrap().into_inner();
    assert_eq!(all.deleted_count, 2);
    let none = calls.run(client.delete_all(pb::DeleteAllRequest {})).unwrap().into_inner();
    assert_eq!(none.deleted_count, 0);
}

#[test]
fn times_to_live_are_seconds_and_never_is_zero() {
    let calls = Calls::start(&[]);
    let mut client = calls.memorize();
    let mut resp = calls.server.connect();
    set(&calls, &mut client, "a", "1", 100);
    let ttl = resp.ask(&["TTL", "a"]).as_i64().unwrap();
    assert!((98..=100).contains(&ttl), "{ttl}");
    set(&calls, &mut client, "a", "1", 0);
    assert_eq!(resp.ask(&["TTL", "a"]).as_i64(), Some(-1));
    // More than can be is a hundred years.
    set(&calls, &mut client, "a", "1", u64::MAX);
    let ttl = resp.ask(&["TTL", "a"]).as_i64().unwrap();
    assert!(ttl > 99 * 365 * 24 * 3600, "{ttl}");
    // One that has expired is missing for every client, deleted or not.
    resp.say(&["PEXPIREAT", "a", "1"]);
    resp.hear();
    let request = pb::DeleteRequest { key: "a".into() };
    assert!(!calls.run(client.delete(request)).unwrap().into_inner().deleted);
}

#[test]
fn limits_have_their_texts() {
    let calls = Calls::start(&[]);
    let mut client = calls.memorize();
    let empty = (InvalidArgument, "Key cannot be empty".to_owned());
    let long = (InvalidArgument, "Key exceeds maximum length of 1024 bytes".to_owned());
    let key = "k".repeat(1025);
    let get = |client: &mut Memorize, key: &str| {
        refused(calls.run(client.get(pb::GetRequest { key: key.into() })))
    };
    assert_eq!(get(&mut client, ""), empty);
    assert_eq!(get(&mut client, &key), long);
    let request = pb::DeleteRequest { key: key.clone() };
    assert_eq!(refused(calls.run(client.delete(request))), long);
    let request = pb::ContainsRequest { key: String::new() };
    assert_eq!(refused(calls.run(client.contains(request))), empty);
    let value = "v".repeat((1 << 20) + 1);
    let request = pb::SetRequest { key: "k".into(), value, ttl_seconds: 0 };
    let text = "Value exceeds maximum length of 1048576 bytes".to_owned();
    assert_eq!(refused(calls.run(client.set(request))), (InvalidArgument, text));
    // Exactly that long is not too long; bytes count, not letters.
    set(&calls, &mut client, &"k".repeat(1024), &"v".repeat(1 << 20), 0);
    assert_eq!(get(&mut client, &"é".repeat(513)), long);
    let prefix = "p".repeat(257);
    let request = pb::SearchKeysRequest { prefix, limit: 0, skip: 0 };
    let text = "Prefix exceeds maximum length of 256 bytes".to_owned();
    assert_eq!(refused(calls.run(client.search_keys(request))), (InvalidArgument, text));
}

#[test]
fn a_full_store_says_so() {
    let calls = Calls::start(&["--maxmemory", "1"]);
    let mut client = calls.memorize();
    // The first may still find room.
    let full = (0..10).find_map(|n| {
        let value = "v".repeat(1000);
        let request = pb::SetRequest { key: format!("k{n}"), value, ttl_seconds: 0 };
        calls.run(client.set(request)).err()
    });
    let full = refused(full.map_or(Ok(()), Err));
    assert_eq!(full, (ResourceExhausted, "Storage capacity exceeded".to_owned()));
}

#[test]
fn what_is_no_text_is_no_value_of_a_cache_of_text() {
    let calls = Calls::start(&[]);
    let mut client = calls.memorize();
    let mut resp = calls.server.connect();
    resp.ask(&["RPUSH", "list", "x"]);
    resp.send(b"*3\r\n$3\r\nSET\r\n$3\r\nbin\r\n$2\r\n\xff\xfe\r\n");
    assert_eq!(resp.hear(), ok());
    assert_eq!(get(&calls, &mut client, "list"), None);
    let request = pb::ContainsRequest { key: "list".into() };
    assert!(calls.run(client.contains(request)).unwrap().into_inner().exists);
    let (code, _) = refused(calls.run(client.get(pb::GetRequest { key: "bin".into() })));
    assert_eq!(code, FailedPrecondition);
    // A key that is no text can neither be listed nor counted.
    resp.send(b"*3\r\n$3\r\nSET\r\n$2\r\n\xff\xfe\r\n$1\r\nv\r\n");
    assert_eq!(resp.hear(), ok());
    assert_eq!(search(&calls, &mut client, "", 0, 0).1, 2);
}

#[test]
fn patterns_are_patterns() {
    let calls = Calls::start(&[]);
    let mut client = calls.memorize();
    for key in ["user:1", "user:2", "user:10", "other"] {
        set(&calls, &mut client, key, "v", 0);
    }
    let keys = |client: &mut Memorize, pattern: Option<&str>, limit| {
        let request = pb::KeysRequest { pattern: pattern.map(str::to_owned), limit };
        let mut keys = calls.run(client.keys(request)).unwrap().into_inner().keys;
        keys.sort();
        keys
    };
    assert_eq!(keys(&mut client, None, 0), ["other", "user:1", "user:10", "user:2"]);
    assert_eq!(keys(&mut client, Some(""), 0).len(), 4);
    assert_eq!(keys(&mut client, Some("user:?"), 0), ["user:1", "user:2"]);
    assert_eq!(keys(&mut client, Some("user:[1]*"), u32::MAX), ["user:1", "user:10"]);
    assert_eq!(keys(&mut client, None, 3).len(), 3);
}

/// Each of 25,000 keys is seen once, in order, and counted right.
#[test]
fn a_search_goes_on_as_far_as_there_are_keys() {
    let calls = Calls::start(&[]);
    let mut client = calls.memorize();
    let mut resp = calls.server.connect();
    for n in 0..25_000 {
        resp.say(&["SET", &format!("u:{n:06}"), "v"]);
    }
    (0..25_000).for_each(|_| assert_eq!(resp.hear(), ok()));
    for n in 0..100 {
        resp.ask(&["SET", &format!("w*:{n}"), "v"]);
    }
    // Without an index the same is found by passes over all keys.
    let mut settled = |keeping| {
        assert_eq!(resp.ask(&["CONFIG", "SET", "range-index", keeping]), ok());
    };
    for (keeping, skip) in
        [("yes", 0), ("no", 0), ("no", 250), ("no", 24_990), ("no", u32::MAX), ("auto", 1)]
    {
        settled(keeping);
        let (keys, total) = search(&calls, &mut client, "u:", 250, skip);
        let expected: Vec<String> =
            (skip..25_000.min(skip.saturating_add(250))).map(|n| format!("u:{n:06}")).collect();
        assert_eq!((keys, total), (expected, 25_000), "{keeping} at {skip}");
    }
    for skip in [0, 250, 9_900, 10_000, 10_001, 24_900, 24_990, 25_000, u32::MAX] {
        let (keys, total) = search(&calls, &mut client, "u:", 250, skip);
        let expected: Vec<String> =
            (skip..25_000.min(skip.saturating_add(250))).map(|n| format!("u:{n:06}")).collect();
        assert_eq!((keys, total), (expected, 25_000), "at {skip}");
    }
    assert_eq!(search(&calls, &mut client, "u:", 0, 0).0.len(), 50);
    assert_eq!(search(&calls, &mut client, "u:", 9_999, 0).0.len(), 250);
    // What is special in patterns is not in prefixes.
    assert_eq!(search(&calls, &mut client, "w*", 0, 0).1, 100);
    assert_eq!(search(&calls, &mut client, "*", 0, 0).1, 0);
}

/// What is no text is not listed; a search that reaches the end has counted right.
#[test]
fn a_search_with_other_names_in_between_comes_to_an_end() {
    let calls = Calls::start(&[]);
    let mut client = calls.memorize();
    let mut resp = calls.server.connect();
    for n in 0..600_u32 {
        set(&calls, &mut client, &format!("n:{n:03}"), "v", 0);
        if n % 3 == 0 {
            let key = [format!("n:{n:03}").as_bytes(), b"\xff"].concat();
            resp.send(&[b"*3\r\n$3\r\nSET\r\n$6\r\n", &key[..], b"\r\n$1\r\nv\r\n"].concat());
            assert_eq!(resp.hear(), ok());
        }
    }
    let (mut seen, mut total) = (Vec::new(), u64::MAX);
    while u64::try_from(seen.len()).unwrap() < total {
        let skip = u32::try_from(seen.len()).unwrap();
        let (keys, count) = search(&calls, &mut client, "n:", 250, skip);
        assert!((600..=800).contains(&count), "{count}");
        seen.extend(keys);
        total = count;
    }
    assert_eq!((seen.len(), total), (600, 600));
    assert!(seen.is_sorted());
}

/// A user without the right to the index is served without it.
#[test]
fn rights_to_scan_are_enough_for_a_search() {
    let calls = Calls::start(&[]);
    let mut client = calls.memorize();
    let mut resp = calls.server.connect();
    set(&calls, &mut client, "a:1", "v", 0);
    resp.ask(&["ACL", "SETUSER", "default", "-prefix", "-prefix.count"]);
    assert_eq!(search(&calls, &mut client, "a:", 0, 0), (vec!["a:1".to_owned()], 1));
}

#[test]
fn the_key_is_asked_for() {
    let calls = Calls::start(&["--grpc-api-key", "secret"]);
    let get = |mut client: Memorize| {
        calls.run(client.get(pb::GetRequest { key: "k".into() })).map(|_| ())
    };
    let with = |name: &str, value: &str| Memorize::new(calls.line().with(name, value).unwrap());
    let missing = (Unauthenticated, "Missing API key".to_owned());
    assert_eq!(refused(get(calls.memorize())), missing);
    let wrong = (Unauthenticated, "Invalid API key".to_owned());
    for value in ["", "Secret", "secret2", "default:secret", "default:"] {
        assert_eq!(refused(get(with("x-api-key", value))), wrong, "{value}");
    }
    // A user who needs no password is no way around the key.
    assert_eq!(refused(get(with("authorization", "Basic ZGVmYXVsdDp4"))), wrong);
    let malformed = (Unauthenticated, "Invalid API key format".to_owned());
    assert_eq!(refused(get(with("x-api-key", "é"))), malformed);
    assert_eq!(refused(get(with("authorization", "Digest x"))), malformed);
    get(with("x-api-key", "secret")).unwrap();
    get(with("authorization", "Bearer secret")).unwrap();
}
