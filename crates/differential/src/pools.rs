//! The values commands are drawn from, by name: keys that collide, numbers at their limits, strings
//! at the encodings' thresholds.
//!
//! The key universe is small on purpose: commands must meet each other's data, of the wrong type
//! too. Relative expiries lie a long way off (or in the past), so that no key expires between the
//! two servers' turns; see [`far_off`].

mod documents;
mod places;
mod sketches;

use std::collections::BTreeSet;

use crate::rng::Rng;

mod streams;

/// The type a family's own keys usually hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// Strings: `s0`…
    Text,
    /// Hashes: `h0`…
    Hash,
    /// Lists: `l0`…
    List,
    /// Sets: `t0`…
    Set,
    /// Sorted sets: `z0`…
    Zset,
    /// Streams: `e0`…
    Stream,
    /// Documents: `j0`…
    Json,
}

const TEXT: [&[u8]; 6] = [b"s0", b"s1", b"s2", b"s3", b"s4", b"s5"];
const HASH: [&[u8]; 4] = [b"h0", b"h1", b"h2", b"h3"];
const LIST: [&[u8]; 4] = [b"l0", b"l1", b"l2", b"l3"];
const SET: [&[u8]; 5] = [b"t0", b"t1", b"t2", b"t3", b"t4"];
const ZSET: [&[u8]; 5] = [b"z0", b"z1", b"z2", b"z3", b"z4"];
const STREAM: [&[u8]; 3] = [b"e0", b"e1", b"e2"];
const JSON: [&[u8]; 3] = [b"j0", b"j1", b"j2"];
/// Keys of any type.
const SHARED: [&[u8]; 3] = [b"x0", b"x1", b"x2"];
/// Keys of unusual spelling.
const ODD: [&[u8]; 3] = [b"", b"{tag}a", b"k\x00\xff\r\n"];

/// The state of drawing: the random source, the family's own type, and what a form's parts share.
#[derive(Clone, Debug)]
pub struct Draw {
    /// The random source.
    pub rng: Rng,
    /// The family's own type.
    pub home: KeyKind,
    /// Set while a batch of hundreds is drawn: elements are then all different.
    pub wide: Option<Wide>,
    numkeys: usize,
    /// Entries of streams drawn so far: their ids grow.
    entries: usize,
}

/// How the elements of a large batch look.
#[derive(Clone, Copy, Debug)]
pub struct Wide {
    style: usize,
    next: usize,
}

impl Wide {
    /// A batch of one random style.
    pub fn new(rng: &mut Rng) -> Self {
        Self { style: rng.below(8), next: rng.below(40) }
    }

    fn element(&mut self) -> Vec<u8> {
        self.next += 1;
        match self.style {
            0..3 => self.next.to_string().into_bytes(),
            3..7 => format!("e{}", self.next).into_bytes(),
            _ => format!("{:065}", self.next).into_bytes(),
        }
    }
}

impl Draw {
    /// Drawing for a family whose own keys are of type `home`.
    #[must_use]
    pub fn new(rng: Rng, home: KeyKind) -> Self {
        Self { rng, home, wide: None, numkeys: 0, entries: 0 }
    }

    fn own(&mut self, kind: KeyKind) -> Vec<u8> {
        let list: &[&[u8]] = match kind {
            KeyKind::Text => &TEXT,
            KeyKind::Hash => &HASH,
            KeyKind::List => &LIST,
            KeyKind::Set => &SET,
            KeyKind::Zset => &ZSET,
            KeyKind::Stream => &STREAM,
            KeyKind::Json => &JSON,
        };
        self.rng.pick(list).to_vec()
    }

    fn any_key(&mut self) -> Vec<u8> {
        match self.rng.below(20) {
            0..4 => self.own(KeyKind::Text),
            4..7 => self.own(KeyKind::Hash),
            7..10 => self.own(KeyKind::List),
            10..13 => self.own(KeyKind::Set),
            13..16 => self.own(KeyKind::Zset),
            16..19 => self.rng.pick(&SHARED).to_vec(),
            _ => self.rng.pick(&ODD).to_vec(),
        }
    }

    fn key(&mut self) -> Vec<u8> {
        self.key_of(self.home)
    }

    fn key_of(&mut self, kind: KeyKind) -> Vec<u8> {
        match self.rng.below(100) {
            0..78 => self.own(kind),
            78..92 => self.rng.pick(&SHARED).to_vec(),
            _ => self.any_key(),
        }
    }

    fn element(&mut self, prefix: char) -> Vec<u8> {
        if let Some(wide) = &mut self.wide {
            return wide.element();
        }
        match self.rng.below(20) {
            0..9 => format!("{prefix}{}", self.rng.below(8)).into_bytes(),
            9..15 => self.rng.below(10).to_string().into_bytes(),
            15..17 => self.rng.pick(&INTS).as_bytes().to_vec(),
            _ => self.text(),
        }
    }

    fn text(&mut self) -> Vec<u8> {
        match self.rng.below(24) {
            0 => vec![],
            1..5 => b"hello world".to_vec(),
            5..8 => b"abcabcabd".to_vec(),
            8 => vec![b'x'; 44],
            9 => vec![b'x'; 45],
            10 => vec![b'y'; 63],
            11 => vec![b'y'; 64],
            12 => vec![b'y'; 65],
            13 => vec![b'z'; 300],
            14 => b"a\0b".to_vec(),
            15 => b"line\r\nend".to_vec(),
            16 => (0..=255).collect(),
            17 => "blåbærgrød ✓".as_bytes().to_vec(),
            18 => vec![0xff, 0xf0, 0x00],
            19 => b"ABC".to_vec(),
            _ => vec![*self.rng.pick(b"abcXYZ")],
        }
    }

    fn value(&mut self) -> Vec<u8> {
        if let Some(wide) = &mut self.wide {
            return wide.element();
        }
        match self.rng.below(10) {
            0..3 => self.rng.pick(&INTS).as_bytes().to_vec(),
            3..5 => self.rng.pick(&FLOATS).as_bytes().to_vec(),
            5 => self.rng.below(20).to_string().into_bytes(),
            _ => self.text(),
        }
    }
}

/// Numbers Redis accepts, nearly accepts and must refuse as integers.
pub const INTS: [&str; 32] = [
    "0",
    "1",
    "-1",
    "2",
    "3",
    "10",
    "100",
    "127",
    "128",
    "255",
    "256",
    "9999",
    "10000",
    "32767",
    "-32769",
    "65536",
    "2147483647",
    "2147483648",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "007",
    "+5",
    "-0",
    " 1",
    "1.0",
    "",
    "abc",
    "99999999999999999999999999",
];

/// The same for floating-point numbers.
pub const FLOATS: [&str; 32] = [
    "3.0e3",
    "inf",
    "-inf",
    "+inf",
    "Infinity",
    "nan",
    "1e400",
    "-1e400",
    "1e-400",
    "0.1",
    "-0.0",
    "1.5",
    "-2.25",
    "3.14159265358979323846264338327950288",
    "0.30000000000000004",
    "1e308",
    "1.7976931348623157e308",
    "5e-324",
    "1e17",
    "123456789012345678",
    "1.0",
    "10.50",
    " 1.5",
    "1.5 ",
    "0x1p3",
    "1.",
    ".5",
    "e5",
    "1e21",
    "9007199254740993",
    "100000000000000000000",
    "0.000001",
];

/// All keys a generator can name: what differences are traced by.
#[must_use]
pub fn universe() -> BTreeSet<Vec<u8>> {
    let groups: [&[&[u8]]; 9] = [&TEXT, &HASH, &LIST, &SET, &ZSET, &STREAM, &JSON, &SHARED, &ODD];
    groups.iter().flat_map(|g| g.iter()).map(|k| k.to_vec()).collect()
}

/// Whether a relative expiry was drawn here (or is so large that it is the same on both servers).
/// The spread makes it all but impossible that two expiries of one key come within each other's
/// delay, which would make GT and LT answer by luck.
#[must_use]
pub fn far_off(number: i64) -> bool {
    number <= 0 || number >= 1_000_000_000_000 || (number >= 1_000 && number % 7 == 3)
}

fn seconds(rng: &mut Rng) -> String {
    (1_000 / 7 * 7 + 10 + rng.below(1_000_000) * 7).to_string()
}

fn milliseconds(rng: &mut Rng) -> String {
    (1_000_000 / 7 * 7 + 10 + rng.below(1_000_000_000) * 7).to_string()
}

/// Draws arguments: usually one.
pub type Pool = fn(&mut Draw, &mut Vec<Vec<u8>>);

fn from(list: &[&str], draw: &mut Draw, args: &mut Vec<Vec<u8>>) {
    args.push(draw.rng.pick(list).as_bytes().to_vec());
}

const INDICES: [&str; 16] = [
    "0",
    "1",
    "2",
    "3",
    "5",
    "-1",
    "-2",
    "-3",
    "-5",
    "-100",
    "100",
    "127",
    "9223372036854775807",
    "-9223372036854775808",
    "4294967296",
    "x",
];
const COUNTS: [&str; 12] =
    ["0", "1", "1", "2", "3", "5", "10", "1000", "-1", "9223372036854775807", "-5", "1.5"];
/// Counts for the random commands: a large negative one would ask for that many elements.
const RANDOM_COUNTS: [&str; 12] = [
    "0",
    "1",
    "2",
    "3",
    "7",
    "1000",
    "-1",
    "-3",
    "-40",
    "9223372036854775807",
    "-9223372036854775808",
    "two",
];
const SCORES: [&str; 14] =
    ["0", "1", "2", "3", "-1", "1.5", "2.5", "10", "1e3", "inf", "-inf", "0.1", "-0", "3"];
const SCORE_BOUNDS: [&str; 16] = [
    "-inf", "+inf", "inf", "(1", "1", "(2", "2", "3", "(3", "0", "(-inf", "(inf", "1.5", "10",
    "(nan", "(",
];
const LEX_BOUNDS: [&str; 14] =
    ["-", "+", "[a", "(a", "[m3", "(m3", "[m1", "[z", "(z", "[", "(", "[e2", "(9", "a"];
const PATTERNS: [&str; 22] = [
    "*", "*", "s*", "?0", "h[0-2]", "[^s]*", "x?", "*1", "", "**", "[a-", "\\x0", "[\\x]0", "z[0",
    "{tag}*", "nomatch", "m?", "[z-a]*", "f*", "m[!1]", "t\\", "?",
];
const ABSOLUTE: [&str; 12] = [
    "1",
    "1000",
    "4102444800",
    "4102444801",
    "5000000000",
    "9999999999",
    "0",
    "-1",
    "-5",
    "9223372036854775",
    "9223372036854776",
    "9223372036854775807",
];
const ABSOLUTE_MS: [&str; 10] = [
    "1",
    "1000",
    "4102444800000",
    "4102444800001",
    "5000000000000",
    "0",
    "-1",
    "9223372036854775807",
    "9223372036854775808",
    "1600000000000",
];
const BAD_EXPIRY: [&str; 8] = [
    "0",
    "-1",
    "abc",
    "",
    "9223372036854775807",
    "9223372036854775",
    "-9223372036854775808",
    "1000.5",
];
const OFFSETS: [&str; 14] = [
    "0",
    "1",
    "2",
    "5",
    "9",
    "30",
    "100",
    "600",
    "-1",
    "536870912",
    "4294967296",
    "9223372036854775807",
    "x",
    "",
];
const BIT_OFFSETS: [&str; 18] = [
    "0",
    "1",
    "2",
    "3",
    "7",
    "8",
    "9",
    "15",
    "64",
    "100",
    "127",
    "800",
    "-1",
    "-8",
    "4294967296",
    "9223372036854775807",
    "x",
    "1",
];
const BIT_TYPES: [&str; 16] = [
    "u8", "i8", "u1", "i1", "u16", "i16", "u32", "i32", "u63", "i64", "u64", "i65", "u0", "i5",
    "u3", "x8",
];
const SORT_BY: [&str; 9] = ["s*", "s*", "h*->f0", "h*->f1", "nosort", "x*", "*", "w*", "h*->"];
const SORT_GET: [&str; 8] = ["#", "#", "s*", "h*->f0", "x*", "h*->", "nostar", "*"];
const TYPES: [&str; 9] =
    ["string", "list", "set", "zset", "hash", "stream", "STRING", "nothing", "ZSet"];
const TIMEOUTS: [&str; 6] = ["0.01", "0.01", "0.01", "-1", "abc", "nan"];
const DATABASES: [&str; 10] = ["0", "0", "1", "1", "2", "15", "16", "-1", "x", "99999999999"];
const CURSORS: [&str; 10] = ["0", "0", "0", "0", "0", "0", "0", "5", "abc", "18446744073709551616"];

/// The pool of a name, as written between `<` and `>`.
#[must_use]
pub fn named(name: &str) -> Option<Pool> {
    Some(match name {
        "key" => |d, a| a.push(d.key()),
        "any" => |d, a| a.push(d.any_key()),
        "text-key" => |d, a| a.push(d.key_of(KeyKind::Text)),
        "hash-key" => |d, a| a.push(d.key_of(KeyKind::Hash)),
        "list-key" => |d, a| a.push(d.key_of(KeyKind::List)),
        "set-key" => |d, a| a.push(d.key_of(KeyKind::Set)),
        "zset-key" => |d, a| a.push(d.key_of(KeyKind::Zset)),
        "stream-key" => |d, a| a.push(d.key_of(KeyKind::Stream)),
        "value" => |d, a| a.push(d.value()),
        "text" => |d, a| a.push(d.text()),
        "field" => |d, a| a.push(d.element('f')),
        "member" => |d, a| a.push(d.element('m')),
        "numkeys" => numkeys,
        "weights" => weights,
        "seconds" => |d, a| expiry(d, a, seconds),
        "milliseconds" => |d, a| expiry(d, a, milliseconds),
        "timestamp" => |d, a| from(&ABSOLUTE, d, a),
        "timestamp-ms" => |d, a| from(&ABSOLUTE_MS, d, a),
        _ => return numeric(name).or_else(|| textual(name)).or_else(|| others(name)),
    })
}

fn others(name: &str) -> Option<Pool> {
    streams::named(name).or_else(|| documents::named(name))
}

fn numeric(name: &str) -> Option<Pool> {
    Some(match name {
        "int" => |d, a| from(&INTS, d, a),
        "small" => |d, a| a.push(d.rng.below(12).to_string().into_bytes()),
        "float" => |d, a| from(&FLOATS, d, a),
        "index" => |d, a| from(&INDICES, d, a),
        "count" => |d, a| from(&COUNTS, d, a),
        "random-count" => |d, a| from(&RANDOM_COUNTS, d, a),
        "score" => score,
        "offset" => |d, a| from(&OFFSETS, d, a),
        "bit-offset" => |d, a| from(&BIT_OFFSETS, d, a),
        "timeout" => |d, a| from(&TIMEOUTS, d, a),
        "db" => |d, a| from(&DATABASES, d, a),
        "cursor" => |d, a| from(&CURSORS, d, a),
        "longitude" => places::longitude,
        "latitude" => places::latitude,
        "length" => places::length,
        "unit" => places::unit,
        _ => return None,
    })
}

fn textual(name: &str) -> Option<Pool> {
    Some(match name {
        "score-bound" => |d, a| from(&SCORE_BOUNDS, d, a),
        "lex-bound" => |d, a| from(&LEX_BOUNDS, d, a),
        "pattern" => |d, a| from(&PATTERNS, d, a),
        "bit-type" => |d, a| from(&BIT_TYPES, d, a),
        "sort-by" => |d, a| from(&SORT_BY, d, a),
        "sort-get" => |d, a| from(&SORT_GET, d, a),
        "type" => |d, a| from(&TYPES, d, a),
        "sketch" => sketches::sketch,
        "element" => sketches::element,
        _ => return None,
    })
}

fn expiry(draw: &mut Draw, args: &mut Vec<Vec<u8>>, good: fn(&mut Rng) -> String) {
    if draw.rng.chance(85) {
        args.push(good(&mut draw.rng).into_bytes());
    } else {
        from(&BAD_EXPIRY, draw, args);
    }
}

fn score(draw: &mut Draw, args: &mut Vec<Vec<u8>>) {
    if draw.wide.is_some() || draw.rng.chance(20) {
        let number = draw.rng.below(50);
        args.push(number.to_string().into_bytes());
    } else if draw.rng.chance(85) {
        from(&SCORES, draw, args);
    } else {
        from(&FLOATS, draw, args);
    }
}

/// `numkeys key …`, the number now and then wrong.
fn numkeys(draw: &mut Draw, args: &mut Vec<Vec<u8>>) {
    let count = 1 + draw.rng.below(4);
    let stated = match draw.rng.below(40) {
        0 => *draw.rng.pick(&["0", "-1", "x", "100", "9223372036854775807"]),
        1 => ["1", "2", "3", "4", "5"][count],
        2 => ["0", "0", "1", "2", "3"][count],
        _ => ["0", "1", "2", "3", "4"][count],
    };
    args.push(stated.as_bytes().to_vec());
    for _ in 0..count {
        args.push(draw.key());
    }
    draw.numkeys = count;
}

/// One weight for each of the keys before.
fn weights(draw: &mut Draw, args: &mut Vec<Vec<u8>>) {
    for _ in 0..draw.numkeys {
        let list: &[&str] = if draw.rng.chance(8) { &FLOATS } else { &SCORES };
        from(list, draw, args);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_expiries_are_far_off() {
        let mut rng = Rng::new(3, "");
        for _ in 0..1000 {
            assert!(far_off(seconds(&mut rng).parse().unwrap()));
            assert!(far_off(milliseconds(&mut rng).parse().unwrap()));
        }
        assert!(!far_off(100));
        assert!(far_off(-1));
    }

    #[test]
    fn drawn_keys_are_of_the_universe() {
        let all = universe();
        let mut draw = Draw::new(Rng::new(5, ""), KeyKind::Zset);
        let mut seen: BTreeSet<Vec<u8>> = (0..5000).map(|_| draw.key()).collect();
        // A stream or a document is drawn where one is asked for.
        seen.extend((0..200).map(|_| draw.key_of(KeyKind::Stream)));
        seen.extend((0..200).map(|_| draw.key_of(KeyKind::Json)));
        assert_eq!(seen, all);
    }
}
