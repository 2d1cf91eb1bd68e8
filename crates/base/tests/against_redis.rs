//! Numbers and patterns compared with a real redis-server, tens of thousands of random ones.

use kvist_base::num::{LongDouble, format_f64, parse_bound, parse_f64, parse_i64};
use kvist_base::{Rng, glob};
use testkit::oracle::{Client, Oracle};

const BATCH: usize = 500;

fn digits(rng: &mut Rng, longest: usize) -> String {
    let len = rng.below(longest + 1);
    (0..len).map(|_| char::from(b"0123456789"[rng.below(10)])).collect()
}

/// Numbers of every kind a client might write, valid or nearly so.
fn number(rng: &mut Rng) -> String {
    let sign = ["", "", "", "-", "-", "+"][rng.below(6)];
    let magnitude = match rng.below(12) {
        0 => digits(rng, 20),
        1 => format!("{}.{}", digits(rng, 4), digits(rng, 20)),
        2 => format!("{}.{}", digits(rng, 20), digits(rng, 4)),
        3 => format!("{}.{}e{}", digits(rng, 2), digits(rng, 18), rng.below(40)),
        4 => format!("{}.{}E-{}", digits(rng, 2), digits(rng, 25), rng.below(40)),
        5 => format!("{}e{}", digits(rng, 30), rng.below(330)),
        6 => format!("{}e-{}", digits(rng, 30), rng.below(370)),
        7 => format!(
            "0x{:x}.{:x}p{}",
            rng.next_u64() >> rng.below(64),
            rng.below(9999),
            rng.below(90)
        ),
        8 => format!("0X{:X}P-{}", rng.next_u64() >> rng.below(64), rng.below(1100)),
        9 => f64::from_bits(rng.next_u64()).abs().to_string(),
        10 => format!("0.{}{}", "0".repeat(rng.below(20)), rng.below(1000)),
        _ => {
            let alphabet = b"0123456789.exp+- infNAN\0";
            (0..rng.below(8)).map(|_| char::from(alphabet[rng.below(alphabet.len())])).collect()
        }
    };
    format!("{sign}{magnitude}")
}

/// Numbers far beyond doubles, near the ends of the extended format.
fn extreme(rng: &mut Rng) -> String {
    let sign = ["", "-"][rng.below(2)];
    let magnitude = match rng.below(5) {
        0 => format!("{}e{}", digits(rng, 30), 4900 + rng.below(50)),
        1 => format!("{}.{}e-{}", digits(rng, 3), digits(rng, 30), 4900 + rng.below(60)),
        2 => format!("0x{:x}p{}", rng.next_u64(), 16300 + rng.below(40)),
        3 => format!("{}e-{}", digits(rng, 400), rng.below(1000)),
        _ => format!("1{}.{}", "0".repeat(rng.below(25)), digits(rng, 30)),
    };
    format!("{sign}{magnitude}")
}

fn incr_by_float(a: &str, b: &str) -> Vec<u8> {
    const NOT_FLOAT: &[u8] = b"-ERR value is not a valid float";
    const NAN: &[u8] = b"-ERR increment would produce NaN or Infinity";
    let (Some(a), Some(b)) = (LongDouble::parse(a.as_bytes()), LongDouble::parse(b.as_bytes()))
    else {
        return NOT_FLOAT.to_vec();
    };
    a.checked_add(b).map_or(NAN.to_vec(), |sum| sum.to_string().into_bytes())
}

#[test]
fn incrbyfloat_is_bit_exact() {
    let Some(redis) = Oracle::start(&[]) else { return };
    let (mut client, mut rng) = (Client::new(&redis), Rng::new(11));
    for round in 0..120 {
        let pick = if round % 6 == 5 { extreme } else { number };
        let pairs: Vec<_> = (0..BATCH).map(|_| (pick(&mut rng), pick(&mut rng))).collect();
        for (a, b) in &pairs {
            client.add(&[b"SET", b"k", a.as_bytes()]);
            client.add(&[b"INCRBYFLOAT", b"k", b.as_bytes()]);
        }
        let replies = client.run();
        for ((a, b), reply) in pairs.iter().zip(replies.chunks(2)) {
            let (ours, theirs) = (incr_by_float(a, b), &reply[1][0]);
            let shown = (ours.escape_ascii().to_string(), theirs.escape_ascii().to_string());
            assert_eq!(shown.0, shown.1, "{a:?} + {b:?}");
        }
    }
}

#[test]
fn incrbyfloat_walks_alike() {
    let Some(redis) = Oracle::start(&[]) else { return };
    let (mut client, mut rng) = (Client::new(&redis), Rng::new(12));
    client.add(&[b"SET", b"k", b"0"]);
    let steps: Vec<_> = (0..5000)
        .map(|_| format!("{}{}.{:03}", ["", "-"][rng.below(2)], rng.below(1000), rng.below(1000)))
        .collect();
    for step in &steps {
        client.add(&[b"INCRBYFLOAT", b"k", step.as_bytes()]);
    }
    let mut value = "0".to_owned();
    for (step, reply) in steps.iter().zip(&client.run()[1..]) {
        let sum = incr_by_float(&value, step);
        assert_eq!(sum, reply[0], "{value} + {step}");
        value = String::from_utf8(sum).unwrap();
    }
}

#[test]
fn scores_are_read_and_printed_alike() {
    // A packed sorted set keeps integral scores as integers and so forgets the sign of -0.
    let Some(redis) = Oracle::start(&["--zset-max-listpack-entries", "0"]) else { return };
    let (mut client, mut rng) = (Client::new(&redis), Rng::new(13));
    for _ in 0..80 {
        let texts: Vec<_> = (0..BATCH).map(|_| number(&mut rng)).collect();
        for text in &texts {
            client.add(&[b"DEL", b"z"]);
            client.add(&[b"ZADD", b"z", text.as_bytes(), b"m"]);
            client.add(&[b"ZSCORE", b"z", b"m"]);
            client.add(&[b"ZCOUNT", b"z", text.as_bytes(), text.as_bytes()]);
        }
        let replies = client.run();
        for (text, reply) in texts.iter().zip(replies.chunks(4)) {
            let ours = parse_f64(text.as_bytes()).map(|d| format_f64(d).into_bytes());
            let theirs = Some(reply[2][0].clone()).filter(|r| r != b"$-1");
            assert_eq!(ours, theirs, "{text:?}");
            let bound = parse_bound(text.as_bytes()).is_some();
            assert_eq!(bound, reply[3][0][0] == b':', "{text:?} as a bound");
        }
    }
}

#[test]
fn integers_are_read_alike() {
    let Some(redis) = Oracle::start(&[]) else { return };
    let (mut client, mut rng) = (Client::new(&redis), Rng::new(14));
    let texts: Vec<_> = (0..5000)
        .map(|_| match rng.below(3) {
            0 => rng.next_u64().cast_signed().to_string(),
            1 => format!("{}{}", ["", "-", "+", "0", " "][rng.below(5)], digits(&mut rng, 21)),
            _ => format!("{}922337203685477580{}", ["", "-"][rng.below(2)], rng.below(10)),
        })
        .collect();
    for text in &texts {
        client.add(&[b"SET", b"n", text.as_bytes()]);
        client.add(&[b"INCRBY", b"n", b"0"]);
    }
    for (text, reply) in texts.iter().zip(client.run().chunks(2)) {
        let ours = parse_i64(text.as_bytes()).map(|n| format!(":{n}").into_bytes());
        assert_eq!(ours, Some(reply[1][0].clone()).filter(|r| r[0] == b':'), "{text:?}");
    }
}

#[test]
fn patterns_match_alike() {
    let Some(redis) = Oracle::start(&[]) else { return };
    let (mut client, mut rng) = (Client::new(&redis), Rng::new(15));
    let alphabet = b"**??[]^-\\ab\xffAZz\0";
    let bytes = |rng: &mut Rng, from: &[u8], longest: usize| -> Vec<u8> {
        (0..rng.below(longest + 1)).map(|_| from[rng.below(from.len())]).collect()
    };
    for _ in 0..60 {
        let cases: Vec<_> = (0..BATCH)
            .map(|_| (bytes(&mut rng, alphabet, 9), bytes(&mut rng, b"aabb[]-\\\xff\0Z*", 6)))
            .filter(|(pattern, _)| pattern != b"*") // answered without matching
            .collect();
        for (pattern, text) in &cases {
            client.add(&[b"SET", text, b""]);
            client.add(&[b"KEYS", pattern]);
            client.add(&[b"DEL", text]);
        }
        for ((pattern, text), reply) in cases.iter().zip(client.run().chunks(3)) {
            let (p, t) = (pattern.escape_ascii(), text.escape_ascii());
            assert_eq!(glob::matches(pattern, text), reply[1][0] == b"*1", "{p} on {t}");
        }
    }
}

#[test]
fn patterns_without_case_match_alike() {
    let Some(redis) = Oracle::start(&[]) else { return };
    let (mut client, mut rng) = (Client::new(&redis), Rng::new(16));
    let alphabet = b"?[]^-\\saveSAVE\xff\xfe\x80Zz";
    for _ in 0..40 {
        // Redis looks names without wildcards up in its table, so begin with one.
        let patterns: Vec<Vec<u8>> = (0..BATCH)
            .map(|_| {
                let tail = (0..rng.below(9)).map(|_| alphabet[rng.below(alphabet.len())]);
                [&b"[S]"[..], &tail.collect::<Vec<u8>>(), &b"[^a]E"[..]].concat()
            })
            .collect();
        for pattern in &patterns {
            client.add(&[b"CONFIG", b"GET", pattern]);
        }
        for (pattern, reply) in patterns.iter().zip(client.run()) {
            let theirs = reply.iter().any(|part| part == b"save");
            let shown = pattern.escape_ascii();
            assert_eq!(glob::matches_ignore_case(pattern, b"save"), theirs, "{shown}");
        }
    }
}
