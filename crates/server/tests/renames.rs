//! `rename-command`: commands that are called by other names, or by none, beside redis-server that
//! was started with the same lines.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::process::Command;

use testkit::oracle::Oracle;
use wire::Value;

use crate::server::{self, Client, Server, Socket, bulk, ok, program, temporary, text};

const LONG: &str = "a-name-that-is-longer-than-that-of-any-command-there-is-in-the-whole-table";

const RENAMES: &[&str] = &[
    "--rename-command",
    "get",
    "FETCH",
    "--rename-command",
    "Set",
    "",
    "--rename-command",
    "config",
    "cfg",
    "--rename-command",
    "append",
    "two words",
    "--rename-command",
    "multi",
    "begin",
    "--rename-command",
    "fetch",
    "Take",
    "--rename-command",
    "del",
    LONG,
    "--rename-command",
    "xgroup",
    "xg",
    "--rename-command",
    "xadd",
    "stream.add",
    "--rename-command",
    "blpop",
    "wait-for",
    "--rename-command",
    "setrange",
    "SETRANGE",
    "--rename-command",
    "subscribe",
    "listen",
    "--rename-command",
    "sort",
    "sorted",
    "--rename-command",
    "expire",
    "vanish",
];

/// Requests and nothing else about them: words by `|`.
const REQUESTS: &[&str] = &[
    // The test kit that started redis-server has sent it this, too.
    "ping",
    "get|k",
    "fetch|k",
    "take|k",
    "TAKE|k",
    "take",
    "take|a|b",
    "set|k|v",
    "setnx|k|v",
    "two words|k|more",
    "append|k|more",
    "take|k",
    "config|get|maxclients",
    "cfg|get|maxclients",
    "cfg",
    "cfg|get",
    "cfg|nosuch",
    "cfg|nosuch|more",
    "CfG|SET|maxmemory",
    "xg|nosuch|k",
    "xg|create|k",
    "xg|create|s|g|$|MKSTREAM",
    "xg|setid|s|g|x|y",
    "xgroup|create|s|h|$",
    "stream.add|s|1-1|f|v",
    "xrange|s|-|+",
    "setrange|k|0|x",
    "command|info|get|set|take|config|cfg|config\x01get|cfg\x01get|two words|xg\x01create",
    "command|list|filterby|pattern|get*",
    "command|list|filterby|pattern|set",
    "command|getkeys|take|k",
    "command|getkeys|get|k",
    "acl|dryrun|default|get|k",
    "acl|dryrun|default|take|k",
    "acl|setuser|u|on|nopass|~*|+get|-append|+@list",
    "acl|setuser|u|+take",
    "acl|getuser|u",
    "acl|dryrun|u|two words|k|v",
    "acl|dryrun|u|take|k",
    "begin",
    "take|k",
    "wait-for|l|0",
    "set|k|v",
    "exec",
    "begin",
    "take|k",
    "wait-for|l|0",
    "two words|k|x",
    "exec",
    "multi",
    "sorted|l|by|nosort",
    "vanish|k|100",
    "rpush|l|3|1|2",
    "sorted|l|store|m",
    "lrange|m|0|-1",
    "wait-for|l|0",
    "latency|histogram|get",
    "listen|news",
    "two words|k|x",
    "reset",
];

fn words(line: &str) -> Vec<String> {
    line.split('|').map(|word| word.replace('\u{1}', "|")).collect()
}

fn ask(client: &mut Client, line: &str) -> Value {
    let words = words(line);
    client.ask(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

fn shown(line: &str, reply: &Value) -> String {
    let text = format!("{reply:?}");
    // Which commands there are may differ, and so may what is known of them beside the name.
    match line {
        line if line.starts_with("command|info") => names(reply),
        line if line.starts_with("command|list") => {
            let Value::Array(names) = reply else { panic!("{reply:?}") };
            let mut names: Vec<String> = names.iter().map(server::text).collect();
            names.sort();
            names.join(" ")
        }
        line if line.starts_with("acl|getuser") => {
            text.split("commands").nth(1).unwrap_or("").chars().take(60).collect()
        }
        _ => text,
    }
}

/// The names in a reply of COMMAND INFO.
fn names(reply: &Value) -> String {
    let Value::Array(rows) = reply else { panic!("{reply:?}") };
    let name = |row: &Value| match row {
        Value::Array(fields) => text(&fields[0]),
        _ => "none".to_owned(),
    };
    rows.iter().map(name).collect::<Vec<_>>().join(" ")
}

fn info(client: &mut Client, prefix: &str) -> Vec<String> {
    let reply = text(&client.ask(&["INFO", "commandstats"]));
    let lines = reply.lines().filter(|line| line.starts_with(prefix));
    let mut names: Vec<String> =
        lines.map(|line| line.split(':').next().unwrap().to_owned()).collect();
    names.sort();
    names
}

#[test]
fn other_names_are_those_of_redis() {
    let Some(theirs) = Oracle::start(RENAMES) else { return };
    let ours = Server::start(RENAMES);
    let mut pair = [ours.connect(), Client::new(Socket::Tcp(theirs.connect()))];
    for line in REQUESTS {
        let [ours, theirs] = pair.each_mut().map(|client| shown(line, &ask(client, line)));
        assert_eq!(ours, theirs, "{line}");
    }
    let [ours, theirs] = pair.each_mut().map(|client| info(client, "cmdstat_"));
    assert_eq!(ours, theirs);
    // `MONITOR` and the slow log show what was sent.
    for client in &mut pair {
        client.ask(&["CFG", "SET", "slowlog-log-slower-than", "0"]);
        client.ask(&["two words", "k", "seen"]);
        client.ask(&["CFG", "SET", "slowlog-log-slower-than", "-1"]);
    }
    let [ours, theirs] = pair.each_mut().map(|client| {
        let Value::Array(entries) = client.ask(&["SLOWLOG", "GET", "1"]) else { panic!() };
        let Value::Array(fields) = &entries[0] else { panic!() };
        format!("{:?}", fields[3])
    });
    assert_eq!(ours, theirs);
}

/// The last line that both programs print: what is wrong.
fn refusal(mut command: Command) -> String {
    let done = command.output().unwrap();
    assert!(!done.status.success());
    let said = [done.stdout, done.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    let last = said.lines().rev().find(|line| !line.is_empty());
    last.unwrap_or_else(|| panic!("nothing said")).to_owned()
}

#[test]
fn wrong_renames_stop_the_start_as_in_redis() {
    let cases: &[&[&str]] = &[
        &["nosuch", "x"],
        &["get", "set"],
        &["get", "SET"],
        &["get"],
        &["get", "", "get", "x"],
        &["get", "a", "set", "A"],
        &["", "x"],
    ];
    let there = Command::new("redis-server").arg("--version").output().is_ok();
    for case in cases {
        let mut options = Vec::new();
        for pair in case.chunks(2) {
            options.push("--rename-command");
            options.extend(pair);
        }
        let mut ours = program();
        ours.args(["serve", "--port", "0", "--bind", "", "--appendonly", "no"]).args(&options);
        let mut theirs = Command::new("redis-server");
        theirs.args(["--port", "0", "--save", ""]).args(&options);
        let ours = refusal(ours);
        if there {
            assert_eq!(ours, refusal(theirs), "{case:?}");
        }
    }
    let file = temporary("renames.conf");
    std::fs::write(&file, "port 0\nrename-command get take\nrename-command get other\n").unwrap();
    let done = program().arg("serve").arg(&file).output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    let place = format!("{}, at line 3\n>>> 'rename-command get other'", file.display());
    assert!(said.contains(&place), "{said}");
    std::fs::remove_file(file).unwrap();
}

/// The journal and snapshots know commands by their own names: a server without the lines, or with
/// others, reads them.
#[test]
fn other_names_are_not_kept() {
    let dir = temporary("renamed");
    let at = ["--dir", dir.to_str().unwrap(), "--appendonly", "yes", "--appendfsync", "always"];
    let server = Server::start(&[RENAMES, &at].concat());
    let mut client = server.connect();
    let requests = [
        "setnx|k|v",
        "two words|k|more",
        "xg|create|s|g|$|MKSTREAM",
        "stream.add|s|*|f|v",
        "rpush|l|b|a",
        "sorted|l|alpha|store|m",
        "wait-for|l|0",
        "begin",
        "two words|k|!",
        "exec",
    ];
    for line in requests {
        assert!(!matches!(ask(&mut client, line), Value::Error(_)), "{line}");
    }
    assert_eq!(client.ask(&["setnx", "gone", "v"]), Value::Int(1));
    assert_eq!(client.ask(&[LONG, "gone"]), Value::Int(1));
    server.signal("KILL");
    drop(server);
    let server = Server::start(&[&at[..], &["--rename-command", "rpush", ""]].concat());
    let mut client = server.connect();
    assert_eq!(client.ask(&["GET", "k"]), bulk("vmore!"));
    assert_eq!(client.ask(&["XLEN", "s"]), Value::Int(1));
    assert_eq!(client.ask(&["LRANGE", "l", "0", "-1"]), Value::Array(vec![bulk("a")]));
    assert_eq!(client.ask(&["LINDEX", "m", "1"]), bulk("b"));
    assert_eq!(client.ask(&["EXISTS", "gone"]), Value::Int(0));
    assert_eq!(client.ask(&["SET", "k", "v"]), ok());
    drop(server);
    std::fs::remove_dir_all(dir).unwrap();
}
