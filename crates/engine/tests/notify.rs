//! Keyspace events of several threads at once, and of none.
#![allow(clippy::unwrap_used)] // a test says why by failing

mod seats;

use std::sync::Arc;
use std::thread;

use kvist_engine::Message;
use seats::{Seat, engine_with};

/// What a listener has heard: the last word of each message.
fn heard(listener: &Seat) -> Vec<String> {
    let letters = listener.letters.take(listener.session.client.id);
    let words = letters.into_iter().filter_map(|letter| match letter {
        Message::Push(bytes) => {
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            Some(text.trim_end().rsplit("\r\n").next().unwrap().to_owned())
        }
        _ => None,
    });
    words.collect()
}

/// A key can only be deleted after it was made, and only be made after it was deleted: so must the
/// events be heard, whichever threads do it.
#[test]
fn events_of_a_key_are_heard_in_the_order_in_which_they_happened() {
    let engine = engine_with("notify-keyspace-events Kg$");
    let mut listener = Seat::new(&engine);
    listener.ask("SUBSCRIBE __keyspace@0__:key");
    thread::scope(|scope| {
        for thread in 0..4 {
            let engine = &engine;
            scope.spawn(move || {
                let mut seat = Seat::new(engine);
                for n in 0..2000 {
                    seat.ask(["SET key v NX", "DEL key"][(thread + n) % 2]);
                }
            });
        }
    });
    let events = heard(&listener);
    assert!(events.len() > 1000);
    for (n, event) in events.iter().enumerate() {
        assert_eq!(event, ["set", "del"][n % 2], "event {n}");
    }
}

/// Nobody asks for these keys.
#[test]
fn the_keeper_tells_what_has_expired() {
    let engine = engine_with("notify-keyspace-events Ex");
    let mut listener = Seat::new(&engine);
    listener.ask("SUBSCRIBE __keyevent@0__:expired");
    let mut seat = Seat::new(&engine);
    for n in 0..100 {
        seat.ask(&format!("PSETEX key:{n} 1 x"));
    }
    let mut txn = store::Txn::new(Arc::clone(&engine.store), 1);
    for shard in 0..engine.store.shards() {
        while txn.expire_step(shard, 2_000_000).0 > 0 {}
    }
    assert_eq!(heard(&listener).len(), 100);
}

/// In RESP3 a client may listen to what it does itself: it hears of it before the reply.
#[test]
fn who_listens_to_itself_is_told_before_the_reply() {
    let engine = engine_with("notify-keyspace-events KE$g");
    let mut seat = Seat::new(&engine);
    seat.ask("HELLO 3");
    seat.ask("SUBSCRIBE __keyevent@0__:set __keyevent@0__:del");
    let message = |event: &str| {
        let channel = format!("__keyevent@0__:{event}");
        let len = channel.len();
        format!(">3\r\n$7\r\nmessage\r\n${len}\r\n{channel}\r\n$1\r\nk\r\n")
    };
    let (set, del) = (message("set"), message("del"));
    let (replies, _) = seat.feed("SET k 1\r\nGET k\r\nDEL k\r\n");
    assert_eq!(replies, format!("{set}+OK\r\n$1\r\n1\r\n{del}:1\r\n"));
    // A reply in parts is not torn.
    let (replies, _) = seat.feed("MULTI\r\nSET k 1\r\nDEL k\r\nEXEC\r\n");
    let queued = "+OK\r\n+QUEUED\r\n+QUEUED\r\n";
    assert_eq!(replies, format!("{queued}{set}{del}*2\r\n+OK\r\n:1\r\n"));
    // Nobody is disturbed in silence, but is told.
    seat.ask("CLIENT REPLY OFF");
    let (replies, _) = seat.feed("SET k 1\r\nGET k\r\n");
    assert_eq!(replies, set);
}
