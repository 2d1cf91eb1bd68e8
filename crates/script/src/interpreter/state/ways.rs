//! Ways of a pattern through a text.

/// A way that was not taken yet, or what is to be undone when going back.
#[derive(Clone, Copy, Debug)]
pub enum Way {
    /// One repetition less than `count` of what stood before `next`, from `start`.
    Fewer { start: usize, count: usize, next: usize },
    /// One repetition more of the item at `item`, whose end is `end`, at `at`.
    More { at: usize, item: usize, end: usize },
    /// Without the optional item: on at these places of text and pattern.
    Without { at: usize, next: usize },
    /// The last capture had not begun.
    NotBegun,
    /// This capture had not ended.
    NotEnded(usize),
}
