//! Who hears of edits of JSON documents: listeners to keyspace events, and those who watch keys.
#![allow(clippy::unwrap_used)] // a test says why by failing

use crate::test_client::{TestClient, engine_with};

const DOCUMENT: &str = r#"'{"i":1,"b":true,"s":"x","a":[1,2],"o":{"p":1}}'"#;

/// Requests about a document, and the events they make.
const REQUESTS: [(&str, &[&str]); 22] = [
    ("JSON.NUMINCRBY k $.i 1", &["json.numincrby"]),
    ("JSON.NUMMULTBY k i 3", &["json.nummultby"]),
    ("JSON.NUMPOWBY k $.* 2", &["json.numpowby"]),
    ("JSON.STRAPPEND k $.s '\"y\"'", &["json.strappend"]),
    ("JSON.TOGGLE k b", &["json.toggle"]),
    ("JSON.ARRAPPEND k $.a 3", &["json.arrappend"]),
    ("JSON.ARRINSERT k $.a 0 0", &["json.arrinsert"]),
    ("JSON.ARRPOP k $.a", &["json.arrpop"]),
    ("JSON.ARRTRIM k $.a 0 1", &["json.arrtrim"]),
    ("JSON.CLEAR k $.a", &["json.clear"]),
    ("JSON.DEL k $.o", &["json.del"]),
    // Nothing changes.
    ("JSON.NUMINCRBY k $.i 0", &[]),
    ("JSON.NUMINCRBY k $.s 1", &[]),
    ("JSON.STRAPPEND k $.s '\"\"'", &[]),
    ("JSON.ARRPOP k $.a", &[]),
    ("JSON.ARRTRIM k $.a 0 -1", &[]),
    ("JSON.CLEAR k $.nowhere", &[]),
    ("JSON.DEL k $.nowhere", &[]),
    ("JSON.TOGGLE k s", &[]),
    ("JSON.NUMINCRBY k i 9223372036854775807", &[]),
    ("JSON.FORGET k $.b", &["json.del"]),
    ("JSON.DEL k", &["json.del", "del"]),
];

#[test]
fn edits_are_told_and_what_changes_nothing_is_not() {
    for classes in ["Kdg", "KA"] {
        let engine = engine_with(&format!("notify-keyspace-events {classes}"));
        let (mut listener, mut client) = (TestClient::new(&engine), TestClient::new(&engine));
        client.ask(&format!("JSON.SET k . {DOCUMENT}"));
        listener.ask("SUBSCRIBE __keyspace@0__:k");
        for (line, events) in REQUESTS {
            client.ask(line);
            assert_eq!(listener.heard(), events, "{line}");
        }
    }
    let engine = engine_with("notify-keyspace-events Kg$");
    let (mut listener, mut client) = (TestClient::new(&engine), TestClient::new(&engine));
    listener.ask("SUBSCRIBE __keyspace@0__:k");
    client.ask(&format!("JSON.SET k . {DOCUMENT}"));
    client.ask("JSON.TOGGLE k b");
    assert!(listener.heard().is_empty());
}

#[test]
fn who_watches_a_document_is_disturbed_by_changes_alone() {
    let engine = engine_with("");
    let (mut watcher, mut client) = (TestClient::new(&engine), TestClient::new(&engine));
    client.ask(&format!("JSON.SET k . {DOCUMENT}"));
    for (line, events) in REQUESTS {
        watcher.ask("WATCH k");
        client.ask(line);
        watcher.ask("MULTI");
        watcher.ask("PING");
        let reply = watcher.ask("EXEC");
        assert_eq!(reply, if events.is_empty() { "*1\r\n+PONG" } else { "*-1" }, "{line}");
    }
}

/// A document whose text alone is kept gets a tree when a part of it is looked at: no notification.
#[test]
fn how_a_document_is_kept_notifies_no_client() {
    let engine = engine_with("notify-keyspace-events KA");
    let (mut listener, mut client) = (TestClient::new(&engine), TestClient::new(&engine));
    client.ask(&format!("JSON.SET k . {DOCUMENT}"));
    listener.ask("SUBSCRIBE __keyspace@0__:k");
    listener.ask("WATCH k");
    assert_eq!(client.ask("JSON.CLEAR k $.s"), ":0");
    assert_eq!(client.ask("JSON.TOGGLE k $.s"), "*1\r\n$-1");
    assert!(listener.heard().is_empty());
}
