//! Where the keys of a command stand among its words, and what it does with them.

use crate::named_bits::named_bits;

named_bits! {
    /// What a command does with the keys of one key spec.
    KeyFlag {
        ReadOnly = "RO",
        ReadWrite = "RW",
        Overwrite = "OW",
        Remove = "RM",
        Access = "access",
        Update = "update",
        Insert = "insert",
        Delete = "delete",
        NotKey = "not_key",
        Incomplete = "incomplete",
        VariableFlags = "variable_flags",
    }
}

/// Where the keys of a key spec begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At this position of argv.
    Index(usize),
    /// Behind this word, searched from `from` (from the end if negative).
    Keyword {
        /// The word, in any case.
        word: &'static str,
        /// Where the search begins.
        from: i32,
        /// Options that may stand before it, with how many words each has behind it. If there are
        /// any, the search goes from option to option: one of those words may be the same.
        over: &'static [(&'static str, usize)],
    },
    /// Not known from the arguments alone.
    Unknown,
}

/// Which arguments behind the start are keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Find {
    /// Every `step`-th up to `last` (relative to the start; negative: from the end of argv). With
    /// `limit` > 1 and `last` -1, only the first 1/limit of the arguments are keys.
    Range {
        /// Last key, relative to the first, or from the end if negative.
        last: i32,
        /// Distance between keys.
        step: usize,
        /// Fraction of the arguments that are keys.
        limit: usize,
    },
    /// A count stands at `index` (relative to the start), keys follow from `first`.
    Count {
        /// Where the count is.
        index: usize,
        /// Where the first key is.
        first: usize,
        /// Distance between keys.
        step: usize,
    },
    /// Not known from the arguments alone.
    Unknown,
}

/// Where keys stand in a command's arguments.
#[derive(Clone, Copy, Debug)]
pub struct KeySpec {
    /// What the command does with these keys.
    pub flags: &'static [KeyFlag],
    /// Where they begin.
    pub start: Start,
    /// Which arguments they are.
    pub find: Find,
}

impl KeySpec {
    /// One key at `index`.
    #[must_use]
    pub const fn one(index: usize, flags: &'static [KeyFlag]) -> Self {
        KeySpec {
            flags,
            start: Start::Index(index),
            find: Find::Range { last: 0, step: 1, limit: 0 },
        }
    }

    /// Every `step`-th argument from `index` to `last` (relative to `index`, or from the end if
    /// negative).
    #[must_use]
    pub const fn range(index: usize, last: i32, step: usize, flags: &'static [KeyFlag]) -> Self {
        KeySpec { flags, start: Start::Index(index), find: Find::Range { last, step, limit: 0 } }
    }

    /// A count at `index`, then that many keys.
    #[must_use]
    pub const fn counted(index: usize, flags: &'static [KeyFlag]) -> Self {
        KeySpec {
            flags,
            start: Start::Index(index),
            find: Find::Count { index: 0, first: 1, step: 1 },
        }
    }
}

/// The arguments of a request cannot be split into keys and others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadKeys;

impl KeySpec {
    /// Appends the positions in `argv` of these keys, of those that are there.
    pub(crate) fn positions(&self, argv: &[&[u8]], out: &mut Vec<usize>) -> Result<(), BadKeys> {
        let Some(start) = self.begin(argv) else { return Ok(()) };
        match self.find {
            Find::Unknown => {}
            Find::Range { last, step, limit } => {
                let end = match last {
                    0.. => start + usize::try_from(last).unwrap_or(0) + 1,
                    _ if limit > 1 => start + argv.len().saturating_sub(start) / limit,
                    _ => (argv.len() + 1).saturating_sub(last.unsigned_abs() as usize),
                };
                out.extend((start..end.min(argv.len())).step_by(step.max(1)));
            }
            Find::Count { index, first, step } => {
                let count = argv.get(start + index).and_then(|n| crate::num::parse_i64(n));
                let count = count.and_then(|n| usize::try_from(n).ok()).ok_or(BadKeys)?;
                let from = start + first;
                if count > argv.len().saturating_sub(from) {
                    return Err(BadKeys);
                }
                out.extend((0..count).map(|i| from + i * step));
            }
        }
        Ok(())
    }

    fn begin(&self, argv: &[&[u8]]) -> Option<usize> {
        match self.start {
            Start::Unknown => None,
            Start::Index(index) => (index < argv.len()).then_some(index),
            Start::Keyword { word, over: over @ [_, ..], .. } => behind_options(argv, word, over),
            Start::Keyword { word, from, over: [] } => {
                let is_word = |i: &usize| argv[*i].eq_ignore_ascii_case(word.as_bytes());
                let found = if from >= 0 {
                    (usize::try_from(from).unwrap_or(0)..argv.len()).find(is_word)
                } else {
                    (1..=argv.len().saturating_sub(from.unsigned_abs() as usize))
                        .rev()
                        .filter(|i| *i < argv.len())
                        .find(is_word)
                };
                found.map(|i| i + 1).filter(|i| *i < argv.len())
            }
        }
    }
}

/// The place behind a word that only options stand before, each with so many words.
fn behind_options(argv: &[&[u8]], word: &str, options: &[(&str, usize)]) -> Option<usize> {
    let mut at = 1;
    loop {
        let here = argv.get(at)?;
        if here.eq_ignore_ascii_case(word.as_bytes()) {
            return Some(at + 1).filter(|&at| at < argv.len());
        }
        let is_here = |(name, _): &&(&str, usize)| here.eq_ignore_ascii_case(name.as_bytes());
        at += 1 + options.iter().find(is_here)?.1;
    }
}
