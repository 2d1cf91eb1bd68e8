//! Requests that wait, and are served in a state that began meanwhile: by whatever way they are
//! fed, the feeder's answer and what the waiter gets are as in Redis.
//!
//! ```text
//!   waiter   BLPOP k1 0 ─────────────── the state begins ────────────┬─ "first" or "second"
//!   feeder                       RPUSH k1 first, one way or another ─┤
//!   feeder                                     the state ends ───────┴─ RPUSH k1 second
//! ```
//!
//! Which of the two a waiter gets says whether the first has served it, without looking at a clock.

use super::doors::{Doors, Under};
use super::*;

/// What waits on a fresh key `K` (and its target `T`), and how it is fed `V`.
pub const WAITS: &[(&str, &str, &str)] = &[
    ("blpop", "BLPOP K 0", "RPUSH K V"),
    ("brpop", "BRPOP K 0", "LPUSH K V"),
    ("blmove", "BLMOVE K T LEFT RIGHT 0", "RPUSH K V"),
    ("brpoplpush", "BRPOPLPUSH K T 0", "LPUSH K V"),
    ("blmpop", "BLMPOP 0 1 K LEFT", "RPUSH K V"),
    ("bzpopmin", "BZPOPMIN K 0", "ZADD K 1 V"),
    ("bzpopmax", "BZPOPMAX K 0", "ZADD K 1 V"),
    ("bzmpop", "BZMPOP 0 1 K MIN", "ZADD K 1 V"),
    // A reader, unlike the others: it takes nothing away.
    ("xread", "XREAD BLOCK 0 STREAMS K $", "XADD K * f V"),
    ("xreadgroup", "XREADGROUP GROUP g c BLOCK 0 STREAMS K >", "XADD K * f V"),
];

#[test]
fn every_command_that_waits_has_a_line_here() {
    let table = engine::command_table().unwrap();
    let waits =
        samples(&table).into_iter().filter(|sample| sample.blocks).map(|sample| sample.name);
    let here = WAITS.iter().map(|(name, _, _)| *name);
    assert_eq!(waits.collect::<BTreeSet<_>>(), here.collect());
}

/// How a key is fed.
const FEEDS: [Way; 5] = [Way::Plain, Way::Pipelined, Way::Queued, Way::Scripted, Way::Called];

/// A state that begins while a client waits.
struct Meanwhile<'m> {
    name: &'static str,
    enter: &'m dyn Fn(&Host),
    leave: &'m dyn Fn(&Host),
    /// The feeder's answer comes only when it has ended.
    holds: bool,
    /// The waiting client.
    user: Option<&'static str>,
}

pub fn of(line: &str, key: &str, value: &str) -> Vec<String> {
    let word = |word: &str| match word {
        "K" => key.to_owned(),
        "T" => format!("{key}:to"),
        "V" => value.to_owned(),
        other => other.to_owned(),
    };
    line.split(' ').map(word).collect()
}

pub fn sample(words: Vec<String>) -> Sample {
    Sample { words, ..Sample::default() }
}

/// Waits until so many clients are blocked.
pub fn await_blocked(host: &impl Reach, count: usize) {
    let mut client = host.client();
    eventually("a wait", || {
        let info = text(&client.ask(&["INFO", "clients"]));
        info.contains(&format!("blocked_clients:{count}\r\n")).then_some(())
    });
}

/// A waiting client, and the client that feeds it.
struct Waiting {
    feed: &'static str,
    key: String,
    way: Way,
    waiter: Client,
    feeder: Client,
}

impl Waiting {
    fn new(host: &Host, wait: &(&str, &str, &'static str), way: Way, user: Option<&str>) -> Self {
        let key = format!("{}:{way:?}", wait.0);
        host.tell(&format!("DEL {key} {key}:to"));
        if wait.0 == "xreadgroup" {
            assert_eq!(host.tell(&format!("XGROUP CREATE {key} g $ MKSTREAM")), ok());
        }
        let mut waiter = host.connect();
        if let Some(user) = user {
            assert_eq!(waiter.ask(&["AUTH", user, "pass"]), ok());
        }
        waiter.say(&sample(of(wait.1, &key, "")).argv());
        Waiting { feed: wait.2, key, way, waiter, feeder: host.connect() }
    }

    fn feed(&mut self, way: Way, value: &str) {
        say(&mut self.feeder, way, &sample(of(self.feed, &self.key, value)));
    }
}

/// What becomes of every wait, fed every way, in words that are the same for both servers.
fn outcomes(host: &Host, meanwhile: &Meanwhile<'_>) -> Vec<String> {
    let ways = |wait| FEEDS.map(|way| Waiting::new(host, wait, way, meanwhile.user));
    let mut waiting: Vec<Waiting> = WAITS.iter().flat_map(ways).collect();
    await_blocked(host, waiting.len());
    (meanwhile.enter)(host);
    let mut fed: Vec<String> = Vec::new();
    for one in &mut waiting {
        one.feed(one.way, "first");
        if !meanwhile.holds {
            fed.push(hear(&mut one.feeder, one.way));
        }
    }
    (meanwhile.leave)(host);
    if meanwhile.holds {
        fed.extend(waiting.iter_mut().map(|one| hear(&mut one.feeder, one.way)));
    }
    let served = waiting.iter_mut().map(|one| {
        one.feed(Way::Plain, "second");
        assert_eq!(hear(&mut one.feeder, Way::Plain), "fine", "the state is over");
        served(&one.waiter.hear())
    });
    fed.iter().zip(served).map(|(fed, served)| format!("fed: {fed}, served: {served}")).collect()
}

/// The element that a client has got, or why not.
fn served(reply: &Value) -> String {
    match reply {
        Value::Array(parts) => parts.iter().map(served).find(|part| !part.is_empty()),
        Value::Error(_) => Some(class(reply)),
        other => Some(text(other)).filter(|text| ["first", "second"].contains(&text.as_str())),
    }
    .unwrap_or_default()
}

/// What becomes of every wait in a state, fed every way, at these hosts: where they differ, or are
/// not as they should be.
fn unlike_outcomes(hosts: &[Host], meanwhile: &Meanwhile<'_>) -> Vec<String> {
    let all: Vec<_> = hosts.iter().map(|host| outcomes(host, meanwhile)).collect();
    let each = WAITS.iter().flat_map(|wait| FEEDS.map(|way| (wait.0, way)));
    let mut wrong = Vec::new();
    for (at, (name, way)) in each.enumerate() {
        let alike: Vec<&String> = all.iter().map(|outcomes| &outcomes[at]).collect();
        // Fed is served, and what was refused has fed no client.
        let fits = match meanwhile.user {
            Some(_) => alike[0] == "fed: fine, served: NOPERM",
            None => alike[0].contains("fed: fine") == alike[0].contains("served: first"),
        };
        if !fits || alike.iter().any(|outcome| *outcome != alike[0]) {
            wrong.push(format!("{}, {name} fed {way:?}: {alike:?}", meanwhile.name));
        }
    }
    wrong
}

/// A state that both sides have.
fn plain(state: &'static State) -> [impl Fn(&Host); 2] {
    [true, false]
        .map(|enters| move |host: &Host| if enters { state.enter(host) } else { state.leave(host) })
}

#[test]
fn a_blocked_client_is_served_as_in_redis_whatever_begins_meanwhile() {
    let hosts = hosts(&[]);
    let mut wrong = Vec::new();
    for state in [&READY, &FULL, &PAUSED] {
        let [enter, leave] = &plain(state);
        let holds = state.name == PAUSED.name;
        let meanwhile = Meanwhile { name: state.name, enter, leave, holds, user: None };
        wrong.extend(unlike_outcomes(&hosts, &meanwhile));
    }
    assert!(wrong.is_empty(), "ours, inside, Redis:\n{}", wrong.join("\n"));
}

#[test]
fn a_client_that_loses_the_right_while_waiting_is_not_served() {
    let hosts = &hosts(&[])[..2];
    let all = "ACL SETUSER reader on >pass ~* &* +@all";
    hosts.iter().for_each(|host| assert_eq!(host.tell(all), ok()));
    let mut wrong = Vec::new();
    for (name, rights) in [
        ("may no longer write", "ACL SETUSER reader -@write -@stream"),
        ("may no longer see the key", "ACL SETUSER reader resetkeys ~other"),
    ] {
        let enter = |host: &Host| assert_eq!(host.tell(rights), ok());
        let leave = |host: &Host| assert_eq!(host.tell(all), ok());
        let user = READER.user;
        let meanwhile = Meanwhile { name, enter: &enter, leave: &leave, holds: false, user };
        wrong.extend(unlike_outcomes(hosts, &meanwhile));
    }
    assert!(wrong.is_empty(), "ours, inside:\n{}", wrong.join("\n"));
}

#[test]
fn a_blocked_client_is_served_beside_a_script_over_its_time() {
    let hosts = hosts(&["--busy-reply-threshold", OVERDUE_AFTER]);
    let name = "a script over its time";
    let running = std::cell::RefCell::new(None);
    let enter = |host: &Host| drop(running.borrow_mut().replace(host.hold("held")));
    let leave = |host: &Host| {
        assert_eq!(host.tell("SCRIPT KILL"), ok());
        assert!(running.take().unwrap().join().unwrap().contains("killed"));
    };
    let meanwhile = Meanwhile { name, enter: &enter, leave: &leave, holds: false, user: None };
    for host in &hosts[..2] {
        // A key may lie beside the one that the script holds, so the two need not be alike.
        let wrong = unlike_outcomes(std::slice::from_ref(host), &meanwhile);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

#[test]
fn waiting_and_feeding_over_grpc_is_answered_as_on_the_other_port() {
    let doors = Doors::start(&["--busy-reply-threshold", OVERDUE_AFTER]);
    let server = doors.server();
    for state in [&READY, &FULL, &PAUSED, &OVERDUE] {
        let mut waiting: Vec<(String, Client)> = Vec::new();
        for wait in WAITS {
            let key = format!("{}:{}", wait.0, state.name.replace(' ', "-"));
            if wait.0 == "xreadgroup" {
                server.tell(&format!("XGROUP CREATE {key} g $ MKSTREAM"));
                server.tell(&format!("XGROUP CREATE {key}:grpc g $ MKSTREAM"));
            }
            let mut waiter = server.connect();
            waiter.say(&sample(of(wait.1, &key, "")).argv());
            waiting.push((key, waiter));
        }
        let lines = WAITS.iter().zip(&waiting);
        let lines = lines.map(|(wait, (key, _))| sample(of(wait.1, &format!("{key}:grpc"), "")));
        let called = Under::way(&doors, &lines.collect::<Vec<_>>());
        await_blocked(server, 2 * WAITS.len());
        let held = (state.name == OVERDUE.name).then(|| server.hold("held"));
        state.enter(server);
        let feeds = |value: &str| -> Vec<Sample> {
            let of = |(wait, (key, _)): (&(_, _, &str), &(String, _))| {
                [key.clone(), format!("{key}:grpc")].map(|key| sample(of(wait.2, &key, value)))
            };
            WAITS.iter().zip(&waiting).flat_map(of).collect()
        };
        let fed = Under::way(&doors, &feeds("first"));
        if state.name != PAUSED.name {
            eventually("answers", || (fed.done().len() == 2 * WAITS.len()).then_some(()));
        }
        state.leave(server);
        if let Some(held) = held {
            assert_eq!(server.tell("SCRIPT KILL"), ok());
            assert!(held.join().unwrap().contains("killed"));
        }
        let fed = fed.answers();
        for line in feeds("second") {
            assert_eq!(class(&server.connect().ask(&line.argv())), "fine");
        }
        let got = |fed: &(String, String)| if fed.0 == "fine" { "first" } else { "second" };
        for (at, (key, waiter)) in waiting.iter_mut().enumerate() {
            assert_eq!(served(&waiter.hear()), got(&fed[2 * at]), "{}, {key}", state.name);
        }
        for (at, (class, said)) in called.answers().iter().enumerate() {
            let wanted = got(&fed[2 * at + 1]);
            assert!(class == "fine" && said.contains(wanted), "{}: {said}", state.name);
        }
    }
}

/// To enter it, a script holds a key.
const OVERDUE: State = State { name: "a script over its time", ..READY };

#[test]
fn a_full_disk_serves_no_blocked_client() {
    if !can_limit_files() {
        return;
    }
    for policy in ["always", "everysec"] {
        let server = Server::start(&["--appendonly", "yes", "--appendfsync", policy]);
        let host = Host::Ours(server).prepare();
        let limit = |limit: &str, host: &Host| {
            let Host::Ours(server) = host else { return };
            limit_files(server, limit);
        };
        let enter = |host: &Host| {
            limit("0", host);
            let Host::Ours(server) = host else { return };
            await_trouble(server);
        };
        let leave = |host: &Host| {
            limit("unlimited", host);
            eventually("writes again", || (host.tell("SET probe w") == ok()).then_some(()));
        };
        let name = "disk full";
        let meanwhile = Meanwhile { name, enter: &enter, leave: &leave, holds: false, user: None };
        let wrong = unlike_outcomes(&[host], &meanwhile);
        assert!(wrong.is_empty(), "{policy}:\n{}", wrong.join("\n"));
    }
}
