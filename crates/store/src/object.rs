//! What a key can hold, beyond a short string: the one closed list of types.
//!
//! ```text
//!   | type | form | * * * * * * * * | - - - - - - |      16 bytes, of which 10 are used
//! ```
//!
//! Every key with a collection pays for a box of this, so it is of the smallest class there is: a
//! type is a tag and one pointer, and what it needs beyond that lies behind the pointer.

use base::{DataType, Kind};
use table::{Content, EntryRef, UnalignedBox, size_class};
use types::{Hash, Json, List, Set, Stream, ZSet};

/// The value of an entry that is not a short inline string. A new type is one line here, one in
/// each function below, and one `holds!` line in `collections.rs`.
#[derive(Clone)]
pub enum Object {
    /// A string longer than [`crate::INLINE_MAX`].
    Str(UnalignedBox<Vec<u8>>),
    /// Fields with values.
    Hash(Hash),
    /// Sequence.
    List(List),
    /// Distinct members.
    Set(Set),
    /// Members by score.
    ZSet(ZSet),
    /// Entries by id, and groups.
    Stream(Stream),
    /// A JSON document.
    Json(Json),
}

const _: () = assert!(size_of::<Object>() == 16, "millions of keys pay for every word here");

impl Object {
    /// A string longer than [`crate::INLINE_MAX`].
    #[must_use]
    pub fn string(bytes: Vec<u8>) -> Object {
        Object::Str(UnalignedBox::new(bytes))
    }

    /// The type.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Object::Str(_) => Kind::String,
            Object::Hash(_) => Kind::Hash,
            Object::List(_) => Kind::List,
            Object::Set(_) => Kind::Set,
            Object::ZSet(_) => Kind::ZSet,
            Object::Stream(_) => Kind::Stream,
            Object::Json(_) => Kind::Json,
        }
    }

    /// Heap bytes owned behind the box. O(1).
    #[must_use]
    pub fn memory(&self) -> usize {
        match self {
            Object::Str(bytes) => size_class(size_of::<Vec<u8>>()) + bytes.capacity(),
            Object::Hash(value) => value.memory(),
            Object::List(value) => value.memory(),
            Object::Set(value) => value.memory(),
            Object::ZSet(value) => value.memory(),
            Object::Stream(value) => value.memory(),
            Object::Json(value) => value.memory(),
        }
    }

    /// Bytes of what an entry holds, wherever they lie. O(1).
    pub(crate) fn memory_of(entry: &EntryRef<'_, Object>) -> usize {
        match entry.content() {
            Content::Bytes(bytes) => bytes.len(),
            Content::Object(object) => object.memory(),
        }
    }

    /// The name `OBJECT ENCODING` answers.
    #[must_use]
    pub fn encoding(&self) -> &'static str {
        match self {
            Object::Str(_) => "raw",
            Object::Hash(value) => value.encoding(),
            Object::List(value) => value.encoding(),
            Object::Set(value) => value.encoding(),
            Object::ZSet(value) => value.encoding(),
            Object::Stream(value) => value.encoding(),
            Object::Json(value) => value.encoding(),
        }
    }

    /// How many allocations freeing it will visit, roughly.
    #[must_use]
    pub fn free_effort(&self) -> usize {
        match self {
            Object::Str(_) => 1,
            Object::Hash(value) => value.free_effort(),
            Object::List(value) => value.free_effort(),
            Object::Set(value) => value.free_effort(),
            Object::ZSet(value) => value.free_effort(),
            Object::Stream(value) => value.free_effort(),
            Object::Json(value) => value.free_effort(),
        }
    }

    /// Whether it is an empty collection, which no key may hold.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Object::Str(_) => false,
            Object::Hash(value) => value.is_empty(),
            Object::List(value) => value.is_empty(),
            Object::Set(value) => value.is_empty(),
            Object::ZSet(value) => value.is_empty(),
            Object::Stream(value) => value.is_empty(),
            Object::Json(value) => value.is_empty(),
        }
    }
}
