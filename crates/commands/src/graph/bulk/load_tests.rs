//! How often a piece asks whether it goes on, and what it has stored then.

use std::cell::Cell;
use std::time::Duration;

use base::{CmdError, Pace, QueryBounds, Reply};
use wire::RespWriter;

use super::*;

/// Goes on so many times, and counts how often it is asked.
#[derive(Default)]
struct Counting {
    bounds: QueryBounds,
    goes_on: Option<usize>,
    asked: Cell<usize>,
    held: Cell<usize>,
}

const ENDED: CmdError = CmdError::new("ERR ended");

impl Pace for Counting {
    fn go_on(&mut self, _: &dyn Reply, holds: usize) -> Result<(), CmdError> {
        self.held.set(holds);
        self.asked.set(self.asked.get() + 1);
        if self.goes_on.is_some_and(|times| self.asked.get() > times) { Err(ENDED) } else { Ok(()) }
    }

    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }

    fn bounds(&self) -> QueryBounds {
        self.bounds
    }
}

/// A token of nodes with properties `a`, `b`, … that have these values.
fn token(values: &[Vec<u8>], each: usize) -> Vec<u8> {
    let mut bytes = b"Label\0".to_vec();
    bytes.extend(u32::try_from(each).unwrap_or_default().to_le_bytes());
    (0..each).for_each(|number| bytes.extend(format!("p{number}\0").bytes()));
    bytes.extend(values.concat());
    bytes
}

fn text(length: usize) -> Vec<u8> {
    [&[3][..], &vec![b'x'; length], &[0]].concat()
}

fn list(length: i64) -> Vec<u8> {
    let mut bytes = [&[5][..], &length.to_le_bytes()].concat();
    (0..length).for_each(|number| bytes.extend([&[4][..], &number.to_le_bytes()].concat()));
    bytes
}

/// Loads one token of so many nodes; how it ended, and how many nodes and bytes there are then.
fn load(nodes: usize, token: &[u8], pace: &mut Counting) -> (Result<(), CmdError>, usize, usize) {
    let (mut fork, mut reply) = (Stored::default(), Vec::new());
    let out = RespWriter::new(&mut reply, base::Protocol::Resp2);
    let before = fork.memory();
    let piece = Piece { counts: [nodes, 0, 1, 0], tokens: &[token] };
    let done = piece.load(&mut fork, pace, &out);
    (done, fork.node_count(), fork.memory() - before)
}

/// A large value is asked for before it is stored: what ends the piece there leaves it out.
#[test]
fn it_asks_before_it_stores_a_large_value() {
    for value in [text(1 << 20), list(1 << 16)] {
        let one = token(&[value], 1);
        let mut pace = Counting::default();
        let (done, nodes, bytes) = load(1, &one, &mut pace);
        assert_eq!((done, nodes, pace.asked.get()), (Ok(()), 1, 1));
        assert!(bytes > 500_000, "{bytes}");
        let mut pace = Counting { goes_on: Some(0), ..Counting::default() };
        let (done, nodes, bytes) = load(1, &one, &mut pace);
        assert_eq!((done, nodes, pace.asked.get()), (Err(ENDED), 1, 1));
        assert!(bytes < 100_000, "{bytes}");
    }
}

/// Few nodes may have much: it asks by what their values are, however many entities have them.
#[test]
fn it_asks_by_how_much_the_values_are() {
    let large: Vec<_> = (0..20).map(|_| text(1 << 20)).collect();
    let mut pace = Counting::default();
    assert_eq!(load(4, &token(&large, 5), &mut pace).0, Ok(()));
    assert_eq!(pace.asked.get(), 20);
    let middle: Vec<_> = (0..400).map(|_| text(16 << 10)).collect();
    let mut pace = Counting::default();
    assert_eq!(load(100, &token(&middle, 4), &mut pace).0, Ok(()));
    assert!((10..=14).contains(&pace.asked.get()), "{}", pace.asked.get());
    let small: Vec<_> = (0..1000).map(|_| vec![1, 1]).collect();
    let mut pace = Counting::default();
    assert_eq!(load(1000, &token(&small, 1), &mut pace).0, Ok(()));
    assert_eq!(pace.asked.get(), 1000 / WORK);
}

/// What it keeps is bounded: no more than one value beyond that is stored.
#[test]
fn it_ends_when_its_values_take_too_much() {
    let large: Vec<_> = (0..20).map(|_| text(1 << 20)).collect();
    let bounds = QueryBounds { memory: 5 << 20, ..QueryBounds::default() };
    let mut pace = Counting { bounds, ..Counting::default() };
    let (done, _, bytes) = load(4, &token(&large, 5), &mut pace);
    assert_eq!(done, Err(OUT_OF_MEMORY));
    assert!((5 << 20..7 << 20).contains(&bytes), "{bytes}");
}

/// Names are many bytes, too: those of labels and of properties are asked for as values are.
#[test]
fn it_asks_while_it_reads_names() {
    let labels = vec!["L"; 100_000].join(":");
    let mut pace = Counting { goes_on: Some(2), ..Counting::default() };
    let mut token = labels.into_bytes();
    token.extend([0, 0, 0, 0, 0]);
    assert_eq!(load(0, &token, &mut pace).0, Err(ENDED));
    let mut token = b"L\0".to_vec();
    token.extend(100_000_u32.to_le_bytes());
    token.extend(b"p\0".repeat(100_000));
    let mut pace = Counting { goes_on: Some(2), ..Counting::default() };
    assert_eq!(load(0, &token, &mut pace).0, Err(ENDED));
}
