//! The words of `FT.CREATE` and `FT.ALTER` after the index's name.
//!
//! Options before `SCHEMA` may come in any order. Texts of errors are those of Redis, which clients
//! compare. Must not know which indexes exist.

use super::{Attribute, Definition, Language, MAX_ATTRIBUTES, MAX_STOP_WORDS, Source, attribute};
use crate::arguments::{self, Arguments, text};
use crate::error::{Error, Result};
use crate::expression::Expression;
use crate::query::Parameters;

/// The greatest number of prefixes.
const MAX_PREFIXES: usize = 1_000_000;

/// What `FT.ALTER` adds.
#[derive(Clone, Debug, PartialEq)]
pub struct Alteration {
    /// `SKIPINITIALSCAN`: documents that exist already are not indexed again.
    pub skip_initial_scan: bool,
    /// The attributes after those there are.
    pub attributes: Vec<Attribute>,
}

impl Definition {
    /// Reads everything after the index's name.
    ///
    /// # Errors
    /// What Redis answers.
    pub fn parse(words: &[&[u8]]) -> Result<Self> {
        let mut words = Arguments::new(words);
        let mut definition = Self::new(Source::Hash);
        loop {
            if words.take("SCHEMA") {
                break;
            }
            let Some(word) = words.next() else { return Err(Error::new("No schema found")) };
            definition.option(&word.to_ascii_uppercase(), word, &mut words)?;
        }
        definition.attributes = Attribute::parse_list(words.rest(), definition.source)?;
        check(&[], &definition.attributes)?;
        if let Some(filter) = &definition.filter {
            // It may name any field of documents.
            Expression::parse(filter, &Parameters::default(), &mut |_| Ok(0))?;
        }
        Ok(definition)
    }

    /// Reads everything after the index's name in `FT.ALTER`.
    ///
    /// # Errors
    /// What Redis answers.
    pub fn parse_alteration(&self, words: &[&[u8]]) -> Result<Alteration> {
        let mut words = Arguments::new(words);
        let skip_initial_scan = words.take("SKIPINITIALSCAN");
        for keyword in ["SCHEMA", "ADD"] {
            if !words.take(keyword) {
                let said = words.peek().unwrap_or_default();
                return Err(Error::new(format!(
                    "Unknown action passed to ALTER SCHEMA: {}",
                    text(said)
                )));
            }
        }
        let attributes = Attribute::parse_list(words.rest(), self.source)?;
        check(&self.attributes, &attributes)?;
        Ok(Alteration { skip_initial_scan, attributes })
    }

    /// Reads one option, in capital letters and as it was written.
    fn option(&mut self, option: &[u8], written: &[u8], words: &mut Arguments<'_>) -> Result<()> {
        match option {
            b"ON" => self.source = source(words)?,
            b"INDEXALL" => self.index_all = is_enabled(words)?,
            b"PREFIX" => self.prefixes = prefixes(words)?,
            b"FILTER" => self.filter = Some(words.value("FILTER")?.to_vec()),
            b"LANGUAGE" => {
                let name = words.value("LANGUAGE")?;
                self.language =
                    Language::parse(name).ok_or_else(|| Error::new("Invalid language"))?;
            }
            b"LANGUAGE_FIELD" => self.language_field = field(words, "LANGUAGE_FIELD")?,
            b"SCORE" => {
                self.score = words.number("SCORE")?;
                if !(0.0..=1.0).contains(&self.score) {
                    return Err(Error::new("Invalid score"));
                }
            }
            b"SCORE_FIELD" => self.score_field = field(words, "SCORE_FIELD")?,
            b"PAYLOAD_FIELD" => self.payload_field = field(words, "PAYLOAD_FIELD")?,
            b"MAXTEXTFIELDS" => self.max_text_fields = true,
            b"TEMPORARY" => self.temporary = Some(words.count("TEMPORARY")? as u64),
            b"NOOFFSETS" => self.offsets = false,
            b"NOHL" => self.highlight = false,
            b"NOFIELDS" => self.fields = false,
            b"NOFREQS" => self.frequencies = false,
            b"SKIPINITIALSCAN" => self.skip_initial_scan = true,
            b"STOPWORDS" => {
                let list = words.list("STOPWORDS")?;
                // More are cut off without an error, as Redis does.
                let kept = list.iter().take(MAX_STOP_WORDS);
                self.stop_words = Some(kept.map(|word| crate::query::lower(word)).collect());
            }
            _ => return Err(arguments::unknown(written)),
        }
        Ok(())
    }
}

impl Attribute {
    /// Reads the attributes after `SCHEMA`, or after `SCHEMA ADD`.
    ///
    /// # Errors
    /// What Redis answers.
    pub fn parse_list(words: &[&[u8]], source: Source) -> Result<Vec<Self>> {
        let mut words = Arguments::new(words);
        if words.peek().is_none() {
            return Err(Error::new("Fields arguments are missing"));
        }
        let mut attributes = Vec::new();
        while words.peek().is_some() {
            if attributes.len() == MAX_ATTRIBUTES {
                return Err(too_many());
            }
            attributes.push(attribute::parse(&mut words, source)?);
        }
        Ok(attributes)
    }
}

/// Refuses names that occur twice, and more attributes than an index may have.
fn check(existing: &[Attribute], added: &[Attribute]) -> Result<()> {
    const MAX_TEXT: usize = 128;
    if existing.len() + added.len() > MAX_ATTRIBUTES {
        return Err(too_many());
    }
    let all = || existing.iter().chain(added);
    if all().filter(|attribute| attribute.is_text()).count() > MAX_TEXT {
        return Err(Error::new(format!("Schema is limited to {MAX_TEXT} TEXT fields")));
    }
    let mut names = hashbrown::HashSet::<&[u8], foldhash::fast::RandomState>::default();
    for attribute in all() {
        if !names.insert(&attribute.name) {
            let name = text(&attribute.name);
            return Err(Error::new(format!("Duplicate field in schema - {name}")));
        }
    }
    Ok(())
}

fn too_many() -> Error {
    Error::new(format!("Schema is limited to {MAX_ATTRIBUTES} fields"))
}

fn source(words: &mut Arguments<'_>) -> Result<Source> {
    let word = words.value("ON")?;
    match &word.to_ascii_uppercase()[..] {
        b"HASH" => Ok(Source::Hash),
        b"JSON" => Ok(Source::Json),
        _ => Err(Error::new(format!("Invalid rule type: {}", text(word)))),
    }
}

fn is_enabled(words: &mut Arguments<'_>) -> Result<bool> {
    let word = words.value("INDEXALL")?;
    match &word.to_ascii_uppercase()[..] {
        b"ENABLE" => Ok(true),
        b"DISABLE" => Ok(false),
        _ => Err(Error::new("Invalid argument for INDEXALL, use ENABLE or DISABLE")),
    }
}

fn prefixes(words: &mut Arguments<'_>) -> Result<Vec<Vec<u8>>> {
    let list = words.list("PREFIX")?;
    if list.is_empty() || list.len() > MAX_PREFIXES {
        return Err(arguments::out_of_bounds("PREFIX"));
    }
    Ok(list.iter().map(|word| word.to_vec()).collect())
}

fn field(words: &mut Arguments<'_>, option: &str) -> Result<Option<Vec<u8>>> {
    Ok(Some(words.value(option)?.to_vec()))
}
