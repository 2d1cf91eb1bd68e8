//! Keyspace events: what a command tells those who listen to changes of keys.
//!
//! An event is a name, given by the command, and a class, by which `notify-keyspace-events` chooses
//! what is published. Commands tell events through [`crate::Keyspace::notify`] and its companions;
//! the host that runs them decides whether a client is notified.

/// What kind of event it is: a letter of `notify-keyspace-events`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// `g`: about keys whatever they hold, as `del`, `expire`, `rename_from`.
    Generic,
    /// `$`: strings.
    String,
    /// `l`: lists.
    List,
    /// `s`: sets.
    Set,
    /// `h`: hashes.
    Hash,
    /// `z`: sorted sets.
    ZSet,
    /// `x`: a key's deadline has passed and it was deleted.
    Expired,
    /// `e`: a key was deleted to make room.
    Evicted,
    /// `t`: streams.
    Stream,
    /// `m`: a key that was to be read is missing.
    Missed,
    /// `n`: a key has come into being. Told by the host, never by a command that creates one.
    New,
    /// `d`: types that Redis has from modules, as JSON documents.
    Module,
}

impl Class {
    /// All of them.
    pub const ALL: [Class; 12] = [
        Class::Generic,
        Class::String,
        Class::List,
        Class::Set,
        Class::Hash,
        Class::ZSet,
        Class::Expired,
        Class::Evicted,
        Class::Stream,
        Class::Missed,
        Class::New,
        Class::Module,
    ];

    /// Its letter in `notify-keyspace-events`.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Class::Generic => 'g',
            Class::String => '$',
            Class::List => 'l',
            Class::Set => 's',
            Class::Hash => 'h',
            Class::ZSet => 'z',
            Class::Expired => 'x',
            Class::Evicted => 'e',
            Class::Stream => 't',
            Class::Missed => 'm',
            Class::New => 'n',
            Class::Module => 'd',
        }
    }

    /// A bit of its own, from the lowest up.
    #[inline]
    #[must_use]
    pub const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// Something that happened to a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its class.
    pub class: Class,
    /// Its name.
    pub name: &'static str,
    /// The key's database.
    pub db: usize,
    /// The key.
    pub key: Box<[u8]>,
}
