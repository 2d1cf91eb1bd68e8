//! Scripts that take too long: everybody else is served, and they can be ended.
#![allow(clippy::unwrap_used)] // a test says why by failing

mod server;

use server::{Client, Server, bulk, eventually, ok, text};
use wire::Value;

const BUSY: &str =
    "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.";

fn error(of: &str) -> Value {
    Value::Error(of.into())
}

/// A server with so many threads, on which somebody runs this for ever, holding `k`.
fn held_up(threads: &str, body: &str, more: &[&str]) -> (Server, Client) {
    let mut args = vec!["--io-threads", threads, "--busy-reply-threshold", "50"];
    args.extend(more);
    let server = Server::start(&args);
    let mut running = server.connect();
    running.say(&["EVAL", body, "1", "k"]);
    let mut other = server.connect();
    eventually("a busy script", || (other.ask(&["GET", "k"]) == error(BUSY)).then_some(()));
    (server, running)
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

/// What scripts leave behind in the interpreters of four threads costs nobody any data.
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
