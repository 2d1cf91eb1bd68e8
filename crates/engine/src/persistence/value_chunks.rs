//! Large values on their way into a snapshot's file, and out of it: in chunks, each a block.

use std::io;

use base::PackLimits;
use journal::codec::{Malformed, Source};
use journal::snapshot::{self, Mark, Writer};
use store::{Assembled, Assemblies, ChunkSink, IN_CHUNKS};

use super::Reason;
use super::snapshot::ENDING;
use super::snapshot_coverage::CHUNKS;
use crate::engine::Engine;

/// Writes chunks of large values of one shard after the other.
pub(super) struct ChunkWriter<'w> {
    engine: &'w Engine,
    /// The file, for what else is written to it.
    pub writer: &'w mut Writer,
    /// The shard whose values come.
    pub shard: u32,
    size: usize,
    values: u64,
    mark: Mark,
}

impl<'w> ChunkWriter<'w> {
    /// Writes to a file in blocks of this size, as the first to do so.
    pub fn new(engine: &'w Engine, writer: &'w mut Writer, size: usize) -> Self {
        let mark = writer.mark();
        ChunkWriter { engine, writer, shard: 0, size, values: 0, mark }
    }
}

impl ChunkSink for ChunkWriter<'_> {
    fn size(&self) -> usize {
        self.size
    }

    fn number(&mut self) -> u64 {
        self.values += 1;
        self.values
    }

    fn begin(&mut self) {
        self.mark = self.writer.mark();
    }

    fn take_back(&mut self) {
        self.writer.take_back(self.mark);
    }

    fn put(&mut self, chunk: &[u8], entries: u64) -> io::Result<()> {
        if self.engine.durability.is_busy_with(Reason::Copy) && self.engine.is_ending() {
            return Err(io::Error::other(ENDING));
        }
        self.writer.block(self.shard, CHUNKS, chunk, entries)
    }
}

/// What stands in a block about a key that was read once more, before its entry if it has one.
pub(super) struct Again<'a> {
    pub db: u64,
    pub key: &'a [u8],
    pub step: snapshot::Step,
    /// The value in chunks that is its entry.
    pub value: Option<u64>,
}

impl<'a> Again<'a> {
    /// Reads it.
    ///
    /// # Errors
    /// There is something else.
    pub fn of(source: &mut Source<'a>) -> Result<Self, Malformed> {
        let (db, key, step) = (source.number()?, source.bytes()?, snapshot::step(source)?);
        let value = match step.entries {
            0 if !source.is_done() => match source.byte()? {
                IN_CHUNKS => Some(source.number()?),
                _ => return Err(Malformed("a key that stands nowhere")),
            },
            _ => None,
        };
        Ok(Again { db, key, step, value })
    }
}

/// Values that are read from a snapshot, of which some chunks have come.
#[derive(Default)]
pub(crate) struct Arriving(Assemblies);

impl Arriving {
    /// Takes a chunk: which value it belongs to, and the entry if it was the last one.
    ///
    /// # Errors
    /// It is not the chunk that comes next.
    pub fn take(
        &mut self,
        raw: &[u8],
        limits: &PackLimits,
    ) -> Result<(u64, Option<Assembled>), String> {
        self.0.take(raw, limits).map_err(|error| error.to_string())
    }

    /// Which value a chunk belongs to, and whether it is the last one.
    ///
    /// # Errors
    /// It is no chunk.
    pub fn whose(raw: &[u8]) -> Result<(u64, bool), String> {
        Assemblies::whose(raw).map_err(|error| error.to_string())
    }

    /// Nothing more comes.
    ///
    /// # Errors
    /// Something is missing.
    pub fn finish(&self) -> Result<(), String> {
        if self.0.is_empty() {
            return Ok(());
        }
        Err("the last piece of a large value is missing".to_owned())
    }
}
