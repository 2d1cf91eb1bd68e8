//! How fast documents are read and written, and what they take, beside `serde_json`.
//!
//! `cargo bench -p kvist-json [-- FOLDER]`: the documents of FOLDER, by default those of the
//! RedisJSON report where they lie beside the repository, and one of our own. Each time is the
//! best of many short runs, as the machine may be shared.
//!
//! `ONLY` (`check`, `parse` or `write`), `DOCUMENT` (part of a name) and `ROUNDS` do that so many
//! times and nothing else, so that `valgrind --tool=callgrind` counts its instructions: the
//! difference between two runs with other `ROUNDS` is theirs alone.

#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

#[path = "../tests/samples/mod.rs"]
mod samples;

use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use kvist_json::{Registry, Value};

/// How long each measurement takes.
const RUN: Duration = Duration::from_millis(300);

fn main() {
    let folder = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).map(PathBuf::from);
    let mut documents = samples::files(folder);
    documents.push(("records".to_owned(), samples::records(1_000)));
    let variable = |name| std::env::var(name).ok();
    if let (Some(only), Some(rounds)) = (variable("ONLY"), variable("ROUNDS")) {
        let part = variable("DOCUMENT").unwrap_or_default();
        documents.retain(|(name, _)| name.contains(&part));
        let rounds = rounds.parse().expect("a number");
        return documents.iter().for_each(|(name, text)| repeat(&only, rounds, (name, text)));
    }
    println!(
        "{:<28} {:>8} | {:>15} {:>15} {:>15} | {:>6} {:>6} {:>6}",
        "document", "bytes", "parse MB/s", "check MB/s", "write MB/s", "first", "second", "of 1k"
    );
    println!("{:<37} | {:>15} {:>15} {:>15} |", "", "(serde_json)", "", "(serde_json)");
    for (name, text) in documents {
        measure(&name, &text);
    }
}

/// MB/s of something done to `bytes` bytes.
fn speed(bytes: usize, mut work: impl FnMut()) -> f64 {
    let start = Instant::now();
    let mut best = Duration::MAX;
    while start.elapsed() < RUN {
        let begin = Instant::now();
        work();
        best = best.min(begin.elapsed());
    }
    bytes as f64 / best.as_secs_f64() / 1e6
}

/// Does one thing so many times.
fn repeat(only: &str, rounds: usize, (name, text): (&str, &[u8])) {
    let mut registry = Registry::new();
    let value = Value::parse(text, &mut registry).expect("a document");
    let mut out = Vec::new();
    value.root().write(&mut out);
    for _ in 0..rounds {
        match only {
            "parse" => drop(black_box(Value::parse(text, &mut registry).expect("a document"))),
            "write" => {
                out.clear();
                value.root().write(&mut out);
                black_box(&out);
            }
            _ => {
                let checked = kvist_json::canonical(text, &mut registry).expect("a document");
                assert_eq!(checked.len(), out.len());
            }
        }
    }
    println!("{only} {name}: {} bytes, {} written, {rounds} times", text.len(), out.len());
}

fn measure(name: &str, text: &[u8]) {
    let mut registry = Registry::new();
    let first = Value::parse(text, &mut registry).expect("a document");
    let shared = registry.shared_memory();
    let mut sizes = vec![first.memory()];
    let copies: Vec<Value> =
        (0..1000).map(|_| Value::parse(text, &mut registry).expect("a document")).collect();
    sizes.push(copies[0].memory());
    let all: usize = copies.iter().map(Value::memory).sum::<usize>() + registry.memory();
    sizes.push(all / copies.len());

    let parse = speed(text.len(), || {
        black_box(Value::parse(text, &mut registry).expect("a document"));
    });
    let check = speed(text.len(), || {
        black_box(kvist_json::canonical(text, &mut registry).expect("a document"));
    });
    let mut out = Vec::new();
    first.root().write(&mut out);
    let minified = out.len();
    let write = speed(minified, || {
        out.clear();
        copies[1].root().write(&mut out);
        black_box(&out);
    });
    let theirs: serde_json::Value = serde_json::from_slice(text).expect("a document");
    let their_parse = speed(text.len(), || {
        black_box(serde_json::from_slice::<serde_json::Value>(text).expect("a document"));
    });
    let their_write = speed(minified, || {
        out.clear();
        serde_json::to_writer(&mut out, &theirs).expect("room");
        black_box(&out);
    });
    println!(
        "{name:<28} {minified:>8} | {parse:>8.0} {their_parse:>6.0} {check:>8.0} {:>6} \
         {write:>8.0} {their_write:>6.0} | {:>6} {:>6} {:>6}",
        "", sizes[0], sizes[1], sizes[2]
    );
    println!("{:>84} shared, first and all: {shared} {}", "", registry.shared_memory());
}
