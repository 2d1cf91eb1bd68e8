//! Every type of reply, whole and cut, and every way to be malformed.

use super::{ReplyError, ReplyLimits, ReplyParser};
use crate::value::Value;

fn parse(bytes: &[u8]) -> Result<Option<Value>, ReplyError> {
    let mut parser = ReplyParser::new();
    parser.feed(bytes);
    parser.next_value()
}

fn bulk(text: &str) -> Value {
    Value::Bulk(text.as_bytes().to_vec())
}

fn every_type() -> Vec<(&'static [u8], Value)> {
    let pair = || vec![(bulk("k"), Value::Int(1))];
    vec![
        (b"+\r\n", Value::Simple(vec![])),
        (b"+a\rb\nc\r\n", Value::Simple(b"a\rb\nc".to_vec())),
        (b"-ERR x\r\n", Value::Error(b"ERR x".to_vec())),
        (b":-12\r\n", Value::Int(-12)),
        (b"$0\r\n\r\n", bulk("")),
        (b"$4\r\na\r\nb\r\n", bulk("a\r\nb")),
        (b"$-1\r\n", Value::NullBulk),
        (b"*-1\r\n", Value::NullArray),
        (b"_\r\n", Value::Null),
        (b"*0\r\n", Value::Array(vec![])),
        (b"*2\r\n*1\r\n:1\r\n*0\r\n", {
            Value::Array(vec![Value::Array(vec![Value::Int(1)]), Value::Array(vec![])])
        }),
        (b"%1\r\n$1\r\nk\r\n:1\r\n", Value::Map(pair())),
        (b"%0\r\n", Value::Map(vec![])),
        (b"~1\r\n#t\r\n", Value::Set(vec![Value::Boolean(true)])),
        (b">1\r\n#f\r\n", Value::Push(vec![Value::Boolean(false)])),
        (b",-inf\r\n", Value::Double(b"-inf".to_vec())),
        (b",nan\r\n", Value::Double(b"nan".to_vec())),
        (b",1.5e+20\r\n", Value::Double(b"1.5e+20".to_vec())),
        (b"=6\r\ntxt:hi\r\n", Value::Verbatim(*b"txt", b"hi".to_vec())),
        (b"(-123456789012345678901234567890\r\n", {
            Value::BigNumber(b"-123456789012345678901234567890".to_vec())
        }),
        (b"!5\r\nERR x\r\n", Value::BulkError(b"ERR x".to_vec())),
        (b"|1\r\n$1\r\nk\r\n:1\r\n+OK\r\n", {
            Value::Attributed(pair(), Box::new(Value::Simple(b"OK".to_vec())))
        }),
        (b"*1\r\n|0\r\n*1\r\n:1\r\n", {
            let inner = Value::Array(vec![Value::Int(1)]);
            Value::Array(vec![Value::Attributed(vec![], Box::new(inner))])
        }),
    ]
}

#[test]
fn every_type_whole_and_back() {
    for (bytes, value) in every_type() {
        assert_eq!(parse(bytes), Ok(Some(value.clone())), "{}", bytes.escape_ascii());
        let mut out = Vec::new();
        value.encode(&mut out);
        assert_eq!(out, bytes, "{}", bytes.escape_ascii());
    }
}

#[test]
fn every_type_byte_by_byte() {
    let mut parser = ReplyParser::new();
    for (bytes, value) in every_type() {
        for (index, &byte) in bytes.iter().enumerate() {
            parser.feed(&[byte]);
            let expected = (index + 1 == bytes.len()).then(|| value.clone());
            assert_eq!(parser.next_value(), Ok(expected), "{}", bytes.escape_ascii());
        }
        assert!(parser.is_idle());
    }
}

#[test]
fn malformed() {
    let cases: &[(&[u8], ReplyError)] = &[
        (b"x", ReplyError::UnknownType(b'x')),
        (b"\r\n", ReplyError::UnknownType(b'\r')),
        (b"*-2\r\n", ReplyError::BadLength),
        (b"*x\r\n", ReplyError::BadLength),
        (b"*?\r\n", ReplyError::BadLength),
        (b"%9223372036854775807\r\n", ReplyError::TooManyElements),
        (b"%-1\r\n", ReplyError::BadLength),
        (b"$-2\r\n", ReplyError::BadLength),
        (b"$\r\n", ReplyError::BadLength),
        (b"$1\r\nabc", ReplyError::Unterminated),
        (b"$9223372036854775807\r\n", ReplyError::TooLong),
        (b":\r\n", ReplyError::BadScalar),
        (b":1x\r\n", ReplyError::BadScalar),
        (b"_x\r\n", ReplyError::BadScalar),
        (b"#x\r\n", ReplyError::BadScalar),
        (b",x\r\n", ReplyError::BadScalar),
        (b"(\r\n", ReplyError::BadScalar),
        (b"(-\r\n", ReplyError::BadScalar),
        (b"(1.5\r\n", ReplyError::BadScalar),
        (b"=3\r\ntxt\r\n", ReplyError::BadScalar),
    ];
    for &(bytes, error) in cases {
        assert_eq!(parse(bytes), Err(error), "{}", bytes.escape_ascii());
    }
    assert_eq!(parse(b":+5\r\n"), Ok(Some(Value::Int(5))));
}

#[test]
fn limits_hold() {
    let limits = ReplyLimits { depth: 3, elements: 10, bytes: 20 };
    let parse = |bytes: &[u8]| {
        let mut parser = ReplyParser::with_limits(limits);
        parser.feed(bytes);
        parser.next_value()
    };
    assert!(parse(b"*1\r\n*1\r\n*1\r\n:1\r\n").is_ok_and(|v| v.is_some()));
    assert_eq!(parse(b"*1\r\n*1\r\n*1\r\n*0\r\n"), Err(ReplyError::TooDeep));
    assert_eq!(parse(&b"|0\r\n".repeat(4)), Err(ReplyError::TooDeep));
    assert_eq!(parse(b"*10\r\n"), Ok(None));
    assert_eq!(parse(b"*11\r\n"), Err(ReplyError::TooManyElements));
    assert_eq!(parse(b"%6\r\n"), Err(ReplyError::TooManyElements));
    assert_eq!(parse(b"*5\r\n*6\r\n"), Err(ReplyError::TooManyElements));
    assert_eq!(parse(b"$21\r\n"), Err(ReplyError::TooLong));
    assert_eq!(parse(&[b'+'; 21]), Err(ReplyError::TooLong));
    assert_eq!(parse(&[b'+'; 20]), Ok(None));
}

#[test]
fn accessors() {
    assert_eq!(bulk("1.5").as_f64(), Some(1.5));
    assert!(Value::Double(b"-nan".to_vec()).as_f64().is_some_and(f64::is_nan));
    assert_eq!(Value::Int(3).as_i64(), Some(3));
    assert_eq!(Value::Verbatim(*b"txt", b"x".to_vec()).as_bytes(), Some(&b"x"[..]));
    assert_eq!(Value::Error(b"ERR".to_vec()).as_error(), Some(&b"ERR"[..]));
    assert_eq!(Value::Set(vec![Value::Null]).as_slice(), Some(&[Value::Null][..]));
    assert!(Value::NullArray.is_null() && !bulk("").is_null());
}
