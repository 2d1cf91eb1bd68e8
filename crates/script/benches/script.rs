//! What scripts cost: the libraries on JSON documents, and calls of commands.
//!
//! ```sh
//! KVIST_JSON=folder cargo bench -p kvist-script --bench script -- unpack
//! ```
//!
//! Each line is one loop inside a script, on Kvist's interpreter and, if it is installed, on
//! redis-server: nanoseconds of a turn, the best of several, and their ratio. Arguments choose
//! lines. `KVIST_JSON` names a folder with documents; without it two made-up ones serve.
#![allow(clippy::unwrap_used)] // a measurement that cannot be made says why by failing

#[path = "../tests/stage/mod.rs"]
mod stage;

use std::time::Instant;

use base::Protocol;
use stage::Stage;

#[global_allocator]
static GLOBAL: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Loops to time. `d` is the document, `n` the number of turns.
const LOOPS: &[(&str, &str)] = &[
    ("decode", "for i = 1, n do cjson.decode(d) end"),
    ("encode", "local t = cjson.decode(d) for i = 1, n do cjson.encode(t) end"),
    ("both", "for i = 1, n do cjson.encode(cjson.decode(d)) end"),
    ("pack", "local t = cjson.decode(d) for i = 1, n do cmsgpack.pack(t) end"),
    ("unpack", "local p = cmsgpack.pack(cjson.decode(d)) for i = 1, n do cmsgpack.unpack(p) end"),
];

const CALLS: &[(&str, &str)] = &[
    ("empty loop", "for i = 1, n do end"),
    ("call GET", "redis.call('set', 'k', 'v') for i = 1, n do redis.call('get', 'k') end"),
    ("call INCR", "redis.call('del', 'i') for i = 1, n do redis.call('incr', 'i') end"),
    ("struct", "for i = 1, n do struct.unpack('>ib', struct.pack('>ib', i, 1)) end"),
    ("string.format", "for i = 1, n do string.format('%d:%s', i, 'x') end"),
];

fn documents() -> Vec<(String, Vec<u8>)> {
    let Some(folder) = std::env::var_os("KVIST_JSON") else {
        let rows: Vec<String> = (0..200)
            .map(|n| {
                format!(r#"{{"id":{n},"name":"person {n}","score":{}.25,"tags":["a","b"]}}"#, n)
            })
            .collect();
        let small = br#"{"a":{"b":[1,2.5,true,null,"text"]},"c":"d"}"#.to_vec();
        let large = format!("[{}]", rows.join(",")).into_bytes();
        return vec![("small".into(), small), ("rows".into(), large)];
    };
    let mut found: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read(path).unwrap())
        })
        .collect();
    found.sort_by_key(|(_, text)| text.len());
    found
}

/// Rounds of each loop, one side after the other: a change of the machine's speed hits both.
const ROUNDS: usize = 25;

/// Nanoseconds of a turn.
fn time(run: impl FnOnce(), turns: usize) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64() * 1e9 / turns as f64
}

fn compare(stage: &mut Option<Stage>, name: &str, body: &str, document: &[u8], turns: usize) {
    let body = format!("local d, n = ARGV[1], tonumber(ARGV[2]) {body}");
    let (mut vm, mut host) = (stage::vm(), stage::Small::default());
    let args = [document, &turns.to_string().into_bytes()];
    let words = [&b"EVAL"[..], body.as_bytes(), b"0", args[0], args[1]];
    let (mut ours, mut theirs) = (f64::MAX, f64::MAX);
    for _ in 0..ROUNDS {
        let run = || {
            let protocol = Protocol::Resp2;
            let reply = stage::eval(&mut vm, &mut host, body.as_bytes(), &[], &args, protocol);
            assert!(!reply.starts_with(b"-"), "{}", stage::text(&reply));
        };
        ours = ours.min(time(run, turns));
        let Some(stage) = stage else { continue };
        let run = || {
            let reply = stage.theirs(&words, Protocol::Resp2);
            assert!(!reply.starts_with(b"-"), "{}", stage::text(&reply));
        };
        theirs = theirs.min(time(run, turns));
    }
    if stage.is_some() {
        println!("{name:<34} {ours:>10.0} ns {theirs:>10.0} ns {:>6.2}", ours / theirs);
    } else {
        println!("{name:<34} {ours:>10.0} ns");
    }
}

fn main() {
    // What a line must have in it to be measured; `cargo bench` itself adds an option.
    let only: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let wanted = |name: &str| only.is_empty() || only.iter().any(|part| name.contains(part));
    let mut stage = Stage::new();
    println!("{:<34} {:>13} {:>13} {:>6}", "", "Kvist", "redis-server", "ratio");
    for (name, body) in CALLS.iter().filter(|(name, _)| wanted(name)) {
        compare(&mut stage, name, body, b"", 20_000);
    }
    for (document, text) in documents() {
        let turns = (1_000_000 / text.len()).max(20);
        for (name, body) in LOOPS {
            let name = format!("{document} {name}");
            if wanted(&name) {
                compare(&mut stage, &name, body, &text, turns);
            }
        }
    }
}
