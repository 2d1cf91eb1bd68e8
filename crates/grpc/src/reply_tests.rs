//! Every kind of reply, as the engine's own writer writes it.

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

use base::{Protocol, Reply};
use wire::RespWriter;

use super::*;

fn written(write: impl FnOnce(&mut RespWriter<'_>)) -> Vec<u8> {
    let mut out = Vec::new();
    write(&mut RespWriter::new(&mut out, Protocol::Resp3));
    out
}

fn kind(write: impl FnOnce(&mut RespWriter<'_>)) -> Kind {
    value(&written(write)).unwrap().kind.unwrap()
}

#[test]
fn every_kind_is_read() {
    assert_eq!(kind(|out| out.null()), Kind::Null(true));
    assert_eq!(kind(|out| out.ok()), Kind::Status("OK".into()));
    assert_eq!(kind(|out| out.int(i64::MIN)), Kind::Integer(i64::MIN));
    assert_eq!(kind(|out| out.int(i64::MAX)), Kind::Integer(i64::MAX));
    assert_eq!(kind(|out| out.bulk(b"a\r\n\0")), Kind::Blob(Bytes::from_static(b"a\r\n\0")));
    assert_eq!(kind(|out| out.double(1.5)), Kind::Number(1.5));
    assert_eq!(kind(|out| out.double(f64::NEG_INFINITY)), Kind::Number(f64::NEG_INFINITY));
    assert_eq!(kind(|out| out.boolean(true)), Kind::Boolean(true));
    assert_eq!(kind(|out| out.verbatim("txt", b"hello")), Kind::Text("hello".into()));
    assert_eq!(kind(|out| out.big_number("123")), Kind::BigNumber("123".into()));
}

#[test]
fn aggregates_hold_what_they_hold() {
    let got = kind(|out| {
        out.map(1);
        out.bulk(b"k");
        out.array(2);
        out.set(0);
        out.error("ERR inside");
    });
    let Kind::Map(map) = got else { panic!("{got:?}") };
    let inner = map.pairs[0].value.clone().unwrap().kind.unwrap();
    let Kind::List(list) = inner else { panic!("{inner:?}") };
    assert_eq!(list.items[0].kind, Some(Kind::Set(ValueList::default())));
    assert_eq!(list.items[1].kind, Some(Kind::Error("ERR inside".into())));
}

#[test]
fn an_error_is_a_status() {
    let refused = value(&written(|out| out.error("WRONGTYPE no"))).unwrap_err();
    assert_eq!(refused.code(), tonic::Code::FailedPrecondition);
    assert_eq!(refused.message(), "WRONGTYPE no");
}

#[test]
fn what_is_cut_is_an_internal_error() {
    let whole = written(|out| {
        out.map(1);
        out.bulk(b"key");
        out.verbatim("txt", b"text");
    });
    for cut in 0..whole.len() {
        assert_eq!(value(&whole[..cut]).unwrap_err().code(), tonic::Code::Internal, "{cut}");
    }
    assert_eq!(int(b":99999999999999999999\r\n").unwrap_err().code(), tonic::Code::Internal);
}

#[test]
fn a_bottomless_reply_is_refused() {
    let deep = written(|out| (0..1000).for_each(|_| out.array(1)));
    assert_eq!(value(&deep).unwrap_err().code(), tonic::Code::OutOfRange);
}
