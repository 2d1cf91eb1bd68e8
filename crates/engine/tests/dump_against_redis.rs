//! DUMP answers the bytes that redis-server answers for the same value, and each restores what
//! the other has dumped.
#![allow(clippy::unwrap_used)] // a test says why by failing

use testkit::oracle::{Client, Oracle};
use testkit::transcript::request;

use crate::test_client::{TestClient, engine};

/// Kvist and redis-server, asked the same.
struct Both {
    ours: TestClient,
    theirs: Client,
}

impl Both {
    fn new(oracle: &Oracle) -> Self {
        Both { ours: TestClient::new(&engine()), theirs: Client::new(oracle) }
    }

    fn ours(&mut self, words: &[&[u8]]) -> Vec<u8> {
        let mut out = Vec::new();
        self.ours.worker.execute(&mut self.ours.session, words, &mut out);
        out
    }

    /// The one string that ours answers.
    fn our_string(&mut self, words: &[&[u8]]) -> Vec<u8> {
        let reply = self.ours(words);
        assert_eq!(reply[0], b'$', "{}", reply.escape_ascii());
        let at = reply.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        reply[at..reply.len() - 2].to_vec()
    }

    /// Tells both, which must answer with the same line; the line.
    fn tell(&mut self, words: &[&[u8]]) -> String {
        let ours = self.ours(words);
        let theirs = self.theirs.ask(words);
        let theirs = [&theirs[0][..], b"\r\n"].concat();
        let shown: Vec<String> = words.iter().map(|word| word.escape_ascii().to_string()).collect();
        assert_eq!(ours.escape_ascii().to_string(), theirs.escape_ascii().to_string(), "{shown:?}");
        ours.escape_ascii().to_string()
    }

    fn both_dump(&mut self, key: &str) -> [Vec<u8>; 2] {
        let words: [&[u8]; 2] = [b"DUMP", key.as_bytes()];
        [self.our_string(&words), self.theirs.ask(&words).pop().unwrap()]
    }

    /// Everything about a key but its dump, as the same requests show it.
    fn same_content(&mut self, key: &str) {
        let key = key.as_bytes();
        let kind = self.tell(&[b"TYPE", key]);
        self.same_string(&[b"OBJECT", b"ENCODING", key]);
        let sorted = [b"SORT", key, b"ALPHA"];
        let words: &[&[u8]] = match kind.trim_start_matches('+').trim_end_matches("\\r\\n") {
            "string" => return self.same_string(&[b"GET", key]),
            "list" => &[b"LRANGE", key, b"0", b"-1"],
            "set" => &sorted,
            "zset" => &[b"ZRANGE", key, b"0", b"-1", b"WITHSCORES"],
            "hash" => return self.same_hash(key),
            "stream" => return self.same_stream(key),
            other => panic!("{other}"),
        };
        let theirs = self.theirs.ask(words);
        let ours = self.flat(words);
        assert!(ours == theirs, "{}", key.escape_ascii());
    }

    fn same_string(&mut self, words: &[&[u8]]) {
        let theirs = self.theirs.ask(words).pop().unwrap();
        assert_eq!(self.our_string(words), theirs);
    }

    /// The servers have not been asked in the same second.
    fn same_idle_time(&mut self, key: &[u8]) {
        let words: [&[u8]; 3] = [b"OBJECT", b"IDLETIME", key];
        let [ours, theirs] = [self.flat(&words), self.theirs.ask(&words)].map(|reply| {
            let digits = reply[0].strip_prefix(b":")?;
            std::str::from_utf8(digits).ok()?.parse::<u64>().ok()
        });
        let near = ours.zip(theirs).is_none_or(|(ours, theirs)| ours.abs_diff(theirs) <= 1);
        assert!(near && ours.is_some() == theirs.is_some(), "{ours:?} and {theirs:?}");
    }

    /// When a consumer was seen is a matter of clocks.
    fn same_stream(&mut self, key: &[u8]) {
        let words: [&[u8]; 6] = [b"XINFO", b"STREAM", key, b"FULL", b"COUNT", b"0"];
        let [ours, theirs] = [self.flat(&words), self.theirs.ask(&words)].map(|mut parts| {
            for at in 1..parts.len() {
                if parts[at - 1] == b"seen-time" {
                    parts[at] = Vec::new();
                }
            }
            let shown = |part: &Vec<u8>| part.escape_ascii().to_string();
            parts.iter().map(shown).collect::<Vec<_>>()
        });
        assert_eq!(ours, theirs, "{}", key.escape_ascii());
    }

    fn same_hash(&mut self, key: &[u8]) {
        let words = [b"HGETALL", key];
        let [ours, theirs] = [self.flat(&words), self.theirs.ask(&words)].map(|parts| {
            let mut pairs: Vec<_> = parts[1..].chunks(2).map(<[_]>::to_vec).collect();
            pairs.sort();
            pairs
        });
        assert!(ours == theirs, "{}", key.escape_ascii());
    }

    /// Our reply in the flat form of the client's.
    fn flat(&mut self, words: &[&[u8]]) -> Vec<Vec<u8>> {
        let reply = self.ours(words);
        let (mut parts, mut rest) = (Vec::new(), &reply[..]);
        while !rest.is_empty() {
            let end = rest.windows(2).position(|pair| pair == b"\r\n").unwrap();
            let (line, tail) = (&rest[..end], &rest[end + 2..]);
            rest = tail;
            let length = line.strip_prefix(b"$").and_then(|text| std::str::from_utf8(text).ok());
            if let Some(len) = length.and_then(|text| text.parse::<usize>().ok()) {
                parts.push(rest[..len].to_vec());
                rest = &rest[len + 2..];
            } else {
                parts.push(line.to_vec());
            }
        }
        parts
    }
}

/// What makes the keys, one list per key: its name is the second word of each.
fn makings() -> Vec<Vec<Vec<Vec<u8>>>> {
    let mut keys: Vec<Vec<Vec<Vec<u8>>>> = [
        &["SET s:text hello"][..],
        &["SET s:byte 127"],
        &["SET s:neg -129"],
        &["SET s:word 32768"],
        &["SET s:int -2147483648"],
        &["SET s:long 2147483648"],
        &["SET s:longest -9223372036854775808"],
        &["SET s:padded 007"],
        &["SET s:minus -0"],
        &["APPEND s:grown 12", "APPEND s:grown 34"],
        &["RPUSH l:few a 1 300 -7 70000 -8388609 99999999999"],
        &["LPUSH l:left a b c", "RPUSH l:left d", "LINSERT l:left BEFORE a x", "LREM l:left 1 b"],
        &["SADD i:few 1 -2 3"],
        &["SADD i:wide 1 70000 -5"],
        &["SADD i:widest 1 9223372036854775807"],
        &["SADD t:one x"],
        &["HSET h:few a 1 b 2 c hello", "HSET h:few b 20000", "HDEL h:few a", "HSET h:few a again"],
        &["ZADD z:few 1 a 2 b -3.5 c 0.1 d 1e300 e inf f -inf g", "ZADD z:few 9 a", "ZREM z:few b"],
        &["ZADD z:ties 0 b 0 a 0 c"],
        &["ZADD z:huge 4611686018427387904 a 4611686018427388928 b 1e17 c 123456789012345678 d"],
    ]
    .iter()
    .map(|lines| lines.iter().map(|line| request(line)).collect())
    .collect();
    for (name, bytes) in [
        ("s:empty", Vec::new()),
        ("s:twenty", vec![b'x'; 20]),
        ("s:repeats", b"to be or not to be ".repeat(30)),
        ("s:runs", vec![b'x'; 5000]),
        ("s:bytes", (0..=255).collect()),
        ("s:mixed", (0..40_000_u32).flat_map(|n| (n * n / 7).to_le_bytes()).collect()),
    ] {
        keys.push(vec![vec![b"SET".to_vec(), name.into(), bytes]]);
    }
    let wide = |command: &str, key: &str, words: &mut dyn Iterator<Item = String>| {
        let mut request = vec![command.as_bytes().to_vec(), key.as_bytes().to_vec()];
        request.extend(words.map(String::into_bytes));
        vec![request]
    };
    let long = |n: usize| format!("{n}-{}", "pad".repeat(n % 30));
    keys.push(wide("RPUSH", "l:nodes", &mut (0..3000).map(long)));
    keys.push(wide(
        "RPUSH",
        "l:big",
        &mut [9000, 10, 8180, 3, 8193].map(|n| "y".repeat(n)).into_iter(),
    ));
    keys.push(wide("SADD", "i:full", &mut (0..512).map(|n| (n * 1000).to_string())));
    keys.push(wide("SADD", "t:many", &mut (0..900).map(long)));
    keys.push(wide("HSET", "h:full", &mut (0..512).flat_map(|n| [format!("f{n}"), n.to_string()])));
    keys.push(wide("HSET", "h:many", &mut (0..600).flat_map(|n| [format!("f{n}"), long(n)])));
    keys.push(wide(
        "ZADD",
        "z:full",
        &mut (0..128).flat_map(|n| [format!("{}.5", n % 9), long(n % 9)]),
    ));
    keys.push(wide("ZADD", "z:many", &mut (0..500).flat_map(|n| [format!("{}", n % 50), long(n)])));
    keys
}

/// Whether equal values have equal dumps: not those that lie in hash tables, which have no order.
fn ordered(key: &str) -> bool {
    !matches!(key, "t:many" | "h:many" | "e:groups")
}

fn key_of(request: &[Vec<u8>]) -> String {
    let at = if request[0] == b"XGROUP" { 2 } else { 1 };
    String::from_utf8(request[at].clone()).unwrap()
}

/// Streams whose nodes are cut, thinned and trimmed in many ways.
fn streams() -> Vec<Vec<Vec<Vec<u8>>>> {
    let lines =
        |lines: Vec<String>| lines.iter().map(|line| request(line)).collect::<Vec<Vec<Vec<u8>>>>();
    let add = |key: &str, n: usize| match n % 7 {
        0 => format!("XADD {key} {n}-{n} other {n} field {}", "x".repeat(n % 90)),
        1 => format!("XADD {key} {n}-* a {} b 123456789012", "y".repeat(n % 300)),
        _ => format!("XADD {key} {n}-{} a -{n} b text", n * n),
    };
    let adds = |key: &str, count: usize| (1..count).map(|n| add(key, n)).collect::<Vec<_>>();
    let mut thinned = adds("e:thin", 350);
    thinned.extend((1..350).step_by(3).map(|n| format!("XDEL e:thin {n}-{} {n}-{n}", n * n)));
    thinned.push("XTRIM e:thin MAXLEN 150".to_owned());
    let mut trimmed = adds("e:trim", 500);
    trimmed.push("XTRIM e:trim MINID ~ 333".to_owned());
    trimmed.push("XSETID e:trim 1000-1 ENTRIESADDED 7000 MAXDELETEDID 90-1".to_owned());
    let groups = [
        "XGROUP CREATE e:groups g 0 MKSTREAM",
        "XADD e:groups 1-1 f v",
        "XADD e:groups 2-1 f v",
        "XADD e:groups 3-1 f v",
        "XGROUP CREATE e:groups late 2-1 ENTRIESREAD 2",
        "XGROUP CREATECONSUMER e:groups g idler",
        "XCLAIM e:groups g one 0 1-1 2-1 TIME 500000 RETRYCOUNT 7 FORCE JUSTID LASTID 2-1",
        "XCLAIM e:groups g two 0 3-1 TIME 400000 RETRYCOUNT 1 FORCE JUSTID",
        "XDEL e:groups 2-1",
    ];
    vec![
        lines(adds("e:few", 4)),
        lines(adds("e:many", 1000)),
        lines(thinned),
        lines(trimmed),
        lines(vec!["XADD e:gone 1-1 f v".to_owned(), "XDEL e:gone 1-1".to_owned()]),
        lines(groups.map(str::to_owned).to_vec()),
    ]
}

#[test]
fn dumps_are_alike_and_restore_on_either_side() {
    let Some(oracle) = Oracle::start(&[]) else { return };
    let mut both = Both::new(&oracle);
    for requests in makings().into_iter().chain(streams()) {
        let key = key_of(&requests[0]);
        for request in &requests {
            let words: Vec<&[u8]> = request.iter().map(Vec::as_slice).collect();
            let theirs = both.theirs.ask(&words);
            assert_eq!(both.flat(&words), theirs, "{}", words.concat().escape_ascii());
        }
        let [ours, theirs] = both.both_dump(&key);
        if ordered(&key) {
            let (ours, theirs) =
                (ours.escape_ascii().to_string(), theirs.escape_ascii().to_string());
            assert_eq!(ours, theirs, "{key}");
        }
        both.same_content(&key);
        // Each side restores what the other has dumped.
        let swap = |both: &mut Both, ours: &[u8], theirs: &[u8]| {
            let head: [&[u8]; 3] = [b"RESTORE", key.as_bytes(), b"0"];
            let reply = both.ours(&[&head[..], &[theirs, b"REPLACE"]].concat());
            assert_eq!(reply, b"+OK\r\n", "{key}");
            let reply = both.theirs.ask(&[&head[..], &[ours, b"REPLACE"]].concat());
            assert_eq!(reply, [b"+OK"], "{key}");
        };
        swap(&mut both, &ours, &theirs);
        both.same_content(&key);
        let [ours, theirs] = both.both_dump(&key);
        swap(&mut both, &ours, &theirs);
        both.same_content(&key);
    }
    let missing: [&[u8]; 2] = [b"DUMP", b"missing"];
    both.tell(&missing);
}

#[test]
fn errors_and_their_order() {
    let Some(oracle) = Oracle::start(&[]) else { return };
    let mut both = Both::new(&oracle);
    both.tell(&[b"SET", b"k", b"v"]);
    let [payload, _] = both.both_dump("k");
    let mut broken = payload.clone();
    broken[2] ^= 1;
    let sealed = |bytes: &[u8]| rdb_seal(bytes);
    let payloads: [&[u8]; 12] = [
        &payload,
        &broken,
        b"",
        b"short",
        &sealed(b""),
        &sealed(b"\xc8"),
        &sealed(b"\x00\x3fab"),
        &sealed(b"\x01\x00"),
        &sealed(b"\x02\x02\x01a\x01a"),
        &sealed(b"\x05\x01\x01a\x00\x00\x00\x00\x00\x00\xf8\x7f"),
        &sealed(b"\x00\x01v and more"),
        &payload[..payload.len() - 1],
    ];
    let options: [&[&[u8]]; 18] = [
        &[],
        &[b"REPLACE"],
        &[b"ABSTTL"],
        &[b"absttl", b"replace"],
        &[b"IDLETIME", b"1000"],
        &[b"IDLETIME", b"1000", b"IDLETIME", b"20"],
        &[b"IDLETIME"],
        &[b"IDLETIME", b"-1"],
        &[b"IDLETIME", b"x"],
        &[b"FREQ", b"255"],
        &[b"FREQ", b"256"],
        &[b"FREQ", b"-1"],
        &[b"FREQ", b"x"],
        &[b"FREQ"],
        &[b"FREQ", b"1", b"IDLETIME", b"1"],
        &[b"IDLETIME", b"1", b"FREQ", b"1"],
        &[b"FOO"],
        &[b"REPLACE", b"IDLETIME", b"77", b"FOO"],
    ];
    let ttls: [&[u8]; 9] = [
        b"0",
        b"-1",
        b"x",
        b"",
        b"1.5",
        b"4000000000000",
        b"9223372036854775807",
        b"9223372036854775808",
        b"+5",
    ];
    for key in [&b"k"[..], b"fresh"] {
        for payload in payloads {
            for options in options {
                for ttl in ttls {
                    both.tell(&[&[b"RESTORE", key, ttl, payload], options].concat());
                    both.tell(&[b"EXISTS", key]);
                    both.same_idle_time(key);
                    both.tell(&[b"DEL", b"fresh"]);
                    both.tell(&[b"SET", b"k", b"v"]);
                }
            }
        }
    }
    both.tell(&[b"RESTORE", b"k", b"0"]);
    both.tell(&[b"DUMP"]);
    both.tell(&[b"DUMP", b"a", b"b"]);
}

/// A payload of these bytes.
fn rdb_seal(bytes: &[u8]) -> Vec<u8> {
    rdb::dump::seal(bytes.to_vec())
}

#[test]
fn deadlines_relative_and_absolute() {
    let Some(oracle) = Oracle::start(&[]) else { return };
    let mut both = Both::new(&oracle);
    both.tell(&[b"SET", b"k", b"v"]);
    let [payload, _] = both.both_dump("k");
    both.tell(&[b"RESTORE", b"far", b"4000000000000", &payload, b"ABSTTL"]);
    both.tell(&[b"PEXPIRETIME", b"far"]);
    both.tell(&[b"RESTORE", b"far", b"0", &payload, b"ABSTTL", b"REPLACE"]);
    both.tell(&[b"PEXPIRETIME", b"far"]);
    // Long past: nothing is made, and what was there goes.
    both.tell(&[b"RESTORE", b"past", b"1", &payload, b"ABSTTL"]);
    both.tell(&[b"EXISTS", b"past"]);
    both.tell(&[b"RESTORE", b"far", b"1", &payload, b"ABSTTL", b"REPLACE"]);
    both.tell(&[b"EXISTS", b"far"]);
    both.tell(&[b"RESTORE", b"late", b"9223372036854775807", &payload, b"ABSTTL"]);
    both.tell(&[b"PEXPIRETIME", b"late"]);
    let ours = both.ours(&[b"RESTORE", b"soon", b"5000", &payload]);
    assert_eq!(ours, b"+OK\r\n");
    assert_eq!(both.ours(&[b"PEXPIRETIME", b"soon"]), b":1005000\r\n");
}
