//! Mistakes that other servers have made with keys and values, each as a test that fails where they
//! are made again. `docs/internals/traps.md` lists all of them.

#![allow(clippy::unwrap_used)] // a test says why by failing

use std::collections::HashSet;
use std::time::Duration;

use base::{HashFunction, Hashing, KeyHasher};
use testkit::processor;

use crate::test_client::{TestClient, engine};

/// Sends lines as one pipeline; how many replies are as expected.
fn all(client: &mut TestClient, lines: impl Iterator<Item = String>, expected: &str) -> usize {
    let lines: Vec<String> = lines.collect();
    let mut good = 0;
    for some in lines.chunks(1000) {
        let (replies, _) = client.feed(&(some.join("\r\n") + "\r\n"));
        good += replies.split("\r\n").filter(|reply| *reply == expected).count();
    }
    good
}

#[test]
fn deleting_what_is_not_there_hides_nothing() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    let live = 2_000;
    assert_eq!(all(&mut client, (0..live).map(|n| format!("SET live:{n} x")), "+OK"), live);
    let absent = (0..100_000).map(|n| format!("DEL absent:{n}"));
    assert_eq!(all(&mut client, absent, ":0"), 100_000);
    // Deleted and put back, among them.
    let again = (0..live).step_by(2);
    assert_eq!(all(&mut client, again.clone().map(|n| format!("DEL live:{n}")), ":1"), live / 2);
    assert_eq!(all(&mut client, again.map(|n| format!("SET live:{n} x")), "+OK"), live / 2);
    assert_eq!(all(&mut client, (0..live).map(|n| format!("EXISTS live:{n}")), ":1"), live);
    assert_eq!(client.ask("DBSIZE"), format!(":{live}"));
}

/// Measures up to three times whether the second takes less than so many times the first; what
/// was measured if it never did. Where other programs empty the caches, work takes longer by the
/// processor's clock, too, but not each time.
fn once_below(
    times: u32,
    measure: impl Fn() -> (Duration, Duration),
) -> Result<(), Vec<(Duration, Duration)>> {
    let mut all = Vec::new();
    while all.len() < 3 {
        let (first, second) = measure();
        if second < times * first {
            return Ok(());
        }
        all.push((first, second));
    }
    Err(all)
}

/// An index by value would degenerate here: eight times as many would take 64 times as long.
#[test]
fn many_keys_may_have_the_same_value() {
    let cost = |keys: usize| {
        let engine = engine();
        let mut client = TestClient::new(&engine);
        let work = || {
            let sets = (0..keys).map(|n| format!("SET key:{n} same"));
            assert_eq!(all(&mut client, sets, "+OK"), keys);
            let fields = (0..keys).map(|n| format!("HSET h field:{n} same"));
            assert_eq!(all(&mut client, fields, ":1"), keys);
            let members = (0..keys).map(|n| format!("ZADD z 7 member:{n}"));
            assert_eq!(all(&mut client, members, ":1"), keys);
        };
        processor::cost(work).1
    };
    let measured = once_below(24, || (cost(20_000), cost(160_000)));
    assert!(measured.is_ok(), "few, and eight times as many, in three attempts: {measured:?}");
}

/// Pages of ten out of a hundred times as many elements cost what they hold: a server that gathers
/// the whole range for each takes a hundred times as long.
#[test]
fn a_limited_range_stops_at_its_limit() {
    let cost = |members: usize| {
        let engine = engine();
        let mut client = TestClient::new(&engine);
        let lines = (0..members).map(|n| format!("ZADD z {n} member:{n:06}"));
        assert_eq!(all(&mut client, lines, ":1"), members);
        let elements = (0..members).map(|n| format!(" {n}")).collect::<String>();
        assert_eq!(client.ask(&format!("RPUSH l{elements}")), format!(":{members}"));
        let middle = members / 2;
        let ranges = [
            format!("ZRANGEBYSCORE z -inf +inf LIMIT {middle} 10"),
            "ZRANGE z [member: + BYLEX LIMIT 0 10".to_owned(),
            "ZREVRANGEBYSCORE z +inf (5 LIMIT 3 10".to_owned(),
            "ZRANGE z -10 -1".to_owned(),
            format!("LRANGE l {middle} {}", middle + 9),
        ];
        let work = || {
            for _ in 0..1_000 {
                let (replies, _) = client.feed(&(ranges.join("\r\n") + "\r\n"));
                assert_eq!(replies.matches("*10\r\n").count(), ranges.len());
            }
        };
        processor::cost(work).1
    };
    let measured = once_below(10, || (cost(1_000), cost(100_000)));
    assert!(measured.is_ok(), "pages, and those of a hundred times as many: {measured:?}");
}

#[test]
fn pages_of_a_prefix_show_every_key_exactly_once() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    let keys = 25_000;
    assert_eq!(all(&mut client, (0..keys).map(|n| format!("SET page:{n} x")), "+OK"), keys);
    let others = (0..keys).map(|n| format!("SET other:{n} x"));
    assert_eq!(all(&mut client, others, "+OK"), keys);
    let (mut cursor, mut seen, mut round) = ("0".to_owned(), HashSet::new(), 0);
    loop {
        let reply = client.ask(&format!("SCAN {cursor} MATCH page:* COUNT 100"));
        let mut words = reply.split("\r\n").filter(|word| !word.starts_with(['$', '*']));
        cursor = words.next().unwrap_or_default().to_owned();
        for key in words.filter(|word| !word.is_empty()) {
            assert!(seen.insert(key.to_owned()), "{key} came twice");
        }
        if cursor == "0" {
            break;
        }
        // The table grows and shrinks while the pages are turned.
        round += 1;
        client.ask(&format!("SET new:{round} x"));
        client.ask(&format!("DEL other:{round}"));
    }
    assert_eq!(seen.len(), keys);
}

#[test]
fn an_empty_string_is_not_a_missing_one() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    let empty = "$0\r\n";
    for (line, reply) in [
        ("SET k \"\"", "+OK"),
        ("GET k", empty),
        ("EXISTS k", ":1"),
        ("TYPE k", "+string"),
        ("STRLEN k", ":0"),
        ("SETNX k other", ":0"),
        ("SET k other NX", "$-1"),
        ("GETSET k \"\"", empty),
        ("GETDEL k", empty),
        ("GET k", "$-1"),
        ("HSET h \"\" \"\"", ":1"),
        ("HGET h \"\"", empty),
        ("HEXISTS h \"\"", ":1"),
        ("HGET h nosuch", "$-1"),
        ("RPUSH l \"\"", ":1"),
        ("LPOS l \"\"", ":0"),
        ("LPOP l", empty),
        ("EXISTS l", ":0"),
        ("SADD s \"\"", ":1"),
        ("SISMEMBER s \"\"", ":1"),
        ("ZADD z 0 \"\"", ":1"),
        ("ZSCORE z \"\"", "$1\r\n0"),
        // The name of a key may be empty, too.
        ("SET \"\" value", "+OK"),
        ("GET \"\"", "$5\r\nvalue"),
        ("DEL \"\"", ":1"),
    ] {
        assert_eq!(client.ask(line), reply.trim_end(), "{line}");
    }
    client.ask("SET k \"\"");
    assert_eq!(client.ask("MGET k nosuch"), "*2\r\n$0\r\n\r\n$-1");
}

#[test]
fn a_lifetime_below_a_second_is_not_for_ever() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    let start = 5_000_000;
    client.worker.begin(start);
    for line in ["SET a x PX 300", "PSETEX b 300 x", "SET c x PXAT 5000300", "GETEX d PX 300"] {
        client.ask("SETNX d x");
        assert!(!client.ask(line).starts_with('-'), "{line}");
    }
    client.ask("SET e x");
    assert_eq!(client.ask("PEXPIRE e 300"), ":1");
    for key in ["a", "b", "c", "d", "e"] {
        assert_eq!(client.ask(&format!("PTTL {key}")), ":300", "{key}");
        // Rounded to seconds, as Redis does; -1 would mean: for ever.
        assert_eq!(client.ask(&format!("TTL {key}")), ":0", "{key}");
    }
    client.worker.begin(start + 299);
    assert_eq!(client.ask("EXISTS a b c d e"), ":5");
    client.worker.begin(start + 300);
    assert_eq!(client.ask("EXISTS a b c d e"), ":0");
}

/// What clients choose is hashed by what they cannot know, wherever it is.
#[test]
fn whatever_hashes_has_a_seed() {
    let _engine = engine();
    assert!(types::members_have_a_seed(), "members of hashes, sets and sorted sets");
    assert!(json::names_have_a_seed(), "names in documents");
    assert!(script::strings_have_a_seed(), "strings of scripts");
}

/// The ends of texts of 24 bytes. Where foldhash multiplies pieces of them by others, those of the
/// second kind make the product zero for all clients that know the numbers it begins with.
const TAILS: [[u64; 2]; 2] = [[0x0c0c_0c0c_0c0c_0c0c; 2], [0xc0ac_29b7_c97c_50dd; 2]];

fn chosen_bytes(n: u64, tail: [u64; 2]) -> Vec<u8> {
    let words = [n.wrapping_mul(0x9E37_79B9_7F4A_7C15), tail[0], tail[1]];
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

fn chosen(n: u64, tail: [u64; 2]) -> String {
    chosen_bytes(n, tail).into_iter().map(|byte| format!("\\x{byte:02x}")).collect()
}

/// The tests below would show nothing with texts that do not hash alike.
#[test]
fn the_chosen_texts_hash_alike_for_who_knows_the_numbers() {
    for seed in [0, 1, 0x0123_4567_89ab_cdef] {
        let alike = TAILS.map(|tail| {
            let known = Hashing { function: HashFunction::KnownNumbers, seed };
            let hasher = KeyHasher::new(known);
            let hashes = (0..1000).map(|n| hasher.hash(&chosen_bytes(n, tail)));
            hashes.collect::<HashSet<u64>>().len()
        });
        assert!(alike[0] > 990 && alike[1] == 1, "{alike:?} hashes of a thousand, seed {seed}");
    }
}

/// Chosen texts may cost what others do, and what luck and other processes add: were
/// they alike, they would cost more than twenty times as much, each time they are tried.
fn cost_what_others_do(mut costs: impl FnMut() -> [Duration; 2]) {
    let mut tried = Vec::new();
    while tried.len() < 5 {
        let [others, chosen] = costs();
        if chosen < others * 3 + Duration::from_millis(50) {
            return;
        }
        tried.push((others, chosen));
    }
    panic!("others and chosen ones took {tried:?}");
}

#[test]
fn members_cannot_be_chosen_to_hash_alike() {
    let cost = |tail| {
        let engine = engine();
        let mut client = TestClient::new(&engine);
        let count = 10_000;
        let line =
            |n, before: &str, after: &str| format!("{before} \"{}\"{after}", chosen(n, tail));
        let (good, took) = processor::cost(|| {
            all(&mut client, (0..count).map(|n| line(n, "SADD s", "")), ":1")
                + all(&mut client, (0..count).map(|n| line(n, "HSET h", " 1")), ":1")
        });
        assert_eq!(good, 20_000);
        took
    };
    cost_what_others_do(|| TAILS.map(cost));
}

#[test]
fn keys_cannot_be_chosen_to_hash_alike() {
    let cost = |tail| {
        let engine = engine();
        let mut client = TestClient::new(&engine);
        let sets = (0..10_000).map(|n| format!("SET \"{}\" 1", chosen(n, tail)));
        let (good, took) = processor::cost(|| all(&mut client, sets, "+OK"));
        assert_eq!(good, 10_000);
        took
    };
    cost_what_others_do(|| TAILS.map(cost));
}
