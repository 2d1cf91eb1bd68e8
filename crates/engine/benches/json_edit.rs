//! What it costs in the engine, without sockets, to change a part of a JSON document of some sizes,
//! beside a plain `SET`.
//!
//! `cargo bench -p kvist-engine --bench json_edit` prints nanoseconds per request.

#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

#[path = "../tests/test_client/mod.rs"]
mod test_client;

use std::time::{Duration, Instant};

use test_client::{TestClient, engine};

/// The best of these is printed: the machine may be shared.
const ROUNDS: usize = 7;
const REQUESTS: usize = 20_000;

const EDITS: [&[&str]; 9] = [
    &["SET", "plain", "1234567"],
    &["JSON.NUMINCRBY", "k", "$.items[0].id", "1"],
    &["JSON.NUMINCRBY", "k", ".items[0].id", "1.5"],
    &["JSON.NUMINCRBY", "k", "$.items[0:4].id", "1"],
    &["JSON.NUMINCRBY", "k", "$.items[0].id", "0"],
    &["JSON.TOGGLE", "k", "$.items[-1].on"],
    &["JSON.STRAPPEND", "k", "$.end.text", "\"x\""],
    &["JSON.ARRAPPEND", "k", "$.end.list", "7"],
    &["JSON.ARRPOP", "k", "$.end.list"],
];

fn document(items: usize) -> String {
    let item = |n| format!(r#"{{"id":{n},"on":true,"text":"text {n}"}}"#);
    let items: Vec<String> = (0..items).map(item).collect();
    format!(r#"{{"items":[{}],"end":{{"list":[],"text":""}}}}"#, items.join(","))
}

fn main() {
    allocator::set_up();
    let engine = engine();
    let mut client = TestClient::new(&engine);
    for items in [5, 1_000, 100_000] {
        let text = document(items);
        println!("{} bytes", text.len());
        let mut out = Vec::new();
        for edit in EDITS {
            let words: Vec<&[u8]> = edit.iter().map(|word| word.as_bytes()).collect();
            let mut best = Duration::MAX;
            for _ in 0..ROUNDS {
                if !edit[0].ends_with("POP") {
                    let set: [&[u8]; 4] = [b"JSON.SET", b"k", b".", text.as_bytes()];
                    client.worker.execute(&mut client.session, &set, &mut out);
                    client.worker.execute(&mut client.session, &words, &mut out);
                }
                let start = Instant::now();
                for _ in 0..REQUESTS {
                    out.clear();
                    client.worker.begin(1_000_000);
                    client.worker.execute(&mut client.session, &words, &mut out);
                }
                best = best.min(start.elapsed());
                assert!(!out.is_empty() && out[0] != b'-', "{}", String::from_utf8_lossy(&out));
            }
            let nanos = best.as_nanos() / REQUESTS as u128;
            println!("{:>8} ns  {}", nanos, edit.join(" "));
        }
    }
}
