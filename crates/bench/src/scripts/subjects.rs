//! The commands whose processor time is compared, each with what it works on.

use crate::client::Reply;
use crate::json::documents::Document;

/// What redis-benchmark puts twelve digits for.
pub(super) const RANDOM: &str = "__rand_int__";

/// The library that is loaded before.
pub(super) const LIBRARY: &str = include_str!("library.lua");

const GET: &str = "return redis.call('GET', KEYS[1])";
const SET: &str = "return redis.call('SET', KEYS[1], ARGV[1])";

/// The scripts that are loaded before, so that `EVALSHA` finds them.
pub(super) const SOURCES: [&str; 7] = [
    GET,
    SET,
    include_str!("ten-calls.lua"),
    include_str!("arithmetic.lua"),
    include_str!("json.lua"),
    include_str!("msgpack.lua"),
    include_str!("store-msgpack.lua"),
];

/// What a server must know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needs {
    Nothing,
    Scripts,
    Functions,
}

/// A command to time.
pub(super) struct Subject {
    /// Its name in the table.
    pub name: String,
    pub needs: Needs,
    /// The commands that make its values.
    pub prepare: Vec<Vec<String>>,
    pub command: Vec<String>,
    /// How often it is sent per round with pipelining; a quarter as often without.
    pub requests: u64,
    /// What every server answers, unless only they know.
    pub answer: Option<Reply>,
}

/// All of them. The digests are those of [`SOURCES`].
pub(super) fn all(documents: &[Document], digests: &[String]) -> Vec<Subject> {
    let digest = |at: usize| digests.get(at).map_or("", String::as_str);
    let key = format!("key:{RANDOM}");
    let value = "x".repeat(100);
    let ok = || Some(Reply::Text("OK".to_owned()));
    let bytes = || Some(Reply::Bytes(Some(value.clone().into_bytes())));
    let subject = |name: &str, needs, command: &[&str], requests, answer| Subject {
        name: name.to_owned(),
        needs,
        prepare: Vec::new(),
        command: command.iter().map(|&word| word.to_owned()).collect(),
        requests,
        answer,
    };
    let scripted = |name: &str, command: &[&str], requests, answer| {
        subject(name, Needs::Scripts, command, requests, answer)
    };
    let mut all = vec![
        subject("GET", Needs::Nothing, &["GET", &key], 400_000, bytes()),
        scripted("EVALSHA GET", &["EVALSHA", digest(0), "1", &key], 200_000, bytes()),
        scripted("EVAL GET", &["EVAL", GET, "1", &key], 200_000, bytes()),
        subject(
            "FCALL GET",
            Needs::Functions,
            &["FCALL", "bench_get", "1", &key],
            200_000,
            bytes(),
        ),
        subject("SET", Needs::Nothing, &["SET", &key, &value], 400_000, ok()),
        scripted("EVALSHA SET", &["EVALSHA", digest(1), "1", &key, &value], 200_000, ok()),
        scripted("EVAL SET", &["EVAL", SET, "1", &key, &value], 200_000, ok()),
        scripted(
            "EVALSHA 10 calls",
            &["EVALSHA", digest(2), "1", "record", "somebody"],
            60_000,
            Some(Reply::Int(3)),
        ),
        scripted(
            "EVALSHA 1000 turns",
            &["EVALSHA", digest(3), "0"],
            20_000,
            Some(Reply::Int(arithmetic(1000))),
        ),
    ];
    for document in documents {
        // A microsecond or so for a hundred bytes.
        let requests = (16_000_000 / document.text.len() as u64).clamp(2_000, 40_000);
        let store = [
            ["SET", "text", &document.text].map(str::to_owned).to_vec(),
            ["EVALSHA", digest(6), "1", "packed", &document.text].map(str::to_owned).to_vec(),
        ];
        let ways = [("cjson decode+encode", 4, "text"), ("cmsgpack unpack+pack", 5, "packed")];
        for (what, script, key) in ways {
            let name = format!("{} {what}", document.title());
            let command = ["EVALSHA", digest(script), "1", key];
            let mut subject = scripted(&name, &command, requests, None);
            subject.prepare = store.to_vec();
            all.push(subject);
        }
    }
    all
}

/// What the script of the same name answers.
pub(super) fn arithmetic(turns: i64) -> i64 {
    (1..=turns).fold(0, |sum, turn| (sum * 31 + turn) % 65_537)
}
