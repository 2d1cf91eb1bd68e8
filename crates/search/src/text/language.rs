//! The languages of text, and their stemmers.
//!
//! Twelve of the thirty languages have no stemmer in `rust-stemmers`: their words are indexed as
//! they are, which finds less than RediSearch finds, and never something wrong. Chinese is divided
//! at white space and punctuation, as text without a dictionary can be.

use rust_stemmers::Algorithm;

use crate::schema::Language;

/// Shorter words are not stemmed (`MINSTEMLEN`).
const SHORTEST: usize = 4;

/// Reduces words of a language to their stems.
pub struct Stemmer(Option<rust_stemmers::Stemmer>);

impl Stemmer {
    /// The stemmer of a language; one that returns no stems if the language has none.
    pub fn new(language: &Language) -> Self {
        Self(algorithm(&language.0).map(rust_stemmers::Stemmer::create))
    }

    /// The stem of a word in lower case, if it is another word.
    pub fn stem(&self, word: &[u8]) -> Option<Vec<u8>> {
        let stemmer = self.0.as_ref()?;
        let word = std::str::from_utf8(word).ok()?;
        if word.len() < SHORTEST || word.chars().nth(SHORTEST - 1).is_none() {
            return None;
        }
        let stem = stemmer.stem(word);
        (stem != word && !stem.is_empty()).then(|| stem.into_owned().into_bytes())
    }
}

fn algorithm(name: &str) -> Option<Algorithm> {
    Some(match name {
        "arabic" => Algorithm::Arabic,
        "danish" => Algorithm::Danish,
        "dutch" => Algorithm::Dutch,
        "english" => Algorithm::English,
        "finnish" => Algorithm::Finnish,
        "french" => Algorithm::French,
        "german" => Algorithm::German,
        "greek" => Algorithm::Greek,
        "hungarian" => Algorithm::Hungarian,
        "italian" => Algorithm::Italian,
        "norwegian" => Algorithm::Norwegian,
        "portuguese" => Algorithm::Portuguese,
        "romanian" => Algorithm::Romanian,
        "russian" => Algorithm::Russian,
        "spanish" => Algorithm::Spanish,
        "swedish" => Algorithm::Swedish,
        "tamil" => Algorithm::Tamil,
        "turkish" => Algorithm::Turkish,
        _ => return None,
    })
}
