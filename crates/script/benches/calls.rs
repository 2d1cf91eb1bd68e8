//! What a script costs that does next to nothing: one that is compiled already, whose commands are
//! answered at once. What is left is `Vm::eval` and `redis.call`.
//!
//! ```sh
//! cargo bench -p kvist-script --bench calls -- "one call"
//! ```
//!
//! A line is a script: nanoseconds of a run, the best of several rounds. Arguments choose lines.
//! What `valgrind --tool=callgrind target/release/deps/calls-… "nothing"` counts, divided by the
//! runs that the line tells, is the instructions of one, on a busy machine too.
#![allow(clippy::unwrap_used)] // a measurement that cannot be made says why by failing

use std::time::Instant;

use base::{Protocol, Reply};
use kvist_script::{Host, Limits, Refusal, Script, Vm};

#[global_allocator]
static GLOBAL: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Answers every command with what its name stands for.
struct Trivial;

impl Host for Trivial {
    #[inline(never)]
    fn call(&mut self, words: &[&[u8]], out: &mut dyn Reply) -> Result<(), Refusal> {
        match words {
            [b"GET", ..] => out.bulk(
                b"some text of a hundred bytes, as the values of keys are; \
                                       so this goes on a little, until it is there",
            ),
            [b"INCR", ..] => out.int(7),
            [b"ECHO", text] => out.bulk(text),
            [b"MGET", keys @ ..] => {
                out.array(keys.len());
                keys.iter().for_each(|key| out.bulk(key));
            }
            _ => out.ok(),
        }
        Ok(())
    }
    fn note_error(&mut self, _: &[u8], _: bool) {}
    fn log(&mut self, _: u8, _: &[u8]) {}
    fn may(&mut self, _: &[&[u8]]) -> Option<bool> {
        None
    }
    fn interrupted(&mut self) -> bool {
        false
    }
    fn set_repl(&mut self, _: u8) {}
}

/// Scripts by name, with how many keys and arguments they get.
const SCRIPTS: &[(&str, &str, usize, usize)] = &[
    ("nothing", "return 1", 0, 0),
    ("a key", "return KEYS[1]", 1, 0),
    ("ten keys, ten arguments", "return 1", 10, 10),
    ("one call: GET", "return redis.call('GET', KEYS[1])", 1, 0),
    ("one call: SET", "return redis.call('SET', KEYS[1], ARGV[1])", 1, 1),
    ("one call: INCR", "return redis.call('INCR', KEYS[1])", 1, 0),
    ("one call: MGET 10", "return redis.call('MGET', unpack(KEYS))", 10, 0),
    ("a hundred calls: GET", "for i = 1, 100 do redis.call('GET', KEYS[1]) end", 1, 0),
    ("a hundred calls: SET", "for i = 1, 100 do redis.call('SET', KEYS[1], ARGV[1]) end", 1, 1),
    ("a hundred calls: SET number", "for i = 1, 100 do redis.call('SET', KEYS[1], i) end", 1, 0),
    ("a hundred turns", "for i = 1, 100 do local a = KEYS[1] end", 1, 0),
    ("a hundred hundred turns", "for i = 1, 10000 do local a = KEYS[1] end", 1, 0),
    ("a hundred hundred tables", "for i = 1, 10000 do local a = {i} end", 1, 0),
];

/// Scripts with an argument, which is another one each time unless it is JSON, and how long it is.
const LONG: &[(&str, &str, usize)] = &[
    ("an argument of 32 bytes", "return 1", 32),
    ("an argument of 100 bytes", "return 1", 100),
    ("an argument of 128 bytes", "return 1", 128),
    ("an argument of 250 bytes", "return 1", 250),
    ("an argument of 4 kB", "return 1", 4 << 10),
    ("an argument of 1 MB", "return 1", 1 << 20),
    ("there and back: 100 bytes", "return redis.call('ECHO', ARGV[1])", 100),
    ("there and back: 1 MB", "return redis.call('ECHO', ARGV[1])", 1 << 20),
    ("a text of JSON of 40 kB", "return #cjson.decode(ARGV[1])", 40_000),
];

/// A text of about so many bytes.
fn document(len: usize) -> Vec<u8> {
    let row = |n| {
        let mail = format!("person.{n}@mail.of.an.example.com");
        format!(r#"{{"id":{n},"name":"person {n}","mail":"{mail}","note":"{:0>64}"}}"#, n * 7919)
    };
    let rows: Vec<String> = (0..len / 160).map(row).collect();
    format!("[{}]", rows.join(",")).into_bytes()
}

/// Rounds of each line.
const ROUNDS: u32 = 20;

/// Nanoseconds of a run, the best of several rounds.
fn measure(name: &str, turns: u32, mut run: impl FnMut(u32)) {
    let mut best = f64::MAX;
    for round in 0..ROUNDS {
        let start = Instant::now();
        (0..turns).for_each(|turn| run(round * turns + turn));
        best = best.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(turns));
    }
    println!("{name:<30} {best:>8.0} ns   ({} runs)", ROUNDS * turns);
}

fn main() {
    let only: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let wanted = |name: &str| only.is_empty() || only.iter().any(|part| name.contains(part));
    let mut vm = Vm::new(Limits::new(64 << 20));
    let mut bytes = Vec::new();
    let mut eval = |script: &Script, keys: &[&[u8]], args: &[&[u8]]| {
        bytes.clear();
        let mut out = wire::RespWriter::new(&mut bytes, Protocol::Resp2);
        vm.eval(script, keys, args, &mut Trivial, &mut out).unwrap();
    };
    for (name, body, keys, args) in SCRIPTS.iter().filter(|(name, ..)| wanted(name)) {
        let script = Script::new(body.as_bytes()).unwrap();
        let words: Vec<Vec<u8>> = (0..10).map(|n| format!("word:{n:08}").into_bytes()).collect();
        let words: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
        let turns = if name.contains("hundred") { 500 } else { 20_000 };
        measure(name, turns, |_| eval(&script, &words[..*keys], &words[..*args]));
    }
    for (name, body, len) in LONG.iter().filter(|(name, ..)| wanted(name)) {
        let script = Script::new(body.as_bytes()).unwrap();
        let turns = u32::try_from((10 << 20) / len).unwrap().min(20_000);
        let mut word = if body.contains("cjson") { document(*len) } else { vec![b'x'; *len] };
        let changes = !body.contains("cjson");
        measure(name, turns, |turn| {
            if changes {
                word[len - 4..].copy_from_slice(&turn.to_be_bytes());
            }
            eval(&script, &[], &[&word]);
        });
    }
}
