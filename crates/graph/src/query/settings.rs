//! What a statement is told beside its text and its graph.

use std::io::Read;

use crate::temporal::Clock;
use crate::value::Map;

/// The caller of a statement: asked between batches whether it may go on, and for files.
pub trait Interrupt {
    /// Whether it may. `holds`: the bytes that it keeps and has added to a fork.
    ///
    /// # Errors
    /// It is to end, and why.
    fn check(&self, holds: usize) -> Result<(), Ended>;

    /// A file that `LOAD CSV` names, by its path in the folder for such files.
    ///
    /// # Errors
    /// It cannot be read, and why.
    fn open(&self, _path: &str) -> Result<Box<dyn Read>, Box<str>> {
        Err("there is no folder to import from".into())
    }

    /// Whether it wants to know how many relationships are looked at, and how much is copied, and
    /// is asked within the rows of a batch as well.
    fn counts(&self) -> bool {
        false
    }

    /// So many relationships will be looked at next. Only asked if it [`counts`](Self::counts).
    ///
    /// # Errors
    /// These are too many.
    fn follow(&self, _relationships: usize) -> Result<(), Ended> {
        Ok(())
    }

    /// So many bytes of stored values will be copied next, as they lie next to one that is set.
    /// Only asked if it [`counts`](Self::counts).
    ///
    /// # Errors
    /// These are too many.
    fn copy(&self, _bytes: usize) -> Result<(), Ended> {
        Ok(())
    }

    /// So much work on values comes next, or has been done since it was last told: see
    /// [`Value::units`](crate::value::Value::units). Told of some ten thousand units together, and
    /// of a larger value before it is worked at.
    ///
    /// # Errors
    /// This is too much.
    fn work(&self, _units: usize) -> Result<(), Ended> {
        Ok(())
    }
}

/// Why a statement is to end early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It has run for as long as it may.
    TimeIsUp,
    /// It was ended by a command, or by the server's end.
    Killed,
    /// Its client has gone.
    ClientLeft,
}

/// Lets every statement run to its end.
#[derive(Clone, Copy, Debug)]
pub struct NoInterrupt;

impl Interrupt for NoInterrupt {
    fn check(&self, _: usize) -> Result<(), Ended> {
        Ok(())
    }
}

/// What a statement is told beside its text and its graph.
#[derive(Clone, Copy)]
pub struct Settings<'a> {
    /// The values of `$name`.
    pub parameters: &'a Map,
    /// The time of the statement, and its zone.
    pub clock: &'a Clock,
    /// What `rand()` draws from.
    pub seed: u64,
    /// How many bytes it may keep, and add to a fork; more is an error.
    pub memory: usize,
    /// Asked between batches.
    pub interrupt: &'a dyn Interrupt,
    /// Whether the answer says how many rows each operator has made.
    pub profile: bool,
}
