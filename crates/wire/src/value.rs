//! Replies as trees, for those who read them: the command line, benchmarks, tests.

use base::Reply;

use crate::encode;

/// A reply of RESP2 or RESP3, with every distinction the wire makes, so that writing it again
/// gives the same bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// `+text`
    Simple(Vec<u8>),
    /// `-text`
    Error(Vec<u8>),
    /// `:n`
    Int(i64),
    /// `$len`
    Bulk(Vec<u8>),
    /// `$-1`: a missing value in RESP2.
    NullBulk,
    /// `*-1`: a missing aggregate in RESP2.
    NullArray,
    /// `_`: anything missing in RESP3.
    Null,
    /// `*len`
    Array(Vec<Value>),
    /// `%len`, in the order received.
    Map(Vec<(Value, Value)>),
    /// `~len`, in the order received.
    Set(Vec<Value>),
    /// `>len`: a message out of band.
    Push(Vec<Value>),
    /// `,text`: a double, as it was written; see [`Value::as_f64`].
    Double(Vec<u8>),
    /// `#t` or `#f`
    Boolean(bool),
    /// `=len`: text with a format such as `txt` or `mkd`.
    Verbatim([u8; 3], Vec<u8>),
    /// `(digits`
    BigNumber(Vec<u8>),
    /// `!len`: an error that may span lines.
    BulkError(Vec<u8>),
    /// `|len`: facts about the reply that follows them.
    Attributed(Vec<(Value, Value)>, Box<Value>),
}

impl Value {
    /// The bytes of a string of any kind.
    #[must_use]
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Simple(text) | Self::Bulk(text) | Self::Verbatim(_, text) => Some(text),
            _ => None,
        }
    }

    /// The text of an error of either kind.
    #[must_use]
    pub fn as_error(&self) -> Option<&[u8]> {
        match self {
            Self::Error(text) | Self::BulkError(text) => Some(text),
            _ => None,
        }
    }

    /// An integer.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Int(n) => Some(*n),
            _ => None,
        }
    }

    /// A double, from RESP3's type or from the string that RESP2 has for it.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Double(text) | Self::Bulk(text) => {
                base::num::parse_f64(text).or_else(|| is_nan(text).then_some(f64::NAN))
            }
            _ => None,
        }
    }

    /// The elements of an array, set or push message.
    #[must_use]
    pub fn as_slice(&self) -> Option<&[Value]> {
        match self {
            Self::Array(items) | Self::Set(items) | Self::Push(items) => Some(items),
            _ => None,
        }
    }

    /// Whether nothing is there, in any protocol.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::NullBulk | Self::NullArray | Self::Null)
    }

    /// Writes the value as a reply of its own. What has no place in replies to commands (facts
    /// about a reply) is left out. Recurses as deep as the value is nested.
    pub fn write(&self, out: &mut dyn Reply) {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match self {
            Self::Simple(text) => out.simple_bytes(text),
            Self::Error(text) | Self::BulkError(text) => out.error_bytes(text),
            Self::Int(n) => out.int(*n),
            Self::Bulk(bytes) => out.bulk(bytes),
            Self::NullBulk | Self::Null => out.null(),
            Self::NullArray => out.null_array(),
            Self::Array(items) => {
                out.array(items.len());
                items.iter().for_each(|item| item.write(out));
            }
            Self::Set(items) => {
                out.set(items.len());
                items.iter().for_each(|item| item.write(out));
            }
            Self::Push(items) => {
                out.push(items.len());
                items.iter().for_each(|item| item.write(out));
            }
            Self::Map(pairs) => {
                out.map(pairs.len());
                for (key, value) in pairs {
                    key.write(out);
                    value.write(out);
                }
            }
            Self::Double(digits) => out.double_digits(&text(digits)),
            Self::Boolean(b) => out.boolean(*b),
            Self::Verbatim(format, bytes) => out.verbatim(&text(format), bytes),
            Self::BigNumber(digits) => out.big_number(&text(digits)),
            Self::Attributed(_, value) => value.write(out),
        }
    }

    /// Appends the value as it goes over the wire. Recurses as deep as the value is nested.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Simple(text) => encode::line(out, b'+', text),
            Self::Error(text) => encode::line(out, b'-', text),
            Self::Int(n) => encode::line(out, b':', itoa::Buffer::new().format(*n).as_bytes()),
            Self::Bulk(bytes) => encode::bulk(out, b'$', bytes),
            Self::NullBulk => out.extend_from_slice(b"$-1\r\n"),
            Self::NullArray => out.extend_from_slice(b"*-1\r\n"),
            Self::Null => out.extend_from_slice(b"_\r\n"),
            Self::Array(items) => aggregate(out, b'*', items),
            Self::Set(items) => aggregate(out, b'~', items),
            Self::Push(items) => aggregate(out, b'>', items),
            Self::Map(pairs) => mapping(out, b'%', pairs),
            Self::Double(text) => encode::line(out, b',', text),
            Self::Boolean(b) => encode::line(out, b'#', if *b { b"t" } else { b"f" }),
            Self::Verbatim([a, b, c], text) => {
                encode::bulk(out, b'=', &[&[*a, *b, *c, b':'], &text[..]].concat());
            }
            Self::BigNumber(digits) => encode::line(out, b'(', digits),
            Self::BulkError(text) => encode::bulk(out, b'!', text),
            Self::Attributed(facts, value) => {
                mapping(out, b'|', facts);
                value.encode(out);
            }
        }
    }
}

pub(crate) fn is_nan(text: &[u8]) -> bool {
    matches!(text, b"nan" | b"-nan")
}

fn aggregate(out: &mut Vec<u8>, mark: u8, items: &[Value]) {
    encode::header(out, mark, items.len());
    items.iter().for_each(|item| item.encode(out));
}

fn mapping(out: &mut Vec<u8>, mark: u8, pairs: &[(Value, Value)]) {
    encode::header(out, mark, pairs.len());
    for (key, value) in pairs {
        key.encode(out);
        value.encode(out);
    }
}
