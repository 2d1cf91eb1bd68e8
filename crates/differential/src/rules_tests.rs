//! Each rule forgives what it is for and nothing else.

use std::io::Cursor;

use super::*;
use crate::resp::read_reply;

fn differ(words: &[&str], a: &str, b: &str) -> Option<String> {
    let read = |text: &str| read_reply(&mut Cursor::new(text.as_bytes())).unwrap();
    difference(&Command::words(words), &[], [&read(a), &read(b)], 50)
}

#[test]
fn exact_by_default() {
    assert_eq!(differ(&["GET", "k"], "$1\r\na\r\n", "$1\r\na\r\n"), None);
    assert_eq!(differ(&["GET", "k"], "$1\r\na\r\n", "$1\r\nb\r\n").unwrap(), "other string");
    assert_eq!(differ(&["GET", "k"], "$1\r\na\r\n", "$-1\r\n").unwrap(), "string / nil ($-1)");
    assert_eq!(
        differ(&["LRANGE", "k"], "*2\r\n:1\r\n:2\r\n", "*2\r\n:2\r\n:1\r\n").unwrap(),
        "other elements"
    );
    assert_eq!(
        differ(&["GET", "k"], "$1\r\na\r\n", "$01\r\na\r\n").unwrap(),
        "same value, other bytes"
    );
}

#[test]
fn sets_have_no_order() {
    let (a, b) = ("*2\r\n$1\r\na\r\n$1\r\nb\r\n", "*2\r\n$1\r\nb\r\n$1\r\na\r\n");
    assert_eq!(differ(&["smembers", "k"], a, b), None);
    assert_eq!(differ(&["HKEYS", "k"], a, b), None);
    assert!(differ(&["SMEMBERS", "k"], a, "*2\r\n$1\r\na\r\n$1\r\na\r\n").is_some());
    assert!(differ(&["SMEMBERS", "k"], a, "~2\r\n$1\r\na\r\n$1\r\nb\r\n").is_some());
}

#[test]
fn pairs_stay_together() {
    let a = "*4\r\n+a\r\n+1\r\n+b\r\n+2\r\n";
    assert_eq!(differ(&["HGETALL", "k"], a, "*4\r\n+b\r\n+2\r\n+a\r\n+1\r\n"), None);
    assert!(differ(&["HGETALL", "k"], a, "*4\r\n+b\r\n+1\r\n+a\r\n+2\r\n").is_some());
}

#[test]
fn times_are_near_but_answers_exact() {
    assert_eq!(differ(&["PTTL", "k"], ":1000\r\n", ":1050\r\n"), None);
    assert!(differ(&["PTTL", "k"], ":1000\r\n", ":1051\r\n").is_some());
    assert!(differ(&["PTTL", "k"], ":-1\r\n", ":-2\r\n").is_some());
    assert!(differ(&["TTL", "k"], ":0\r\n", ":-1\r\n").is_some());
    assert_eq!(differ(&["TTL", "k"], ":99\r\n", ":100\r\n"), None);
}

#[test]
fn errors_group_without_their_particulars() {
    let one = differ(&["X"], "-ERR unknown subcommand 'a'.\r\n", "-ERR other\r\n").unwrap();
    let two = differ(&["X"], "-ERR unknown subcommand 'b'.\r\n", "-ERR other\r\n").unwrap();
    assert_eq!(one, two);
}

#[test]
fn inside_exec_each_command_has_its_rule() {
    let read = |text: &str| read_reply(&mut Cursor::new(text.as_bytes())).unwrap();
    let queued = [Command::words(&["SMEMBERS", "k"]), Command::words(&["GET", "k"])];
    let a = read("*2\r\n*2\r\n+a\r\n+b\r\n+x\r\n");
    let b = read("*2\r\n*2\r\n+b\r\n+a\r\n+x\r\n");
    let c = read("*2\r\n*2\r\n+b\r\n+a\r\n+y\r\n");
    let exec = Command::words(&["exec"]);
    assert_eq!(difference(&exec, &queued, [&a, &b], 50), None);
    assert!(difference(&exec, &queued, [&a, &c], 50).unwrap().starts_with("GET inside"));
}

#[test]
fn sort_is_loose_only_where_its_order_is_open() {
    let (a, b) = ("*2\r\n$1\r\na\r\n$1\r\nb\r\n", "*2\r\n$1\r\nb\r\n$1\r\na\r\n");
    assert!(differ(&["SORT", "k", "ALPHA"], a, b).is_some());
    assert_eq!(differ(&["SORT", "k", "BY", "nosort"], a, b), None);
    assert!(differ(&["SORT", "k", "BY", "w*"], a, b).is_some());
    assert_eq!(differ(&["SORT", "k", "BY", "w*", "ALPHA"], a, b), None);
}

#[test]
fn hello_forgets_the_identifier_only() {
    let hello =
        |id: u8, proto: u8| format!("%2\r\n$2\r\nid\r\n:{id}\r\n$5\r\nproto\r\n:{proto}\r\n");
    assert_eq!(differ(&["HELLO", "3"], &hello(1, 3), &hello(2, 3)), None);
    assert!(differ(&["HELLO", "3"], &hello(1, 3), &hello(1, 2)).is_some());
}
