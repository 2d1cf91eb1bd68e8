//! Keyspace events: the same commands to Kvist and to a redis-server make the same events, in the
//! same order, in the same databases.
//!
//! `KVIST_SEED` repeats a run.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::sync::Arc;

use base::Rng;
use kvist_engine::{Engine, Message};
use testkit::oracle::{Client, Oracle};
use testkit::seed::rng;
use testkit::transcript::request;

use crate::duet;
use crate::tame;
use crate::test_client::{self, TestClient, engine};

/// Who sends requests and who listens, on our side.
struct Ours {
    asking: TestClient,
    listening: TestClient,
}

impl Ours {
    fn new(engine: &Arc<Engine>) -> Self {
        let mut listening = TestClient::new(engine);
        listening.ask("PSUBSCRIBE __key*__:*");
        Ours { asking: TestClient::new(engine), listening }
    }

    /// Runs a request; what the listener hears.
    fn run(&mut self, words: &[Vec<u8>]) -> Vec<u8> {
        let words: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
        let mut out = Vec::new();
        let TestClient { worker, session, .. } = &mut self.asking;
        worker.execute(session, &words, &mut out);
        if session.blocked.is_some() {
            assert!(worker.give_up(session, &mut out));
        }
        let mut heard = Vec::new();
        for message in self.listening.messages.take(self.listening.session.client.id) {
            if let Message::Push(bytes) = message {
                heard.extend_from_slice(&bytes);
            }
        }
        heard
    }
}

/// The same on theirs.
struct Theirs {
    asking: Client,
    listening: Client,
    marks: usize,
}

impl Theirs {
    fn new(oracle: &Oracle) -> Self {
        let mut listening = Client::new(oracle);
        listening.say("PSUBSCRIBE __key*__:*");
        Theirs { asking: Client::new(oracle), listening, marks: 0 }
    }

    /// Runs requests; what the listener hears of each. A message of our own follows each of them:
    /// what is heard before it is the request's.
    fn run(&mut self, requests: &[Vec<Vec<u8>>]) -> Vec<Vec<u8>> {
        let first = self.marks;
        for request in requests {
            self.asking.add(&request.iter().map(Vec::as_slice).collect::<Vec<_>>());
            let mark = format!("mark {}", self.marks);
            self.asking.add(&[b"PUBLISH", b"__key-mark__:", mark.as_bytes()]);
            self.marks += 1;
        }
        self.asking.run();
        (first..self.marks)
            .map(|mark| {
                let mark = format!("mark {mark}").into_bytes();
                let mut heard = Vec::new();
                loop {
                    let parts = self.listening.hear();
                    if parts.last() == Some(&mark) {
                        return heard;
                    }
                    let words: Vec<&[u8]> = parts[1..].iter().map(Vec::as_slice).collect();
                    heard.extend_from_slice(format!("*{}\r\n", words.len()).as_bytes());
                    for word in words {
                        heard.extend_from_slice(format!("${}\r\n", word.len()).as_bytes());
                        heard.extend_from_slice(word);
                        heard.extend_from_slice(b"\r\n");
                    }
                }
            })
            .collect()
    }
}

/// The events among what was heard, for people.
fn shown(heard: &[u8]) -> Vec<String> {
    let text = heard.escape_ascii().to_string();
    text.split("pmessage\\r\\n").map(str::to_owned).collect()
}

/// Requests that only read, for events about missing keys; `K` is a key.
const READS: &[&str] = &[
    "GET K",
    "MGET K K",
    "STRLEN K",
    "GETRANGE K 0 1",
    "EXISTS K K",
    "TYPE K",
    "TTL K",
    "TOUCH K",
    "DUMP K",
    "LLEN K",
    "LRANGE K 0 1",
    "LINDEX K 0",
    "LPOS K a",
    "HGET K a",
    "HGETALL K",
    "HLEN K",
    "HMGET K a b",
    "HSTRLEN K a",
    "HEXISTS K a",
    "HRANDFIELD K",
    "SCARD K",
    "SMEMBERS K",
    "SISMEMBER K a",
    "SMISMEMBER K a b",
    "SINTER K K",
    "SUNION K K",
    "SDIFF K K",
    "SINTERCARD 2 K K",
    "SRANDMEMBER K",
    "SRANDMEMBER K 2",
    "ZCARD K",
    "ZSCORE K a",
    "ZMSCORE K a b",
    "ZRANK K a",
    "ZRANGE K 0 1",
    "ZCOUNT K 0 1",
    "ZLEXCOUNT K - +",
    "ZRANDMEMBER K",
    "ZINTER 2 K K",
    "ZUNION 2 K K",
    "ZDIFF 2 K K",
    "ZINTERCARD 2 K K",
    "OBJECT ENCODING K",
    "OBJECT REFCOUNT K",
    "LCS K K",
    "SORT_RO K ALPHA",
    "SORT K ALPHA",
    "SSCAN K 0",
    "HSCAN K 0",
    "ZSCAN K 0",
    "EXPIRETIME K",
    "OBJECT IDLETIME K",
    "MEMORY USAGE K",
    "SPOP K 0",
    "GETEX K",
    "XLEN",
    "EXPIRE K 100 LT",
    "RESTORE K 0 x",
    "LMPOP 2 K K RIGHT",
];

fn read(rng: &mut Rng) -> Vec<Vec<u8>> {
    let template = READS[rng.below(READS.len())];
    let key = |word: &str, rng: &mut Rng| match word {
        "K" => format!("key:{}", rng.below(40)).into_bytes(),
        other => other.as_bytes().to_vec(),
    };
    template.split(' ').map(|word| key(word, rng)).collect()
}

#[test]
fn random_commands_make_the_same_events() {
    let Some(oracle) = Oracle::start(&[]) else { return };
    let mut theirs = Theirs::new(&oracle);
    let mut ours = Ours::new(&engine());
    let mut rng = rng();
    for round in 0..60 {
        let flags = ["KEA", "KEAmn", "KEn", "Eg$l", "Kshz", "KEmx", "A", ""][rng.below(8)];
        let mut requests = vec![
            request(&format!("SELECT {}", [0, 0, 1, 3][rng.below(4)])),
            request("CONFIG SET notify-keyspace-events"),
        ];
        requests[1].push(flags.into());
        let reads = rng.below(2) == 0;
        for _ in 0..100 {
            let read_now = reads && rng.below(3) == 0;
            let request = if read_now { read(&mut rng) } else { tame::request(&mut rng) };
            // Whether a deadline given again is later depends on the millisecond.
            if request.last().is_none_or(|word| word != b"GT") {
                requests.push(request);
            }
        }
        let heard = theirs.run(&requests);
        for (request, theirs) in requests.iter().zip(heard) {
            let ours = ours.run(request);
            let line = request.join(&b' ').escape_ascii().to_string();
            assert_eq!(shown(&ours), shown(&theirs), "round {round}, {flags}: {line}");
        }
    }
}

fn play(scenes: &[&str]) {
    for scene in scenes {
        let Some(oracle) = Oracle::start(&["--notify-keyspace-events", "KEAmn"]) else { return };
        duet::play(&test_client::engine_with("notify-keyspace-events KEAmn"), &oracle, scene);
    }
}

#[test]
fn streams_and_their_groups_make_events() {
    play(&["
        l: PSUBSCRIBE __key*__:*
        w: XADD s 1-1 f v
        w: XADD s MAXLEN 1 2-1 f v
        w: XADD s NOMKSTREAM MAXLEN ~ 100 3-1 f v
        w: XADD none NOMKSTREAM 3-1 f v
        w: XTRIM s MAXLEN 100
        w: XTRIM s MAXLEN 1
        w: XDEL s 9-9
        w: XDEL s 3-1
        w: XSETID s 5-0
        w: XGROUP CREATE s g 0
        w: XGROUP CREATE new g $ MKSTREAM
        w: XGROUP CREATE s g 0
        w: XGROUP SETID s g 1-0
        w: XGROUP CREATECONSUMER s g c
        w: XGROUP CREATECONSUMER s g c
        w: XADD s 6-1 f v
        w: XADD s 7-1 f v
        w: XREADGROUP GROUP g c COUNT 1 STREAMS s >
        w: XREADGROUP GROUP g d COUNT 1 STREAMS s >
        w: XREADGROUP GROUP g e STREAMS s >
        w: XREADGROUP GROUP g f STREAMS s 0
        w: XREADGROUP GROUP g f STREAMS nothing >
        w: XCLAIM s g h 0 6-1
        w: XCLAIM s g i 0 99-1
        w: XCLAIM nothing g i 0 99-1
        w: XAUTOCLAIM s g j 0 0
        w: XAUTOCLAIM s g k 1000000 0
        w: XAUTOCLAIM nothing g k 1000000 0
        w: XACK s g 6-1
        w: XACK nothing g 6-1
        w: XPENDING nothing g
        w: XLEN nothing
        w: XGROUP DELCONSUMER s g c
        w: XGROUP DELCONSUMER s g c
        w: XGROUP DESTROY s g
        w: XGROUP DESTROY s g
        b~ XREAD BLOCK 0 STREAMS s $
        w: XADD s 8-1 f v
        w: DEL s
        "]);
}

#[test]
fn transactions_and_those_who_wait_make_events_in_order() {
    play(&[
        "
        l: PSUBSCRIBE __key*__:*
        b~ BLPOP list other 0
        c~ BLMOVE list target LEFT RIGHT 0
        d~ BLMPOP 0 1 target RIGHT COUNT 3
        w: RPUSH list a b c
        w: RPUSH list d
        w: MULTI
        w: SET k 1
        w: GET nosuch
        w: INCR k
        w: SELECT 2
        w: LPUSH list x
        w: EXPIRE list 100
        w: DEL list
        w: EXEC
        w: SELECT 0
        b~ BZPOPMIN z 0
        c~ BLPOP list9 0
        w: MULTI
        w: ZADD z 1 a
        w: ZINCRBY z 2 b
        w: RPUSH list9 x
        w: RENAME z y
        w: RENAME y z
        w: EXEC
        w: MULTI
        w: DEL z
        w: DISCARD
        ",
        "
        l3: PSUBSCRIBE __keyspace*__:k*
        l3: SUBSCRIBE __keyevent@0__:del __keyevent@1__:copy_to
        m: PSUBSCRIBE __keyevent@*
        w: SET k 1 EX 100
        w: COPY k k2 DB 1
        w: DEL k
        w: SADD k a b c
        _chance: SPOP k 2
        _chance: SPOP k 5
        w: SADD k a b c
        w: SMOVE k k2 a
        w: SMOVE k k2 b
        w: SMOVE k k2 c
        w: SMOVE k k2 d
        _chance: SPOP k2 5
        _chance: SPOP k2
        w: RPUSH l 2 1 3
        w: SET w_1 5
        w: SORT l BY w_* GET v_* GET h_*->f
        w: SORT l STORE s
        w: SORT nosuch STORE s
        w: SWAPDB 0 1
        w: FLUSHDB
        w: FLUSHALL
        w: CONFIG SET notify-keyspace-events ''
        w: SET k 1
        w: CONFIG SET notify-keyspace-events KA
        w: CONFIG GET notify-keyspace-events
        w: SET k 1
        w: CONFIG SET notify-keyspace-events foo
        w: CONFIG SET notify-keyspace-events A
        w: SET k 1
        w: CONFIG SET notify-keyspace-events Eg
        w: DEL k
        ",
    ]);
}

/// Keys that have expired are notified by the command that meets them, and by the cron thread.
#[test]
fn keys_expire_aloud() {
    let Some(oracle) = Oracle::start(&["--enable-debug-command", "yes"]) else { return };
    let mut theirs = Theirs::new(&oracle);
    let mut ours = Ours::new(&engine());
    let setup = ["DEBUG SET-ACTIVE-EXPIRE 0", "CONFIG SET notify-keyspace-events KEAmn"];
    theirs.run(&setup.map(request));
    ours.run(&request(setup[1]));
    for line in [
        "GET k",
        "SET k 1",
        "SET k 1 KEEPTTL",
        "SETNX k 1",
        "APPEND k 1",
        "INCR k",
        "DEL k",
        "LPUSH k 1",
        "RPUSHX k 1",
        "SADD k 1",
        "SREM k 1",
        "HSET k 1 2",
        "ZADD k 1 2",
        "EXPIRE k 5",
        "PERSIST k",
        "TTL k",
        "TYPE k",
        "RENAME k l",
        "COPY k l",
        "MOVE k 1",
        "EXISTS k k",
        "SETRANGE k 1 x",
        "GETSET k 1",
        "GETEX k",
        "GETDEL k",
        "INCRBYFLOAT k 1",
        "MSET k 1 k 2",
        "SUNIONSTORE k k l",
        "SINTER k k",
        "LPOP k",
        "HINCRBY k a 1",
        "MGET k k",
        "SET k 1 GET",
        "SORT k STORE k",
        "ZUNIONSTORE d 2 k k",
        "LMOVE k k LEFT LEFT",
        "DUMP k",
    ] {
        // It sleeps past the deadline.
        theirs.run(&["FLUSHALL", "PSETEX k 1 1", "DEBUG SLEEP 0.003"].map(request));
        let theirs = theirs.run(&[request(line)]);
        for line in ["FLUSHALL", "PSETEX k 1 1"] {
            ours.run(&request(line));
        }
        let later = ours.asking.worker.context.now + 10;
        ours.asking.worker.begin(later);
        assert_eq!(shown(&ours.run(&request(line))), shown(&theirs[0]), "{line}");
    }
}
