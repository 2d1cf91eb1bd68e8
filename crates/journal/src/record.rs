//! A record: one change of one shard.
//!
//! ```text
//!   0      4    5       7      13
//!   | len  |what| shard | seq  | db, if it is not 0 | body ...
//! ```
//!
//! `len` counts the whole record; where it is all ones, eight bytes behind the head tell the length
//! instead, and count too. `what` is its kind and whether a database follows. `seq` numbers
//! the records of a shard, from 1 on, without gaps as long as the journal is on; it orders records
//! of a shard that different threads wrote, and tells those a snapshot holds already from those it
//! does not. Six bytes are enough for a million a second for nine years, of one shard. All numbers
//! are little-endian.
//!
//! What is written most is told shortest: every byte passes through the caches of the thread that
//! serves clients.
//!
//! A record concerns exactly one shard, and so all shards can be replayed side by side. What one
//! transaction did to several shards are several records in the same frame: a frame is there as a
//! whole or not at all. A large value that goes from one key to another is told by the two names: a
//! record for each of the two shards, which name each other. The replayer of the one waits for the
//! other. So it is with a command that stores a large value which it makes of keys of several
//! shards: its record and a barrier in each of the other shards name each other.
//!
//! Records of segments of version 1 are put into this form when they are read.

use crate::codec::{Malformed, Source, put_bytes, put_number, u16_at, u32_at, u64_at};

/// Bytes before the database or the body.
pub const HEADER: usize = 13;
/// With the kind: a database follows the head.
const DATABASE: u8 = 0x80;
/// In place of a length: it is told behind the head, in eight bytes.
const LONG: u32 = u32::MAX;
/// The head of version 1: `len` 4, kind 1, a zero, shard 2, seq 8, database 4.
const HEADER_1: usize = 20;

/// What a record says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Run this command: a number of words and the words. Its one key is in the shard.
    Command = 1,
    /// The key is now as the image in the body says, whatever it was.
    Image = 2,
    /// The key in the body is gone.
    Delete = 3,
    /// The shard's part of the database is empty.
    Flush = 4,
    /// The shard's part of every database is empty.
    FlushAll = 5,
    /// The shard's parts of two databases changed places: `db` and the number in the body.
    Swap = 6,
    /// Libraries of functions have come or gone, as the body says. They belong to no key; what
    /// happens to them is told among the records of shard 0.
    Libraries = 7,
    /// `SET` with a key and a value and nothing else: the key as a byte string, then the value.
    Set = 8,
    /// What the key holds goes to another one, or is copied there: a [`Half`].
    From = 9,
    /// The key now holds what another one held, or holds: a [`Half`].
    To = 10,
    /// Run this command, which reads keys of several shards and stores a large value in this one:
    /// [`Derived`].
    Derived = 11,
    /// Such a command reads keys of this shard now: the [`RecordId`] of its record.
    Barrier = 12,
    /// Secondary indexes have come, gone or changed, as the body says: as [`Kind::Libraries`].
    Indexes = 13,
}

impl Kind {
    fn of(byte: u8) -> Option<Self> {
        Some(match byte {
            1 => Kind::Command,
            2 => Kind::Image,
            3 => Kind::Delete,
            4 => Kind::Flush,
            5 => Kind::FlushAll,
            6 => Kind::Swap,
            7 => Kind::Libraries,
            8 => Kind::Set,
            9 => Kind::From,
            10 => Kind::To,
            11 => Kind::Derived,
            12 => Kind::Barrier,
            13 => Kind::Indexes,
            _ => return None,
        })
    }
}

impl Kind {
    /// Whether such a record is applied together with those of other shards that it names.
    #[must_use]
    pub fn is_cross_shard(self) -> bool {
        matches!(self, Kind::From | Kind::To | Kind::Derived | Kind::Barrier)
    }
}

/// A record, read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// What it says.
    pub kind: Kind,
    /// The shard it changed, counted as when it was written.
    pub shard: u16,
    /// Its number among the records of the shard.
    pub seq: u64,
    /// The database.
    pub db: u32,
    /// The rest, by kind.
    pub body: &'a [u8],
}

/// What stands before the body of a record: its kind, shard, number and database.
pub type Head = (Kind, u16, u64, u32);

/// Appends a record whose body `write` appends.
#[inline]
pub fn put(out: &mut Vec<u8>, (kind, shard, seq, db): Head, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    let mut header = [0; HEADER];
    header[4] = kind as u8;
    header[5..7].copy_from_slice(&shard.to_le_bytes());
    header[7..13].copy_from_slice(&seq.to_le_bytes()[..6]);
    out.extend_from_slice(&header);
    if db != 0 {
        out[start + 4] |= DATABASE;
        out.extend_from_slice(&db.to_le_bytes());
    }
    write(out);
    match u32::try_from(out.len() - start) {
        Ok(len) if len < LONG => out[start..start + 4].copy_from_slice(&len.to_le_bytes()),
        _ => put_long(out, start),
    }
}

/// Makes room for a length of eight bytes: a value has become that large.
#[cold]
fn put_long(out: &mut Vec<u8>, start: usize) {
    let len = (out.len() - start + 8) as u64;
    out[start..start + 4].copy_from_slice(&LONG.to_le_bytes());
    out.splice(start + HEADER..start + HEADER, len.to_le_bytes());
}

/// Appends a [`Kind::Set`] of this shard, number and database: as [`put`] would, but everything
/// before the key is made ready in one place, as no record is written more often.
#[inline]
pub fn put_set(out: &mut Vec<u8>, head: (u16, u64, u32), key: &[u8], value: &[u8]) {
    put_set_below(LONG, out, head, (key, value));
}

/// A record of `long` bytes or more has its length in eight bytes.
#[inline]
fn put_set_below(
    long: u32,
    out: &mut Vec<u8>,
    (shard, seq, db): (u16, u64, u32),
    (key, value): (&[u8], &[u8]),
) {
    // The head, a database, the length of the key in at most ten bytes.
    let mut head = [0; HEADER + 4 + 10];
    head[4] = Kind::Set as u8;
    head[5..7].copy_from_slice(&shard.to_le_bytes());
    // Its upper two bytes are zeros and are written over.
    head[7..15].copy_from_slice(&seq.to_le_bytes());
    let mut at = HEADER;
    if db != 0 {
        head[4] |= DATABASE;
        head[at..at + 4].copy_from_slice(&db.to_le_bytes());
        at += 4;
    }
    let mut rest = key.len();
    while rest >= 0x80 {
        // Truncation to the low seven bits is the point.
        head[at] = (rest & 0x7f) as u8 | 0x80;
        rest >>= 7;
        at += 1;
    }
    head[at] = rest as u8;
    at += 1;
    let len = at + key.len() + value.len();
    let short = u32::try_from(len).unwrap_or(LONG);
    head[..4].copy_from_slice(&short.to_le_bytes());
    let start = out.len();
    out.reserve(len);
    out.extend_from_slice(&head[..at]);
    out.extend_from_slice(key);
    out.extend_from_slice(value);
    if short >= long {
        put_long(out, start);
    }
}

/// The key and the value of a [`Kind::Set`].
///
/// # Errors
/// The body is not that of one.
pub fn set(body: &[u8]) -> Result<(&[u8], &[u8]), Malformed> {
    let mut source = Source::new(body);
    let key = source.bytes()?;
    Ok((key, source.rest()))
}

/// One side of a value's way from one key to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Half<'a> {
    /// The first key keeps it.
    pub stays: bool,
    /// The shard of the other key.
    pub shard: u16,
    /// The number of the record of the other side, in that shard.
    pub seq: u64,
    /// The key of this side.
    pub key: &'a [u8],
}

impl<'a> Half<'a> {
    /// Appends it as a body.
    pub fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(self.stays));
        out.extend_from_slice(&self.shard.to_le_bytes());
        out.extend_from_slice(&self.seq.to_le_bytes());
        out.extend_from_slice(self.key);
    }

    /// Reads a body.
    ///
    /// # Errors
    /// The body is not that of one.
    pub fn of(body: &'a [u8]) -> Result<Self, Malformed> {
        let (head, key) = body.split_at_checked(11).ok_or(Malformed("half a move ends early"))?;
        let stays = match head[0] {
            0 => false,
            1 => true,
            _ => return Err(Malformed("half a move that is none")),
        };
        Ok(Half { stays, shard: u16_at(head, 1), seq: u64_at(head, 3), key })
    }
}

/// Where a record stands that another one is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordId {
    /// Its shard.
    pub shard: u16,
    /// Its number there.
    pub seq: u64,
}

impl RecordId {
    const LEN: usize = 10;

    /// Appends it.
    pub fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.shard.to_le_bytes());
        out.extend_from_slice(&self.seq.to_le_bytes());
    }

    /// Reads a body.
    ///
    /// # Errors
    /// The body is not that of one.
    pub fn of(body: &[u8]) -> Result<Self, Malformed> {
        match body.len() {
            Self::LEN => Ok(RecordId { shard: u16_at(body, 0), seq: u64_at(body, 2) }),
            _ => Err(Malformed("a barrier that is none")),
        }
    }
}

/// A command that reads keys of several shards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derived<'a> {
    /// What tells the moment in every other shard of which it reads keys.
    pub barriers: Vec<RecordId>,
    /// Its words.
    pub words: Vec<&'a [u8]>,
}

impl<'a> Derived<'a> {
    /// Appends it as a body.
    pub fn put(&self, out: &mut Vec<u8>) {
        put_number(out, self.barriers.len() as u64);
        self.barriers.iter().for_each(|barrier| barrier.put(out));
        put_words(out, self.words.iter().copied());
    }

    /// Reads a body.
    ///
    /// # Errors
    /// The body is not that of one.
    pub fn of(body: &'a [u8]) -> Result<Self, Malformed> {
        let mut source = Source::new(body);
        let mut barriers = Vec::new();
        for _ in 0..source.length()? {
            barriers.push(RecordId::of(source.take(RecordId::LEN)?)?);
        }
        let mut derived = Derived { barriers, words: Vec::new() };
        words(source.rest(), &mut derived.words)?;
        Ok(derived)
    }
}

/// Appends the body of a command.
#[inline]
pub fn put_words<'a>(out: &mut Vec<u8>, words: impl ExactSizeIterator<Item = &'a [u8]>) {
    put_number(out, words.len() as u64);
    for word in words {
        put_bytes(out, word);
    }
}

/// Appends the words of a command.
///
/// # Errors
/// The body is not that of a command.
pub fn words<'a>(body: &'a [u8], into: &mut Vec<&'a [u8]>) -> Result<(), Malformed> {
    let mut source = Source::new(body);
    let count = source.length()?;
    for _ in 0..count {
        into.push(source.bytes()?);
    }
    if source.is_done() && count > 0 { Ok(()) } else { Err(Malformed("not a command")) }
}

/// Takes the first record off the front of `bytes`; `None` at the end.
///
/// # Errors
/// There is something else.
pub fn next<'a>(bytes: &mut &'a [u8]) -> Result<Option<Record<'a>>, Malformed> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let (whole, rest) = split(bytes, true)?;
    let (head, mut body) =
        whole.split_at_checked(HEADER).ok_or(Malformed("a record is shorter than its head"))?;
    if u32_at(head, 0) == LONG {
        body = body.get(8..).ok_or(Malformed("a record is shorter than its head"))?;
    }
    let kind = Kind::of(head[4] & !DATABASE).ok_or(Malformed("a record of unknown kind"))?;
    let seq = u64::from(u32_at(head, 7)) | u64::from(u16_at(head, 11)) << 32;
    let mut db = 0;
    if head[4] & DATABASE != 0 {
        let (number, behind) =
            body.split_at_checked(4).ok_or(Malformed("a record is shorter than its head"))?;
        (db, body) = (u32_at(number, 0), behind);
    }
    let shard = u16_at(head, 5);
    *bytes = rest;
    Ok(Some(Record { kind, shard, seq, db, body }))
}

/// A record, which tells its length first, and what is behind it.
#[inline]
fn split(bytes: &[u8], may_be_long: bool) -> Result<(&[u8], &[u8]), Malformed> {
    let early = Malformed("a record ends early");
    let (len, _) = bytes.split_at_checked(4).ok_or(early)?;
    let len = match u32_at(len, 0) {
        LONG if may_be_long => u64_at(bytes.get(HEADER..HEADER + 8).ok_or(early)?, 0),
        len => u64::from(len),
    };
    let len = usize::try_from(len).unwrap_or(usize::MAX);
    bytes.split_at_checked(len).filter(|_| len >= HEADER).ok_or(early)
}

/// Puts the records of a frame of version 1 into today's form, behind `out`.
///
/// # Errors
/// There is something else.
pub fn renew(mut frame: &[u8], out: &mut Vec<u8>) -> Result<(), Malformed> {
    while !frame.is_empty() {
        let (whole, rest) = split(frame, false)?;
        let (head, body) = whole
            .split_at_checked(HEADER_1)
            .ok_or(Malformed("a record is shorter than its head"))?;
        let kind = Kind::of(head[4]).filter(|&kind| kind != Kind::Set);
        let kind = kind.ok_or(Malformed("a record of unknown kind"))?;
        let (shard, seq, db) = (u16_at(head, 6), u64_at(head, 8), u32_at(head, 16));
        put(out, (kind, shard, seq, db), |out| out.extend_from_slice(body));
        frame = rest;
    }
    Ok(())
}

/// Where the records of a frame stand: in the frame the write buffers of several threads stand one
/// behind the other. Kept from frame to frame, so that its memory is.
#[derive(Debug, Default)]
pub struct Order {
    /// Shard, number, offset.
    places: Vec<(u16, u64, u64)>,
    /// There are some among them that name others.
    names: bool,
}

impl Order {
    /// Looks for the records of `frame` that `wanted` takes, in place of those of the last one.
    ///
    /// # Errors
    /// There is something else.
    pub fn read(
        &mut self,
        frame: &[u8],
        wanted: impl Fn(&Record<'_>) -> bool,
    ) -> Result<(), Malformed> {
        self.places.clear();
        self.names = false;
        let mut rest = frame;
        loop {
            let offset = (frame.len() - rest.len()) as u64;
            let Some(record) = next(&mut rest)? else { break };
            self.names |= record.kind.is_cross_shard();
            if wanted(&record) {
                self.places.push((record.shard, record.seq, offset));
            }
        }
        self.places.sort_unstable();
        Ok(())
    }

    /// Whether the frame, whether they were wanted or not, has records that name others.
    #[must_use]
    pub fn has_names(&self) -> bool {
        self.names
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The records of that frame, shard by shard, each shard's in the order in which they happened.
    pub fn records<'a>(&self, frame: &'a [u8]) -> impl Iterator<Item = Record<'a>> {
        self.places.iter().filter_map(move |&(_, _, offset)| {
            let mut rest = frame.get(usize::try_from(offset).ok()?..)?;
            next(&mut rest).ok().flatten()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back() {
        let mut out = Vec::new();
        put(&mut out, (Kind::Command, 7, 1 << 40, 3), |out| {
            put_words(out, [&b"SET"[..], b"k", b""].into_iter());
        });
        put(&mut out, (Kind::Delete, 1023, 2, 0), |out| out.extend_from_slice(b"key"));
        let mut rest = out.as_slice();
        let first = next(&mut rest).unwrap().unwrap();
        assert_eq!((first.kind, first.shard, first.seq, first.db), (Kind::Command, 7, 1 << 40, 3));
        let mut found = Vec::new();
        words(first.body, &mut found).unwrap();
        assert_eq!(found, [&b"SET"[..], b"k", b""]);
        let second = next(&mut rest).unwrap().unwrap();
        assert_eq!((second.kind, second.body), (Kind::Delete, &b"key"[..]));
        assert_eq!(next(&mut rest), Ok(None));
    }

    #[test]
    fn halves_come_back() {
        for stays in [false, true] {
            let half = Half { stays, shard: 700, seq: 1 << 40, key: b"key" };
            let mut body = Vec::new();
            half.put(&mut body);
            assert_eq!(Half::of(&body), Ok(half));
            assert!(Half::of(&body[..10]).is_err());
            body[0] = 2;
            assert!(Half::of(&body).is_err());
        }
    }

    #[test]
    fn derived_records_come_back() {
        let barriers = vec![RecordId { shard: 3, seq: 9 }, RecordId { shard: 1023, seq: 1 << 40 }];
        for barriers in [Vec::new(), barriers] {
            let derived = Derived { barriers, words: vec![b"sunionstore", b"a", b"b"] };
            let mut body = Vec::new();
            derived.put(&mut body);
            assert_eq!(Derived::of(&body), Ok(derived));
            for len in 0..body.len() {
                assert!(Derived::of(&body[..len]).is_err());
            }
        }
        assert!(Derived::of(&[255, 255, 255, 255, 15, 1]).is_err(), "nothing is reserved");
        let mut body = Vec::new();
        RecordId { shard: 7, seq: 5 }.put(&mut body);
        assert_eq!(RecordId::of(&body), Ok(RecordId { shard: 7, seq: 5 }));
        assert!(RecordId::of(&body[1..]).is_err());
    }

    #[test]
    fn long_records_come_back() {
        let mut out = Vec::new();
        put(&mut out, (Kind::Delete, 7, 5, 3), |out| out.extend_from_slice(b"key"));
        let plain = out.clone();
        // As if it had been too long.
        put_long(&mut out, 0);
        assert_eq!(out.len(), plain.len() + 8);
        out.extend_from_slice(&plain);
        let mut rest = out.as_slice();
        let (long, short) = (next(&mut rest).unwrap().unwrap(), next(&mut rest).unwrap().unwrap());
        assert_eq!((long, next(&mut rest)), (short, Ok(None)));
        for len in 1..plain.len() + 8 {
            assert!(next(&mut &out[..len]).is_err());
        }
    }

    #[test]
    fn long_strings_come_back() {
        for db in [0, 3] {
            let (mut out, mut plain) = (b"before".to_vec(), Vec::new());
            // As if twenty bytes were too long.
            put_set_below(20, &mut out, (7, 5, db), (b"key", b"a value"));
            put_set(&mut plain, (7, 5, db), b"key", b"a value");
            assert_eq!(out.len(), 6 + plain.len() + 8);
            assert_eq!(next(&mut &out[6..]), next(&mut plain.as_slice()));
            let mut short = Vec::new();
            put_set_below(plain.len() as u32 + 1, &mut short, (7, 5, db), (b"key", b"a value"));
            assert_eq!(short, plain);
        }
    }

    /// As long as a client may send one where `proto-max-bulk-len` is raised.
    #[test]
    #[ignore = "takes 8 GiB"]
    fn a_string_of_four_gigabytes_comes_back() {
        let (mut out, value) = (Vec::new(), vec![0; 1 << 32]);
        put_set(&mut out, (7, 5, 0), b"key", &value);
        let found = next(&mut out.as_slice()).unwrap().unwrap();
        let (key, found) = set(found.body).unwrap();
        assert!(key == b"key" && found.len() == value.len());
    }

    #[test]
    fn cut_records_are_refused() {
        let mut out = Vec::new();
        put(&mut out, (Kind::Delete, 1, 2, 0), |out| out.extend_from_slice(b"key"));
        for len in 1..out.len() {
            assert!(next(&mut &out[..len]).is_err());
        }
        assert!(words(&[200, 1], &mut Vec::new()).is_err());
        out[4] = 99;
        assert!(next(&mut out.as_slice()).is_err());
        assert!(set(&[3, b'k']).is_err());
        assert!(renew(&out, &mut Vec::new()).is_err());
    }

    #[test]
    fn a_string_is_told_in_few_bytes() {
        let mut out = Vec::new();
        put_set(&mut out, (1023, (1 << 48) - 1, 0), b"key", b"value");
        assert_eq!(out.len(), 13 + 1 + 3 + 5);
        let found = next(&mut out.as_slice()).unwrap().unwrap();
        assert_eq!((found.shard, found.seq, found.db), (1023, (1 << 48) - 1, 0));
        assert_eq!(set(found.body), Ok((&b"key"[..], &b"value"[..])));
        for (db, len) in [(0, 0), (0, 127), (9, 128), (u32::MAX, 70_000)] {
            let key = vec![b'k'; len];
            let (mut made, mut expected) = (Vec::new(), Vec::new());
            put_set(&mut made, (5, 77, db), &key, b"value");
            put(&mut expected, (Kind::Set, 5, 77, db), |out| {
                put_bytes(out, &key);
                out.extend_from_slice(b"value");
            });
            assert_eq!(made, expected);
        }
    }

    #[test]
    fn records_of_version_1_are_renewed() {
        let mut old = Vec::new();
        for (kind, shard, seq, db, body) in [(3_u8, 7_u8, 9_u8, 2_u8, "key"), (4, 1, 2, 0, "")] {
            let len = u8::try_from(HEADER_1 + body.len()).unwrap();
            old.extend_from_slice(&[len, 0, 0, 0, kind, 0, shard, 0]);
            old.extend_from_slice(&[seq, 0, 0, 0, 0, 0, 0, 0, db, 0, 0, 0]);
            old.extend_from_slice(body.as_bytes());
        }
        let mut new = Vec::new();
        renew(&old, &mut new).unwrap();
        let mut rest = new.as_slice();
        let first = next(&mut rest).unwrap().unwrap();
        assert_eq!((first.kind, first.shard, first.seq, first.db), (Kind::Delete, 7, 9, 2));
        assert_eq!(first.body, b"key");
        let second = next(&mut rest).unwrap().unwrap();
        assert_eq!((second.kind, second.shard, second.seq, second.db), (Kind::Flush, 1, 2, 0));
        assert_eq!(next(&mut rest), Ok(None));
        for len in 1..old.len() {
            assert!(renew(&old[..len], &mut Vec::new()).is_err() || len == HEADER_1 + 3);
        }
    }
}
