//! JSON commands on the real engine and on the naive host: the same replies, across shards, in
//! transactions, and memory accounted for to the byte.
//!
//! `KVIST_SEED` repeats a run.
#![allow(clippy::unwrap_used)] // a test says why by failing

use base::{Protocol, Rng};
use differential::command::Command;

use crate::pair::{Pair, seed};

const PATHS: [&str; 16] = [
    ".",
    "$",
    "a",
    "$.a",
    "$.a.b",
    "$..a",
    "..b",
    "$.l[1]",
    "$.l[-1]",
    "$.l[*]",
    "$.*",
    "$.a.b.c",
    "$.none.x",
    "$.[",
    "$.l.length()",
    "$[?@.b>1]",
];
const TEXTS: [&str; 12] = [
    "1",
    "2.5",
    "null",
    "\"x\"",
    "[1, 2, 3]",
    "{}",
    r#"{"a":{"b":2},"l":[1,"two",{"a":3}],"name":"a name that many documents have"}"#,
    r#"{"a":{"b":{"c":1}},"l":[],"b":true}"#,
    r#"{"a":null,"l":{"b":null}}"#,
    r#"{"b":[1.5,2.5],"a":[{"a":1},{"a":2}]}"#,
    "{",
    "[[[[[[]]]]]]",
];

struct Run {
    pair: Pair,
    rng: Rng,
}

impl Run {
    fn one(&mut self, pool: &[&'static str]) -> &'static str {
        pool[self.rng.below(pool.len())]
    }

    fn key(&mut self) -> &'static str {
        self.one(&["k", "l", "m", "n", "o", "string"])
    }

    fn path(&mut self) -> &'static str {
        self.one(&PATHS)
    }

    fn text(&mut self) -> &'static str {
        self.one(&TEXTS)
    }

    fn request(&mut self) -> Command {
        let (key, path, text) = (self.key(), self.path(), self.text());
        let mut words = match self.rng.below(16) {
            0 => vec!["JSON.SET", key, "$", text],
            1..4 => vec!["JSON.SET", key, path, text],
            4 => vec!["JSON.MSET", key, path, text, self.key(), self.path(), self.text()],
            5 => vec!["JSON.MERGE", key, path, text],
            6 => vec!["JSON.GET", key],
            7..9 => vec!["JSON.GET", key, path],
            9 => vec!["JSON.GET", key, path, self.path(), "INDENT", " ", "NEWLINE", "!"],
            10 => vec!["JSON.MGET", key, self.key(), self.key(), path],
            11 => vec![self.one(&["JSON.STRLEN", "JSON.ARRLEN", "JSON.OBJLEN"]), key, path],
            12 => vec![self.one(&["JSON.TYPE", "JSON.OBJKEYS", "JSON.RESP"]), key, path],
            13 => vec!["JSON.ARRINDEX", key, path, text],
            14 => vec!["COPY", key, self.key(), "REPLACE"],
            _ => vec![self.one(&["PTTL", "DEL", "TYPE", "EXISTS"]), key],
        };
        if words[0] == "JSON.SET" {
            let more: [&[&str]; 8] = [
                &[],
                &[],
                &["NX"],
                &["XX"],
                &["CREATE"],
                &["PX", "300"],
                &["FPHA", "FP32"],
                &["KEEPTTL", "CREATE"],
            ];
            words.extend(more[self.rng.below(8)]);
        }
        Command::words(&words)
    }
}

#[test]
fn the_engine_answers_as_the_naive_host_does() {
    let seed = seed();
    let mut pair = Pair::new(format!("KVIST_SEED={seed}"), 1_700_000_000_000);
    pair.speak(if seed.is_multiple_of(2) { Protocol::Resp2 } else { Protocol::Resp3 });
    let mut run = Run { pair, rng: Rng::new(seed) };
    run.pair.ask(&[b"SET", b"string", b"x"]);
    for step in 0..6000 {
        if run.rng.below(10) == 0 {
            let commands: Vec<Command> = (0..3).map(|_| run.request()).collect();
            run.pair.exec(&commands);
        } else {
            let request = run.request();
            run.pair.send(&request);
        }
        if step % 10 == 0 {
            let millis = run.rng.below(100) as u64;
            run.pair.pass(millis);
        }
        if step % 300 == 0 {
            run.pair.audit();
        }
    }
    run.pair.audit();
}
