//! A large value on its way out, in chunks (see `store/incremental_copy.rs`).

use std::io;

use base::Changed;
use base::codec::put_number;

use super::assembly::{AGAIN, LAST};
use super::value_copy::ValueCopy;

/// Values from this size on are copied in chunks, unless another size is set: smaller ones take
/// less than a millisecond. In tests, a smaller one is large.
pub(crate) const LARGE: usize = if cfg!(test) { 64 << 10 } else { 1 << 20 };
/// Bytes after which a chunk ends, unless other ones are set.
pub(crate) const CHUNK: usize = LARGE / 16;

/// Where chunks of large values go.
pub trait ChunkSink {
    /// What has come together of a value is put when it is so long.
    fn size(&self) -> usize;
    /// A number that no value had before.
    fn number(&mut self) -> u64;
    /// What is put from here on may be taken back.
    fn begin(&mut self);
    /// Takes back what was put since.
    fn take_back(&mut self);
    /// Takes a chunk, which makes so many entries complete. No lock of a shard is held.
    ///
    /// # Errors
    /// The disk refuses.
    fn put(&mut self, chunk: &[u8], entries: u64) -> io::Result<()>;
}

/// Why values were not put.
pub(crate) enum NotPut {
    /// One of them changed in a way that cannot be followed.
    Changed,
    /// The disk refuses.
    Io(io::Error),
}

impl From<Changed> for NotPut {
    fn from(_: Changed) -> Self {
        NotPut::Changed
    }
}

impl From<io::Error> for NotPut {
    fn from(error: io::Error) -> Self {
        NotPut::Io(error)
    }
}

/// A large value on its way.
pub(crate) struct Large {
    pub key: Box<[u8]>,
    pub hash: u64,
    /// Its entry up to the key.
    head: Vec<u8>,
    /// The copy; none before it has begun, and when it is complete.
    pub copy: Option<ValueCopy>,
    /// All of it has been read.
    pub done: bool,
    /// The next chunk, and where in it stands what it is.
    pub chunk: Vec<u8>,
    flags: usize,
    /// Which value of the file it is, and how many chunks of it have been put.
    pub number: u64,
    put: u64,
}

impl Large {
    pub fn new(key: &[u8], hash: u64, head: Vec<u8>) -> Large {
        Large {
            key: key.into(),
            hash,
            head,
            copy: None,
            done: false,
            chunk: Vec::new(),
            flags: 0,
            number: 0,
            put: 0,
        }
    }

    /// Begins a chunk.
    pub fn begin_chunk(&mut self, db: usize) {
        self.chunk.clear();
        put_number(&mut self.chunk, self.number);
        put_number(&mut self.chunk, self.put);
        self.flags = self.chunk.len();
        self.chunk.push(0);
        if self.put == 0 {
            put_number(&mut self.chunk, db as u64);
            self.chunk.append(&mut self.head);
            put_number(&mut self.chunk, self.copy.as_ref().map_or(0, ValueCopy::count) as u64);
        }
    }

    /// Puts what has come together, if that is so long.
    pub fn put(
        &mut self,
        db: usize,
        size: usize,
        (again, chunks): (bool, &mut dyn ChunkSink),
    ) -> Result<(), NotPut> {
        if self.done {
            let (copy, mut rest) = (self.copy.take().ok_or(Changed)?, Vec::new());
            copy.finish(&mut rest)?;
            // Only a stream has something there, which may be divided anywhere.
            let mut rest = rest.chunks(size.max(1)).peekable();
            while let Some(part) = rest.next() {
                self.chunk.extend_from_slice(part);
                if rest.peek().is_some() {
                    chunks.put(&self.chunk, 0)?;
                    self.put += 1;
                    self.begin_chunk(db);
                }
            }
            self.chunk[self.flags] = if again { LAST | AGAIN } else { LAST };
            return Ok(chunks.put(&self.chunk, u64::from(!again))?);
        }
        if self.chunk.len() >= size {
            chunks.put(&self.chunk, 0)?;
            self.put += 1;
            self.begin_chunk(db);
        }
        Ok(())
    }
}
