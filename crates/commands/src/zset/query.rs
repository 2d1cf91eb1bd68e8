//! What all of ZRANGE's relatives ask for: a range by rank, score or member, from either end,
//! with an offset and a limit.

use std::ops::Range;

use base::{Args, CmdError, Key, error, num};
use types::ZSet;
use types::zset::LexBound;

use super::bounds::{self, Members, Scores};

/// What the bounds of a range are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    Rank,
    Score,
    Lex,
}

/// What a command's name says already, and what its options may still say.
#[derive(Clone, Copy, Default)]
pub(super) struct Fixed {
    /// `None`: the options BYSCORE and BYLEX decide.
    pub by: Option<By>,
    /// `None`: the option REV decides.
    pub descending: Option<bool>,
    /// Scores are stored anyway, and no option.
    pub store: bool,
}

/// A range of a sorted set.
pub(super) struct Query<'a> {
    pub key: Key<'a>,
    pub descending: bool,
    pub with_scores: bool,
    bounds: Bounds<'a>,
    offset: i64,
    limit: i64,
}

enum Bounds<'a> {
    Ranks(i64, i64),
    Scores(Scores),
    Members(Members<'a>),
}

impl<'a> Query<'a> {
    /// Reads the key, two bounds and options.
    ///
    /// # Errors
    /// Options that do not fit, then bounds that are malformed.
    pub fn parse(mut args: Args<'a>, fixed: Fixed) -> Result<Self, CmdError> {
        let (key, first, second) = (args.key()?, args.next()?, args.next()?);
        let (mut by, mut descending) = (fixed.by, fixed.descending);
        let (mut with_scores, mut offset, mut limit) = (false, 0, -1);
        while args.left() > 0 {
            if !fixed.store && args.token("WITHSCORES") {
                with_scores = true;
            } else if args.left() > 2 && args.token("LIMIT") {
                (offset, limit) = (args.integer()?, args.integer()?);
            } else if descending.is_none() && args.token("REV") {
                descending = Some(true);
            } else if by.is_none() && args.token("BYLEX") {
                by = Some(By::Lex);
            } else if by.is_none() && args.token("BYSCORE") {
                by = Some(By::Score);
            } else {
                return Err(error::SYNTAX);
            }
        }
        let (by, descending) = (by.unwrap_or(By::Rank), descending.unwrap_or(false));
        if by == By::Rank && limit != -1 {
            return Err(error::ZRANGE_LIMIT);
        }
        if by == By::Lex && with_scores {
            return Err(error::ZRANGE_LEX_SCORES);
        }
        // A descending range is written from its upper end.
        let (min, max) = if descending { (second, first) } else { (first, second) };
        let bounds = match by {
            By::Rank => Bounds::Ranks(integer(first)?, integer(second)?),
            By::Score => Bounds::Scores(bounds::scores(min, max)?),
            By::Lex => Bounds::Members(bounds::members(min, max)?),
        };
        Ok(Query { key, descending, with_scores, bounds, offset, limit })
    }

    /// Whether the bounds are ranks.
    pub fn is_by_rank(&self) -> bool {
        matches!(self.bounds, Bounds::Ranks(..))
    }

    /// The ranks of the members asked for. O(log N), and O(offset) more if a range by member ends
    /// before the offset.
    pub fn ranks(&self, zset: &ZSet) -> Range<usize> {
        let found = match self.bounds {
            Bounds::Ranks(start, stop) => {
                let ranks = bounds::ranks(start, stop, zset.len());
                if !self.descending {
                    return ranks;
                }
                return zset.len() - ranks.end..zset.len() - ranks.start;
            }
            Bounds::Scores((min, max)) => zset.score_ranks(min, max),
            Bounds::Members((min, max)) if self.descending => zset.lex_ranks_rev(min, max),
            Bounds::Members((min, max)) => zset.lex_ranks(min, max),
        };
        // A negative offset is one that no range reaches; a negative limit is none.
        let Ok(offset) = usize::try_from(self.offset) else { return 0..0 };
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        if let Bounds::Members(range) = self.bounds
            && !found.is_empty()
            && offset >= found.len()
        {
            return self.beyond(zset, range, found, offset, limit);
        }
        if self.descending {
            let end = found.end.saturating_sub(offset).max(found.start);
            end.saturating_sub(limit).max(found.start)..end
        } else {
            let start = found.start.saturating_add(offset).min(found.end);
            start..start.saturating_add(limit).min(found.end)
        }
    }

    /// The ranks behind an offset that leads out of a range of members. As Redis skips without
    /// looking, there are some if scores differ and members beyond happen to lie in the range.
    fn beyond(
        &self,
        zset: &ZSet,
        (min, max): (LexBound<'_>, LexBound<'_>),
        found: Range<usize>,
        offset: usize,
        limit: usize,
    ) -> Range<usize> {
        if self.descending {
            let Some(end) = found.end.checked_sub(offset) else { return 0..0 };
            let walk = zset.range(0..end).rev().take(limit);
            end - walk.take_while(|(member, _)| !bounds::starts_above(min, member)).count()..end
        } else {
            let start = found.start.saturating_add(offset);
            let walk = zset.range(start..zset.len()).take(limit);
            let count = walk.take_while(|(member, _)| bounds::reaches(max, member)).count();
            start..start.saturating_add(count)
        }
    }
}

fn integer(text: &[u8]) -> Result<i64, CmdError> {
    num::parse_i64(text).ok_or(error::NOT_INTEGER)
}
