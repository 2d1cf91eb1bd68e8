//! One attribute of a schema: `field [AS name] TYPE options`, options in any order.
//!
//! A word that is no option of the type begins the next attribute.

use super::{Attribute, Kind, Source, vector};
use crate::arguments::{Arguments, no_number, text};
use crate::error::{Error, Result};
use crate::number;

/// Takes one attribute.
pub(super) fn parse(words: &mut Arguments<'_>, source: Source) -> Result<Attribute> {
    let identifier = words.next().unwrap_or_default().to_vec();
    let name = if words.take("AS") { words.value("AS")?.to_vec() } else { identifier.clone() };
    let Some(kind) = words.next() else {
        return Err(Error::new(format!("Field `{}` does not have a type", text(&name))));
    };
    let kind = kind_of(kind, &name, source, words)?;
    let mut attribute = Attribute {
        identifier,
        name,
        kind,
        sortable: false,
        unnormalized: false,
        no_index: false,
        index_empty: false,
        index_missing: false,
    };
    while attribute.option(words)? {}
    if attribute.unnormalized && !attribute.sortable {
        return Err(Error::new(format!("UNF of field `{}` needs SORTABLE", text(&attribute.name))));
    }
    // Numbers and places have no other form, and a JSON document's text is kept as it is.
    let has_forms = matches!(attribute.kind, Kind::Text { .. } | Kind::Tag { .. });
    attribute.unnormalized |= attribute.sortable && (!has_forms || source == Source::Json);
    Ok(attribute)
}

fn kind_of(word: &[u8], name: &[u8], source: Source, words: &mut Arguments<'_>) -> Result<Kind> {
    Ok(match &word.to_ascii_uppercase()[..] {
        b"TEXT" => Kind::Text { weight: 1.0, no_stem: false, phonetic: None, suffix_trie: false },
        b"TAG" => {
            let separator = (source == Source::Hash).then_some(b',');
            Kind::Tag { separator, case_sensitive: false, suffix_trie: false }
        }
        b"NUMERIC" => Kind::Numeric,
        b"GEO" => Kind::Geo,
        b"VECTOR" => Kind::Vector(vector::parse(words)?),
        b"GEOSHAPE" => {
            let name = text(name);
            return Err(Error::new(format!("GEOSHAPE of field `{name}` is not supported")));
        }
        _ => return Err(Error::new(format!("Invalid field type for field `{}`", text(name)))),
    })
}

impl Attribute {
    /// Takes one option, if the next word is one.
    fn option(&mut self, words: &mut Arguments<'_>) -> Result<bool> {
        let is_vector = matches!(self.kind, Kind::Vector(_));
        if words.take("INDEXMISSING") {
            self.index_missing = true;
            return Ok(true);
        }
        if !is_vector && words.take("SORTABLE") {
            self.sortable = true;
        } else if !is_vector && words.take("UNF") {
            self.unnormalized = true;
        } else if !is_vector && words.take("NOINDEX") {
            self.no_index = true;
        } else {
            return self.option_of_kind(words);
        }
        Ok(true)
    }

    fn option_of_kind(&mut self, words: &mut Arguments<'_>) -> Result<bool> {
        match &mut self.kind {
            Kind::Text { weight, no_stem, phonetic, suffix_trie } => {
                if words.take("WEIGHT") {
                    *weight = weight_of(words.value("WEIGHT")?)?;
                } else if words.take("NOSTEM") {
                    *no_stem = true;
                } else if words.take("PHONETIC") {
                    *phonetic = Some(matcher(words.value("PHONETIC")?)?);
                } else if words.take("WITHSUFFIXTRIE") {
                    *suffix_trie = true;
                } else if words.take("INDEXEMPTY") {
                    self.index_empty = true;
                } else {
                    return Ok(false);
                }
            }
            Kind::Tag { separator, case_sensitive, suffix_trie } => {
                if words.take("SEPARATOR") {
                    *separator = Some(separator_of(words.value("SEPARATOR")?)?);
                } else if words.take("CASESENSITIVE") {
                    *case_sensitive = true;
                } else if words.take("WITHSUFFIXTRIE") {
                    *suffix_trie = true;
                } else if words.take("INDEXEMPTY") {
                    self.index_empty = true;
                } else {
                    return Ok(false);
                }
            }
            Kind::Numeric | Kind::Geo | Kind::Vector(_) => return Ok(false),
        }
        Ok(true)
    }

    pub(crate) fn is_text(&self) -> bool {
        matches!(self.kind, Kind::Text { .. })
    }
}

fn weight_of(word: &[u8]) -> Result<f64> {
    let weight = number::parse(word).ok_or_else(|| no_number("WEIGHT"))?;
    if weight.is_finite() { Ok(weight) } else { Err(no_number("WEIGHT")) }
}

fn separator_of(word: &[u8]) -> Result<u8> {
    let [byte] = word else {
        let word = text(word);
        return Err(Error::new(format!("Tag separator must be a single character. Got `{word}`")));
    };
    Ok(*byte)
}

fn matcher(word: &[u8]) -> Result<Vec<u8>> {
    if [&b"dm:en"[..], b"dm:fr", b"dm:pt", b"dm:es"].contains(&word) {
        return Ok(word.to_vec());
    }
    Err(Error::new(
        "Matcher Format: <2 chars algorithm>:<2 chars language>. Support algorithms: double \
         metaphone \
         (dm). Supported languages: English (en), French (fr), Portuguese (pt) and Spanish (es)",
    ))
}
