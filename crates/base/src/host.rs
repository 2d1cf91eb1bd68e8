//! What a command may ask of the host that runs it.
//!
//! A command's `run` names in its bounds exactly what it touches: `H: Strings` or `H: Holds<Hash>`.
//! So do the rows of a family, and a host takes the families whose bounds it meets: the server's
//! store and a naive model in tests take all, a module inside another server those of the types
//! that it brings along.
//!
//! ```text
//!   Keyspace ◄─┬─ Holds<T> ◄── Shares<T> the values of one type, and versions of them
//!              │                 ◄── Forks<T>   and forks
//!              └─ Types ◄─┬─ Strings     strings, which take the place of any value
//!                         └─ Databases   keys of any type, to be walked, moved and copied
//! ```
//!
//! All methods act on the session's current database and treat a key whose deadline has passed as
//! missing. Which shards are locked was decided before the command ran (see [`Locks`]).

use std::ops::Range;
use std::sync::Arc;

use crate::{
    Class, CmdError, DataType, Forked, Key, Kind, Leases, Millis, PackLimits, QueryBounds, Rng,
    Version, Versioned,
};

/// What happens to a key's deadline when its value is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deadline {
    /// The key lives for ever.
    Clear,
    /// The key keeps the deadline it has.
    Keep,
    /// The key dies at this time.
    At(Millis),
}

/// Which shards a request must hold while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locks {
    /// The shards of its keys; the usual case.
    Keys,
    /// Every shard, for requests whose keys are not known beforehand.
    Every,
    /// None beforehand: the host locks one shard at a time while the request walks the keyspace.
    Each,
    /// None at all: the request touches no key.
    Nothing,
}

/// Hosts that have keys: what commands of any type may ask beside the values themselves.
pub trait Keyspace {
    /// The time at which the request (or its whole transaction) runs.
    fn now(&self) -> Millis;
    /// Random numbers.
    fn rng(&mut self) -> &mut Rng;
    /// When small collections change shape.
    fn limits(&self) -> PackLimits;
    /// What a statement of a query language may take. By default as much as it likes.
    fn query_bounds(&self) -> QueryBounds {
        QueryBounds::default()
    }

    /// Sets or clears the deadline; whether the key exists.
    fn set_deadline(&mut self, key: Key<'_>, deadline: Option<Millis>) -> bool;
    /// Removes the key; whether it existed. Large values are freed off the data path if `lazy`
    /// (or always, if the host prefers).
    fn remove(&mut self, key: Key<'_>, lazy: bool) -> bool;

    /// Whether the host keeps the [`Effect`](crate::Effect) of what runs now. If not, how it would
    /// be said exactly need not be worked out: that something has changed is enough.
    fn is_recorded(&self) -> bool {
        true
    }

    /// Tells clients that listen what has happened to a key of the current database. The events of
    /// a command are heard in the order in which it tells them. That a key is new or has expired
    /// the host tells by itself. A host without listeners ignores it, as it does by default.
    fn notify(&mut self, _class: Class, _event: &'static str, _key: Key<'_>) {}
    /// The same after elements were taken from a collection: it is told to be deleted, too, if the
    /// last one has gone.
    fn notify_taken(&mut self, _class: Class, _event: &'static str, _key: Key<'_>) {}
    /// A command that writes looked for a key in order to read it: tells if it is missing. Commands
    /// that only read need not say so.
    fn notify_if_missing(&self, _key: Key<'_>) {}
}

/// Hosts that know what every key holds, of whatever type that is.
pub trait Types: Keyspace {
    /// The type of the value at `key`.
    fn kind(&self, key: Key<'_>) -> Option<Kind>;
    /// The deadline of `key`: `None` if missing, `Some(None)` if it lives for ever.
    fn deadline(&self, key: Key<'_>) -> Option<Option<Millis>>;
    /// The name `OBJECT ENCODING` answers.
    fn encoding(&self, key: Key<'_>) -> Option<&'static str>;
}

/// Hosts that have all of the keyspace, in databases: what commands about keys ask, whatever the
/// keys hold.
pub trait Databases: Types {
    /// The current database.
    fn db(&self) -> usize;
    /// How many databases there are.
    fn databases(&self) -> usize;
    /// Whether a script asks.
    fn is_scripted(&self) -> bool {
        false
    }

    /// Bytes the key and its value take, table slot included.
    fn memory(&self, key: Key<'_>) -> Option<usize>;
    /// Seconds since the key was last read or written.
    fn idle_seconds(&self, key: Key<'_>) -> Option<u64>;
    /// Lets the key count as unused for this long, modulo the 194 days that are counted; whether
    /// it exists.
    fn set_idle(&mut self, key: Key<'_>, seconds: u64) -> bool;
    /// Whether uses of keys are counted, instead of remembering when the last one was.
    fn counts_uses(&self) -> bool;
    /// How often the key is used, on a logarithmic scale; `None` if it is missing or uses are not
    /// counted.
    fn frequency(&self, key: Key<'_>) -> Option<u8>;
    /// Lets the key count as used that often; whether it exists.
    fn set_frequency(&mut self, key: Key<'_>, count: u8) -> bool;
    /// Marks the key as just used; whether it exists.
    fn touch(&mut self, key: Key<'_>) -> bool;
    /// Moves value and deadline from `from` to `to`, replacing `to`. Whether `from` existed.
    fn rename(&mut self, from: Key<'_>, to: Key<'_>) -> bool;
    /// Copies value and deadline to `to` in database `db`. `false` if `from` is missing, or `to`
    /// exists and `replace` is not given.
    ///
    /// # Errors
    /// There is no room for the copy of a large value.
    fn copy(
        &mut self,
        from: Key<'_>,
        to: Key<'_>,
        db: usize,
        replace: bool,
    ) -> Result<bool, CmdError>;
    /// Moves `key` to database `db`. `false` if it is missing here or exists there.
    fn move_to(&mut self, key: Key<'_>, db: usize) -> bool;

    /// How many keys the current database holds (keys past their deadline may still count).
    fn key_count(&mut self) -> usize;
    /// Visits a slice of the current database from `cursor` (0 starts): key, type. Returns the
    /// next cursor, 0 at the end. A key that exists throughout a whole walk is visited exactly
    /// once. Needs [`Locks::Each`] or [`Locks::Every`].
    fn scan(&mut self, cursor: u64, visit: &mut dyn FnMut(&[u8], Kind)) -> u64;
    /// A random key of the current database.
    fn random_key(&mut self) -> Option<Vec<u8>>;
    /// Removes every key of database `db`, or of all; how many there were.
    fn flush(&mut self, db: Option<usize>, lazy: bool) -> usize;
    /// Exchanges two databases.
    fn swap(&mut self, a: usize, b: usize);

    /// As [`Keyspace::notify`], about a key of another database.
    fn notify_in(&mut self, _db: usize, _class: Class, _event: &'static str, _key: Key<'_>) {}
}

/// Hosts that hold strings. They stand apart from [`Holds`] because a short string has no object
/// of its own: it lies inside the key's entry.
pub trait Strings: Types {
    /// The bytes at `key`.
    ///
    /// # Errors
    /// `WRONGTYPE` if it holds something else.
    fn string(&self, key: Key<'_>) -> Result<Option<&[u8]>, CmdError>;
    /// Replaces whatever `key` holds, of any type, by these bytes.
    fn set_string(&mut self, key: Key<'_>, value: &[u8], deadline: Deadline);
    /// As `set_string` with [`Deadline::Keep`], for results of float arithmetic: the value is
    /// never reported with encoding `int`.
    fn set_float_string(&mut self, key: Key<'_>, value: &[u8]);
    /// Edits the bytes in place (`APPEND`, `SETRANGE`, `SETBIT`); a missing key starts empty.
    /// An empty result of a key that was missing creates no key. The value is from then on
    /// reported with encoding `raw`.
    ///
    /// # Errors
    /// `WRONGTYPE` if the key holds something else.
    fn edit_string<R>(
        &mut self,
        key: Key<'_>,
        edit: impl FnOnce(&mut Vec<u8>) -> R,
    ) -> Result<R, CmdError>;
    /// As `edit_string`, by an edit that leaves all bytes outside of `range` as they are. It may
    /// make the string longer, not shorter. The host can then keep what was there, for those who
    /// are copying it.
    ///
    /// # Errors
    /// `WRONGTYPE` if the key holds something else.
    fn edit_string_within<R>(
        &mut self,
        key: Key<'_>,
        range: Range<usize>,
        edit: impl FnOnce(&mut Vec<u8>) -> R,
    ) -> Result<R, CmdError> {
        let _ = range;
        self.edit_string(key, edit)
    }
}

/// Hosts that hold values of the collection type `T`.
pub trait Holds<T: DataType>: Keyspace {
    /// The value at `key`.
    ///
    /// # Errors
    /// `WRONGTYPE` if it holds something else.
    fn peek(&self, key: Key<'_>) -> Result<Option<&T>, CmdError>;
    /// Edits the value at `key`, created empty if missing and removed if empty afterwards. The
    /// end of the closure is where memory is accounted and the key is reported as touched.
    ///
    /// # Errors
    /// `WRONGTYPE` if it holds something else.
    fn edit<R>(&mut self, key: Key<'_>, edit: impl FnOnce(&mut T) -> R) -> Result<R, CmdError> {
        let mut value = self.peek(key)?.cloned().unwrap_or_default();
        let result = edit(&mut value);
        self.put(key, value, Deadline::Keep);
        Ok(result)
    }
    /// As `edit`, but a missing key is left missing: `Ok(None)`.
    ///
    /// # Errors
    /// `WRONGTYPE` if it holds something else.
    fn edit_existing<R>(
        &mut self,
        key: Key<'_>,
        edit: impl FnOnce(&mut T) -> R,
    ) -> Result<Option<R>, CmdError> {
        self.try_edit(key, |value| Some(edit(value)))
    }
    /// As `edit_existing`, by an edit that answers `None` if it has left the value as it was: that
    /// is no change for any client.
    ///
    /// # Errors
    /// `WRONGTYPE` if it holds something else.
    fn try_edit<R>(
        &mut self,
        key: Key<'_>,
        edit: impl FnOnce(&mut T) -> Option<R>,
    ) -> Result<Option<R>, CmdError>;
    /// Edits how the value at `key` is kept, not what it is: that is no change for any client. A
    /// missing key is left missing: `Ok(None)`.
    ///
    /// # Errors
    /// `WRONGTYPE` if it holds something else.
    fn reshape<R>(
        &mut self,
        key: Key<'_>,
        reshape: impl FnOnce(&mut T) -> R,
    ) -> Result<Option<R>, CmdError> {
        self.edit_existing(key, reshape)
    }
    /// Replaces whatever `key` holds, of any type; an empty value removes the key.
    fn put(&mut self, key: Key<'_>, value: T, deadline: Deadline);

    /// Lends out what values of this type share, until it is given back.
    fn take_context(&mut self) -> Box<T::Context>;
    /// Takes it back.
    fn give_context(&mut self, context: Box<T::Context>);
    /// Runs something that needs it beside the host.
    fn with_context<R>(&mut self, work: impl FnOnce(&mut Self, &mut T::Context) -> R) -> R
    where
        Self: Sized,
    {
        let mut context = self.take_context();
        let result = work(self, &mut context);
        self.give_context(context);
        result
    }
}

/// Hosts that hand out versions of the values of type `T`: what a reader keeps when it needs the
/// value for longer than the key's shard may be held.
pub trait Shares<T: Versioned>: Holds<T> {
    /// The value at `key` as it is now, to be read by whichever thread, for as long as it takes.
    /// Whatever becomes of the key, the version stays what it is.
    ///
    /// # Errors
    /// `WRONGTYPE` if it holds something else; versions keep more than they may.
    fn share(&mut self, key: Key<'_>) -> Result<Option<Version<T::Frozen>>, CmdError>;

    /// The versions that are kept from one request to the next.
    fn leases(&self) -> &Arc<Leases>;
}

/// Hosts that let values of type `T` be changed beside them: what a writer does that needs longer
/// than the key's shard may be held.
pub trait Forks<T: Forked>: Shares<T> {
    /// A fork of the value at `key` as it is now; where nothing is, one of nothing.
    ///
    /// # Errors
    /// `WRONGTYPE` if it holds something else.
    fn fork(&mut self, key: Key<'_>) -> Result<T::Fork, CmdError>;

    /// Lets the value at `key` be what a fork of it has become, and tells what was changed.
    /// `None` if it is not what it was when it was forked: then nothing has changed.
    ///
    /// # Errors
    /// `WRONGTYPE` if it holds something else.
    fn adopt(&mut self, key: Key<'_>, fork: T::Fork) -> Result<Option<T::Changes>, CmdError>;
}
