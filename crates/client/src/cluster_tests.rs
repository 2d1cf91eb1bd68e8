//! Slots of known keys, replies of real nodes and replies that make no sense.

use super::{Node, Redirect, SLOTS, SlotMap, slot};
use crate::error::ServerError;
use proptest::prelude::*;
use wire::Value;

fn node(host: &str, port: u16) -> Node {
    Node { host: host.to_owned(), port }
}

fn bulk(text: &str) -> Value {
    Value::Bulk(text.as_bytes().to_vec())
}

fn at(host: &str, port: i64) -> Value {
    Value::Array(vec![bulk(host), Value::Int(port), bulk("id"), Value::Array(Vec::new())])
}

fn range(first: i64, last: i64, nodes: &[Value]) -> Value {
    Value::Array([&[Value::Int(first), Value::Int(last)], nodes].concat())
}

#[test]
fn slots_are_those_of_redis() {
    // What `CLUSTER KEYSLOT` of redis-server answers.
    for (key, expected) in [
        ("", 0),
        ("a", 15495),
        ("foo", 12182),
        ("hello", 866),
        ("{foo}bar", 12182),
        ("bar{foo}", 12182),
        ("x{foo}{bar}", 12182),
        ("foo{}{bar}", 8363),
        ("foo{{bar}}zap", 4015),
        ("foo{bar}{zap}", 5061),
        ("{", 4092),
        ("a{b", 13340),
    ] {
        assert_eq!(slot(key.as_bytes()), expected, "{key}");
    }
}

#[test]
fn the_map_knows_primaries_and_replicas() {
    let asked = node("asked", 1);
    let reply = Value::Array(vec![
        range(0, 100, &[at("a", 7000), at("b", 7001)]),
        range(101, 16383, &[at("", 7002), at("?", 7003)]),
        range(50, 60, &[at("a", 7000), at("b", 7001)]),
    ]);
    let mut map = SlotMap::from_slots(&reply, &asked).unwrap();
    assert!(map.is_complete());
    assert_eq!(map.shards().len(), 2);
    assert_eq!(map.of(55).unwrap().replicas, [node("b", 7001)]);
    assert_eq!(map.of(101).unwrap().primary, node("asked", 7002));
    assert!(map.of(101).unwrap().replicas.is_empty(), "no client can reach that one");
    assert_eq!(map.of(SLOTS), None);

    map.moved(101, &node("c", 7004)).unwrap();
    assert_eq!(map.of(101).unwrap().primary, node("c", 7004));
    assert_eq!(map.of(102).unwrap().primary, node("asked", 7002));
    // A replica that takes over does so for all slots of its shard.
    map.moved(3, &node("b", 7001)).unwrap();
    assert_eq!(map.of(4).unwrap().primary, node("b", 7001));
    assert_eq!(map.of(4).unwrap().replicas, [node("a", 7000)]);
    assert!(map.moved(SLOTS, &node("c", 7004)).is_err());
}

#[test]
fn what_is_no_map_is_refused() {
    let asked = node("asked", 1);
    for reply in [
        Value::Int(3),
        Value::Array(vec![Value::Int(3)]),
        Value::Array(vec![range(0, 1, &[])]),
        Value::Array(vec![range(0, 16384, &[at("a", 1)])]),
        Value::Array(vec![range(-1, 3, &[at("a", 1)])]),
        Value::Array(vec![range(9, 3, &[at("a", 1)])]),
        Value::Array(vec![range(0, 3, &[at("a", 70_000)])]),
        Value::Array(vec![range(0, 3, &[at("?", 7000)])]),
        Value::Array(vec![range(0, 3, &[Value::Array(vec![bulk("a")])])]),
    ] {
        assert!(SlotMap::from_slots(&reply, &asked).is_err(), "{reply:?}");
    }
    let empty = SlotMap::from_slots(&Value::Array(Vec::new()), &asked).unwrap();
    assert!(!empty.is_complete());
    assert_eq!(empty.of(0), None);
}

#[test]
fn redirections_are_read() {
    let asked = node("asked", 1);
    let parse = |text: &str| Redirect::parse(&ServerError::new(text), &asked);
    let moved = |host: &str, port| Some(Redirect::Moved { slot: 7, node: node(host, port) });
    assert_eq!(parse("MOVED 7 h:80"), moved("h", 80));
    assert_eq!(parse("MOVED 7 :80"), moved("asked", 80));
    assert_eq!(parse("MOVED 7 ?:80"), moved("asked", 80));
    assert_eq!(parse("MOVED 7 ::1:80"), moved("::1", 80));
    assert_eq!(parse("MOVED 7 [::1]:80"), moved("::1", 80));
    assert_eq!(parse("ASK 7 h:80"), Some(Redirect::Ask { slot: 7, node: node("h", 80) }));
    for text in ["MOVED", "MOVED 7", "MOVED 7 h", "MOVED 16384 h:1", "MOVED x h:1", "MOVED 7 h:x"] {
        assert_eq!(parse(text), None, "{text}");
    }
    assert_eq!(parse("ERR 7 h:80"), None);
}

proptest! {
    #[test]
    fn any_key_has_a_slot(key: Vec<u8>) {
        prop_assert!(slot(&key) < SLOTS);
    }

    #[test]
    fn keys_with_the_same_tag_share_a_slot(tag in "[^{}]{1,9}", before in "[^{}]*", after in ".*") {
        let key = format!("{before}{{{tag}}}{after}");
        prop_assert_eq!(slot(key.as_bytes()), slot(tag.as_bytes()));
    }

    #[test]
    fn no_error_is_too_odd(text in ".*") {
        let _ = Redirect::parse(&ServerError::new(text.clone()), &node("h", 1));
        let _ = Redirect::parse(&ServerError::new(format!("MOVED {text}")), &node("h", 1));
    }
}
