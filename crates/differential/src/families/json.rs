//! Documents: every command of RedisJSON that Kvist has, on paths of both dialects.
//!
//! A redis-server knows them from a module alone: see [`super::WITH_MODULE`].

use super::Family;
use crate::pools::KeyKind;

/// The family.
pub const FAMILY: Family =
    Family { name: "json", home: KeyKind::Json, forms: &FORMS, scenario: None };

const FORMS: [(usize, &str); 44] = [
    (40, "JSON.SET <key> { $ | . } <json>"),
    (20, "JSON.SET <key> <path> <json>"),
    (
        6,
        "JSON.SET <key> <path> <json> &( [ NX | XX ] [ CREATE ] [ FORMAT { JSON | STRING | x } ] )",
    ),
    (3, "JSON.SET <key> { $ | <path> } <json> { EX <seconds> | PX <milliseconds> | KEEPTTL }"),
    (2, "JSON.SET <key> $ <json> { EXAT <timestamp> | PXAT <timestamp-ms> | EX }"),
    (2, "JSON.SET <key> $ <json> FPHA { BF16 | FP16 | FP32 | FP64 | x }"),
    (6, "JSON.MSET ( <key> { $ | <path> } <json> )+"),
    (1, "JSON.MSET <key> $ <json> <key>"),
    (8, "JSON.MERGE <key> { $ | <path> } <json>"),
    (30, "JSON.GET <key>"),
    (20, "JSON.GET <key> <path>"),
    (
        6,
        "JSON.GET <key> &( [ INDENT <small> ] [ NEWLINE n ] [ SPACE s ] [ NOESCAPE ] ) ( <path> )+",
    ),
    (4, "JSON.GET <key> FORMAT { STRING | EXPAND | EXPAND1 | x } ( <path> )+"),
    (8, "JSON.MGET ( <key> )+ <path>"),
    (6, "JSON.RESP <key> [ <path> ]"),
    (10, "JSON.TYPE <key> [ <path> ]"),
    (6, "JSON.DEL <key> [ <path> ]"),
    (3, "JSON.FORGET <key> <path>"),
    (6, "JSON.CLEAR <key> [ <path> ]"),
    (8, "JSON.TOGGLE <key> <path>"),
    (10, "JSON.NUMINCRBY <key> <path> { <small> | <float> | <int> }"),
    (4, "JSON.NUMMULTBY <key> <path> { <small> | <float> | <int> }"),
    (3, "JSON.NUMPOWBY <key> <path> { <small> | <float> }"),
    (6, "JSON.STRAPPEND <key> [ <path> ] { <json> | \"x\" }"),
    (6, "JSON.STRLEN <key> [ <path> ]"),
    (10, "JSON.ARRAPPEND <key> <path> ( <json> )+"),
    (6, "JSON.ARRINDEX <key> <path> <json> [ <index> | <index> <index> ]"),
    (8, "JSON.ARRINSERT <key> <path> <index> ( <json> )+"),
    (6, "JSON.ARRLEN <key> [ <path> ]"),
    (8, "JSON.ARRPOP <key> [ <path> | <path> <index> ]"),
    (2, "JSON.ARRPOP <key> FORMAT { STRINGS | EXPAND | EXPAND1 } <path> [ <index> ]"),
    (6, "JSON.ARRTRIM <key> <path> <index> <index>"),
    (6, "JSON.OBJKEYS <key> [ <path> ]"),
    (6, "JSON.OBJLEN <key> [ <path> ]"),
    (3, "JSON.DEBUG { MEMORY | memory | FOO } <key> [ <path> ]"),
    (1, "JSON.DEBUG { HELP | DEFRAG_INFO }"),
    (3, "SET <any> <value>"),
    (3, "DEL <key>"),
    (3, "COPY <key> <key> [ REPLACE ]"),
    (2, "RENAME <key> <key>"),
    (2, "PEXPIRE <key> <milliseconds>"),
    (2, "PTTL <key>"),
    (4, "DUMP <key>"),
    (2, "OBJECT ENCODING <key>"),
];
