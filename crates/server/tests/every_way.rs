//! Every command through every way in, in every state of the server: what is refused and what is
//! answered is the same whichever way it comes, and an answer always comes.
//!
//! ```text
//!   commands   all in the table, each in its shortest form (`ways/samples.rs`)
//!   ways       plain, in a pipeline, in MULTI, in MULTI from before the state, in a script, in a
//!              function; through gRPC where nothing waits
//!   states     ready, memory full, paused, a script over its time, disk full, a user who may only
//!              read
//! ```
//!
//! Of a reply only its class counts: the code of an error, or that it is none. Where Redis has the
//! command and the state, its class is what ours must be; elsewhere the command's flags say it.
#![allow(clippy::unwrap_used)] // a test says why by failing

mod calls;
mod host;
#[path = "../../base/tests/oracle/mod.rs"]
mod oracle;
#[path = "ways/samples.rs"]
mod samples;
mod server;

use std::collections::BTreeSet;
use std::process::Command;
use std::time::{Duration, Instant};

use calls::{Calls, Kvist};
use host::Host;
use oracle::Oracle;
use samples::{Sample, samples};
use server::{Client, PATIENCE, Server, eventually, ok, text};
use wire::Value;

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

impl Host {
    /// Does something on a connection of its own.
    fn tell(&self, line: &str) -> Value {
        self.connect().ask(&line.split(' ').collect::<Vec<_>>())
    }

    fn prepare(self) -> Self {
        assert_eq!(text(&self.connect().ask(&["FUNCTION", "LOAD", LIBRARY])), "l");
        self
    }
}

/// Ours, and Redis's if there is one.
fn hosts(options: &[&str]) -> Vec<Host> {
    let ours = Host::Ours(Server::start(options));
    let theirs = Oracle::start(options).map(Host::Theirs);
    [Some(ours), theirs].into_iter().flatten().map(Host::prepare).collect()
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

/// Sends a sample one way, without waiting; `enter` is said when the state is to begin.
fn say(client: &mut Client, way: Way, sample: &Sample, enter: &mut dyn FnMut()) {
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
        Way::QueuedBefore => {
            client.ask(&["MULTI"]);
            client.ask(&argv);
            enter();
            client.say(&["EXEC"]);
        }
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
    /// Who asks.
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
    fn enter(&self, host: &Host) {
        self.enter.iter().for_each(|line| assert_eq!(host.tell(line), ok(), "{line}"));
    }

    fn leave(&self, host: &Host) {
        self.leave.iter().for_each(|line| assert_eq!(host.tell(line), ok(), "{line}"));
    }

    fn client(&self, host: &Host) -> Client {
        let mut client = host.connect();
        if let Some(user) = self.user {
            assert_eq!(client.ask(&["AUTH", user, "pass"]), ok());
        }
        client
    }

    /// The class of the answer to a sample, one way.
    fn class(&self, host: &Host, sample: &Sample, way: Way) -> String {
        if way == Way::QueuedBefore {
            self.leave(host);
        } else {
            self.enter(host);
        }
        let mut client = self.client(host);
        say(&mut client, way, sample, &mut || self.enter(host));
        let class = hear(&mut client, way);
        self.leave(host);
        class
    }
}

/// Commands whose answer depends on what runs beside them.
const BESIDES: [&str; 5] = ["backup", "bgrewriteaof", "bgsave", "save", "snapshot"];

/// Where ours is meant to be another class than Redis's: command, state, why.
const MEANT: &[(&str, &str, &str)] = &[
    ("migrate", "any", "it does not wait for another server inside a transaction or a script"),
    ("script|debug", "any", "there is no debugger"),
];

fn is_meant(sample: &Sample, state: &State) -> bool {
    BESIDES.contains(&sample.name)
        || MEANT
            .iter()
            .any(|(name, at, _)| *name == sample.name && [state.name, "any"].contains(at))
}

/// Compares all commands, all ways, with Redis.
fn compare(state: &State) {
    let [ours, theirs] = &hosts(&[])[..] else { return };
    let table = engine::command_table().unwrap();
    let mut wrong = Vec::new();
    for sample in samples(&table).iter().filter(|sample| !sample.ours) {
        for way in WAYS {
            let [got, wanted] = [ours, theirs].map(|host| state.class(host, sample, way));
            if got != wanted && !is_meant(sample, state) {
                wrong
                    .push(format!("{:?} {way:?}: {got}, Redis: {wanted}", sample.argv().join(" ")));
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
fn who_may_only_read_is_refused_as_redis_refuses() {
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
    fn is_answered(&self) -> bool {
        let socket = self.client.tcp();
        socket.set_nonblocking(true).unwrap();
        let mut buffer = [0; 4096];
        let got = socket.peek(&mut buffer);
        socket.set_nonblocking(false).unwrap();
        // What is answered before the request itself tells nothing.
        got.is_ok_and(|n| n > self.before().len())
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
            way => say(&mut asked.client, way, asked.sample, &mut || {}),
        }
    }
    asked
}

/// The names of those that are answered.
fn answered(asked: &[Asked<'_>]) -> BTreeSet<String> {
    asked.iter().filter(|asked| asked.is_answered()).map(Asked::name).collect()
}

/// Those that are answered on one side only, once the sides have been alike for a while, or have
/// not become so within the patience.
fn unlike(sides: &[Vec<Asked<'_>>; 2]) -> Vec<String> {
    const STEADY: Duration = Duration::from_millis(500);
    let (start, mut alike) = (Instant::now(), None);
    loop {
        let [ours, theirs] = sides.each_ref().map(|asked| answered(asked));
        let unlike: Vec<_> = ours.symmetric_difference(&theirs).cloned().collect();
        alike = if unlike.is_empty() { alike.or_else(|| Some(Instant::now())) } else { None };
        if alike.is_some_and(|since| since.elapsed() > STEADY) || start.elapsed() > PATIENCE {
            return unlike;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

const PAUSED: State = State {
    name: "paused for writes",
    enter: &["CLIENT PAUSE 1000000 WRITE"],
    leave: &["CLIENT UNPAUSE"],
    user: None,
};

#[test]
fn who_waits_in_a_pause_waits_in_redis_and_is_answered_after_it() {
    let [ours, theirs] = &hosts(&["--maxclients", "9000"])[..] else { return };
    let table = engine::command_table().unwrap();
    let samples: Vec<_> = samples(&table)
        .into_iter()
        .filter(|sample| !sample.ours && !is_meant(sample, &PAUSED))
        .collect();
    let mut sides = [ours, theirs].map(|host| ask_all(host, &samples, &PAUSED));
    let wrong = unlike(&sides);
    assert!(wrong.is_empty(), "answered in a pause by one of the two: {wrong:#?}");
    assert!(answered(&sides[0]).len() < sides[0].len(), "nobody waited");
    PAUSED.leave(ours);
    for asked in &mut sides[0] {
        hear(&mut asked.client, asked.way);
    }
}

#[test]
fn every_answer_comes_while_a_script_is_over_its_time() {
    for threads in ["1", "2"] {
        let options = ["--io-threads", threads, "--busy-reply-threshold", "20"];
        let host = Host::Ours(Server::start(&options)).prepare();
        let table = engine::command_table().unwrap();
        let samples = samples(&table);
        let mut running = host.connect();
        running.say(&["EVAL", "while true do end", "1", "held"]);
        let busy = || class(&host.tell("GET held")) == "BUSY";
        eventually("a script over its time", || busy().then_some(()));
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
        assert!(text(&running.hear()).contains("killed"));
        // And nobody is told that the server is busy any more.
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
    let mut buffer = [0; 1];
    // The first byte comes when the whole does: whatever stands before an answer waits with it.
    let got = client.tcp().peek(&mut buffer);
    got.is_ok().then(|| hear(client, way))
}

/// Limits how long files may become for a running server: a disk without room.
fn limit_files(server: &Server, limit: &str) {
    let words = ["--pid", &server.id().to_string(), &format!("--fsize={limit}:unlimited")];
    assert!(Command::new("prlimit").args(words).status().unwrap().success());
}

/// Whether files can be limited here; else a line says what to install.
fn can_limit_files() -> bool {
    let found = Command::new("prlimit").arg("--version").output().is_ok();
    if !found {
        eprintln!("SKIP: prlimit is not here: install util-linux to try a full disk");
    }
    found
}

/// Waits until writes are refused because of the disk.
fn await_trouble(server: &Server) {
    eventually("a refusal", || {
        // What is not durable may be answered only once it is: not now.
        let mut client = server.connect();
        client.say(&["SET", "probe", "v"]);
        client.tcp().set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        let refused = client.tcp().peek(&mut [0; 1]).is_ok();
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
                let writes = sample.writes() || calls || way == Way::Called;
                let mut other = server.connect();
                let client = if way == Way::QueuedBefore {
                    client.say(&["EXEC"]);
                    &mut *client
                } else {
                    say(&mut other, way, sample, &mut || {});
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

#[test]
fn a_server_ends_whatever_its_clients_wait_for() {
    for threads in ["1", "2"] {
        let mut server = Server::start(&["--io-threads", threads, "--busy-reply-threshold", "20"]);
        let waits: &[&[&str]] = &[
            &["BLPOP x1 x2 0"],
            &["BLMOVE x1 x2 LEFT LEFT 0"],
            &["XREAD BLOCK 0 STREAMS x3 $"],
            &["SUBSCRIBE news"],
            &["MONITOR"],
            &["MULTI", "SET x4 v"],
            &["WATCH x5"],
            &["EVAL while(true)do\tend 1 held"],
            &["SET held v"],
            &["CLIENT PAUSE 1000000", "SET x6 v"],
        ];
        let clients: Vec<Client> = waits
            .iter()
            .map(|lines| {
                let mut client = server.connect();
                for line in *lines {
                    client.say(&line.split(' ').collect::<Vec<_>>());
                }
                client
            })
            .collect();
        server.signal("TERM");
        assert!(server.ended().success(), "{threads} threads");
        drop(clients);
    }
}

/// The class of the answer to a command through gRPC.
fn class_of_call(calls: &Calls, kvist: &mut Kvist, sample: &Sample) -> String {
    match calls.execute(kvist, &sample.argv().join(" ")) {
        Ok(_) => "fine".to_owned(),
        Err(status) => status.message().split(' ').next().unwrap_or("").to_owned(),
    }
}

/// What is refused because of the server's state, and not because of the request.
const OF_THE_STATE: [&str; 5] = ["BUSY", "LOADING", "MISCONF", "NOPERM", "OOM"];

#[test]
fn grpc_refuses_what_a_plain_request_is_refused() {
    type Enter = fn(&Server);
    let states: [(&str, Enter); 3] = [
        ("ready", |_| ()),
        ("memory full", |server| {
            assert_eq!(server.connect().ask(&["CONFIG", "SET", "maxmemory", "1"]), ok());
        }),
        ("disk full", |server| {
            limit_files(server, "0");
            await_trouble(server);
        }),
    ];
    for (name, enter) in states {
        if name == "disk full" && !can_limit_files() {
            continue;
        }
        let calls = Calls::start(&["--appendonly", "yes"]);
        // Its buffers are memory that is used as long as it is there.
        let _idle = calls.server.connect();
        enter(&calls.server);
        let table = engine::command_table().unwrap();
        let mut wrong = Vec::new();
        for sample in samples(&table).iter().filter(|sample| !BESIDES.contains(&sample.name)) {
            let plain = class(&calls.server.connect().ask(&sample.argv()));
            let called = class_of_call(&calls, &mut calls.kvist(), sample);
            let [a, b] = [&plain, &called].map(|class| OF_THE_STATE.contains(&class.as_str()));
            let about_connections = called == "ERR" && !sample.writes();
            let fits = plain == called || about_connections || !(a || b);
            if !fits {
                wrong.push(format!("{:?}: {called}, plain: {plain}", sample.argv().join(" ")));
            }
        }
        assert!(wrong.is_empty(), "{name}:\n{}", wrong.join("\n"));
    }
}
