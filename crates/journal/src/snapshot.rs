//! A snapshot: every entry, shard by shard, in table order.
//!
//! ```text
//!   | header 64 | block | block | ... | index | trailer 64 |
//!
//!   block:  0     4     8        12    16      18     20     24    32
//!           |begin| crc | stored | raw | shard | codec|  db  | 0   | bytes ...
//!   raw:    step, step, ...     a step:  end position, seq, number of entries, entries ...
//! ```
//!
//! A step is what was read under one lock: all entries of the shard's database from where the
//! step before it ended up to `end position`, as they were after record `seq` of the shard. So a
//! record of the journal is in the snapshot exactly if its `seq` is not above that of the step its
//! key falls into. Positions are those of the table, which never change.
//!
//! A damaged file is searched for whole blocks, among bytes that clients have chosen. So each file
//! has a secret, as segments of the journal have: see [`frame`](crate::frame).
//!
//! Without the trailer a file is no snapshot: it is written last, after everything before it has
//! been synced.

use std::io::{self, ErrorKind};
use std::sync::Arc;

use base::{HashFunction, Hashing};

use crate::codec::{Malformed, Source, put_number, u16_at, u32_at, u64_at};
use crate::disk::{Disk, DiskFile, Numbered};
use crate::frame::Secret;

const NAMES: Numbered = Numbered { before: "snapshot-", after: ".kvs" };
const MAGIC: &[u8; 8] = b"KVISTSNP";
const TRAILER: &[u8; 8] = b"KVISTEND";
/// The first bytes of blocks in files that have no secret.
const BLOCK: u32 = u32::from_le_bytes(*b"KvBl");
/// The version of the format that is written. Files of version 1 have no secret, and their keys are
/// hashed with known numbers; a reader refuses others.
pub const VERSION: u32 = 2;
pub(crate) const HEADER: u64 = 64;
const BLOCK_HEADER: usize = 32;
/// Longer blocks are stored as they are: LZ4 is made for shorter ones.
const LZ4_MOST: usize = 1 << 30;
/// Bytes gathered before they are written.
const BUFFER: usize = 1 << 20;

/// How the bytes of a block are stored.
const PLAIN: u16 = 0;
const LZ4: u16 = 1;

/// The name of a snapshot's file.
#[must_use]
pub fn name(number: u64) -> String {
    NAMES.name(number)
}

/// The number of the snapshot in the file of this name.
#[must_use]
pub fn number(name: &str) -> Option<u64> {
    NAMES.number(name)
}

/// What a snapshot says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The dataset it belongs to.
    pub id: [u8; 16],
    /// How keys are hashed.
    pub hashing: Hashing,
    /// The number of shards.
    pub shards: u32,
    /// When it was begun, in milliseconds since the Unix epoch.
    pub time: u64,
    /// What no data can know. Files of version 1 have none.
    pub secret: Secret,
}

impl Header {
    /// The version of the file's format.
    #[must_use]
    pub fn version(&self) -> u32 {
        let known = self.hashing.function == HashFunction::KnownNumbers;
        if known && self.secret == Secret::NONE { 1 } else { VERSION }
    }

    fn encode(&self) -> [u8; 64] {
        let mut bytes = [0; 64];
        bytes[0..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&self.version().to_le_bytes());
        bytes[16..32].copy_from_slice(&self.id);
        bytes[32..40].copy_from_slice(&self.hashing.seed.to_le_bytes());
        bytes[40..44].copy_from_slice(&self.shards.to_le_bytes());
        bytes[44..48].copy_from_slice(&self.hashing.function.number().to_le_bytes());
        bytes[48..56].copy_from_slice(&self.time.to_le_bytes());
        bytes[56..64].copy_from_slice(&self.secret.bits().to_le_bytes());
        let crc = crc32fast::hash(&bytes[16..]);
        bytes[12..16].copy_from_slice(&crc.to_le_bytes());
        bytes
    }
}

/// Where a block stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The shard.
    pub shard: u32,
    /// The database.
    pub db: u32,
    /// Where it begins in the file.
    pub offset: u64,
    /// Its length in the file.
    pub len: u64,
}

/// Writes a snapshot under a temporary name, and gives it its own when it is whole.
pub struct Writer {
    disk: Arc<dyn Disk>,
    file: Arc<dyn DiskFile>,
    name: String,
    secret: Secret,
    offset: u64,
    /// The file was longer once: what was written behind the end was taken back.
    longest: u64,
    buffer: Vec<u8>,
    index: Vec<Place>,
    entries: u64,
    compress: bool,
    /// Bytes are written when there are so many.
    buffered: usize,
}

/// Where a writer stood once.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    end: u64,
    blocks: usize,
    entries: u64,
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Entries.
    pub entries: u64,
    /// Bytes of the file.
    pub bytes: u64,
}

impl Writer {
    /// Begins a snapshot that will be called `name`.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn create(
        disk: &Arc<dyn Disk>,
        name: &str,
        header: Header,
        compress: bool,
    ) -> io::Result<Self> {
        let file = disk.create(&format!("{name}.tmp"))?;
        Ok(Writer {
            disk: Arc::clone(disk),
            file,
            name: name.to_owned(),
            secret: header.secret,
            offset: 0,
            longest: 0,
            buffer: header.encode().to_vec(),
            index: Vec::new(),
            entries: 0,
            compress,
            buffered: BUFFER,
        })
    }

    /// The same, which writes whenever there are so many bytes to write.
    #[must_use]
    pub fn buffered(mut self, bytes: usize) -> Self {
        self.buffered = bytes.min(BUFFER);
        self
    }

    /// Adds a block of steps (see [`put_step`]) with `entries` entries.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn block(&mut self, shard: u32, db: u32, raw: &[u8], entries: u64) -> io::Result<()> {
        let packed;
        let (codec, stored) = if self.compress && raw.len() <= LZ4_MOST {
            packed = lz4_flex::compress(raw);
            if packed.len() < raw.len() { (LZ4, packed.as_slice()) } else { (PLAIN, raw) }
        } else {
            (PLAIN, raw)
        };
        let too_long = |_| io::Error::other("a shard that cannot be");
        let mut header = [0; BLOCK_HEADER];
        header[0..4].copy_from_slice(&begin(self.secret));
        put_length(&mut header, (8, 24), stored.len());
        put_length(&mut header, (12, 28), raw.len());
        let number = u16::try_from(shard).map_err(too_long)?;
        header[16..18].copy_from_slice(&number.to_le_bytes());
        header[18..20].copy_from_slice(&codec.to_le_bytes());
        header[20..24].copy_from_slice(&db.to_le_bytes());
        let crc = checksum(self.secret, &header, stored);
        header[4..8].copy_from_slice(&crc.to_le_bytes());
        let offset = self.offset + self.buffer.len() as u64;
        let len = (BLOCK_HEADER + stored.len()) as u64;
        self.index.push(Place { shard, db, offset, len });
        self.buffer.extend_from_slice(&header);
        self.buffer.extend_from_slice(stored);
        self.entries += entries;
        if self.buffer.len() >= self.buffered { self.write_buffer() } else { Ok(()) }
    }

    fn write_buffer(&mut self) -> io::Result<()> {
        self.file.write_at(self.offset, &self.buffer)?;
        self.offset += self.buffer.len() as u64;
        self.longest = self.longest.max(self.offset);
        self.buffer.clear();
        Ok(())
    }

    /// Where it stands, to [`take_back`](Self::take_back) what is written from here on.
    #[must_use]
    pub fn mark(&self) -> Mark {
        Mark { end: self.bytes(), blocks: self.index.len(), entries: self.entries }
    }

    /// Takes the blocks back that were written since.
    pub fn take_back(&mut self, mark: Mark) {
        match mark.end.checked_sub(self.offset) {
            // What is kept is shorter than what was gathered.
            Some(kept) => self.buffer.truncate(usize::try_from(kept).unwrap_or(usize::MAX)),
            None => {
                self.offset = mark.end;
                self.buffer.clear();
            }
        }
        self.index.truncate(mark.blocks);
        self.entries = mark.entries;
    }

    /// Bytes written so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.offset + self.buffer.len() as u64
    }

    /// Makes it a whole snapshot, durably. It counts when a manifest names it.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn finish(mut self) -> io::Result<Written> {
        let mut index = Vec::new();
        put_number(&mut index, self.index.len() as u64);
        for place in &self.index {
            put_number(&mut index, u64::from(place.shard));
            put_number(&mut index, u64::from(place.db));
            put_number(&mut index, place.offset);
            put_number(&mut index, place.len);
        }
        self.write_buffer()?;
        let at = self.offset;
        self.buffer.extend_from_slice(&index);
        self.write_buffer()?;
        if self.longest > self.offset {
            self.file.set_len(self.offset)?;
        }
        // What the trailer confirms is on disk before it.
        self.file.sync()?;
        let mut trailer = [0; 64];
        trailer[0..8].copy_from_slice(TRAILER);
        trailer[8..16].copy_from_slice(&at.to_le_bytes());
        trailer[16..24].copy_from_slice(&(index.len() as u64).to_le_bytes());
        trailer[24..32].copy_from_slice(&self.entries.to_le_bytes());
        trailer[32..36].copy_from_slice(&crc32fast::hash(&index).to_le_bytes());
        trailer[36..44].copy_from_slice(&self.secret.bits().to_le_bytes());
        let crc = crc32fast::hash(&trailer[..60]);
        trailer[60..64].copy_from_slice(&crc.to_le_bytes());
        self.buffer.extend_from_slice(&trailer);
        self.write_buffer()?;
        self.file.sync()?;
        self.disk.rename(&format!("{}.tmp", self.name), &self.name)?;
        self.disk.sync_names()?;
        Ok(Written { entries: self.entries, bytes: self.offset })
    }

    /// Gives it up.
    pub fn abandon(self) {
        // A file that stays behind is removed at the next start.
        let _ = self.disk.remove(&format!("{}.tmp", self.name));
    }
}

/// What blocks begin with.
pub(crate) fn begin(secret: Secret) -> [u8; 4] {
    if secret == Secret::NONE { BLOCK.to_le_bytes() } else { secret.begin() }
}

fn checksum(secret: Secret, header: &[u8; BLOCK_HEADER], stored: &[u8]) -> u32 {
    let mut crc = secret.checksum();
    crc.update(&header[8..]);
    crc.update(stored);
    crc.finalize()
}

/// Appends the head of a step; its entries follow.
pub fn put_step(out: &mut Vec<u8>, end: u64, seq: u64, entries: u64) {
    put_number(out, end);
    put_number(out, seq);
    put_number(out, entries);
}

/// The head of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Positions below this one are in it, unless they are in an earlier one.
    pub end: u64,
    /// The last record of the shard that its entries know of.
    pub seq: u64,
    /// How many entries follow.
    pub entries: u64,
}

/// Reads the head of a step.
///
/// # Errors
/// There is something else.
pub fn step(source: &mut Source<'_>) -> Result<Step, Malformed> {
    Ok(Step { end: source.number()?, seq: source.number()?, entries: source.number()? })
}

/// A snapshot opened for reading, by many threads at once if wanted.
#[derive(Debug)]
pub struct Reader {
    file: Arc<dyn DiskFile>,
    /// Its name, for messages.
    pub name: String,
    /// What it says of itself.
    pub header: Header,
    /// Its blocks, in file order: those of a shard's database in the order of positions.
    pub blocks: Vec<Place>,
    /// How many entries it holds.
    pub entries: u64,
    /// Bytes of the file.
    pub bytes: u64,
}

impl Reader {
    /// Opens a snapshot and reads its index.
    ///
    /// # Errors
    /// It cannot be read, is not whole, or is damaged; the text names the file and the offset.
    pub fn open(disk: &dyn Disk, name: &str) -> io::Result<Self> {
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{name}: {error}"));
        let wrong = |offset: u64, what: &str| {
            let text = format!("{name} is damaged at offset {offset}: {what}");
            io::Error::new(ErrorKind::InvalidData, text)
        };
        let file = disk.open(name).map_err(named)?;
        let bytes = file.len().map_err(named)?;
        let header = read_header(&*file).map_err(|what| wrong(0, &what))?;
        let end = bytes.saturating_sub(HEADER);
        let trailer = read_trailer(&*file, bytes).map_err(named)?;
        let Some(trailer) = trailer else {
            return Err(wrong(end, "it has no end: it was never finished, or is cut off"));
        };
        let (at, len, entries) = (u64_at(&trailer, 8), u64_at(&trailer, 16), u64_at(&trailer, 24));
        if at.checked_add(len) != Some(end) {
            return Err(wrong(end, "its index is not where it says"));
        }
        let mut index = vec![0; usize::try_from(len).unwrap_or(0)];
        let got = file.read_at(at, &mut index).map_err(named)?;
        if got < index.len() || crc32fast::hash(&index).to_le_bytes() != trailer[32..36] {
            return Err(wrong(at, "its index is broken"));
        }
        let blocks = read_index(&index).map_err(|error| wrong(at, error.0))?;
        Ok(Reader { file, name: name.to_owned(), header, blocks, entries, bytes })
    }

    /// A snapshot of which nothing is known but that it is there, and its secret.
    pub(crate) fn without_index(file: Arc<dyn DiskFile>, name: &str) -> io::Result<Self> {
        let bytes = file.len()?;
        let secret = secret_of(&*file, bytes)?;
        let hashing = Hashing { function: HashFunction::KnownNumbers, seed: 0 };
        let header = Header { id: [0; 16], hashing, shards: 0, time: 0, secret };
        let (name, blocks) = (name.to_owned(), Vec::new());
        Ok(Reader { file, name, header, blocks, entries: 0, bytes })
    }

    pub(crate) fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        self.file.read_at(offset, into)
    }

    /// The place of the block that begins at `offset`, if one does.
    pub(crate) fn place_at(&self, offset: u64) -> io::Result<Option<Place>> {
        let mut header = [0; BLOCK_HEADER];
        if self.file.read_at(offset, &mut header)? < BLOCK_HEADER {
            return Ok(None);
        }
        let shard = u32::from(u16_at(&header, 16));
        let len = length(&header, (8, 24)).saturating_add(BLOCK_HEADER as u64);
        let place = Place { shard, db: u32_at(&header, 20), offset, len };
        Ok((header[0..4] == begin(self.header.secret)).then_some(place))
    }

    /// The steps of a block.
    ///
    /// # Errors
    /// It cannot be read or is damaged; the text names the file and the offset.
    pub fn block(&self, place: &Place) -> io::Result<Vec<u8>> {
        let wrong = |what: &str| {
            let text = format!("{} is damaged at offset {}: {what}", self.name, place.offset);
            io::Error::new(ErrorKind::InvalidData, text)
        };
        if place.offset.checked_add(place.len).is_none_or(|end| end > self.bytes) {
            return Err(wrong("a block reaches beyond the end"));
        }
        let mut bytes = vec![0; usize::try_from(place.len).unwrap_or(0)];
        let got = self.file.read_at(place.offset, &mut bytes)?;
        let (head, stored) = bytes[..got]
            .split_at_checked(BLOCK_HEADER)
            .ok_or_else(|| wrong("a block is cut off"))?;
        let mut header = [0; BLOCK_HEADER];
        header.copy_from_slice(head);
        let secret = self.header.secret;
        let crc = checksum(secret, &header, stored);
        if header[0..4] != begin(secret) || u32_at(&header, 4) != crc {
            return Err(wrong("a block's checksum is wrong"));
        }
        let place_of = (u32::from(u16_at(&header, 16)), u32_at(&header, 20));
        if place_of != (place.shard, place.db) {
            return Err(wrong("a block is of another shard or database than the index says"));
        }
        let raw = usize::try_from(length(&header, (12, 28))).unwrap_or(usize::MAX);
        // No byte of LZ4 stands for more than 255.
        if raw > stored.len().saturating_mul(255) {
            return Err(wrong("a block says it is longer than it can be"));
        }
        match u16_at(&header, 18) {
            PLAIN => {
                bytes.drain(..BLOCK_HEADER);
                Ok(bytes)
            }
            LZ4 => match lz4_flex::decompress(stored, raw) {
                Ok(bytes) if bytes.len() == raw => Ok(bytes),
                _ => Err(wrong("a block does not unpack")),
            },
            other => Err(wrong(&format!("unknown compression {other}"))),
        }
    }
}

/// A length stands in two places: its lower half, and its upper one, which was always zeros before
/// values could be that large.
fn put_length(header: &mut [u8; BLOCK_HEADER], (low, high): (usize, usize), len: usize) {
    let bytes = (len as u64).to_le_bytes();
    header[low..low + 4].copy_from_slice(&bytes[..4]);
    header[high..high + 4].copy_from_slice(&bytes[4..]);
}

fn length(header: &[u8; BLOCK_HEADER], (low, high): (usize, usize)) -> u64 {
    u64::from(u32_at(header, low)) | u64::from(u32_at(header, high)) << 32
}

fn read_header(file: &dyn DiskFile) -> Result<Header, String> {
    let mut bytes = [0; 64];
    let got = file.read_at(0, &mut bytes).map_err(|error| error.to_string())?;
    if got < bytes.len() || &bytes[0..8] != MAGIC {
        return Err("it is not a snapshot".to_owned());
    }
    let version = u32_at(&bytes, 8);
    if !(1..=VERSION).contains(&version) {
        return Err(format!("version {version}, this program reads versions 1 to {VERSION}"));
    }
    if u32_at(&bytes, 12) != crc32fast::hash(&bytes[16..]) {
        return Err("its header is broken".to_owned());
    }
    let function = HashFunction::of_number(u32_at(&bytes, 44)).ok_or_else(|| {
        let number = u32_at(&bytes, 44);
        format!("its keys are hashed in a way {number}, which this program does not know")
    })?;
    let mut id = [0; 16];
    id.copy_from_slice(&bytes[16..32]);
    let header = Header {
        id,
        hashing: Hashing { function, seed: u64_at(&bytes, 32) },
        shards: u32_at(&bytes, 40),
        time: u64_at(&bytes, 48),
        secret: Secret::from_bits(u64_at(&bytes, 56)),
    };
    // Its version is that of a file with such a secret and such a function.
    if header.encode() == bytes { Ok(header) } else { Err("its header is broken".to_owned()) }
}

/// The trailer of a file of so many bytes, if it has one.
fn read_trailer(file: &dyn DiskFile, bytes: u64) -> io::Result<Option<[u8; 64]>> {
    let mut trailer = [0; 64];
    let got = file.read_at(bytes.saturating_sub(HEADER), &mut trailer)?;
    let crc = crc32fast::hash(&trailer[..60]).to_le_bytes();
    let whole = got == trailer.len() && &trailer[0..8] == TRAILER && trailer[60..64] == crc;
    Ok(whole.then_some(trailer))
}

/// The secret of a file that may be damaged at one end or the other. Where it is at both, the
/// secret is what stands in its place: if that is not what it was, no block is found.
fn secret_of(file: &dyn DiskFile, bytes: u64) -> io::Result<Secret> {
    if let Ok(header) = read_header(file) {
        return Ok(header.secret);
    }
    if let Some(trailer) = read_trailer(file, bytes)? {
        return Ok(Secret::from_bits(u64_at(&trailer, 36)));
    }
    let mut header = [0; 64];
    file.read_at(0, &mut header)?;
    let has_none = u32_at(&header, 8) == 1;
    Ok(if has_none { Secret::NONE } else { Secret::from_bits(u64_at(&header, 56).max(1)) })
}

fn read_index(bytes: &[u8]) -> Result<Vec<Place>, Malformed> {
    let mut source = Source::new(bytes);
    let count = source.length()?;
    let mut blocks = Vec::with_capacity(count.min(bytes.len() / 4));
    let small = |number: u64| u32::try_from(number).map_err(|_| Malformed("a number too large"));
    for _ in 0..count {
        blocks.push(Place {
            shard: small(source.number()?)?,
            db: small(source.number()?)?,
            offset: source.number()?,
            len: source.number()?,
        });
    }
    Ok(blocks)
}
