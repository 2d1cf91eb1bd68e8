//! Keys of any type: expiry and its conditions, renaming, copying, moving between databases, SORT.
//!
//! Its scenario lets a key really expire. Elsewhere expiries are far off, so that no reply depends
//! on which server was asked first.

use super::Family;
use crate::command::{Command, Step};
use crate::generator::Generator;
use crate::pools::KeyKind;

/// The family.
pub const FAMILY: Family =
    Family { name: "keys", home: KeyKind::Text, forms: &FORMS, scenario: Some((1, expiring)) };

const FORMS: [(usize, &str); 65] = [
    (3, "XADD <any> <new-id> <field> <value>"),
    (1, "XGROUP CREATE <any> g0 $ MKSTREAM"),
    (6, "SET <text-key> <value> [ EX <seconds> ]"),
    (3, "SET <text-key> <small>"),
    (3, "RPUSH <list-key> ( <small> )+"),
    (3, "RPUSH <list-key> ( <member> )!"),
    (4, "HSET <hash-key> ( <field> <value> )!"),
    (2, "HSET <hash-key> { f0 | f1 } <small>"),
    (3, "SADD <set-key> ( <small> )+"),
    (2, "SADD <set-key> ( <member> )!"),
    (4, "ZADD <zset-key> ( <score> <member> )!"),
    (2, "APPEND <text-key> <text>"),
    (4, "DEL ( <any> )+"),
    (3, "UNLINK ( <any> )+"),
    (4, "EXISTS ( <any> )+"),
    (4, "TYPE <any>"),
    (2, "TOUCH ( <any> )+"),
    (6, "EXPIRE <any> <seconds> [ NX | XX | GT | LT | gt ]"),
    (5, "PEXPIRE <any> <milliseconds> [ NX | XX | GT | LT ]"),
    (6, "EXPIREAT <any> <timestamp> [ NX | XX | GT | LT ]"),
    (5, "PEXPIREAT <any> <timestamp-ms> [ NX | XX | GT | LT | lt ]"),
    (2, "EXPIRE <any> <seconds> [ NX | XX | FOO ] [ GT | LT ] [ XX | LT ]"),
    (4, "TTL <any>"),
    (4, "PTTL <any>"),
    (3, "EXPIRETIME <any>"),
    (3, "PEXPIRETIME <any>"),
    (4, "PERSIST <any>"),
    (4, "RENAME <any> <any>"),
    (3, "RENAMENX <any> <any>"),
    (5, "COPY <any> <any> &( [ DB <db> ] [ REPLACE ] )"),
    (3, "MOVE <any> <db>"),
    (3, "KEYS <pattern>"),
    (1, "RANDOMKEY"),
    (2, "SCAN <cursor> &( [ MATCH <pattern> ] [ COUNT <count> ] [ TYPE <type> ] )"),
    (1, "SCAN 0 [ COUNT 0 | COUNT x | MATCH | TYPE | FOO 1 ]"),
    (3, "DBSIZE"),
    (3, "SELECT <db>"),
    (2, "SELECT 0"),
    (1, "SWAPDB <db> <db>"),
    (3, "OBJECT ENCODING <any>"),
    (1, "OBJECT REFCOUNT <any>"),
    (1, "OBJECT IDLETIME <any>"),
    (1, "OBJECT FREQ <any>"),
    (1, "OBJECT { HELP | FOO | FREQ }"),
    (3, "SORT <list-key> [ ASC | DESC ] [ ALPHA ]"),
    (4, "SORT <any> &( [ ALPHA ] [ DESC ] [ LIMIT <index> <count> ] )"),
    (
        4,
        "SORT <list-key> BY <sort-by> &( [ ALPHA ] [ DESC ] [ LIMIT <small> \
         <small> ] [ GET <sort-get> ] )",
    ),
    (3, "SORT <list-key> ( GET <sort-get> )+"),
    (3, "SORT <set-key> BY <sort-by> [ GET <sort-get> ]"),
    (2, "SORT <zset-key> BY <sort-by> [ DESC ] [ LIMIT <index> <count> ]"),
    (4, "SORT <any> &( [ ALPHA ] [ DESC ] [ BY <sort-by> ] ) STORE <any>"),
    (2, "SORT <list-key> ( GET <sort-get> )+ STORE <list-key>"),
    (3, "SORT_RO <any> &( [ ALPHA ] [ DESC ] [ BY <sort-by> ] [ LIMIT <index> <count> ] )"),
    (1, "SORT_RO <any> STORE <any>"),
    (1, "GETEX <text-key> EXAT <timestamp>"),
    (2, "SET <text-key> <value> KEEPTTL"),
    (1, "SINTERSTORE <set-key> <set-key>"),
    (1, "ZUNIONSTORE <zset-key> 1 <zset-key>"),
    (2, "GET <any>"),
    (2, "INCR <any>"),
    (2, "LPOP <any> <count>"),
    (2, "HDEL <any> ( <field> )+"),
    (1, "FLUSHDB [ ASYNC | SYNC | NOW ]"),
    (1, "FLUSHALL [ ASYNC | SYNC | NOW ]"),
    (2, "SREM <any> ( <small> )+"),
];

/// A key of each type with an expiry that passes, then commands on it.
fn expiring(generator: &mut Generator) -> Vec<Step> {
    let key = ["s0", "x0", "x1"][generator.rng().below(3)];
    let make: &[&str] = match generator.rng().below(5) {
        0 => &["RPUSH", key, "1", "2"],
        1 => &["HSET", key, "f0", "1"],
        2 => &["SADD", key, "1", "m1"],
        3 => &["ZADD", key, "1", "m1"],
        _ => &["SET", key, "10"],
    };
    let after: &[&str] = match generator.rng().below(9) {
        0 => &["GET", key],
        1 => &["INCR", key],
        2 => &["EXISTS", key],
        3 => &["PERSIST", key],
        4 => &["RENAME", key, "x2"],
        5 => &["SETNX", key, "new"],
        6 => &["TTL", key],
        7 => &["COPY", key, "x2", "REPLACE"],
        _ => &["SADD", key, "m2"],
    };
    let steps: [&[&str]; 4] = [&["DEL", key], make, &["PEXPIRE", key, "1"], after];
    let [clear, make, expire, after] = steps.map(|words| Step::Send(Command::words(words)));
    let look = Step::Send(Command::words(&["EXISTS", key]));
    vec![clear, make, expire, Step::Pause(4), after, look]
}
