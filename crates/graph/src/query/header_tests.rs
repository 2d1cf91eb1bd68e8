//! What is read in one pass is what the parser reads.

use super::super::prepared::constants;
use super::super::{NoInterrupt, Settings};
use crate::cypher::Progress;
use crate::temporal::Clock;
use crate::value::Map;

/// What the parser makes of a text.
fn parsed(text: &str) -> Option<(Map, u32)> {
    let (parameters, clock) = (&Map::default(), &Clock::default());
    let (seed, memory, interrupt) = (0, usize::MAX, &NoInterrupt);
    let settings = Settings { parameters, clock, seed, memory, interrupt, profile: false };
    constants(text, &settings, usize::MAX, &Progress::within(usize::MAX)).ok()
}

/// What is made of it at once, with room for so many bytes.
fn written_out(text: &str, memory: usize) -> Option<(Map, u32)> {
    super::written_out(text, &Progress::within(memory))
}

/// Headers that are written out.
const PLAIN: [&str; 12] = [
    "CYPHER id=7 MATCH (n {id: $id}) RETURN n",
    "cypher a = -1 b=1.5e3 c='x' d=\"y\\n\" RETURN 1",
    "CYPHER a=[] b={} c=[[1, 2], [null, true, FALSE]] RETURN $a",
    "CYPHER rows=[{id: 1, name: 'a', `b c`: 1.0}, {id: 2, name: 'b', `b c`: 2}] UNWIND $rows AS r \
     CREATE (n) SET n = r",
    "CYPHER match=1 return=2 MATCH (n) RETURN n",
    "CYPHER `a b`=1 RETURN 1",
    "CYPHER RETURN 1",
    "CYPHER a=1 ",
    "CYPHER a=-9223372036854775808 b=0x1F c=0o17 d=007 RETURN 1",
    "CYPHER a=1 a=2 b={x: 1, x: 2} /* so */ RETURN $a // x",
    "CYPHER a=-0.0 b=1e-7 c=.5 RETURN 1",
    "MATCH (n) RETURN n",
];

/// Others, and such that are wrong.
const OTHER: [&str; 22] = [
    "CYPHER a=1+2 RETURN 1",
    "CYPHER a=[1][0] RETURN 1",
    "CYPHER a={b: 1}.b RETURN 1",
    "CYPHER a=date('2020-01-01') RETURN 1",
    "CYPHER a=+1 RETURN 1",
    "CYPHER a=--1 RETURN 1",
    "CYPHER a=(1) RETURN 1",
    "CYPHER a=9223372036854775808 RETURN 1",
    "CYPHER a=1 IN=2 RETURN 1",
    "CYPHER a=1 b RETURN 1",
    "CYPHER a RETURN 1",
    "CYPHER a= RETURN 1",
    "CYPHER a=[1,] RETURN 1",
    "CYPHER a=[,1] RETURN 1",
    "CYPHER a={b 1} RETURN 1",
    "CYPHER a={b: 1,} RETURN 1",
    "CYPHER a='x RETURN 1",
    "CYPHER a='\\uZZZZ' RETURN 1",
    "CYPHER a=1.2.3 RETURN 1",
    "CYPHER a=$b RETURN 1",
    "CYPHER a=b RETURN 1",
    "CYPHER a=1 ; RETURN 1",
];

#[test]
fn what_is_written_out_is_read_at_once() {
    for text in PLAIN {
        let read = written_out(text, usize::MAX);
        assert!(read.is_some(), "{text}");
        assert_eq!(read, parsed(text), "{text}");
    }
}

#[test]
fn what_is_not_is_left_to_the_parser() {
    for text in OTHER {
        assert_eq!(written_out(text, usize::MAX), None, "{text}");
    }
    let deep = format!("CYPHER a={}1{} RETURN 1", "[".repeat(40), "]".repeat(40));
    assert_eq!(written_out(&deep, usize::MAX), None);
    let long = format!("CYPHER a=[{}1] RETURN 1", "1,".repeat(100));
    assert_eq!(written_out(&long, 100 << 8), None, "more tokens than there may be");
    assert!(written_out(&long, 300 << 8).is_some());
}

/// Texts of which pieces are missing, twice there or in another place.
#[test]
fn what_is_read_at_once_is_never_read_otherwise() {
    const PIECES: [&str; 8] = ["1", "=", "[", "}", ",", " match ", "'", "-"];
    let (mut state, mut read) = (7_u64, 0);
    let mut random = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or(0) % below.max(1)
    };
    for round in 0..20_000 {
        let text = PLAIN[round % PLAIN.len()];
        let (at, length) = (random(text.len()), random(4));
        let piece = PIECES[random(PIECES.len())];
        let (head, tail) = (text.get(..at), text.get(at + length..));
        let (Some(head), Some(tail)) = (head, tail) else { continue };
        let text =
            if random(2) == 0 { format!("{head}{piece}{tail}") } else { format!("{head}{tail}") };
        if let Some(found) = written_out(&text, usize::MAX) {
            read += 1;
            assert_eq!(Some(found), parsed(&text), "{text}");
        }
    }
    assert!(read > 2000, "{read}");
}

/// It asks as it goes through a long one, and ends when it is told to.
#[test]
fn it_ends_when_it_is_told_to() {
    let long = format!("CYPHER a=[{}1] RETURN 1", "1,".repeat(100_000));
    let asked = std::cell::Cell::new(0);
    let go_on = |_: usize| {
        asked.set(asked.get() + 1);
        asked.get() < 3
    };
    let progress = Progress::new(usize::MAX, &go_on);
    assert_eq!((super::written_out(&long, &progress), progress.has_ended()), (None, true));
    assert_eq!(asked.get(), 3);
}
