//! Reads RESP2 and RESP3 frames into a tree, keeping the bytes they came as.
//!
//! This reader is the tester's own and shares nothing with the server's parser: an error made twice
//! would not be seen. It must never repair what it reads; a frame that is not RESP is an error.

use std::io::{self, BufRead, Read};

/// A value as the server sent it. `kind` is always the type byte of the frame.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// `+ - : , # (` and the RESP3 null `_`: one line.
    Line {
        /// The type byte.
        kind: u8,
        /// The text of the line.
        text: Vec<u8>,
    },
    /// `$ = !`: a counted body.
    Bulk {
        /// The type byte.
        kind: u8,
        /// The body.
        body: Vec<u8>,
    },
    /// `$-1` and `*-1`.
    Nil {
        /// The type byte.
        kind: u8,
    },
    /// `* ~ > %`: a counted sequence; a map is its keys and values in turn.
    Many {
        /// The type byte.
        kind: u8,
        /// The elements.
        items: Vec<Value>,
    },
}

/// One reply with its exact bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The tree.
    pub value: Value,
    /// The bytes it was read from.
    pub raw: Vec<u8>,
}

impl Value {
    /// The text of an error reply.
    #[must_use]
    pub fn error(&self) -> Option<&[u8]> {
        match self {
            Self::Line { kind: b'-', text } => Some(text),
            Self::Bulk { kind: b'!', body } => Some(body),
            _ => None,
        }
    }

    /// The number of an integer reply.
    #[must_use]
    pub fn integer(&self) -> Option<i64> {
        match self {
            Self::Line { kind: b':', text } => std::str::from_utf8(text).ok()?.parse().ok(),
            _ => None,
        }
    }

    /// The elements of an array, set, map or push.
    #[must_use]
    pub fn items(&self) -> Option<&[Value]> {
        match self {
            Self::Many { items, .. } => Some(items),
            _ => None,
        }
    }

    /// The bytes of a leaf: a line's text or a bulk's body.
    #[must_use]
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Line { text, .. } => Some(text),
            Self::Bulk { body, .. } => Some(body),
            _ => None,
        }
    }

    /// All leaves, left to right.
    #[must_use]
    pub fn leaves(&self) -> Vec<Vec<u8>> {
        match self {
            Self::Many { items, .. } => items.iter().flat_map(Value::leaves).collect(),
            Self::Nil { .. } => vec![],
            leaf => leaf.bytes().map(<[u8]>::to_vec).into_iter().collect(),
        }
    }

    /// Whether this is the status line `text`.
    #[must_use]
    pub fn is_status(&self, wanted: &[u8]) -> bool {
        matches!(self, Self::Line { kind: b'+', text } if text == wanted)
    }

    /// Appends the value's RESP form.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Line { kind, text } => {
                out.push(*kind);
                out.extend_from_slice(text);
            }
            Self::Bulk { kind, body } => {
                out.push(*kind);
                out.extend_from_slice(format!("{}\r\n", body.len()).as_bytes());
                out.extend_from_slice(body);
            }
            Self::Nil { kind } => out.extend_from_slice(&[*kind, b'-', b'1']),
            Self::Many { kind, items } => {
                let count = if *kind == b'%' { items.len() / 2 } else { items.len() };
                out.push(*kind);
                out.extend_from_slice(format!("{count}\r\n").as_bytes());
                for item in items {
                    item.encode(out);
                }
                return;
            }
        }
        out.extend_from_slice(b"\r\n");
    }
}

/// Reads one frame.
///
/// # Errors
/// Whatever the stream gives; `UnexpectedEof` when it ends inside a frame; `InvalidData` when the
/// bytes are not RESP.
pub fn read_reply(stream: &mut impl BufRead) -> io::Result<Reply> {
    let mut raw = Vec::new();
    let value = read_value(stream, &mut raw, 0)?;
    Ok(Reply { value, raw })
}

fn bad(what: &str, raw: &[u8]) -> io::Error {
    let tail = &raw[raw.len().saturating_sub(60)..];
    io::Error::new(io::ErrorKind::InvalidData, format!("{what} at …{}", tail.escape_ascii()))
}

fn read_line(stream: &mut impl BufRead, raw: &mut Vec<u8>) -> io::Result<Vec<u8>> {
    let start = raw.len();
    loop {
        let got = stream.read_until(b'\n', raw)?;
        if got == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if raw.ends_with(b"\r\n") {
            return Ok(raw[start..raw.len() - 2].to_vec());
        }
    }
}

fn read_value(stream: &mut impl BufRead, raw: &mut Vec<u8>, depth: usize) -> io::Result<Value> {
    if depth > 32 {
        return Err(bad("nested too deep", raw));
    }
    let line = read_line(stream, raw)?;
    let Some((&kind, rest)) = line.split_first() else {
        return Err(bad("empty line instead of a frame", raw));
    };
    if b"+-:,#(_".contains(&kind) {
        return Ok(Value::Line { kind, text: rest.to_vec() });
    }
    if !b"$=!*~>%".contains(&kind) {
        return Err(bad("no RESP type byte", raw));
    }
    if rest == b"-1" {
        return Ok(Value::Nil { kind });
    }
    let count: usize = std::str::from_utf8(rest)
        .ok()
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| bad("bad length", raw))?;
    if b"$=!".contains(&kind) {
        return read_body(stream, raw, kind, count);
    }
    let count = if kind == b'%' { count.saturating_mul(2) } else { count };
    let mut items = Vec::with_capacity(count.min(1024));
    for _ in 0..count {
        items.push(read_value(stream, raw, depth + 1)?);
    }
    Ok(Value::Many { kind, items })
}

fn read_body(
    stream: &mut impl BufRead,
    raw: &mut Vec<u8>,
    kind: u8,
    count: usize,
) -> io::Result<Value> {
    let start = raw.len();
    let wanted = count + 2;
    let limit = u64::try_from(wanted).unwrap_or(u64::MAX);
    if stream.by_ref().take(limit).read_to_end(raw)? < wanted {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    if !raw.ends_with(b"\r\n") {
        return Err(bad("body without its line end", raw));
    }
    Ok(Value::Bulk { kind, body: raw[start..start + count].to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> io::Result<Reply> {
        read_reply(&mut io::Cursor::new(bytes))
    }

    #[test]
    fn frames_come_back_as_they_were() {
        for frame in [
            "+OK\r\n",
            "-ERR no\r\n",
            ":-12\r\n",
            "$-1\r\n",
            "*-1\r\n",
            "_\r\n",
            ",inf\r\n",
            "#t\r\n",
            "$0\r\n\r\n",
            "$5\r\na\r\nb \r\n",
            "*2\r\n$1\r\na\r\n*1\r\n:1\r\n",
            "%1\r\n$1\r\na\r\n~2\r\n+x\r\n+y\r\n",
            "=6\r\ntxt:hi\r\n",
        ] {
            let reply = read(frame.as_bytes()).unwrap();
            let mut again = Vec::new();
            reply.value.encode(&mut again);
            assert_eq!(reply.raw, frame.as_bytes());
            assert_eq!(again, frame.as_bytes());
        }
    }

    #[test]
    fn what_is_not_resp_is_refused() {
        assert_eq!(read(b"hello\r\n").unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert_eq!(read(b"$x\r\n").unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert_eq!(read(b"$3\r\nabcde").unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert_eq!(read(b"$9\r\nabc").unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert_eq!(read(b"*2\r\n:1\r\n").unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }
}
