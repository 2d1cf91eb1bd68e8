//! How much work a path may do.
//!
//! A path is a program that a client sends, and short ones can be expensive: `$..*..*..*`, filters
//! inside filters, patterns over long strings. Work is counted, not timed, so that the same path on
//! the same document always ends the same way.

use super::error::PathError;

/// Work that is left: looking at a value or comparing two costs about 1.
///
/// A unit is some 50 nanoseconds where values are gathered and fewer where they are only looked at,
/// so the default is a quarter of a second at most. A caller with a large document allows
/// more: what is linear in the document is to be done.
#[derive(Clone, Debug)]
pub struct Budget {
    left: u64,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget::new(5_000_000)
    }
}

impl Budget {
    /// So many units.
    pub const fn new(units: u64) -> Budget {
        Budget { left: units }
    }

    /// Allows so many units more.
    pub const fn allow(&mut self, units: usize) {
        self.left = self.left.saturating_add(units as u64);
    }

    /// Takes so many units at once, for work that was done elsewhere.
    ///
    /// # Errors
    ///
    /// [`PathError::TooMuchWork`].
    #[inline]
    pub fn pay(&mut self, units: usize) -> Result<(), PathError> {
        ended(self.charge(units))
    }

    /// What is left.
    pub const fn left(&self) -> u64 {
        self.left
    }

    /// Takes units.
    #[inline]
    pub(super) fn charge(&mut self, units: usize) -> Flow {
        match self.left.checked_sub(units as u64) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                self.left = 0;
                Err(Stop::TooMuch)
            }
        }
    }
}

/// Why an evaluation ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The caller has what it wanted.
    Enough,
    /// The budget is used up.
    TooMuch,
}

/// What a step of an evaluation gives, unless it ended early.
pub(super) type Flow<X = ()> = Result<X, Stop>;

/// The end of an evaluation as its caller sees it.
pub(super) fn ended(flow: Flow) -> Result<(), PathError> {
    match flow {
        Ok(()) | Err(Stop::Enough) => Ok(()),
        Err(Stop::TooMuch) => Err(PathError::TooMuchWork),
    }
}
