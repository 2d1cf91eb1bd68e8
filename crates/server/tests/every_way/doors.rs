//! The doors beside Redis's port, in every state: whatever the state refuses a plain request, it
//! refuses a call over gRPC, a request over HTTP and a call from inside, and nothing else.
//!
//! A door that cannot carry a command says so, in words that tell why.

use std::collections::BTreeSet;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use base::Property;
use grpc::generated::kvist as pb;
use grpc::generated::kvist::kvist_service_client::KvistServiceClient;
use kvist::{Answered, Error, Values};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tonic::Request;

use super::*;
use crate::server::{READY as STARTED, free_port};
use crate::web::{Browser, Page, basic};

/// What a route of HTTP is asked, and the command that it stands for: it is refused what that is.
struct Route {
    method: &'static str,
    /// As the document has it.
    path: &'static str,
    /// As it is asked for; empty as the document has it.
    line: &'static str,
    body: &'static str,
    command: &'static str,
}

const fn route(method: &'static str, path: &'static str, command: &'static str) -> Route {
    Route { method, path, line: "", body: "", command }
}

const RECORD: &str = "/api/v1/records/{key}";
const HAYSTACK: &str = "/api/{project}/{op}";
const TTL: &str = "/api/v1/ttl/{key}";
const VALUE: &str = r#"{"value": 1}"#;

/// All routes. An empty command: the route is answered in every state. `/ready` and
/// `/api/v1/health`, whose answer is the state, have tests of their own.
const ROUTES: &[Route] = &[
    route("GET", "/", ""),
    route("GET", "/health", ""),
    route("GET", "/ready", "-"),
    route("GET", "/metrics", "INFO"),
    route("GET", "/openapi.json", ""),
    Route {
        body: r#"{"records": [{"key": "route", "value": 1}]}"#,
        ..route("POST", "/api/v1/records/bulk", "SET route 1")
    },
    route("GET", "/api/v1/records/range", "RANGE - +"),
    Route { line: "/api/v1/records/route", ..route("GET", RECORD, "GET route") },
    Route { line: "/api/v1/records/route", body: VALUE, ..route("POST", RECORD, "SET route 1") },
    Route { line: "/api/v1/records/route", body: VALUE, ..route("PUT", RECORD, "SET route 1") },
    Route { line: "/api/v1/records/route", ..route("DELETE", RECORD, "DEL route") },
    route("GET", "/api/v1/aggregations/count", "RANGE.COUNT - +"),
    Route { line: "/api/v1/ttl/route", ..route("GET", TTL, "PTTL route") },
    Route {
        line: "/api/v1/ttl/route",
        body: r#"{"ttl_ms": 100000}"#,
        ..route("POST", TTL, "PEXPIRE route 100000")
    },
    Route { line: "/api/v1/ttl/route", ..route("DELETE", TTL, "PERSIST route") },
    Route {
        line: "/api/v1/graph/graph/query",
        body: r#"{"query": "CREATE()"}"#,
        ..route("POST", "/api/v1/graph/{key}/query", "GRAPH.QUERY graph CREATE()")
    },
    // What runs no command; `haystack.rs` beside this has the others.
    Route { line: "/api/demo/ops", ..route("GET", HAYSTACK, "") },
    Route { line: "/api/demo/close", ..route("POST", HAYSTACK, "") },
    route("GET", "/api/v1/stats", "DBSIZE"),
    route("GET", "/api/v1/health", "-"),
    route("GET", "/api/v1/metrics", "INFO"),
];

#[test]
fn every_route_has_a_line_here() {
    let document: serde_json::Value = serde_json::from_str(&http::document()).unwrap();
    let mut there = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        let methods = methods.as_object().unwrap().keys();
        let methods = methods.filter(|key| ["get", "post", "put", "delete"].contains(&&***key));
        there.extend(methods.map(|method| format!("{} {path}", method.to_uppercase())));
    }
    let here = ROUTES.iter().map(|route| format!("{} {}", route.method, route.path));
    assert_eq!(here.collect::<BTreeSet<_>>(), there);
}

/// A server with all its ports.
pub struct Doors {
    pub calls: Calls,
    pub http: u16,
}

impl Doors {
    pub fn start(options: &[&str]) -> Self {
        Self::start_until(STARTED, options)
    }

    pub fn start_until(said: &str, options: &[&str]) -> Self {
        let http = free_port();
        let port = http.to_string();
        let calls = Calls::start_until(said, &[options, &["--http-port", &port]].concat());
        Doors { calls, http }
    }

    pub fn server(&self) -> &Server {
        &self.calls.server
    }

    fn plain(&self, user: Option<&str>) -> Client {
        let mut client = self.server().connect();
        if let Some(user) = user {
            assert_eq!(client.ask(&["AUTH", user, "pass"]), ok());
        }
        client
    }

    /// A request to HTTP that has been sent.
    fn say(&self, route: &Route, user: Option<&str>) -> Browser<TcpStream> {
        let socket = TcpStream::connect(("127.0.0.1", self.http)).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut browser = Browser::new(socket);
        let line = if route.line.is_empty() { route.path } else { route.line };
        let mut head = format!("{} {line}", route.method);
        if let Some(user) = user {
            head.push_str(&format!("\nAuthorization: {}", basic(user, "pass")));
        }
        browser.say(&head, route.body);
        browser
    }
}

/// The class of an answer of HTTP.
fn class_of_page(page: &Page) -> String {
    let said = String::from_utf8_lossy(&page.body).into_owned();
    let json: serde_json::Value = serde_json::from_str(&said).unwrap_or_default();
    // Of many records each has an error of its own.
    let error = json["error"].as_str().or_else(|| json["failed"][0]["error"].as_str());
    error.map_or_else(
        || if page.status < 500 { "fine".to_owned() } else { page.status.to_string() },
        |text| text.split(' ').next().unwrap_or_default().to_owned(),
    )
}

/// A call for a sample.
fn request(sample: &Sample, user: Option<&str>) -> Request<pb::ExecuteRequest> {
    let words = sample.words.iter().map(|word| crate::calls::bytes(word)).collect();
    let mut request = Request::new(pb::ExecuteRequest { words, database: 0 });
    if let Some(user) = user {
        let credentials = basic(user, "pass").parse().unwrap();
        request.metadata_mut().insert("authorization", credentials);
    }
    request
}

/// The class of what became of a call; of a command that calls cannot carry, that.
fn class_of_call<T>(done: Result<T, tonic::Status>) -> String {
    let Err(status) = done else { return "fine".to_owned() };
    let said = status.message();
    if said.ends_with("is about a connection, and a call has none") {
        return NOT_HERE.to_owned();
    }
    said.split(' ').next().unwrap_or("").to_owned()
}

/// A door cannot carry the command.
const NOT_HERE: &str = "not here";

/// Whether a door answers as a plain request is answered, as far as the state goes.
fn fits(plain: &str, other: &str) -> bool {
    let of_the_state = |class: &str| OF_THE_STATE.contains(&class);
    plain == other || other == NOT_HERE || !(of_the_state(plain) || of_the_state(other))
}

/// What is answered otherwise over gRPC or HTTP than in plain, by its class.
pub fn otherwise(doors: &Doors, user: Option<&str>) -> Vec<String> {
    let table = engine::command_table().unwrap();
    let mut wrong = Vec::new();
    let mut kvist = doors.calls.kvist();
    for sample in samples(&table).iter().filter(|sample| !BESIDES.contains(&sample.name)) {
        let plain = class(&doors.plain(user).ask(&sample.argv()));
        let called = class_of_call(doors.calls.run(kvist.execute(request(sample, user))));
        if !fits(&plain, &called) {
            wrong.push(format!("gRPC {:?}: {called}, plain: {plain}", sample.argv().join(" ")));
        }
    }
    for route in ROUTES.iter().filter(|route| route.command != "-") {
        let words: Vec<&str> = route.command.split(' ').collect();
        let plain = match route.command {
            "" => "fine".to_owned(),
            _ => class(&doors.plain(user).ask(&words)),
        };
        let said = class_of_page(&doors.say(route, user).hear());
        if !fits(&plain, &said) || said.starts_with('5') {
            wrong.push(format!("{} {}: {said}, plain: {plain}", route.method, route.path));
        }
    }
    wrong
}

#[test]
fn other_ports_refuse_what_a_plain_request_is_refused() {
    let full = |doors: &Doors| FULL.enter(doors.server());
    let reader = |doors: &Doors| READER.enter(doors.server());
    let disk = |doors: &Doors| {
        limit_files(doors.server(), "0");
        await_trouble(doors.server());
    };
    type Enter<'e> = &'e dyn Fn(&Doors);
    let states: [(&str, Enter<'_>, Option<&str>); 4] = [
        ("ready", &|_| (), None),
        ("memory full", &full, None),
        ("may only read", &reader, READER.user),
        ("disk full", &disk, None),
    ];
    for (name, enter, user) in states {
        if name == "disk full" && !can_limit_files() {
            continue;
        }
        let doors = Doors::start(&["--appendonly", "yes"]);
        // Its buffers are memory that is used as long as it is there.
        let _idle = doors.server().connect();
        enter(&doors);
        let wrong = otherwise(&doors, user);
        assert!(wrong.is_empty(), "{name}:\n{}", wrong.join("\n"));
    }
}

#[test]
fn other_ports_answer_beside_a_script_over_its_time() {
    for threads in ["1", "2"] {
        let doors =
            Doors::start(&["--io-threads", threads, "--busy-reply-threshold", OVERDUE_AFTER]);
        let running = doors.server().hold("route");
        let wrong = otherwise(&doors, None);
        assert!(wrong.is_empty(), "{threads} threads:\n{}", wrong.join("\n"));
        assert_eq!(doors.server().connect().ask(&["SCRIPT", "KILL"]), ok());
        assert!(running.join().unwrap().contains("killed"));
    }
}

/// Calls of all samples that are under way, and those of them that are done.
pub struct Under {
    runtime: Runtime,
    calls: Vec<(String, JoinHandle<(String, String)>)>,
}

impl Under {
    pub fn way(doors: &Doors, samples: &[Sample]) -> Self {
        let mut building = tokio::runtime::Builder::new_multi_thread();
        let runtime = building.worker_threads(1).enable_all().build().unwrap();
        let mut calls = Vec::new();
        // A connection takes so many calls at a time.
        for some in samples.chunks(50) {
            let line = runtime
                .block_on(grpc::client_channel::ClientChannel::connect(doors.calls.addr()))
                .unwrap();
            for sample in some {
                let mut kvist = KvistServiceClient::new(line.clone());
                let request = request(sample, None);
                let call = async move {
                    let done = kvist.execute(request).await;
                    let said = format!("{done:?}");
                    (class_of_call(done), said)
                };
                calls.push((sample.argv().join(" "), runtime.spawn(call)));
            }
        }
        Under { runtime, calls }
    }

    pub fn done(&self) -> BTreeSet<String> {
        let done = self.calls.iter().filter(|(_, call)| call.is_finished());
        done.map(|(name, _)| name.clone()).collect()
    }

    /// What all are answered, in their order: its class, and what it shows.
    pub fn answers(self) -> Vec<(String, String)> {
        let Under { runtime, calls } = self;
        let answer = |(name, call): (String, JoinHandle<(String, String)>)| {
            let done = runtime.block_on(async { tokio::time::timeout(PATIENCE, call).await });
            done.unwrap_or_else(|_| panic!("{name} is never answered over gRPC")).unwrap()
        };
        calls.into_iter().map(answer).collect()
    }
}

#[test]
fn requests_that_a_pause_delays_in_plain_are_delayed_at_other_ports() {
    let doors = Doors::start(&["--maxclients", "9000"]);
    let table = engine::command_table().unwrap();
    let samples: Vec<_> =
        samples(&table).into_iter().filter(|sample| !BESIDES.contains(&sample.name)).collect();
    PAUSED.enter(doors.server());
    let mut plain: Vec<_> = samples
        .iter()
        .map(|sample| (sample.argv().join(" "), doors.server().connect(), sample))
        .collect();
    plain.iter_mut().for_each(|(_, client, sample)| client.say(&sample.argv()));
    let under = Under::way(&doors, &samples);
    let (answered, done) = eventually("an answer or a wait for each", || {
        let answered = plain.iter_mut().filter_map(|(name, client, _)| {
            (client.unread(Duration::ZERO) > 0).then(|| name.clone())
        });
        let (answered, done): (BTreeSet<String>, _) = (answered.collect(), under.done());
        let wait = 2 * samples.len() - answered.len() - done.len();
        doors.server().has_blocked(wait).then_some((answered, done))
    });
    let wrong: Vec<_> = answered.symmetric_difference(&done).collect();
    assert!(wrong.is_empty(), "answered at one port and not at the other: {wrong:#?}");
    let waiting = samples.len() - answered.len();
    assert!(waiting > 0 && !answered.is_empty(), "{answered:?}");
    let pages: Vec<_> = ROUTES.iter().map(|route| (route, doors.say(route, None))).collect();
    // Those of HTTP that do not write are answered, and the others are not.
    const WRITES: [&str; 5] = ["SET", "DEL", "GRAPH", "PEXPIRE", "PERSIST"];
    let writes = |route: &Route| WRITES.iter().any(|write| route.command.starts_with(write));
    let (mut kept, answered): (Vec<_>, Vec<_>) =
        pages.into_iter().partition(|(route, _)| writes(route));
    answered.into_iter().for_each(|(_, mut page)| drop(page.hear()));
    eventually("the others to wait", || {
        doors.server().has_blocked(2 * waiting + kept.len()).then_some(())
    });
    for (route, page) in &mut kept {
        page.socket.get_ref().set_nonblocking(true).unwrap();
        let answered = page.socket.get_ref().peek(&mut [0; 1]).is_ok();
        page.socket.get_ref().set_nonblocking(false).unwrap();
        assert!(!answered, "{} {} does not wait", route.method, route.path);
    }
    PAUSED.leave(doors.server());
    kept.into_iter().for_each(|(_, mut page)| drop(page.hear()));
    for (name, mut client, _) in plain {
        assert!(client.unread(PATIENCE) > 0, "{name} is never answered");
    }
    under.answers();
}

/// The class of the answer to a call from inside; nothing if it waits.
fn class_inside(engine: &Engine, sample: &Sample) -> Option<String> {
    let argv: Vec<&[u8]> = sample.words.iter().map(|word| word.as_bytes()).collect();
    let (mut values, mut out) = (Values::new(), Vec::new());
    let answer = engine.db.answer(&argv, &mut values, &mut out, &mut || true);
    Some(match answer {
        Ok(Answered::Direct) => class(&values.take().unwrap_or(Value::Null)),
        Ok(Answered::Encoded) => {
            let mut parser = wire::ReplyParser::new();
            parser.feed(&out);
            parser.next_value().unwrap().map_or_else(|| "fine".to_owned(), |reply| class(&reply))
        }
        Err(Error::NeedsSession(_)) => NOT_HERE.to_owned(),
        Err(Error::Interrupted) => return None,
        Err(error) => panic!("{}: {error}", sample.name),
    })
}

#[test]
fn calls_from_inside_are_refused_what_a_plain_request_is_refused() {
    let host = Host::Inside(Engine::open(&["--busy-reply-threshold", OVERDUE_AFTER])).prepare();
    let Host::Inside(engine) = &host else { return };
    let table = engine::command_table().unwrap();
    let samples: Vec<_> =
        samples(&table).into_iter().filter(|sample| !BESIDES.contains(&sample.name)).collect();
    let mut wrong = Vec::new();
    // Another thread works at these, and ends by itself.
    let queries = table.callable().filter(|entry| entry.is(Property::RunsAsQuery));
    let by_others: Vec<&str> =
        queries.map(|entry| entry.name()).chain(std::iter::once("migrate")).collect();
    let mut compare = |state: &State| {
        state.enter(&host);
        for sample in &samples {
            let mut line = host.connect();
            line.say(&sample.argv());
            let plain = (line.unread(Duration::ZERO) > 0).then(|| class(&line.hear()));
            let called = class_inside(engine, sample);
            let alike = match (&plain, &called) {
                (Some(plain), Some(called)) => fits(plain, called),
                // A wait that has its own end may be over by now, and a thread have answered.
                (plain, called) => {
                    plain == called || sample.blocks || by_others.contains(&sample.name)
                }
            };
            let line = sample.argv().join(" ");
            if !alike {
                wrong.push(format!("{}, {line:?}: {called:?}, plain: {plain:?}", state.name));
            }
        }
        state.leave(&host);
    };
    [READY, FULL, PAUSED].iter().for_each(&mut compare);
    let running = host.hold("held");
    compare(&State { name: "a script over its time", ..READY });
    assert_eq!(host.tell("SCRIPT KILL"), ok());
    assert!(running.join().unwrap().contains("killed"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn calls_carry_the_same_commands_from_inside_and_over_grpc() {
    let doors = Doors::start(&[]);
    let engine = Engine::open(&[]);
    let table = engine::command_table().unwrap();
    let mut refused = 0;
    // These have no sample because they would end the connection.
    let ends = ["QUIT", "RESET", "SYNC", "PSYNC ? -1"].map(|line| Sample {
        name: line,
        words: line.split(' ').map(str::to_owned).collect(),
        ..Sample::default()
    });
    let samples = samples(&table).into_iter().chain(ends);
    for sample in &samples.filter(|sample| !BESIDES.contains(&sample.name)).collect::<Vec<_>>() {
        let mut kvist = doors.calls.kvist();
        let called = class_of_call(doors.calls.run(kvist.execute(request(sample, None))));
        let inside = class_inside(&engine, sample).unwrap_or_default();
        assert_eq!(called == NOT_HERE, inside == NOT_HERE, "{}: {called}, {inside}", sample.name);
        refused += usize::from(called == NOT_HERE);
        if ["QUIT", "RESET", "SYNC", "PSYNC ? -1", "monitor", "subscribe"].contains(&sample.name) {
            assert_eq!(called, NOT_HERE, "{}", sample.name);
        }
    }
    assert!(refused > 10, "{refused}");
}

/// The marker of a process with limited files.
const LIMITED: &str = "KVIST_TEST_LIMITED";

/// Not a test of its own: files are limited for whole processes, so this is another.
#[test]
fn inside_with_a_full_disk() {
    if std::env::var_os(LIMITED).is_none() {
        return;
    }
    let full = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, full).unwrap();
    let host = Host::Inside(Engine::open(&["--appendonly", "yes"])).prepare();
    let Host::Inside(engine) = &host else { return };
    limit_files_of(std::process::id(), "0");
    eventually("a refusal", || (class(&host.tell("SET probe v")) == "MISCONF").then_some(()));
    let table = engine::command_table().unwrap();
    for sample in samples(&table).iter().filter(|sample| !BESIDES.contains(&sample.name)) {
        let calls = sample.argv()[0].starts_with("FCALL");
        let called = class_inside(engine, sample);
        let refused = called.as_deref() == Some("MISCONF");
        let writes = sample.writes || calls || sample.name == "ping";
        assert!(refused == writes, "{}: {called:?}", sample.name);
    }
    limit_files_of(std::process::id(), "unlimited");
    eventually("writes again", || (host.tell("SET probe w") == ok()).then_some(()));
}

#[test]
fn a_full_disk_is_told_inside_too() {
    if !can_limit_files() {
        return;
    }
    let mut other = Command::new(std::env::current_exe().unwrap());
    other.args(["--exact", "every_way::doors::inside_with_a_full_disk", "--test-threads=1"]);
    let done = other.env(LIMITED, "").output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && said.contains("1 passed"), "{said}");
}
