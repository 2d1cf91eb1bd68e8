//! How far a text has been read. What reads it says each step, and is told now and then that it is
//! to end: a long text takes as long as a statement that does much.

use std::cell::Cell;

/// After so many steps it is asked whether to go on: some tenths of a millisecond.
const PIECE: usize = 1 << 10;
/// What a token of a text becomes at most, about, in bytes: a part of a tree, of a plan, a value.
pub const PER_TOKEN: usize = 256;
/// What a step makes, about: a token is taken four times, by the lexer, the parser, the check and
/// what binds names.
const PER_STEP: usize = PER_TOKEN / 4;

/// How far a text has been read, and what is asked meanwhile.
///
/// ```
/// use kvist_graph::cypher::{Progress, header, statement};
/// let text = format!("RETURN {}1", "1 + ".repeat(10_000));
/// assert!(statement(&text, 0, &Progress::within(1 << 30)).is_ok());
/// let ended = |_holds: usize| false;
/// let progress = Progress::new(1 << 30, &ended);
/// // What it came to says nothing then.
/// let _ = statement(&text, 0, &progress);
/// assert!(progress.has_ended());
/// ```
pub struct Progress<'a> {
    /// How many tokens there may be.
    most: usize,
    go_on: &'a dyn Fn(usize) -> bool,
    steps: Cell<usize>,
    ended: Cell<bool>,
}

impl<'a> Progress<'a> {
    /// Of a text that may become so many bytes, about. `go_on` is told how many it has become, and
    /// says whether to go on.
    pub fn new(memory: usize, go_on: &'a dyn Fn(usize) -> bool) -> Self {
        Progress { most: memory / PER_TOKEN, go_on, steps: Cell::new(0), ended: Cell::new(false) }
    }

    /// How many tokens the text may have.
    pub fn most(&self) -> usize {
        self.most
    }

    /// A step more. `false`: it is to end, and what it has come to is not looked at.
    #[inline]
    pub fn step(&self) -> bool {
        let steps = self.steps.get() + 1;
        self.steps.set(steps);
        if steps.is_multiple_of(PIECE) && !self.has_ended() {
            self.ended.set(!(self.go_on)(steps.saturating_mul(PER_STEP)));
        }
        !self.has_ended()
    }

    /// Whether it was to end.
    pub fn has_ended(&self) -> bool {
        self.ended.get()
    }
}

impl Progress<'static> {
    /// Of a text that may become so many bytes, about, and is read to its end.
    pub fn within(memory: usize) -> Self {
        Progress::new(memory, &|_| true)
    }
}
