//! `FT.SUGADD`, `FT.SUGGET` and `FT.SPELLCHECK`, after the key or the index's name.

use super::options::dialect;
use crate::arguments::{self, Arguments, count, text};
use crate::error::{Error, Result};
use crate::number;

/// `FT.SUGADD key text score [INCR] [PAYLOAD p]`.
#[derive(Clone, Debug, PartialEq)]
pub struct SuggestionAdd {
    pub text: Vec<u8>,
    pub score: f32,
    pub increment: bool,
    pub payload: Option<Vec<u8>>,
}

/// `FT.SUGGET key prefix [FUZZY] [WITHSCORES] [WITHPAYLOADS] [MAX n]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuggestionGet {
    pub prefix: Vec<u8>,
    pub fuzzy: bool,
    pub with_scores: bool,
    pub with_payloads: bool,
    pub most: usize,
}

/// `FT.SPELLCHECK index query [DISTANCE n] {TERMS INCLUDE|EXCLUDE dict [term…]} [DIALECT d]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spellcheck {
    pub query: Vec<u8>,
    pub distance: usize,
    pub terms: Vec<Terms>,
    pub dialect: Option<u8>,
}

/// Words that are suggested too, or that are not misspelt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    pub include: bool,
    pub dictionary: Vec<u8>,
    /// Words beside those of the dictionary.
    pub words: Vec<Vec<u8>>,
}

fn wrong_number() -> Error {
    Error::new("wrong number of arguments")
}

impl SuggestionAdd {
    /// Reads everything after the key.
    ///
    /// # Errors
    /// What Redis answers.
    pub fn parse(words: &[&[u8]]) -> Result<Self> {
        let mut words = Arguments::new(words);
        let text = words.next().ok_or_else(wrong_number)?.to_vec();
        let score = number::parse(words.next().ok_or_else(wrong_number)?);
        #[allow(clippy::cast_possible_truncation)] // scores are floats of 32 bits
        let score = score.ok_or_else(|| Error::new("invalid score"))? as f32;
        let mut add = Self { text, score, increment: false, payload: None };
        while let Some(word) = words.peek() {
            if words.take("INCR") {
                add.increment = true;
            } else if words.take("PAYLOAD") {
                add.payload = Some(words.value("PAYLOAD")?.to_vec());
            } else {
                return Err(arguments::unknown(word));
            }
        }
        Ok(add)
    }
}

impl SuggestionGet {
    /// Reads everything after the key.
    ///
    /// # Errors
    /// What Redis answers.
    pub fn parse(words: &[&[u8]]) -> Result<Self> {
        const DEFAULT: usize = 5;
        let mut words = Arguments::new(words);
        let prefix = words.next().ok_or_else(wrong_number)?.to_vec();
        let (fuzzy, with_scores, with_payloads) = (false, false, false);
        let mut get = Self { prefix, fuzzy, with_scores, with_payloads, most: DEFAULT };
        while let Some(word) = words.peek() {
            if words.take("FUZZY") {
                get.fuzzy = true;
            } else if words.take("WITHSCORES") {
                get.with_scores = true;
            } else if words.take("WITHPAYLOADS") {
                get.with_payloads = true;
            } else if words.take("MAX") {
                // None at all is the default too, as in Redis.
                get.most = Some(words.count("MAX")?).filter(|most| *most > 0).unwrap_or(DEFAULT);
            } else {
                return Err(arguments::unknown(word));
            }
        }
        Ok(get)
    }
}

impl Spellcheck {
    /// Reads everything after the index's name. All words after a dictionary's name, up to the next
    /// option, are terms.
    ///
    /// # Errors
    /// What Redis answers.
    pub fn parse(words: &[&[u8]]) -> Result<Self> {
        let mut words = Arguments::new(words);
        let query = words.next().ok_or_else(wrong_number)?.to_vec();
        let mut check = Self { query, distance: 1, terms: Vec::new(), dialect: None };
        while let Some(word) = words.peek() {
            if words.take("DISTANCE") {
                let distance = words.next().and_then(count).filter(|n| (1..=4).contains(n));
                check.distance = distance.ok_or_else(|| {
                    Error::new(
                        "invalid distance given, distance must be a natural number between 1 to 4",
                    )
                })?;
            } else if words.take("DIALECT") {
                check.dialect = Some(dialect(words.next())?);
            } else if words.take("TERMS") {
                check.terms.push(terms(&mut words)?);
            } else {
                return Err(arguments::unknown(word));
            }
        }
        Ok(check)
    }
}

fn terms(words: &mut Arguments<'_>) -> Result<Terms> {
    let kind = words.value("TERMS")?;
    let include = kind.eq_ignore_ascii_case(b"INCLUDE");
    if !include && !kind.eq_ignore_ascii_case(b"EXCLUDE") {
        let kind = text(kind);
        return Err(Error::new(format!(
            "bad format, exclude/include operation was not given: {kind}"
        )));
    }
    let dictionary = words.value("TERMS")?.to_vec();
    let mut list = Vec::new();
    let ends = ["TERMS", "DISTANCE", "DIALECT"];
    while let Some(word) = words.peek() {
        if ends.iter().any(|end| word.eq_ignore_ascii_case(end.as_bytes())) {
            break;
        }
        list.push(word.to_vec());
        words.next();
    }
    Ok(Terms { include, dictionary, words: list })
}
