//! JSON commands through the engine: who hears of them, who does not, and what is all or nothing.
#![allow(clippy::unwrap_used)] // a test says why by failing

mod seats;

use seats::{Seat, engine, engine_with};

/// What a listener to channels of events has heard: events and keys.
fn heard(listener: &Seat) -> Vec<String> {
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
    let mut listener = Seat::new(&engine);
    listener.ask("PSUBSCRIBE __keyevent@0__:*");
    let mut seat = Seat::new(&engine);
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
        seat.ask(line);
        assert_eq!(heard(&listener), events, "{line}");
    }
    seat.ask("CONFIG SET notify-keyspace-events KEg$");
    seat.ask("JSON.SET k . 1");
    assert_eq!(heard(&listener), Vec::<String>::new(), "the class is d");
}

#[test]
fn looking_is_no_change_for_those_who_watch() {
    let engine = engine();
    let (mut seat, mut other) = (Seat::new(&engine), Seat::new(&engine));
    seat.ask("JSON.SET k . '{\"a\":1}'");
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
        seat.ask("WATCH k");
        other.ask(line);
        seat.ask("MULTI");
        seat.ask("PING");
        let is_refused = !seat.ask("EXEC").starts_with("*1");
        assert_eq!(is_refused, is_change, "{line}");
    }
}

#[test]
fn keys_of_several_shards_are_set_together() {
    let engine = engine();
    let mut seat = Seat::new(&engine);
    let pairs: Vec<String> = (0..50).map(|n| format!("key:{n} $ {n}")).collect();
    assert_eq!(seat.ask(&format!("JSON.MSET {}", pairs.join(" "))), "+OK");
    let keys: Vec<String> = (0..50).map(|n| format!("key:{n}")).collect();
    let all: String = (0..50).map(|n| format!("${}\r\n{n}\r\n", n.to_string().len())).collect();
    assert_eq!(
        seat.ask(&format!("JSON.MGET {} .", keys.join(" "))),
        format!("*50\r\n{}", all.trim_end())
    );
    seat.ask("SET string x");
    assert!(seat.ask("JSON.MSET key:1 $ 0 key:2 $ 0 string $ 0").starts_with("-Existing key"));
    assert_eq!(seat.ask("JSON.GET key:1"), "$1\r\n1");
}
