//! RDB files are read, item by item, in the memory of one value or, if wanted, of a part of one.
//!
//! ```text
//!   REDIS0010                          or VALKEY080: five or six letters, four or three digits
//!   fa name value                      something about the file
//!   f5 code                            a library of functions; f6: as the candidates of 7.0 wrote
//!   f7 id items                        what a module keeps beside the keys
//!   fe db   fb keys mortal             keys of this database follow, so many
//!   fd seconds   fc milliseconds       the next key's deadline, in 4 or 8 bytes
//!   f8 seconds   f9 frequency          since when it is unused, or how often used
//!   00 to 19  name value               a key
//!   f4 slot keys mortal   f3 ...       what only a cluster needs; passed over
//!   ff crc64                           the end; no sum before version 5, and 0 for none
//! ```

use std::io::Read;

use crate::object::{self, Options, Parts, kind};
use crate::{
    Error, FieldTtls, Input, Loaded, ModuleAux, Reason, Refusal, Value, functions, length, text,
};

const SLOT_IMPORT: u8 = 243;
const SLOT_INFO: u8 = 244;
const FUNCTION: u8 = 245;
const FUNCTION_PRE_GA: u8 = 246;
const MODULE_AUX: u8 = 247;
const IDLE: u8 = 248;
const FREQUENCY: u8 = 249;
const AUX: u8 = 250;
const RESIZE: u8 = 251;
const DEADLINE_MS: u8 = 252;
const DEADLINE: u8 = 253;
const SELECT: u8 = 254;
const END: u8 = 255;

/// The first version that ends with a checksum.
const SUMMED_SINCE: u32 = 5;

/// Whose file it is; above version 11 the two have gone different ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Magic {
    /// `REDIS`
    Redis,
    /// `VALKEY`
    Valkey,
}

/// What a file holds.
#[derive(Debug, PartialEq)]
pub enum Item {
    /// Something about the file: `redis-ver`, `ctime`, `repl-id`, ...
    Aux {
        /// Its name.
        name: Vec<u8>,
        /// What it says.
        value: Vec<u8>,
    },
    /// The source of a library of functions, its `#!` line included.
    Function(Vec<u8>),
    /// What a module keeps beside the keys.
    ModuleAux(ModuleAux),
    /// Keys of a database follow.
    Database {
        /// Its number.
        db: u64,
    },
    /// How many keys the current database has; only a hint.
    Resize {
        /// Keys.
        keys: u64,
        /// Those that have a deadline.
        mortal: u64,
    },
    /// A key. Where values are read in parts it has the first elements of a large collection, and
    /// [`More`](Item::More) of them follow.
    Key(Key, Value),
    /// Further elements of the key before, whose value is read in parts.
    More(Value),
    /// A key that is in order but not taken.
    Refused(Key, Refusal),
}

/// All about a key but its value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Key {
    /// Its database.
    pub db: u64,
    /// Its name.
    pub name: Vec<u8>,
    /// When it dies, in milliseconds since the Unix epoch; may have passed.
    pub deadline: Option<i64>,
    /// Seconds for which it was not used.
    pub idle: Option<u64>,
    /// How often it is used, on Redis's logarithmic scale.
    pub frequency: Option<u8>,
}

/// What was done about fields with deadlines of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldTtlCount {
    /// Keys with such fields.
    pub keys: u64,
    /// The fields.
    pub fields: u64,
}

/// Reads an RDB file from its first byte to its last, and not further.
///
/// ```
/// use kvist_rdb::{Input, Item, Reader, Value};
/// let file = b"REDIS0003\xfe\x00\x00\x01k\x01v\xff";
/// let mut reader = Reader::new(Input::new(&file[..])).unwrap();
/// assert_eq!(reader.next().unwrap(), Some(Item::Database { db: 0 }));
/// let Some(Item::Key(key, value)) = reader.next().unwrap() else { panic!() };
/// assert_eq!((key.name, value), (b"k".to_vec(), Value::String(b"v".to_vec())));
/// assert_eq!(reader.next().unwrap(), None);
/// ```
pub struct Reader<R> {
    input: Input<R>,
    magic: Magic,
    version: u32,
    field_ttls: FieldTtls,
    count: FieldTtlCount,
    verify: bool,
    db: u64,
    ended: bool,
    /// Bytes of a part, about.
    part: usize,
    /// What is being read in parts.
    open: Option<Parts>,
}

impl<R: Read> Reader<R> {
    /// Begins to read; the checksum begins here, too.
    ///
    /// # Errors
    /// If this is no RDB file.
    pub fn new(mut input: Input<R>) -> Result<Self, Error> {
        input.restart_sum();
        let offset = input.offset();
        let (magic, version) = match input.array::<9>()? {
            [b'R', b'E', b'D', b'I', b'S', digits @ ..] => (Magic::Redis, number(&digits)),
            [b'V', b'A', b'L', b'K', b'E', b'Y', digits @ ..] => (Magic::Valkey, number(&digits)),
            _ => return Err(Error::corrupt(offset, "neither REDIS nor VALKEY at the beginning")),
        };
        let version = version.filter(|&version| version > 0);
        let version =
            version.ok_or_else(|| Error::corrupt(offset, "a version that is no number"))?;
        Ok(Reader {
            input,
            magic,
            version,
            field_ttls: FieldTtls::default(),
            count: FieldTtlCount::default(),
            verify: true,
            db: 0,
            ended: false,
            part: usize::MAX,
            open: None,
        })
    }

    /// Sets what to do with fields that have deadlines of their own.
    pub fn field_ttls(&mut self, how: FieldTtls) {
        self.field_ttls = how;
    }

    /// Sets whether the checksum must be right (`rdbchecksum`); it must unless told otherwise.
    pub fn verify_checksum(&mut self, verify: bool) {
        self.verify = verify;
    }

    /// Reads collections that are written element by element in parts of about so many bytes.
    pub fn in_parts(&mut self, bytes: usize) {
        self.part = bytes.max(1);
    }

    /// Whose file it is.
    pub fn magic(&self) -> Magic {
        self.magic
    }

    /// Its version.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Keys and fields so far whose deadlines were dropped, or because of which keys were refused.
    pub fn field_ttl_count(&self) -> FieldTtlCount {
        self.count
    }

    /// Bytes read so far.
    pub fn offset(&self) -> u64 {
        self.input.offset()
    }

    /// The input, behind the last item: an append-only file may go on there.
    pub fn into_input(self) -> Input<R> {
        self.input
    }

    /// The next item, or `None` at the end of the file.
    ///
    /// # Errors
    /// If the file is broken, or holds what is not known. There is nothing to be read behind an
    /// error.
    #[allow(clippy::should_implement_trait)] // an iterator could not give its input back
    pub fn next(&mut self) -> Result<Option<Item>, Error> {
        if let Some(parts) = self.open.as_mut().filter(|parts| !parts.is_done()) {
            return parts.next(&mut self.input, self.part).map(|part| Some(Item::More(part)));
        }
        let mut key = Key::default();
        while !self.ended {
            let offset = self.input.offset();
            match self.input.byte()? {
                DEADLINE => {
                    let seconds = i32::from_le_bytes(self.input.array()?);
                    key.deadline = Some(i64::from(seconds) * 1000);
                }
                DEADLINE_MS => key.deadline = Some(i64::from_le_bytes(self.input.array()?)),
                IDLE => key.idle = Some(length::read_plain(&mut self.input)?),
                FREQUENCY => key.frequency = Some(self.input.byte()?),
                byte @ ..=kind::LAST => return self.key(key, byte).map(Some),
                SLOT_INFO => self.skip_numbers(3)?,
                SLOT_IMPORT if self.magic == Magic::Valkey => {
                    text::read(&mut self.input)?;
                    for _ in 0..length::read_plain(&mut self.input)? {
                        self.skip_numbers(2)?;
                    }
                }
                END => self.end()?,
                byte => return self.special(byte, offset).map(Some),
            }
        }
        Ok(None)
    }

    fn skip_numbers(&mut self, count: usize) -> Result<(), Error> {
        (0..count).try_for_each(|_| length::read_plain(&mut self.input).map(drop))
    }

    fn key(&mut self, mut key: Key, kind: u8) -> Result<Item, Error> {
        let input = &mut self.input;
        key.db = self.db;
        key.name = text::read(input)?;
        if let Some(mut parts) = Parts::begin(input, kind)? {
            let first = parts.next(input, self.part)?;
            self.open = Some(parts);
            return Ok(match first.is_empty() {
                true => Item::Refused(key, Refusal::Empty),
                false => Item::Key(key, first),
            });
        }
        let options = Options { magic: self.magic, field_ttls: self.field_ttls };
        Ok(match object::load(input, kind, options)? {
            Loaded::Value(value) => Item::Key(key, value),
            Loaded::WithoutTtls(value, fields) => {
                self.count.keys += 1;
                self.count.fields += fields;
                Item::Key(key, value)
            }
            Loaded::Refused(refusal) => {
                if let Refusal::FieldTtls(fields) = refusal {
                    self.count.keys += 1;
                    self.count.fields += fields;
                }
                Item::Refused(key, refusal)
            }
        })
    }

    fn special(&mut self, opcode: u8, offset: u64) -> Result<Item, Error> {
        let input = &mut self.input;
        Ok(match opcode {
            AUX => Item::Aux { name: text::read(input)?, value: text::read(input)? },
            SELECT => {
                self.db = length::read_plain(input)?;
                Item::Database { db: self.db }
            }
            RESIZE => {
                let keys = length::read_plain(input)?;
                Item::Resize { keys, mortal: length::read_plain(input)? }
            }
            FUNCTION => Item::Function(text::read(input)?),
            FUNCTION_PRE_GA => Item::Function(functions::old(input).map_err(|(_, error)| error)?),
            MODULE_AUX => {
                let id = length::read_plain(input)?;
                // What follows says of itself that it is a number.
                if length::read_plain(input)? != 2 {
                    return Err(input.corrupt("a module's record that does not say when it is for"));
                }
                let when = length::read_plain(input)?;
                Item::ModuleAux(ModuleAux { id, when, parts: object::read_parts(input)? })
            }
            _ => {
                let version = self.version;
                let what = format!("unknown opcode {opcode} in a file of version {version}");
                return Err(Error::unsupported(offset, what));
            }
        })
    }

    fn end(&mut self) -> Result<(), Error> {
        self.ended = true;
        if self.version < SUMMED_SINCE {
            return Ok(());
        }
        let computed = self.input.checksum();
        let offset = self.input.offset();
        let stored = u64::from_le_bytes(self.input.array()?);
        if self.verify && stored != 0 && stored != computed {
            return Err(Error { offset, reason: Reason::Checksum { stored, computed } });
        }
        Ok(())
    }
}

fn number(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |number: u32, digit| {
        digit.is_ascii_digit().then(|| number * 10 + u32::from(digit - b'0'))
    })
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
