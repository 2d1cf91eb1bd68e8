//! JSON commands whose words are damaged: nothing panics, an error leaves the document as it was,
//! and the account of memory is right. And the short road that scalars take to their place does
//! what the long one does.
#![allow(clippy::unwrap_used)] // a test says why by failing

use base::Rng;
use testkit::fuzz::{damage, fuzz};

use crate::test_client::{TestClient, engine, engine_with};

const DOCUMENT: &str = r#"{"a":[1,2.5,"x",{"b":[1,2,3]}],"b":{"a":9223372036854775807,"c":true},
    "s":"text of some length","n":null,"f":[0.5,1.5],"o":{"a":{"b":{"c":"deep"}}},"é":"ü"}"#;

const COMMANDS: [&[&str]; 34] = [
    &["JSON.SET", "k", "PATH", "VALUE"],
    &["JSON.SET", "k", "PATH", "VALUE"],
    &["JSON.SET", "k", "PATH", "VALUE", "NX"],
    &["JSON.SET", "k", "PATH", "VALUE", "XX"],
    &["JSON.SET", "k", "PATH", "VALUE", "CREATE"],
    &["JSON.SET", "k", "PATH", "VALUE", "FPHA", "FP16"],
    &["JSON.SET", "k", "PATH", "VALUE", "FORMAT", "STRING", "KEEPTTL"],
    &["JSON.MSET", "k", "PATH", "VALUE", "k", "PATH", "VALUE"],
    &["JSON.MERGE", "k", "PATH", "VALUE"],
    &["JSON.GET", "k", "PATH"],
    &["JSON.GET", "k", "INDENT", "  ", "NEWLINE", "\n", "SPACE", " ", "PATH", "PATH"],
    &["JSON.GET", "k", "FORMAT", "EXPAND", "PATH"],
    &["JSON.MGET", "k", "k", "PATH"],
    &["JSON.DEL", "k", "PATH"],
    &["JSON.FORGET", "k", "PATH"],
    &["JSON.CLEAR", "k", "PATH"],
    &["JSON.TOGGLE", "k", "PATH"],
    &["JSON.NUMINCRBY", "k", "PATH", "VALUE"],
    &["JSON.NUMMULTBY", "k", "PATH", "VALUE"],
    &["JSON.NUMPOWBY", "k", "PATH", "VALUE"],
    &["JSON.STRAPPEND", "k", "PATH", "VALUE"],
    &["JSON.STRLEN", "k", "PATH"],
    &["JSON.ARRAPPEND", "k", "PATH", "VALUE", "VALUE"],
    &["JSON.ARRINSERT", "k", "PATH", "VALUE", "VALUE"],
    &["JSON.ARRINDEX", "k", "PATH", "VALUE", "VALUE", "VALUE"],
    &["JSON.ARRLEN", "k", "PATH"],
    &["JSON.ARRPOP", "k", "PATH", "VALUE"],
    &["JSON.ARRTRIM", "k", "PATH", "VALUE", "VALUE"],
    &["JSON.OBJKEYS", "k", "PATH"],
    &["JSON.OBJLEN", "k", "PATH"],
    &["JSON.TYPE", "k", "PATH"],
    &["JSON.RESP", "k", "PATH"],
    &["JSON.DEBUG", "MEMORY", "k", "PATH"],
    &["JSON.GET", "k"],
];

const PATHS: [&str; 18] = [
    ".",
    "$",
    "$.a",
    "a[0]",
    "$.a[-1].b[1]",
    "$..b",
    "$.b.a",
    "b.c",
    "$.s",
    "$.n",
    "$.f[1]",
    "$..[?(@.a)]",
    "$.*",
    "$.o.a.b.c",
    "$.new",
    "$.o.new.er",
    "$['é']",
    "$.a[0:2]",
];

const VALUES: [&str; 18] = [
    "1",
    "-1",
    "0",
    "2.5",
    "9223372036854775807",
    "1e308",
    "true",
    "null",
    "\"x\"",
    "\"a longer text\"",
    "[]",
    "{}",
    "[1,2]",
    "{\"b\":null}",
    "{\"a\":{\"b\":1}}",
    "[0.1,0.2]",
    "\"\\u00e9\"",
    "70000",
];

const PIECES: [&[u8]; 24] = [
    b"",
    b"$",
    b".",
    b"[",
    b"]",
    b"{",
    b"}",
    b"\"",
    b"\\",
    b"*",
    b"..",
    b"?",
    b"(",
    b"'",
    b"-",
    b"99999999999999999999",
    b"1e999",
    b"\xff",
    b"\0",
    b" ",
    b",",
    b":",
    b"@.a",
    b"[[[[",
];

fn words(rng: &mut Rng) -> Vec<Vec<u8>> {
    let command = COMMANDS[rng.below(COMMANDS.len())];
    let spoiled = rng.below(4 * command.len());
    let word = |(at, &word): (usize, &&str)| {
        let mut word = match word {
            "PATH" => PATHS[rng.below(PATHS.len())],
            "VALUE" => VALUES[rng.below(VALUES.len())],
            other => other,
        }
        .as_bytes()
        .to_vec();
        // The command and its key are what they are.
        if at == spoiled && word != b"k" && at > 0 {
            damage(rng, &mut word, &PIECES);
        }
        word
    };
    command.iter().enumerate().map(word).collect()
}

fn ask(client: &mut TestClient, words: &[Vec<u8>]) -> Vec<u8> {
    let words: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
    let mut out = Vec::new();
    client.worker.execute(&mut client.session, &words, &mut out);
    out
}

fn put(client: &mut TestClient, rng: &mut Rng) {
    ask(client, &["JSON.SET", "k", ".", DOCUMENT].map(|word| word.as_bytes().to_vec()));
    // As text, as a tree, or as both.
    for line in &["JSON.TYPE k a", "JSON.GET k", "JSON.GET k"][..rng.below(4)] {
        client.ask(line);
    }
}

#[test]
fn errors_leave_documents_as_they_were() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    let (mut failed, mut done, mut rounds) = (0, 0, 0);
    fuzz(|rng| {
        rounds += 1;
        if rng.below(12) == 0 || client.ask("EXISTS k") == ":0" {
            put(&mut client, rng);
        }
        let words = words(rng);
        let shown: Vec<String> = words.iter().map(|w| w.escape_ascii().to_string()).collect();
        let digest = client.ask("DEBUG DIGEST-VALUE k");
        let reply = ask(&mut client, &words);
        assert!(!reply.is_empty(), "{shown:?}");
        if reply[0] == b'-' {
            failed += 1;
            assert_eq!(client.ask("DEBUG DIGEST-VALUE k"), digest, "{shown:?}");
        } else {
            done += 1;
        }
        if rounds % 64 == 0 {
            client.worker.txn.report_memory();
            let told = engine.store.memory() - engine.store.shared_memory();
            assert_eq!(store::recount(&mut client.worker.txn.held), told, "after {shown:?}");
        }
    });
    assert!(failed > 0 && done > 0, "{failed} of {rounds} failed");
}

/// White space around a scalar sends it the long way.
#[test]
fn both_roads_lead_to_the_same_place() {
    const OPTIONS: [&[&str]; 6] =
        [&[], &[], &["NX"], &["XX"], &["EX", "100"], &["KEEPTTL", "CREATE"]];
    let engines = [(); 2].map(|()| engine_with("notify-keyspace-events KEA"));
    let mut clients = [TestClient::new(&engines[0]), TestClient::new(&engines[1])];
    let mut listeners = [TestClient::new(&engines[0]), TestClient::new(&engines[1])];
    listeners.iter_mut().for_each(|client| drop(client.ask("PSUBSCRIBE __key*@0__:*")));
    fuzz(|rng| {
        if rng.below(10) == 0 {
            let before = rng.clone();
            put(&mut clients[0], rng);
            put(&mut clients[1], &mut before.clone());
        }
        let value = VALUES[rng.below(10)];
        let path = PATHS[2 + rng.below(PATHS.len() - 2)];
        let options = OPTIONS[rng.below(OPTIONS.len())];
        let replies = [value.to_owned(), format!(" {value} ")].map(|value| {
            let client = usize::from(value.starts_with(' '));
            let words = [["JSON.SET", "k", path, &value].as_slice(), options].concat();
            let words: Vec<Vec<u8>> = words.iter().map(|word| word.as_bytes().to_vec()).collect();
            let reply = ask(&mut clients[client], &words);
            let after = ["JSON.GET k", "PEXPIRETIME k", "JSON.TYPE k $..*"]
                .map(|line| clients[client].ask(line));
            (reply, after, listeners[client].pushed())
        });
        assert_eq!(replies[0], replies[1], "{path} {value} {options:?}");
    });
}
