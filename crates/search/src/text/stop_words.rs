//! Words that are neither indexed nor searched for.

use hashbrown::HashSet;

use crate::schema::DEFAULT_STOP_WORDS;

/// A set of stop words, in lower case.
#[derive(Clone, Debug, PartialEq)]
pub struct StopWords {
    words: HashSet<Box<[u8]>, foldhash::fast::RandomState>,
    longest: usize,
}

impl StopWords {
    /// These words, or the default ones.
    pub fn new(words: Option<&[Vec<u8>]>) -> Self {
        let words = match words {
            Some(words) => words.iter().map(|word| super::lower(word).into()).collect(),
            None => DEFAULT_STOP_WORDS.iter().map(|word| word.as_bytes().into()).collect(),
        };
        Self::of(words)
    }

    /// No words: all of a text's words are tokens.
    pub fn none() -> Self {
        Self::of(HashSet::default())
    }

    fn of(words: HashSet<Box<[u8]>, foldhash::fast::RandomState>) -> Self {
        let longest = words.iter().map(|word| word.len()).max().unwrap_or(0);
        Self { words, longest }
    }

    /// Whether a word in lower case is one of them.
    pub fn contains(&self, word: &[u8]) -> bool {
        word.len() <= self.longest && self.words.contains(word)
    }
}

impl Default for StopWords {
    fn default() -> Self {
        Self::new(None)
    }
}
