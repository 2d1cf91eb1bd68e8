//! Values as files hold them: neutral, without a keyspace's structures.

use crate::Stream;

/// The value of a key.
///
/// Collections are sequences here, in the order of the file. Members of sets and sorted sets and
/// fields of hashes are meant to be distinct, but a hostile file can repeat them; the code that
/// builds a real set notices, and it is not checked twice.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Bytes.
    String(Vec<u8>),
    /// Elements from head to tail.
    List(Vec<Vec<u8>>),
    /// Members.
    Set(Vec<Vec<u8>>),
    /// Fields with their values.
    Hash(Vec<(Vec<u8>, Vec<u8>)>),
    /// Members with their scores, none of which is NaN; ascending or descending.
    ZSet(Vec<(Vec<u8>, f64)>),
    /// Entries and consumer groups.
    Stream(Box<Stream>),
    /// The value of a module's type.
    Module(Module),
}

/// A value of a type that a module brought.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// Nine characters of six bits, then the version of the encoding in ten.
    pub id: u64,
    /// What the module wrote.
    pub parts: Vec<ModulePart>,
}

/// An item of a module's value.
#[derive(Clone, Debug, PartialEq)]
pub enum ModulePart {
    /// A signed number.
    Signed(i64),
    /// An unsigned number.
    Unsigned(u64),
    /// A single-precision number.
    Float(f32),
    /// A double.
    Double(f64),
    /// A string.
    String(Vec<u8>),
}

/// What a module keeps beside the keys.
#[derive(Clone, Debug, PartialEq)]
pub struct ModuleAux {
    /// As [`Module::id`].
    pub id: u64,
    /// Whether it is for before the keys (1) or behind them (2).
    pub when: u64,
    /// What the module wrote.
    pub parts: Vec<ModulePart>,
}

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The name of a module's type: `ReJSON-RL`, for example.
fn module_name(id: u64) -> String {
    let letter = |at: u32| char::from(LETTERS[(id >> (10 + 6 * at) & 63) as usize]);
    (0..9).rev().map(letter).collect()
}

impl Module {
    /// The id of the type with this name of nine letters, in the given version of its encoding.
    ///
    /// ```
    /// use kvist_rdb::Module;
    /// let id = Module::id_of("ReJSON-RL", 3).unwrap();
    /// let module = Module { id, parts: Vec::new() };
    /// assert_eq!((module.name(), module.version()), ("ReJSON-RL".to_owned(), 3));
    /// assert_eq!(Module::id_of("short", 0), None);
    /// assert_eq!(Module::id_of("no letter", 0), None);
    /// assert_eq!(Module::id_of("ReJSON-RL", 1024), None);
    /// ```
    #[must_use]
    pub const fn id_of(name: &str, version: u16) -> Option<u64> {
        let name = name.as_bytes();
        if name.len() != 9 || version >= 1 << 10 {
            return None;
        }
        let (mut id, mut place) = (0, 0);
        while place < name.len() {
            let mut at = 0;
            while at < LETTERS.len() && LETTERS[at] != name[place] {
                at += 1;
            }
            if at == LETTERS.len() {
                return None;
            }
            id = id << 6 | at as u64;
            place += 1;
        }
        Some(id << 10 | version as u64)
    }

    /// The name of the type.
    #[must_use]
    pub fn name(&self) -> String {
        module_name(self.id)
    }

    /// The version of its encoding.
    #[must_use]
    pub fn version(&self) -> u16 {
        u16::try_from(self.id & 0x3ff).unwrap_or(0) // ten bits
    }
}

impl ModuleAux {
    /// The name of the type.
    #[must_use]
    pub fn name(&self) -> String {
        module_name(self.id)
    }
}

impl Value {
    /// Whether it is a collection that holds nothing. A stream may be empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Value::List(items) | Value::Set(items) => items.is_empty(),
            Value::Hash(pairs) => pairs.is_empty(),
            Value::ZSet(pairs) => pairs.is_empty(),
            Value::String(_) | Value::Stream(_) | Value::Module(_) => false,
        }
    }
}
