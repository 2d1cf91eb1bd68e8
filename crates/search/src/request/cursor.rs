//! Cursors and profiles: what wraps a request.

use super::{Aggregate, Search};
use crate::arguments::{self, Arguments};
use crate::error::{Error, Result};

/// Rows that a read returns unless it says otherwise.
const DEFAULT_COUNT: usize = 1000;
/// The longest that a cursor is kept without a read, in milliseconds, and how long it is kept
/// unless a request says otherwise.
const MAX_IDLE: u64 = 300_000;

/// `WITHCURSOR [COUNT n] [MAXIDLE ms]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CursorOptions {
    /// Rows of a reply.
    pub count: usize,
    /// Milliseconds.
    pub max_idle: u64,
}

/// `FT.CURSOR READ idx id [COUNT n]` and `FT.CURSOR DEL idx id`, after the index's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CursorRead {
    pub id: u64,
    /// `COUNT`, if it is not that of the cursor.
    pub count: Option<usize>,
    /// `MAXIDLE`, which redis-py sends.
    pub max_idle: Option<u64>,
}

/// `FT.PROFILE idx SEARCH|AGGREGATE [LIMITED] QUERY …`.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// `LIMITED`: iterators of unions are left out.
    pub limited: bool,
    pub request: Profiled,
}

/// What is profiled.
#[derive(Clone, Debug, PartialEq)]
pub enum Profiled {
    Search(Box<Search>),
    Aggregate(Box<Aggregate>),
}

fn count(words: &mut Arguments<'_>) -> Result<usize> {
    match words.count("COUNT")? {
        0 => Err(arguments::out_of_bounds("COUNT")),
        count => Ok(count),
    }
}

fn max_idle(words: &mut Arguments<'_>) -> Result<u64> {
    let idle = words.count("MAXIDLE")? as u64;
    // Zero and what is longer than is allowed mean the longest, as in Redis.
    Ok(if idle == 0 { MAX_IDLE } else { idle.min(MAX_IDLE) })
}

impl CursorOptions {
    /// Takes the options after `WITHCURSOR`.
    pub(super) fn take(words: &mut Arguments<'_>) -> Result<Self> {
        let mut options = Self { count: DEFAULT_COUNT, max_idle: MAX_IDLE };
        loop {
            if words.take("COUNT") {
                options.count = count(words)?;
            } else if words.take("MAXIDLE") {
                options.max_idle = max_idle(words)?;
            } else {
                return Ok(options);
            }
        }
    }
}

impl CursorRead {
    /// Reads everything after the index's name.
    ///
    /// # Errors
    /// What Redis answers.
    pub fn parse(words: &[&[u8]]) -> Result<Self> {
        let mut words = Arguments::new(words);
        let id = words.next().and_then(|word| std::str::from_utf8(word).ok()?.parse().ok());
        let id = id.ok_or_else(|| Error::new("Bad cursor ID"))?;
        let mut read = Self { id, count: None, max_idle: None };
        while let Some(word) = words.peek() {
            if words.take("COUNT") {
                read.count = Some(count(&mut words)?);
            } else if words.take("MAXIDLE") {
                read.max_idle = Some(max_idle(&mut words)?);
            } else {
                return Err(arguments::unknown(word));
            }
        }
        Ok(read)
    }
}

impl Profile {
    /// Reads everything after the index's name.
    ///
    /// # Errors
    /// What Redis answers.
    pub fn parse(words: &[&[u8]]) -> Result<Self> {
        let mut words = Arguments::new(words);
        let is_search = words.take("SEARCH");
        if !is_search && !words.take("AGGREGATE") {
            return Err(Error::new("No `SEARCH` or `AGGREGATE` provided"));
        }
        let limited = words.take("LIMITED");
        if !words.take("QUERY") {
            return Err(Error::new("The QUERY keyword is expected"));
        }
        let request = match is_search {
            true => Profiled::Search(Box::new(Search::parse(words.rest())?)),
            false => Profiled::Aggregate(Box::new(Aggregate::parse(words.rest())?)),
        };
        Ok(Self { limited, request })
    }
}
