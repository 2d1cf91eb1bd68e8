//! How clients write the bounds of ranges: by rank, by score, by member.
//!
//! Parsing only; what a bound means is known to the type. As Redis reads bounds as C strings, a
//! zero byte ends a score and the signs `-` and `+`.

use std::ops::Range;

use base::{CmdError, error, num};
use types::zset::{LexBound, ScoreBound};

/// Two bounds of scores, lower one first.
pub(super) type Scores = (ScoreBound, ScoreBound);

/// Two bounds of members, lower one first.
pub(super) type Members<'a> = (LexBound<'a>, LexBound<'a>);

/// The range of scores from `min` to `max`; `(` in front of either excludes it.
///
/// # Errors
/// Either is not a number.
pub(super) fn scores(min: &[u8], max: &[u8]) -> Result<Scores, CmdError> {
    let bound = |text: &[u8]| match text {
        [b'(', score @ ..] => num::parse_bound(score).map(ScoreBound::Excluded),
        score => num::parse_bound(score).map(ScoreBound::Included),
    };
    bound(min).zip(bound(max)).ok_or(error::MIN_MAX_NOT_FLOAT)
}

/// The range of members from `min` to `max`: `-`, `+`, `[member` or `(member`.
///
/// # Errors
/// Either is none of these.
pub(super) fn members<'a>(min: &'a [u8], max: &'a [u8]) -> Result<Members<'a>, CmdError> {
    lex(min).zip(lex(max)).ok_or(error::MIN_MAX_NOT_STRING)
}

fn lex(text: &[u8]) -> Option<LexBound<'_>> {
    match text {
        [b'-'] | [b'-', 0, ..] => Some(LexBound::First),
        [b'+'] | [b'+', 0, ..] => Some(LexBound::Last),
        [b'[', member @ ..] => Some(LexBound::Included(member)),
        [b'(', member @ ..] => Some(LexBound::Excluded(member)),
        _ => None,
    }
}

/// The ranks from `start` to `stop`, both included, as far as there are any among `len`;
/// negative ones count from the end.
pub(super) fn ranks(start: i64, stop: i64, len: usize) -> Range<usize> {
    let signed = i64::try_from(len).unwrap_or(i64::MAX);
    let from_end = |at: i64| if at < 0 { signed.saturating_add(at) } else { at };
    let (start, stop) = (from_end(start).max(0), from_end(stop).min(signed - 1));
    match (usize::try_from(start), usize::try_from(stop)) {
        (Ok(start), Ok(stop)) if start <= stop => start..stop + 1,
        _ => 0..0,
    }
}

/// Whether a range that ends at `max` still reaches `member`.
pub(super) fn reaches(max: LexBound<'_>, member: &[u8]) -> bool {
    match max {
        LexBound::First => false,
        LexBound::Last => true,
        LexBound::Included(max) => member <= max,
        LexBound::Excluded(max) => member < max,
    }
}

/// Whether a range that begins at `min` leaves `member` out.
pub(super) fn starts_above(min: LexBound<'_>, member: &[u8]) -> bool {
    match min {
        LexBound::First => false,
        LexBound::Last => true,
        LexBound::Included(min) => member < min,
        LexBound::Excluded(min) => member <= min,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_of_scores() {
        let unbounded =
            Ok((ScoreBound::Included(f64::NEG_INFINITY), ScoreBound::Excluded(f64::INFINITY)));
        assert_eq!(scores(b"-inf", b"(+inf"), unbounded);
        assert_eq!(
            scores(b"(", b"1\0x"),
            Ok((ScoreBound::Excluded(0.0), ScoreBound::Included(1.0)))
        );
        for bad in ["nan", "(nan", "x", "1x", "((1", "1 "] {
            assert_eq!(scores(bad.as_bytes(), b"1"), Err(error::MIN_MAX_NOT_FLOAT), "{bad}");
            assert_eq!(scores(b"1", bad.as_bytes()), Err(error::MIN_MAX_NOT_FLOAT), "{bad}");
        }
    }

    #[test]
    fn bounds_of_members() {
        assert_eq!(members(b"-", b"+\0x"), Ok((LexBound::First, LexBound::Last)));
        let empty = (LexBound::Included(&b""[..]), LexBound::Excluded(&b"a\0"[..]));
        assert_eq!(members(b"[", b"(a\0"), Ok(empty));
        for bad in ["", "a", "+a", "-a"] {
            assert_eq!(members(bad.as_bytes(), b"+"), Err(error::MIN_MAX_NOT_STRING), "{bad}");
            assert_eq!(members(b"-", bad.as_bytes()), Err(error::MIN_MAX_NOT_STRING), "{bad}");
        }
    }

    #[test]
    fn ranges_of_ranks() {
        for (start, stop, len, wanted) in [
            (0, -1, 3, 0..3),
            (-2, -1, 3, 1..3),
            (-9, 9, 3, 0..3),
            (1, 1, 3, 1..2),
            (2, 1, 3, 0..0),
            (3, 9, 3, 0..0),
            (0, -4, 3, 0..0),
            (0, -1, 0, 0..0),
            (i64::MIN, i64::MAX, 2, 0..2),
            (i64::MAX, i64::MIN, 2, 0..0),
        ] {
            assert_eq!(ranks(start, stop, len), wanted, "{start} {stop} of {len}");
        }
    }
}
