//! How fast documents are checked, parsed, written and searched, without a server.

use std::fmt::Write as _;
use std::io;
use std::time::{Duration, Instant};

use json::path::{Budget, Path};
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
    text.push_str(
        "\n\n| in this process, a path over a document of a megabyte | found | ms |\n|---|---|---|",
    );
    let large = large();
    let mut registry = Registry::new();
    let value = Value::parse(large.as_bytes(), &mut registry);
    let value = value.map_err(|error| io::Error::other(error.to_string()))?;
    for path in PATHS {
        let failed = |error: json::path::PathError| io::Error::other(error.to_string());
        let compiled = Path::compile(path).map_err(failed)?;
        let search = || compiled.results(value.root(), &mut Budget::default()).map(|all| all.len());
        let found = search().map_err(failed)?;
        let rate = rate(1_000_000, limit, || search().is_ok());
        // A megabyte at so many megabytes per second; writing to a string cannot fail.
        let _ =
            write!(text, "\n| `{}` | {found} | {:.2} |", path.replace('|', "\\|"), 1000.0 / rate);
    }
    text.push('\n');
    Ok(text)
}

/// Paths that look at every value of a document.
const PATHS: [&str; 4] = [
    "$..[?(@.born == 1950)]",
    "$..[?(@.price < 10 && @.tags)].title",
    "$..[?(@.title =~ 'title 7.*')]",
    "$..name",
];

/// A document of a megabyte, of things in a shop.
fn large() -> String {
    let item = |at: u64| {
        let (price, born) = (at * 7919 % 10_000, 1900 + at % 100);
        format!(
            "{{\"id\":{at},\"price\":{}.{:02},\"title\":\"title {at}\",\"tags\":[\"a\",\"b\",{}],\
             \"author\":{{\"name\":\"somebody\",\"born\":{born}}}}}",
            price / 100,
            price % 100,
            at % 10,
        )
    };
    let items: Vec<String> = (0..9000).map(item).collect();
    format!(r#"{{"store":{{"book":[{}]}}}}"#, items.join(","))
}

/// Megabytes per second of some work on so many bytes: those of the best of many short runs, as the
/// machine may be shared.
fn rate(bytes: usize, limit: Duration, mut work: impl FnMut() -> bool) -> f64 {
    /// Long beside a look at the clock, short beside what a scheduler gives at once.
    const SHORT: Duration = Duration::from_micros(200);
    let start = Instant::now();
    let (mut times, mut best) = (1_u32, Duration::MAX);
    while start.elapsed() < limit || best == Duration::MAX {
        let begin = Instant::now();
        for _ in 0..times {
            if !std::hint::black_box(work()) {
                return f64::NAN;
            }
        }
        let spent = begin.elapsed();
        best = best.min(spent / times);
        if spent < SHORT {
            times *= 2;
        }
    }
    bytes as f64 / 1e6 / best.as_secs_f64()
}
