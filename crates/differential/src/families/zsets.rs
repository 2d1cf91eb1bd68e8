//! Sorted sets: every option of ZADD, all forms of ZRANGE, the algebra with weights, scores at the
//! limits of a double.

use super::Family;
use crate::pools::KeyKind;

/// The family.
pub const FAMILY: Family =
    Family { name: "zsets", home: KeyKind::Zset, forms: &FORMS, scenario: None };

const FORMS: [(usize, &str); 72] = [
    (12, "ZADD <key> ( <score> <member> )!"),
    (8, "ZADD <key> &( [ NX | XX ] [ GT | LT ] [ CH ] ) ( <score> <member> )+"),
    (4, "ZADD <key> &( [ NX | XX ] [ GT | LT ] [ CH ] [ INCR ] ) <score> <member>"),
    (2, "ZADD <key> [ NX ] [ XX ] [ GT ] [ LT ] [ INCR ] ( <score> <member> )+"),
    (1, "ZADD <key> ( <score> <member> )+ <score>"),
    (9, "ZADD <key> ( 0 <member> )!"),
    (1, "ZUNIONSTORE <key> 1 <key> WEIGHTS 0"),
    (6, "ZINCRBY <key> <score> <member>"),
    (2, "ZINCRBY <key> <float> <member>"),
    (5, "ZSCORE <key> <member>"),
    (4, "ZMSCORE <key> ( <member> )+"),
    (4, "ZCARD <key>"),
    (4, "ZRANK <key> <member>"),
    (4, "ZREVRANK <key> <member>"),
    (4, "ZCOUNT <key> <score-bound> <score-bound>"),
    (4, "ZLEXCOUNT <key> <lex-bound> <lex-bound>"),
    (5, "ZREM <key> ( <member> )!"),
    (2, "ZREMRANGEBYRANK <key> <index> <index>"),
    (2, "ZREMRANGEBYSCORE <key> <score-bound> <score-bound>"),
    (2, "ZREMRANGEBYLEX <key> <lex-bound> <lex-bound>"),
    (5, "ZRANGE <key> <index> <index> [ WITHSCORES ]"),
    (2, "ZRANGE <key> 0 -1 WITHSCORES"),
    (4, "ZRANGE <key> <index> <index> &( [ REV ] [ WITHSCORES ] )"),
    (
        6,
        "ZRANGE <key> <score-bound> <score-bound> &( BYSCORE [ REV ] [ LIMIT \
         <index> <index> ] [ WITHSCORES ] )",
    ),
    (6, "ZRANGE <key> <lex-bound> <lex-bound> &( BYLEX [ REV ] [ LIMIT <index> <index> ] )"),
    (2, "ZRANGE <key> <lex-bound> <lex-bound> BYLEX [ WITHSCORES ] [ BYSCORE ]"),
    (1, "ZRANGE <key> <index> <index> LIMIT <small> <small>"),
    (
        5,
        "ZRANGEBYSCORE <key> <score-bound> <score-bound> &( [ WITHSCORES ] [ LIMIT \
         <index> <index> ] )",
    ),
    (
        4,
        "ZREVRANGEBYSCORE <key> <score-bound> <score-bound> &( [ WITHSCORES ] [ \
         LIMIT <index> <index> ] )",
    ),
    (4, "ZRANGEBYLEX <key> <lex-bound> <lex-bound> [ LIMIT <index> <index> ]"),
    (4, "ZREVRANGEBYLEX <key> <lex-bound> <lex-bound> [ LIMIT <index> <index> ]"),
    (4, "ZREVRANGE <key> <index> <index> [ WITHSCORES ]"),
    (3, "ZRANGESTORE <key> <key> <index> <index> [ REV ]"),
    (
        3,
        "ZRANGESTORE <key> <key> <score-bound> <score-bound> &( BYSCORE [ REV ] [ \
         LIMIT <index> <index> ] )",
    ),
    (
        3,
        "ZRANGESTORE <key> <key> <lex-bound> <lex-bound> &( BYLEX [ REV ] [ LIMIT \
         <index> <index> ] )",
    ),
    (1, "ZRANGESTORE <key> <key> <index> <index> [ WITHSCORES | LIMIT 0 1 ]"),
    (
        5,
        "ZUNION <numkeys> &( [ WEIGHTS <weights> ] [ AGGREGATE { SUM | MIN | MAX | \
         min | AVG } ] [ WITHSCORES ] )",
    ),
    (
        5,
        "ZINTER <numkeys> &( [ WEIGHTS <weights> ] [ AGGREGATE { SUM | MIN | MAX | \
         AVG } ] [ WITHSCORES ] )",
    ),
    (4, "ZDIFF <numkeys> [ WITHSCORES | WEIGHTS <weights> ]"),
    (
        4,
        "ZUNIONSTORE <key> <numkeys> &( [ WEIGHTS <weights> ] [ AGGREGATE { SUM | \
         MIN | MAX } ] )",
    ),
    (
        4,
        "ZINTERSTORE <key> <numkeys> &( [ WEIGHTS <weights> ] [ AGGREGATE { SUM | \
         MIN | MAX } ] )",
    ),
    (3, "ZDIFFSTORE <key> <numkeys> [ WITHSCORES ]"),
    (2, "ZUNION 2 <key> <set-key> [ WITHSCORES ]"),
    (2, "ZINTER 2 <set-key> <key> [ WITHSCORES ]"),
    (4, "ZINTERCARD <numkeys> [ LIMIT <count> ]"),
    (4, "ZPOPMIN <key> [ <count> ]"),
    (4, "ZPOPMAX <key> [ <count> ]"),
    (4, "ZMPOP <numkeys> { MIN | MAX | min | FOO } [ COUNT <count> ]"),
    (1, "ZMPOP <numkeys> MIN COUNT 1 COUNT 2"),
    (1, "BZPOPMIN ( <key> )+ <timeout>"),
    (1, "BZPOPMAX ( <key> )+ <timeout>"),
    (1, "BZMPOP <timeout> <numkeys> { MIN | MAX } [ COUNT <count> ]"),
    (1, "ZRANDMEMBER <key>"),
    (2, "ZRANDMEMBER <key> <random-count> [ WITHSCORES ]"),
    (2, "ZSCAN <key> <cursor> &( [ MATCH <pattern> ] [ COUNT <count> ] )"),
    (2, "SORT <key> [ ASC | DESC ] [ ALPHA ]"),
    (2, "SORT <key> BY nosort [ DESC ] [ LIMIT <index> <count> ]"),
    (3, "OBJECT ENCODING <key>"),
    (3, "DEL <key>"),
    (1, "EXPIRE <key> <seconds>"),
    (1, "PERSIST <key>"),
    (1, "TTL <key>"),
    (2, "TYPE <key>"),
    (4, "SADD <set-key> ( <member> )+"),
    (2, "SET <any> <value>"),
    (1, "HSET <any> <field> <value>"),
    (1, "RPUSH <any> <value>"),
    (1, "SUNIONSTORE <set-key> <key> <set-key>"),
    (1, "COPY <key> <key> [ REPLACE ]"),
    (1, "RENAME <key> <key>"),
    (1, "UNLINK <key>"),
    (1, "ZADD <key> <float> <member>"),
];
