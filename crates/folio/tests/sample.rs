//! Records and diffs for tests.

use base::Rng;
use haystack::{DateTime, Dict, Tag, Value, Zone, trio, zinc};
use kvist_folio::{Diff, Project};

/// An instant, in seconds behind some other.
pub fn at(second: i64) -> DateTime {
    let nanos = (1_700_000_000 + second) * 1_000_000_000;
    DateTime::from_nanos(nanos, Zone::named("UTC").unwrap())
}

pub fn dict(text: &str) -> Dict {
    zinc::read_value(&format!("{{{text}}}")).unwrap().as_dict().unwrap().clone()
}

/// A project with the records of a Trio text, each with its tag `id`.
pub fn project(text: &str) -> Project {
    let mut project = Project::default();
    for mut record in trio::read(text).unwrap() {
        let id = record.remove("id").unwrap().as_id().unwrap().clone();
        project.commit(&[Diff::add(&id, record).unwrap()], at(0)).unwrap();
    }
    project
}

pub const IDS: usize = 8;

pub fn id(rng: &mut Rng) -> String {
    format!("r{}", rng.below(IDS))
}

/// Tags of a few kinds that filters of `filter` find.
pub fn tags(rng: &mut Rng) -> Dict {
    let texts = [
        "1",
        "2",
        "1kW",
        "2kW",
        "\"x\"",
        "\"y\"",
        "T",
        "2024-01-01",
        "2024-01-01T00:00:00Z UTC",
        "M",
        "M",
        "2024-01-01T08:00:00+08:00 Shanghai",
        "[1, 2]",
        "[]",
        "{a:1 b:{a:2} ref:@r3}",
        "^a",
        "08:00:00",
        "{refs:[@r1, @r2]}",
        "NaN",
        "-INF",
    ];
    let read = |text: &str| zinc::read_value(text).unwrap();
    let some_ref = |rng: &mut Rng| Value::id(&format!("r{}", rng.below(IDS + 1))).unwrap();
    let mut dict = Dict::new();
    for tag in ["a", "b", "ts", "d", "ref", "refs"] {
        let value = match rng.below(6) {
            0 | 1 => continue,
            2 => some_ref(rng),
            3 => (0..rng.below(4)).map(|_| some_ref(rng)).collect::<Vec<_>>().into(),
            _ => read(texts[rng.below(texts.len())]),
        };
        dict.set(Tag::new(tag).unwrap(), value);
    }
    dict
}

/// A text of a filter over a few tags and values, so that some records match.
pub fn filter(rng: &mut Rng, depth: usize) -> String {
    let tags = ["a", "b", "ref", "refs", "ts", "d", "never"];
    let path = |rng: &mut Rng| {
        let hops: Vec<&str> = (0..=rng.below(3)).map(|_| tags[rng.below(tags.len())]).collect();
        hops.join("->") + ["", "", "", "->date", "->tz"][rng.below(5)]
    };
    match rng.below(if depth == 0 { 6 } else { 9 }) {
        0 => path(rng),
        1 => format!("not {}", path(rng)),
        2 => format!("^{}", ["a", "a-b", "b-d"][rng.below(3)]),
        3 => format!("id == @r{}", rng.below(IDS + 1)),
        4 | 5 => {
            let op = ["==", "==", "!=", "<", "<=", ">", ">="][rng.below(7)];
            let values = [
                "1",
                "2",
                "1kW",
                "2kW",
                "\"x\"",
                "\"y\"",
                "@r1",
                "@r2",
                "true",
                "false",
                "2024-01-01",
                "2024-01-01T00:00:00Z",
                "\"UTC\"",
                "08:00:00",
                "^a",
            ];
            format!("{} {op} {}", path(rng), values[rng.below(values.len())])
        }
        6 => format!("({} and {})", filter(rng, depth - 1), filter(rng, depth - 1)),
        7 => format!("({} or {})", filter(rng, depth - 1), filter(rng, depth - 1)),
        _ => format!("{} and {}", filter(rng, depth - 1), filter(rng, depth - 1)),
    }
}
