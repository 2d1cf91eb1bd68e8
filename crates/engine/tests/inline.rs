//! Inline requests, quoted or not, among others: however the bytes come in, the replies are the
//! same.
//!
//! `KVIST_SEED` repeats a run.
#![allow(clippy::unwrap_used)] // a test says why by failing

use base::Rng;
use kvist_engine::State;
use testkit::seed;

use crate::test_client::{TestClient, engine};

/// What a connection hears that sends these pieces, on a server of its own.
fn heard<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    let (mut kept, mut out) = (Vec::new(), Vec::new());
    for piece in pieces {
        kept.extend_from_slice(piece);
        loop {
            let fed = client.worker.feed(&mut client.session, &mut kept, &mut out);
            kept.drain(..fed.consumed);
            match fed.state {
                State::Open => break,
                State::Full => {}
                // Its time is up at once.
                State::Blocked => assert!(client.worker.give_up(&mut client.session, &mut out)),
                State::Closing => return text(&out),
                State::Paused => unreachable!("no client pauses"),
            }
        }
    }
    text(&out)
}

fn text(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

/// One request in one of its forms; `n` makes replies tell requests apart.
fn request(rng: &mut Rng, n: usize) -> Vec<u8> {
    let key = format!("k{}", rng.below(3));
    let plain = [
        "PING".to_owned(),
        format!("ECHO {n}"),
        format!("APPEND {key} {n}."),
        format!("GET {key}"),
        format!("ECHO \"{n} \\x41\\n\""),
        format!("SET '{key}' \"{n} \\\"quoted\\\"\""),
        format!("APPEND \"{key}\" ' {n}'"),
        "BLPOP nobody 0".to_owned(),
        "MULTI".to_owned(),
        "EXEC".to_owned(),
        "NOSUCH 'a b' c".to_owned(),
        String::new(),
        "   ".to_owned(),
        format!("SELECT {}", rng.below(2)),
    ];
    let line = &plain[rng.below(plain.len())];
    if rng.below(3) == 0 {
        let words = wire::split_line(line.as_bytes()).unwrap();
        return wire::request(&words);
    }
    let end = if rng.below(4) == 0 { "\n" } else { "\r\n" };
    format!("{line}{end}").into_bytes()
}

#[test]
fn pieces_of_any_size_are_answered_the_same() {
    let mut rng = seed::rng_of(u64::from(std::process::id()));
    for round in 0..30 {
        let count = 5 + rng.below(60);
        let mut bytes: Vec<u8> = (0..count).flat_map(|n| request(&mut rng, n)).collect();
        if round % 5 == 0 {
            bytes.extend_from_slice(b"PING 'open\r\nPING\r\n");
        }
        let whole = heard([&bytes[..]]);
        // One request after the other, as requests are not read ahead.
        assert_eq!(whole, heard(bytes.chunks(1)), "{}", bytes.escape_ascii());
        for _ in 0..10 {
            let longest = 1 + rng.below(100);
            assert_eq!(whole, heard(bytes.chunks(longest)), "{}", bytes.escape_ascii());
        }
    }
}

#[test]
fn a_cut_at_any_byte_changes_nothing() {
    let bytes =
        b"PING\r\nSET k '1 2'\r\n*2\r\n$4\r\nECHO\r\n$2\r\nhi\r\nGET k\nECHO \"\\x41'\"\r\n\
                  MULTI\r\nAPPEND k \" 3\"\r\nPING\r\nEXEC\r\n\r\n\
                  BLPOP q 0\r\nGET \"k\"\r\nPING x\r\n";
    let whole = heard([&bytes[..]]);
    assert!(whole.contains("1 2 3"), "{whole}");
    for at in 0..=bytes.len() {
        assert_eq!(whole, heard([&bytes[..at], &bytes[at..]]), "cut at {at}");
    }
}

/// The replies of requests that came together are together: none is left for another turn.
#[test]
fn a_pipeline_of_any_kind_is_answered_at_once() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    let mut bytes = Vec::new();
    for n in 0..100 {
        bytes.extend_from_slice(match n % 4 {
            0 => b"PING\r\n",
            1 => b"ECHO 'PONG'\r\n",
            2 => b"*1\r\n$4\r\nPING\r\n",
            _ => b"ECHO \"PO\\x4eG\"\r\n",
        });
    }
    let mut out = Vec::new();
    let fed = client.worker.feed(&mut client.session, &mut bytes, &mut out);
    assert_eq!((fed.consumed, fed.state), (bytes.len(), State::Open));
    assert_eq!(text(&out).matches("PONG").count(), 100);
}
