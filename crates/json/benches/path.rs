//! What paths cost: compiling them, looking them up, running them; beside `serde_json_path`.
//!
//! `cargo bench -p kvist-json --bench path`. Each side runs on its own kind of document, of the
//! same text; what a member's look-up costs here is measured too, since every run contains some. It
//! must not need anything but a clock.

use std::hint::black_box;
use std::time::{Duration, Instant};

use kvist_json::path::{Budget, Path, PathCache};
use kvist_json::{Registry, Tree};
use serde_json::{Value, json};
use serde_json_path::JsonPath;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Nanoseconds per call: the best of some rounds of a tenth of a second.
fn time(mut work: impl FnMut()) -> f64 {
    let mut rounds = 1_u32;
    let mut best = f64::INFINITY;
    let end = Instant::now() + Duration::from_millis(600);
    while Instant::now() < end {
        let start = Instant::now();
        for _ in 0..rounds {
            work();
        }
        let spent = start.elapsed();
        best = best.min(spent.as_nanos() as f64 / f64::from(rounds));
        if spent < Duration::from_millis(50) {
            rounds = rounds.saturating_mul(2);
        }
    }
    best
}

fn documents() -> (Value, Value) {
    let small = json!({
        "sclr": 0, "str": "b", "sub_doc": {"sclr": 10, "str": "c", "arr": [1, 2, 3]},
        "array_of_docs": [{"sclr": 1}, {"sclr": 2}, {"sclr": 3}]
    });
    let item = |at: u64| {
        json!({
            "id": at, "price": (at * 7919 % 10_000) as f64 / 100.0, "title": format!("title {at}"),
            "tags": ["a", "b", at % 10], "author": {"name": "somebody", "born": 1900 + at % 100}
        })
    };
    // About a megabyte of text.
    let large = json!({"store": {"book": (0..8000).map(item).collect::<Vec<_>>()}});
    (small, large)
}

fn compiling() {
    println!("compile, ns                                  here   serde_json_path");
    for text in [
        "$",
        "$.sub_doc.sclr",
        "sub_doc.sclr",
        "$.array_of_docs[1].sclr",
        "$['web-app'].servlet[0]['servlet-name']",
        "$..book[?(@.price < 10 && @.tags)].title",
    ] {
        let ours = time(|| {
            black_box(Path::compile(black_box(text)).is_ok());
        });
        let theirs = time(|| {
            black_box(JsonPath::parse(black_box(text)).is_ok());
        });
        println!("{text:42} {ours:8.0} {theirs:8.0}");
    }
}

fn looking_up() {
    let mut cache = PathCache::new(512, 1 << 20, 7);
    let texts: Vec<String> = (0..500).map(|at| format!("$.sub_doc.field_{at}")).collect();
    for text in &texts {
        assert!(cache.get(text.as_bytes()).is_ok());
    }
    let again = time(|| {
        black_box(cache.get(black_box(b"$.sub_doc.field_7")).is_ok());
    });
    let mut next = 0;
    let any = time(|| {
        next = (next + 37) % texts.len();
        black_box(cache.get(texts[next].as_bytes()).is_ok());
    });
    println!("cached, ns: the newest {again:.0}, any of 500 {any:.0}");
}

fn running(small: &Value, large: &Value) {
    let mut registry = Registry::new();
    let mut own = |document: &Value| {
        kvist_json::Value::parse(document.to_string().as_bytes(), &mut registry).expect("JSON")
    };
    let (own_small, own_large) = (own(small), own(large));
    println!("run                                          here   serde_json_path");
    for (text, (document, own)) in [
        ("$.sub_doc.sclr", (small, &own_small)),
        ("$.array_of_docs[1].sclr", (small, &own_small)),
        ("$.array_of_docs[*].sclr", (small, &own_small)),
        ("$..sclr", (small, &own_small)),
        ("$..book[?@.price < 10].title", (large, &own_large)),
        ("$..[?@.born == 1950]", (large, &own_large)),
        ("$..name", (large, &own_large)),
    ] {
        let path = Path::compile(text).expect("a path");
        let theirs = JsonPath::parse(text).expect("a path");
        let expected = theirs.query(document).len();
        let found = path.results(own.root(), &mut Budget::default()).map(|all| all.len());
        assert_eq!(found, Ok(expected), "{text}");
        let ours = time(|| {
            let mut count = 0;
            if path.is_static() {
                count += usize::from(path.one(black_box(own.root())).is_some());
            } else {
                let ended = path.for_each(own.root(), &mut Budget::default(), |_| {
                    count += 1;
                    std::ops::ControlFlow::Continue(())
                });
                assert!(ended.is_ok());
            }
            black_box(count);
        });
        let their_time = time(|| {
            black_box(theirs.query(black_box(document)).len());
        });
        println!("{text:42} {ours:8.0} {their_time:8.0} ns");
    }
    let member = time(|| {
        let inner = black_box(own_small.root()).member("sub_doc");
        black_box(inner.and_then(|(_, inner)| inner.member("sclr")).is_some());
    });
    println!("two look-ups of members alone              {member:8.0} ns");
}

fn main() {
    let (small, large) = documents();
    println!("large document: {} bytes of text", large.to_string().len());
    compiling();
    looking_up();
    running(&small, &large);
}
