//! Lists: both ends, positions, moving, and the blocking forms (which here never wait longer than
//! 10 ms: no other client pushes).

use super::Family;
use crate::pools::KeyKind;

/// The family.
pub const FAMILY: Family =
    Family { name: "lists", home: KeyKind::List, forms: &FORMS, scenario: None };

const FORMS: [(usize, &str); 50] = [
    (8, "LPUSH <key> ( <member> )!"),
    (8, "RPUSH <key> ( <member> )!"),
    (3, "RPUSH <key> ( <value> )!"),
    (3, "RPUSH <key> ( <small> )+"),
    (3, "LPUSHX <key> ( <member> )+"),
    (3, "RPUSHX <key> ( <member> )+"),
    (5, "LPOP <key>"),
    (5, "RPOP <key>"),
    (4, "LPOP <key> <count>"),
    (4, "RPOP <key> <count>"),
    (4, "LLEN <key>"),
    (8, "LRANGE <key> <index> <index>"),
    (2, "LRANGE <key> 0 -1"),
    (5, "LINDEX <key> <index>"),
    (5, "LSET <key> <index> <value>"),
    (5, "LREM <key> <index> <member>"),
    (2, "LREM <key> <count> <small>"),
    (4, "LTRIM <key> <index> <index>"),
    (5, "LINSERT <key> { BEFORE | AFTER | after | BETWEEN } <member> <value>"),
    (2, "LINSERT <key> { BEFORE | AFTER } <small> <member>"),
    (7, "LPOS <key> <member> &( [ RANK <index> ] [ COUNT <count> ] [ MAXLEN <count> ] )"),
    (3, "LPOS <key> <small> &( [ RANK <index> ] [ COUNT <count> ] [ MAXLEN <count> ] )"),
    (1, "LPOS <key> <member> RANK"),
    (4, "RPOPLPUSH <key> <key>"),
    (6, "LMOVE <key> <key> { LEFT | RIGHT | left | UP } { LEFT | RIGHT | right }"),
    (5, "LMPOP <numkeys> { LEFT | RIGHT | left | FOO } [ COUNT <count> ]"),
    (1, "LMPOP <numkeys> LEFT COUNT 1 COUNT 2"),
    (1, "LMPOP <numkeys> LEFT COUNT"),
    (2, "BLPOP ( <key> )+ <timeout>"),
    (2, "BRPOP ( <key> )+ <timeout>"),
    (1, "BRPOPLPUSH <key> <key> <timeout>"),
    (1, "BLMOVE <key> <key> { LEFT | RIGHT } { LEFT | RIGHT | FOO } <timeout>"),
    (2, "BLMPOP <timeout> <numkeys> { LEFT | RIGHT | FOO } [ COUNT <count> ]"),
    (3, "SORT <key> [ ASC | DESC ] [ ALPHA ]"),
    (2, "SORT <key> ALPHA [ DESC ] LIMIT <index> <count>"),
    (1, "SORT <key> LIMIT <small> <small> STORE <key>"),
    (1, "SORT <key> BY <sort-by> ( GET <sort-get> )+"),
    (2, "OBJECT ENCODING <key>"),
    (4, "DEL <key>"),
    (1, "EXPIRE <key> <seconds>"),
    (1, "PERSIST <key>"),
    (1, "TTL <key>"),
    (2, "TYPE <key>"),
    (1, "EXISTS <key> <key>"),
    (2, "SET <any> <value>"),
    (1, "HSET <any> <field> <value>"),
    (1, "ZADD <any> <score> <member>"),
    (1, "SADD <any> <member>"),
    (1, "COPY <key> <key> [ REPLACE ]"),
    (1, "RENAME <key> <key>"),
];
