//! Keys in the order of their names, as commands about ranges ask for them.
//!
//! The names come from an index, what the keys hold from the keyspace: so a range is read in two
//! steps, and between them a key may go. A range is no snapshot.

use base::{CmdError, Key, Keyspace, Kind, Reply};

pub use index::{Edge, KeyList, Span};

use crate::Json;

/// What a key holds, as far as ranges care.
#[derive(Clone, Copy)]
pub enum Held<'a> {
    /// A string.
    Text(&'a [u8]),
    /// A document.
    Json(&'a Json),
    /// Something of this type.
    Other(Kind),
}

impl Held<'_> {
    /// The type of the value.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Held::Text(_) => Kind::String,
            Held::Json(_) => Kind::Json,
            Held::Other(kind) => *kind,
        }
    }
}

/// Hosts that know the order of their keys. All methods act on the current database.
pub trait Ordered: Keyspace {
    /// Adds the first names of a span, at most so many, or the last ones, the last first. There may
    /// be names among them of keys that are past their deadline or that the user may not see.
    ///
    /// # Errors
    /// There is no index.
    fn names(
        &mut self,
        span: Span<'_>,
        reverse: bool,
        most: usize,
        names: &mut KeyList,
    ) -> Result<(), CmdError>;

    /// Answers the names of a span as an array, as [`Ordered::names`] has them, up to a limit.
    /// `false` if there are more than so many, or too many to be answered in one step: then nothing
    /// is written.
    ///
    /// # Errors
    /// There is no index.
    fn answer_names(
        &mut self,
        span: Span<'_>,
        reverse: bool,
        limit_and_most: (usize, usize),
        out: &mut dyn Reply,
    ) -> Result<bool, CmdError>;

    /// How many keys of a span there are, past their deadline or not, whether the user may see them
    /// or not. A few descents, whatever is in it.
    ///
    /// # Errors
    /// There is no index.
    fn count_names(&mut self, span: Span<'_>) -> Result<usize, CmdError>;

    /// How many keys of a span are counted although they are past their deadline; `None` if that is
    /// found out more quickly by looking at each of its `names` keys.
    fn count_overdue(&mut self, span: Span<'_>, names: usize) -> Option<usize>;

    /// Whether any key has a deadline: if not, all names are of keys that are there.
    fn any_expires(&mut self) -> bool;

    /// Whether the user who asks may do to any key what the request does.
    fn may_all(&self) -> bool;

    /// Whether the user who asks may do that to this key.
    fn may(&self, key: &[u8]) -> bool;

    /// The most keys of one reply.
    fn most_replied(&self) -> usize;

    /// Shows what the keys of these names hold, by their numbers and in no order; those that are
    /// missing are not shown. It does not count as use.
    fn look_at(&mut self, names: &KeyList, show: &mut dyn FnMut(usize, Held<'_>));

    /// Runs something while nothing else happens to these keys: all of it is one step to others.
    fn hold<R>(&mut self, names: &KeyList, work: impl FnOnce(&mut Self) -> R) -> R;

    /// Whether steps must stop now: nothing may be changed any more, for a while.
    fn must_stop(&self) -> bool;

    /// Deletes a key inside such a step, and notifies all clients that it concerns; whether it was
    /// there.
    fn delete(&mut self, key: Key<'_>) -> bool;

    /// A name with its hash.
    fn key_of<'k>(&self, name: &'k [u8]) -> Key<'k>;
}
