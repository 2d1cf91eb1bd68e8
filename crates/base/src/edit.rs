//! Edits: commands that change a value for longer than a shard may be held.
//!
//! ```text
//!   under the shard's lock   the command forks the value, and returns what is left to be done
//!   without any lock         that changes the fork and writes the reply, on a thread for queries
//!   under the shard's lock   the command runs once more, and has the value become what the fork is
//! ```
//!
//! As with a [`Query`](crate::Query) the command does not know where this happens: inside a
//! transaction or a script all three are one. Elsewhere others may have changed the value before
//! it is installed; then it is all done again, from a fork of what is there now. So what a client
//! sees is what it would see if its command had run in the moment in which it is installed.

use std::any::Any;
use std::cell::RefCell;
use std::fmt;

use crate::{CmdError, Pace, Reply};

type Work = dyn FnOnce(&[&[u8]], &mut dyn Pace, &mut dyn Reply) -> Result<Edited, CmdError> + Send;

/// What is left to be done of a command that has forked its key's value.
pub struct Edit(Box<Work>);

impl Edit {
    /// What is left of a command that has written nothing yet, and whose spec says
    /// [`Property::RunsAsQuery`](crate::Property::RunsAsQuery). What `work` has written when it
    /// fails is taken back, and what it was to return is dropped: nothing has happened then.
    #[must_use]
    pub fn of<F, W>(fork: F, work: W) -> Self
    where
        F: Send + 'static,
        W: FnOnce(&mut F, &mut dyn Pace, &mut dyn Reply) -> Result<(), CmdError> + Send + 'static,
    {
        Edit::of_with_words(fork, move |fork, _, pace, out| work(fork, pace, out))
    }

    /// The same of a command that needs the words of its request, its name first, where it goes on:
    /// they may be long, and what begins an edit keeps none of them while it holds a shard.
    #[must_use]
    pub fn of_with_words<F, W>(fork: F, work: W) -> Self
    where
        F: Send + 'static,
        W: FnOnce(&mut F, &[&[u8]], &mut dyn Pace, &mut dyn Reply) -> Result<(), CmdError>
            + Send
            + 'static,
    {
        let work = move |words: &[&[u8]], pace: &mut dyn Pace, out: &mut dyn Reply| {
            let mut fork = fork;
            work(&mut fork, words, pace, out)?;
            Ok(Edited(Box::new(fork)))
        };
        Edit(Box::new(work))
    }

    /// Does it, for the request with these words.
    ///
    /// # Errors
    /// What to answer instead of what was written.
    pub fn run(
        self,
        words: &[&[u8]],
        pace: &mut dyn Pace,
        out: &mut dyn Reply,
    ) -> Result<Edited, CmdError> {
        pace.go_on(&*out, 0)?;
        (self.0)(words, pace, out)
    }
}

/// A fork that has been changed.
pub struct Edited(Box<dyn Any + Send>);

/// Where a command finds what it is to install.
pub type EditedSlot = RefCell<Option<Edited>>;

impl Edited {
    /// The fork, if it is one of these.
    #[must_use]
    pub fn into_fork<F: 'static>(self) -> Option<F> {
        self.0.downcast().ok().map(|fork| *fork)
    }
}

impl fmt::Debug for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Edit").finish_non_exhaustive()
    }
}

/// Each has a fork of its own.
impl PartialEq for Edit {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(&raw const *self, &raw const *other)
    }
}
