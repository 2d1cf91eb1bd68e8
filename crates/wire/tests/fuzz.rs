//! Requests and replies that are damaged: whatever comes in, and however it is cut, says the same.

use kvist_wire::{Limits, ReplyParser, Value};
use testkit::fuzz::fuzz;

use crate::connection::{cut, receive};

use crate::mutation;

#[test]
fn requests() {
    fuzz(|rng| {
        let mut bytes = mutation::requests(rng);
        mutation::damage(rng, &mut bytes);
        let limits = Limits { authenticated: rng.below(4) > 0, ..Limits::default() };
        let whole = receive([&bytes[..]], limits);
        let longest = [1, 2, 7, 40][rng.below(4)];
        let pieces = receive(cut(&bytes, || rng.below(longest) + 1), limits);
        assert_eq!(whole.requests, pieces.requests, "{}", bytes.escape_ascii());
        assert_eq!(whole.error, pieces.error, "{}", bytes.escape_ascii());
        if whole.error.is_none() {
            assert_eq!(whole.left, pieces.left, "{}", bytes.escape_ascii());
        }
        // What was understood can be said again.
        let again: Vec<u8> = whole.requests.iter().flat_map(kvist_wire::request).collect();
        if limits.authenticated {
            assert_eq!(receive([&again[..]], limits).requests, whole.requests);
        }
    });
}

fn parse<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<Value>, bool) {
    let (mut parser, mut values) = (ReplyParser::new(), Vec::new());
    for piece in pieces {
        parser.feed(piece);
        loop {
            match parser.next_value() {
                Ok(Some(value)) => values.push(value),
                Ok(None) => break,
                Err(_) => return (values, false),
            }
        }
    }
    (values, true)
}

const REPLIES: &[&[u8]] = &[
    b"+OK\r\n",
    b"-ERR x\r\n",
    b":42\r\n",
    b"$-1\r\n",
    b"*-1\r\n",
    b"_\r\n",
    b"$3\r\nfoo\r\n",
    b"*2\r\n:1\r\n$1\r\na\r\n",
    b"%1\r\n+k\r\n:1\r\n",
    b"~1\r\n#t\r\n",
    b">1\r\n,1.5\r\n",
    b"=7\r\ntxt:foo\r\n",
    b"(123\r\n",
    b"!3\r\nERR\r\n",
    b"|1\r\n+a\r\n+b\r\n:1\r\n",
    b"*0\r\n",
    b"*3\r\n*2\r\n%1\r\n",
    b"*1\r\n|0\r\n",
];

#[test]
fn replies() {
    fuzz(|rng| {
        let mut bytes: Vec<u8> =
            (0..=rng.below(8)).flat_map(|_| REPLIES[rng.below(REPLIES.len())]).copied().collect();
        mutation::damage(rng, &mut bytes);
        let whole = parse([&bytes[..]]);
        let pieces = parse(cut(&bytes, || rng.below(5) + 1));
        assert_eq!(whole, pieces, "{}", bytes.escape_ascii());
        let mut again = Vec::new();
        whole.0.iter().for_each(|value| value.encode(&mut again));
        assert_eq!(parse([&again[..]]), (whole.0, true), "{}", bytes.escape_ascii());
    });
}
