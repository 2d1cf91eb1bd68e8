//! Documents to test and measure with: those of the RedisJSON report, if they are there, and some
//! made up. Not everything is used by every test that includes this.

#![allow(dead_code)]

pub use testkit::skip;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Where the documents of the report are looked for, unless `KVIST_JSON_SAMPLES` says where.
const BESIDE: &str = "../shared/data/json";

/// Names and texts of the documents in a folder; none, with a line that says so, if there is none.
pub fn files(folder: Option<PathBuf>) -> Vec<(String, Vec<u8>)> {
    let folder = folder.or_else(|| std::env::var_os("KVIST_JSON_SAMPLES").map(PathBuf::from));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = folder.unwrap_or_else(|| root.join(BESIDE));
    let mut files: Vec<(String, Vec<u8>)> = std::fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|end| end == "json"))
        .filter_map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            Some((name, std::fs::read(entry.path()).ok()?))
        })
        .collect();
    files.sort();
    if files.is_empty() {
        skip::because(&format!("no documents in {}: set KVIST_JSON_SAMPLES", folder.display()));
    }
    files
}

/// An array of records of the kind people keep: a few forms, some values that repeat.
pub fn records(count: usize) -> Vec<u8> {
    const CITIES: [&str; 4] = ["San Francisco", "Saint Petersburg", "Göteborg", "Buenos Aires"];
    let mut text = String::from("[");
    for n in 0..count {
        let comma = if n == 0 { "" } else { "," };
        let city = CITIES[n % CITIES.len()];
        let _ = write!(
            text,
            "{comma}{{\"id\":{n},\"name\":\"Customer number {n}\",\"city\":\"{city}\",\
             \"active\":{},\"balance\":{}.{:02},\"at\":17000{n:05},\"tags\":[\"a\",\"bc\",\"def\"],\
             \"position\":[{}.{n:06},-{}.{n:06}]",
            n % 3 == 0,
            n * 7 % 1000,
            n % 100,
            n % 90,
            n % 180,
        );
        if n % 5 == 0 {
            text.push_str(",\"note\":\"calls \\\"often\\\"\\nand late\"");
        }
        text.push('}');
    }
    text.push(']');
    text.into_bytes()
}
