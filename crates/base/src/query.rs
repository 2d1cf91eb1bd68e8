//! Queries: commands that read for longer than a shard may be held.
//!
//! ```text
//!   under the shard's lock   the command takes a version, and returns what is left to be done
//!   without any lock         that reads the version and writes the reply, on a thread for queries
//! ```
//!
//! A command does not know where the rest of it runs: inside a transaction or a script that is
//! where the command runs, otherwise the client waits for another thread. It asks its [`Pace`]
//! every so often, and ends when it is told to.

use std::fmt;
use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use crate::{CmdError, Reply, Version, VersionPlace, error};

/// What a query asks while it runs.
pub trait Pace {
    /// Whether it goes on: asked after each piece of work, of a millisecond at most. `out` is what
    /// it has written so far, and `holds` how many bytes it holds beside that and its version.
    ///
    /// # Errors
    /// It is to end, with this: its client has gone, its reply is too long, the server ends, or
    /// its version is given up.
    fn go_on(&mut self, out: &dyn Reply, holds: usize) -> Result<(), CmdError>;

    /// How long it has run.
    fn elapsed(&self) -> Duration;

    /// What a statement of a query language may take.
    fn bounds(&self) -> QueryBounds {
        QueryBounds::default()
    }

    /// A file that a statement reads, by its path in the folder for such files.
    ///
    /// # Errors
    /// There is no such file, or no folder, or it cannot be read.
    fn open(&self, _path: &str) -> Result<Box<dyn Read>, CmdError> {
        Err(error::NO_IMPORTS)
    }
}

/// What a statement of a query language may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryBounds {
    /// How long it may run, if it says nothing itself; `None`: as long as it takes.
    pub time: Option<Duration>,
    /// How long it may ask to run; `None`: as long as it likes.
    pub most_time: Option<Duration>,
    /// Bytes that it may keep beside what it reads.
    pub memory: usize,
    /// How many rows it answers at most.
    pub rows: usize,
}

impl Default for QueryBounds {
    fn default() -> Self {
        QueryBounds { time: None, most_time: None, memory: usize::MAX, rows: usize::MAX }
    }
}

type Work = dyn FnOnce(&[&[u8]], &mut dyn Pace, &mut dyn Reply) -> Result<(), CmdError> + Send;

/// What is left to be done of a command that has taken a version.
pub struct Query {
    version: VersionPlace,
    work: Box<Work>,
}

impl Query {
    /// A query over a version: what is left of a command that has written nothing yet, and whose
    /// spec says [`Property::RunsAsQuery`](crate::Property::RunsAsQuery). What `work` has written
    /// when it fails is taken back.
    #[must_use]
    pub fn over<F, W>(version: Version<F>, work: W) -> Self
    where
        F: Send + Sync + 'static,
        W: FnOnce(&F, &mut dyn Pace, &mut dyn Reply) -> Result<(), CmdError> + Send + 'static,
    {
        Query::over_with_words(version, move |value, _, pace, out| work(value, pace, out))
    }

    /// The same of a command that needs the words of its request, its name first, where it goes on:
    /// they may be long, and what begins a query keeps none of them while it holds a shard.
    #[must_use]
    pub fn over_with_words<F, W>(version: Version<F>, work: W) -> Self
    where
        F: Send + Sync + 'static,
        W: FnOnce(&F, &[&[u8]], &mut dyn Pace, &mut dyn Reply) -> Result<(), CmdError>
            + Send
            + 'static,
    {
        let place = version.place().clone();
        let work = move |words: &[&[u8]], pace: &mut dyn Pace, out: &mut dyn Reply| {
            work(&version, words, pace, out)
        };
        Query { version: place, work: Box::new(work) }
    }

    /// The same over a version that is kept for further requests: see
    /// [`Leases`](crate::Leases).
    #[must_use]
    pub fn over_kept<F, W>(version: Arc<Version<F>>, work: W) -> Self
    where
        F: Send + Sync + 'static,
        W: FnOnce(&Arc<Version<F>>, &mut dyn Pace, &mut dyn Reply) -> Result<(), CmdError>
            + Send
            + 'static,
    {
        let place = version.place().clone();
        let work =
            move |_: &[&[u8]], pace: &mut dyn Pace, out: &mut dyn Reply| work(&version, pace, out);
        Query { version: place, work: Box::new(work) }
    }

    /// Its version.
    #[must_use]
    pub fn version(&self) -> &VersionPlace {
        &self.version
    }

    /// Does it, for the request with these words. The version has ended then.
    ///
    /// # Errors
    /// What to answer instead of what was written.
    pub fn run(
        self,
        words: &[&[u8]],
        pace: &mut dyn Pace,
        out: &mut dyn Reply,
    ) -> Result<(), CmdError> {
        pace.go_on(&*out, 0)?;
        (self.work)(words, pace, out)
    }
}

impl fmt::Debug for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Query").field("version", &self.version.number()).finish_non_exhaustive()
    }
}

/// Each has a version of its own.
impl PartialEq for Query {
    fn eq(&self, other: &Self) -> bool {
        self.version.number() == other.version.number()
    }
}
