//! FUNCTION and FCALL, the same requests to Kvist and to a redis-server, in both protocols: the
//! replies must be the same to the byte. Libraries come in an arbitrary order; they are
//! compared sorted.
//!
//! `KVIST_SEED` repeats a run, `KVIST_ROUNDS` makes it longer.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::io::{Read, Write};
use std::net::TcpStream;

use base::{Protocol, Rng};
use testkit::oracle::Oracle;
use testkit::seed::{self, rng};
use wire::{ReplyParser, Value};

use crate::test_client::{TestClient, engine_with};

/// A redis-server that says exactly what it says.
struct Theirs {
    stream: TcpStream,
    parser: ReplyParser,
}

impl Theirs {
    fn ask(&mut self, words: &[&[u8]]) -> Value {
        self.stream.write_all(&wire::request(words)).unwrap();
        loop {
            if let Some(value) = self.parser.next_value().unwrap() {
                return value;
            }
            let mut chunk = [0; 16 << 10];
            let got = self.stream.read(&mut chunk).unwrap();
            assert!(got > 0, "redis-server has closed the connection");
            self.parser.feed(&chunk[..got]);
        }
    }
}

/// Both, side by side; ours with two threads.
struct Pair {
    theirs: Theirs,
    ours: [TestClient; 2],
    _oracle: Oracle,
}

fn parsed(bytes: &[u8]) -> Value {
    let mut parser = ReplyParser::default();
    parser.feed(bytes);
    parser.next_value().unwrap().unwrap()
}

/// Libraries and functions in an order.
fn sorted(value: Value) -> Value {
    match value {
        Value::Array(items) => {
            let mut items: Vec<Value> = items.into_iter().map(sorted).collect();
            if items.iter().all(|item| matches!(item, Value::Array(_) | Value::Map(_))) {
                items.sort_by_key(|item| format!("{item:?}"));
            }
            Value::Array(items)
        }
        Value::Map(pairs) => {
            Value::Map(pairs.into_iter().map(|(name, value)| (name, sorted(value))).collect())
        }
        other => other,
    }
}

impl Pair {
    fn start(protocol: Protocol) -> Option<Self> {
        let oracle = Oracle::start(&["--enable-debug-command", "yes"])?;
        let engine = engine_with("");
        let mut ours = [TestClient::new(&engine), TestClient::new(&engine)];
        let mut theirs = Theirs { stream: oracle.connect(), parser: ReplyParser::default() };
        if protocol == Protocol::Resp3 {
            theirs.ask(&[b"HELLO", b"3"]);
            ours.iter_mut().for_each(|client| client.session.speak(protocol));
        }
        Some(Pair { theirs, ours, _oracle: oracle })
    }

    fn ours(&mut self, client: usize, words: &[&[u8]]) -> Value {
        let TestClient { worker, session, .. } = &mut self.ours[client];
        let mut out = Vec::new();
        worker.begin(1_000_000);
        worker.execute(session, words, &mut out);
        parsed(&out)
    }

    /// The same request to both; what both answer.
    fn same(&mut self, words: &[&[u8]]) -> Value {
        let (theirs, ours) = (self.theirs.ask(words), self.ours(0, words));
        let shown: Vec<String> = words.iter().map(|word| word.escape_ascii().to_string()).collect();
        assert_eq!(sorted(ours), sorted(theirs.clone()), "{shown:?}");
        theirs
    }

    /// The same, but which of several names that are taken is told is arbitrary.
    fn alike_on(&mut self, client: usize, words: &[&[u8]]) {
        let (theirs, ours) = (self.theirs.ask(words), self.ours(client, words));
        let kind = |value: &Value| {
            let text = value.as_error().map(String::from_utf8_lossy);
            let text = text.filter(|text| text.ends_with(" already exists"));
            text.map(|text| text.split(' ').nth(1).unwrap_or_default().to_owned())
        };
        assert!(
            sorted(ours.clone()) == sorted(theirs.clone())
                || (kind(&ours).is_some() && kind(&ours) == kind(&theirs)),
            "{ours:?} {theirs:?}"
        );
    }

    fn say(&mut self, words: &[&str]) -> Value {
        self.same(&words.iter().map(|word| word.as_bytes()).collect::<Vec<_>>())
    }
}

fn both(test: impl Fn(&mut Pair)) {
    for protocol in [Protocol::Resp2, Protocol::Resp3] {
        let Some(mut pair) = Pair::start(protocol) else { return };
        test(&mut pair);
    }
}

const A: &str = "#!lua name=a\nredis.register_function('fa', function() return 1 end)";
const B: &str = "#!lua name=b\nredis.register_function{function_name='fb', callback=function(keys, \
                 args) return {#keys, args[1]} end, flags={'no-writes','allow-oom'}, \
                 description='d d'}";
const WRITES: &str = "#!lua name=w\nredis.register_function('w1', function(keys) return \
                      redis.call('set',keys[1],1) end)\nredis.register_function{\
                      function_name='w2', callback=function(keys) return \
                      redis.call('set',keys[1],2) end, flags={'no-writes'}}\n\
                      redis.register_function{function_name='w3', callback=function(keys) return \
                      redis.call('set',keys[1],3) end, flags={'allow-oom'}}\n\
                      redis.register_function{function_name='r', callback=function(keys) return \
                      redis.call('get',keys[1]) end, flags={'no-writes'}}";

#[test]
fn libraries_come_and_go() {
    both(|pair| {
        let other = "#!lua name=c\nredis.register_function('fa', function() return 1 end)";
        for words in [
            &["FUNCTION", "STATS"][..],
            &["FUNCTION", "LIST"],
            &["FUNCTION", "DUMP"],
            &["FUNCTION", "LOAD", A],
            &["FUNCTION", "LOAD", A],
            &["FUNCTION", "DUMP"],
            &["FUNCTION", "LOAD", "replace", A],
            &["FUNCTION", "LOAD", "xx", A],
            &["FUNCTION", "LOAD", "REPLACE"],
            &["FUNCTION", "LOAD", "replace", "REPLACE", A],
            &["FUNCTION", "LOAD", A, "REPLACE"],
            &["FUNCTION", "LOAD", "a\0b\r\nc", A],
            &["FUNCTION", "LOAD", other],
            &["FUNCTION", "LOAD", B],
            &["FUNCTION", "LIST"],
            &["FUNCTION", "LIST", "WITHCODE"],
            &["FUNCTION", "LIST", "withcode", "WITHCODE"],
            &["FUNCTION", "LIST", "LIBRARYNAME"],
            &["FUNCTION", "LIST", "LIBRARYNAME", "B"],
            &["FUNCTION", "LIST", "libraryname", "[b]", "withcode"],
            &["FUNCTION", "LIST", "libraryname", "b", "libraryname", "a"],
            &["FUNCTION", "LIST", "a\0b\r\nc"],
            &["FUNCTION", "STATS"],
            &["FUNCTION", "DELETE", "none"],
            &["FUNCTION", "DELETE", "B"],
            &["FUNCTION", "DELETE", "b"],
            &["FCALL", "fb", "0"],
            &["FUNCTION", "FLUSH", "xx"],
            &["FUNCTION", "FLUSH", "sync", "sync"],
            &["FLUSHALL"],
            &["FCALL", "fa", "0"],
            &["FUNCTION", "FLUSH", "async"],
            &["FCALL", "fa", "0"],
            &["FUNCTION", "FLUSH", "SYNC"],
            &["FUNCTION", "FLUSH"],
            &["FUNCTION", "KILL"],
            &["FUNCTION", "XX"],
            &["FUNCTION"],
            &["FUNCTION", "LOAD"],
            &["FUNCTION", "DELETE", "a", "b"],
            &["FUNCTION", "DUMP", "a"],
            &["FUNCTION", "STATS", "a"],
            &["FUNCTION", "RESTORE"],
            &["MULTI"],
            &["FUNCTION", "LOAD", A],
            &["FUNCTION", "LIST"],
            &["FCALL", "fa", "0"],
            &["FUNCTION", "FLUSH"],
            &["FCALL", "fa", "0"],
            &["FUNCTION", "LOAD", B],
            &["EXEC"],
            &["FCALL", "fb", "1", "k", "v"],
            &["EVAL", "return redis.call('function','list')", "0"],
            &["EVAL", "return redis.call('function','load','x')", "0"],
        ] {
            pair.say(words);
        }
    });
}

#[test]
fn code_is_run_when_it_is_loaded() {
    let one = "redis.register_function('f', function() return 1 end)";
    let lines = [
        "redis.call('get','x')",
        "return redis.pcall('get','x')",
        "local x = 1",
        "redis.log(redis.LOG_WARNING, 'of a test') redis.setresp(3)",
        "redis.register_function('f', 1)",
        "redis.register_function()",
        "redis.register_function('f-f', function() end)",
        "redis.register_function{function_name='f', callback=function() end, flags={'xx'}}",
        "x = 1",
        "error('x')",
        "redis.register_function('f', function(",
        "return 1 return",
    ];
    let heads = [
        "",
        "abc",
        "#!lua",
        "#!lua\n",
        "#!lua name=t",
        "#!lua name=t x=y\n",
        "#!lua name=t name=x\n",
        "#!lua name=t-t\n",
        "#!lua name=\n",
        "#!lua name='t\n",
        "#!lua name=t\0\n",
        "#!xx name=t\n",
        "#! name=t\n",
        "#!LUA name=t\n",
        "#!lua NAME='t'\r\n",
    ];
    both(|pair| {
        for line in lines {
            pair.say(&["FUNCTION", "LOAD", &format!("#!lua name=t\n{line}")]);
            pair.say(&["FUNCTION", "LOAD", &format!("#!lua name=t\n{one}\n{line}")]);
        }
        for head in heads {
            pair.say(&["FUNCTION", "LOAD", "REPLACE", &format!("{head}{one}")]);
        }
        let twice = format!("#!lua name=t\n{one}\n{one}");
        pair.say(&["FUNCTION", "LOAD", &twice]);
        pair.say(&["FUNCTION", "LOAD", "#!lua name=t\nwhile true do end"]);
        pair.say(&["FUNCTION", "LIST"]);
        pair.say(&["FUNCTION", "STATS"]);
    });
}

#[test]
fn flags_say_what_a_function_may() {
    both(|pair| {
        pair.say(&["FUNCTION", "LOAD", WRITES]);
        pair.say(&["FUNCTION", "LIST"]);
        let calls = |pair: &mut Pair| {
            for function in ["w1", "w2", "w3", "r", "none"] {
                pair.say(&["FCALL", function, "1", "k"]);
                pair.say(&["FCALL_RO", function, "1", "k"]);
                for count in ["x", "5", "-1"] {
                    pair.say(&["FCALL", function, count, "k"]);
                }
            }
        };
        calls(pair);
        pair.say(&["CONFIG", "SET", "maxmemory", "1"]);
        calls(pair);
        pair.say(&["FUNCTION", "LOAD", "REPLACE", WRITES]);
        pair.say(&["FUNCTION", "RESTORE", ""]);
        pair.say(&["EVAL", "#!lua\nreturn 1", "x"]);
        pair.say(&["EVAL_RO", "#!lua\nreturn 1", "0"]);
        pair.say(&["EVAL", "#!lua flags=xx\nreturn 1", "0"]);
        pair.say(&["EVAL", "#!lua flags=allow-oom\nreturn 1", "0"]);
        pair.say(&["FUNCTION", "DELETE", "w"]);
        pair.say(&["CONFIG", "SET", "maxmemory", "0"]);
        calls(pair);
    });
}

fn bulk(value: &Value) -> Vec<u8> {
    value.as_bytes().unwrap_or_else(|| panic!("{value:?}")).to_vec()
}

/// As a payload has it.
fn string(text: &[u8]) -> Vec<u8> {
    let len = u16::try_from(text.len()).unwrap().to_be_bytes();
    [&[0x40 | len[0], len[1]], text].concat()
}

#[test]
fn payloads_are_exchanged() {
    both(|pair| {
        pair.say(&["FUNCTION", "LOAD", A]);
        let plain = bulk(&pair.say(&["FUNCTION", "DUMP"]));
        pair.say(&["FUNCTION", "FLUSH"]);
        let long = format!("{A}{}", "\n-- aaaa bbbb".repeat(400));
        pair.say(&["FUNCTION", "LOAD", &long]);
        let packed = bulk(&pair.say(&["FUNCTION", "DUMP"]));
        assert!(packed.len() < long.len());
        pair.say(&["CONFIG", "SET", "rdbcompression", "no"]);
        assert!(bulk(&pair.say(&["FUNCTION", "DUMP"])).len() > long.len());
        for payload in [&plain, &packed] {
            for policy in [&[][..], &["append"], &["REPLACE"], &["flush"], &["xx"], &["flush"; 2]] {
                let mut words: Vec<&[u8]> = vec![b"FUNCTION", b"RESTORE", payload];
                words.extend(policy.iter().map(|word| word.as_bytes()));
                pair.same(&words);
                pair.say(&["FUNCTION", "LIST", "WITHCODE"]);
                pair.say(&["FCALL", "fa", "0"]);
            }
            for len in 0..20 {
                pair.same(&[b"FUNCTION", b"RESTORE", &payload[..len]]);
                pair.same(&[b"FUNCTION", b"RESTORE", &payload[..payload.len() - len - 1], b"xx"]);
                let mut broken = payload.clone();
                broken[payload.len() - 1 - len] ^= 16;
                pair.same(&[b"FUNCTION", b"RESTORE", &broken, b"REPLACE"]);
            }
        }
        pair.say(&["SET", "k", "v"]);
        let value = bulk(&pair.say(&["DUMP", "k"]));
        pair.same(&[b"FUNCTION", b"RESTORE", &value]);
        pair.same(&[b"RESTORE", b"l", b"0", &plain]);
    });
}

fn sealed(body: &[u8], version: u16) -> Vec<u8> {
    let mut payload = [body, &version.to_le_bytes()].concat();
    payload.extend(rdb::crc64(&payload).to_le_bytes());
    payload
}

#[test]
fn hostile_payloads_are_refused_alike() {
    let a2 = A.replace("'fa'", "'fa2'");
    let b = A.replace("name=a", "name=b");
    let taken = b.replace("'fa'", "'fa2'");
    let library = |text: &str| [&[0xf5][..], &string(text.as_bytes())].concat();
    let old = |parts: &[&[u8]]| [&[0xf6][..], &parts.concat()].concat();
    let (name, engine) = (string(b"old"), string(b"LUA"));
    let code = string(b"redis.register_function('fo', function() return 1 end)");
    let bodies: Vec<Vec<u8>> = vec![
        vec![],
        vec![0xf5],
        b"\xf5\x20".to_vec(),
        b"\xf5\x20abc".to_vec(),
        b"\xf5\xc0\x05".to_vec(),
        b"\xf5\xc4\x05".to_vec(),
        b"\xf5\xc3\x05\x05abcde".to_vec(),
        b"\xf5\xc3\x05\x80\x7f\xff\xff\xffabcde".to_vec(),
        [&b"\xf5\x81"[..], &[0xff; 8]].concat(),
        [library(A), vec![0xf5]].concat(),
        [library(A), b"zz".to_vec()].concat(),
        [library(A), library(&a2)].concat(),
        [library(A), library(&b)].concat(),
        [library(A), library(&taken)].concat(),
        [library(&a2), library(&b)].concat(),
        library(""),
        library("abc"),
        library("#!lua name=x\nredis.register_function('fa', function("),
        library("#!lua name=x\nlocal x = 1"),
        vec![0xf6],
        old(&[&name]),
        old(&[&name, &engine]),
        old(&[&name, &engine, b"\x01"]),
        old(&[&name, &engine, b"\x00"]),
        old(&[&name, &engine, b"\x01\x01d"]),
        old(&[&name, &string(b"XX"), b"\x00", &code]),
        old(&[&name, &engine, b"\x00", &code]),
        old(&[&string(b"older"), &engine, b"\x01\x01d", &code]),
    ];
    both(|pair| {
        for version in [1, 9, 12, 256] {
            pair.same(&[b"FUNCTION", b"RESTORE", &sealed(&library(A), version), b"FLUSH"]);
        }
        for body in &bodies {
            for policy in ["APPEND", "REPLACE", "FLUSH"] {
                let payload = sealed(body, 10);
                pair.alike_on(0, &[b"FUNCTION", b"RESTORE", &payload, policy.as_bytes()]);
                pair.say(&["FUNCTION", "LIST", "WITHCODE"]);
                pair.say(&["FUNCTION", "STATS"]);
            }
        }
    });
}

/// A library of some functions, of which others may have the same.
fn some_library(rng: &mut Rng) -> String {
    let mut code = format!("#!lua name=l{}\n", rng.below(4));
    let first = rng.below(6);
    for n in 0..=rng.below(2) {
        let flags = ["", "'no-writes'", "'allow-oom', 'no-cluster'"][rng.below(3)];
        code += &format!(
            "redis.register_function{{function_name='{}{}', flags={{{flags}}}, \
             callback=function(keys, args) return redis.call('append', 'k', '{}') end}}\n",
            // Names count in any case. A redis-server whose library has two that differ in nothing
            // else may crash when it goes.
            ["f", "F"][rng.below(2)],
            (first + n) % 6,
            rng.below(10),
        );
    }
    code
}

#[test]
fn whatever_is_asked_is_answered_alike() {
    let seed = rng().next_u64();
    let rounds = seed::setting("KVIST_ROUNDS", 500);
    both(|pair| {
        let mut rng = Rng::new(seed);
        let mut payloads: Vec<Vec<u8>> = Vec::new();
        for _ in 0..rounds {
            let client = rng.below(2);
            let library = format!("l{}", rng.below(4));
            let function = format!("{}{}", ["f", "F"][rng.below(2)], rng.below(6));
            let code = some_library(&mut rng);
            let words: Vec<&str> = match rng.below(16) {
                0..4 => vec!["FUNCTION", "LOAD", &code],
                4..6 => vec!["FUNCTION", "LOAD", "REPLACE", &code],
                6 => vec!["FUNCTION", "DELETE", &library],
                7 => vec!["FUNCTION", "LIST", "LIBRARYNAME", "l[12]", "WITHCODE"],
                8 => vec!["FUNCTION", "STATS"],
                9 if rng.below(4) == 0 => vec!["FUNCTION", "FLUSH"],
                10 => {
                    // Either's payload is taken by the other.
                    let dump: [&[u8]; 2] = [b"FUNCTION", b"DUMP"];
                    let (theirs, ours) = (pair.theirs.ask(&dump), pair.ours(client, &dump));
                    payloads.extend([bulk(&theirs), bulk(&ours)]);
                    continue;
                }
                11 if !payloads.is_empty() => {
                    let payload = payloads[rng.below(payloads.len())].clone();
                    let policy = [&b"APPEND"[..], b"REPLACE", b"FLUSH"][rng.below(3)];
                    pair.alike_on(client, &[b"FUNCTION", b"RESTORE", &payload, policy]);
                    continue;
                }
                12 => vec!["FCALL_RO", &function, "0"],
                _ => vec!["FCALL", &function, "0"],
            };
            let words: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
            pair.alike_on(client, &words);
        }
        pair.say(&["FUNCTION", "LIST", "WITHCODE"]);
        pair.say(&["GET", "k"]);
    });
}
