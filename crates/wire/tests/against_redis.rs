//! The decoder and the writer compared with a real redis-server, over raw sockets.

use base::{Protocol, Reply, Rng};
use kvist_wire::{Limits, ReplyParser, RespWriter, Value, request};
use std::io::{Read, Write};
use std::net::Shutdown;
use testkit::oracle::Oracle;

use crate::connection::receive;
use crate::mutation;

/// Everything redis-server says to these bytes until it has answered them all.
fn converse(redis: &Oracle, bytes: &[u8]) -> Vec<u8> {
    let mut stream = redis.connect();
    // Redis may close while bytes are still on their way; its answer is there all the same.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(Shutdown::Write);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    answer
}

/// Checks redis-server's answer against what the decoder made of the same bytes.
fn compare(bytes: &[u8], answer: &[u8], limits: Limits) {
    let shown = bytes.escape_ascii().to_string();
    let decoded = receive([bytes], limits);
    let mut parser = ReplyParser::new();
    parser.feed(answer);
    for request in &decoded.requests {
        let reply = parser.next_value().expect("readable");
        let reply = reply.unwrap_or_else(|| panic!("no reply to {request:?} in {shown}"));
        match &request[..] {
            [echo, word] if echo.eq_ignore_ascii_case(b"ECHO") && limits.authenticated => {
                assert_eq!(reply, Value::Bulk(word.clone()), "{shown}");
            }
            _ => {
                let text = reply.as_error().unwrap_or_else(|| panic!("{reply:?} to {shown}"));
                assert!(!text.starts_with(b"ERR Protocol"), "{} to {shown}", text.escape_ascii());
            }
        }
    }
    let mut ours = Vec::new();
    if let Some(error) = decoded.error {
        error.write_reply(&mut ours);
    }
    assert_eq!(
        parser.pending().escape_ascii().to_string(),
        ours.escape_ascii().to_string(),
        "{shown}"
    );
}

#[test]
fn requests_are_understood_alike() {
    let Some(redis) = Oracle::start(&[]) else { return };
    let mut rng = Rng::new(21);
    for _ in 0..6000 {
        let mut bytes = mutation::requests(&mut rng);
        mutation::damage(&mut rng, &mut bytes);
        compare(&bytes, &converse(&redis, &bytes), Limits::default());
    }
}

#[test]
fn requests_before_authentication_are_understood_alike() {
    let Some(redis) = Oracle::start(&["--requirepass", "secret"]) else { return };
    let mut rng = Rng::new(22);
    let limits = Limits { authenticated: false, ..Limits::default() };
    for round in 0..1500 {
        let mut bytes = match round % 3 {
            0 => request(vec!["ECHO"; 1 + rng.below(14)]),
            1 => request(["ECHO".to_owned(), "x".repeat(16_380 + rng.below(8))]),
            _ => mutation::requests(&mut rng),
        };
        if round % 2 == 0 {
            mutation::damage(&mut rng, &mut bytes);
        }
        compare(&bytes, &converse(&redis, &bytes), limits);
    }
}

#[test]
fn limits_are_alike() {
    let Some(redis) = Oracle::start(&["--proto-max-bulk-len", "1mb"]) else { return };
    let limits = Limits { max_bulk: 1 << 20, ..Limits::default() };
    let filled = |head: &[u8], fill: u8, len: usize| [head, &vec![fill; len][..]].concat();
    for bytes in [
        b"*1\r\n$1048576\r\n".to_vec(),
        b"*1\r\n$1048577\r\n".to_vec(),
        request([&b"ECHO"[..], &vec![b'x'; 1 << 20]]),
        b"*2147483647\r\n".to_vec(),
        b"*2147483648\r\n".to_vec(),
        filled(b"*", b'1', 65_535),
        filled(b"*", b'1', 65_536),
        filled(b"*1\r\n$", b'1', 65_535),
        filled(b"*1\r\n$", b'1', 65_536),
        filled(b"*1\r\nx", b'1', 65_536),
        filled(b"*1\0\r\n", b'1', 65_536),
        filled(b"", b'a', 65_536),
        filled(b"", b'a', 65_537),
        filled(b"a\0\n", b'a', 65_537),
    ] {
        compare(&bytes, &converse(&redis, &bytes), limits);
    }
}

/// What `DEBUG PROTOCOL kind` answers, in both protocols.
fn write_kind(kind: &str, reply: &mut RespWriter<'_>) {
    match kind {
        "string" => reply.bulk(b"Hello World"),
        "integer" => reply.int(12345),
        "double" => reply.double(3141.0 / 1000.0), // 3.141, which lints take for a rough pi
        "null" => reply.null(),
        "array" => {
            reply.array(3);
            (0..3).for_each(|n| reply.int(n));
        }
        "set" => {
            reply.set(3);
            (0..3).for_each(|n| reply.int(n));
        }
        "map" => {
            reply.map(3);
            for n in 0..3 {
                reply.int(n);
                reply.boolean(n == 1);
            }
        }
        "bignum" => reply.big_number("1234567999999999999999999999999999999"),
        "true" => reply.boolean(true),
        "false" => reply.boolean(false),
        _ => reply.verbatim("txt", b"This is a verbatim\nstring"),
    }
}

#[test]
fn replies_are_written_alike() {
    let Some(redis) = Oracle::start(&["--enable-debug-command", "yes"]) else { return };
    for (protocol, hello) in [(Protocol::Resp2, &b""[..]), (Protocol::Resp3, b"HELLO 3\r\n")] {
        for kind in [
            "string", "integer", "double", "null", "array", "set", "map", "bignum", "true",
            "false", "verbatim",
        ] {
            let mut bytes = hello.to_vec();
            bytes.extend(request(["DEBUG", "PROTOCOL", kind]));
            let answer = converse(&redis, &bytes);
            let mut parser = ReplyParser::new();
            parser.feed(&answer);
            if !hello.is_empty() {
                parser.next_value().expect("readable").expect("a greeting");
            }
            let mut ours = Vec::new();
            write_kind(kind, &mut RespWriter::new(&mut ours, protocol));
            let theirs = parser.pending().escape_ascii().to_string();
            assert_eq!(ours.escape_ascii().to_string(), theirs, "{kind}, {protocol:?}");
        }
        // Attributes exist in RESP3 alone; the parser must take them.
        let mut bytes = hello.to_vec();
        bytes.extend(request(["DEBUG", "PROTOCOL", "attrib"]));
        let mut parser = ReplyParser::new();
        parser.feed(&converse(&redis, &bytes));
        let mut last = None;
        while let Some(value) = parser.next_value().expect("readable") {
            last = Some(value);
        }
        let attributed = matches!(last, Some(Value::Attributed(..)));
        assert_eq!(attributed, protocol == Protocol::Resp3, "{last:?}");
        assert!(parser.is_idle());
    }
}
