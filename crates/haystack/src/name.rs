//! Texts that all who say the same share: ids of records, symbols, names of tags, types.
//!
//! ```text
//!   Name ─┐
//!   Name ─┼─► one text, counted         16 registers by hash, a lock each:
//!   Name ─┘        ▲                      a set of texts, of which the set is one owner
//!                  └── register
//! ```
//!
//! A register is swept when it has doubled since the last sweep: texts that it alone still owns go.
//! So what the registers hold stays within twice what is alive, whatever clients send. What
//! counts memory counts a text where it is owned: a record's id with the record. As a text is in
//! its register while any name has it, two names are equal exactly if they are the same text in
//! memory.

use std::borrow::Borrow;
use std::collections::HashSet;
use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::Deref;
use std::sync::OnceLock;

use arcstr::ArcStr;
use foldhash::quality::RandomState;
use sync::Mutex;

use crate::Error;

/// How many registers there are.
const REGISTERS: usize = 16;
/// Texts below which a register is not swept.
const FEW: usize = 512;
/// Bytes that names have at most, commonly: those of records, and of their tags.
const COMMON: usize = 60;
/// What a text takes beside its bytes: its header, and its place in the set.
const OVERHEAD: usize = 16 + 10;

/// A shared text. Comparing two for equality compares addresses; order is that of the texts.
#[derive(Clone)]
pub struct Name(ArcStr);

struct Register {
    texts: HashSet<ArcStr, RandomState>,
    /// How many there may be before the next sweep.
    sweep_at: usize,
}

struct Registers {
    hasher: RandomState,
    parts: [Mutex<Register>; REGISTERS],
}

impl Register {
    fn new(hasher: RandomState) -> Register {
        Register { texts: HashSet::with_hasher(hasher), sweep_at: FEW }
    }

    fn name(&mut self, text: &str) -> Name {
        if let Some(found) = self.texts.get(text) {
            return Name(found.clone());
        }
        if self.texts.len() >= self.sweep_at {
            self.sweep();
        }
        let made = ArcStr::from(text);
        self.texts.insert(made.clone());
        Name(made)
    }

    /// Drops the texts that no name has any more.
    fn sweep(&mut self) {
        self.texts.retain(|text| ArcStr::strong_count(text) != Some(1));
        self.sweep_at = (self.texts.len() * 2).max(FEW);
        self.texts.shrink_to(self.sweep_at);
    }
}

fn registers() -> &'static Registers {
    static ALL: OnceLock<Registers> = OnceLock::new();
    ALL.get_or_init(|| {
        let hasher = RandomState::default();
        let parts = std::array::from_fn(|_| Mutex::new(Register::new(hasher.clone())));
        Registers { hasher, parts }
    })
}

impl Name {
    /// The name of this text.
    pub fn new(text: &str) -> Name {
        let all = registers();
        let hash = all.hasher.hash_one(text);
        // The low bits choose the place in the set.
        let part = usize::try_from(hash >> 60).unwrap_or(0) % REGISTERS;
        all.parts[part].lock().name(text)
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Bytes that its text takes, which all who say the same share.
    pub fn memory(&self) -> usize {
        self.0.len() + OVERHEAD
    }

    /// The bytes that it has beyond what names commonly have. A value counts them as its own: few
    /// say the same where it is long.
    pub fn long_part(&self) -> usize {
        self.len().saturating_sub(COMMON)
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Name) -> bool {
        ArcStr::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Name {}

impl Hash for Name {
    /// Hashes the text, so that maps can be asked for a text, too.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Name) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Name) -> std::cmp::Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

/// The name of a tag: a letter of `a-z`, then letters, digits and underscores.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tag(Name);

/// Whether a text may name a tag.
pub fn is_tag(text: &str) -> bool {
    let (first, rest) = text.as_bytes().split_first().unwrap_or((&b'-', &[]));
    first.is_ascii_lowercase() && rest.iter().all(|&byte| is_tag_byte(byte))
}

pub(crate) fn is_tag_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether a byte may be in an id or a symbol.
pub fn is_ref_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'-' | b'.' | b'~')
}

/// Whether a text may be the id of a record, without its `@`, or a symbol, without its `^`.
pub fn is_ref(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(is_ref_byte)
}

impl Tag {
    /// The tag of this name; an error if no tag may be called so.
    ///
    /// ```
    /// use kvist_haystack::Tag;
    /// assert_eq!(Tag::new("siteRef")?.as_str(), "siteRef");
    /// assert!(Tag::new("Site").is_err() && Tag::new("").is_err());
    /// # Ok::<(), kvist_haystack::Error>(())
    /// ```
    pub fn new(text: &str) -> Result<Tag, Error> {
        if is_tag(text) {
            return Ok(Tag(Name::new(text)));
        }
        let shown: String = text.chars().take(60).collect();
        Err(Error::new(format!("Invalid tag name '{shown}'")))
    }

    /// The tag of a word that is one.
    pub(crate) fn known(text: &str) -> Tag {
        Tag(Name::new(text))
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Its text as a name.
    pub fn name(&self) -> &Name {
        &self.0
    }
}

impl Borrow<str> for Tag {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl Deref for Tag {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

#[cfg(test)]
#[path = "name_tests.rs"]
mod tests;
