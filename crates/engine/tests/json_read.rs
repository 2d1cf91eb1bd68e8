//! JSON commands through the engine: who hears of them, who does not, and what is all or nothing.
#![allow(clippy::unwrap_used)] // a test says why by failing

use crate::test_client::{TestClient, engine, engine_with};

/// What a listener to channels of events has heard: events and keys.
fn heard(listener: &TestClient) -> Vec<String> {
    let event = |push: String| {
        let mut words = push.trim_end().rsplit("\r\n");
        let (key, channel) = (words.next().unwrap(), words.nth(1).unwrap());
        format!("{} {key}", channel.rsplit_once(':').unwrap().1)
    };
    listener.pushed().into_iter().map(event).collect()
}

#[test]
fn events_are_those_of_a_module() {
    let engine = engine_with("notify-keyspace-events EA");
    let mut listener = TestClient::new(&engine);
    listener.ask("PSUBSCRIBE __keyevent@0__:*");
    let mut client = TestClient::new(&engine);
    for (line, events) in [
        ("JSON.SET k . {}", vec!["json.set k"]),
        ("JSON.SET k . {} NX", vec![]),
        ("JSON.SET k $.a 1 EX 100", vec!["json.set k", "expire k"]),
        ("JSON.SET k $.b.c 1", vec![]),
        ("JSON.GET k $.a", vec![]),
        ("JSON.GET k", vec![]),
        ("JSON.MSET k $.b 1 l . {} k $.c 2", vec!["json.mset k", "json.mset l"]),
        ("JSON.MSET k $.b 1 l $.x.y 2", vec!["json.mset k"]),
        ("JSON.MERGE k . 1", vec!["json.merge k"]),
        ("JSON.MERGE l . {}", vec![]),
        ("JSON.SET none $.a 1", vec![]),
        ("DEL k", vec!["del k"]),
    ] {
        client.ask(line);
        assert_eq!(heard(&listener), events, "{line}");
    }
    client.ask("CONFIG SET notify-keyspace-events KEg$");
    client.ask("JSON.SET k . 1");
    assert_eq!(heard(&listener), Vec::<String>::new(), "the class is d");
}

#[test]
fn looking_is_no_change_for_those_who_watch() {
    let engine = engine();
    let (mut client, mut other) = (TestClient::new(&engine), TestClient::new(&engine));
    client.ask("JSON.SET k . '{\"a\":1}'");
    for (line, is_change) in [
        ("JSON.GET k $.a", false),
        ("JSON.GET k", false),
        ("JSON.GET k", false),
        ("JSON.MERGE k . {}", false),
        ("JSON.SET k . 1 NX", false),
        ("JSON.SET k $.x.y 1", false),
        ("JSON.SET k $.a 1", true),
        ("JSON.MERGE k $.a 1", true),
    ] {
        client.ask("WATCH k");
        other.ask(line);
        client.ask("MULTI");
        client.ask("PING");
        let is_refused = !client.ask("EXEC").starts_with("*1");
        assert_eq!(is_refused, is_change, "{line}");
    }
}

#[test]
fn keys_of_several_shards_are_set_together() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    let pairs: Vec<String> = (0..50).map(|n| format!("key:{n} $ {n}")).collect();
    assert_eq!(client.ask(&format!("JSON.MSET {}", pairs.join(" "))), "+OK");
    let keys: Vec<String> = (0..50).map(|n| format!("key:{n}")).collect();
    let all: String = (0..50).map(|n| format!("${}\r\n{n}\r\n", n.to_string().len())).collect();
    assert_eq!(
        client.ask(&format!("JSON.MGET {} .", keys.join(" "))),
        format!("*50\r\n{}", all.trim_end())
    );
    client.ask("SET string x");
    assert!(client.ask("JSON.MSET key:1 $ 0 key:2 $ 0 string $ 0").starts_with("-Existing key"));
    assert_eq!(client.ask("JSON.GET key:1"), "$1\r\n1");
}

#[test]
fn the_paths_of_a_request_share_one_budget() {
    let mut client = TestClient::new(&engine());
    let items: Vec<String> = (0..2000).map(|at| format!(r#"{{"a":{at},"b":[1,2]}}"#)).collect();
    let text = format!("[{}]", items.join(","));
    let set: [&[u8]; 4] = [b"JSON.SET", b"k", b"$", text.as_bytes()];
    client.worker.execute(&mut client.session, &set, &mut Vec::new());
    let ask = |client: &mut TestClient, words: &[&str]| {
        let words: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
        let mut out = Vec::new();
        client.worker.execute(&mut client.session, &words, &mut out);
        String::from_utf8_lossy(&out).into_owned()
    };
    // Each alone is little work, also with patterns of some size; a thousand are not.
    let walk = "$..[?@.none]";
    let pattern = "$[?search(@.none, '[a-z]{300}[0-9]{300}')]";
    for path in [walk, pattern] {
        assert_eq!(ask(&mut client, &["JSON.GET", "k", path]), "$2\r\n[]\r\n");
        let several: Vec<&str> =
            ["JSON.GET", "k"].into_iter().chain(std::iter::repeat_n(path, 3)).collect();
        assert!(ask(&mut client, &several).starts_with('$'));
        let spelled: Vec<String> = (0..1000).map(|at| format!("{path}[{at}]")).collect();
        let all: Vec<&str> =
            ["JSON.GET", "k"].into_iter().chain(spelled.iter().map(String::as_str)).collect();
        let reply = ask(&mut client, &all);
        assert_eq!(reply, "-ERR path needs too much work on this document\r\n", "{path}");
    }
    let keys = std::iter::repeat_n("k", 3000);
    let all: Vec<&str> =
        ["JSON.MGET"].into_iter().chain(keys).chain(["$..[?$..[?@.none]]"]).collect();
    assert_eq!(ask(&mut client, &all), "-ERR path needs too much work on this document\r\n");
    // In a transaction, and with a path that cannot be compiled.
    let wrong = "$[?search(@, '\\\\w{100}')]";
    assert_eq!(ask(&mut client, &["MULTI"]), "+OK\r\n");
    assert_eq!(ask(&mut client, &["JSON.GET", "k", wrong]), "+QUEUED\r\n");
    assert_eq!(ask(&mut client, &["JSON.GET", "k", pattern]), "+QUEUED\r\n");
    let reply = ask(&mut client, &["EXEC"]);
    let refusal = "-ERR path holds more than 32 patterns, or they are too large\r\n";
    assert_eq!(reply, format!("*2\r\n{refusal}$2\r\n[]\r\n"));
}
