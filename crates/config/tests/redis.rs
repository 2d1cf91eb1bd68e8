//! Compares the settings with a running redis-server 7.0.15: the same names, the same defaults, the
//! same replies to CONFIG SET and CONFIG GET. Where the server isn't installed one line says so and
//! the tests end.
#![forbid(unsafe_code)]

use std::collections::{BTreeMap, BTreeSet};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use kvist_config::{
    AREAS, Change, DEFAULTS_OF_OUR_OWN, Directive, Kind, Peer, Settings, Support, TextRule,
};
use testkit::folder::Folder;
use testkit::oracle::Client;
use testkit::server::{Log, Process};
use testkit::skip;
use testkit::wait::PATIENCE;

const PROGRAM: &str = "/usr/bin/redis-server";

/// A server of this test's own, stopped at the end, in a directory of its own. Its options are the
/// defaults, and those that are given.
struct Redis {
    client: Client,
    // Ended before its directory is removed.
    _process: Process,
    _directory: Folder,
}

impl Redis {
    /// Starts one, or says that there is none.
    fn start(flags: &[&str]) -> Option<Self> {
        Self::start_with_file(None, flags)
    }

    /// The same, with a configuration file.
    fn start_with_file(file: Option<&Path>, flags: &[&str]) -> Option<Self> {
        let version = Command::new(PROGRAM).arg("--version").output().ok();
        let version = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        if !version.is_some_and(|version| version.contains("v=7.0.15")) {
            skip::without("redis-server 7.0.15", "redis-server", "compare with it");
            return None;
        }
        let directory = Folder::new("config");
        let start = |port: u16| {
            let mut command = Command::new(PROGRAM);
            // It takes the file before the options, as a name.
            command.args(file).args(["--port", &port.to_string()]).args(flags);
            command.current_dir(directory.path());
            Process::start(command, port, Log::Memory(Arc::default()))
        };
        let listens = |redis: &Process| redis.log().contains("Ready to accept connections");
        let process = Process::start_until(start, listens, PATIENCE).expect("the server starts");
        let stream = TcpStream::connect(("127.0.0.1", process.port())).expect("the server answers");
        Some(Self { client: Client::on(stream), _process: process, _directory: directory })
    }

    /// Sends a command and reads its reply: one string, or the strings of an array.
    fn call(&mut self, args: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut reply = self.client.ask(args);
        if reply[0].starts_with(b"*") {
            reply.remove(0);
        }
        reply
    }

    fn set(&mut self, name: &str, value: &[u8]) -> String {
        let reply = self.call(&[b"CONFIG", b"SET", name.as_bytes(), value]).remove(0);
        String::from_utf8_lossy(&reply).into_owned()
    }

    fn get(&mut self, pattern: &str) -> BTreeMap<String, Vec<u8>> {
        let reply = self.call(&[b"CONFIG", b"GET", pattern.as_bytes()]);
        reply
            .chunks_exact(2)
            .map(|pair| (String::from_utf8_lossy(&pair[0]).into_owned(), pair[1].clone()))
            .collect()
    }
}

fn ours(settings: &Settings, pattern: &str) -> BTreeMap<String, Vec<u8>> {
    settings.get(&[pattern]).into_iter().collect()
}

fn directives() -> impl Iterator<Item = &'static Directive> {
    AREAS.iter().flat_map(kvist_config::Area::directives)
}

#[test]
fn every_name_is_known_and_every_default_is_the_same() {
    let Some(mut redis) = Redis::start(&[]) else { return };
    let theirs = redis.get("*");
    let ours = ours(&Settings::new(4), "*");
    let own: BTreeSet<&str> = directives()
        .filter(|directive| directive.own && !directive.hidden)
        .map(|directive| directive.name)
        .collect();
    let missing: Vec<_> = theirs.keys().filter(|name| !ours.contains_key(*name)).collect();
    assert!(missing.is_empty(), "unknown to us: {missing:?}");
    let extra: BTreeSet<&str> =
        ours.keys().map(String::as_str).filter(|name| !theirs.contains_key(*name)).collect();
    assert_eq!(extra, own, "only our own directives may be unknown to Redis");
    let different: BTreeSet<&str> =
        theirs.keys().map(String::as_str).filter(|name| theirs[*name] != ours[*name]).collect();
    let mut expected: BTreeSet<&str> = DEFAULTS_OF_OUR_OWN.iter().map(|(name, _)| *name).collect();
    // Given on the server's command line.
    expected.insert("port");
    assert_eq!(different, expected);
    for hidden in directives().filter(|directive| directive.hidden && !directive.own) {
        let shown = self::ours(&Settings::new(4), hidden.name);
        assert_eq!(redis.get(hidden.name), shown, "{}", hidden.name);
    }
}

#[test]
fn the_same_directives_can_be_set() {
    let Some(mut redis) = Redis::start(&[]) else { return };
    for directive in directives().filter(|directive| !directive.own) {
        for name in [Some(directive.name), directive.alias].into_iter().flatten() {
            // A value that no kind with a check accepts.
            let reply = redis.set(name, b"\x01");
            let theirs = match () {
                () if reply.ends_with("can't set immutable config") => Change::Start,
                () if reply.ends_with("can't set protected config") => Change::Protected,
                () => Change::RunTime,
            };
            assert_eq!(theirs, directive.change, "{name}: {reply}");
        }
    }
}

/// Values worth trying on a directive, good and bad.
fn candidates(directive: &Directive) -> Vec<String> {
    let mut values: Vec<String> = match directive.kind {
        Kind::Bool => vec!["yes".into(), "NO".into(), "maybe".into(), "1".into()],
        Kind::Int { min, max } => {
            let mut values = vec![min.to_string(), max.to_string()];
            values.extend(min.checked_sub(1).map(|value| value.to_string()));
            values.extend(max.checked_add(1).map(|value| value.to_string()));
            values.extend(["01", "+1", "-0", " 1", "1 ", "x", "1k", "0x1"].map(String::from));
            values.extend([u64::MAX.to_string(), i64::MIN.to_string()]);
            values
        }
        Kind::Clamped { low, high } => {
            vec![(low - 1).to_string(), (high + 1).to_string(), "-1".into(), "7".into()]
        }
        Kind::Memory { min, max } => {
            let mut values = vec![min.to_string(), max.to_string()];
            values.extend(min.checked_sub(1).map(|value| value.to_string()));
            values.extend(max.checked_add(1).map(|value| value.to_string()));
            let more =
                ["2097152", "3Mb", "4MB", "5m", "5g", "2097152B", "1tb", "-1", "1.5gb", " 1"];
            values.extend(more.map(String::from));
            values
        }
        Kind::MemoryOrPercent => {
            ["1%", "100%", "101%", "0%", "%", "-1%", "05%", "1.5%", "9gb", "x"]
                .map(String::from)
                .to_vec()
        }
        Kind::Enum(words) => {
            words.iter().map(|word| word.to_ascii_uppercase()).chain(["bogus".into()]).collect()
        }
        Kind::EnumSet(_) => {
            ["now", "FORCE nosave", "nosave save", "default save", "now ", "now  now", "bogus"]
                .map(String::from)
                .to_vec()
        }
        Kind::Text(TextRule::TitleTemplate) => {
            ["{title}", "{bogus}", "{", "{{}", "a}b", "  ", "{}", "{Title}", "{port}{tls-port}"]
                .map(String::from)
                .to_vec()
        }
        Kind::Text(_) => {
            vec!["a".into(), "a b".into(), "a-b.c".into(), "a/b".into(), "x".repeat(300)]
        }
        Kind::Save => ["900 1", "900 1 300", "900 1  300 10", "0 1", "1 0", "1 -1", "a b", "5 5 "]
            .map(String::from)
            .to_vec(),
        Kind::BufferLimits => [
            "normal 1mb 2mb 3",
            "SLAVE 1 2 3 replica 4 5 6",
            "master 1 2 3",
            "normal 1 2",
            "normal a 1 1",
            "normal 1 1 -1",
            "pubsub 1 1 +1",
            "pubsub 1 1 ",
        ]
        .map(String::from)
        .to_vec(),
        Kind::Percentiles => {
            ["50", "50 99.999", "101", "-1", "a", "nan", "inf", "1e1", ".5", "50 "]
                .map(String::from)
                .to_vec()
        }
        Kind::OomScores => {
            ["1 2 3", "1 2", "+3 2 1", "2001 1 2", "a b c", "1  2 3"].map(String::from).to_vec()
        }
        Kind::Events => {
            ["KEA", "Kx", "mKn", "K$lshzxegtdn", "KEAmn", "Ez", "q"].map(String::from).to_vec()
        }
        Kind::Bind => vec!["127.0.0.1".into(), "127.0.0.1 ".repeat(17).trim_end().into()],
        Kind::Octal { .. } | Kind::ReplicaOf | Kind::PowerOfTwo { .. } => Vec::new(),
    };
    values.push(String::new());
    values
}

/// Values that Redis refuses, or changes, for reasons found out only by carrying them out; and
/// those that would cut the test off from the server.
fn depends_on_the_machine(name: &str, value: &str) -> bool {
    match name {
        "port" | "tls-port" => value.parse::<u16>().is_ok(),
        "bind" | "maxclients" | "dir" | "watchdog-period" | "repl-backlog-size" => {
            !value.contains(['x', ' ']) || value.starts_with(' ')
        }
        "activedefrag" => value == "yes",
        "oom-score-adj" => !["bogus", ""].contains(&value),
        "maxmemory-clients" => value == "9gb",
        _ => false,
    }
}

#[test]
fn set_and_get_reply_alike() {
    let flags = ["--enable-protected-configs", "yes", "--save", ""];
    let Some(mut redis) = Redis::start(&flags) else { return };
    let mut compared = 0;
    for directive in directives().filter(|directive| !directive.own) {
        if directive.change == Change::Start || directive.name == "dir" {
            continue;
        }
        for name in [Some(directive.name), directive.alias].into_iter().flatten() {
            let before = redis.get(name)[name].clone();
            for value in candidates(directive) {
                if depends_on_the_machine(name, &value) {
                    continue;
                }
                let mut settings = Settings::new(1);
                settings
                    .apply_text(b"enable-protected-configs yes\n", "test")
                    .expect("a valid line");
                settings.set(&[(name, &before)], Peer::Local).expect("what Redis has shown");
                let ours = match settings.set(&[(name, &value)], Peer::Local) {
                    Ok(_) => "+OK".to_owned(),
                    Err(error) => format!("-{error}"),
                };
                let theirs = redis.set(name, value.as_bytes());
                let refused = directive.support == Support::DefaultOnly
                    && ours.contains("not implemented yet");
                if !refused {
                    assert_eq!(ours, theirs, "CONFIG SET {name} {value:?}");
                    let shown = self::ours(&settings, name);
                    assert_eq!(shown, redis.get(name), "CONFIG GET {name} after {value:?}");
                    compared += 1;
                }
                if redis.get(name)[name] != before {
                    assert_eq!(redis.set(name, &before), "+OK", "restoring {name}");
                }
            }
        }
    }
    assert!(compared > 1000, "only {compared} values were compared");
}

/// Changes of every shape that both servers can carry out.
const CHANGES: &[(&str, &str)] = &[
    ("maxmemory", "123456789"),
    ("proto-max-bulk-len", "64mb"),
    ("timeout", "0"),
    ("save", "60 5 3600 1"),
    ("requirepass", "x y\"z\" \\ '#"),
    ("slowlog-max-len", "9"),
    ("hash-max-ziplist-entries", "100"),
    ("client-output-buffer-limit", "normal 1gb 100mb 60"),
    ("appendfsync", "always"),
    ("loglevel", "verbose"),
    ("proc-title-template", "{title} x"),
    ("oom-score-adj-values", "1 2 3"),
    ("latency-tracking-info-percentiles", "50 99.99"),
    ("shutdown-on-sigint", "save now"),
    ("lazyfree-lazy-expire", "yes"),
];

/// A file with something of everything.
const FILE: &str = "# top\ntimeout 5\n\nsave 900 1\nsave 300 10\n# hashes\n\
    hash-max-ziplist-entries 99\nclient-output-buffer-limit pubsub 1mb 2mb 3\n\
    requirepass \"hello world\"\nmaxclients 99\n";

#[test]
fn each_reads_what_the_other_has_rewritten() {
    let folder = Folder::new("files");
    let (ours_file, theirs_file) = (folder.join("ours.conf"), folder.join("theirs.conf"));
    std::fs::write(&theirs_file, FILE).expect("a file");
    let mut settings = Settings::new(1);
    settings.apply_text(FILE.as_bytes(), "test").expect("a valid file");
    settings.set(CHANGES, Peer::Local).expect("valid changes");
    std::fs::write(&ours_file, settings.rewrite(FILE.as_bytes())).expect("a file");
    let auth = |redis: &mut Redis, password: &str| {
        assert_eq!(redis.call(&[b"AUTH", password.as_bytes()]), [b"+OK"]);
    };

    let Some(mut redis) = Redis::start_with_file(Some(&ours_file), &[]) else {
        return;
    };
    let password = CHANGES.iter().find(|(name, _)| *name == "requirepass").expect("one of them").1;
    auth(&mut redis, password);
    for (name, _) in CHANGES.iter().chain(&[("maxclients", "")]) {
        assert_eq!(ours(&settings, name), redis.get(name), "{name} of our file, read by Redis");
    }

    let mut redis = Redis::start_with_file(Some(&theirs_file), &[]).expect("Redis");
    auth(&mut redis, "hello world");
    for (name, value) in CHANGES {
        assert_eq!(redis.set(name, value.as_bytes()), "+OK", "{name}");
    }
    assert_eq!(redis.call(&[b"CONFIG", b"REWRITE"]), [b"+OK"]);
    let text = std::fs::read_to_string(&theirs_file).expect("what Redis has written");
    // Users are not supported, and the folder is the test's.
    let text: Vec<&str> = text.lines().filter(|line| !line.starts_with("user ")).collect();
    let mut read = Settings::new(1);
    read.apply_text(text.join("\n").as_bytes(), "theirs").expect("a valid file");
    for (name, _) in CHANGES.iter().chain(&[("maxclients", "")]) {
        assert_eq!(ours(&read, name), redis.get(name), "{name} of Redis's file, read by us");
    }
}
