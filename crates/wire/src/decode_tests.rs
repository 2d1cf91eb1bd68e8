//! What redis-server 7.0.15 made of these bytes, and what each call of the decoder says.

use super::{Decoder, Limits, ProtocolError, Step};
use ProtocolError as E;

/// Requests until the bytes end or break the protocol, words joined by `|`.
fn decode(bytes: &[u8], authenticated: bool) -> (Vec<String>, Option<ProtocolError>) {
    let mut buf = bytes.to_vec();
    let (mut decoder, mut words, mut requests, mut at) = (Decoder::new(), vec![], vec![], 0);
    let limits = Limits { authenticated, ..Limits::default() };
    loop {
        words.clear();
        match decoder.next(&mut buf, at, &limits, &mut words) {
            Ok(Step::Request { words: count, bytes }) => {
                assert_eq!(count, words.len());
                let shown = words.iter().map(|w| w.of(&buf).escape_ascii().to_string());
                requests.push(shown.collect::<Vec<_>>().join("|"));
                at += bytes;
            }
            Ok(Step::Empty { bytes }) => at += bytes,
            Ok(Step::Partial { missing }) => {
                assert!(missing > 0 && words.is_empty());
                return (requests, None);
            }
            Err(error) => {
                assert!(words.is_empty());
                return (requests, Some(error));
            }
        }
    }
}

const OBSERVED: &[(&[u8], &[&str], Option<ProtocolError>)] = &[
    (b"*1\r\n$4\r\nPING\r\n*2\r\n$4\r\nECHO\r\n$0\r\n\r\n", &["PING", "ECHO|"], None),
    (b"*-1\r\nPING\r\n", &["PING"], None),
    (b"*0\r\nPING\r\n", &["PING"], None),
    (b"*-9223372036854775808\r\nPING\r\n", &["PING"], None),
    (b"*-9223372036854775809\r\n", &[], Some(E::InvalidMultibulkLength)),
    (b"*-0\r\n", &[], Some(E::InvalidMultibulkLength)),
    (b"*01\r\n", &[], Some(E::InvalidMultibulkLength)),
    (b"*+1\r\n", &[], Some(E::InvalidMultibulkLength)),
    (b"*\r\n", &[], Some(E::InvalidMultibulkLength)),
    (b"*abc\r\n", &[], Some(E::InvalidMultibulkLength)),
    (b"* 1\r\n", &[], Some(E::InvalidMultibulkLength)),
    (b"*1048577\r\n", &[], None),
    (b"*2147483647\r\n", &[], None),
    (b"*2147483648\r\n", &[], Some(E::InvalidMultibulkLength)),
    (b"*1\rX$4\rXPINGXX", &["PING"], None),
    (b"*1\r\nX4\r\nPING\r\n", &[], Some(E::ExpectedDollar(b'X'))),
    (b"*1\r\n\r\n", &[], Some(E::ExpectedDollar(b'\r'))),
    (b"*1\r\n\n\r\n", &[], Some(E::ExpectedDollar(b'\n'))),
    (b"*1\r\n\x00\r\n", &[], None),
    (b"*1\r\n$\x00\r\n", &[], None),
    (b"*1\r\n$-1\r\n", &[], Some(E::InvalidBulkLength)),
    (b"*1\r\n$04\r\nPING\r\n", &[], Some(E::InvalidBulkLength)),
    (b"*1\r\n$004\r\nPING\r\n", &[], Some(E::InvalidBulkLength)),
    (b"*1\r\n$536870912\r\n", &[], None),
    (b"*1\r\n$536870913\r\n", &[], Some(E::InvalidBulkLength)),
    (b"*1\r\n$\r\n", &[], Some(E::InvalidBulkLength)),
    (b"*1\x00\r\n$4\r\nPING\r\n", &[], None),
    (b"\r\n\r\n\nPING\r\n", &["PING"], None),
    (b" \t\x0b\x0cPING\x0b\r\n", &["PING\\x0b"], None),
    (b"PING a\rb\r\n", &["PING|a|b"], None),
    (b"PING \"a\\x41\\n\\t\\b\\a\\r\\q\"\r\n", &["PING|aA\\n\\t\\x08\\x07\\rq"], None),
    (b"PING 'a\\'b\\n'\r\n", &["PING|a\\'b\\\\n"], None),
    (b"PING \"a\"b\r\n", &[], Some(E::UnbalancedQuotes)),
    (b"PING \"a\r\n", &[], Some(E::UnbalancedQuotes)),
    (b"PING 'a\r\n", &[], Some(E::UnbalancedQuotes)),
    (b"PING a\"b c\"\r\n", &["PING|ab c"], None),
    (b"PING a'b c'd\r\n", &[], Some(E::UnbalancedQuotes)),
    (b"PING \"\" ''\r\n", &["PING||"], None),
    (b"PING \"\\x4\"\r\n", &["PING|x4"], None),
    (b"PING \"\\\"\r\n", &[], Some(E::UnbalancedQuotes)),
    (b"PING \"a\\\r\n", &[], Some(E::UnbalancedQuotes)),
    (b"PI\x00NG\r\nPING\r\n", &[], None),
    (b"\x00PING\r\n", &[], None),
    (b"PING a\\x41\r\n", &["PING|a\\\\x41"], None),
    (b"PING \xff\r\n", &["PING|\\xff"], None),
    (b"PING \"a\"\x0b\r\n", &["PING|a"], None),
    (b"PING a\x0bb\r\n", &["PING|a\\x0bb"], None),
    (b"PING \r\r\n", &["PING"], None),
    (b"PING 'a\\\\'\r\n", &[], Some(E::UnbalancedQuotes)),
    (b"PING\r\n*1\r\n$a\r\nPING\r\n", &["PING"], Some(E::InvalidBulkLength)),
];

#[test]
fn as_observed() {
    for &(bytes, requests, error) in OBSERVED {
        let shown = bytes.escape_ascii();
        let (decoded, end) = decode(bytes, true);
        assert_eq!(decoded, requests, "{shown}");
        assert_eq!(end, error, "{shown}");
    }
}

#[test]
fn before_authentication() {
    let error = |bytes| decode(bytes, false).1;
    assert_eq!(error(b"*10\r\n"), None);
    assert_eq!(error(b"*11\r\n"), Some(E::UnauthenticatedMultibulkLength));
    assert_eq!(error(b"*2147483648\r\n"), Some(E::InvalidMultibulkLength));
    assert_eq!(error(b"*1\r\n$16384\r\n"), None);
    assert_eq!(error(b"*1\r\n$16385\r\n"), Some(E::UnauthenticatedBulkLength));
    assert_eq!(error(b"*1\r\n$536870913\r\n"), Some(E::InvalidBulkLength));
    assert_eq!(error(&[b"PING ".to_vec(), vec![b'a'; 20_000], b"\r\n".to_vec()].concat()), None);
}

#[test]
fn lines_that_do_not_end() {
    let error = |head: &[u8], fill: u8, len: usize| {
        let mut bytes = head.to_vec();
        bytes.resize(head.len() + len, fill);
        decode(&bytes, true).1
    };
    assert_eq!(error(b"*", b'1', 65_535), None);
    assert_eq!(error(b"*", b'1', 65_536), Some(E::TooBigMultibulkCount));
    assert_eq!(error(b"*1\0\r\n", b'x', 70_000), Some(E::TooBigMultibulkCount));
    assert_eq!(error(b"*1\r\n$", b'1', 65_535), None);
    assert_eq!(error(b"*1\r\n$", b'1', 65_536), Some(E::TooBigBulkCount));
    assert_eq!(error(b"*1\r\nx", b'1', 65_536), Some(E::TooBigBulkCount));
    assert_eq!(error(b"", b'a', 65_536), None);
    assert_eq!(error(b"", b'a', 65_537), Some(E::TooBigInline));
    // A line whose end is there is taken, however long.
    let long = [vec![b'a'; 70_000], b"\r\n".to_vec()].concat();
    assert_eq!(decode(&long, true).0.len(), 1);
    // Long, and its carriage return is the last byte: not too long, but not finished.
    assert_eq!(decode(&[vec![b'*'; 70_000], b"\r".to_vec()].concat(), true).1, None);
}

#[test]
fn error_replies() {
    let reply = |error: ProtocolError| {
        let mut out = Vec::new();
        error.write_reply(&mut out);
        out
    };
    assert_eq!(
        reply(E::ExpectedDollar(0xff)),
        b"-ERR Protocol error: expected '$', got '\xff'\r\n"
    );
    assert_eq!(reply(E::ExpectedDollar(b'\r')), b"-ERR Protocol error: expected '$', got ' '\r\n");
    assert_eq!(reply(E::TooBigInline), b"-ERR Protocol error: too big inline request\r\n");
    assert_eq!(E::ExpectedDollar(7).to_string(), "Protocol error: expected '$', got '\\x07'");
}

#[test]
fn what_is_missing_is_said() {
    let missing = |bytes: &[u8]| {
        let mut decoder = Decoder::new();
        match decoder.next(&mut bytes.to_vec(), 0, &Limits::default(), &mut Vec::new()) {
            Ok(Step::Partial { missing }) => missing,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(missing(b""), 1);
    assert_eq!(missing(b"*1"), 1);
    assert_eq!(missing(b"*1\r\n"), 6);
    assert_eq!(missing(b"*1\r\n$"), 5);
    assert_eq!(missing(b"*1\r\n$4000\r\n"), 4002);
    assert_eq!(missing(b"*1\r\n$4000\r\nabc"), 3999);
    assert_eq!(missing(b"PING"), 1);
}

#[test]
fn a_request_may_move_between_calls() {
    let whole = b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$5\r\nhello\r\n";
    let (mut decoder, limits) = (Decoder::new(), Limits::default());
    let mut words = vec![];
    for len in 1..whole.len() {
        // Another offset each time.
        let mut buf = [vec![b'#'; len % 7], whole[..len].to_vec()].concat();
        let step = decoder.next(&mut buf, len % 7, &limits, &mut words);
        assert!(matches!(step, Ok(Step::Partial { .. })), "{len}: {step:?}");
        assert!(words.is_empty());
    }
    let mut buf = [b"###", &whole[..], b"PING\r\n"].concat();
    let step = decoder.next(&mut buf, 3, &limits, &mut words);
    assert_eq!(step, Ok(Step::Request { words: 3, bytes: whole.len() }));
    assert_eq!(words.iter().map(|w| w.of(&buf)).collect::<Vec<_>>(), [&b"SET"[..], b"k", b"hello"]);
    let step = decoder.next(&mut buf, 3 + whole.len(), &limits, &mut words);
    assert_eq!(step, Ok(Step::Request { words: 1, bytes: 6 }));
    assert_eq!(words.len(), 4);
}

#[test]
fn a_count_in_chunks_leaves_no_trace() {
    let (mut decoder, limits, mut words) = (Decoder::new(), Limits::default(), vec![]);
    let mut buf = b"*1\r\n$4\r\nPING\r\nX\n".to_vec();
    assert_eq!(
        decoder.next(&mut buf[..3], 0, &limits, &mut words),
        Ok(Step::Partial { missing: 1 })
    );
    let step = decoder.next(&mut buf, 0, &limits, &mut words);
    assert_eq!(step, Ok(Step::Request { words: 1, bytes: 14 }));
    let step = decoder.next(&mut buf, 14, &limits, &mut words);
    assert_eq!(step, Ok(Step::Request { words: 1, bytes: 2 }));
}
