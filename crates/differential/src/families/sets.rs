//! Sets: intsets at their limit, the algebra and its STORE forms, random members.

use super::Family;
use crate::pools::KeyKind;

/// The family.
pub const FAMILY: Family =
    Family { name: "sets", home: KeyKind::Set, forms: &FORMS, scenario: None };

const FORMS: [(usize, &str); 44] = [
    (10, "SADD <key> ( <member> )!"),
    (6, "SADD <key> ( <small> )+"),
    (3, "SADD <key> ( <int> )+"),
    (3, "SADD <key> ( <value> )+"),
    (6, "SREM <key> ( <member> )!"),
    (3, "SREM <key> ( <small> )+"),
    (4, "SISMEMBER <key> <member>"),
    (4, "SMISMEMBER <key> ( <member> )+"),
    (3, "SISMEMBER <key> <int>"),
    (5, "SMEMBERS <key>"),
    (5, "SCARD <key>"),
    (5, "SMOVE <key> <key> <member>"),
    (2, "SMOVE <key> <key> <small>"),
    (5, "SINTER ( <key> )+"),
    (5, "SUNION ( <key> )+"),
    (5, "SDIFF ( <key> )+"),
    (4, "SINTERSTORE <key> ( <key> )+"),
    (4, "SUNIONSTORE <key> ( <key> )+"),
    (4, "SDIFFSTORE <key> ( <key> )+"),
    (5, "SINTERCARD <numkeys> [ LIMIT <count> ]"),
    (1, "SINTERCARD <numkeys> LIMIT"),
    (1, "SINTERCARD <numkeys> LIMIT 1 LIMIT 2"),
    (1, "SPOP <key>"),
    (1, "SPOP <key> <random-count>"),
    (1, "SRANDMEMBER <key>"),
    (2, "SRANDMEMBER <key> <random-count>"),
    (2, "SSCAN <key> <cursor> &( [ MATCH <pattern> ] [ COUNT <count> ] )"),
    (3, "SORT <key> [ ASC | DESC ] [ ALPHA ]"),
    (1, "SORT <key> BY nosort [ GET # ]"),
    (1, "SORT <key> [ ALPHA ] [ BY nosort ] STORE <key>"),
    (4, "OBJECT ENCODING <key>"),
    (3, "DEL <key>"),
    (1, "EXPIRE <key> <seconds>"),
    (1, "PERSIST <key>"),
    (1, "TTL <key>"),
    (2, "TYPE <key>"),
    (2, "SET <any> <value>"),
    (1, "HSET <any> <field> <value>"),
    (1, "RPUSH <any> <value>"),
    (1, "ZADD <any> <score> <member>"),
    (1, "COPY <key> <key> [ REPLACE ]"),
    (1, "RENAME <key> <key>"),
    (1, "RENAMENX <key> <key>"),
    (1, "UNLINK <key>"),
];
