//! Scans of keys, page by page: all keys without order, or those of a range in order.
//!
//! Between the steps of a scan only its position is kept, and no step takes long: between two of
//! them other calls run, and the scan ends if its client is gone.
//!
//! Order is that of the ordered index: a step of a range costs what it finds, however many keys
//! there are beside it.

use std::ops::Bound;

use bytes::Bytes;
use smallvec::SmallVec;
use tonic::Status;

use crate::caller::Caller;
use crate::reply::{Item, Reader};
use crate::status;

/// Keys whose values are fetched at a time.
const VALUES: usize = 16;

/// Which keys.
#[derive(Clone, Debug)]
pub struct Select {
    /// Of this database.
    pub db: u32,
    /// That match this glob; empty is all.
    pub pattern: Vec<u8>,
    /// Of this type; empty is any.
    pub kind: String,
}

/// Where a walk is.
#[derive(Clone, Debug)]
pub enum ScanPosition {
    /// At a cursor; `0` is the start.
    At(Bytes),
    /// At its end.
    End,
}

impl ScanPosition {
    /// Before the first key.
    pub fn start() -> Self {
        ScanPosition::At(Bytes::from_static(b"0"))
    }
}

/// Takes one step of a scan: hands each key to `each`, and says where the next step begins.
///
/// # Errors
/// As the command's.
pub async fn step(
    caller: &Caller,
    select: &Select,
    (at, count): (&[u8], usize),
    each: impl FnMut(&[u8]),
) -> Result<ScanPosition, Status> {
    let count = count.to_string();
    let mut argv: SmallVec<[&[u8]; 8]> = SmallVec::new();
    argv.extend([b"SCAN".as_slice(), at, b"COUNT", count.as_bytes()]);
    if !select.pattern.is_empty() {
        argv.extend([b"MATCH".as_slice(), &select.pattern]);
    }
    if !select.kind.is_empty() {
        argv.extend([b"TYPE".as_slice(), select.kind.as_bytes()]);
    }
    caller.ask(select.db, &argv, |reply| page(reply, each)).await
}

/// Reads the cursor of the next page, and the keys of this one.
fn page(reply: &[u8], mut each: impl FnMut(&[u8])) -> Result<ScanPosition, Status> {
    let mut reader = Reader::new(reply);
    let (Item::List(2), Item::Blob(next)) = (reader.item()?, reader.item()?) else {
        return Err(status::broken());
    };
    let Item::List(count) = reader.item()? else { return Err(status::broken()) };
    for _ in 0..count {
        let Item::Blob(key) = reader.item()? else { return Err(status::broken()) };
        each(key);
    }
    Ok(if next == b"0" {
        ScanPosition::End
    } else {
        ScanPosition::At(Bytes::copy_from_slice(next))
    })
}

/// What the keys of a range have in common.
#[derive(Clone, Debug)]
pub enum Span {
    /// They lie between these, the smallest first.
    Between(Bound<Bytes>, Bound<Bytes>),
    /// They begin so.
    Prefix(Bytes),
}

/// Keys in order.
#[derive(Clone, Debug)]
pub struct Range {
    /// Of this database.
    pub db: u32,
    /// Which.
    pub span: Span,
    /// Of this type; empty is any.
    pub kind: String,
    /// From the greatest down.
    pub reverse: bool,
}

impl Range {
    /// Takes one step: hands no more than `count` keys to `each`, and says where the next begins.
    /// There may be fewer of them, or none, and still a next step.
    ///
    /// # Errors
    /// As the command's.
    pub async fn step(
        &self,
        caller: &Caller,
        (at, count): (&[u8], usize),
        each: impl FnMut(&[u8]),
    ) -> Result<ScanPosition, Status> {
        let (first, last);
        let count = count.to_string();
        let mut argv: SmallVec<[&[u8]; 12]> = SmallVec::new();
        match &self.span {
            Span::Prefix(prefix) => argv.extend([b"PREFIX".as_slice(), prefix]),
            Span::Between(low, high) => {
                let (low, high) = (edge(low, b"-"), edge(high, b"+"));
                // The bounds stand in the order in which the keys come.
                (first, last) = if self.reverse { (high, low) } else { (low, high) };
                argv.extend([b"RANGE".as_slice(), &first, &last]);
            }
        }
        if self.reverse {
            argv.push(b"REV");
        }
        if !self.kind.is_empty() {
            argv.extend([b"TYPE".as_slice(), self.kind.as_bytes()]);
        }
        argv.extend([b"LIMIT".as_slice(), count.as_bytes(), b"CURSOR", at]);
        caller.ask(self.db, &argv, |reply| page(reply, each)).await
    }
}

/// A bound as commands take it; `open` is what says that there is none.
fn edge(bound: &Bound<Bytes>, open: &[u8]) -> Vec<u8> {
    match bound {
        Bound::Included(key) => [b"[", &key[..]].concat(),
        Bound::Excluded(key) => [b"(", &key[..]].concat(),
        Bound::Unbounded => open.to_vec(),
    }
}

/// The strings at some keys: none where there is something else, or nothing.
///
/// # Errors
/// As the command's.
pub async fn values(
    caller: &Caller,
    db: u32,
    keys: &[Bytes],
) -> Result<Vec<Option<Bytes>>, Status> {
    let mut values = Vec::with_capacity(keys.len());
    for some in keys.chunks(VALUES) {
        let mut argv: SmallVec<[&[u8]; VALUES]> = SmallVec::new();
        argv.push(b"MGET");
        argv.extend(some.iter().map(|key| &key[..]));
        caller.ask(db, &argv, |reply| blobs(reply, &mut values)).await?;
    }
    Ok(values)
}

/// Reads a list of bytes or nothing.
///
/// # Errors
/// The reply is something else.
pub fn blobs(reply: &[u8], into: &mut Vec<Option<Bytes>>) -> Result<(), Status> {
    let mut reader = Reader::new(reply);
    let Item::List(count) = reader.item()? else { return Err(status::broken()) };
    for _ in 0..count {
        into.push(match reader.item()? {
            Item::Blob(bytes) => Some(Bytes::copy_from_slice(bytes)),
            Item::Null => None,
            _ => return Err(status::broken()),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_as_commands_take_them() {
        let key = || Bytes::from_static(b"-\0");
        assert_eq!(edge(&Bound::Included(key()), b"-"), b"[-\0");
        assert_eq!(edge(&Bound::Excluded(key()), b"+"), b"(-\0");
        assert_eq!(edge(&Bound::Unbounded, b"+"), b"+");
    }

    #[test]
    fn pages_are_a_cursor_and_keys() {
        let mut keys = Vec::new();
        let reply = b"*2\r\n$3\r\naab\r\n*2\r\n$1\r\na\r\n$1\r\nb\r\n";
        let next = page(reply, |key| keys.extend_from_slice(key)).expect("a page");
        assert!(matches!(next, ScanPosition::At(at) if &at[..] == b"aab") && keys == b"ab");
        let end = page(b"*2\r\n$1\r\n0\r\n*0\r\n", |_| ()).expect("the last");
        assert!(matches!(end, ScanPosition::End));
        for bad in ["", "*1\r\n", "*2\r\n:1\r\n*0\r\n", "*2\r\n$1\r\n0\r\n*1\r\n:1\r\n"] {
            assert!(page(bad.as_bytes(), |_| ()).is_err(), "{bad}");
        }
    }
}
