//! Hashes: all commands, batches over the listpack thresholds, floats to the last digit.

use super::Family;
use crate::pools::KeyKind;

/// The family.
pub const FAMILY: Family =
    Family { name: "hashes", home: KeyKind::Hash, forms: &FORMS, scenario: None };

const FORMS: [(usize, &str); 37] = [
    (14, "HSET <key> ( <field> <value> )!"),
    (2, "HSET <key> <field> <value> <field>"),
    (4, "HMSET <key> ( <field> <value> )!"),
    (4, "HSETNX <key> <field> <value>"),
    (8, "HGET <key> <field>"),
    (5, "HMGET <key> ( <field> )+"),
    (1, "HMGET <key> ( <field> )!"),
    (5, "HGETALL <key>"),
    (3, "HKEYS <key>"),
    (3, "HVALS <key>"),
    (4, "HLEN <key>"),
    (4, "HEXISTS <key> <field>"),
    (4, "HSTRLEN <key> <field>"),
    (5, "HDEL <key> ( <field> )!"),
    (6, "HINCRBY <key> <field> <int>"),
    (3, "HINCRBY <key> <field> <small>"),
    (6, "HINCRBYFLOAT <key> <field> <float>"),
    (3, "HINCRBYFLOAT <key> <field> <int>"),
    (3, "HSET <key> <field> <int>"),
    (3, "HSET <key> <field> <float>"),
    (1, "HRANDFIELD <key>"),
    (2, "HRANDFIELD <key> <random-count> [ WITHVALUES ]"),
    (1, "HRANDFIELD <key> <random-count> FOO"),
    (2, "HSCAN <key> <cursor> &( [ MATCH <pattern> ] [ COUNT <count> ] )"),
    (1, "HSCAN <key> 0 [ COUNT x | MATCH | NOVALUES | COUNT 0 ]"),
    (3, "OBJECT ENCODING <key>"),
    (3, "DEL <key>"),
    (2, "EXPIRE <key> <seconds>"),
    (1, "PERSIST <key>"),
    (2, "TTL <key>"),
    (2, "TYPE <key>"),
    (2, "SET <any> <value>"),
    (1, "LPUSH <any> <value>"),
    (1, "ZADD <any> <score> <member>"),
    (1, "COPY <key> <key> [ REPLACE ]"),
    (1, "RENAME <key> <key>"),
    (1, "SADD <any> <member>"),
];
