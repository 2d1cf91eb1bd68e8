//! Random values of every kind, dicts, grids, filters.

use base::Rng;
use kvist_haystack::{Col, Coord, Date, DateTime, Dict, Grid, GridBuilder, Kind, Tag, Time, Unit};
use kvist_haystack::{Value, Zone};

/// Pieces of texts, among them what formats have to escape.
const PIECES: [&str; 18] = [
    "a", "Z", "0", " ", "é", "😀", "\"", "\\", "$", "\n", "\t", ":", ",", "`", "m:", "\u{1}",
    "---", ">>",
];

pub fn text(rng: &mut Rng) -> String {
    (0..rng.below(6)).map(|_| PIECES[rng.below(PIECES.len())]).collect()
}

pub fn name(rng: &mut Rng) -> String {
    (0..=rng.below(5)).map(|_| ['a', 'B', '7', '_', '-', ':', '.', '~'][rng.below(8)]).collect()
}

pub fn tag(rng: &mut Rng) -> Tag {
    let tags =
        ["id", "dis", "site", "area", "not", "and", "siteRef", "a", "b", "c_D9", "name", "ver"];
    // A grid's version is not among its tags.
    Tag::new(tags[rng.below(tags.len() - 1)]).unwrap()
}

pub fn number(rng: &mut Rng) -> f64 {
    match rng.below(4) {
        0 => rng.below(100) as f64,
        1 => -(rng.below(1_000_000) as f64) / 64.0,
        2 => 10_f64.powi(rng.below(40) as i32 - 20),
        _ => Some(f64::from_bits(rng.next_u64())).filter(|n| n.is_finite()).unwrap_or(0.5),
    }
}

fn unit(rng: &mut Rng) -> Option<Unit> {
    match rng.below(4) {
        0 => Unit::all().nth(rng.below(457)),
        1 => Some(Unit::named("_own/unit").unwrap()),
        _ => None,
    }
}

fn instant(rng: &mut Rng) -> DateTime {
    let zone = Zone::all().nth(rng.below(400)).unwrap();
    let seconds = rng.below(20_000_000_000) as i64 - 6_000_000_000;
    let nanos = if rng.below(2) == 0 { 0 } else { rng.below(1_000_000_000) as i64 };
    DateTime::from_nanos(seconds.min(9_000_000_000) * 1_000_000_000 + nanos, zone)
}

pub fn value(rng: &mut Rng, kind: Kind, depth: usize) -> Value {
    match kind {
        Kind::Null => Value::NULL,
        Kind::Marker => Value::MARKER,
        Kind::Na => Value::NA,
        Kind::Remove => Value::REMOVE,
        Kind::Bool => (rng.below(2) == 0).into(),
        Kind::Number => match rng.below(12) {
            0 => f64::INFINITY.into(),
            1 => f64::NAN.into(),
            2 => f64::NEG_INFINITY.into(),
            _ => Value::number(number(rng), unit(rng).as_ref()),
        },
        Kind::Str => text(rng).into(),
        Kind::Uri => Value::uri(text(rng)),
        Kind::Ref if rng.below(2) == 0 => Value::id(&name(rng)).unwrap(),
        Kind::Ref => Value::id_dis(&name(rng), &text(rng)).unwrap(),
        Kind::Symbol => Value::symbol(&name(rng)).unwrap(),
        Kind::Date => {
            let date = Date::new(rng.below(10_000) as i64, 1 + rng.below(12) as i64, 28);
            date.unwrap().into()
        }
        Kind::Time => Time::from_nanos(rng.below(86_400_000_000_000) as u64).unwrap().into(),
        Kind::DateTime => instant(rng).into(),
        Kind::Coord => {
            let (lat, lng) = (rng.below(180_000_001) as f64, rng.below(360_000_001) as f64);
            Coord::new(lat / 1e6 - 90.0, lng / 1e6 - 180.0).unwrap().into()
        }
        Kind::XStr => Value::xstr(["Span", "Bin", "Foo_9", "C"][rng.below(4)], &text(rng)).unwrap(),
        Kind::List => (0..rng.below(4)).map(|_| any(rng, depth)).collect::<Vec<_>>().into(),
        Kind::Dict => dict(rng, depth).into(),
        Kind::Grid => grid(rng, depth).into(),
    }
}

/// A value of any kind, but no list, dict or grid below this depth.
pub fn any(rng: &mut Rng, depth: usize) -> Value {
    let kinds = if depth == 0 { Kind::ALL.len() - 3 } else { Kind::ALL.len() };
    let kind = Kind::ALL[rng.below(kinds)];
    value(rng, kind, depth.saturating_sub(1))
}

pub fn dict(rng: &mut Rng, depth: usize) -> Dict {
    (0..rng.below(5)).map(|_| (tag(rng), any(rng, depth))).collect()
}

pub fn grid(rng: &mut Rng, depth: usize) -> Grid {
    let mut cols: Vec<Col> = Vec::new();
    for _ in 0..=rng.below(4) {
        let mut meta = dict(rng, depth);
        // Where it would stand in the older JSON the name of the column stands.
        meta.remove("name");
        let name = tag(rng);
        if cols.iter().all(|col| col.name != name) {
            cols.push(Col { name, meta });
        }
    }
    let width = cols.len();
    let mut grid = GridBuilder::new(dict(rng, depth), cols).unwrap();
    for _ in 0..rng.below(5) {
        let row: Vec<Value> = (0..width).map(|_| any(rng, depth)).collect();
        grid.push(row);
    }
    grid.finish()
}

/// A text of a filter over a few tags and values, so that some records match.
pub fn filter(rng: &mut Rng, depth: usize) -> String {
    let tags = ["a", "b", "ref", "refs", "ts", "d"];
    let path = |rng: &mut Rng| {
        let hops: Vec<&str> = (0..=rng.below(3)).map(|_| tags[rng.below(tags.len())]).collect();
        let last = ["", "", "", "->date", "->tz"][rng.below(5)];
        hops.join("->") + last
    };
    match rng.below(if depth == 0 { 5 } else { 8 }) {
        0 => path(rng),
        1 => format!("not {}", path(rng)),
        2 => format!("^{}", ["a", "a-b", "b-d"][rng.below(3)]),
        3 | 4 => {
            let op = ["==", "!=", "<", "<=", ">", ">="][rng.below(6)];
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
        5 => format!("({} and {})", filter(rng, depth - 1), filter(rng, depth - 1)),
        6 => format!("({} or {})", filter(rng, depth - 1), filter(rng, depth - 1)),
        _ => format!("{} and {}", filter(rng, depth - 1), filter(rng, depth - 1)),
    }
}

/// Records whose refs lead to each other, to nothing, and to themselves.
pub fn records(rng: &mut Rng) -> Vec<Dict> {
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
        "NA",
        "M",
        "2024-01-01T08:00:00+08:00 Shanghai",
        "[1, 2]",
        "[]",
        "{a:1 b:{a:2} ref:@r3}",
        "^a",
        "08:00:00",
        "{refs:[@r1, @r2]}",
    ];
    let read = |text: &str| kvist_haystack::zinc::read_value(text).unwrap();
    let some_ref = |rng: &mut Rng| read(["@r0", "@r1", "@r2", "@r3", "@gone"][rng.below(5)]);
    let each = |place: usize| {
        let mut dict = Dict::new();
        dict.put("id", Value::id(&format!("r{place}")).unwrap()).unwrap();
        for tag in ["a", "b", "ts", "d", "ref", "refs"] {
            match rng.below(6) {
                0 | 1 => {}
                2 => dict.put(tag, some_ref(rng)).unwrap(),
                3 => {
                    let list: Vec<Value> = (0..rng.below(4)).map(|_| some_ref(rng)).collect();
                    dict.put(tag, list).unwrap();
                }
                _ => dict.put(tag, read(texts[rng.below(texts.len())])).unwrap(),
            }
        }
        dict
    };
    (0..4).map(each).collect()
}
