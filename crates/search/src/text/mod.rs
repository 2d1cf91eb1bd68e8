//! Text as an index sees it: words with their positions, stems, stop words, synonyms.
//!
//! Documents and queries are divided by the same [`tokens`], so that a word typed in a query is the
//! word that was indexed. White space and ASCII punctuation except `_` separate words; a backslash
//! before a separator makes it part of a word; letters are in lower case; bytes that are not UTF-8
//! are letters. A stop word is left out and takes no position: `"hello world"` matches
//! `hello the world`, as RediSearch has it.
//!
//! Must not know rows, attributes or queries.

mod language;
mod stop_words;
mod synonyms;
mod token;

pub use language::Stemmer;
pub use stop_words::StopWords;
pub use synonyms::Synonyms;
pub use token::{Token, Tokens, is_separator, lower, tokens};

#[cfg(test)]
mod tests;
