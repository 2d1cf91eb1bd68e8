//! The commands whose processor time is compared, each with the values it works on.

use super::list_of;

/// A command to time.
pub(super) struct Subject {
    /// Its name in the table.
    pub name: &'static str,
    /// The commands that make its values.
    pub prepare: fn() -> Vec<Vec<String>>,
    /// The command, words separated by blanks.
    pub command: &'static str,
    /// How often it is sent per round: half a second or so of a server's time.
    pub requests: u64,
    /// Whether it answers the same every time.
    pub repeatable: bool,
    /// Whether the order of its answer is the server's own.
    pub unordered: bool,
}

const fn reads(
    name: &'static str,
    prepare: fn() -> Vec<Vec<String>>,
    command: &'static str,
    requests: u64,
) -> Subject {
    Subject { name, prepare, command, requests, repeatable: true, unordered: false }
}

const fn sets(
    name: &'static str,
    prepare: fn() -> Vec<Vec<String>>,
    command: &'static str,
    requests: u64,
) -> Subject {
    Subject { name, prepare, command, requests, repeatable: true, unordered: true }
}

const fn writes(
    name: &'static str,
    prepare: fn() -> Vec<Vec<String>>,
    command: &'static str,
    requests: u64,
) -> Subject {
    Subject { name, prepare, command, requests, repeatable: false, unordered: false }
}

/// All of them.
pub(super) const SUBJECTS: &[Subject] = &[
    reads("ZRANGEBYSCORE 100", scores, "ZRANGEBYSCORE z 5000 5099", 60_000),
    sets("SINTER 3x1000", three_sets, "SINTER s:0 s:1 s:2", 6_000),
    sets("HGETALL 100", hash_of_100, "HGETALL h", 100_000),
    reads("LRANGE 600", list_of_600, "LRANGE l 0 599", 30_000),
    reads("SORT 1000", numbers, "SORT n", 4_000),
    writes("XADD", Vec::new, "XADD x * temperature __rand_int__ unit celsius", 200_000),
    writes("XREADGROUP", group, "XREADGROUP GROUP g c COUNT 1 STREAMS x >", 200_000),
    reads("GEOSEARCH", places, "GEOSEARCH g FROMLONLAT 15 50 BYRADIUS 60 km ASC", 20_000),
    reads("PFCOUNT", sketches, "PFCOUNT p:0", 400_000),
    reads("PFCOUNT 2 keys", sketches, "PFCOUNT p:0 p:1", 10_000),
    reads("BITCOUNT 1MB", bits, "BITCOUNT b", 4_000),
    sets("SUNION 10k", two_large_sets, "SUNION u:0 u:1", 400),
];

fn words(text: String) -> Vec<String> {
    list_of(&text)
}

/// A sorted set of ten thousand members, one for each score.
fn scores() -> Vec<Vec<String>> {
    (0..10_000).map(|n| words(format!("ZADD z {n} member:{n:06}"))).collect()
}

/// Three sets of a thousand members; a third of them is in all three.
fn three_sets() -> Vec<Vec<String>> {
    let set = |s: u32| (0..1000).map(move |n| words(format!("SADD s:{s} member:{}", n + s * 333)));
    (0..3).flat_map(set).collect()
}

fn hash_of_100() -> Vec<Vec<String>> {
    (0..100).map(|n| words(format!("HSET h field:{n:03} value:{n:08}"))).collect()
}

/// As redis-benchmark makes them, with values of a hundred bytes.
fn list_of_600() -> Vec<Vec<String>> {
    let mut commands = vec![words("DEL l".to_owned())];
    commands.extend((0..600).map(|n| words(format!("RPUSH l {n:0>100}"))));
    commands
}

fn numbers() -> Vec<Vec<String>> {
    let mut commands = vec![words("DEL n".to_owned())];
    // Multiplying by a number without common factors puts the thousand numbers out of order.
    commands.extend((0..1000_u32).map(|n| words(format!("RPUSH n {}", n * 7919 % 1000))));
    commands
}

/// A group that has read everything there is.
fn group() -> Vec<Vec<String>> {
    vec![words("XGROUP CREATE x g 0 MKSTREAM".to_owned())]
}

/// Ten thousand places in ten degrees by ten.
fn places() -> Vec<Vec<String>> {
    let place = |n: u32| {
        let (x, y) = (f64::from(n % 100) / 10.0, f64::from(n / 100) / 10.0);
        words(format!("GEOADD g {:.4} {:.4} place:{n}", 10.0 + x, 45.0 + y))
    };
    (0..10_000).map(place).collect()
}

/// Two dense sketches.
fn sketches() -> Vec<Vec<String>> {
    (0..40_000_u32).map(|n| words(format!("PFADD p:{} element:{n}", n % 2))).collect()
}

/// A megabyte with every second byte set.
fn bits() -> Vec<Vec<String>> {
    let mut commands = vec![words("SETBIT b 8388607 1".to_owned())];
    commands.extend((0..1000).map(|n| words(format!("SETRANGE b {} {:U<512}", n * 1024, ""))));
    commands
}

/// Two sets that have ten thousand members between them.
fn two_large_sets() -> Vec<Vec<String>> {
    let set = |s: u32| (0..6000).map(move |n| words(format!("SADD u:{s} member:{}", n + s * 4000)));
    (0..2).flat_map(set).collect()
}
