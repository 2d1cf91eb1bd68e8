//! A reply written as a tree is the same as one that is written as bytes and read again.

use base::{Protocol, Reply};
use engine::DirectReply;
use wire::{ReplyParser, RespWriter};

use super::Values;

fn write(out: &mut dyn Reply) {
    out.array(4);
    out.map(2);
    out.bulk(b"a");
    out.array(0);
    out.bulk(b"b");
    out.set(1);
    out.double(0.1);
    out.null();
    out.push(2);
    out.boolean(true);
    out.verbatim("mkd", b"text");
    out.big_number("123456789012345678901234567890");
}

#[test]
fn trees_are_what_bytes_would_have_been() {
    let mut bytes = Vec::new();
    write(&mut RespWriter::new(&mut bytes, Protocol::Resp3));
    let mut parser = ReplyParser::default();
    parser.feed(&bytes);
    let read = parser.next_value().ok().flatten();
    let mut values = Values::new();
    values.array(3);
    values.int(1);
    values.clear();
    assert!(values.take().is_none());
    write(&mut values);
    let built = values.take();
    assert!(built.is_some());
    assert_eq!(built, read);
}
