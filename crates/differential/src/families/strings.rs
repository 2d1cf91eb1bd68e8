//! Strings: every option of SET and GETEX, counters at their limits, ranges, LCS.
//!
//! Nothing here may grow a string without bound; SETRANGE's large offsets are all over the limit.

use super::Family;
use crate::pools::KeyKind;

/// The family.
pub const FAMILY: Family =
    Family { name: "strings", home: KeyKind::Text, forms: &FORMS, scenario: None };

const FORMS: [(usize, &str); 47] = [
    (10, "SET <key> <value>"),
    (
        14,
        "SET <key> <value> &( [ NX | XX ] [ GET ] [ EX <seconds> | PX \
         <milliseconds> | EXAT <timestamp> | PXAT <timestamp-ms> | KEEPTTL ] )",
    ),
    (
        3,
        "SET <key> <value> [ NX | XX | GET ] [ KEEPTTL | NX ] [ EX <seconds> ] [ \
         PX <milliseconds> ]",
    ),
    (3, "SET <key> <small>"),
    (3, "SET <key> <int>"),
    (3, "SET <key> <float>"),
    (8, "GET <key>"),
    (3, "GETSET <key> <value>"),
    (3, "GETDEL <key>"),
    (
        6,
        "GETEX <key> [ EX <seconds> | PX <milliseconds> | EXAT <timestamp> | PXAT \
         <timestamp-ms> | PERSIST ]",
    ),
    (1, "GETEX <key> [ PERSIST | EX <seconds> ] [ PERSIST | PX <milliseconds> ]"),
    (4, "SETNX <key> <value>"),
    (3, "SETEX <key> <seconds> <value>"),
    (3, "PSETEX <key> <milliseconds> <value>"),
    (5, "MGET ( <any> )+"),
    (5, "MSET ( <key> <value> )+"),
    (4, "MSETNX ( <key> <value> )+"),
    (1, "MSETNX <any> <value> <any>"),
    (6, "APPEND <key> <value>"),
    (4, "APPEND <key> <text>"),
    (5, "STRLEN <key>"),
    (6, "INCR <key>"),
    (6, "DECR <key>"),
    (6, "INCRBY <key> <int>"),
    (6, "DECRBY <key> <int>"),
    (6, "INCRBYFLOAT <key> <float>"),
    (3, "INCRBYFLOAT <key> <int>"),
    (6, "GETRANGE <key> <index> <index>"),
    (3, "SUBSTR <key> <index> <index>"),
    (6, "SETRANGE <key> <offset> <text>"),
    (2, "SETRANGE <key> <offset> <value>"),
    (6, "LCS <key> <key> &( [ LEN | IDX | IDX ] [ WITHMATCHLEN ] [ MINMATCHLEN <count> ] )"),
    (1, "LCS <any> <any> LEN IDX"),
    (5, "DEL <key>"),
    (1, "UNLINK <any> <any>"),
    (3, "TYPE <key>"),
    (4, "OBJECT ENCODING <key>"),
    (2, "OBJECT REFCOUNT <key>"),
    (3, "TTL <key>"),
    (3, "PTTL <key>"),
    (2, "EXPIRETIME <key>"),
    (2, "PERSIST <key>"),
    (2, "EXPIRE <key> <seconds>"),
    (2, "RPUSH <any> <value>"),
    (2, "HSET <any> <field> <value>"),
    (2, "SADD <any> <value>"),
    (2, "ZADD <any> <score> <value>"),
];
