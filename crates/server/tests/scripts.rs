//! Scripts that take too long: other clients are served, and the scripts can be ended.
#![allow(clippy::unwrap_used)] // a test says why by failing

use wire::Value;

use crate::server::{self, Client, Server, bulk, eventually, ok, text};

const BUSY: &str =
    "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.";

fn error(of: &str) -> Value {
    Value::Error(of.into())
}

/// A server with so many threads, on which a client runs this for ever, holding `k`.
fn held_up(threads: &str, body: &str, more: &[&str]) -> (Server, Client) {
    let mut args = vec!["--io-threads", threads, "--busy-reply-threshold", "50"];
    args.extend(more);
    let server = Server::start(&args);
    let running = run_on(&server, body);
    (server, running)
}

/// A client runs this for ever on a server whose threshold is low, holding `k`.
fn run_on(server: &Server, body: &str) -> Client {
    let mut running = server.connect();
    running.say(&["EVAL", body, "1", "k"]);
    let mut other = server.connect();
    eventually("a busy script", || (other.ask(&["GET", "k"]) == error(BUSY)).then_some(()));
    running
}

#[test]
fn others_are_served_while_a_script_runs() {
    for threads in ["1", "2", "4"] {
        let (server, mut running) = held_up(threads, "while true do end", &[]);
        // On every thread, those that the script's own thread has to look after too.
        let mut others: Vec<Client> = (0..8).map(|_| server.connect()).collect();
        for (n, other) in others.iter_mut().enumerate() {
            assert_eq!(other.ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
            let mine = format!("mine:{n}");
            eventually("a key of another shard", || {
                // Its shard may be that of `k`.
                let key = format!("{mine}:{}", rand());
                (other.ask(&["SET", &key, "v"]) == ok()).then_some(())
            });
            assert_eq!(other.ask(&["SET", "k", "v"]), error(BUSY));
            assert_eq!(other.ask(&["KEYS", "*"]), error(BUSY));
        }
        // Messages reach them, and those for the one that runs wait.
        let mut listener = server.connect();
        listener.ask(&["SUBSCRIBE", "news"]);
        assert_eq!(others[0].ask(&["PUBLISH", "news", "hello"]), Value::Int(1));
        let heard = listener.hear();
        assert_eq!(heard, Value::Array(vec![bulk("message"), bulk("news"), bulk("hello")]));
        running.say(&["PING"]);
        assert_eq!(others[1].ask(&["SCRIPT", "KILL"]), ok());
        let killed = running.hear();
        assert!(text(&killed).contains("Script killed by user"), "{killed:?}");
        assert_eq!(running.hear(), Value::Simple(b"PONG".to_vec()));
        assert_eq!(others[2].ask(&["SET", "k", "v"]), ok());
    }
}

/// A different number each time.
fn rand() -> usize {
    static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}

#[test]
fn a_client_that_leaves_in_the_middle_of_its_script_is_noticed() {
    let (server, running) = held_up("1", "while true do end", &[]);
    drop(running);
    let mut other = server.connect();
    assert_eq!(other.ask(&["SCRIPT", "KILL"]), ok());
    eventually("the leaving", || {
        (server.info(&mut other, "connected_clients") == "1").then_some(())
    });
    assert_eq!(other.ask(&["SET", "k", "v"]), ok());
}

#[test]
fn a_server_stops_in_the_middle_of_a_script() {
    for threads in ["1", "2"] {
        for body in ["while true do end", "redis.call('SET', KEYS[1], 1) while true do end"] {
            let (mut server, _running) = held_up(threads, body, &["--appendonly", "yes"]);
            let mut other = server.connect();
            assert_eq!(other.ask(&["SHUTDOWN"]), error(BUSY));
            other.say(&["SHUTDOWN", "NOSAVE"]);
            assert!(server.ended().success());
        }
    }
}

#[test]
fn what_a_stopped_script_wrote_is_gone() {
    let body = "redis.call('SET', KEYS[1], 1) redis.call('SET', 'other', 1) while true do end";
    let dir = server::temporary("half");
    let path = dir.to_str().unwrap();
    let (mut server, _running) = held_up("2", body, &["--appendonly", "yes", "--dir", path]);
    server.signal("TERM");
    assert!(server.ended().success());
    let again = Server::start(&["--appendonly", "yes", "--dir", path]);
    let mut client = again.connect();
    assert_eq!(client.ask(&["DBSIZE"]), Value::Int(0));
    drop(again);
    std::fs::remove_dir_all(dir).unwrap();
}

/// Without a journal the dataset is saved, without what the script did: its keys are declared, so
/// that can be undone.
#[test]
fn what_was_answered_before_a_stopped_script_is_saved() {
    let dir = server::temporary("saved");
    let path = dir.to_str().unwrap();
    let args = ["--appendonly", "no", "--save", "3600 1", "--dir", path];
    let mut server = Server::start(&[&args[..], &["--busy-reply-threshold", "50"]].concat());
    let mut client = server.connect();
    assert_eq!(client.ask(&["MSET", "k", "before", "other", "v"]), ok());
    let _running = run_on(&server, "redis.call('SET', KEYS[1], 'half') while true do end");
    server.signal("TERM");
    assert!(server.ended().success());
    let again = Server::start(&args);
    let mut client = again.connect();
    let kept = Value::Array(vec![bulk("before"), bulk("v")]);
    assert_eq!(client.ask(&["MGET", "k", "other"]), kept);
    drop(again);
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_server_whose_scripts_are_never_overdue_stops() {
    let dir = server::temporary("never");
    let path = dir.to_str().unwrap();
    let args = ["--appendonly", "yes", "--dir", path];
    let mut server = Server::start(&[&args[..], &["--busy-reply-threshold", "0"]].concat());
    let mut running = server.connect();
    let body = "redis.call('SET', KEYS[1], 1) redis.call('SET', 'other', 1) while true do end";
    running.say(&["EVAL", body, "1", "k"]);
    let mut other = server.connect();
    eventually("a script that has written", || {
        text(&other.ask(&["SCRIPT", "KILL"])).starts_with("UNKILLABLE").then_some(())
    });
    server.signal("TERM");
    assert!(server.ended().success());
    let again = Server::start(&args);
    assert_eq!(again.connect().ask(&["DBSIZE"]), Value::Int(0));
    drop(again);
    std::fs::remove_dir_all(dir).unwrap();
}

/// What is answered while a script is overdue.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    /// What is always answered: it needs no shard.
    Right,
    /// `BUSY`, if the script holds `k`.
    BusyWithKey,
    /// `BUSY`, if the script holds any shard.
    BusyWithAny,
    /// Something, at once.
    Any,
}

/// Commands, each in one line, and what they are answered.
const TABLE: &[(Then, &str)] = &[
    (Then::Right, "PING"),
    (Then::Right, "ECHO hello"),
    (Then::Right, "TIME"),
    (Then::Right, "SELECT 0"),
    (Then::Right, "INFO everything"),
    (Then::Right, "CLIENT LIST"),
    (Then::Right, "CLIENT KILL ID 987654"),
    (Then::Right, "CONFIG GET *"),
    (Then::Right, "CONFIG SET hz 10"),
    (Then::Right, "COMMAND COUNT"),
    (Then::Right, "ACL WHOAMI"),
    (Then::Right, "PUBLISH channel message"),
    (Then::Right, "SLOWLOG GET"),
    (Then::Right, "LASTSAVE"),
    (Then::Right, "LATENCY LATEST"),
    (Then::Right, "MEMORY STATS"),
    (Then::Right, "SCRIPT EXISTS x"),
    (Then::BusyWithKey, "GET k"),
    (Then::BusyWithKey, "SET k v"),
    (Then::BusyWithKey, "MGET k l m"),
    (Then::BusyWithKey, "DEL k"),
    (Then::BusyWithKey, "WATCH k"),
    (Then::BusyWithKey, "BLPOP k 0.01"),
    (Then::BusyWithKey, "EVAL return(1) 1 k"),
    (Then::BusyWithKey, "MIGRATE 127.0.0.1 1 k 0 100"),
    (Then::BusyWithAny, "DBSIZE"),
    (Then::BusyWithAny, "KEYS *"),
    (Then::BusyWithAny, "SCAN 0"),
    (Then::BusyWithAny, "RANDOMKEY"),
    (Then::BusyWithAny, "RANGE - +"),
    (Then::BusyWithAny, "SWAPDB 3 4"),
    (Then::BusyWithAny, "FLUSHDB"),
    (Then::BusyWithAny, "FLUSHALL"),
    (Then::BusyWithAny, "CLIENT PAUSE 1"),
    (Then::BusyWithAny, "DEBUG DIGEST"),
    (Then::BusyWithAny, "SAVE"),
    (Then::BusyWithAny, "BACKUP name"),
    (Then::BusyWithAny, "SHUTDOWN SAVE"),
    (Then::Any, "BGSAVE SCHEDULE"),
    (Then::Any, "BGREWRITEAOF"),
    (Then::Any, "CONFIG SET appendonly no"),
    (Then::Any, "CONFIG SET appendonly yes"),
    (Then::Any, "CONFIG SET appendonly no"),
    (Then::Any, "CONFIG REWRITE"),
    (Then::Any, "CONFIG SET maxmemory 1mb"),
    (Then::Any, "CONFIG SET maxmemory 0"),
    (Then::Any, "CONFIG SET range-index yes"),
    (Then::Any, "CONFIG SET range-index auto"),
    // BUSY beside a script, not beside a function: as in Redis.
    (Then::Any, "FUNCTION STATS"),
    (Then::Any, "FUNCTION LIST"),
    (Then::Any, "FUNCTION DUMP"),
    (Then::Any, "SCRIPT LOAD return(2)"),
    (Then::Any, "SCRIPT FLUSH"),
    (Then::Any, "DEBUG SLEEP 0"),
    (Then::Any, "CLIENT UNPAUSE"),
];

/// Which shards a script holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holding {
    Nothing,
    Key,
    Everything,
}

/// A way to run a script for ever, and to end it.
#[derive(Clone, Copy, Debug)]
enum Way {
    Script,
    Transaction,
    Function,
}

impl Way {
    /// Begins to run it for a client.
    fn begin(self, client: &mut Client, holding: Holding) {
        let body = match holding {
            Holding::Everything => "redis.call('GET', 'elsewhere') while true do end",
            _ => "while true do end",
        };
        let keys: &[&str] = if holding == Holding::Nothing { &["0"] } else { &["1", "k"] };
        match self {
            Way::Script => client.say(&[&["EVAL", body], keys].concat()),
            Way::Transaction => {
                assert_eq!(client.ask(&["MULTI"]), ok());
                assert_eq!(text(&client.ask(&[&["EVAL", body], keys].concat())), "QUEUED");
                client.say(&["EXEC"]);
            }
            Way::Function => {
                let code = format!(
                    "#!lua name=forever\nredis.register_function('forever', function() {body} end)"
                );
                client.ask(&["FUNCTION", "LOAD", "REPLACE", &code]);
                client.say(&[&["FCALL", "forever"], keys].concat());
            }
        }
    }

    fn kill(self) -> &'static [&'static str] {
        match self {
            Way::Function => &["FUNCTION", "KILL"],
            _ => &["SCRIPT", "KILL"],
        }
    }

    /// What it holds in the end.
    fn holds(self, holding: Holding) -> Holding {
        match self {
            Way::Transaction => Holding::Everything,
            _ => holding,
        }
    }
}

fn is_busy(value: &Value) -> bool {
    let text = text(value);
    text.starts_with("BUSY ")
        || text.starts_with("EXECABORT Transaction discarded because of: BUSY")
}

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// Asks everything in the table; `held` is what an overdue script holds, if there is one.
fn ask_everything(client: &mut Client, held: Option<Holding>, state: &str) {
    for (then, line) in TABLE {
        if *line == "SHUTDOWN SAVE" && matches!(held, None | Some(Holding::Nothing)) {
            continue;
        }
        let reply = client.ask(&words(line));
        let busy = match (then, held) {
            (Then::Any, Some(_)) => continue,
            (Then::BusyWithKey | Then::BusyWithAny, Some(held)) => held != Holding::Nothing,
            _ => false,
        };
        assert_eq!(is_busy(&reply), busy, "{state}: {line}: {reply:?}");
        if *then == Then::Right {
            assert!(!matches!(reply, Value::Error(_)), "{state}: {line}: {reply:?}");
        }
    }
    // A transaction is refused as a whole.
    let held_key = held.is_some_and(|held| held != Holding::Nothing);
    assert_eq!(client.ask(&["MULTI"]), ok());
    assert_eq!(text(&client.ask(&["SET", "k", "v"])), "QUEUED");
    let reply = client.ask(&["EXEC"]);
    assert_eq!(is_busy(&reply), held_key, "{state}: EXEC: {reply:?}");
    client.ask(&["UNWATCH"]);
}

/// Runs a script for ever, asks everything on connections of all threads, ends it, and asks again.
fn tried(threads: usize, journal: &str, way: Way, holding: Holding) {
    let state = format!("{threads} threads, journal {journal}, {way:?} with {holding:?}");
    let count = threads.to_string();
    let server = Server::start(&[
        "--io-threads",
        &count,
        "--busy-reply-threshold",
        "50",
        "--appendonly",
        journal,
        "--enable-debug-command",
        "yes",
    ]);
    let mut others: Vec<Client> = (0..threads).map(|_| server.connect()).collect();
    let mut running = server.connect();
    way.begin(&mut running, holding);
    eventually("an overdue script", || {
        server.log().contains("longer than busy-reply-threshold").then_some(())
    });
    others.extend((0..threads).map(|_| server.connect()));
    for other in &mut others {
        ask_everything(other, Some(way.holds(holding)), &state);
    }
    // A second one, wherever it comes to be.
    if way.holds(holding) != Holding::Everything {
        let mut second = server.connect();
        second.say(&["EVAL", "while true do end", "0"]);
        eventually("another overdue script", || {
            let log = server.log();
            (log.matches("longer than busy-reply-threshold").count() == 2).then_some(())
        });
        others.push(server.connect());
        for other in &mut others {
            ask_everything(other, Some(way.holds(holding)), &format!("{state}, and another"));
        }
        assert_eq!(server.connect().ask(&["SCRIPT", "KILL"]), ok());
        assert!(matches!(second.hear(), Value::Error(_)));
        others.push(second);
    }
    if !matches!(way, Way::Script) || way.holds(holding) == Holding::Everything {
        assert_eq!(others[0].ask(way.kill()), ok(), "{state}");
    }
    let killed = running.hear();
    let last = killed.as_slice().and_then(<[Value]>::last).unwrap_or(&killed);
    assert!(text(last).contains("Script killed by user"), "{state}: {killed:?}");
    others.push(running);
    for other in &mut others {
        // One that was begun meanwhile has waited for the script.
        eventually("no save under way", || {
            (server.info(other, "rdb_bgsave_in_progress") == "0"
                && server.info(other, "aof_rewrite_in_progress") == "0"
                && server.info(other, "aof_rewrite_scheduled") == "0")
                .then_some(())
        });
        assert!(!is_busy(&other.ask(&["GET", "k"])), "{state}");
    }
    ask_everything(&mut others[0], None, &format!("{state}, afterwards"));
}

#[test]
fn every_command_is_answered_while_a_script_is_overdue() {
    for (threads, journal) in [(1, "no"), (2, "yes"), (4, "no"), (1, "yes")] {
        for holding in [Holding::Nothing, Holding::Key, Holding::Everything] {
            tried(threads, journal, Way::Script, holding);
        }
        tried(threads, journal, Way::Transaction, Holding::Key);
        tried(threads, journal, Way::Function, Holding::Key);
    }
}

#[test]
fn all_is_as_before_once_an_overdue_script_has_ended() {
    for keys in [&["0"][..], &["1", "k"]] {
        let server = Server::start(&["--busy-reply-threshold", "20"]);
        let mut client = server.connect();
        let body = "local t = redis.call('TIME') \
                    repeat for i = 1, 99999 do end local n = redis.call('TIME') \
                    until (n[1] - t[1]) * 1000000 + n[2] - t[2] > 200000 return 'done'";
        assert_eq!(client.ask(&[&["EVAL", body], keys].concat()), bulk("done"));
        server.logged("longer than busy-reply-threshold");
        for line in ["DBSIZE", "SCAN 0", "KEYS *", "RANDOMKEY", "RANGE - +", "SAVE"] {
            let reply = client.ask(&words(line));
            assert!(!matches!(reply, Value::Error(_)), "{line}: {reply:?}");
        }
    }
}

#[test]
fn many_scripts_can_be_overdue_at_a_time() {
    let server = Server::start(&["--io-threads", "2", "--busy-reply-threshold", "20"]);
    let mut running: Vec<Client> = Vec::new();
    for n in 1..=12 {
        let mut client = server.connect();
        client.say(&["EVAL", "while true do end", "0"]);
        eventually("one more", || {
            let log = server.log();
            (log.matches("longer than busy-reply-threshold").count() == n).then_some(())
        });
        running.push(client);
    }
    let mut other = server.connect();
    assert_eq!(other.ask(&["SCRIPT", "KILL"]), ok());
    for client in &mut running {
        assert!(text(&client.hear()).contains("Script killed by user"));
        assert_eq!(client.ask(&["SET", "k", "v"]), ok());
    }
}

#[test]
fn what_comes_for_a_client_whose_script_runs_waits_for_it() {
    for threads in ["1", "4"] {
        let server = Server::start(&["--io-threads", threads, "--busy-reply-threshold", "20"]);
        let (mut running, mut other) = (server.connect(), server.connect());
        running.ask(&["HELLO", "3"]);
        running.ask(&["SUBSCRIBE", "news"]);
        let id = running.id();
        let body = "while true do end";
        // Requests behind it are answered behind it.
        running.say(&["EVAL", body, "1", "k"]);
        running.say(&["ECHO", "behind"]);
        server.logged("longer than busy-reply-threshold");
        for n in 0..3 {
            assert_eq!(other.ask(&["PUBLISH", "news", &n.to_string()]), Value::Int(1));
        }
        assert_eq!(other.ask(&["SCRIPT", "KILL"]), ok());
        // The reply, the one behind it, and what came meanwhile.
        let mut heard: Vec<Value> = (0..5).map(|_| running.hear()).collect();
        heard.retain(|reply| !matches!(reply, Value::Push(_)));
        assert!(text(&heard[0]).contains("Script killed by user"), "{heard:?}");
        assert_eq!(heard[1..], [bulk("behind")]);
        // Killed while it runs, it is closed when its script has ended.
        running.say(&["EVAL", "while true do end", "0"]);
        eventually("another overdue script", || {
            let log = server.log();
            (log.matches("longer than busy-reply-threshold").count() == 2).then_some(())
        });
        assert_eq!(other.ask(&["CLIENT", "KILL", "ID", &id]), Value::Int(1));
        assert_eq!(other.ask(&["SCRIPT", "KILL"]), ok());
        running.closed();
    }
}

/// Longer than a thread keeps its clients waiting.
const LONG: &str = "local n = redis.call('INCR', KEYS[1]) local t = redis.call('TIME') \
                    repeat for i = 1, 99999 do end local u = redis.call('TIME') \
                    until (u[1] - t[1]) * 1000000 + u[2] - t[2] > 25000 return n";

/// Pipelines of requests around a long script, answered in order.
fn scripts_again_and_again(mut client: Client, name: &str, rounds: i64) {
    for round in 0..rounds {
        client.say(&["INCR", name]);
        client.say(&["EVAL", LONG, "1", name]);
        client.say(&["GET", name]);
        client.say(&["INCR", name]);
        client.say(&["PUBLISH", "news", name]);
        assert_eq!(client.hear(), Value::Int(round * 3 + 1));
        assert_eq!(client.hear(), Value::Int(round * 3 + 2));
        assert_eq!(client.hear(), bulk((round * 3 + 2).to_string()));
        assert_eq!(client.hear(), Value::Int(round * 3 + 3));
        assert_eq!(client.hear(), Value::Int(1));
    }
}

#[test]
fn loops_are_handed_over_again_and_again() {
    const ROUNDS: i64 = 12;
    for (threads, sync) in [("1", "always"), ("2", "always"), ("2", "everysec")] {
        let journal = ["--appendonly", "yes", "--appendfsync", sync];
        let server = Server::start(&[&["--io-threads", threads][..], &journal].concat());
        let mut listener = server.connect();
        listener.ask(&["SUBSCRIBE", "news"]);
        std::thread::scope(|scope| {
            for n in 0..4 {
                let (client, server) = (server.connect(), &server);
                scope.spawn(move || scripts_again_and_again(client, &format!("n:{n}"), ROUNDS));
                // Some block and are fed, and others come and go.
                scope.spawn(move || {
                    let (mut waits, mut feeds) = (server.connect(), server.connect());
                    let queue = format!("queue:{n}");
                    for round in 0..ROUNDS * 10 {
                        let round = round.to_string();
                        waits.say(&["BLPOP", &queue, "0"]);
                        assert_eq!(feeds.ask(&["RPUSH", &queue, &round]), Value::Int(1));
                        let popped = waits.hear();
                        assert_eq!(popped, Value::Array(vec![bulk(&queue), bulk(&round)]));
                        let pong = Value::Simple(b"PONG".to_vec());
                        assert_eq!(server.connect().ask(&["PING"]), pong);
                    }
                });
            }
        });
        (0..4 * ROUNDS).for_each(|_| _ = listener.hear());
        let mut client = server.connect();
        for n in 0..4 {
            assert_eq!(client.ask(&["GET", &format!("n:{n}")]), bulk((ROUNDS * 3).to_string()));
        }
        // Nothing is left behind: no connection, and no thread.
        eventually("the leaving", || {
            (server.info(&mut client, "connected_clients") == "2").then_some(())
        });
    }
}

/// Patterns are matched without running a line of the script.
#[test]
fn a_pattern_without_an_end_can_be_killed_and_holds_no_signal_up() {
    let body = "return string.find(('a'):rep(29), ('a?'):rep(29) .. ('a'):rep(29))";
    let (server, mut running) = held_up("1", body, &[]);
    let mut other = server.connect();
    assert_eq!(other.ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
    assert_eq!(other.ask(&["SCRIPT", "KILL"]), ok());
    let killed = running.hear();
    assert!(text(&killed).contains("Script killed by user"), "{killed:?}");

    let (mut server, _running) = held_up("1", body, &[]);
    server.signal("TERM");
    server.ended();
}

/// Commands and instructions that take long one by one: few of them are many milliseconds.
#[test]
fn scripts_of_slow_steps_are_found_and_ended_at_once() {
    let fill = "for i = 1, 20000 do redis.call('RPUSH', 'list', i) redis.call('SADD', 's', i) \
                redis.call('SET', 'key:' .. i, 1) end";
    let bodies = [
        "while true do redis.call('LRANGE', 'list', 0, -1) end",
        "while true do redis.call('SUNION', 's', 's') end",
        "while true do redis.call('KEYS', 'none*') end",
        "while true do pcall(redis.call, 'KEYS', 'none*') end",
        "local s = ('x'):rep(2e7) while true do s:upper() end",
        "local s = ('x'):rep(2e7) while true do local x = s .. 'b' end",
        "while true do local s = 'x' pcall(function() while true do s = s .. s end end) end",
        "local t = {1, 1} for i = 1, 60 do t = {t, t} end while true do pcall(cjson.encode, t) end",
    ];
    let server = Server::start(&["--busy-reply-threshold", "50"]);
    let mut other = server.connect();
    assert_eq!(other.ask(&["EVAL", fill, "0"]), Value::NullBulk);
    for body in bodies {
        let mut running = run_on(&server, body);
        assert_eq!(other.ask(&["SCRIPT", "KILL"]), ok(), "{body}");
        let before = server.processor_time();
        let killed = running.hear();
        assert!(text(&killed).contains("Script killed by user"), "{body}: {killed:?}");
        let took = server.processor_time() - before;
        eprintln!("{took:?} {body}");
        assert!(took < std::time::Duration::from_secs(3), "{body}: {took:?}");
    }
    for body in bodies {
        let mut server = Server::start(&["--busy-reply-threshold", "50"]);
        server.connect().ask(&["EVAL", fill, "0"]);
        let _running = run_on(&server, body);
        server.signal("TERM");
        assert!(server.ended().success(), "{body}");
    }
}

/// Returned values are written without running a line of the script, and may share what they hold.
#[test]
fn a_reply_without_an_end_can_be_killed_and_holds_no_signal_up() {
    let body = "local t = {1, 1} for i = 1, 60 do t = {t, t} end return t";
    // The reply would take more than the longest that there is.
    let most = ["--max-reply-size", "1024gb"];
    for threads in ["1", "2"] {
        let (server, mut running) = held_up(threads, body, &most);
        let mut other = server.connect();
        assert_eq!(other.ask(&["PING"]), Value::Simple(b"PONG".to_vec()));
        assert_eq!(other.ask(&["SCRIPT", "KILL"]), ok());
        let killed = running.hear();
        assert!(text(&killed).contains("Script killed by user"), "{killed:?}");
    }
    let (mut server, _running) = held_up("1", body, &most);
    server.signal("TERM");
    server.ended();
    let server = Server::start(&["--max-reply-size", "1mb"]);
    let mut client = server.connect();
    let full = client.ask(&["EVAL", body, "0"]);
    assert!(text(&full).contains("max-reply-size"), "{full:?}");
    assert_eq!(client.ask(&["SET", "k", "v"]), ok());
}

/// What scripts leave behind in the interpreters of four threads costs no client any data.
#[test]
fn garbage_of_interpreters_evicts_nothing() {
    let memory = ["--maxmemory", "40mb", "--maxmemory-policy", "allkeys-lru"];
    let server = Server::start(&[&["--io-threads", "4"], &memory[..]].concat());
    let mut clients: Vec<Client> = (0..8).map(|_| server.connect()).collect();
    let value = "v".repeat(1000);
    for n in 0..10_000 {
        assert_eq!(clients[0].ask(&["SET", &format!("key:{n}"), &value]), ok());
    }
    for round in 0..3 {
        for client in &mut clients {
            let reply = client.ask(&["EVAL", "return #string.rep('x', 20000000)", "0"]);
            assert_eq!(reply, Value::Int(20_000_000));
            let body = "local t = {} for i = 1, 30000 do t[i] = {i} end return #t";
            assert_eq!(client.ask(&["EVAL", body, "0"]), Value::Int(30_000));
            assert_eq!(client.ask(&["SET", "another", &round.to_string()]), ok());
        }
    }
    assert_eq!(clients[0].ask(&["DBSIZE"]), Value::Int(10_001));
    assert_eq!(server.info(&mut clients[0], "evicted_keys"), "0");
    // In total, whatever the number of threads: their libraries, and 4 MiB.
    let left: usize = server.info(&mut clients[0], "used_memory_vm_total").parse().unwrap();
    assert!(left < 8 << 20, "{left}");
}

/// A request that waits for two keys delays no clients but those that need its keys.
#[test]
fn a_held_target_of_a_blocked_move_delays_no_other_client() {
    let server = Server::start(&["--io-threads", "2", "--busy-reply-threshold", "50"]);
    let (mut running, mut other) = (server.connect(), server.connect());
    // One of another shard than `k` is: most are, but not all.
    for round in 0..4 {
        let source = format!("source:{round}");
        let mut waits = server.connect();
        waits.say(&["BLMOVE", &source, "k", "LEFT", "RIGHT", "0"]);
        eventually("a blocked client", || {
            (server.info(&mut other, "blocked_clients") == "1").then_some(())
        });
        running.say(&["EVAL", "while true do end", "1", "k"]);
        eventually("a busy script", || (other.ask(&["GET", "k"]) == error(BUSY)).then_some(()));
        let fed = other.ask(&["RPUSH", &source, "a"]);
        if fed != error(BUSY) {
            assert_eq!(fed, Value::Int(1));
            for _ in 0..3 {
                assert_eq!(other.ask(&["LLEN", &source]), Value::Int(1));
                assert_eq!(other.ask(&["TYPE", &source]), Value::Simple(b"list".to_vec()));
            }
        }
        assert_eq!(other.ask(&["SCRIPT", "KILL"]), ok());
        running.hear();
        if fed == error(BUSY) {
            other.ask(&["RPUSH", &source, "a"]);
        }
        assert_eq!(waits.hear(), bulk("a"));
        assert_eq!(other.ask(&["LLEN", &source]), Value::Int(0));
    }
}
