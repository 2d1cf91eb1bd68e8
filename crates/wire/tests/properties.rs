//! What must hold for all requests and replies, however they are cut.

use base::{Protocol, Reply};
use kvist_wire::{Limits, ReplyParser, RespWriter, Value, request, split_line};
use proptest::prelude::*;

use crate::connection::{Decoded, cut, receive};

fn words() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let word = prop_oneof![
        8 => prop::collection::vec(any::<u8>(), 0..40),
        1 => prop::collection::vec(any::<u8>(), 90..1100),
    ];
    prop::collection::vec(word, 1..12)
}

fn sizes() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(1usize..60, 1..40)
}

/// Text on one line, as `+`, `-` allow it.
fn line() -> impl Strategy<Value = Vec<u8>> {
    "[ -~]{0,20}".prop_map(String::into_bytes)
}

fn value() -> impl Strategy<Value = Value> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..30);
    let leaf = prop_oneof![
        line().prop_map(Value::Simple),
        line().prop_map(Value::Error),
        any::<i64>().prop_map(Value::Int),
        bytes().prop_map(Value::Bulk),
        Just(Value::NullBulk),
        Just(Value::NullArray),
        Just(Value::Null),
        any::<bool>().prop_map(Value::Boolean),
        any::<f64>().prop_map(|d| Value::Double(base::num::format_f64(d).into_bytes())),
        (any::<[u8; 3]>(), bytes()).prop_map(|(format, text)| Value::Verbatim(format, text)),
        "[+-]?[0-9]{1,40}".prop_map(|digits| Value::BigNumber(digits.into_bytes())),
        bytes().prop_map(Value::BulkError),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        let items = || prop::collection::vec(inner.clone(), 0..6);
        let pairs = || prop::collection::vec((inner.clone(), inner.clone()), 0..4);
        prop_oneof![
            items().prop_map(Value::Array),
            items().prop_map(Value::Set),
            items().prop_map(Value::Push),
            pairs().prop_map(Value::Map),
            (pairs(), inner.clone())
                .prop_map(|(facts, value)| Value::Attributed(facts, Box::new(value))),
        ]
    })
}

fn cycle(sizes: Vec<usize>) -> impl FnMut() -> usize {
    let mut sizes = sizes.into_iter().cycle();
    move || sizes.next().unwrap_or(1)
}

proptest! {
    #[test]
    fn requests_survive_any_cut(
        requests in prop::collection::vec(words(), 1..6),
        sizes in sizes(),
    ) {
        let bytes: Vec<u8> = requests.iter().flat_map(request).collect();
        let expected = Decoded { requests, error: None, left: 0 };
        prop_assert_eq!(&receive([&bytes[..]], Limits::default()), &expected);
        prop_assert_eq!(&receive(cut(&bytes, cycle(sizes)), Limits::default()), &expected);
    }

    #[test]
    fn any_bytes_mean_the_same_however_cut(
        bytes in prop::collection::vec(
            prop_oneof![any::<u8>(), prop::sample::select(b"*$\r\n0123'\" \\x".to_vec())],
            0..200,
        ),
        sizes in sizes(),
    ) {
        let whole = receive([&bytes[..]], Limits::default());
        let pieces = receive(cut(&bytes, cycle(sizes)), Limits::default());
        prop_assert_eq!(&whole.requests, &pieces.requests);
        prop_assert_eq!(whole.error, pieces.error);
    }

    #[test]
    fn quoted_lines_unquote(words in prop::collection::vec(
        prop::collection::vec(any::<u8>(), 0..20), 0..6,
    )) {
        let quoted: Vec<String> = words
            .iter()
            .map(|word| word.iter().map(|c| format!("\\x{c:02X}")).collect::<String>())
            .map(|inside| format!("\"{inside}\""))
            .collect();
        prop_assert_eq!(split_line(quoted.join(" ").as_bytes()), Some(words));
    }

    #[test]
    fn replies_survive_any_cut(values in prop::collection::vec(value(), 1..4), sizes in sizes()) {
        let mut bytes = Vec::new();
        values.iter().for_each(|value| value.encode(&mut bytes));
        let mut parser = ReplyParser::new();
        let mut parsed = Vec::new();
        for piece in cut(&bytes, cycle(sizes)) {
            parser.feed(piece);
            while let Some(value) = parser.next_value().expect("it is well-formed") {
                parsed.push(value);
            }
        }
        prop_assert!(parser.is_idle());
        prop_assert_eq!(parsed, values);
    }

    #[test]
    fn any_bytes_are_a_reply_or_an_error(
        bytes in prop::collection::vec(
            prop_oneof![any::<u8>(), prop::sample::select(b"*$%~|>,:+\r\n0123".to_vec())],
            0..200,
        ),
    ) {
        let mut parser = ReplyParser::new();
        parser.feed(&bytes);
        while let Ok(Some(_)) = parser.next_value() {}
    }

    #[test]
    fn texts_cannot_break_a_reply(text in any::<String>(), d in any::<f64>(), n in any::<i64>()) {
        for protocol in [Protocol::Resp2, Protocol::Resp3] {
            let mut out = Vec::new();
            let mut reply = RespWriter::new(&mut out, protocol);
            reply.error(&text);
            reply.simple(&text);
            reply.double(d);
            reply.int(n);
            let mut parser = ReplyParser::new();
            parser.feed(&out);
            let mut next = || parser.next_value().expect("readable").expect("whole");
            prop_assert!(next().as_error().is_some());
            prop_assert!(next().as_bytes().is_some());
            let printed = next().as_f64().expect("a double");
            prop_assert!(printed == d || (printed.is_nan() && d.is_nan()));
            prop_assert_eq!(next().as_i64(), Some(n));
            prop_assert!(parser.is_idle());
        }
    }
}
