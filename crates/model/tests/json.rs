//! The real engine against the naive host, on random commands about JSON documents, drawn from
//! the grammars of their specs, between commands that move, copy, dump and expire keys.
//!
//! `KVIST_SEED` repeats a run, `KVIST_STEPS` makes it longer.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::sync::Arc;

use base::Protocol;
use base::grammar::{Arg, Kind};
use differential::command::Command;
use differential::rng::Rng;
use engine::{Engine, Entry};

use crate::pair::{Pair, seed, steps};

const START: u64 = 1_700_000_000_000;
/// Steps between two comparisons of everything.
const AUDIT_EVERY: usize = 200;

const KEYS: [&str; 6] = ["j0", "j1", "j2", "j3", "j4", "text"];

const PATHS: [&str; 34] = [
    ".",
    "$",
    ".",
    "$",
    "a",
    ".a",
    "$.a",
    "$.b",
    "b",
    "$.b[0]",
    "b[-1]",
    "$.b[1:]",
    "$.b[*]",
    "$.c",
    "$.c.d",
    "c.d",
    "$.new",
    ".new",
    "$.c.new",
    "$.*",
    "$..a",
    "$..*",
    "$..b",
    "$['a','c']",
    "[1]",
    "$[0]",
    "$[-1]",
    "$..[?(@.a>1)]",
    "$.b[?(@==2)]",
    "$.no.such",
    ".no.such",
    "$[",
    "$.a + 1",
    "$..d",
];

const DOCUMENTS: [&str; 32] = [
    "1",
    "0",
    "-7",
    "2.5",
    "-0.0",
    "1e300",
    "9223372036854775807",
    "18446744073709551615",
    "true",
    "false",
    "null",
    "\"text\"",
    "\"\"",
    "\"\\u00e4\\n\\\"\"",
    "[]",
    "{}",
    "[1,2,3]",
    "[0.5,1.5,2.25]",
    "[1,\"a\",null,[2],{\"a\":3}]",
    "[[1,2],[3,4]]",
    "{\"a\":1}",
    "{\"a\":1,\"b\":[1,2,3],\"c\":{\"d\":true}}",
    "{\"a\":\"text\",\"b\":[{\"a\":1},{\"a\":2}],\"c\":{\"d\":null,\"a\":1.5}}",
    "{\"b\":null,\"c\":{\"new\":[]}}",
    "{\"a\":{\"a\":{\"a\":{\"a\":7}}}}",
    " { \"a\" : [ 1 , 2 ] } ",
    "{\"a\":1,\"a\":2}",
    "[1,",
    "nul",
    "01",
    "\"\\ud800\"",
    "",
];

struct Draw {
    engine: Arc<Engine>,
    commands: Vec<usize>,
    rng: Rng,
}

impl Draw {
    fn new(pair: &Pair, rng: Rng) -> Self {
        let engine = Arc::clone(&pair.engine);
        let entries = engine.table.entries().iter();
        // Bytes of memory are each host's own.
        let documents = entries
            .filter(|entry| entry.name().starts_with("json.") && entry.name() != "json.debug");
        let commands: Vec<usize> = documents.map(|entry| entry.number).collect();
        assert!(commands.len() >= 24, "{} commands about documents", commands.len());
        Draw { engine, commands, rng }
    }

    fn one(&mut self) -> Command {
        let engine = Arc::clone(&self.engine);
        let number = *self.rng.pick(&self.commands);
        let entry: &Entry = &engine.table.entries()[number];
        let mut words = vec![entry.name().as_bytes().to_vec()];
        for arg in &entry.syntax.arguments {
            self.expand(arg, &mut words);
        }
        Command::new(words)
    }

    fn key(&mut self) -> Vec<u8> {
        self.rng.pick(&KEYS).as_bytes().to_vec()
    }

    fn expand(&mut self, arg: &Arg, words: &mut Vec<Vec<u8>>) {
        if arg.optional && self.rng.chance(50) {
            return;
        }
        let times = if arg.multiple { 1 + self.rng.below(3) } else { 1 };
        for time in 0..times {
            if let Some(token) = &arg.token
                && (time == 0 || arg.multiple_token)
            {
                words.push(token.as_bytes().to_vec());
            }
            match &arg.kind {
                Kind::PureToken => {}
                Kind::Key(_) => words.push(self.key()),
                Kind::Integer | Kind::Double | Kind::UnixTime => {
                    let number = i64::try_from(self.rng.below(12)).unwrap() - 4;
                    let far = START.cast_signed() + 1_000_000;
                    let number = match arg.name.as_str() {
                        "unix-time-milliseconds" => far,
                        "unix-time-seconds" => far / 1000,
                        "seconds" | "milliseconds" => number + 2000,
                        _ => number,
                    };
                    words.push(number.to_string().into_bytes());
                }
                Kind::String | Kind::Pattern(_) => words.push(self.string(&arg.name)),
                Kind::OneOf(choices) => {
                    let at = self.rng.below(choices.len());
                    self.expand(&choices[at], words);
                }
                Kind::Block(args) => args.iter().for_each(|arg| self.expand(arg, words)),
            }
        }
    }

    fn string(&mut self, name: &str) -> Vec<u8> {
        let list: &[&str] = match name {
            "path" => &PATHS,
            "number" => &["1", "-3", "2.5", "1e308", "9223372036854775807", "x", "0"],
            "indent" | "newline" | "space" => &["", " ", "\t", "\n", "--"],
            _ => &DOCUMENTS,
        };
        self.rng.pick(list).as_bytes().to_vec()
    }
}

/// What moves whole keys about.
fn shuffle(pair: &mut Pair, draw: &mut Draw) {
    let (a, b) = (draw.key(), draw.key());
    let (a, b) = (a.as_slice(), b.as_slice());
    match draw.rng.below(12) {
        0 | 1 => drop(pair.ask(&[b"COPY", a, b, b"REPLACE"])),
        2 => drop(pair.ask(&[b"COPY", a, b, b"DB", b"1", b"REPLACE"])),
        3 => drop(pair.ask(&[b"RENAME", a, b])),
        4 => drop(pair.ask(&[b"MOVE", a, b"1"])),
        5 => drop(pair.ask(&[b"SWAPDB", b"0", b"1"])),
        6 => drop(pair.ask(&[b"PEXPIRE", a, b"900"])),
        7 => drop(pair.ask(&[b"SET", a, b"a string"])),
        8 => drop(pair.ask(&[b"TYPE", a])),
        9 => drop(pair.ask(&[b"DEL", a])),
        _ => {
            let dumped = pair.ask(&[b"DUMP", a]);
            if let Some(payload) = dumped.value.bytes() {
                pair.ask(&[b"RESTORE", b, b"0", payload, b"REPLACE"]);
            }
        }
    }
}

/// Whole documents, where there are any.
fn look(pair: &mut Pair) {
    for db in 0..2 {
        pair.select(db);
        for key in KEYS {
            pair.ask(&[b"JSON.GET", key.as_bytes()]);
            pair.ask(&[b"JSON.RESP", key.as_bytes()]);
        }
    }
    pair.select(0);
}

#[test]
fn documents_are_the_same_in_the_engine_and_the_naive_host() {
    let seed = seed();
    let steps = steps(60_000);
    println!("KVIST_SEED={seed} KVIST_STEPS={steps}");
    for protocol in [Protocol::Resp2, Protocol::Resp3] {
        let mut pair = Pair::new(format!("KVIST_SEED={seed}"), START);
        pair.speak(protocol);
        let mut draw = Draw::new(&pair, Rng::new(seed, "documents"));
        for step in 0..steps / 2 {
            match draw.rng.below(100) {
                0..8 => {
                    let key = draw.key();
                    let text = draw.rng.pick(&DOCUMENTS[20..24]).as_bytes();
                    pair.ask(&[b"JSON.SET", &key, b"$", text]);
                }
                8..14 => shuffle(&mut pair, &mut draw),
                14..16 => pair.pass(draw.rng.below(400) as u64),
                16..20 => {
                    let commands: Vec<Command> =
                        (0..1 + draw.rng.below(5)).map(|_| draw.one()).collect();
                    let known = commands.iter().all(|command| pair.knows(command));
                    if known {
                        pair.exec(&commands);
                    }
                }
                _ => {
                    let command = draw.one();
                    if pair.knows(&command) {
                        pair.send(&command);
                    }
                }
            }
            if step % AUDIT_EVERY == 0 {
                look(&mut pair);
                pair.audit();
            }
        }
        look(&mut pair);
        pair.audit();
        pair.ask(&[b"FLUSHALL"]);
        pair.audit();
    }
}
