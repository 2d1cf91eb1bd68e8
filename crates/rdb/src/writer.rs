//! RDB files are written, key by key, as redis-server 7.0 writes them (version 10); `reader` has
//! the drawing.

use std::io::{self, Write};

use crate::{Encoder, Limits, ModuleAux, Output, Value, functions, length, object, text};

/// The version that is written.
pub(crate) const VERSION: u16 = 10;

/// What a file says about itself.
#[derive(Clone, Copy, Debug)]
pub struct Header<'a> {
    /// The version of Redis that the writer stands for.
    pub redis_version: &'a str,
    /// When it is written, in seconds since the Unix epoch.
    pub created: u64,
    /// Bytes of memory that the writer uses.
    pub used_memory: u64,
    /// Where replication is; for a replica that goes on from there.
    pub replication: Option<Replication<'a>>,
    /// Whether an append-only file goes on from here.
    pub aof_base: bool,
}

/// A place in the stream of changes.
#[derive(Clone, Copy, Debug)]
pub struct Replication<'a> {
    /// The database the stream is about.
    pub db: u64,
    /// Its id.
    pub id: &'a str,
    /// Bytes of it that the file includes.
    pub offset: u64,
}

/// What to write about a key beside its value.
#[derive(Clone, Copy, Debug, Default)]
pub struct Meta {
    /// When it dies, in milliseconds since the Unix epoch.
    pub deadline: Option<i64>,
    /// Seconds for which it was not used; for servers that evict by that.
    pub idle: Option<u64>,
    /// How often it is used; for servers that evict by that.
    pub frequency: Option<u8>,
}

/// Writes an RDB file. The order is the caller's duty: about the file, functions, then for each
/// database [`database`](Self::database) and its keys, [`finish`](Self::finish).
///
/// ```
/// use kvist_rdb::{Input, Item, Limits, Meta, Reader, Value, Writer};
/// let mut writer = Writer::new(Vec::new(), Limits::default(), true, true)?;
/// writer.database(0, 1, 0)?;
/// writer.key(Meta::default(), b"k", &Value::String(b"v".to_vec()))?;
/// let file = writer.finish()?;
/// let mut reader = Reader::new(Input::new(&file[..])).unwrap();
/// while let Some(item) = reader.next().unwrap() {
///     if let Item::Key(key, value) = item {
///         assert_eq!((key.name, value), (b"k".to_vec(), Value::String(b"v".to_vec())));
///     }
/// }
/// # std::io::Result::Ok(())
/// ```
pub struct Writer<W: Write> {
    out: Output<W>,
    encoder: Encoder,
}

impl<W: Write> Writer<W> {
    /// Begins a file. It is passed on in blocks, so that `sink` needs no buffer of its own.
    /// `compress` is `rdbcompression`, `checksum` is `rdbchecksum`.
    ///
    /// # Errors
    /// Those of `sink`, here and below.
    pub fn new(sink: W, limits: Limits, compress: bool, checksum: bool) -> io::Result<Self> {
        let mut out = Output::new(sink, checksum);
        write!(out, "REDIS{VERSION:04}")?;
        Ok(Writer { out, encoder: Encoder::new(limits, compress) })
    }

    /// Bytes written so far.
    pub fn offset(&self) -> u64 {
        self.out.offset()
    }

    /// Writes what Redis writes about the file.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn header(&mut self, header: &Header<'_>) -> io::Result<()> {
        let decimal = |number: u64| number.to_string().into_bytes();
        self.aux(b"redis-ver", header.redis_version.as_bytes())?;
        self.aux(b"redis-bits", b"64")?;
        self.aux(b"ctime", &decimal(header.created))?;
        self.aux(b"used-mem", &decimal(header.used_memory))?;
        if let Some(place) = &header.replication {
            self.aux(b"repl-stream-db", &decimal(place.db))?;
            self.aux(b"repl-id", place.id.as_bytes())?;
            self.aux(b"repl-offset", &decimal(place.offset))?;
        }
        self.aux(b"aof-base", if header.aof_base { b"1" } else { b"0" })
    }

    /// Writes something about the file.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn aux(&mut self, name: &[u8], value: &[u8]) -> io::Result<()> {
        self.out.write_all(&[0xfa])?;
        text::write(&mut self.out, name, None)?;
        text::write(&mut self.out, value, self.encoder.compressor())
    }

    /// Writes a library of functions.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn function(&mut self, code: &[u8]) -> io::Result<()> {
        functions::write(&mut self.out, code, &mut self.encoder)
    }

    /// Writes what a module keeps beside the keys.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn module_aux(&mut self, aux: &ModuleAux) -> io::Result<()> {
        self.out.write_all(&[0xf7])?;
        length::write(&mut self.out, aux.id)?;
        length::write(&mut self.out, 2)?;
        length::write(&mut self.out, aux.when)?;
        object::write_parts(&mut self.out, &aux.parts, self.encoder.compressor())
    }

    /// Begins a database of so many keys, of which `mortal` have deadlines. Both are hints.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn database(&mut self, db: u64, keys: u64, mortal: u64) -> io::Result<()> {
        self.out.write_all(&[0xfe])?;
        length::write(&mut self.out, db)?;
        self.out.write_all(&[0xfb])?;
        length::write(&mut self.out, keys)?;
        length::write(&mut self.out, mortal)
    }

    /// Writes a key.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn key(&mut self, meta: Meta, name: &[u8], value: &Value) -> io::Result<()> {
        self.key_with(meta, |encoder, out| encoder.value(out, Some(name), value))
    }

    /// Writes a key whose value is not a [`Value`]: `write` calls one method of the encoder, with
    /// the key's name.
    ///
    /// ```
    /// # use kvist_rdb::{Limits, Meta, Writer};
    /// # let mut writer = Writer::new(Vec::new(), Limits::default(), true, true)?;
    /// let elements = [&b"a"[..], b"b"];
    /// writer.key_with(Meta::default(), |encoder, out| {
    ///     encoder.list(out, Some(b"letters"), elements.into_iter())
    /// })?;
    /// # std::io::Result::Ok(())
    /// ```
    ///
    /// # Errors
    /// Those of the sink and of `write`.
    pub fn key_with(
        &mut self,
        meta: Meta,
        write: impl FnOnce(&mut Encoder, &mut Output<W>) -> io::Result<()>,
    ) -> io::Result<()> {
        let out = &mut self.out;
        if let Some(deadline) = meta.deadline {
            out.write_all(&[0xfc])?;
            out.write_all(&deadline.to_le_bytes())?;
        }
        if let Some(idle) = meta.idle {
            out.write_all(&[0xf8])?;
            length::write(out, idle)?;
        }
        if let Some(frequency) = meta.frequency {
            out.write_all(&[0xf9, frequency])?;
        }
        write(&mut self.encoder, out)
    }

    /// Ends the file; gives the sink back, flushed.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.write_all(&[0xff])?;
        let sum = self.out.checksum()?;
        self.out.write_all(&sum.to_le_bytes())?;
        self.out.finish()
    }
}

#[cfg(test)]
#[path = "writer_tests.rs"]
mod tests;
