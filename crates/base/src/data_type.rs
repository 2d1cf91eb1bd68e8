//! What every type of value must tell the rest of the server.

/// The type of a value as `TYPE` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Bytes.
    String,
    /// Sequence of byte strings.
    List,
    /// Unordered distinct byte strings.
    Set,
    /// Distinct byte strings ordered by score.
    ZSet,
    /// Fields with values.
    Hash,
    /// Append-only log of entries.
    Stream,
    /// A JSON document.
    Json,
}

impl Kind {
    /// Every type.
    pub const ALL: [Kind; 7] =
        [Kind::String, Kind::List, Kind::Set, Kind::ZSet, Kind::Hash, Kind::Stream, Kind::Json];

    /// The type of this name, in any case.
    #[must_use]
    pub fn named(name: &[u8]) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name().as_bytes().eq_ignore_ascii_case(name))
    }

    /// The word `TYPE` answers.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::String => "string",
            Kind::List => "list",
            Kind::Set => "set",
            Kind::ZSet => "zset",
            Kind::Hash => "hash",
            Kind::Stream => "stream",
            // The name of RedisJSON's type, by which tools know that they may show a document.
            Kind::Json => "ReJSON-RL",
        }
    }
}

/// A collection that can be the value of a key.
pub trait DataType: Default + Send + 'static {
    /// Its type.
    const KIND: Kind;

    /// Whether it holds nothing; an empty collection's key is removed.
    fn is_empty(&self) -> bool;

    /// Bytes of heap it owns, excluding `size_of::<Self>()`. Must be O(1): it is read before and
    /// after every edit.
    fn memory(&self) -> usize;

    /// The name `OBJECT ENCODING` answers.
    fn encoding(&self) -> &'static str;

    /// How many elements freeing it will visit; large ones are freed off the data path.
    fn free_effort(&self) -> usize;
}
