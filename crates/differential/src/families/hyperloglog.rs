//! HyperLogLogs: their bytes after any sequence of changes, and damaged ones.

use super::Family;
use crate::pools::KeyKind;

/// The family.
pub const FAMILY: Family =
    Family { name: "hyperloglog", home: KeyKind::Text, forms: &FORMS, scenario: None };

const FORMS: [(usize, &str); 34] = [
    (14, "PFADD <key> ( <element> )!"),
    (10, "PFADD <key> ( <element> )+"),
    (4, "PFADD <key> <element>"),
    (2, "PFADD <key>"),
    (3, "PFADD <key> ( <value> )!"),
    (12, "PFCOUNT <key>"),
    (5, "PFCOUNT ( <key> )+"),
    (1, "PFCOUNT ( <any> )+"),
    (6, "PFMERGE <key> ( <key> )+"),
    (2, "PFMERGE <key>"),
    (1, "PFMERGE <any> <any>"),
    (3, "PFDEBUG { ENCODING | encoding } <key>"),
    (5, "PFDEBUG DECODE <key>"),
    (1, "PFDEBUG GETREG <key>"),
    (1, "PFDEBUG TODENSE <key>"),
    (1, "PFDEBUG <text> <any>"),
    (4, "GET <key>"),
    (4, "DUMP <key>"),
    (4, "STRLEN <key>"),
    (4, "OBJECT ENCODING <key>"),
    (8, "SET <key> <sketch>"),
    (2, "SETRANGE <key> { 0 | 3 | 4 | 5 | 8 | 14 | 15 } { 0 | M | y }"),
    (1, "APPEND <key> <small>"),
    (3, "CONFIG SET hll-sparse-max-bytes { 0 | 18 | 40 | 200 | 3000 | 3000 | 16000 | 16000 }"),
    (1, "CONFIG GET hll-sparse-max-bytes"),
    (4, "DEL <key>"),
    (2, "COPY <key> <key> REPLACE"),
    (1, "RENAME <key> <key>"),
    (1, "EXPIRE <key> <seconds>"),
    (1, "TTL <key>"),
    (2, "TYPE <key>"),
    (2, "RPUSH <any> <value>"),
    (1, "ZADD <any> <score> <value>"),
    (1, "INCR <any>"),
];
