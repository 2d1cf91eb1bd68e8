//! What a pipelined request costs in the engine, without sockets: decode, look up, run, reply.
//!
//! `cargo bench -p kvist-engine [-- KEYS]` prints nanoseconds per request. Answers are checked.
//!
//! Time is a poor measure on a machine that has other things to do; instructions are not. `DEPTH`
//! and `ONLY` (`GET`, `JSON.SET whole`, …) choose one kind of requests, and `ROUNDS` says how often
//! they are made, so that `valgrind --tool=callgrind` counts them: the difference between two runs
//! with other `ROUNDS` is theirs alone.

#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

#[path = "../tests/test_client/mod.rs"]
mod test_client;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use test_client::{TestClient, engine};

const VALUE: usize = 100;
/// The best of these is printed: the machine may be shared.
const ROUNDS: usize = 7;
/// Requests of a round, of the quick ones.
const REQUESTS: usize = 200_000;
/// Documents, and bytes of a large one.
const DOCUMENTS: usize = 100;
const LARGE: usize = 39_491;

/// A kind of request.
struct Kind<'a> {
    name: &'static str,
    /// The request for the key of a number.
    words: &'a dyn Fn(usize) -> Vec<String>,
    /// How many times fewer of them make a round.
    slower: usize,
}

fn main() {
    allocator::set_up();
    let keys: usize = std::env::args().skip(1).find_map(|a| a.parse().ok()).unwrap_or(100_000);
    let rounds = number("ROUNDS").unwrap_or(ROUNDS);
    let (depth, only) = (number("DEPTH"), std::env::var("ONLY").ok());
    let engine = engine();
    let mut client = TestClient::new(&engine);
    if only.as_deref() == Some("RANGE") {
        // There is an index as soon as a request has asked for one: of few keys it is made at once.
        assert_eq!(client.feed(&encode(&["RANGE", "-", "+"].map(str::to_owned))).0, "*0\r\n");
    }
    let value = "x".repeat(VALUE);
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    let set = |n: usize| words(&["SET", &format!("key:{n:012}"), &value]);
    for n in 0..keys {
        assert_eq!(client.feed(&encode(&set(n))).0, "+OK\r\n");
    }
    client.worker.txn.report_memory();
    let per_key = engine.store.memory() as f64 / keys as f64;
    println!("{keys} keys, {per_key:.1} bytes per key");
    let document = document(LARGE);
    let of = |n: usize| format!("doc:{}", n % DOCUMENTS);
    let whole = |n: usize| words(&["JSON.SET", &of(n), ".", &document]);
    let kinds = [
        Kind { name: "SET", words: &set, slower: 1 },
        Kind { name: "GET", words: &|n| words(&["GET", &format!("key:{n:012}")]), slower: 1 },
        Kind {
            name: "SET whole",
            words: &|n| words(&["SET", "text", &document[n % 8..]]),
            slower: 100,
        },
        Kind { name: "JSON.SET whole", words: &whole, slower: 100 },
        Kind {
            name: "JSON.GET",
            words: &|n| words(&["JSON.GET", &of(n), "message.code"]),
            slower: 1,
        },
        Kind {
            name: "JSON.SET",
            words: &|n| words(&["JSON.SET", &of(n), "message.code", &format!("{n:013}")]),
            slower: 1,
        },
        Kind {
            name: "RANGE",
            words: &|n| words(&["RANGE", &format!("[key:{n:012}"), "+", "LIMIT", "100"]),
            slower: 20,
        },
    ];
    for n in 0..DOCUMENTS {
        assert_eq!(client.feed(&encode(&whole(n))).0, "+OK\r\n");
    }
    let chosen = |kind: &&Kind<'_>| match only.as_deref() {
        Some(only) => only == kind.name,
        None => kind.name != "RANGE",
    };
    for depth in [1, 16, 100].into_iter().filter(|d| depth.is_none_or(|o| o == *d)) {
        for kind in kinds.iter().filter(chosen) {
            let nanos = measure(&mut client, kind, (depth, keys), rounds);
            println!("{} -P {depth}: {nanos:.0} ns", kind.name);
        }
    }
}

fn number(name: &str) -> Option<usize> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// Nanoseconds per request, of the best round.
fn measure(
    client: &mut TestClient,
    kind: &Kind<'_>,
    (depth, keys): (usize, usize),
    rounds: usize,
) -> f64 {
    let batches = batches(kind, depth, keys);
    let (mut input, mut out) = (Vec::new(), Vec::new());
    let mut best = Duration::MAX;
    for _ in 0..rounds {
        let start = Instant::now();
        for batch in &batches {
            out.clear();
            input.clear();
            input.extend_from_slice(batch); // as a read from a socket would
            client.worker.begin(1_000_000);
            client.worker.feed(&mut client.session, &mut input, &mut out);
        }
        best = best.min(start.elapsed());
    }
    assert!(rounds == 0 || !out.is_empty() && out[0] != b'-' && !out.starts_with(b"$-1"));
    best.as_nanos() as f64 / (batches.len() * depth) as f64
}

/// Batches of `depth` requests for scattered keys.
fn batches(kind: &Kind<'_>, depth: usize, keys: usize) -> Vec<Vec<u8>> {
    let mut state: u64 = 7;
    (0..(REQUESTS / kind.slower / depth).max(1))
        .map(|_| {
            let mut batch = String::new();
            for _ in 0..depth {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                batch += &encode(&(kind.words)((state >> 33) as usize % keys));
            }
            batch.into_bytes()
        })
        .collect()
}

fn encode(words: &[String]) -> String {
    let mut text = format!("*{}\r\n", words.len());
    for word in words {
        // Writing to a string cannot fail.
        let _ = write!(text, "${}\r\n{word}\r\n", word.len());
    }
    text
}

/// The answer of a search for places, of about so many bytes.
fn document(size: usize) -> String {
    let mut text =
        String::from(r#"{"message": {"text": "OK", "code": 0, "version": "1.1.1"}, "places": ["#);
    for n in 0.. {
        let place = format!(
            "{}{{\"rating_img_url\": \"http://media.example.org/stars_4.png\", \"country_code\": \
             \"US\", \"id\": \"G1aLDAl{n}\", \"is_closed\": false, \"city\": \"San Francisco\", \
             \"mobile_url\": \"http://m.example.org/biz/{n}\", \"review_count\": {}, \"zip\": \
             \"94105\", \"latitude\": {}, \"address1\": \"{n} Market St\", \"address2\": \"\", \
             \"phone\": \"41500{n:05}\", \"categories\": [{{\"category_filter\": \"bars\", \
             \"search_url\": \"http://example.org/search?find={n}\", \"name\": \"Bars\"}}], \
             \"distance\": {}, \"name\": \"Number {n}\", \"avg_rating\": 4.5, \"reviews\": \
             [{{\"user_name\": \"Rob {n}\", \"rating\": 5, \"date\": \"2010-01-{:02}\", \
             \"text_excerpt\": \"A place for a small lunch\"}}]}}",
            if n > 0 { ", " } else { "" },
            3 + n * 7,
            37.787_5 + n as f64 / 997.0,
            1.876_2 + n as f64 / 997.0,
            1 + n % 28
        );
        if text.len() + place.len() + 2 > size {
            break;
        }
        text += &place;
    }
    text + "]}"
}
