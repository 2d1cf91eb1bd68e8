//! Every error a client can see, once, with its exact text.

use std::borrow::Cow;
use std::fmt;

/// An error reply. Its text starts with a code word (`ERR`, `WRONGTYPE`, …) as clients expect. It
/// may quote what a client sent, so it is bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CmdError(Cow<'static, [u8]>);

impl CmdError {
    /// An error with a fixed text.
    #[must_use]
    pub const fn new(text: &'static str) -> Self {
        CmdError(Cow::Borrowed(text.as_bytes()))
    }

    /// An error whose text was put together.
    #[must_use]
    pub fn owned(text: String) -> Self {
        CmdError(Cow::Owned(text.into_bytes()))
    }

    /// An error whose text was put together from what a client sent.
    #[must_use]
    pub fn from_bytes(text: Vec<u8>) -> Self {
        CmdError(Cow::Owned(text))
    }

    /// An error that quotes a word of the client between two texts. As in Redis, a zero byte ends
    /// the quotation.
    #[must_use]
    pub fn quoting(before: &str, word: &[u8], after: &str) -> Self {
        CmdError(Cow::Owned([before.as_bytes(), until_zero(word), after.as_bytes()].concat()))
    }

    /// The text, code word first.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The code word.
    #[must_use]
    pub fn code(&self) -> &str {
        let word = self.0.split(|&byte| byte == b' ').next().unwrap_or_default();
        std::str::from_utf8(word).unwrap_or("ERR")
    }
}

/// The part of a word that a C string would show.
#[must_use]
pub fn until_zero(word: &[u8]) -> &[u8] {
    word.split(|&byte| byte == 0).next().unwrap_or_default()
}

impl fmt::Display for CmdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.0))
    }
}

impl std::error::Error for CmdError {}

macro_rules! errors {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        $($(#[$doc])* pub const $name: CmdError = CmdError::new($text);)*
        /// Every fixed error text, for the reference.
        pub const ALL: &[&str] = &[$($text),*];
    };
}

errors! {
    /// The key holds another type.
    WRONG_TYPE = "WRONGTYPE Operation against a key holding the wrong kind of value";
    /// The user may not do this to one of the keys.
    NO_PERMISSION_FOR_KEY =
        "NOPERM this user has no permissions to access one of the keys used as arguments";
    /// The user may not use one of the channels.
    NO_PERMISSION_FOR_CHANNEL =
        "NOPERM this user has no permissions to access one of the channels used as arguments";
    /// Arguments do not fit the grammar.
    SYNTAX = "ERR syntax error";
    /// Not a signed 64-bit integer.
    NOT_INTEGER = "ERR value is not an integer or out of range";
    /// Not a double.
    NOT_FLOAT = "ERR value is not a valid float";
    /// A score bound is not a double.
    MIN_MAX_NOT_FLOAT = "ERR min or max is not a float";
    /// A lexicographic bound is malformed.
    MIN_MAX_NOT_STRING = "ERR min or max not valid string range item";
    /// INCR and friends left the range of 64 bits.
    OVERFLOW = "ERR increment or decrement would overflow";
    /// DECRBY of the smallest integer.
    DECR_OVERFLOW = "ERR decrement would overflow";
    /// A sum of doubles is NaN or infinite.
    NAN_OR_INFINITY = "ERR increment would produce NaN or Infinity";
    /// A score became NaN.
    SCORE_NAN = "ERR resulting score is not a number (NaN)";
    /// ZADD: contradicting options.
    ZADD_XX_NX = "ERR XX and NX options at the same time are not compatible";
    /// ZADD: contradicting options.
    ZADD_GT_LT_NX = "ERR GT, LT, and/or NX options at the same time are not compatible";
    /// ZADD INCR takes one member.
    ZADD_INCR_PAIRS = "ERR INCR option supports a single increment-element pair";
    /// LIMIT of a range by rank.
    ZRANGE_LIMIT =
        "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX";
    /// Scores of a range by member.
    ZRANGE_LEX_SCORES =
        "ERR syntax error, WITHSCORES not supported in combination with BYLEX";
    /// A weight is not a double.
    WEIGHT_NOT_FLOAT = "ERR weight value is not a float";
    /// LIMIT of a cardinality is not a count.
    LIMIT_NEGATIVE = "ERR LIMIT can't be negative";
    /// Range queries are switched off.
    NO_RANGE_INDEX = "ERR range queries are disabled: range-index is set to no";
    /// The ordered index was given up again and again while it was asked.
    RANGE_INDEX_BUSY = "TRYAGAIN the ordered index is being rebuilt";
    /// LIMIT of a range of keys must be positive.
    RANGE_LIMIT = "ERR LIMIT should be greater than 0";
    /// A cursor that no walk has answered.
    INVALID_CURSOR = "ERR invalid cursor";
    /// COUNT must be positive.
    COUNT = "ERR count should be greater than 0";
    /// The hash value is not an integer.
    HASH_NOT_INTEGER = "ERR hash value is not an integer";
    /// The hash value is not a double.
    HASH_NOT_FLOAT = "ERR hash value is not a float";
    /// The key does not exist.
    NO_SUCH_KEY = "ERR no such key";
    /// A list index is outside.
    INDEX_OUT_OF_RANGE = "ERR index out of range";
    /// A numeric option is outside.
    OUT_OF_RANGE = "ERR value is out of range";
    /// A count must be positive.
    MUST_BE_POSITIVE = "ERR value is out of range, must be positive";
    /// A string would pass `proto-max-bulk-len`.
    STRING_TOO_LONG = "ERR string exceeds maximum allowed size (proto-max-bulk-len)";
    /// A negative offset.
    OFFSET_OUT_OF_RANGE = "ERR offset is out of range";
    /// No such database.
    DB_OUT_OF_RANGE = "ERR DB index is out of range";
    /// Source and destination are the same.
    SAME_OBJECT = "ERR source and destination objects are the same";
    /// Too little memory for a write.
    OOM = "OOM command not allowed when used memory > 'maxmemory'.";
    /// A reply that would be longer than replies may be.
    REPLY_TOO_LONG = "ERR the reply would be longer than max-reply-size or the output buffer limit";
    /// What other threads are to do is more than may wait for them; it passes by itself.
    CROWDED = "ERR too many requests wait for the disk or for other servers; try again when some \
        of them have been answered";
    /// Queries that wait for a thread are as many as may.
    QUERIES_CROWDED = "ERR too many queries wait for their turn; try again when some of them have \
        been answered";
    /// Versions of values keep more than they may: none is added until some have gone.
    VERSIONS_FULL = "ERR queries keep more of what was changed behind them than query-kept-memory \
        or maxmemory has room for; try again when some of them have ended";
    /// A query that has kept too much, and is the oldest of those that do.
    QUERY_GIVEN_UP = "ERR the query was given up: more was changed behind it and others than \
        query-kept-memory or maxmemory has room for";
    /// A query inside a transaction, or one that was served, that others have ended.
    QUERY_KILLED = "ERR the query was ended: by SCRIPT KILL or GRAPH.KILL, or as its client has \
        gone";
    /// A statement that others have ended, whose client waits for it.
    STATEMENT_KILLED = "ERR the statement was ended by GRAPH.KILL";
    /// A query that ends with the server.
    QUERY_STOPPED = "ERR the query was ended: the server is shutting down";
    /// A statement names a file, and there is no folder for such.
    NO_IMPORTS = "ERR no files are read: the directive 'graph-import-folder' is not set";
    /// Scripts and functions are switched off.
    NO_SCRIPTING = "ERR scripting is turned off by the directive 'scripting'";
    /// Not authenticated.
    NO_AUTH = "NOAUTH Authentication required.";
    /// Wrong password.
    WRONG_PASS = "WRONGPASS invalid username-password pair or user is disabled.";
    /// EXEC after an error while queueing.
    EXEC_ABORT = "EXECABORT Transaction discarded because of previous errors.";
    /// An unsupported protocol version.
    NO_PROTO = "NOPROTO unsupported protocol version";
    /// `numkeys` must be positive.
    NUMKEYS = "ERR numkeys should be greater than 0";
    /// More keys announced than given.
    NUMKEYS_TOO_MANY = "ERR Number of keys can't be greater than number of args";
    /// A timeout is negative.
    TIMEOUT_NEGATIVE = "ERR timeout is negative";
    /// A timeout is not a number.
    TIMEOUT_NOT_FLOAT = "ERR timeout is not a float or out of range";
    /// A number does not fit the 32 bits of a database index.
    NOT_INT32 = "ERR value is out of range, value must between -2147483648 and 2147483647";
    /// A command failed inside in a way we did not foresee; its connection goes on.
    INTERNAL = "ERR internal error: the command was stopped; please report it";
}

/// Whether an error says that there is no room now: it passes when others have ended.
#[must_use]
pub fn is_crowd(error: &[u8]) -> bool {
    let crowds = [CROWDED, QUERIES_CROWDED, VERSIONS_FULL, QUERY_GIVEN_UP];
    crowds.iter().any(|crowd| crowd.bytes() == error)
}

/// `ERR wrong number of arguments for 'name' command`.
#[must_use]
pub fn wrong_arity(name: &str) -> CmdError {
    CmdError::owned(format!("ERR wrong number of arguments for '{name}' command"))
}

/// `ERR invalid expire time in 'name' command`.
#[must_use]
pub fn invalid_expire(name: &str) -> CmdError {
    CmdError::owned(format!("ERR invalid expire time in '{name}' command"))
}

/// `ERR at least 1 input key is needed for 'name' command`.
#[must_use]
pub fn no_input_keys(name: &str) -> CmdError {
    CmdError::owned(format!("ERR at least 1 input key is needed for '{name}' command"))
}
