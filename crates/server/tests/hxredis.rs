//! Projects of hxRedis: taken over from a keyspace as it writes it, and written back the same.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::collections::BTreeMap;

use client::{Connection as Redis, Options, Protocol, Value};
use testkit::oracle::Oracle;

use crate::compared::{kvist, stop};
use crate::server::{Client, Server, text};

const MOD: &str = "2026-01-27T23:10:00.123Z UTC";

/// A redis-server, with its address.
fn redis() -> Option<(Oracle, Redis, String)> {
    let oracle = Oracle::start(&[])?;
    let address = oracle.connect().peer_addr().unwrap();
    let options =
        Options { protocol: Protocol::Resp2, ..Options::tcp("127.0.0.1", address.port()) };
    Some((oracle, Redis::open(&options).unwrap(), address.to_string()))
}

fn ask(redis: &mut Redis, words: &[&str]) -> Vec<String> {
    let answer = redis.call(words).unwrap();
    let text = |value: &Value| String::from_utf8(value.as_bytes().unwrap_or_default().to_vec());
    let all = answer.as_slice().map(<[Value]>::to_vec).unwrap_or_else(|| vec![answer]);
    all.iter().map(|value| text(value).unwrap()).collect()
}

/// Writes a record as hxRedis does: the hash, and the indexes.
fn put(redis: &mut Redis, prefix: &str, id: &str, trio: &str) {
    ask(redis, &["HSET", &format!("{prefix}rec:{id}"), "trio", trio, "mod", MOD]);
    ask(redis, &["SADD", &format!("{prefix}idx:all"), id]);
    let tags = trio.lines().filter(|line| !line.starts_with(' '));
    let tags = tags.map(|line| line.split(':').next().unwrap());
    for tag in tags.filter(|tag| !["id", "mod"].contains(tag)) {
        ask(redis, &["SADD", &format!("{prefix}idx:tag:{tag}"), id]);
    }
}

/// A small site with all kinds of values, a point in the trash, and samples.
fn site(redis: &mut Redis, prefix: &str) {
    let records = [
        (
            "s:1",
            "id:@s:1 \"Main Street\"\nname:main\ndis:Main Street\narea:740m²\n\
             geoCoord:C(37.5,-77.4)\nmod:@\non:true\nopened:1999-12-31\nphone:\"+1 5/6\"\nsite\n\
             tz:New_York\nuri:`http://x/y`\nsrc:\n  a \"b\"\n    c\n",
        ),
        (
            "e1",
            "id:@e1 \"AHU\"\ndis:AHU\nequip\nlist:[1, \"x\", @s:1 \"Main Street\"]\nmod:@\n\
             nest:{a b:2kW}\nsiteRef:@s:1 \"Main Street\"\n\
             table:Zinc:\n  ver:\"3.0\"\n  a,b\n  1,\"x\"\n",
        ),
        (
            "p1",
            "id:@p1 \"Temp, supply\"\ndis:\"Temp, supply\"\nequipRef:@e1 AHU\nhis\nkind:Number\n\
             mod:@\npoint\nsiteRef:@s:1 \"Main Street\"\ntz:New_York\nunit:°F\n",
        ),
        ("p2", "id:@p2\nhis\nkind:Bool\nmod:@\npoint\ntrash\ntz:UTC\n"),
        ("x", "id:@x\nmod:@\nuiMeta\n"),
    ];
    for (id, trio) in records {
        let trio = trio.replace("mod:@", &format!("mod:{MOD}")).replace("@e1 AHU", "@e1 \"AHU\"");
        put(redis, prefix, id, &trio);
    }
    ask(redis, &["SET", &format!("{prefix}meta:version"), "42"]);
    for second in 0..9_000_u64 {
        let at = 1_735_689_600 + second * 60;
        let (day, minute) = (second / 1440, second % 1440);
        let time = format!("2025-01-{:02}T{:02}:{:02}:00", day + 1, minute / 60, minute % 60);
        let sample = format!("ts:{time}Z UTC\nval:{}\n", second % 2 == 0);
        ask(redis, &["ZADD", &format!("{prefix}his:p2"), &format!("{at}000"), &sample]);
    }
    let values = ["72.5", "NA", "-3", "1000000"];
    for (second, value) in values.iter().enumerate() {
        let sample = format!("ts:2025-07-01T08:00:0{second}-04:00 New_York\nval:{value}\n");
        let score = (1_751_371_200 + second) * 1000;
        ask(redis, &["ZADD", &format!("{prefix}his:p1"), &score.to_string(), &sample]);
    }
}

/// All keys of a database without a prefix, with all that they hold.
fn keyspace(redis: &mut Redis, db: &str, prefix: &str) -> BTreeMap<String, Vec<String>> {
    ask(redis, &["SELECT", db]);
    let mut all = BTreeMap::new();
    for key in ask(redis, &["KEYS", "*"]) {
        let name = key.strip_prefix(prefix).unwrap_or(&key);
        let words: &[&str] = match name.split(':').next().unwrap() {
            "rec" => &["HGETALL", &key],
            "idx" => &["SMEMBERS", &key],
            "his" => &["ZRANGE", &key, "0", "-1", "WITHSCORES"],
            _ => &["GET", &key],
        };
        let mut held = ask(redis, words);
        // Those have no order.
        if !name.starts_with("his") {
            held.sort();
        }
        all.insert(name.to_owned(), held);
    }
    ask(redis, &["SELECT", "0"]);
    all
}

/// Looks key by key whether two databases hold the same.
fn same(redis: &mut Redis, one: (&str, &str), other: (&str, &str)) {
    let (one, other) = (keyspace(redis, one.0, one.1), keyspace(redis, other.0, other.1));
    for (key, held) in &one {
        assert_eq!(other.get(key), Some(held), "{key}");
    }
    assert_eq!(one.len(), other.len());
    assert!(one.len() > 30);
}

fn said(client: &mut Client, line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    text(&client.ask(&words))
}

#[test]
fn a_keyspace_is_taken_over_and_written_back_key_by_key() {
    let Some((_oracle, mut redis, from)) = redis() else { return };
    site(&mut redis, "");
    let server = Server::start(&[]);
    let to = format!("127.0.0.1:{}", server.port);
    let (done, told) = kvist(&["import", "hxredis", "--from", &from, "--to", &to, "p"]);
    assert!(done && told.contains("5 records, 9004 samples of 2 histories into p"), "{told}");
    let mut client = server.connect();
    assert_eq!(client.ask(&["FOLIO.COUNT", "p", "id"]).as_i64(), Some(4));
    assert_eq!(client.ask(&["FOLIO.COUNT", "p", "id", "TRASH"]).as_i64(), Some(1));
    let record = said(&mut client, "FOLIO.READBYID p p1 FORMAT zinc");
    assert!(record.contains(MOD) && record.contains("hisSize:4"), "{record}");
    let samples = said(&mut client, "FOLIO.HIS.READ p p1 FORMAT zinc");
    assert!(samples.contains("08:00:00-04:00 New_York,72.5°F"), "{samples}");
    let info = format!("{:?}", client.ask(&["FOLIO.INFO", "p"]));
    assert!(info.contains("Int(42)"), "{info}");
    assert_eq!(client.ask(&["DBSIZE"]).as_i64(), Some(1), "what it was made under is gone");
    assert_eq!(client.ask(&["TTL", "p"]).as_i64(), Some(-1));

    let export = ["export", "hxredis", "--from", &to, "p", "--to", &from, "--db", "1"];
    let (done, told) = kvist(&export);
    assert!(done && told.contains("5 records, 9004 samples"), "{told}");
    same(&mut redis, ("0", ""), ("1", ""));
    // Neither side is overwritten unless it is asked for.
    let (done, told) = kvist(&export);
    assert!(!done && told.contains("--replace"), "{told}");
    let again = ["import", "hxredis", "--from", &from, "--to", &to, "p"];
    let (done, told) = kvist(&again);
    assert!(!done && told.contains("--replace"), "{told}");
    ask(&mut redis, &["SADD", "idx:tag:site", "e1"]);
    let (done, told) = kvist(&[&again[..], &["--replace"]].concat());
    assert!(done && told.contains("1 indexes did not have the records"), "{told}");
    let (done, told) = kvist(&[&export[..], &["--replace"]].concat());
    assert!(done, "{told}");
    ask(&mut redis, &["SREM", "idx:tag:site", "e1"]);
    same(&mut redis, ("0", ""), ("1", ""));
    stop(server);
}

#[test]
fn keys_may_begin_with_a_prefix_and_ids_too() {
    let Some((_oracle, mut redis, address)) = redis() else { return };
    site(&mut redis, "t[1]*:");
    ask(&mut redis, &["SET", "t[1]:rec:a", "another's"]);
    let server = Server::start(&[]);
    let here = format!("127.0.0.1:{}", server.port);
    let url = format!("redis://{address}/0");
    let import = ["import", "hxredis", "--from", &url, "--prefix", "t[1]*:", "--to", &here, "p"];
    let (done, told) = kvist(&[&import[..], &["--id-prefix", "s:"]].concat());
    assert!(done && told.contains("5 records"), "{told}");
    let mut client = server.connect();
    assert!(said(&mut client, "FOLIO.READBYID p 1 FORMAT zinc").contains("@s:1 \"Main Street\""));
    let export = ["export", "hxredis", "--from", &here, "p", "--to", &url, "--prefix", "u:"];
    let (done, told) = kvist(&[&export[..], &["--db", "3"]].concat());
    assert!(done, "{told}");
    ask(&mut redis, &["DEL", "t[1]:rec:a"]);
    same(&mut redis, ("0", "t[1]*:"), ("3", "u:"));
    stop(server);
}

#[test]
fn what_is_damaged_is_told_and_nothing_else_happens() {
    let Some((_oracle, mut redis, from)) = redis() else { return };
    site(&mut redis, "");
    let id = |id: &str| format!("id:@{id}\nmod:{MOD}\n");
    put(&mut redis, "", "d1", &(id("d1") + "a:\"no end\n"));
    put(&mut redis, "", "d2", &id("other"));
    put(&mut redis, "", "d3", "id:@d3\nsite\n");
    put(&mut redis, "", "d4", &(id("d4") + "---\nid:@d5\n"));
    put(&mut redis, "", "d6", &(id("d6") + "na:NA\n"));
    ask(&mut redis, &["HSET", "rec:d7", "mod", MOD]);
    ask(&mut redis, &["SET", "rec:d8", "text"]);
    put(&mut redis, "", "d9", &id("d9"));
    ask(&mut redis, &["SREM", "idx:all", "d9"]);
    ask(&mut redis, &["SADD", "idx:all", "d10"]);
    ask(&mut redis, &["ZADD", "his:gone", "0", "ts:1970-01-01T00:00:00Z UTC\nval:1\n"]);
    ask(&mut redis, &["ZADD", "his:x", "0", "ts:1970-01-01T00:00:00Z UTC\nval:1\n"]);
    let sample = |value: &str| format!("ts:2025-07-01T08:00:09-04:00 New_York\nval:{value}\n");
    for (score, value) in [("1751371209000", "1"), ("1751371209000", "2"), ("7", "3")] {
        ask(&mut redis, &["ZADD", "his:p1", score, &sample(value)]);
    }
    ask(&mut redis, &["ZADD", "his:p1", "1751371209000", &sample("5kW")]);
    ask(&mut redis, &["SET", "foreign", "key"]);
    put(&mut redis, "", "t1", &(id("t1") + "curVal:5\nhisSize:7\npoint\n"));

    let server = Server::start(&[]);
    let to = format!("127.0.0.1:{}", server.port);
    let import = ["import", "hxredis", "--from", &from, "--to", &to, "p"];
    let (done, told) = kvist(&import);
    assert!(!done && told.contains("13 things are damaged"), "{told}");
    for what in [
        "rec:d1: its Trio is malformed: String without an end [line 3",
        "rec:d2: its record has another id",
        "rec:d3: its record has no mod",
        "rec:d4: its Trio has 2 records",
        "rec:d6: InvalidTagValErr: na: NA cannot be stored",
        "rec:d7: it has no field 'trio'",
        "rec:d8: WRONGTYPE",
        "rec:d9: idx:all does not have it",
        "rec:d10: idx:all names it, and it is not there",
        "his:gone: there is no record",
        "his:x: HisConfigErr: Rec missing 'point' tag",
        "his:p1: score 7: its ts is 1751371209000",
        "Mismatched unit",
    ] {
        assert!(told.contains(what), "{what} in {told}");
    }
    let mut client = server.connect();
    assert_eq!(client.ask(&["DBSIZE"]).as_i64(), Some(0));

    let (done, told) = kvist(&[&import[..], &["--skip-damaged"]].concat());
    assert!(done && told.contains("13 damaged things are left out"), "{told}");
    for what in [
        "6 records, 9005 samples of 2 histories",
        "1 keys are none of hxRedis",
        "1 samples have the instant of another",
        "1 tags are transient",
        "1 tags that tell of histories",
    ] {
        assert!(told.contains(what), "{what} in {told}");
    }
    assert!(said(&mut client, "FOLIO.READBYID p t1 TRANSIENT FORMAT zinc").contains("curVal:5"));
    assert!(
        said(&mut client, "FOLIO.HIS.READ p p1 FORMAT zinc")
            .contains("08:00:09-04:00 New_York,2°F")
    );
    for wrong in [
        &["import", "hxredis", "--from", &from, "p"][..],
        &["import", "hxredis", "--from", "nowhere", "--to", &to, "p"],
        &["export", "hxredis", "--from", &to, "--to", &from, "none", "--db", "2"],
        &["export", "hxredis", "--from", &to, "--to", &from, "p", "--skip-damaged"],
    ] {
        assert!(!kvist(wrong).0, "{wrong:?}");
    }
    stop(server);
}
