//! What both `FT.SEARCH` and `FT.AGGREGATE` may say.

use crate::arguments::{Arguments, count, text};
use crate::error::{Error, Result};
use crate::evaluate::Scorer;
use crate::query::{Parameters, ParseOptions};
use crate::schema::{AttributeId, Definition};

/// The greatest number of rows that `FT.SEARCH` returns.
pub(super) const MAX_SEARCH_RESULTS: usize = 1_000_000;

/// Options of both commands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// `VERBATIM`: words are not expanded.
    pub verbatim: bool,
    /// `SCORER`.
    pub scorer: Option<Scorer>,
    /// `BM25STD_TANH_FACTOR`.
    pub tanh_factor: Option<u32>,
    /// `PARAMS`.
    pub parameters: Parameters,
    /// Whether `PARAMS` was there.
    has_parameters: bool,
    /// `DIALECT`.
    pub dialect: Option<u8>,
    /// `TIMEOUT`, in milliseconds; 0 is none.
    pub timeout: Option<u64>,
    /// `FORMAT`.
    pub format: Format,
    /// `WITHCOUNT` or `WITHOUTCOUNT`: whether the total must be exact.
    pub with_count: Option<bool>,
}

/// How values are shown in RESP3.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// As text.
    #[default]
    String,
    /// As values.
    Expand,
}

/// `LIMIT offset count`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    pub offset: usize,
    pub count: usize,
}

/// A field, a path or an attribute that rows have: `f`, `@f`, `$.f`, with `AS name` or without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Returned {
    /// What is read of a document, without a `@` before it.
    pub identifier: Vec<u8>,
    /// What it is called in rows.
    pub name: Vec<u8>,
}

impl Options {
    /// Takes one option, if the next word is one.
    pub(super) fn option(&mut self, words: &mut Arguments<'_>) -> Result<bool> {
        if words.take("VERBATIM") {
            self.verbatim = true;
        } else if words.take("SCORER") {
            let name = words.value("SCORER")?;
            let scorer = Scorer::named(name);
            self.scorer =
                Some(scorer.ok_or_else(|| Error::new(format!("No such scorer {}", text(name))))?);
        } else if words.take("BM25STD_TANH_FACTOR") {
            let factor = words.next().and_then(count).filter(|n| (1..=10_000).contains(n));
            let factor = factor.and_then(|n| u32::try_from(n).ok()).ok_or_else(|| {
                Error::new("BM25STD_TANH_FACTOR must be between 1 and 10000 inclusive")
            })?;
            self.tanh_factor = Some(factor);
        } else if words.take("PARAMS") {
            self.parameters(words)?;
        } else if words.take("DIALECT") {
            self.dialect = Some(dialect(words.next())?);
        } else if words.take("TIMEOUT") {
            let value = words.next().and_then(count);
            let value =
                value.ok_or_else(|| Error::new("TIMEOUT requires a non negative integer"))?;
            self.timeout = Some(value as u64);
        } else if words.take("FORMAT") {
            self.format = match &words.value("FORMAT")?.to_ascii_uppercase()[..] {
                b"STRING" => Format::String,
                b"EXPAND" => Format::Expand,
                other => {
                    return Err(Error::new(format!("FORMAT {} is not supported", text(other))));
                }
            };
        } else if words.take("WITHCOUNT") {
            self.with_count = Some(true);
        } else if words.take("WITHOUTCOUNT") {
            self.with_count = Some(false);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn parameters(&mut self, words: &mut Arguments<'_>) -> Result<()> {
        if self.has_parameters {
            return Err(Error::new(
                "Multiple PARAMS are not allowed. Parameters can be defined only once",
            ));
        }
        self.has_parameters = true;
        let list = words.list("PARAMS")?;
        if list.is_empty() || list.len() % 2 != 0 {
            return Err(Error::new("Parameters must be specified in PARAM VALUE pairs"));
        }
        for pair in list.chunks_exact(2) {
            let [name, value] = pair else { continue };
            if self.parameters.insert(name.to_vec(), value.to_vec()).is_some() {
                return Err(Error::new(format!("Duplicate parameter `{}`", text(name))));
            }
        }
        Ok(())
    }

    /// How a query of this request is read; `dialect` is that of requests that name none.
    pub fn parse_options(&self, dialect: u8) -> ParseOptions<'_> {
        ParseOptions {
            dialect: self.dialect.unwrap_or(dialect),
            parameters: &self.parameters,
            verbatim: self.verbatim,
            no_stop_words: false,
            in_fields: None,
        }
    }
}

/// The number after `DIALECT`.
pub(crate) fn dialect(word: Option<&[u8]>) -> Result<u8> {
    let dialect = word.and_then(count).filter(|n| (1..=4).contains(n));
    dialect
        .and_then(|n| u8::try_from(n).ok())
        .ok_or_else(|| Error::new("DIALECT requires a non negative integer >=1 and <= 4"))
}

impl Limit {
    /// Takes the two numbers; neither may be greater than `most`.
    pub(super) fn take(words: &mut Arguments<'_>, most: usize) -> Result<Self> {
        let mut number = || words.next().and_then(count);
        let (Some(offset), Some(count)) = (number(), number()) else {
            return Err(Error::new("Invalid LIMIT parameters"));
        };
        if count == 0 && offset > 0 {
            return Err(Error::new("The `offset` of the LIMIT must be 0 when `num` is 0"));
        }
        if count > most {
            return Err(Error::new(format!("LIMIT exceeds maximum of {most}")));
        }
        if offset > most {
            return Err(Error::new(format!("OFFSET exceeds maximum of {most}")));
        }
        Ok(Self { offset, count })
    }
}

impl Returned {
    /// Reads the words after the count of `RETURN` or `LOAD`.
    pub(super) fn list(words: &[&[u8]], option: &str) -> Result<Vec<Self>> {
        let mut words = Arguments::new(words);
        let mut list = Vec::new();
        while let Some(word) = words.next() {
            let identifier = word.strip_prefix(b"@").unwrap_or(word).to_vec();
            let name = match words.take("AS") {
                true => words.next().ok_or_else(|| {
                    Error::new(format!("{option} path AS name - must be accompanied with NAME"))
                })?,
                false => &identifier,
            };
            let name = name.to_vec();
            list.push(Self { identifier, name });
        }
        Ok(list)
    }
}

/// The attributes of these names; those that there are not are left out.
pub(super) fn resolve(definition: &Definition, names: &[Vec<u8>]) -> Vec<AttributeId> {
    names.iter().filter_map(|name| definition.attribute(name)).collect()
}
