//! Users on one engine: no client gets past the rules by another spelling or another door, and what
//! a user loses is lost at once.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kvist_engine::{Engine, Message, State};

use crate::test_client::{TestClient, engine, engine_with};

/// A client of a user with these rules.
fn user(engine: &Arc<Engine>, rules: &str) -> TestClient {
    let mut admin = TestClient::new(engine);
    assert_eq!(admin.ask(&format!("ACL SETUSER u reset on nopass {rules}")), "+OK");
    let mut client = TestClient::new(engine);
    assert_eq!(client.ask("AUTH u x"), "+OK");
    client
}

fn killed(client: &TestClient) -> bool {
    let messages = client.messages.take(client.session.client.id);
    messages.iter().any(|message| matches!(message, Message::Kill))
}

const NO_KEY: &str =
    "-NOPERM this user has no permissions to access one of the keys used as arguments";

fn no_command(name: &str) -> String {
    format!("-NOPERM this user has no permissions to run the '{name}' command")
}

#[test]
fn no_spelling_of_a_name_gets_past() {
    let engine = engine();
    let mut client = user(&engine, "+@all -flushall -config|set -client ~*");
    for line in ["flushall", "FLUSHALL", "fLuShAlL async", "\"flushall\"", "'FLUSHALL'"] {
        assert_eq!(client.ask(line), no_command("flushall"), "{line}");
    }
    for line in ["config set timeout 1", "CONFIG SeT timeout 1", "CoNfIg \"set\" timeout 1"] {
        assert_eq!(client.ask(line), no_command("config|set"), "{line}");
    }
    assert!(client.ask("config get timeout").starts_with('*'));
    // Also those that Redis does not know belong to their container.
    for (line, name) in [
        ("client list", "client|list"),
        ("client setinfo lib-name x", "client|setinfo"),
        ("CLIENT NO-TOUCH on", "client|no-touch"),
        ("client kill user default", "client|kill"),
    ] {
        assert_eq!(client.ask(line), no_command(name), "{line}");
    }
    // A name that would be a subcommand's if it were one word is no command's.
    assert!(client.ask("config|set timeout 1").starts_with("-ERR unknown command"));
    assert!(client.ask("\"flushall \"").starts_with("-ERR unknown command"));
    assert!(client.ask("\"flushall\\x00\"").starts_with("-ERR unknown command"));
}

#[test]
fn commands_of_ours_need_their_own_right() {
    let engine = engine();
    let mut client = user(&engine, "-@all +@read +@write +@connection ~*");
    assert_eq!(client.ask("SNAPSHOT"), no_command("snapshot"));
    assert!(client.ask("CLIENT SETINFO lib-name x").starts_with("+OK"));
}

#[test]
fn every_key_of_a_request_is_looked_at() {
    let engine = engine();
    // A word of an option may be a key, too.
    let mut client = user(&engine, "+@all ~in* ~both* %R~r* %W~w* ~BY ~GET ~STORE");
    for line in [
        "GET out",
        "MGET in1 out",
        "MSET in1 a out b",
        "DEL in1 in2 out",
        "RENAME in1 out",
        "COPY out in1",
        "COPY in1 out",
        "SMOVE out in1 x",
        "LMOVE in1 out LEFT LEFT",
        "BLMOVE in1 out LEFT LEFT 0",
        "SINTERSTORE in1 in2 out",
        "SINTERSTORE out in1",
        "ZUNIONSTORE in1 2 in1 out",
        "ZUNIONSTORE out 1 in1",
        "ZINTERCARD 2 in1 out",
        "LMPOP 2 in1 out LEFT",
        "BLMPOP 0 2 in1 out LEFT",
        "ZRANGESTORE out in1 0 -1",
        "SORT in1 STORE out",
        "SORT in1 LIMIT 0 1 STORE out",
        "SORT in1 STORE in2 STORE out",
        "SORT in1 STORE BY STORE out",
        "SORT in1 STORE GET STORE out",
        "SORT out",
        "SORT_RO out",
        "OBJECT ENCODING out",
        "object encoding out",
        "MEMORY USAGE out",
        "WATCH in1 out",
        "TOUCH in1 out",
        "EXISTS out",
        "DUMP out",
        "SET r1 x",
        "GET w1",
        "SET w1 x GET",
        "GETSET w1 x",
        "APPEND r1 x",
        "BLPOP in1 out 0",
        "BZPOPMIN out 0",
        "GETDEL r1",
        "COPY w1 in1",
        "RENAME r1 in1",
        "LCS in1 out",
        "BITCOUNT_ out",
        "MSETNX in1 a out b",
    ] {
        let answer = client.ask(line);
        let refused = answer == NO_KEY || answer.starts_with("-ERR unknown command");
        assert!(refused, "{line}: {answer}");
    }
    for line in [
        "GET in1",
        "SET in1 x",
        "GET r1",
        "SET w1 x",
        "COPY r1 w1",
        "EXISTS w1",
        "TYPE w1",
        "PING",
        "DEL w1",
        "ZUNIONSTORE w1 2 r1 r2",
        "SORT r1 STORE w1",
        "GET both\u{e9}",
    ] {
        assert_ne!(client.ask(line), NO_KEY, "{line}");
    }
    assert_eq!(client.ask("GET \"\\xff\\xfe\""), NO_KEY);
    assert_eq!(client.ask("GET \"in\\xff\""), "$-1");
}

#[test]
fn transactions_are_checked_when_queued_and_when_run() {
    let engine = engine();
    let mut admin = TestClient::new(&engine);
    let mut client = user(&engine, "+@all ~a");
    assert_eq!(client.ask("MULTI"), "+OK");
    assert_eq!(client.ask("SET b 1"), NO_KEY);
    assert!(client.ask("EXEC").starts_with("-EXECABORT"));
    assert_eq!(client.ask("MULTI"), "+OK");
    assert_eq!(client.ask("SET a 1"), "+QUEUED");
    assert_eq!(client.ask("SORT a BY b*"), "+QUEUED");
    assert_eq!(admin.ask("ACL SETUSER u -set"), "+OK");
    let answer = client.ask("EXEC");
    assert!(answer.starts_with("*2\r\n-NOPERM ACLs rules changed"), "{answer}");
    assert!(answer.contains("-ERR BY option of SORT denied"), "{answer}");
    assert_eq!(admin.ask("EXISTS a"), ":0");
    // Within one transaction, too.
    let mut own = user(&engine, "+@all ~*");
    let lines = "MULTI\r\nACL SETUSER u -get\r\nGET a\r\nEXEC\r\n";
    assert!(own.feed(lines).0.contains("-NOPERM ACLs rules changed"));
}

#[test]
fn a_pipeline_is_checked_request_by_request() {
    let engine = engine();
    let mut client = user(&engine, "+@all ~*");
    let (replies, _) = client.feed("SET a 1\r\nACL SETUSER u -get\r\nGET a\r\nSET a 2\r\n");
    assert_eq!(replies, format!("+OK\r\n+OK\r\n{}\r\n+OK\r\n", no_command("get")));
}

#[test]
fn clients_of_a_deleted_user_do_nothing_more() {
    let engine = engine();
    let mut admin = TestClient::new(&engine);
    let mut client = user(&engine, "+@all ~*");
    let mut waiting = user(&engine, "+@all ~*");
    assert_eq!(waiting.feed("BLPOP l 0\r\n").1, State::Blocked);
    assert_eq!(admin.ask("ACL DELUSER u"), ":1");
    assert!(killed(&client) && killed(&waiting));
    // Its thread has not read the message yet.
    let (reply, state) = client.feed("SET a 1\r\nSET a 2\r\n");
    assert_eq!((reply.as_str(), state), ("-NOAUTH Authentication required.\r\n", State::Closing));
    assert_eq!(admin.ask("EXISTS a"), ":0");
    // Nor is an element lost to one that waited.
    assert_eq!(admin.ask("RPUSH l x"), ":1");
    assert_eq!(admin.ask("LLEN l"), ":1");
    // A new user of the name is another one.
    assert_eq!(admin.ask("ACL SETUSER u on nopass +@all ~*"), "+OK");
    assert_eq!(client.feed("GET a\r\n").1, State::Closing);
    // Who deletes itself hears of it first.
    let mut own = user(&engine, "+@all ~*");
    assert_eq!(own.feed("ACL DELUSER u\r\nPING\r\n"), (":1\r\n".to_owned(), State::Closing));
}

#[test]
fn a_blocked_request_is_checked_again_when_it_is_served() {
    let engine = engine();
    let mut admin = TestClient::new(&engine);
    let mut first = user(&engine, "+@all ~l*");
    let mut second = TestClient::new(&engine);
    assert_eq!(first.feed("BLPOP l 0\r\n").1, State::Blocked);
    assert_eq!(second.feed("BLPOP l 0\r\n").1, State::Blocked);
    assert_eq!(admin.ask("ACL SETUSER u resetkeys"), "+OK");
    assert_eq!(admin.ask("RPUSH l x"), ":1");
    let heard = |client: &TestClient| match client.messages.take(client.session.client.id).pop() {
        Some(Message::Unblocked { reply, .. }) => String::from_utf8(reply.to_vec()).unwrap(),
        other => panic!("{other:?}"),
    };
    assert_eq!(heard(&first), format!("{NO_KEY}\r\n"));
    assert!(heard(&second).starts_with("*2\r\n"));
}

#[test]
fn who_may_not_listen_any_longer_is_disconnected() {
    let engine = engine();
    let mut admin = TestClient::new(&engine);
    let mut set = |rules: &str| assert_eq!(admin.ask(&format!("ACL SETUSER u {rules}")), "+OK");
    let mut client = user(&engine, "+@all resetchannels &a* &b");
    assert!(client.ask("SUBSCRIBE a1 c").starts_with("-NOPERM"));
    assert!(client.ask("SUBSCRIBE a1").starts_with("*3"));
    assert!(client.ask("PSUBSCRIBE a1*").starts_with("-NOPERM"));
    assert!(client.ask("PSUBSCRIBE a*").starts_with("*3"));
    set("&c");
    assert!(!killed(&client));
    set("resetchannels &a* &a1");
    assert!(!killed(&client), "all it listens to is allowed still");
    set("resetchannels &a?");
    assert!(killed(&client), "the pattern is not among the rules");
    let mut client = user(&engine, "+@all resetchannels &a*");
    assert!(client.ask("SSUBSCRIBE a1").starts_with("*3"));
    set("resetchannels (&a1 +get)");
    assert!(!killed(&client), "a selector allows it");
    set("clearselectors");
    assert!(killed(&client));
    let mut own = user(&engine, "+@all allchannels");
    own.ask("HELLO 3");
    let (_, state) = own.feed("SUBSCRIBE x\r\nACL SETUSER u resetchannels\r\nPING\r\n");
    assert_eq!(state, State::Closing);
}

#[test]
fn first_arguments_open_a_command_partly() {
    let engine = engine();
    let mut client = user(&engine, "+select|0 +select|2 ~*");
    assert_eq!(client.ask("SELECT 0"), "+OK");
    assert_eq!(client.ask("select 2"), "+OK");
    assert_eq!(client.ask("SELECT 1"), no_command("select"));
    assert_eq!(client.ask("GET x"), no_command("get"));
}

#[test]
fn the_default_user_is_like_any_other() {
    let engine = engine_with("requirepass secret\n");
    let mut client = TestClient::new(&engine);
    client.session.user.authenticated = false;
    assert!(client.ask("GET x").starts_with("-NOAUTH"));
    assert!(client.ask("AUTH wrong").starts_with("-WRONGPASS"));
    assert_eq!(client.ask("AUTH secret"), "+OK");
    assert_eq!(client.ask("ACL SETUSER default resetkeys ~only"), "+OK");
    assert_eq!(client.ask("GET x"), NO_KEY);
    assert_eq!(TestClient::new(&engine).ask("GET only"), "$-1");
    assert_eq!(client.ask("RESET"), "+RESET");
    assert!(client.ask("GET only").starts_with("-NOAUTH"));
}

#[test]
fn passwords_are_neither_shown_nor_logged() {
    let engine = engine_with("slowlog-log-slower-than 0\n");
    let mut client = TestClient::new(&engine);
    client.ask("ACL SETUSER someone on >hush");
    client.ask("AUTH someone hush2");
    for line in ["SLOWLOG GET", "ACL LIST", "ACL GETUSER someone", "ACL LOG"] {
        let shown = client.ask(line);
        assert!(!shown.contains("hush"), "{line}: {shown}");
    }
}

#[test]
fn made_up_passwords_are_as_long_as_asked_for_and_never_the_same() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    let mut made = |line: &str| client.ask(line).split_once("\r\n").unwrap().1.to_owned();
    assert_eq!(made("ACL GENPASS").len(), 64);
    assert_eq!(made("ACL GENPASS 5").len(), 2);
    assert_eq!(made("ACL GENPASS 4096").len(), 1024);
    assert_ne!(made("ACL GENPASS"), made("ACL GENPASS"));
}

/// A client takes a right away and gives it back while others use it.
#[test]
fn a_right_is_gone_when_its_loss_is_acknowledged() {
    let engine = engine();
    let mut admin = TestClient::new(&engine);
    let mut clients: Vec<TestClient> = (0..3).map(|_| user(&engine, "+@all ~*")).collect();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for client in &mut clients {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let answer = client.ask("INCR n");
                    assert!(answer.starts_with(':') || answer == no_command("incr"), "{answer}");
                }
            });
        }
        let number = |client: &mut TestClient| {
            let answer = client.ask("GET n");
            answer.split_once("\r\n").map_or(0, |(_, n)| n.parse::<i64>().unwrap())
        };
        let mut most = 0;
        for _ in 0..300 {
            admin.ask("ACL SETUSER u -incr");
            let before = number(&mut admin);
            let after = (0..50).map(|_| number(&mut admin)).max().unwrap();
            most = most.max(after - before);
            admin.ask("ACL SETUSER u +incr");
        }
        done.store(true, Ordering::Relaxed);
        // Each thread may have one request on its way that was admitted before.
        assert!(most <= 3, "{most} requests ran without the right");
    });
}

#[test]
fn configured_users_replace_the_default_one_only_if_it_is_among_them() {
    let engine = engine_with("user a on nopass +get ~x\nrequirepass p\n");
    engine.load_users().unwrap();
    let mut client = TestClient::new(&engine);
    let list = client.ask("ACL LIST");
    assert!(list.contains("user a on nopass ~x resetchannels -@all +get"), "{list}");
    assert!(list.contains("user default on #"), "{list}");
    let engine = engine_with("user default on nopass +ping\nrequirepass p\n");
    engine.load_users().unwrap();
    let mut client = TestClient::new(&engine);
    assert_eq!(client.ask("PING"), "+PONG");
    assert_eq!(client.ask("GET x"), no_command("get"));
    for (lines, error) in [
        ("port 1\nuser a +nope\n", "a test, at line 2\n>>> 'user a +nope'"),
        ("user a on\nuser a off\n", "at line 2\n>>> 'user a off'"),
        ("user a on (+get\n", "Unmatched parenthesis"),
        ("user \"a b\" on\n", "Spaces not allowed"),
        ("user a on\naclfile x\n", "but not both"),
        ("aclfile x\n", "opening file '/dev/null/nowhere/x'"),
    ] {
        let told = engine_with(lines).load_users().unwrap_err();
        assert!(told.contains(error), "{told}");
    }
}
