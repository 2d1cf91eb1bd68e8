//! How fast documents are checked, parsed and written, without a server.

use std::fmt::Write as _;
use std::io;
use std::time::{Duration, Instant};

use json::{Registry, Value, canonical};

use super::documents::Document;

/// A table of MB/s, of the bytes of the text that goes in or comes out.
pub(super) fn table(documents: &[Document], millis: u64) -> io::Result<String> {
    let limit = Duration::from_millis(millis);
    let mut text =
        String::from("\n| in this process, MB/s | check | parse | write |\n|---|---|---|---|");
    for document in documents {
        let failed = |error: json::ParseError| io::Error::other(error.to_string());
        let input = document.text.as_bytes();
        let mut registry = Registry::new();
        let value = Value::parse(input, &mut registry).map_err(failed)?;
        let check = rate(input.len(), limit, || canonical(input, &mut registry).is_ok());
        let mut registry = Registry::new();
        let parse = rate(input.len(), limit, || Value::parse(input, &mut registry).is_ok());
        let mut out = Vec::new();
        let write = rate(document.canonical.len(), limit, || {
            out.clear();
            value.root().write(&mut out);
            out.len() == document.canonical.len()
        });
        // Writing to a string cannot fail.
        let _ = write!(text, "\n| {} | {check:.0} | {parse:.0} | {write:.0} |", document.title());
    }
    text.push('\n');
    Ok(text)
}

/// Megabytes per second of some work on so many bytes.
fn rate(bytes: usize, limit: Duration, mut work: impl FnMut() -> bool) -> f64 {
    let start = Instant::now();
    let mut done = 0;
    while start.elapsed() < limit || done == 0 {
        // The clock is read once in a while.
        for _ in 0..16 {
            if !std::hint::black_box(work()) {
                return f64::NAN;
            }
        }
        done += 16;
    }
    bytes as f64 * f64::from(done) / 1e6 / start.elapsed().as_secs_f64()
}
