//! Every command through every way in, in every state of the server: what is refused and what is
//! answered is the same whichever way it comes, and an answer always comes.
//!
//! ```text
//!   commands   all in the table, each in its shortest form (`every_way/samples.rs`)
//!   ways       plain, in a pipeline, in MULTI, in MULTI from before the state, in a script, in a
//!              function; the same in an engine inside the test; calls over gRPC and from inside,
//!              routes of HTTP (`every_way/doors.rs`), operations of Project Haystack
//!              (`every_way/haystack.rs`); served after a wait (`every_way/served.rs`)
//!   states     ready, memory full, paused, a script over its time, disk full, a user who may only
//!              read, loading (`every_way/loading.rs`), going down (`every_way/ending.rs`)
//! ```
//!
//! Of a reply only its class counts: the code of an error, or that it is none. Where Redis has the
//! command and the state, its class is what ours must be; elsewhere the command's flags say it.
#![allow(clippy::unwrap_used)] // a test says why by failing

mod doors;
mod ending;
mod haystack;
mod loading;
mod samples;
mod served;
pub mod slow;

use std::collections::BTreeSet;
use std::process::Command;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use samples::{Sample, samples};
use testkit::oracle::Oracle;
use testkit::skip;
use wire::Value;

use crate::calls::Calls;
use crate::host::{Engine, Host};
use crate::server::{Client, PATIENCE, Server, eventually, ok, text};

/// After how many milliseconds a script is over its time: soon for one that never ends, and later
/// than any short one is done, also where other programs hold it up.
const OVERDUE_AFTER: &str = "300";

/// How a request reaches the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Plain,
    Pipelined,
    Queued,
    QueuedBefore,
    Scripted,
    Called,
}

const WAYS: [Way; 6] =
    [Way::Plain, Way::Pipelined, Way::Queued, Way::QueuedBefore, Way::Scripted, Way::Called];

const SCRIPT: &str = "return redis.call(unpack(ARGV))";
const LIBRARY: &str = "#!lua name=l
redis.register_function('f', function(_, words) return redis.call(unpack(words)) end)";

/// A server to connect to.
trait Reach {
    fn client(&self) -> Client;

    /// Does something on a connection of its own.
    fn tell(&self, line: &str) -> Value {
        self.client().ask(&line.split(' ').collect::<Vec<_>>())
    }

    /// Runs a script that holds a key until it is killed, and waits until it is over its time;
    /// what it is answered.
    fn hold(&self, key: &'static str) -> JoinHandle<String> {
        let mut client = self.client();
        let answered = thread::spawn(move || {
            // An engine inside the test runs it here.
            client.say(&["EVAL", "while true do end", "1", key]);
            // What is tried meanwhile may take much longer than any one answer may.
            (0..20).find(|_| client.unread(PATIENCE) > 0);
            text(&client.hear())
        });
        let busy = || class(&self.tell(&format!("GET {key}"))) == "BUSY";
        eventually("a script over its time", || busy().then_some(()));
        answered
    }
}

impl Reach for Server {
    fn client(&self) -> Client {
        self.connect()
    }
}

impl Reach for Host {
    fn client(&self) -> Client {
        self.connect()
    }
}

impl Host {
    fn prepare(self) -> Self {
        assert_eq!(text(&self.connect().ask(&["FUNCTION", "LOAD", LIBRARY])), "l");
        self
    }
}

/// Ours, the engine alone, and Redis's if there is one.
fn hosts(options: &[&str]) -> Vec<Host> {
    let ours = Host::Ours(Server::start(options));
    let inside = Host::Inside(Engine::open(options));
    let theirs = Oracle::start(options).map(Host::Theirs);
    [Some(ours), Some(inside), theirs].into_iter().flatten().map(Host::prepare).collect()
}

/// The class of a reply.
fn class(reply: &Value) -> String {
    match reply {
        Value::Error(text) => {
            String::from_utf8_lossy(text).split(' ').next().unwrap_or("").to_owned()
        }
        _ => "fine".to_owned(),
    }
}

/// Sends a sample one way, without waiting. What was queued before is executed.
fn say(client: &mut Client, way: Way, sample: &Sample) {
    let argv = sample.argv();
    match way {
        Way::Plain => client.say(&argv),
        Way::Pipelined => {
            client.send(&[wire::request(&["ECHO", "before"]), wire::request(&argv)].concat());
        }
        Way::Queued => {
            let parts = [wire::request(&["MULTI"]), wire::request(&argv), wire::request(&["EXEC"])];
            client.send(&parts.concat());
        }
        Way::QueuedBefore => client.say(&["EXEC"]),
        Way::Scripted => client.say(&[&["EVAL", SCRIPT, "0"], &argv[..]].concat()),
        Way::Called => client.say(&[&["FCALL", "f", "0"], &argv[..]].concat()),
    }
}

/// The class of the answer to a sample that was sent.
fn hear(client: &mut Client, way: Way) -> String {
    match way {
        Way::Plain | Way::Scripted | Way::Called => class(&client.hear()),
        Way::Pipelined => {
            client.hear();
            class(&client.hear())
        }
        Way::Queued => {
            client.hear();
            let queued = client.hear();
            let done = client.hear();
            if let Value::Error(_) = queued { class(&queued) } else { of_transaction(&done) }
        }
        Way::QueuedBefore => of_transaction(&client.hear()),
    }
}

fn of_transaction(done: &Value) -> String {
    match done {
        Value::Array(replies) if replies.len() == 1 => class(&replies[0]),
        other => class(other),
    }
}

/// A state that answers come in at once.
struct State {
    name: &'static str,
    enter: &'static [&'static str],
    leave: &'static [&'static str],
    /// The client.
    user: Option<&'static str>,
}

const READY: State = State { name: "ready", enter: &[], leave: &[], user: None };
const FULL: State = State {
    name: "memory full",
    enter: &["CONFIG SET maxmemory 1"],
    leave: &["CONFIG SET maxmemory 0"],
    user: None,
};
const READER: State = State {
    name: "may only read",
    enter: &["ACL SETUSER reader on >pass ~* &* +@all -@write"],
    leave: &["ACL SETUSER reader on >pass ~* &* +@all"],
    user: Some("reader"),
};

impl State {
    fn enter(&self, host: &impl Reach) {
        self.enter.iter().for_each(|line| assert_eq!(host.tell(line), ok(), "{line}"));
    }

    fn leave(&self, host: &impl Reach) {
        self.leave.iter().for_each(|line| assert_eq!(host.tell(line), ok(), "{line}"));
    }

    fn client(&self, host: &Host) -> Client {
        let mut client = host.connect();
        if let Some(user) = self.user {
            assert_eq!(client.ask(&["AUTH", user, "pass"]), ok());
        }
        client
    }

    /// The classes of the answers to all samples, all ways.
    fn classes(&self, host: &Host, samples: &[Sample]) -> Vec<[String; WAYS.len()]> {
        self.leave(host);
        let queued = |sample: &Sample| {
            let mut client = self.client(host);
            client.ask(&["MULTI"]);
            client.ask(&sample.argv());
            client
        };
        let mut before: Vec<Client> = samples.iter().map(queued).collect();
        self.enter(host);
        let class = |(sample, before): (&Sample, &mut Client)| {
            if matches!(host, Host::Theirs(_)) && is_meant(sample, self) {
                return Default::default();
            }
            WAYS.map(|way| {
                let mut other = self.client(host);
                let client = if way == Way::QueuedBefore { &mut *before } else { &mut other };
                say(client, way, sample);
                hear(client, way)
            })
        };
        let classes = samples.iter().zip(&mut before).map(class).collect();
        self.leave(host);
        classes
    }
}

/// Commands whose answer depends on what runs beside them.
const BESIDES: [&str; 5] = ["backup", "bgrewriteaof", "bgsave", "save", "snapshot"];

/// Where ours is meant to be another class than Redis's, which is not asked then: command, state,
/// why.
const MEANT: &[(&str, &str, &str)] = &[
    (
        "pfselftest",
        "any",
        "Redis works on it for seconds each time, and for no other client meanwhile",
    ),
    ("migrate", "any", "it does not wait for another server inside a transaction or a script"),
    ("script|debug", "any", "there is no debugger"),
];

fn is_meant(sample: &Sample, state: &State) -> bool {
    BESIDES.contains(&sample.name)
        || MEANT
            .iter()
            .any(|(name, at, _)| *name == sample.name && [state.name, "any"].contains(at))
}

#[test]
fn what_is_said_of_commands_is_said_of_such_as_there_are() {
    let table = engine::command_table().unwrap();
    let named = samples::special().chain(MEANT.iter().map(|(name, _, _)| *name)).chain(BESIDES);
    for name in named {
        assert!(table.by_name(name.as_bytes()).is_some(), "there is no {name}");
    }
}

/// Compares all commands, all ways, with Redis, and with the engine without a server.
fn compare(state: &State) {
    let hosts = hosts(&[]);
    let table = engine::command_table().unwrap();
    let samples = samples(&table);
    let classes: Vec<_> = thread::scope(|scope| {
        let asked = hosts.iter().map(|host| scope.spawn(|| state.classes(host, &samples)));
        let asked: Vec<_> = asked.collect();
        asked.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let (ours, inside, theirs) = (&classes[0], &classes[1], classes.get(2));
    let mut wrong = Vec::new();
    for (at, sample) in samples.iter().enumerate() {
        let theirs = theirs.filter(|_| !sample.ours && !is_meant(sample, state));
        for (number, way) in WAYS.iter().enumerate() {
            let (got, alone) = (&ours[at][number], &inside[at][number]);
            let wanted = theirs.map_or(got, |theirs| &theirs[at][number]);
            let alike = alone == got || BESIDES.contains(&sample.name);
            if got != wanted || !alike {
                let line = sample.argv().join(" ");
                wrong.push(format!("{line:?} {way:?}: {got}, inside: {alone}, Redis: {wanted}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", state.name, wrong.join("\n"));
}

#[test]
fn a_server_at_rest_answers_as_redis_does() {
    compare(&READY);
}

#[test]
fn memory_that_is_full_is_told_as_redis_tells_it() {
    compare(&FULL);
}

#[test]
fn a_read_only_user_is_refused_as_redis_refuses() {
    compare(&READER);
}

/// A client that waits for the answer to a sample.
struct Asked<'s> {
    sample: &'s Sample,
    way: Way,
    client: Client,
}

impl Asked<'_> {
    fn name(&self) -> String {
        format!("{:?} {:?}", self.sample.argv().join(" "), self.way)
    }

    /// Whether there is an answer to read, or some part of one.
    fn is_answered(&mut self) -> bool {
        // What is answered before the request itself tells nothing.
        self.client.unread(Duration::ZERO) > self.before().len()
    }

    fn before(&self) -> &'static str {
        match self.way {
            Way::Pipelined => "$6\r\nbefore\r\n",
            Way::Queued => "+OK\r\n+QUEUED\r\n",
            _ => "",
        }
    }
}

/// Asks all samples all ways on connections of their own.
fn ask_all<'s>(host: &Host, samples: &'s [Sample], state: &State) -> Vec<Asked<'s>> {
    let mut asked = Vec::new();
    // Prepared before the state begins: in it these would wait themselves.
    for sample in samples {
        for way in WAYS {
            let mut client = host.connect();
            if way == Way::QueuedBefore {
                client.ask(&["MULTI"]);
                client.ask(&sample.argv());
            } else {
                client.ask(&["PING"]);
            }
            asked.push(Asked { sample, way, client });
        }
    }
    state.enter(host);
    for asked in &mut asked {
        match asked.way {
            Way::QueuedBefore => asked.client.say(&["EXEC"]),
            way => say(&mut asked.client, way, asked.sample),
        }
    }
    asked
}

/// The names of those that are answered.
fn answered(asked: &mut [Asked<'_>]) -> BTreeSet<String> {
    asked.iter_mut().filter_map(|asked| asked.is_answered().then(|| asked.name())).collect()
}

/// The names of those that are answered, once each of the others waits at the server, as that says.
fn answered_while_others_wait(host: &Host, asked: &mut [Asked<'_>]) -> BTreeSet<String> {
    let mut client = host.connect();
    eventually("an answer or a wait for each", || {
        let clients = text(&client.ask(&["INFO", "clients"]));
        let answered = answered(asked);
        let waiting = format!("blocked_clients:{}\r\n", asked.len() - answered.len());
        clients.contains(&waiting).then_some(answered)
    })
}

const PAUSED: State = State {
    name: "paused for writes",
    enter: &["CLIENT PAUSE 1000000 WRITE"],
    leave: &["CLIENT UNPAUSE"],
    user: None,
};

#[test]
fn requests_that_wait_in_a_pause_wait_in_redis_and_are_answered_after_it() {
    let hosts = hosts(&["--maxclients", "9000"]);
    let table = engine::command_table().unwrap();
    let samples: Vec<_> = samples(&table)
        .into_iter()
        .filter(|sample| !sample.ours && !is_meant(sample, &PAUSED))
        .collect();
    let mut sides: Vec<_> = hosts.iter().map(|host| ask_all(host, &samples, &PAUSED)).collect();
    let answered: Vec<BTreeSet<String>> = hosts
        .iter()
        .zip(&mut sides)
        .map(|(host, side)| answered_while_others_wait(host, side))
        .collect();
    for other in &answered[1..] {
        let wrong: Vec<_> = answered[0].symmetric_difference(other).collect();
        assert!(wrong.is_empty(), "answered in a pause by some and not by others: {wrong:#?}");
    }
    assert!(!answered[0].is_empty() && answered[0].len() < sides[0].len(), "no client waited");
    for (host, side) in hosts.iter().zip(&mut sides).take(2) {
        PAUSED.leave(host);
        for asked in side {
            hear(&mut asked.client, asked.way);
        }
    }
}

#[test]
fn every_answer_comes_while_a_script_is_over_its_time() {
    let options = ["--busy-reply-threshold", OVERDUE_AFTER, "--io-threads"];
    let server = |threads| Host::Ours(Server::start(&[&options[..], &[threads]].concat()));
    let hosts = [server("1"), server("2"), Host::Inside(Engine::open(&options[..2]))];
    for host in hosts.map(Host::prepare) {
        let table = engine::command_table().unwrap();
        let samples = samples(&table);
        let running = host.hold("held");
        let mut silent = Vec::new();
        for mut asked in ask_all(&host, &samples, &READY) {
            match hear_in_time(&mut asked.client, asked.way) {
                None => silent.push(asked.name()),
                // What the script holds is one key, which none of them names.
                Some(class) if class == "BUSY" && is_answered_always(&asked) => {
                    panic!("{} is answered BUSY", asked.name());
                }
                Some(_) => {}
            }
            assert!(silent.len() < 5, "no answer beside a script over its time: {silent:#?}");
        }
        assert!(silent.is_empty(), "no answer beside a script over its time: {silent:#?}");
        assert_eq!(host.tell("SCRIPT KILL"), ok());
        assert!(running.join().unwrap().contains("killed"));
        // And no client is told that the server is busy any more.
        for sample in &samples {
            assert_ne!(class(&host.connect().ask(&sample.argv())), "BUSY", "{}", sample.name);
        }
    }
}

/// Whether what was asked needs no shard at all, so that it never has to wait for one.
fn is_answered_always(asked: &Asked<'_>) -> bool {
    const ALWAYS: [&str; 8] =
        ["ping", "echo", "info", "time", "client|list", "config|get", "command", "acl|whoami"];
    matches!(asked.way, Way::Plain | Way::Pipelined) && ALWAYS.contains(&asked.sample.name)
}

/// The class of the answer, if one comes within the patience.
fn hear_in_time(client: &mut Client, way: Way) -> Option<String> {
    // The first byte comes when the whole does: whatever stands before an answer waits with it.
    (client.unread(PATIENCE) > 0).then(|| hear(client, way))
}

/// Limits how long files may become for a running server: a disk without room.
fn limit_files(server: &Server, limit: &str) {
    limit_files_of(server.id(), limit);
}

/// The same for a process.
fn limit_files_of(process: u32, limit: &str) {
    assert!(crate::server::limit(process, &format!("--fsize={limit}:unlimited")));
}

/// Whether files can be limited here; else a line says what to install.
fn can_limit_files() -> bool {
    let found = Command::new("prlimit").arg("--version").output().is_ok();
    if !found {
        skip::without("prlimit", "util-linux", "try a full disk");
    }
    found
}

/// Waits until writes are refused because of the disk.
fn await_trouble(server: &Server) {
    eventually("a refusal", || {
        // What is not durable may be answered only once it is: not now.
        let mut client = server.connect();
        client.say(&["SET", "probe", "v"]);
        let refused = client.unread(Duration::from_millis(50)) > 0;
        (refused && class(&client.hear()) == "MISCONF").then_some(())
    });
}

#[test]
fn a_full_disk_refuses_writes_whichever_way_they_come_and_nothing_else() {
    if !can_limit_files() {
        return;
    }
    for policy in ["always", "everysec"] {
        let server = Server::start(&["--appendonly", "yes", "--appendfsync", policy]);
        let host = Host::Ours(server).prepare();
        let Host::Ours(server) = &host else { return };
        let table = engine::command_table().unwrap();
        let samples: Vec<_> =
            samples(&table).into_iter().filter(|sample| !BESIDES.contains(&sample.name)).collect();
        let mut before: Vec<(Client, bool)> = Vec::new();
        for sample in &samples {
            let mut client = server.connect();
            client.ask(&["MULTI"]);
            let is_queued = class(&client.ask(&sample.argv())) == "fine";
            before.push((client, is_queued));
        }
        limit_files(server, "0");
        await_trouble(server);
        let mut wrong = Vec::new();
        for (sample, (client, is_queued)) in samples.iter().zip(&mut before) {
            // A function that does not say that it writes nothing is a command that writes.
            let calls = sample.argv()[0].starts_with("FCALL");
            for way in WAYS.into_iter().filter(|way| *is_queued || *way != Way::QueuedBefore) {
                let writes = sample.writes || calls || way == Way::Called;
                let mut other = server.connect();
                let client = if way == Way::QueuedBefore {
                    client.say(&["EXEC"]);
                    &mut *client
                } else {
                    say(&mut other, way, sample);
                    &mut other
                };
                let class = hear_in_time(client, way).unwrap_or_else(|| "no answer".to_owned());
                let refusal = if way == Way::QueuedBefore { "EXECABORT" } else { "MISCONF" };
                let refused = class == refusal;
                // A command that is not for scripts, or not for transactions, is refused for that.
                let fits = refused == writes || (writes && class == "ERR");
                if !fits && sample.name != "ping" {
                    wrong.push(format!("{:?} {way:?}: {class}", sample.argv().join(" ")));
                }
            }
        }
        assert!(wrong.is_empty(), "disk full, {policy}:\n{}", wrong.join("\n"));
        limit_files(server, "unlimited");
        eventually("writes again", || (host.tell("SET probe w") == ok()).then_some(()));
    }
}

/// What is refused because of the server's state, and not because of the request.
const OF_THE_STATE: [&str; 5] = ["BUSY", "LOADING", "MISCONF", "NOPERM", "OOM"];
