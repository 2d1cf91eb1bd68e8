//! What is built, in what order and how deep; and the buffer, whose economy trees do not show.

use super::{Aggregate, Build, KEEP, Leaf, ROOM, ReplyReader};
use std::vec::Drain;

/// Writes down what it was asked to build.
#[derive(Default)]
struct Notes;

impl Build for Notes {
    type Value = String;

    fn leaf(&mut self, leaf: Leaf<'_>, depth: usize) -> String {
        match leaf {
            Leaf::Bulk(bytes) => format!("{depth}'{}'", bytes.escape_ascii()),
            other => format!("{depth}{other:?}"),
        }
    }

    fn aggregate(&mut self, kind: Aggregate, items: Drain<'_, String>, depth: usize) -> String {
        format!("{depth}{kind:?}({})", items.collect::<Vec<_>>().join(" "))
    }
}

#[test]
fn parts_are_built_from_the_inside_out() {
    let bytes = b"*3\r\n:1\r\n%1\r\n$1\r\nk\r\n~2\r\n_\r\n#t\r\n*0\r\n\
                  >1\r\n$1\r\np\r\n|1\r\n:1\r\n:2\r\n:3\r\n";
    let expected = [
        "0Array(1Int(1) 1Map(2'k' 2Set(3Null 3Boolean(true))) 1Array())",
        "0Push(1'p')",
        "1Int(3)",
    ];
    for cut in 0..=bytes.len() {
        let mut reader = ReplyReader::new();
        let mut built = Vec::new();
        for piece in [&bytes[..cut], &bytes[cut..]] {
            reader.feed(piece);
            while let Ok(Some(value)) = reader.next(&mut Notes) {
                built.push(value);
            }
        }
        assert_eq!(built, expected, "cut at {cut}");
        assert!(reader.is_idle());
    }
}

/// Writes down what begins.
#[derive(Default)]
struct Begins(Vec<(Option<Aggregate>, usize)>);

impl Build for Begins {
    type Value = ();
    fn leaf(&mut self, _: Leaf<'_>, _: usize) {}
    fn open(&mut self, kind: Option<Aggregate>, depth: usize) {
        self.0.push((kind, depth));
    }
    fn aggregate(&mut self, _: Aggregate, _: Drain<'_, ()>, _: usize) {}
}

#[test]
fn builders_are_told_what_begins() {
    let mut reader = ReplyReader::new();
    let mut begins = Begins::default();
    for byte in b"*2\r\n%1\r\n:1\r\n~0\r\n|1\r\n:1\r\n:2\r\n:3\r\n" {
        assert_eq!(reader.next(&mut begins), Ok(None));
        reader.feed(&[*byte]);
    }
    assert_eq!(reader.next(&mut begins), Ok(Some(())));
    let (array, map, set) = (Aggregate::Array, Aggregate::Map, Aggregate::Set);
    assert_eq!(begins.0, [(Some(array), 0), (Some(map), 1), (Some(set), 2), (None, 1)]);
}

#[test]
fn a_stream_is_handed_on_between_replies() {
    let mut reader = ReplyReader::new();
    reader.feed(b":1\r\n*1\r\n:2\r\n:3");
    assert_eq!(reader.next(&mut Notes), Ok(Some("0Int(1)".to_owned())));
    let mut begins = Begins::default();
    let mut other: ReplyReader<()> = reader.hand_on().expect("between replies");
    assert!(reader.is_idle());
    assert_eq!(other.next(&mut begins), Ok(Some(())));
    let mut reader = other.hand_on::<String>().expect("between replies");
    assert_eq!(reader.next(&mut Notes), Ok(None));
    reader.feed(b"4\r\n*1\r\n");
    assert_eq!(reader.next(&mut Notes), Ok(Some("0Int(34)".to_owned())));
    assert_eq!(reader.next(&mut Notes), Ok(None));
    assert!(reader.hand_on::<()>().is_none(), "a reply has begun");
}

#[test]
fn numbers_of_every_length() {
    for text in ["0", "7", "10", "99", "1234567", "12345678", "999999999999999999"] {
        for behind in ["", ":", "$-1\r\n:1234567\r\n"] {
            let mut reader = ReplyReader::new();
            reader.feed(format!(":{text}\r\n{behind}").as_bytes());
            assert_eq!(reader.next(&mut Notes), Ok(Some(format!("0Int({text})"))));
        }
    }
    for number in (0..2_000_000_i64).step_by(997) {
        let mut reader = ReplyReader::new();
        reader.feed(format!(":{number}\r\n........").as_bytes());
        assert_eq!(reader.next(&mut Notes), Ok(Some(format!("0Int({number})"))));
    }
    for text in ["$01\r\nab......", "$1:\r\nab......", "$1/\r\nab.....", "$1\u{b1}\r\nab...."] {
        let mut reader = ReplyReader::new();
        reader.feed(text.as_bytes());
        assert!(reader.next(&mut Notes).is_err(), "{text}");
    }
}

#[test]
fn room_is_reused_and_given_up() {
    let mut reader = ReplyReader::new();
    let reply = b"$5\r\nhello\r\n";
    for _ in 0..100_000 {
        let room = reader.spare(1);
        assert!(room.len() <= ROOM, "a buffer that is always emptied must not grow");
        room[..reply.len()].copy_from_slice(reply);
        reader.filled(reply.len());
        assert_eq!(reader.next(&mut Notes), Ok(Some("0'hello'".to_owned())));
    }
    let mut large = format!("${}\r\n", 3 * KEEP).into_bytes();
    large.resize(large.len() + 3 * KEEP, b'x');
    large.extend_from_slice(b"\r\n");
    for piece in large.chunks(1000) {
        assert_eq!(reader.next(&mut Notes), Ok(None));
        reader.feed(piece);
        assert!(reader.buf.len() < 4 * large.len());
    }
    assert!(reader.next(&mut Notes).is_ok_and(|value| value.is_some()));
    assert!(reader.buf.is_empty());
}

#[test]
fn what_is_left_moves_to_the_front() {
    let mut reader = ReplyReader::new();
    let reply = [b"$1000\r\n".as_slice(), &[b'x'; 1000], b"\r\n"].concat();
    let mut received = 0;
    // Pieces that never end where a reply does: something is always left over.
    for round in 0..5000 {
        let from = (round * 700) % reply.len();
        let piece: Vec<u8> = reply.iter().cycle().skip(from).take(700).copied().collect();
        reader.feed(&piece);
        while let Ok(Some(_)) = reader.next(&mut Notes) {
            received += 1;
        }
        assert!(reader.buf.len() <= ROOM);
    }
    assert_eq!(received, 5000 * 700 / reply.len());
}
