//! Small things in which Kvist once differed from a redis-server: what spoils a watch, what counts
//! as failed or slow, what is refused when. Both play the same scenes, and hear the same bytes.
#![allow(clippy::unwrap_used)] // a test says why by failing

use kvist_engine::{Message, State};
use testkit::oracle::Oracle;

use crate::duet::{Duet, play};
use crate::test_client::{self, engine_with};

const BOTH: &[&str] = &["--enable-debug-command", "yes"];

fn scene(text: &str) {
    let Some(oracle) = Oracle::start(BOTH) else { return };
    play(&engine_with("enable-debug-command yes\n"), &oracle, text);
}

/// The same, of words that have blanks and line breaks in them.
fn words(lines: &[(&str, &[&str])]) {
    let Some(oracle) = Oracle::start(BOTH) else { return };
    let engine = engine_with("enable-debug-command yes\n");
    let mut duet = Duet::new(&engine, &oracle);
    for (who, words) in lines {
        match *words {
            [line] => duet.line(&format!("{who} {line}")),
            _ => {
                let words: Vec<Vec<u8>> =
                    words.iter().map(|word| word.as_bytes().to_vec()).collect();
                duet.say(who.trim_end_matches(':'), &words);
            }
        }
    }
    duet.compare();
}

#[test]
fn what_changes_nothing_spoils_no_watch() {
    scene(
        "a: SADD s1 m n
         a: SADD s2 m
         a: WATCH s2
         b: SMOVE s1 s2 m
         a: MULTI
         a: SMEMBERS s2
         a: EXEC
         a: WATCH s2
         b: SMOVE s1 s2 n
         a: MULTI
         a: PING
         a: EXEC
         a: WATCH s2
         b: SMOVE s2 s2 n
         b: SMOVE s1 s2 nosuch
         a: MULTI
         a: SCARD s2
         a: EXEC
         a: SADD s1 n
         a: WATCH s1
         b: SMOVE s1 s2 n
         a: MULTI
         a: PING
         a: EXEC",
    );
}

#[test]
fn lists_and_sets_are_sorted_by_nothing() {
    scene(
        "a: RPUSH l 3 1 2 5 4
         a: SORT l BY nosort DESC
         a: SORT l BY nosort ASC
         a: SORT l BY nosort DESC LIMIT 1 2
         a: SORT l BY nosort DESC LIMIT 3 10
         a: SORT l BY nosort DESC LIMIT -1 2
         a: SORT l BY nosort DESC GET # GET no
         a: SORT l BY nosort DESC LIMIT 1 2 STORE out
         a: LRANGE out 0 -1
         a: SADD s c a b e d
         a: EVAL return{redis.call('sort','s','by','no')} 1 s
         a: EVAL return{redis.call('sort_ro','s','by','no','desc')} 1 s
         a: EVAL return{redis.call('sort','s','by','no','limit','1','2')} 1 s
         a: SORT s BY no DESC STORE out
         a: LRANGE out 0 -1
         a: SADD i 3 1 10 2
         a: EVAL return{redis.call('sort','i','by','no'),redis.call('sort','i')} 1 i",
    );
}

#[test]
fn every_database_of_a_copy_is_checked() {
    scene(
        "a: SET k v
         a: COPY k l DB -1 DB 0
         a: COPY k l DB 99 DB 0
         a: COPY k l DB x DB 0
         a: COPY k l DB 99999999999999 DB 0
         a: COPY k l DB 0 DB -1
         a: COPY k l DB 1 NOSUCH
         a: COPY k k DB 0 DB 1
         a: COPY k l DB 1 DB 0
         a: GET l",
    );
}

#[test]
fn a_transaction_is_asked_again_for_what_it_needs() {
    words(&[
        ("a:", &["SET k v"]),
        ("a:", &["MULTI"]),
        ("a:", &["SET k w"]),
        ("b:", &["MULTI"]),
        ("b:", &["GET k"]),
        ("d:", &["MULTI"]),
        ("d:", &["EVAL", "#!lua flags=allow-oom\nreturn redis.call('set','k','by d')", "1", "k"]),
        ("e:", &["MULTI"]),
        ("e:", &["EVAL", "#!lua\nreturn redis.call('get','k')", "1", "k"]),
        ("f:", &["MULTI"]),
        ("f:", &["EVAL", "#!lua flags=no-writes\nreturn redis.call('get','k')", "1", "k"]),
        ("g:", &["MULTI"]),
        ("g:", &["EVAL", "return redis.pcall('set','k','by g')", "1", "k"]),
        ("c:", &["CONFIG SET maxmemory 1"]),
        ("a:", &["EXEC"]),
        ("b:", &["EXEC"]),
        ("d:", &["EXEC"]),
        ("e:", &["EXEC"]),
        ("f:", &["EXEC"]),
        ("g:", &["EXEC"]),
        ("a:", &["GET k"]),
        ("a:", &["MULTI"]),
        ("a:", &["GET k"]),
        ("a:", &["EXEC"]),
        ("a:", &["CONFIG SET maxmemory 0"]),
        ("a:", &["SET k x"]),
    ]);
}

/// What a command changes holds for those behind it in the same transaction.
#[test]
fn settings_hold_from_where_they_are_made() {
    words(&[
        ("b:", &["SUBSCRIBE __keyevent@0__:set"]),
        ("a:", &["MULTI"]),
        ("a:", &["SET k 0"]),
        ("a:", &["CONFIG SET notify-keyspace-events E$"]),
        ("a:", &["SET l 1"]),
        ("a:", &["CONFIG SET notify-keyspace-events ''"]),
        ("a:", &["SET m 2"]),
        ("a:", &["EXEC"]),
        ("b:", &["UNSUBSCRIBE"]),
        ("c3:", &["MULTI"]),
        ("c3:", &["GET k"]),
        ("c3:", &["CLIENT TRACKING ON"]),
        ("c3:", &["GET l"]),
        ("c3:", &["CLIENT TRACKING OFF"]),
        ("c3:", &["CLIENT TRACKING ON BCAST"]),
        ("c3:", &["EXEC"]),
        ("a:", &["MSET k 3 l 3"]),
        ("c3:", &["CLIENT TRACKING OFF"]),
        ("a:", &["MULTI"]),
        ("a:", &["CONFIG SET maxmemory-policy allkeys-lfu"]),
        ("a:", &["SETRANGE new 0 v"]),
        ("a:", &["OBJECT FREQ new"]),
        ("a:", &["CONFIG SET maxmemory-policy noeviction"]),
        ("a:", &["SET newer v"]),
        ("a:", &["OBJECT IDLETIME newer"]),
        ("a:", &["CONFIG SET hash-max-listpack-entries 1"]),
        ("a:", &["HSET h a 1 b 2"]),
        ("a:", &["OBJECT ENCODING h"]),
        ("a:", &["CONFIG SET proto-max-bulk-len 1mb"]),
        ("a:", &["SETRANGE far 1048576 x"]),
        ("a:", &["CONFIG SET proto-max-bulk-len 512mb"]),
        ("a:", &["SELECT 3"]),
        ("a:", &["SET k there"]),
        ("a:", &["SWAPDB 3 0"]),
        ("a:", &["GET k"]),
        ("a:", &["SELECT 0"]),
        ("a:", &["GET k"]),
        ("a:", &["EXEC"]),
    ]);
}

#[test]
fn a_pause_holds_back_nothing_of_the_transaction_that_makes_it() {
    words(&[
        ("a:", &["MULTI"]),
        ("a:", &["SET a 1"]),
        ("a:", &["CLIENT PAUSE 100000"]),
        ("a:", &["EVAL", "return redis.call('set','b','2')", "1", "b"]),
        (
            "a:",
            &[
                "FUNCTION",
                "LOAD",
                "#!lua name=l\nredis.register_function('f', \
                                      function() return redis.call('set','c','3') end)",
            ],
        ),
        ("a:", &["FCALL f 0"]),
        ("a:", &["CLIENT UNPAUSE"]),
        ("a:", &["EXEC"]),
        ("a:", &["MGET a b c"]),
    ]);
}

/// A script asks whether memory was full when its transaction began, and whether there still is a
/// limit.
#[test]
fn a_script_follows_a_limit_that_its_transaction_has_lifted() {
    let script = "return redis.pcall('set','k','v')";
    for (before, inside) in [("1", "0"), ("1", "1gb"), ("0", "1"), ("1gb", "1"), ("1", "2")] {
        let (before, inside) =
            (format!("CONFIG SET maxmemory {before}"), format!("CONFIG SET maxmemory {inside}"));
        words(&[
            ("a:", &["SET k there"]),
            ("a:", &["MULTI"]),
            ("a:", &[&inside]),
            ("a:", &["EVAL", script, "1", "k"]),
            ("a:", &["EVAL", &format!("#!lua flags=allow-oom\n{script}"), "1", "k"]),
            ("b:", &[&before]),
            ("a:", &["EXEC"]),
            ("b:", &["CONFIG SET maxmemory 0"]),
            ("b:", &["GET k"]),
        ]);
    }
}

#[test]
fn a_pause_of_writes_holds_back_those_who_may_write() {
    words(&[
        (
            "a:",
            &[
                "FUNCTION",
                "LOAD",
                "#!lua name=l\nredis.register_function{function_name='r', \
          callback=function() return 1 end, flags={'no-writes'}}\n\
          redis.register_function('w', function() return 2 end)",
            ],
        ),
        ("a:", &["SET k v"]),
        ("a:", &["MULTI"]),
        ("a:", &["EVAL", "#!lua flags=no-writes\nreturn redis.call('get','k')", "1", "k"]),
        ("a:", &["EVAL_RO", "return redis.call('get','k')", "1", "k"]),
        ("a:", &["FCALL r 0"]),
        ("a:", &["FCALL_RO r 0"]),
        ("a:", &["GET k"]),
        ("b:", &["MULTI"]),
        ("b:", &["EVAL", "return 1", "0"]),
        ("d:", &["MULTI"]),
        ("d:", &["FCALL w 0"]),
        ("e:", &["MULTI"]),
        ("e:", &["PUBLISH c m"]),
        ("c:", &["CLIENT PAUSE 100000 WRITE"]),
        ("a:", &["EXEC"]),
        ("a:", &["EVAL", "#!lua flags=no-writes\nreturn redis.call('get','k')", "1", "k"]),
        ("b~", &["EXEC"]),
        ("d~", &["EXEC"]),
        ("e~", &["EXEC"]),
        ("a:", &["GET k"]),
        ("c:", &["CLIENT UNPAUSE"]),
    ]);
}

/// The commands in the slow log, oldest first. Redis logs the same.
fn slow(eyes: &mut test_client::TestClient) -> String {
    let text = eyes.ask("SLOWLOG GET -1");
    let mut names: Vec<&str> =
        text.split("\r\n").filter(|word| NAMES.contains(&word.to_lowercase().as_str())).collect();
    names.reverse();
    eyes.ask("SLOWLOG RESET");
    names.join(" ").to_lowercase()
}

const NAMES: &[&str] = &["multi", "set", "incr", "exec", "blpop", "rpush", "xread", "xadd", "eval"];

#[test]
fn what_waited_and_what_was_queued_counts_as_slow() {
    let engine = engine_with("slowlog-log-slower-than 0\n");
    let [mut a, mut b, mut eyes] = [(); 3].map(|()| test_client::TestClient::new(&engine));
    let hear = |client: &mut test_client::TestClient| {
        let messages = client.messages.take(client.session.client.id);
        for message in messages {
            let Message::Unblocked { ticket, reply } = message else { panic!("{message:?}") };
            assert!(client.worker.unblock(&mut client.session, ticket, &reply, &mut Vec::new()));
        }
    };
    slow(&mut eyes);
    a.feed("MULTI\r\nSET a 1\r\nINCR a\r\nEXEC\r\n");
    assert_eq!(slow(&mut eyes), "multi set incr");
    b.feed("BLPOP l 0\r\n");
    assert_eq!(slow(&mut eyes), "");
    a.ask("RPUSH l x");
    hear(&mut b);
    assert_eq!(slow(&mut eyes), "rpush blpop");
    b.feed("XREAD BLOCK 0 STREAMS s $\r\n");
    a.feed("MULTI\r\nXADD s 1-1 a b\r\nEXEC\r\n");
    hear(&mut b);
    assert_eq!(slow(&mut eyes), "multi xadd xread");
    // Who waits in vain has not been slow.
    b.feed("BLPOP l 1\r\n");
    assert!(b.worker.give_up(&mut b.session, &mut Vec::new()));
    assert_eq!(slow(&mut eyes), "");
}

/// What is counted for those whose wait ends in an error: as a redis-server counts.
#[test]
fn waits_that_end_in_errors_count_as_failed() {
    let engine = engine_with("");
    let [mut a, mut b] = [(); 2].map(|()| test_client::TestClient::new(&engine));
    let group = "XREADGROUP GROUP g c BLOCK 0 STREAMS s >";
    let make = "XGROUP CREATE s g $ MKSTREAM";
    let unblock = format!("CLIENT UNBLOCK {}", b.session.client.id);
    for (before, waits, ends, command, code) in [
        (make, group, "XGROUP DESTROY s g", "xreadgroup", Some("NOGROUP")),
        (make, group, "DEL s", "xreadgroup", Some("UNBLOCKED")),
        (make, group, "SET s x", "xreadgroup", Some("UNBLOCKED")),
        ("SET t x", "BLMOVE l t LEFT LEFT 0", "RPUSH l a", "blmove", Some("WRONGTYPE")),
        ("PING", "BLPOP k 0", &format!("{unblock} ERROR"), "blpop", Some("UNBLOCKED")),
        ("PING", "BLPOP k 0", &unblock, "blpop", None),
    ] {
        a.ask("FLUSHALL");
        a.ask(before);
        a.ask("CONFIG RESETSTAT");
        assert_eq!(b.feed(&format!("{waits}\r\n")).1, State::Blocked, "{waits}");
        a.ask(ends);
        for message in b.messages.take(b.session.client.id) {
            let Message::Unblocked { ticket, reply } = message else { panic!("{message:?}") };
            assert!(b.worker.unblock(&mut b.session, ticket, &reply, &mut Vec::new()));
        }
        let stats = a.ask("INFO commandstats");
        let line = stats.lines().find(|line| line.starts_with(&format!("cmdstat_{command}:")));
        let line = line.unwrap();
        assert!(line.starts_with(&format!("cmdstat_{command}:calls=1,")), "{line}");
        assert!(line.ends_with("rejected_calls=0,failed_calls=1"), "{ends}: {line}");
        let errors = a.ask("INFO errorstats");
        let counted: Vec<&str> =
            errors.lines().filter(|line| line.starts_with("errorstat_")).collect();
        let expected = code.map(|code| format!("errorstat_{code}:count=1"));
        assert_eq!(counted, expected.iter().map(String::as_str).collect::<Vec<_>>(), "{ends}");
    }
}

#[test]
fn errors_are_said_in_the_words_that_were_sent() {
    scene(
        "a: EVAL return{redis.pcall('xread','block','0','streams','s','$').err} 0
         a: EVAL return{redis.pcall('XReadGroup','group','g','c','block',0,'streams','s',1).err} 0",
    );
}

#[test]
fn scripts_run_what_is_denied_if_that_is_switched_off() {
    scene(
        "a: EVAL return{redis.pcall('blpop','no','0').err} 0
         a: DEBUG SET-DISABLE-DENY-SCRIPTS 1
         a: EVAL return{redis.pcall('blpop','no','0')} 0
         a: EVAL return{redis.pcall('brpoplpush','no','to','0')} 0
         a: EVAL return{redis.pcall('config','get','appendonly')} 0
         a: EVAL return{redis.pcall('script','exists','a')} 0
         a: DEBUG SET-DISABLE-DENY-SCRIPTS 0
         a: EVAL return{redis.pcall('blpop','no','0').err} 0",
    );
}

#[test]
fn what_has_expired_by_the_end_serves_no_client() {
    scene(
        "b~ BLPOP l 0
         a: MULTI
         a: RPUSH l x
         a: PEXPIRE l 10
         a: DEBUG SLEEP 0.05
         a: LLEN l
         a: EXEC
         _c: DEL l
         a: RPUSH l y",
    );
}

/// A redis-server does the same, but takes its own time for it.
#[test]
fn swapping_what_has_expired_spoils_no_watch() {
    let engine = engine_with("");
    let [mut a, mut b] = [(); 2].map(|()| test_client::TestClient::new(&engine));
    for (here, there, runs) in [
        ("PING", "SET k v PX 10", true),
        ("SET k v PX 10", "SET k w PX 10", true),
        ("SET k v PX 10", "PING", true),
        ("PING", "SET k v", false),
        ("SET k v", "SET k w PX 10", false),
        ("PING", "PING", true),
    ] {
        for client in [&mut a, &mut b] {
            client.worker.begin(1_000_000);
        }
        a.feed(&format!("FLUSHALL\r\n{here}\r\nSELECT 1\r\n{there}\r\nSELECT 0\r\n"));
        for client in [&mut a, &mut b] {
            client.worker.begin(1_001_000);
        }
        a.ask("WATCH k");
        assert_eq!(b.ask("SWAPDB 0 1"), "+OK");
        let (done, _) = a.feed("MULTI\r\nPING\r\nEXEC\r\n");
        assert_eq!(done.ends_with("+PONG\r\n"), runs, "{here}, {there}: {done}");
    }
}
