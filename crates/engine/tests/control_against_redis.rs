//! The same requests to Kvist and to a redis-server, in both protocols: the replies must be the
//! same to the byte.
//!
//! `HELP` texts and summaries are our own words, orders of channels are arbitrary: these are not
//! asked for here.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use kvist_engine::State;
use testkit::oracle;

use crate::test_client::{TestClient, engine_with};

const CONNECTION: &[&[&str]] = &[
    &[
        "PING",
        "PING a",
        "PING a b",
        "ECHO a",
        "ECHO",
        "ECHO a b",
        "SELECT 16",
        "SELECT -1",
        "SELECT x",
        "SELECT 99999999999",
        "SELECT 3",
        "SELECT",
        "NOSUCH a b",
        "nosuch",
    ],
    &[
        "HELLO 4",
        "HELLO 1",
        "HELLO x",
        "HELLO 9999999999999999999",
        "HELLO 3 AUTH a",
        "HELLO 3 AUTH foo x",
        "HELLO 3 SETNAME a b",
        "HELLO 3 SETNAME",
        "HELLO 3 FOO",
        "HELLO 3 SETNAME 'a b'",
        "CLIENT GETNAME",
        "HELLO 2 AUTH default",
        "AUTH x",
        "AUTH",
        "AUTH default x",
        "AUTH foo x",
        "AUTH a b c",
    ],
    &["QUIT"],
    &["QUIT a b"],
    &["RESET", "CLIENT GETNAME", "RESET a"],
    &["MULTI", "SET a b", "RESET", "EXEC"],
    &["MULTI", "QUIT"],
    &[
        "CLIENT",
        "CLIENT FOO",
        "CLIENT ID a",
        "CLIENT GETNAME",
        "CLIENT SETNAME 'a b'",
        "CLIENT SETNAME abc",
        "CLIENT GETNAME",
        "CLIENT SETNAME ''",
        "CLIENT GETNAME",
        "CLIENT SETNAME",
        "CLIENT LIST TYPE",
        "CLIENT LIST TYPE foo",
        "CLIENT LIST TYPE replica",
        "CLIENT LIST TYPE slave",
        "CLIENT LIST TYPE master",
        "CLIENT LIST TYPE pubsub",
        "CLIENT LIST ID",
        "CLIENT LIST ID abc",
        "CLIENT LIST ID 990 991",
        "CLIENT LIST ID -1",
        "CLIENT LIST FOO",
        "CLIENT LIST FOO BAR",
        "CLIENT LIST TYPE normal x",
        "CLIENT INFO a",
        "CLIENT LIST TYPE normal ID 1",
    ],
    &[
        "CLIENT KILL",
        "CLIENT KILL 1.2.3.4:5",
        "CLIENT KILL ID abc",
        "CLIENT KILL ID 0",
        "CLIENT KILL ID 999",
        "CLIENT KILL ADDR 1.2.3.4:5",
        "CLIENT KILL LADDR 1.2.3.4:5",
        "CLIENT KILL TYPE foo",
        "CLIENT KILL TYPE pubsub",
        "CLIENT KILL USER foo",
        "CLIENT KILL USER default SKIPME foo",
        "CLIENT KILL FOO bar",
        "CLIENT KILL ID 3 x",
        "CLIENT KILL SKIPME yes TYPE master",
        "CLIENT KILL ID -5",
        "CLIENT KILL ID",
    ],
    &["CLIENT KILL TYPE normal SKIPME no"],
    &[
        "CLIENT REPLY foo",
        "CLIENT REPLY",
        "CLIENT REPLY SKIP",
        "ECHO no",
        "ECHO yes",
        "CLIENT REPLY OFF",
        "ECHO no",
        "NOSUCH",
        "CLIENT REPLY SKIP",
        "ECHO no",
        "CLIENT REPLY ON",
        "ECHO yes",
        "CLIENT REPLY SKIP",
        "CLIENT REPLY SKIP",
        "ECHO no",
        "ECHO yes",
    ],
    &[
        "CLIENT NO-EVICT on",
        "CLIENT NO-EVICT foo",
        "CLIENT NO-EVICT off",
        "CLIENT UNBLOCK",
        "CLIENT UNBLOCK abc",
        "CLIENT UNBLOCK 990",
        "CLIENT UNBLOCK 1 FOO",
        "CLIENT UNBLOCK abc FOO",
        "CLIENT UNBLOCK 990 TIMEOUT",
        "CLIENT UNBLOCK 990 ERROR x",
        "CLIENT UNBLOCK -1",
        "CLIENT GETREDIR",
        "CLIENT TRACKINGINFO",
        "CLIENT TRACKING off",
        "CLIENT TRACKING foo",
        "CLIENT TRACKING",
        "CLIENT CACHING yes",
        "CLIENT CACHING foo",
    ],
    &["MULTI", "ECHO b", "CLIENT REPLY OFF", "ECHO a", "EXEC", "PING", "CLIENT REPLY ON", "PING"],
    &["MULTI", "ECHO b", "CLIENT REPLY SKIP", "ECHO a", "EXEC", "PING", "PING"],
    &["MULTI", "CLIENT REPLY OFF", "ECHO a", "CLIENT REPLY ON", "ECHO a", "EXEC", "PING"],
    &["CLIENT REPLY OFF", "MULTI", "ECHO a", "CLIENT REPLY ON", "ECHO a", "EXEC", "PING"],
    &["MULTI", "CLIENT REPLY SKIP", "CLIENT REPLY ON", "EXEC", "PING", "PING"],
    &["CLIENT REPLY SKIP", "MULTI", "PING", "CLIENT REPLY SKIP", "EXEC", "PING", "PING"],
    &["CLIENT REPLY SKIP", "RESET", "PING"],
    &["CLIENT REPLY OFF", "SUBSCRIBE a", "CLIENT REPLY ON", "RESET"],
    &["CLIENT REPLY SKIP", "SUBSCRIBE a", "PUBLISH a b", "CLIENT REPLY OFF", "PUBLISH a b", "PING"],
    &[
        "CLIENT PAUSE",
        "CLIENT PAUSE x",
        "CLIENT PAUSE -1",
        "CLIENT PAUSE 1.5",
        "CLIENT PAUSE 9223372036854775808",
        "CLIENT PAUSE 1 foo",
        "CLIENT PAUSE x foo",
        "CLIENT PAUSE 1 WRITE x",
        "CLIENT PAUSE 0",
        "CLIENT PAUSE 0 ALL",
        "CLIENT PAUSE 9223372036854775807 ALL",
        "CLIENT UNPAUSE",
        "CLIENT UNPAUSE x",
        "CLIENT PAUSE 100000 write",
        "GET nosuch",
        "NOSUCH",
        "SET a",
        "MULTI",
        "GET nosuch",
        "PING",
        "EXEC",
        "CLIENT UNPAUSE",
    ],
    &["MULTI", "CLIENT PAUSE 100000 WRITE", "SET q 1", "EXEC", "CLIENT UNPAUSE", "DEL q"],
    &["MULTI", "MONITOR", "PING", "EXEC", "PING", "MONITOR x"],
    &["SUBSCRIBE a", "MULTI", "RESET"],
    &["MULTI", "AUTH default x", "SELECT 2", "ECHO a", "CLIENT GETNAME", "EXEC", "ECHO b"],
    &["MULTI", "CLIENT", "EXEC"],
    &["MULTI", "CLIENT FOO", "EXEC"],
];

const SERVER: &[&[&str]] = &[
    &[
        "COMMAND FOO",
        "COMMAND COUNT x",
        "COMMAND LIST FILTERBY",
        "COMMAND LIST FILTERBY MODULE",
        "COMMAND LIST FILTERBY MODULE x",
        "COMMAND LIST FILTERBY ACLCAT foo",
        "COMMAND LIST FILTERBY ACLCAT @transaction",
        "COMMAND LIST FILTERBY PATTERN GET",
        "COMMAND LIST FILTERBY PATTERN nosuch*",
        "COMMAND LIST FILTERBY FOO x",
        "COMMAND LIST FOO",
        "COMMAND LIST FILTERBY PATTERN a b",
        "COMMAND INFO foo get",
        "COMMAND INFO client|id",
        "COMMAND INFO client|foo",
        "COMMAND INFO ping get",
        "COMMAND DOCS foo",
    ],
    &[
        "COMMAND GETKEYS",
        "COMMAND GETKEYS get",
        "COMMAND GETKEYS foo bar",
        "COMMAND GETKEYS get a b",
        "COMMAND GETKEYS get a",
        "COMMAND GETKEYS mset a b c d",
        "COMMAND GETKEYS ping x",
        "COMMAND GETKEYS client list",
        "COMMAND GETKEYS ssubscribe a b",
        "COMMAND GETKEYS object encoding k",
        "COMMAND GETKEYSANDFLAGS set a b",
        "COMMAND GETKEYSANDFLAGS set a b get",
        "COMMAND GETKEYSANDFLAGS ping x",
        "COMMAND GETKEYS msetnx a b",
        "COMMAND GETKEYSANDFLAGS rename a b",
        "COMMAND GETKEYSANDFLAGS",
        "COMMAND GETKEYS del a b c",
        "COMMAND GETKEYS sort k store d",
        "COMMAND GETKEYSANDFLAGS sort k by w_* get # get o_* limit 0 1 store d",
        "COMMAND GETKEYS sort k store d store e",
        "COMMAND GETKEYS sort k get store store x",
        "COMMAND GETKEYS sort k by store get store",
        "COMMAND GETKEYS sort k limit store 1 store z",
        "COMMAND GETKEYS sort k store",
        "COMMAND GETKEYS sort_ro k get b",
        "COMMAND GETKEYSANDFLAGS zunionstore d 2 a b weights 1 2",
        "COMMAND GETKEYS zunionstore d 3 a b",
        "COMMAND GETKEYS zunion 0 a",
        "COMMAND GETKEYS lmpop 2 a b left",
        "COMMAND GETKEYS blmpop 0 2 a b left",
        "COMMAND GETKEYSANDFLAGS lmove a b left right",
        "COMMAND GETKEYSANDFLAGS getex a persist",
        "COMMAND GETKEYSANDFLAGS sdiffstore d a b",
        "COMMAND GETKEYS memory usage k samples 5",
    ],
    &[
        "CONFIG",
        "CONFIG FOO",
        "CONFIG GET maxmemory",
        "CONFIG GET",
        "CONFIG GET nosuch",
        "CONFIG GET maxmemory maxmemory",
        "CONFIG GET MaxMemory",
        "CONFIG SET nosuch 1",
        "CONFIG SET maxmemory",
        "CONFIG SET maxmemory abc",
        "CONFIG SET maxmemory 1 maxmemory 2",
        "CONFIG SET timeout 1 nosuch 2",
        "CONFIG SET databases 3",
        "CONFIG SET timeout 0 a",
        "CONFIG SET timeout 5 maxclients abc",
        "CONFIG GET timeout",
        "CONFIG SET timeout 7",
        "CONFIG GET timeout",
        "CONFIG SET timeout 0",
        "CONFIG REWRITE",
        "CONFIG RESETSTAT x",
        "CONFIG RESETSTAT",
        "CONFIG SET maxclients -1",
        "CONFIG SET dir /nosuch",
        "CONFIG SET maxmemory 100mb",
        "CONFIG GET maxmemory",
        "CONFIG SET maxmemory 0",
    ],
    &[
        "FAILOVER",
        "FAILOVER ABORT",
        "FAILOVER ABORT x",
        "FAILOVER ABORT ABORT",
        "FAILOVER TO",
        "FAILOVER TO a",
        "FAILOVER TO a b",
        "FAILOVER TO a 1",
        "FAILOVER TO a 99999",
        "FAILOVER TO a 1 FORCE",
        "FAILOVER TO a 1 FORCE FORCE",
        "FAILOVER TO a 1 TO b 2",
        "FAILOVER TO a 1 FORCE TIMEOUT 10",
        "FAILOVER FORCE TO a 1 TIMEOUT 1",
        "FAILOVER TIMEOUT",
        "FAILOVER TIMEOUT 0",
        "FAILOVER TIMEOUT x",
        "FAILOVER TIMEOUT 10",
        "FAILOVER TIMEOUT 1 TIMEOUT 2",
        "FAILOVER TIMEOUT 5 ABORT",
        "FAILOVER foo",
    ],
    &[
        "CLUSTER",
        "CLUSTER FOO",
        "CLUSTER FOO bar",
        "CLUSTER HELP",
        "CLUSTER HELP x",
        "CLUSTER INFO",
        "CLUSTER NODES",
        "CLUSTER NODES x",
        "CLUSTER SLOTS",
        "CLUSTER SHARDS",
        "CLUSTER MYID",
        "CLUSTER KEYSLOT",
        "CLUSTER KEYSLOT a",
        "CLUSTER COUNTKEYSINSLOT x",
        "CLUSTER GETKEYSINSLOT 1",
        "CLUSTER GETKEYSINSLOT 1 2",
        "CLUSTER ADDSLOTS",
        "CLUSTER ADDSLOTS 1 2",
        "CLUSTER ADDSLOTSRANGE 1",
        "CLUSTER ADDSLOTSRANGE 1 2",
        "CLUSTER MEET a",
        "CLUSTER MEET a b c",
        "CLUSTER SETSLOT 1",
        "CLUSTER SETSLOT 1 STABLE",
        "CLUSTER FAILOVER FORCE",
        "CLUSTER RESET HARD",
        "CLUSTER REPLICAS",
        "CLUSTER SLAVES x",
        "CLUSTER LINKS",
        "CLUSTER SAVECONFIG",
        "CLUSTER BUMPEPOCH",
        "CLUSTER SET-CONFIG-EPOCH 1",
        "CLUSTER COUNT-FAILURE-REPORTS a",
        "CLUSTER FORGET a",
        "CLUSTER REPLICATE a",
        "CLUSTER FLUSHSLOTS",
        "CLUSTER DELSLOTS 1",
        "CLUSTER DELSLOTSRANGE 1 2",
        "READONLY",
        "READONLY x",
        "READWRITE",
        "ASKING",
        "ASKING x",
        "COMMAND GETKEYS CLUSTER KEYSLOT a",
        "COMMAND INFO cluster|meet cluster|reset",
        "COMMAND LIST FILTERBY PATTERN cluster|nodes",
    ],
    &["MULTI", "CLUSTER INFO", "FAILOVER", "READONLY", "EXEC"],
    &[
        "LOLWUT VERSION 5 a",
        "LOLWUT VERSION 5 1 a",
        "LOLWUT VERSION 5 1 1 a",
        "LOLWUT VERSION 6 1 a",
        "LOLWUT VERSION x",
        "COMMAND GETKEYS config",
        "COMMAND GETKEYS config foo x",
        "COMMAND GETKEYS config get x",
        "COMMAND GETKEYS pfmerge a",
        "COMMAND GETKEYSANDFLAGS bitfield a get",
        "COMMAND GETKEYSANDFLAGS bitfield a get u8 0 get u8",
        "COMMAND GETKEYSANDFLAGS migrate h 1 '' 0 1 keys a b",
        "COMMAND GETKEYSANDFLAGS migrate h 1 a 0 1",
        "CONFIG SET maxmemory 99999999999999999999",
        "CONFIG SET maxmemory 0",
        "CONFIG SET client-query-buffer-limit 99999999999999999999",
        "CONFIG SET hll-sparse-max-bytes 99999999999999999999",
    ],
    &[
        "MEMORY",
        "MEMORY FOO",
        "MEMORY HELP x",
        "MEMORY STATS x",
        "MEMORY DOCTOR x",
        "MEMORY MALLOC-STATS x",
        "MEMORY PURGE x",
        "MEMORY PURGE",
        "MEMORY USAGE",
        "MEMORY USAGE nosuch",
        "MEMORY USAGE nosuch SAMPLES",
        "MEMORY USAGE nosuch SAMPLES -1",
        "MEMORY USAGE nosuch SAMPLES 0",
        "MEMORY USAGE nosuch FOO",
        "MULTI",
        "MEMORY PURGE",
        "MEMORY USAGE nosuch",
        "EXEC",
    ],
    &[
        "ROLE",
        "ROLE a",
        "REPLICAOF NO ONE",
        "SLAVEOF no one",
        "REPLICAOF a b",
        "REPLICAOF a",
        "WAIT 0 0",
        "WAIT x 0",
        "WAIT x -1",
        "WAIT 0 -1",
        "WAIT 1 x",
        "TIME a",
        "LASTSAVE a",
        "LOLWUT VERSION x",
        "DEBUG",
        "DEBUG SLEEP 0",
        "DEBUG JMAP",
        "MODULE",
        "MODULE LOAD x",
        "MODULE UNLOAD x",
        "MODULE FOO",
        "SHUTDOWN FOO",
        "SHUTDOWN ABORT",
        "SHUTDOWN ABORT NOW",
        "SHUTDOWN SAVE NOSAVE",
        "SAVE a",
        "BGSAVE foo",
        "BGREWRITEAOF x",
        "INFO cluster",
        "INFO nosuch",
        "INFO nosuch Cluster a b c",
    ],
    &[
        "SLOWLOG",
        "SLOWLOG FOO",
        "SLOWLOG RESET",
        "SLOWLOG GET",
        "SLOWLOG LEN",
        "SLOWLOG GET -1",
        "SLOWLOG GET -2",
        "SLOWLOG GET abc",
        "SLOWLOG GET 1 2",
        "SLOWLOG RESET x",
    ],
    &[
        "LATENCY LATEST",
        "LATENCY HISTORY foo",
        "LATENCY RESET",
        "LATENCY RESET a b",
        "LATENCY GRAPH foo",
        "LATENCY GRAPH",
        "LATENCY HISTOGRAM nosuch",
        "LATENCY FOO",
        "LATENCY DOCTOR x",
        "LATENCY LATEST x",
        "LATENCY HISTORY",
        "LATENCY HISTORY a b",
        "LATENCY GRAPH a b",
        "CONFIG SET latency-monitor-threshold -1",
        "CONFIG SET latency-monitor-threshold 0",
    ],
    &[
        "ACL WHOAMI",
        "ACL CAT foo",
        "ACL CAT @transaction",
        "ACL CAT a b",
        "ACL USERS",
        "ACL FOO",
        "ACL",
    ],
    &["MULTI", "SAVE", "EXEC"],
    &["MULTI", "DEBUG SLEEP 0", "EXEC"],
    &["MULTI", "MODULE LOAD x", "EXEC"],
    &["MULTI", "MODULE UNLOAD x", "PING", "EXEC"],
    &["MULTI", "SHUTDOWN NOSAVE", "EXEC"],
    &["MULTI", "ROLE", "WAIT 1 0", "INFO cluster", "CONFIG GET timeout", "EXEC"],
];

const PUBSUB: &[&[&str]] = &[
    &[
        "UNSUBSCRIBE",
        "PUNSUBSCRIBE",
        "SUNSUBSCRIBE",
        "UNSUBSCRIBE a b",
        "PUNSUBSCRIBE x",
        "SUNSUBSCRIBE x",
        "SUBSCRIBE a b a",
        "PSUBSCRIBE a* b*",
        "SSUBSCRIBE s t",
        "PING",
        "PING x",
        "PUBLISH a hi",
        "PUBLISH b hi",
        "SPUBLISH s hi",
        "GET x",
        "PUBSUB NUMPAT",
        "PUBSUB NUMSUB a b c",
        "PUBSUB SHARDNUMSUB s u",
        "PUBSUB CHANNELS a*",
        "UNSUBSCRIBE a",
        "SUBSCRIBE a",
        "UNSUBSCRIBE b",
        "UNSUBSCRIBE",
        "PUNSUBSCRIBE a*",
        "PUNSUBSCRIBE",
        "SUNSUBSCRIBE t",
        "SUNSUBSCRIBE",
        "PUBSUB CHANNELS",
        "PING",
    ],
    &["SSUBSCRIBE s", "PING", "GET x", "SPUBLISH s hi", "PUBLISH s hi", "RESET", "GET x"],
    &["SUBSCRIBE a", "RESET", "GET x", "SUBSCRIBE z", "MULTI", "QUIT"],
    &["MULTI", "SUBSCRIBE a", "PUBLISH a hi", "PUBSUB NUMSUB a", "UNSUBSCRIBE", "EXEC", "GET y"],
    &["MULTI", "SUBSCRIBE a", "ECHO x", "EXEC", "GET y", "PING"],
    &[
        "PUBSUB",
        "PUBSUB FOO",
        "PUBSUB NUMSUB",
        "PUBSUB NUMPAT",
        "PUBSUB NUMSUB a b",
        "PUBSUB CHANNELS",
        "PUBSUB CHANNELS x*",
        "PUBSUB CHANNELS a b",
        "PUBSUB SHARDCHANNELS",
        "PUBSUB SHARDCHANNELS a b",
        "PUBSUB SHARDNUMSUB",
        "PUBSUB SHARDNUMSUB a",
        "PUBSUB NUMPAT x",
        "PUBLISH a",
        "PUBLISH a b",
        "SPUBLISH a b",
        "SUBSCRIBE",
        "SSUBSCRIBE",
    ],
];

const WITH_PASSWORD: &[&[&str]] = &[
    &[
        "GET x",
        "HELLO",
        "HELLO 2",
        "HELLO 3 SETNAME x",
        "HELLO 4",
        "HELLO abc",
        "HELLO 2 AUTH default bar SETNAME y",
        "HELLO 2 SETNAME z AUTH default bar",
        "HELLO 2 AUTH default bar",
        "AUTH bar",
        "PING",
        "CLIENT ID",
        "NOSUCH x",
        "GET",
        "COMMAND FOO",
        "AUTH default bar",
        "AUTH foo secret",
        "AUTH secret",
        "CLIENT GETNAME",
        "AUTH bar",
        "GET x",
        "RESET",
        "GET x",
        "AUTH default secret",
        "GET x",
        "QUIT",
    ],
    &["RESET", "MULTI", "AUTH secret", "MULTI", "AUTH bar", "SELECT 2", "EXEC", "QUIT"],
];

/// With DEBUG and MODULE open to all clients.
const DEBUG: &[&[&str]] = &[
    &[
        "FLUSHALL",
        "SET s hello",
        "SET n 42",
        "RPUSH l a b c",
        "HSET h a 1",
        "SADD set a",
        "DEBUG",
        "DEBUG FOO",
        "DEBUG FOO a",
        "DEBUG HELP a",
        "DEBUG SLEEP 0",
        "DEBUG sleep 0.001",
        "DEBUG SLEEP x",
        "DEBUG SLEEP -1",
        "DEBUG SLEEP",
        "DEBUG SLEEP 0 0",
        "DEBUG OBJECT nosuch",
        "DEBUG OBJECT",
        "DEBUG OBJECT s x",
        "DEBUG SDSLEN n",
        "DEBUG SDSLEN l",
        "DEBUG SDSLEN nosuch",
        "DEBUG LISTPACK h",
        "DEBUG LISTPACK s",
        "DEBUG LISTPACK l",
        "DEBUG QUICKLIST l",
        "DEBUG QUICKLIST l 1",
        "DEBUG QUICKLIST s",
        "DEBUG HTSTATS 5",
        "DEBUG HTSTATS x",
        "DEBUG HTSTATS 99",
        "DEBUG HTSTATS -1",
        "DEBUG HTSTATS-KEY set",
        "DEBUG HTSTATS-KEY s",
        "DEBUG HTSTATS-KEY nosuch",
        "DEBUG SET-ACTIVE-EXPIRE 0",
        "DEBUG SET-ACTIVE-EXPIRE 1",
        "DEBUG SET-ACTIVE-EXPIRE",
        "DEBUG CHANGE-REPL-ID",
        "DEBUG CHANGE-REPL-ID x",
        "DEBUG PAUSE-CRON 0",
        "DEBUG PAUSE-CRON",
        "DEBUG SET-DISABLE-DENY-SCRIPTS 0",
        "DEBUG SET-DISABLE-DENY-SCRIPTS",
        "DEBUG SET-SKIP-CHECKSUM-VALIDATION 0",
        "DEBUG SET-SKIP-CHECKSUM-VALIDATION",
        "DEBUG AOF-FLUSH-SLEEP 0",
        "DEBUG AOF-FLUSH-SLEEP",
        "DEBUG DROP-CLUSTER-PACKET-FILTER -1",
        "DEBUG DROP-CLUSTER-PACKET-FILTER",
        "DEBUG CLIENT-EVICTION",
        "DEBUG QUICKLIST-PACKED-THRESHOLD 10b",
        "DEBUG QUICKLIST-PACKED-THRESHOLD 4gb",
        "DEBUG QUICKLIST-PACKED-THRESHOLD 5gb",
        "DEBUG QUICKLIST-PACKED-THRESHOLD -1",
        "DEBUG QUICKLIST-PACKED-THRESHOLD 0",
        "DEBUG REPLYBUFFER PEAK-RESET-TIME 100",
        "DEBUG REPLYBUFFER PEAK-RESET-TIME never",
        "DEBUG REPLYBUFFER PEAK-RESET-TIME reset",
        "DEBUG REPLYBUFFER PEAK-RESET-TIME x",
        "DEBUG REPLYBUFFER RESIZING 0",
        "DEBUG REPLYBUFFER FOO 1",
        "DEBUG REPLYBUFFER RESIZING",
        "DEBUG ERROR 'ERR foo bar'",
        "DEBUG ERROR foo",
        "DEBUG ERROR 'a\\nb'",
        "DEBUG ERROR",
        "DEBUG LOG hello",
        "DEBUG LOG",
        "DEBUG POPULATE 3",
        "DEBUG POPULATE 4 key 10",
        "GET key:2",
        "STRLEN key:3",
        "DEBUG POPULATE x",
        "DEBUG POPULATE -1",
        "DEBUG POPULATE 1 a b",
        "DBSIZE",
    ],
    &[
        "DEBUG PROTOCOL string",
        "DEBUG PROTOCOL integer",
        "DEBUG PROTOCOL double",
        "DEBUG PROTOCOL null",
        "DEBUG PROTOCOL array",
        "DEBUG PROTOCOL set",
        "DEBUG PROTOCOL map",
        "DEBUG PROTOCOL attrib",
        "DEBUG PROTOCOL push",
        "DEBUG PROTOCOL verbatim",
        "DEBUG PROTOCOL true",
        "DEBUG PROTOCOL false",
        "DEBUG PROTOCOL bignum",
        "DEBUG PROTOCOL foo",
        "DEBUG PROTOCOL",
    ],
    &["FLUSHALL", "MULTI", "DEBUG SLEEP 0", "DEBUG POPULATE 2", "DEBUG OBJECT nosuch", "EXEC"],
    &["MODULE LOAD /nosuch", "MODULE LOADEX /nosuch ARGS a", "MODULE UNLOAD x", "MODULE LOAD"],
];

/// Reads as many bytes as we wrote, or what comes until no more comes.
fn read(stream: &mut TcpStream, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    let mut filled = 0;
    while filled < length {
        match stream.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => break,
            Err(_) => break,
        }
    }
    bytes.truncate(filled);
    bytes
}

fn compare(oracle: &oracle::Oracle, scripts: &[&[&str]], settings: &str, resp3: bool) {
    for script in scripts {
        let engine = engine_with(settings);
        let mut client = TestClient::new(&engine);
        client.session.user.authenticated = !engine.users.asks_password();
        let mut stream = oracle.connect();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        if resp3 {
            let hello = "HELLO 3";
            let ours = client.ask(hello);
            stream.write_all(format!("{hello}\r\n").as_bytes()).unwrap();
            // Connections have different numbers, so it may be shorter or longer than ours.
            let mut theirs = wire::ReplyParser::new();
            let mut map = None;
            while map.is_none() {
                theirs.feed(&read(&mut stream, 1));
                map = theirs.next_value().unwrap();
            }
            assert!(matches!(map, Some(wire::Value::Map(map)) if map.len() == 7));
            assert!(ours.starts_with("%7"));
        }
        let mut state = State::Open;
        for line in *script {
            assert_eq!(state, State::Open, "closed before {line} of {script:?}");
            let words = wire::split_line(line.as_bytes()).unwrap();
            let request = wire::request(words.iter().map(Vec::as_slice));
            stream.write_all(&request).unwrap();
            let (ours, then) = client.feed(std::str::from_utf8(&request).unwrap());
            let theirs = String::from_utf8(read(&mut stream, ours.len())).unwrap();
            assert_eq!(ours, theirs, "{line} of {script:?}, RESP{}", if resp3 { 3 } else { 2 });
            state = then;
        }
        // Up to the end of the connection, where it ends.
        if state != State::Closing {
            oracle.settle();
            stream.set_nonblocking(true).unwrap();
        }
        let mut rest = Vec::new();
        let end = stream.read_to_end(&mut rest);
        assert!(rest.is_empty(), "left over of {script:?}: {}", String::from_utf8_lossy(&rest));
        assert_eq!(
            end.is_ok(),
            state == State::Closing,
            "Redis and the end of {script:?}: {end:?}"
        );
        client.worker.disconnect(&mut client.session);
    }
}

#[test]
fn connection_commands_answer_as_redis_does() {
    let Some(oracle) = oracle::Oracle::start(&[]) else { return };
    compare(&oracle, CONNECTION, "", false);
    compare(&oracle, CONNECTION, "", true);
}

#[test]
fn server_commands_answer_as_redis_does() {
    let Some(oracle) = oracle::Oracle::start(&[]) else { return };
    compare(&oracle, SERVER, "", false);
    compare(&oracle, SERVER, "", true);
}

#[test]
fn pubsub_commands_answer_as_redis_does() {
    let Some(oracle) = oracle::Oracle::start(&[]) else { return };
    compare(&oracle, PUBSUB, "", false);
    compare(&oracle, PUBSUB, "", true);
}

#[test]
fn passwords_are_asked_for_as_redis_does() {
    let Some(oracle) = oracle::Oracle::start(&["--requirepass", "secret"]) else { return };
    compare(&oracle, WITH_PASSWORD, "requirepass secret", false);
}

#[test]
fn protected_commands_answer_as_redis_does() {
    let open = ["--enable-debug-command", "yes", "--enable-module-command", "yes"];
    let Some(oracle) = oracle::Oracle::start(&open) else { return };
    let settings = "enable-debug-command yes\nenable-module-command yes\n";
    compare(&oracle, DEBUG, settings, false);
    compare(&oracle, DEBUG, settings, true);
}
