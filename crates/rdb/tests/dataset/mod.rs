//! Values of every type and size, as commands for a server.
#![allow(dead_code)] // each test program uses a part

use testkit::oracle::Client;
use testkit::transcript::words;

/// Numbers that look random, the same in every run.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// A string of one of many kinds: integers of all widths, text that compresses, bytes.
pub fn word(numbers: &mut Numbers, longest: u64) -> Vec<u8> {
    match numbers.below(9) {
        0 => numbers.below(300).to_string().into_bytes(),
        1 => (numbers.below(70_000) as i64 - 35_000).to_string().into_bytes(),
        2 => ((numbers.next() as i64) >> numbers.below(60)).to_string().into_bytes(),
        3 => format!("0{}", numbers.below(100)).into_bytes(),
        4 => b"la ".repeat(numbers.below(longest / 3 + 1) as usize),
        5 => (0..numbers.below(longest)).map(|_| numbers.below(256) as u8).collect(),
        6 => (0..numbers.below(longest)).map(|_| b'a' + numbers.below(3) as u8).collect(),
        _ => format!("word-{}", numbers.below(1000)).into_bytes(),
    }
}

pub fn score(numbers: &mut Numbers) -> String {
    match numbers.below(8) {
        0 => "inf".into(),
        1 => "-inf".into(),
        2 => format!("{}", numbers.below(1000) as i64 - 500),
        3 => format!("{}", numbers.below(1 << 60)),
        4 => "-0.0".into(),
        5 => ["1e-310", "4611686018427387904", "-4611686018427387904", "4611686018427388928"]
            [numbers.below(4) as usize]
            .into(),
        _ => format!("{}", numbers.next() as f64 / 1e7 - 5e11),
    }
}

fn send(client: &mut Client, command: &str, key: &str, words: &[Vec<u8>]) {
    let mut all: Vec<&[u8]> = vec![command.as_bytes(), key.as_bytes()];
    all.extend(words.iter().map(Vec::as_slice));
    client.add(&all);
}

/// Fills the current database with collections of `count` elements and strings up to `longest`
/// bytes, under names with this prefix.
pub fn collections(
    client: &mut Client,
    numbers: &mut Numbers,
    name: &str,
    count: u64,
    longest: u64,
) {
    let words =
        |numbers: &mut Numbers| (0..count).map(|_| word(numbers, longest)).collect::<Vec<_>>();
    let elements = words(numbers);
    send(client, "RPUSH", &format!("{name}:list"), &elements);
    send(client, "SADD", &format!("{name}:set"), &elements);
    let integers: Vec<_> = (0..count)
        .map(|_| ((numbers.next() as i64) >> numbers.below(64)).to_string().into_bytes())
        .collect();
    send(client, "SADD", &format!("{name}:intset"), &integers);
    let small: Vec<_> = (0..count).map(|n| n.to_string().into_bytes()).collect();
    send(client, "SADD", &format!("{name}:smallset"), &small);
    let fields: Vec<_> = words(numbers).into_iter().flat_map(|w| [w.clone(), w]).collect();
    send(client, "HSET", &format!("{name}:hash"), &fields);
    let scored: Vec<_> = words(numbers)
        .into_iter()
        .flat_map(|member| [score(numbers).into_bytes(), member])
        .collect();
    send(client, "ZADD", &format!("{name}:zset"), &scored);
    for (n, element) in elements.iter().enumerate().take(30) {
        send(client, "SET", &format!("{name}:string:{n}"), std::slice::from_ref(element));
    }
    stream(client, numbers, &format!("{name}:stream"), count, longest);
}

fn stream(client: &mut Client, numbers: &mut Numbers, key: &str, count: u64, longest: u64) {
    let mut ms = 1;
    for n in 0..count {
        ms += numbers.below(3) * numbers.below(1 << 20);
        let id = format!("{ms}-{}", n + numbers.below(1));
        let mut words = vec![id.into_bytes()];
        for field in 0..1 + numbers.below(3) {
            words.push(format!("field{}", field + numbers.below(2) * 10).into_bytes());
            words.push(word(numbers, longest));
        }
        send(client, "XADD", key, &words);
    }
}

/// Consumer groups with pending entries, deleted entries, and an empty stream.
pub fn groups(client: &mut Client, key: &str) {
    for line in [
        "XADD KEY 5-0 a 1",
        "XADD KEY 5-1 a 2",
        "XADD KEY 6-0 b 3",
        "XADD KEY 7-9 b 4",
        "XGROUP CREATE KEY first 0",
        "XGROUP CREATE KEY second 5-1 ENTRIESREAD 2",
        "XGROUP CREATE KEY idle $",
        "XREADGROUP GROUP first ann COUNT 2 STREAMS KEY >",
        "XREADGROUP GROUP first bob COUNT 1 STREAMS KEY >",
        "XREADGROUP GROUP second ann STREAMS KEY >",
        "XREADGROUP GROUP first ann STREAMS KEY 0",
        "XGROUP CREATECONSUMER KEY first carl",
        "XACK KEY second 6-0",
        "XDEL KEY 5-1",
        "XADD KEY:empty 3-3 a b",
        "XGROUP CREATE KEY:empty g 0",
        "XTRIM KEY:empty MAXLEN 0",
        "XSETID KEY:empty 9-9",
    ] {
        let line = line.replace("KEY", key);
        client.add(&words(&line));
    }
}

/// Everything: all databases, all types, sizes on both sides of all limits, deadlines, functions.
pub fn everything(client: &mut Client) {
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    for db in 0..16 {
        client.add(&[b"SELECT", db.to_string().as_bytes()]);
        if db == 9 {
            continue; // one stays empty
        }
        let count = [3, 1, 20, 130][db % 4];
        collections(client, &mut numbers, "few", count, 60);
        client.add(&[b"PEXPIREAT", b"few:hash", b"4000000000123"]);
        client.add(&[b"PEXPIREAT", b"few:string:0", b"4000000000000"]);
    }
    client.add(&[b"SELECT", b"0"]);
    collections(client, &mut numbers, "long", 40, 3000);
    collections(client, &mut numbers, "many", 700, 100);
    groups(client, "groups");
    let big: Vec<u8> = (0..300_000).map(|_| numbers.below(7) as u8).collect();
    client.add(&[b"SET", b"big", &big]);
    client.add(&[b"SET", b"zeros", &vec![0; 100_000]]);
    client.add(&[b"RPUSH", b"biglist", &big, b"small", &big[..9000], &big[..5000], b"7"]);
    client.add(&[b"SET", b"empty", b""]);
    client.add(&[b"SADD", b"mixed", b"1", b"2", b"x"]);
    client.add(&[b"SREM", b"mixed", b"x"]);
    client.add(&[b"HSET", &[0, 255, b'\n'], b"", b""]);
    for library in ["one", "two"] {
        let code = format!(
            "#!lua name={library}\nredis.register_function('f_{library}', function() return 1 end)"
        );
        client.add(&[b"FUNCTION", b"LOAD", code.as_bytes()]);
    }
    for reply in client.run() {
        assert!(reply[0].first() != Some(&b'-'), "{}", reply[0].escape_ascii());
    }
}
