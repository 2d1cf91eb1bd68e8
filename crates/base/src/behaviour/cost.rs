//! What a request holds while it runs, and how much it does.

use crate::{Locks, num};

/// What a request holds while it runs, and how much it does.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Which shards a given request must hold.
    pub locks: fn(&[&[u8]]) -> Locks,
    /// How long it runs.
    pub run_time: RunTime,
    /// How much of what its keys hold it goes through.
    pub extent: Extent,
    /// What it makes beside that.
    pub makes: Makes,
}

/// How long a request runs. One that runs for long is given a thread of its own by doors whose
/// threads serve many clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunTime {
    /// As its locks say: one that goes through shards that its keys do not name may have to look at
    /// every key, or runs a script.
    ByLocks,
    /// For long, though it is about certain keys, or about none.
    Long,
    /// Not for long, though it goes through all shards: it looks at each for a moment, however many
    /// keys there are.
    Short,
    /// As long as the page of a walk that it asks for.
    Page(Page),
}

/// How much of what its keys hold a request goes through: what it looks at, answers, or takes out.
#[derive(Clone, Copy, Debug)]
pub enum Extent {
    /// No more than its words name, of a command that is flagged as fast, or takes O(1) for one
    /// key; of all others everything.
    ByFlags,
    /// No more than its words name.
    Words,
    /// So many elements: a string is one.
    Elements(fn(&[&[u8]]) -> usize),
    /// Those beyond a number of them.
    Beyond(fn(&[&[u8]]) -> Reach),
    /// Everything.
    Whole,
}

/// How many elements of each key's value a request goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// So many stay as they are, if there are as many.
    pub beyond: usize,
    /// So many of the others at most.
    pub most: usize,
}

/// What a request makes that it does not have among its words, nor finds in its keys' values.
#[derive(Clone, Copy, Debug)]
pub enum Makes {
    /// Nothing to speak of.
    Nothing,
    /// So many bytes, about.
    Bytes(fn(&[&[u8]]) -> usize),
    /// A string of so many bytes, unless it is as long already.
    Length(fn(&[&[u8]]) -> usize),
}

/// How a request asks for one page of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// Where its options begin.
    pub options: usize,
    /// The option that says how large a page is.
    pub size: &'static str,
    /// The option without which everything is answered, if there is one.
    pub cursor: Option<&'static str>,
    /// The option by which the values of the keys are answered too, however large they are.
    pub values: Option<&'static str>,
}

impl Cost {
    /// Whether a request runs for long.
    #[must_use]
    pub fn runs_long(&self, argv: &[&[u8]]) -> bool {
        let walks = matches!((self.locks)(argv), Locks::Each | Locks::Every);
        self.run_time.is_long(walks, argv)
    }
}

impl RunTime {
    /// Whether a request runs for long. `walks`: it goes through shards that its keys do not name.
    #[must_use]
    pub fn is_long(self, walks: bool, argv: &[&[u8]]) -> bool {
        match self {
            RunTime::ByLocks => walks,
            RunTime::Long => true,
            RunTime::Short => false,
            RunTime::Page(page) => !page.is_small(argv),
        }
    }
}

impl Extent {
    /// How many elements that is.
    #[must_use]
    pub fn of(self, fast: bool, argv: &[&[u8]]) -> Reach {
        match self {
            Extent::ByFlags if fast => Reach::of(0),
            Extent::Words => Reach::of(0),
            Extent::Elements(count) => Reach::of(count(argv)),
            Extent::Beyond(reach) => reach(argv),
            Extent::ByFlags | Extent::Whole => Reach::of(usize::MAX),
        }
    }
}

impl Reach {
    /// So many at most.
    #[must_use]
    pub fn of(most: usize) -> Self {
        Reach { beyond: 0, most }
    }
}

impl Page {
    /// The largest page of a request that does not run for long.
    const SMALL: i64 = 1000;

    /// Whether a request asks for one page, and for none that is large.
    fn is_small(self, argv: &[&[u8]]) -> bool {
        let words = argv.get(self.options..).unwrap_or_default();
        let is = |word: &[u8], option: &str| word.eq_ignore_ascii_case(option.as_bytes());
        let fits = |pair: &[&[u8]]| {
            !is(pair[0], self.size) || num::parse_i64(pair[1]).is_some_and(|n| n <= Page::SMALL)
        };
        let says = |option| words.iter().any(|word| is(word, option));
        self.cursor.is_none_or(says) && !self.values.is_some_and(says) && words.windows(2).all(fits)
    }
}
