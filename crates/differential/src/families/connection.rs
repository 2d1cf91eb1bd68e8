//! The connection and what the server says about itself: PING, HELLO, CLIENT, COMMAND, CONFIG GET,
//! unknown commands.
//!
//! HELLO changes the protocol in the middle of a pipeline on purpose. Commands that silence or end
//! a connection stay out; malformed bytes are the `wire` family's.

use super::Family;
use crate::pools::KeyKind;

/// The family.
pub const FAMILY: Family =
    Family { name: "connection", home: KeyKind::Text, forms: &FORMS, scenario: None };

const FORMS: [(usize, &str); 62] = [
    (5, "PING"),
    (5, "PING <value>"),
    (1, "PING <value> <value>"),
    (5, "ECHO <value>"),
    (4, "SELECT <db>"),
    (2, "SELECT 0"),
    (3, "HELLO 2"),
    (3, "HELLO 3"),
    (1, "HELLO"),
    (2, "HELLO { 1 | 4 | x | 3 | 2 } [ SETNAME <text> ] [ AUTH default <text> ]"),
    (1, "HELLO 3 [ SETNAME | AUTH default | AUTH nobody secret | FOO ]"),
    (2, "HELLO { 2 | 3 } SETNAME tester"),
    (1, "RESET"),
    (2, "CLIENT ID"),
    (3, "CLIENT GETNAME"),
    (3, "CLIENT SETNAME <text>"),
    (2, "CLIENT SETNAME { a | b | tester }"),
    (2, "CLIENT INFO"),
    (1, "CLIENT LIST [ TYPE { normal | pubsub | FOO } ]"),
    (1, "CLIENT LIST ID { 999999 | x | 0 }"),
    (1, "CLIENT { GETREDIR | TRACKINGINFO | HELP | FOO | UNPAUSE }"),
    (1, "CLIENT NO-EVICT { ON | OFF | FOO }"),
    (1, "CLIENT UNBLOCK { 999999 | x } [ TIMEOUT | ERROR | FOO ]"),
    (1, "CLIENT CACHING { YES | NO | FOO }"),
    (1, "CLIENT"),
    (2, "AUTH <text>"),
    (1, "AUTH { default | nobody } <text>"),
    (1, "AUTH a b c"),
    (1, "CLIENT LIST TYPE <text>"),
    (1, "CONFIG SET { <text> | timeout } <text>"),
    (1, "LATENCY GRAPH <text>"),
    (1, "OBJECT <text>"),
    (1, "XINFO <text>"),
    (1, "HELLO 3 <text>"),
    (1, "COMMAND COUNT"),
    (2, "COMMAND GETKEYS SET <key> <value>"),
    (2, "COMMAND GETKEYS MSET ( <key> <value> )+"),
    (
        2,
        "COMMAND GETKEYS { ZUNION | ZINTER | ZDIFF | SINTERCARD | LMPOP } \
         <numkeys> { LEFT | WITHSCORES }",
    ),
    (1, "COMMAND GETKEYS { ZUNIONSTORE | ZINTERSTORE } <key> <numkeys>"),
    (1, "COMMAND GETKEYS SORT <key> BY <sort-by> GET <sort-get> [ STORE <key> ]"),
    (1, "COMMAND GETKEYS { PING | NOSUCH <key> | GET | GET <key> <key> | GET }"),
    (
        1,
        "COMMAND GETKEYS { BLPOP <key> <key> 0 | BLMPOP 0 <numkeys> LEFT | LMOVE \
         <key> <key> LEFT LEFT }",
    ),
    (1, "COMMAND GETKEYS EVAL <text> <numkeys> <value>"),
    (
        2,
        "COMMAND GETKEYSANDFLAGS { SET <key> <value> GET | SORT <key> STORE <key> \
         | COPY <key> <key> }",
    ),
    (
        1,
        "COMMAND GETKEYSANDFLAGS { ZUNIONSTORE <key> <numkeys> | LMPOP <numkeys> \
         LEFT | DEL <key> <key> }",
    ),
    (
        4,
        "COMMAND INFO { get | SET | getex | setex | mset | msetnx | append | \
         incrbyfloat | lcs | substr | getdel | setrange }",
    ),
    (
        4,
        "COMMAND INFO { del | expire | sort | sort_ro | object | object|encoding | \
         copy | scan | keys | touch | rename | wait | nosuch }",
    ),
    (
        4,
        "COMMAND INFO { hset | hrandfield | hscan | lpush | blmpop | lmove | \
         linsert | sadd | spop | sintercard | smismember }",
    ),
    (
        4,
        "COMMAND INFO { zadd | zrange | zrangestore | zunion | zmpop | bzpopmin | \
         multi | exec | watch | ping | hello | client | command | select | auth | \
         info }",
    ),
    (1, "COMMAND INFO { client|list | client|setname | config|get | command|getkeys | get|x }"),
    (
        1,
        "COMMAND LIST FILTERBY { PATTERN z* | PATTERN <pattern> | ACLCAT hash | \
         ACLCAT foo | MODULE none | FOO x }",
    ),
    (1, "COMMAND { FOO | HELP | GETKEYS | LIST x }"),
    (
        1,
        "COMMAND DOCS { get | set | zadd | hset | lpush | sort | expire | ping | \
         nosuch | xadd | lmpop }",
    ),
    (
        1,
        "CONFIG GET { maxmemory | databases | appendonly | nosuch | \
         hash-max-listpack-* | *intset* }",
    ),
    (
        1,
        "CONFIG GET { proto-max-bulk-len | list-max-* | zset-max-ziplist-entries } \
         [ timeout ]",
    ),
    (1, "CONFIG { FOO | HELP | GET }"),
    (2, "NOSUCHCOMMAND ( <value> )+"),
    (1, "NOSUCHCOMMAND ( <text> )!"),
    (1, "<text>"),
    (1, "TIME"),
    (1, "LASTSAVE"),
    (2, "DBSIZE"),
];
