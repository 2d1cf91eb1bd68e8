//! Client-side caching and pushed messages: the same scenes, played by Kvist and by a redis-server.
//!
//! `KVIST_SEED` repeats a run of random requests.
#![allow(clippy::unwrap_used)] // a test says why by failing

use base::Rng;
use testkit::oracle::Oracle;
use testkit::seed::rng;

use crate::duet::{self, Duet};
use crate::tame;
use crate::test_client::engine_with;

fn play(scenes: &[&str]) {
    for scene in scenes {
        // A server of its own: what readers have left behind is seen by those that follow.
        let Some(oracle) = Oracle::start(&[]) else { return };
        duet::play(&engine_with(""), &oracle, scene);
    }
}

#[test]
fn the_words_and_their_errors() {
    play(&[
        "
        a: CLIENT TRACKING
        a: CLIENT TRACKING foo
        a: CLIENT TRACKING on foo
        a: CLIENT TRACKING on REDIRECT
        a: CLIENT TRACKING on REDIRECT x
        a: CLIENT TRACKING on REDIRECT 999
        a: CLIENT TRACKING on REDIRECT 0
        a: CLIENT TRACKING on REDIRECT -5
        a: CLIENT TRACKING on REDIRECT {a} REDIRECT {a}
        a: CLIENT TRACKING on REDIRECT {a} REDIRECT x
        a: CLIENT TRACKING on PREFIX
        a: CLIENT TRACKING on PREFIX a
        a: CLIENT TRACKING on PREFIX a OPTIN OPTOUT
        a: CLIENT TRACKING on BCAST OPTIN
        a: CLIENT TRACKING on BCAST OPTIN OPTOUT
        a: CLIENT TRACKING on OPTIN OPTOUT
        a: CLIENT TRACKING on BCAST PREFIX foo PREFIX foob
        a: CLIENT TRACKING on BCAST PREFIX foo PREFIX bar PREFIX foo
        a: CLIENT TRACKING foo BCAST OPTIN
        a: CLIENT TRACKING foo REDIRECT x
        a: CLIENT TRACKINGINFO
        a: CLIENT TRACKING on BCAST PREFIX foo PREFIX bar
        a: CLIENT TRACKINGINFO
        a: CLIENT GETREDIR
        a: CLIENT TRACKING on BCAST PREFIX fo
        a: CLIENT TRACKING on BCAST PREFIX foobar
        a: CLIENT TRACKING on BCAST PREFIX a PREFIX ba
        a: CLIENT TRACKING on BCAST PREFIX ''
        a: CLIENT TRACKING on OPTIN
        a: CLIENT TRACKING on NOLOOP
        a: CLIENT TRACKING on BCAST NOLOOP
        a: CLIENT TRACKINGINFO
        a: CLIENT TRACKING on BCAST REDIRECT {a}
        a: CLIENT TRACKINGINFO
        a: CLIENT CACHING yes
        a: CLIENT TRACKING off REDIRECT 999
        a: CLIENT TRACKING off PREFIX
        a: CLIENT TRACKING off PREFIX a BCAST OPTIN
        a: CLIENT TRACKINGINFO
        a: CLIENT CACHING yes
        a: CLIENT GETREDIR
        ",
        "
        a: CLIENT CACHING
        a: CLIENT CACHING yes no
        a: CLIENT CACHING foo
        a: CLIENT TRACKING on OPTIN
        a: CLIENT CACHING foo
        a: CLIENT CACHING no
        a: CLIENT CACHING yes
        a: CLIENT TRACKINGINFO
        a: CLIENT TRACKINGINFO
        a: PING
        a: CLIENT TRACKINGINFO
        a: CLIENT CACHING yes
        a: NOSUCH
        a: CLIENT TRACKINGINFO
        a: CLIENT CACHING yes
        a: CLIENT nosuch
        a: CLIENT TRACKINGINFO
        a: CLIENT CACHING yes
        a: GET
        a: CLIENT TRACKINGINFO
        a: CLIENT CACHING yes
        a: MULTI
        a: GET x
        a: CLIENT TRACKINGINFO
        a: EXEC
        a: CLIENT TRACKINGINFO
        a: CLIENT TRACKING on OPTOUT
        a: CLIENT TRACKING on
        a: CLIENT TRACKINGINFO
        a: CLIENT TRACKING on NOLOOP OPTOUT
        a: CLIENT CACHING yes
        a: CLIENT CACHING no
        a: CLIENT TRACKINGINFO
        a: CLIENT TRACKING on OPTIN
        a: CLIENT TRACKING off
        a: CLIENT TRACKING on OPTIN
        a: CLIENT TRACKINGINFO
        a: RESET
        a: CLIENT TRACKINGINFO
        a3: CLIENT TRACKING on BCAST PREFIX b PREFIX a
        a3: CLIENT TRACKINGINFO
        a3: CLIENT TRACKING off
        a3: CLIENT TRACKINGINFO
        a3: CLIENT GETREDIR
        ",
    ]);
}

#[test]
fn readers_are_told_once() {
    play(&[
        "
        a3: CLIENT TRACKING on
        b: SET k 1
        a3: GET k
        b: SET k 2
        b: SET k 3
        a3: GET k
        a3: GET k
        a3: GET other
        b: MSET k 4 other 5 third 6
        a3: MGET k other third
        b: DEL k other third nosuch
        a3: EXISTS k
        b: LPUSH k a b
        a3: LRANGE k 0 -1
        b: RENAME k l
        a3: TYPE l
        a3: TTL k
        b: RENAME l k
        a3: GET k
        b: LPUSH k x
        a3: STRLEN k
        b: GET k
        b: LPUSHX nosuch a
        b: EXPIRE k 100
        a3: LLEN k
        b: PERSIST k
        a3: SINTER a b c
        b: SUNIONSTORE b nosuch nosuch2
        b: SADD b 1
        b: SADD b 1
        a3: OBJECT ENCODING b
        b: SREM b 2
        b: SREM b 1
        a3: SORT_RO b
        b: SORT nosuch STORE b
        b: RPUSH b 1
        b: CLIENT LIST ID 999
        ",
        "
        a3: CLIENT TRACKING on
        c3: CLIENT TRACKING on
        d: CLIENT TRACKING on
        a3: GET k
        c3: GET k
        d: GET k
        b: SELECT 3
        b: SET k x
        b: INFO nosuch
        a3: GET k
        a3: CLIENT TRACKING off
        c3: GET k
        b: SET k y
        a3: CLIENT TRACKING on
        a3: GET k
        b: COPY k l
        a3: GET l
        b: COPY k l REPLACE
        b: MOVE k 4
        b: FLUSHDB
        a3: GET k
        b: FLUSHALL
        b: SET k 1
        a3: GET k
        a3: FLUSHALL
        a3: SET k 1
        a3: GET k
        a3: SET k 2
        a3: GETEX k
        a3: GETDEL k
        b: SET k 1
        ",
        "
        a3: CLIENT TRACKING on NOLOOP
        b3: CLIENT TRACKING on
        a3: MGET k l
        b3: MGET k l
        a3: MSET k 1 l 2
        a3: MGET k l
        b3: MGET k l
        b3: MSET k 1 l 2
        a3: GET k
        a3: FLUSHALL
        a3: GET k
        b3: SET k 1
        ",
    ]);
}

#[test]
fn opting_in_and_out() {
    play(&["
        a3: CLIENT TRACKING on OPTIN
        o3: CLIENT TRACKING on OPTOUT
        a3: GET k
        o3: GET k
        b: SET k 1
        a3: CLIENT CACHING yes
        a3: GET k
        a3: GET l
        o3: CLIENT CACHING no
        o3: GET k
        o3: GET l
        b: MSET k 1 l 2
        a3: CLIENT CACHING yes
        a3: MULTI
        a3: GET k
        a3: GET l
        a3: EXEC
        a3: GET m
        b: MSET k 1 l 2 m 3
        a3: MULTI
        a3: CLIENT CACHING yes
        a3: GET k
        a3: GET l
        a3: EXEC
        b: MSET k 1 l 2 m 3
        o3: MULTI
        o3: GET k
        o3: CLIENT CACHING no
        o3: GET l
        o3: EXEC
        b: MSET k 1 l 2 m 3
        a3: CLIENT CACHING yes
        a3: CLIENT ID
        a3: GET k
        b: SET k 1
        a3: CLIENT CACHING yes
        a3: PING
        a3: GET k
        b: SET k 1
    "]);
}

#[test]
fn transactions_and_those_who_wait() {
    play(&[
        "
        a3: CLIENT TRACKING on
        a3: MULTI
        a3: GET k
        a3: SET k 1
        a3: GET k
        a3: INCR k
        a3: INCR k
        a3: EXEC
        a3: GET k
        b: MULTI
        b: INCR k
        b: INCR k
        b: FLUSHDB
        b: SET l 1
        b: EXEC
        a3: GET l
        b: MULTI
        b: SET l 2
        b: DISCARD
        a3: MULTI
        a3: GET x
        a3: FLUSHALL
        a3: GET y
        a3: SET y 1
        a3: EXEC
        b: SET x 1
        ",
        "
        a3: CLIENT TRACKING on
        a3: LRANGE list 0 -1
        a3: LRANGE other 0 -1
        b~ BLMOVE list other LEFT RIGHT 0
        c: RPUSH list x
        a3: LLEN list
        a3: LLEN other
        b~ BLPOP list 0
        c: RPUSH list y z
        a3: LLEN list
        b~ BLPOP list2 list3 0
        a3: LLEN list3
        c: MULTI
        c: RPUSH list3 a
        c: RPUSH list3 b
        c: EXEC
        ",
    ]);
}

#[test]
fn broadcasting_to_prefixes() {
    play(&["
        a3: CLIENT TRACKING on BCAST
        p3: CLIENT TRACKING on BCAST PREFIX key: PREFIX a PREFIX zz
        n3: CLIENT TRACKING on BCAST NOLOOP
        b: SET key:1 a
        b: MSET key:3 a key:2 b abc 1 b 2 a 3
        b: DEL key:3 key:2 nosuch
        n3: SET k 1
        n3: GET k
        p3: MSET zzz 1 key:1 2 zz 4
        b: MULTI
        b: SET key:1 1
        b: SET key:1 2
        b: SET abc 3
        b: EXEC
        p3: CLIENT TRACKING on BCAST PREFIX b
        b: MSET b1 1 c1 2
        b: FLUSHALL
        a3: FLUSHDB
        n3: MULTI
        n3: SET x 1
        n3: EXEC
        p3: CLIENT TRACKING off
        b: SET key:1 2
        p3: CLIENT TRACKING on BCAST PREFIX key
        b: SET key:1 2
        b: SET abc 2
        "]);
}

#[test]
fn telling_another_connection() {
    play(&[
        "
        r: SUBSCRIBE __redis__:invalidate
        a: CLIENT TRACKING on REDIRECT {r}
        a: CLIENT GETREDIR
        a: GET k
        b: SET k 1
        a: GET k
        a: SET k 2
        a: GET k
        b: FLUSHALL
        a: GET k
        r: UNSUBSCRIBE
        b: SET k 1
        a: GET k
        r: SUBSCRIBE whatever
        b: SET k 1
        a: GET k
        r!
        b: SET k 2
        a: CLIENT TRACKINGINFO
        a: CLIENT TRACKING on
        a: CLIENT TRACKINGINFO
        ",
        "
        r3: PING
        a: CLIENT TRACKING on REDIRECT {r3} BCAST
        b: MSET k 1 l 2
        a: SET k 1
        r3: SET k 2
        c3: CLIENT TRACKING on REDIRECT {r3}
        c3: MGET k l
        b: MSET k 1 l 2
        c3: MGET k l
        r3!
        b: MSET k 1 l 2
        c3: CLIENT TRACKINGINFO
        b: SET k 1
        c3: GET k
        b: SET k 1
        c3: CLIENT TRACKING off
        c3: CLIENT TRACKINGINFO
        ",
        "
        r: SSUBSCRIBE any
        a3: CLIENT TRACKING on REDIRECT {r}
        a3: GET k
        b: SET k 1
        s3: CLIENT TRACKING on REDIRECT {s3}
        s3: GET k
        b: SET k 1
        s3: GET k
        s3: SET k 1
        ",
    ]);
}

#[test]
fn shard_channels() {
    play(&[
        "
        a: SSUBSCRIBE
        a: SSUBSCRIBE one two one
        a: GET k
        a: SPUBLISH one x
        b: SPUBLISH one x
        b: SPUBLISH three x
        b: SPUBLISH one
        b: SPUBLISH one two three
        b: PUBLISH one x
        b: PUBSUB SHARDCHANNELS t*
        b: PUBSUB SHARDCHANNELS a b
        b: PUBSUB SHARDNUMSUB one two three
        b: PUBSUB SHARDNUMSUB
        b: PUBSUB NUMSUB one
        b: PUBSUB CHANNELS
        b: PUBSUB NUMPAT
        a: SUBSCRIBE one
        b: PUBLISH one x
        b: SPUBLISH one y
        a: SUNSUBSCRIBE one
        a: SUNSUBSCRIBE nosuch
        a: SUNSUBSCRIBE
        a: SUNSUBSCRIBE
        a: PING
        a: UNSUBSCRIBE
        a: GET k
        b: SPUBLISH one z
        ",
        "
        a3: SSUBSCRIBE one
        a3: SPUBLISH one x
        a3: MULTI
        a3: SSUBSCRIBE two
        a3: SPUBLISH two x
        a3: EXEC
        a3: PUBSUB SHARDNUMSUB one two
        b: MULTI
        b: SPUBLISH one y
        b: SPUBLISH one z
        b: EXEC
        b: SPUBLISH one ''
        a3: SUNSUBSCRIBE two one
        a3: RESET
        b: PUBSUB SHARDCHANNELS
        ",
    ]);
}

const READS: &[&str] = &[
    "GET K",
    "MGET K K K",
    "EXISTS K K",
    "TYPE K",
    "TTL K",
    "LLEN K",
    "LRANGE K 0 -1",
    "HGET K field1",
    "HGETALL K",
    "SMEMBERS K",
    "SINTERCARD 2 K K LIMIT 1",
    "SINTERCARD 5 K K",
    "SINTERCARD x K K",
    "SUNION K K K",
    "ZRANGE K 0 -1",
    "ZUNION 2 K K",
    "ZINTERCARD 3 K K K",
    "SORT_RO K BY w_* GET K",
    "OBJECT ENCODING K",
    "GETRANGE K x y",
    "GETEX K",
    "DUMP K",
    "TOUCH K K",
    "LCS K K",
    "SCAN 0",
    "DBSIZE",
    "RANDOMKEY",
    "SSCAN K 0",
    "WATCH K",
    "UNWATCH",
];

fn read(rng: &mut Rng) -> Vec<Vec<u8>> {
    let key = |rng: &mut Rng| format!("key:{}", rng.below(40)).into_bytes();
    let words = READS[rng.below(READS.len())].split(' ');
    words.map(|word| if word == "K" { key(rng) } else { word.as_bytes().to_vec() }).collect()
}

#[test]
fn random_requests_make_the_same_notices() {
    let Some(oracle) = Oracle::start(&[]) else { return };
    let engine = engine_with("");
    let mut rng = rng();
    let mut duet = Duet::new(&engine, &oracle);
    for line in [
        "a3: CLIENT TRACKING on",
        "n3: CLIENT TRACKING on NOLOOP",
        "o3: CLIENT TRACKING on OPTOUT",
        "p3: CLIENT TRACKING on BCAST PREFIX key:1 PREFIX key:2",
        "q3: CLIENT TRACKING on BCAST NOLOOP",
        "r: SUBSCRIBE __redis__:invalidate",
        "s: CLIENT TRACKING on REDIRECT {r}",
        "w: PING",
    ] {
        duet.line(line);
    }
    let everybody = ["a3", "n3", "o3", "p3", "q3", "s", "w", "w"];
    for step in 0..3000 {
        let name = everybody[rng.below(everybody.len())];
        let mut said = Vec::new();
        let several = if rng.below(20) == 0 { 2 + rng.below(5) } else { 1 };
        if several > 1 {
            said.push(vec![b"MULTI".to_vec()]);
        }
        for _ in 0..several {
            let request = if rng.below(2) == 0 { read(&mut rng) } else { tame::request(&mut rng) };
            // Those that wait, or whose outcome depends on the millisecond, are not for this; nor
            // those that change a value behind the back of who has a copy.
            let odd = request[0].starts_with(b"BL")
                || request.last().is_some_and(|word| word == b"GT")
                || request[0] == b"PFDEBUG";
            if !odd {
                said.push(request);
            }
        }
        if several > 1 {
            said.push(vec![b"EXEC".to_vec()]);
        }
        match rng.below(100) {
            0 => said = vec![b"SELECT 1".split(|&b| b == b' ').map(<[u8]>::to_vec).collect()],
            1 => said = vec![b"SELECT 0".split(|&b| b == b' ').map(<[u8]>::to_vec).collect()],
            2 => said = vec![vec![b"FLUSHDB".to_vec()]],
            _ => {}
        }
        for words in &said {
            duet.say(name, words);
        }
        for (listener, [ours, theirs]) in duet.pushed() {
            let said: Vec<String> =
                said.iter().map(|words| words.join(&b' ').escape_ascii().to_string()).collect();
            assert_eq!(ours, theirs, "step {step}: {listener} when {name} said {said:?}");
        }
    }
}
