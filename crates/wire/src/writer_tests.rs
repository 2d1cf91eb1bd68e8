//! Every reply in both protocols, with the bytes redis-server 7.0.15 sends.

use super::RespWriter;
use base::{Protocol, Reply};

type Case = (fn(&mut RespWriter<'_>), &'static [u8], &'static [u8]);

const CASES: &[Case] = &[
    (|r| r.ok(), b"+OK\r\n", b"+OK\r\n"),
    (|r| r.simple("QUEUED"), b"+QUEUED\r\n", b"+QUEUED\r\n"),
    (|r| r.error("ERR no"), b"-ERR no\r\n", b"-ERR no\r\n"),
    (|r| r.error("ERR 'a\r\nb'\r\n"), b"-ERR 'a  b'\r\n", b"-ERR 'a  b'\r\n"),
    (|r| r.int(0), b":0\r\n", b":0\r\n"),
    (|r| r.int(10), b":10\r\n", b":10\r\n"),
    (|r| r.int(-1), b":-1\r\n", b":-1\r\n"),
    (|r| r.int(i64::MIN), b":-9223372036854775808\r\n", b":-9223372036854775808\r\n"),
    (|r| r.bulk(b""), b"$0\r\n\r\n", b"$0\r\n\r\n"),
    (|r| r.bulk(b"a\r\nb"), b"$4\r\na\r\nb\r\n", b"$4\r\na\r\nb\r\n"),
    (|r| r.bulks(b"k:", &[]), b"", b""),
    (
        |r| r.bulks(b"k:", &[b"1", b"2", b"", b"\r\n34567890", b"9"]),
        b"$3\r\nk:1\r\n$3\r\nk:2\r\n$2\r\nk:\r\n$12\r\nk:\r\n34567890\r\n$3\r\nk:9\r\n",
        b"$3\r\nk:1\r\n$3\r\nk:2\r\n$2\r\nk:\r\n$12\r\nk:\r\n34567890\r\n$3\r\nk:9\r\n",
    ),
    (
        |r| r.bulks(b"", &[b"ab", b"cd", b"ef", b"gh", b"ij"]),
        b"$2\r\nab\r\n$2\r\ncd\r\n$2\r\nef\r\n$2\r\ngh\r\n$2\r\nij\r\n",
        b"$2\r\nab\r\n$2\r\ncd\r\n$2\r\nef\r\n$2\r\ngh\r\n$2\r\nij\r\n",
    ),
    (|r| r.bulk_or_null(None), b"$-1\r\n", b"_\r\n"),
    (|r| r.null(), b"$-1\r\n", b"_\r\n"),
    (|r| r.null_array(), b"*-1\r\n", b"_\r\n"),
    (|r| r.array(0), b"*0\r\n", b"*0\r\n"),
    (|r| r.array(99), b"*99\r\n", b"*99\r\n"),
    (|r| r.array(100), b"*100\r\n", b"*100\r\n"),
    (|r| r.array(12_345_678), b"*12345678\r\n", b"*12345678\r\n"),
    (|r| r.map(3), b"*6\r\n", b"%3\r\n"),
    (|r| r.set(3), b"*3\r\n", b"~3\r\n"),
    (|r| r.push(3), b"*3\r\n", b">3\r\n"),
    (|r| r.double(3.0), b"$1\r\n3\r\n", b",3\r\n"),
    (|r| r.double(-0.5), b"$4\r\n-0.5\r\n", b",-0.5\r\n"),
    (|r| r.double(0.1), b"$19\r\n0.10000000000000001\r\n", b",0.10000000000000001\r\n"),
    (|r| r.double(f64::INFINITY), b"$3\r\ninf\r\n", b",inf\r\n"),
    (|r| r.double(f64::NEG_INFINITY), b"$4\r\n-inf\r\n", b",-inf\r\n"),
    (|r| r.double(1_234_567_890.0), b"$10\r\n1234567890\r\n", b",1234567890\r\n"),
    (|r| r.double(123_456_789.0), b"$9\r\n123456789\r\n", b",123456789\r\n"),
    (|r| r.boolean(true), b":1\r\n", b"#t\r\n"),
    (|r| r.boolean(false), b":0\r\n", b"#f\r\n"),
    (|r| r.verbatim("txt", b"Some"), b"$4\r\nSome\r\n", b"=8\r\ntxt:Some\r\n"),
    (|r| r.verbatim("a", b""), b"$0\r\n\r\n", b"=4\r\na  :\r\n"),
    (|r| r.verbatim("markdown", b""), b"$0\r\n\r\n", b"=4\r\nmar:\r\n"),
    (|r| r.big_number("-12345"), b"$6\r\n-12345\r\n", b"(-12345\r\n"),
    (|r| r.raw().extend_from_slice(b":7\r\n"), b":7\r\n", b":7\r\n"),
];

#[test]
fn every_reply_in_both_protocols() {
    for (index, &(write, resp2, resp3)) in CASES.iter().enumerate() {
        for (protocol, expected) in [(Protocol::Resp2, resp2), (Protocol::Resp3, resp3)] {
            let mut out = b"before".to_vec();
            write(&mut RespWriter::new(&mut out, protocol));
            let (out, expected) = (out[6..].escape_ascii(), expected.escape_ascii());
            assert_eq!(out.to_string(), expected.to_string(), "case {index}, {protocol:?}");
        }
    }
}

#[test]
fn bulk_lengths_of_every_width() {
    for len in [0, 1, 9, 10, 99, 100, 999, 1000, 65_536] {
        let mut out = Vec::new();
        RespWriter::new(&mut out, Protocol::Resp2).bulk(&vec![b'x'; len]);
        assert_eq!(out, format!("${len}\r\n{}\r\n", "x".repeat(len)).into_bytes());
    }
}

#[test]
fn the_protocol_may_change() {
    let mut out = Vec::new();
    let mut reply = RespWriter::new(&mut out, Protocol::Resp2);
    reply.null();
    reply.set_protocol(Protocol::Resp3);
    assert_eq!(reply.protocol(), Protocol::Resp3);
    reply.null();
    assert_eq!(out, b"$-1\r\n_\r\n");
}

#[test]
fn what_is_too_long_is_not_kept() {
    let long = [b'x'; 100];
    let mut out = b"before".to_vec();
    let mut reply = RespWriter::new(&mut out, Protocol::Resp3).within(300);
    assert_eq!(reply.room(), 300);
    reply.array(3);
    reply.bulk(&long);
    assert!(!reply.is_over());
    let writes: [&dyn Fn(&mut RespWriter<'_>); 4] = [
        &|reply| reply.bulk(&[b'x'; 400]),
        &|reply| reply.verbatim("txt", &[b'x'; 400]),
        &|reply| reply.bulks(b"a", &[&long[..]; 20]),
        &|reply| (0..400).for_each(|_| reply.null()),
    ];
    let kept = reply.raw().clone();
    for write in writes {
        let mut out = kept.clone();
        let mut reply = RespWriter::new(&mut out, Protocol::Resp3).within(300);
        write(&mut reply);
        assert!(reply.is_over() && reply.room() == 0);
        let there = reply.raw().len();
        assert!(there <= kept.len() + 300);
        reply.int(1);
        reply.ok();
        reply.simple("short");
        reply.array(2);
        reply.map(2);
        reply.null();
        reply.double(1.5);
        reply.boolean(true);
        reply.bulk(b"");
        assert_eq!(reply.raw().len(), there);
    }
}

#[test]
fn lengths_of_any_size_are_written() {
    for len in (0..1200).chain([9_999, 10_000, 123_456]) {
        let bytes = vec![b'x'; len];
        let mut out = Vec::new();
        RespWriter::new(&mut out, Protocol::Resp2).bulk(&bytes);
        let head = format!("${len}\r\n");
        assert!(out.starts_with(head.as_bytes()), "{len}");
        assert!(out.ends_with(b"\r\n") && out.len() == head.len() + len + 2);
    }
}
