//! Requests drawn from the commands' own grammars, with arguments that no client should send.

use base::Rng;
use base::grammar::{Arg, Kind};
use kvist_engine::Entry;
use rdb::{Encoder, Limits, Module, ModulePart, Value, dump};

/// Numbers at the ends of everything.
const NUMBERS: [&str; 34] = [
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "100",
    "-100",
    "1000000",
    "536870911",
    "536870912",
    "2147483647",
    "2147483648",
    "-2147483648",
    "-2147483649",
    "4294967295",
    "4294967296",
    "1099511627776",
    "9007199254740993",
    "4611686018427387904",
    "-4611686018427387905",
    "9223372036854775807",
    "-9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1e308",
    "-1e-320",
    "inf",
    "-inf",
    "nan",
    "0x7fffffffffffffff",
    "0.30000000000000004",
];

/// Words that mean something somewhere, and bytes that mean nothing.
const WORDS: [&[u8]; 52] = [
    b"",
    b"x",
    b"*",
    b"[a-",
    b"\\",
    b"a*a*a*a*a*a*b",
    b"-",
    b"+",
    b"[a",
    b"(z",
    b"(1",
    b"(inf",
    b"#",
    b"h->f",
    b"h*->f1",
    b"*->",
    b"LIMIT",
    b"COUNT",
    b"MATCH",
    b"BY",
    b"GET",
    b"STORE",
    b"WITHSCORES",
    b"WEIGHTS",
    b"AGGREGATE",
    b"REV",
    b"BYLEX",
    b"BYSCORE",
    b"NX",
    b"GT",
    b"EX",
    b"PXAT",
    b"LEFT",
    b"BEFORE",
    b"IDX",
    b"\xff\xfe\x00\x01",
    b"\r\n",
    b"a\0b",
    b"ON",
    b"HELP",
    b"u8",
    b"i64",
    b"u63",
    b"#9",
    b"#9223372036854775807",
    b"BIT",
    b"FAIL",
    b"km",
    b"BYBOX",
    b"FROMLONLAT",
    b"STOREDIST",
    b"ANY",
];

/// Keys of every type, small and large, and missing ones.
pub const KEYS: [&[u8]; 24] = [
    b"s", b"n", b"S", b"l", b"L", b"h", b"H", b"t", b"i", b"T", b"z", b"Z", b"ZZ", b"e", b"none",
    b"", b"new", b"p", b"P", b"q", b"g", b"j", b"j", b"J",
];

/// Documents, and what is nearly one.
const DOCUMENTS: [&str; 22] = [
    "{}",
    "[]",
    "null",
    "true",
    "7",
    "-1.5e300",
    "18446744073709551615",
    "\"text\"",
    "{\"a\":1,\"b\":[1,2,3],\"c\":{\"d\":null}}",
    "{\"a\":{\"a\":{\"a\":[{\"a\":1},{\"a\":2}]}}}",
    "[1,2.5,\"x\",[],{},null,true]",
    "[0.5,1.5,-2.5]",
    "{\"b\":null}",
    "{\"a\":1,\"a\":2}",
    "[1,2",
    "{\"a\":}",
    "nul",
    "1 2",
    "01",
    "\"\\ud800\"",
    "[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]",
    "1e999",
];

/// Paths, and what is nearly one.
const PATHS: [&str; 27] = [
    "$",
    ".",
    "$.a",
    ".a",
    "a",
    "a.b",
    "b[0]",
    "$.b[-1]",
    "$.b[1:3]",
    "$..a",
    "$..*",
    "$.*",
    "$.b[*]",
    "$[0]",
    "[3]",
    "$['a','c']",
    "$.c.d",
    "$.new",
    "$.c.new.deep",
    "$..[?(@.a>1)]",
    "$.b[?(@ == 2)]",
    "$..[?(@.a =~ '(a+)+$')]",
    "$.b[::0]",
    "$.a + 1",
    "$[",
    "$..",
    "",
];

/// A word that a command about documents may take: its own options are in its grammar.
fn about_documents(rng: &mut Rng) -> Vec<u8> {
    match rng.below(8) {
        0..3 => pick(rng, &DOCUMENTS).as_bytes().to_vec(),
        3..7 => pick(rng, &PATHS).as_bytes().to_vec(),
        _ => any(rng),
    }
}

/// Fills an empty database with those keys.
#[allow(dead_code)] // each test program uses a part
pub fn dataset() -> Vec<Vec<Vec<u8>>> {
    let many = |name: &str, key: &str, each: fn(usize) -> String, count: usize| {
        let mut words = vec![name.to_owned(), key.to_owned()];
        words.extend(
            (0..count)
                .map(each)
                .flat_map(|word| word.split(' ').map(str::to_owned).collect::<Vec<_>>()),
        );
        words.into_iter().map(String::into_bytes).collect::<Vec<_>>()
    };
    let pair = |n: usize| format!("{n}.5 m{n}");
    let words = |text: &str| text.split(' ').map(|word| word.as_bytes().to_vec()).collect();
    let mut all: Vec<Vec<Vec<u8>>> =
        (1..300).map(|n| words(&format!("XADD e {n}-1 f {n}"))).collect();
    // Groups are drawn from the words, too.
    all.push(words("XGROUP CREATE e x 0"));
    all.push(words("XREADGROUP GROUP x x COUNT 150 STREAMS e >"));
    all.extend(vec![
        vec![b"SET".to_vec(), b"s".to_vec(), b"abcabc".to_vec()],
        vec![b"SET".to_vec(), b"n".to_vec(), b"9223372036854775800".to_vec()],
        vec![b"SET".to_vec(), b"S".to_vec(), b"ab".repeat(20_000)],
        many("PFADD", "p", |n| format!("{n}"), 20),
        many("PFADD", "P", |n| format!("{n}"), 5_000),
        many("PFADD", "q", |n| format!("{n}"), 20),
        vec![b"SETRANGE".to_vec(), b"q".to_vec(), b"30".to_vec(), b"\x7f\x7f".to_vec()],
        many("GEOADD", "g", |n| format!("{}.5 {}.5 m{n}", n % 170, n % 80), 300),
        many("RPUSH", "l", |n| format!("{n}"), 5),
        many("RPUSH", "L", |n| format!("element{n}"), 2_000),
        many("HSET", "h", |n| format!("f{n} {n}"), 5),
        many("HSET", "H", |n| format!("f{n} v{n}"), 1_000),
        many("SADD", "t", |n| format!("m{n}"), 5),
        many("SADD", "i", |n| format!("{n}"), 300),
        many("SADD", "T", |n| format!("m{n}"), 1_000),
        many("ZADD", "z", pair, 5),
        many("ZADD", "Z", pair, 1_000),
        many("ZADD", "ZZ", |n| format!("0 m{n}"), 300),
    ]);
    let large: Vec<String> =
        (0..500).map(|n| format!("{{\"a\":{n},\"b\":[{n},1.5],\"c\":\"word {n}\"}}")).collect();
    let large = format!("[{}]", large.join(","));
    for (key, text) in [(b"j", DOCUMENTS[8]), (b"J", large.as_str())] {
        let parts = vec![ModulePart::String(text.as_bytes().to_vec())];
        let id = Module::id_of("ReJSON-RL", 2).unwrap();
        let value = Value::Module(Module { id, parts });
        let payload = dump::encode(&mut Encoder::new(Limits::default(), false), &value);
        all.push(vec![b"RESTORE".to_vec(), key.to_vec(), b"0".to_vec(), payload]);
    }
    all
}

pub fn pick<'a, T: ?Sized>(rng: &mut Rng, list: &[&'a T]) -> &'a T {
    list[rng.below(list.len())]
}

/// A word of any kind.
pub fn any(rng: &mut Rng) -> Vec<u8> {
    match rng.below(10) {
        0..4 => pick(rng, &NUMBERS).as_bytes().to_vec(),
        4..7 => pick(rng, &KEYS).to_vec(),
        7 => vec![b'y'; [63, 64, 65, 4_096, 4_097, 20_000][rng.below(6)]],
        _ => pick(rng, &WORDS).to_vec(),
    }
}

/// A request for `entry`: by its grammar with wild values, or its name with wild words.
pub fn request(rng: &mut Rng, entry: &Entry) -> Vec<Vec<u8>> {
    let mut words: Vec<Vec<u8>> =
        entry.name().split('|').map(|word| word.as_bytes().to_vec()).collect();
    if rng.below(3) > 0 {
        let string = if entry.name().starts_with("json.") { about_documents } else { any };
        for arg in &entry.syntax.arguments {
            expand(rng, arg, string, &mut words);
        }
        if rng.below(5) == 0 && words.len() > 1 {
            let at = 1 + rng.below(words.len() - 1);
            words[at] = any(rng);
        }
    } else {
        (0..rng.below(7)).for_each(|_| words.push(any(rng)));
    }
    words
}

fn expand(rng: &mut Rng, arg: &Arg, string: fn(&mut Rng) -> Vec<u8>, words: &mut Vec<Vec<u8>>) {
    if arg.optional && rng.below(2) == 0 {
        return;
    }
    let times = if arg.multiple { 1 + rng.below(4) } else { 1 };
    for time in 0..times {
        if let Some(token) = &arg.token
            && (time == 0 || arg.multiple_token)
        {
            words.push(token.as_bytes().to_vec());
        }
        match &arg.kind {
            Kind::PureToken => {}
            Kind::Key(_) => words.push(pick(rng, &KEYS).to_vec()),
            // A small number of keys is often the right one.
            Kind::Integer if arg.name == "numkeys" && rng.below(4) > 0 => {
                words.push((1 + rng.below(3)).to_string().into_bytes());
            }
            Kind::Integer | Kind::Double | Kind::UnixTime => {
                words.push(pick(rng, &NUMBERS).as_bytes().to_vec());
            }
            Kind::String | Kind::Pattern(_) => words.push(string(rng)),
            Kind::OneOf(choices) => {
                let at = rng.below(choices.len());
                expand(rng, &choices[at], string, words);
            }
            Kind::Block(args) => {
                args.iter().for_each(|arg| expand(rng, arg, string, words));
            }
        }
    }
}
