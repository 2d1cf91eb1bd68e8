//! Keyspace events of several threads at once, and of none.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::sync::Arc;
use std::thread;

use crate::test_client::{TestClient, engine_with};

/// A key can only be deleted after it was made, and only be made after it was deleted: so must the
/// events be heard, whichever threads do it.
#[test]
fn events_of_a_key_are_heard_in_the_order_in_which_they_happened() {
    let engine = engine_with("notify-keyspace-events Kg$");
    let mut listener = TestClient::new(&engine);
    listener.ask("SUBSCRIBE __keyspace@0__:key");
    thread::scope(|scope| {
        for thread in 0..4 {
            let engine = &engine;
            scope.spawn(move || {
                let mut client = TestClient::new(engine);
                for n in 0..2000 {
                    client.ask(["SET key v NX", "DEL key"][(thread + n) % 2]);
                }
            });
        }
    });
    let events = listener.heard();
    assert!(events.len() > 1000);
    for (n, event) in events.iter().enumerate() {
        assert_eq!(event, ["set", "del"][n % 2], "event {n}");
    }
}

/// No client asks for these keys.
#[test]
fn cron_announces_what_has_expired() {
    let engine = engine_with("notify-keyspace-events Ex");
    let mut listener = TestClient::new(&engine);
    listener.ask("SUBSCRIBE __keyevent@0__:expired");
    let mut client = TestClient::new(&engine);
    for n in 0..100 {
        client.ask(&format!("PSETEX key:{n} 1 x"));
    }
    let mut txn = store::Txn::new(Arc::clone(&engine.store), 1);
    for shard in 0..engine.store.shards() {
        while store::expire_step(&mut txn, shard, 2_000_000).0 > 0 {}
    }
    assert_eq!(listener.heard().len(), 100);
}

/// What deletes keys to make room tells it so.
#[test]
fn evictions_are_told_to_listeners_and_readers() {
    let engine = engine_with("notify-keyspace-events KEe");
    let mut listener = TestClient::new(&engine);
    listener.ask("SUBSCRIBE __keyevent@3__:evicted __keyspace@3__:k");
    let mut reader = TestClient::new(&engine);
    reader.ask("HELLO 3");
    reader.ask("CLIENT TRACKING on NOLOOP");
    let mut writer = TestClient::new(&engine);
    writer.feed("SELECT 3\r\nSET k v\r\n");
    reader.ask("GET k");
    writer.ask("CONFIG SET maxmemory 1 maxmemory-policy allkeys-random");
    writer.worker.begin(1_000_000);
    assert_eq!(writer.ask("EXISTS k"), ":0");
    assert_eq!(listener.heard(), ["evicted", "k"]);
    assert_eq!(reader.heard(), ["k"]);
}

/// In RESP3 a client may listen to what it does itself: the events come apart from its replies, in
/// order with those of others.
#[test]
fn who_listens_to_itself_hears_all_in_order() {
    let engine = engine_with("notify-keyspace-events K$g");
    let (mut client, mut other) = (TestClient::new(&engine), TestClient::new(&engine));
    client.ask("HELLO 3");
    client.ask("SUBSCRIBE __keyspace@0__:k");
    other.ask("SET k 1");
    let (replies, _) = client.feed("DEL k\r\nMULTI\r\nAPPEND k 1\r\nINCR k\r\nEXEC\r\n");
    assert_eq!(replies, ":1\r\n+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n:1\r\n:2\r\n");
    other.ask("EXPIRE k 10");
    // Who wants no replies is told all the same.
    client.feed("CLIENT REPLY OFF\r\nPERSIST k\r\n");
    assert_eq!(client.heard(), ["set", "del", "append", "incrby", "expire", "persist"]);
}
