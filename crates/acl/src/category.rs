//! The categories of commands, and sets of them.

/// Every category, in the order of `ACL CAT`: those of Redis, then those of its modules that are
/// part of this server. Which of several is used to describe a user depends on this order too.
pub const CATEGORIES: [&str; 24] = [
    "keyspace",
    "read",
    "write",
    "set",
    "sortedset",
    "list",
    "hash",
    "string",
    "bitmap",
    "hyperloglog",
    "geo",
    "stream",
    "pubsub",
    "admin",
    "fast",
    "slow",
    "blocking",
    "dangerous",
    "connection",
    "transaction",
    "scripting",
    "json",
    "graph",
    "folio",
];

/// How many of them are those of Redis.
pub(crate) const OF_REDIS: usize = 21;

/// Categories as a set: a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Categories(u32);

impl Categories {
    /// The set of these names; a name that is none is left out.
    pub fn of<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let places = names.into_iter().filter_map(|name| find(name.as_bytes()));
        Categories(places.fold(0, |bits, at| bits | 1 << at))
    }

    /// Whether the category at this place of [`CATEGORIES`] is in the set.
    pub fn has(self, at: usize) -> bool {
        self.0 & (1 << at) != 0
    }
}

/// The place of a category of this name, in any case.
pub(crate) fn find(name: &[u8]) -> Option<usize> {
    CATEGORIES.iter().position(|category| category.as_bytes().eq_ignore_ascii_case(name))
}
