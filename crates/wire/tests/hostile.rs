//! Clients and servers that mean harm: announced sizes, endless lines, deep nesting, slow drips.

use base::Rng;
use kvist_wire::{Decoder, Limits, ProtocolError, ReplyError, ReplyParser, Step, Value, request};
use std::time::{Duration, Instant};

use crate::connection::{cut, receive};

/// Long enough for a debug build on a busy machine, far too short for quadratic work.
const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn announced_sizes_reserve_nothing() {
    let mut buf = b"*2147483647\r\n$536870912\r\nx".to_vec();
    let (mut decoder, mut words) = (Decoder::new(), Vec::new());
    let step = decoder.next(&mut buf, 0, &Limits::default(), &mut words);
    assert_eq!(step, Ok(Step::Partial { missing: 536_870_913 }));
    assert_eq!(words.capacity(), 0);
    // A parser that reserved what these announce would end the test program.
    let limits = kvist_wire::ReplyLimits { elements: u64::MAX, ..Default::default() };
    for announced in [&b"*4611686018427387904\r\n:1\r\n"[..], b"%4611686018427387903\r\n:1\r\n"] {
        let mut parser = ReplyParser::with_limits(limits);
        parser.feed(announced);
        assert_eq!(parser.next_value(), Ok(None));
    }
}

#[test]
fn a_long_word_may_drip() {
    let begun = Instant::now();
    let word = vec![b'x'; 1 << 20];
    let bytes = request([&b"SET"[..], b"k", &word]);
    let (mut decoder, mut words) = (Decoder::new(), Vec::new());
    let mut buf = bytes.clone();
    // The same buffer, one more byte visible each time: the decoder must not start over.
    for len in 1..bytes.len() {
        let step = decoder.next(&mut buf[..len], 0, &Limits::default(), &mut words);
        assert!(matches!(step, Ok(Step::Partial { .. })));
    }
    let step = decoder.next(&mut buf, 0, &Limits::default(), &mut words);
    assert_eq!(step, Ok(Step::Request { words: 3, bytes: bytes.len() }));
    assert!(begun.elapsed() < PATIENCE);
}

#[test]
fn many_words_may_drip() {
    let begun = Instant::now();
    let bytes = request((0..100_000).map(|n: u32| n.to_string()));
    let (mut decoder, mut words) = (Decoder::new(), Vec::new());
    let mut buf = bytes.clone();
    for len in (1..bytes.len()).step_by(3) {
        let step = decoder.next(&mut buf[..len], 0, &Limits::default(), &mut words);
        assert!(matches!(step, Ok(Step::Partial { .. })));
    }
    let step = decoder.next(&mut buf, 0, &Limits::default(), &mut words);
    assert_eq!(step, Ok(Step::Request { words: 100_000, bytes: bytes.len() }));
    assert!(begun.elapsed() < PATIENCE);
}

#[test]
fn lines_that_never_end_are_cut_off() {
    for (head, error) in [
        (&b"*"[..], ProtocolError::TooBigMultibulkCount),
        (b"*2\r\n$", ProtocolError::TooBigBulkCount),
        (b"x", ProtocolError::TooBigInline),
        (b"\"", ProtocolError::TooBigInline),
        (b"a\0\n", ProtocolError::TooBigInline),
        (b"*1\0\r\n", ProtocolError::TooBigMultibulkCount),
    ] {
        let bytes = [head, &[b'1'; 70_000]].concat();
        let decoded = receive(cut(&bytes, || 7), Limits::default());
        assert_eq!(decoded.error, Some(error), "{}", head.escape_ascii());
    }
}

#[test]
fn empty_requests_by_the_million() {
    let begun = Instant::now();
    let bytes = [b"\r\n".repeat(200_000), b"*0\r\n".repeat(200_000), b"PING\r\n".to_vec()].concat();
    assert_eq!(receive(cut(&bytes, || 16_384), Limits::default()).requests.len(), 1);
    assert!(begun.elapsed() < PATIENCE);
}

#[test]
fn depth_ends() {
    let mut parser = ReplyParser::new();
    parser.feed(&b"*1\r\n".repeat(512));
    assert_eq!(parser.next_value(), Ok(None));
    parser.feed(b":1\r\n");
    let mut value = parser.next_value().expect("deep enough").expect("whole");
    for _ in 0..512 {
        let Value::Array(mut items) = value else { panic!("an array inside each other") };
        value = items.pop().expect("one element");
    }
    assert_eq!(value, Value::Int(1));
    for nested in [&b"*1\r\n"[..], b"%1\r\n", b"|1\r\n", b"|0\r\n", b">1\r\n", b"~2\r\n"] {
        let mut parser = ReplyParser::new();
        parser.feed(&nested.repeat(1_000_000));
        assert_eq!(parser.next_value(), Err(ReplyError::TooDeep), "{}", nested.escape_ascii());
    }
}

#[test]
fn a_long_reply_may_drip() {
    let begun = Instant::now();
    let mut bytes = Vec::new();
    let items = (0..20_000)
        .map(Value::Int)
        .chain([Value::Simple(vec![b's'; 1 << 18]), Value::Bulk(vec![b'b'; 1 << 18])]);
    let expected = Value::Array(items.collect());
    expected.encode(&mut bytes);
    let mut parser = ReplyParser::new();
    for piece in cut(&bytes[..bytes.len() - 1], || 5) {
        parser.feed(piece);
        assert_eq!(parser.next_value(), Ok(None));
    }
    parser.feed(b"\n");
    assert_eq!(parser.next_value(), Ok(Some(expected)));
    assert!(begun.elapsed() < PATIENCE);
}

#[test]
fn noise_is_harmless() {
    let mut rng = Rng::new(7);
    for _ in 0..20_000 {
        let noise: Vec<u8> =
            (0..rng.below(100)).flat_map(|_| rng.next_u64().to_le_bytes()).collect();
        let _ = receive([&noise[..]], Limits::default());
        let mut parser = ReplyParser::new();
        parser.feed(&noise);
        while let Ok(Some(_)) = parser.next_value() {}
    }
}
