//! Bounds of ranges by score and by member.

/// A bound of a range of scores. Infinite scores are bounds like others; NaN is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ScoreBound {
    /// The range includes this score.
    Included(f64),
    /// The range ends right before this score, or begins right after it.
    Excluded(f64),
}

impl ScoreBound {
    /// The score.
    #[must_use]
    pub fn score(self) -> f64 {
        match self {
            ScoreBound::Included(score) | ScoreBound::Excluded(score) => score,
        }
    }

    /// Whether a range that begins here leaves `score` out.
    #[inline]
    pub(super) fn is_above(self, score: f64) -> bool {
        match self {
            ScoreBound::Included(min) => score < min,
            ScoreBound::Excluded(min) => score <= min,
        }
    }

    /// Whether a range that ends here still reaches `score`.
    #[inline]
    pub(super) fn reaches(self, score: f64) -> bool {
        match self {
            ScoreBound::Included(max) => score <= max,
            ScoreBound::Excluded(max) => score < max,
        }
    }
}

/// A bound of a range of members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LexBound<'a> {
    /// `-`: before all members.
    First,
    /// `+`: after all members.
    Last,
    /// `[member`.
    Included(&'a [u8]),
    /// `(member`.
    Excluded(&'a [u8]),
}

impl LexBound<'_> {
    /// Whether a range that begins here leaves `member` out.
    #[inline]
    pub(super) fn is_above(self, member: &[u8]) -> bool {
        match self {
            LexBound::First => false,
            LexBound::Last => true,
            LexBound::Included(min) => member < min,
            LexBound::Excluded(min) => member <= min,
        }
    }

    /// Whether a range that ends here still reaches `member`.
    #[inline]
    pub(super) fn reaches(self, member: &[u8]) -> bool {
        match self {
            LexBound::First => false,
            LexBound::Last => true,
            LexBound::Included(max) => member <= max,
            LexBound::Excluded(max) => member < max,
        }
    }

    /// Whether a range from `self` to `max` holds nothing whatever the members are.
    pub(super) fn excludes_all(self, max: LexBound<'_>) -> bool {
        match (self, max) {
            (LexBound::Last, _) | (_, LexBound::First) => true,
            (LexBound::First, _) | (_, LexBound::Last) => false,
            (LexBound::Included(min), LexBound::Included(max)) => min > max,
            (
                LexBound::Included(min) | LexBound::Excluded(min),
                LexBound::Included(max) | LexBound::Excluded(max),
            ) => min >= max,
        }
    }
}
