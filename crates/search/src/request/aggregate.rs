//! `FT.AGGREGATE`: what is loaded of documents, and the steps that rows pass.

use super::cursor::CursorOptions;
use super::options::{Limit, Options, Returned};
use super::search::no_query;
use crate::arguments::{self, Arguments, count, text};
use crate::error::{Error, Result};
use crate::number;

/// The greatest offset and count of `LIMIT`: that of what is kept as a signed number elsewhere.
const MAX_ROWS: usize = usize::MAX >> 1;
/// The greatest number of values that `RANDOM_SAMPLE` keeps.
const MAX_SAMPLE: usize = 1000;

/// A request for rows made of documents.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregate {
    /// The query's text.
    pub query: Vec<u8>,
    /// What `FT.SEARCH` has too.
    pub options: Options,
    /// `ADDSCORES`: rows have `__score`.
    pub add_scores: bool,
    /// `WITHCURSOR`.
    pub cursor: Option<CursorOptions>,
    /// `WITHSCHEMA`, which nothing reads.
    pub with_schema: bool,
    pub load: Load,
    pub steps: Vec<Step>,
}

/// `LOAD`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Load {
    /// `*`: all fields of documents.
    All,
    /// These.
    These(Vec<Returned>),
}

/// One step. Names have no `@`.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    GroupBy { properties: Vec<Vec<u8>>, reducers: Vec<Reduce> },
    SortBy { keys: Vec<SortKey>, max: Option<usize> },
    Apply { expression: Vec<u8>, name: Vec<u8> },
    Filter(Vec<u8>),
    Limit(Limit),
}

/// `@name ASC|DESC`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortKey {
    pub name: Vec<u8>,
    pub descending: bool,
}

/// `REDUCE fn n arg… AS name`.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduce {
    pub reducer: Reducer,
    pub name: Vec<u8>,
}

/// What a group is reduced to. Properties have no `@`.
#[derive(Clone, Debug, PartialEq)]
pub enum Reducer {
    Count,
    CountDistinct(Vec<u8>),
    CountDistinctish(Vec<u8>),
    Sum(Vec<u8>),
    Min(Vec<u8>),
    Max(Vec<u8>),
    Avg(Vec<u8>),
    Stddev(Vec<u8>),
    Quantile { property: Vec<u8>, quantile: f64 },
    ToList(Vec<u8>),
    FirstValue { property: Vec<u8>, by: Option<SortKey> },
    RandomSample { property: Vec<u8>, size: usize },
}

impl Aggregate {
    /// Reads everything after the index's name.
    ///
    /// # Errors
    /// What Redis answers.
    pub fn parse(words: &[&[u8]]) -> Result<Self> {
        let mut words = Arguments::new(words);
        let mut aggregate = Self {
            query: words.next().ok_or_else(no_query)?.to_vec(),
            options: Options::default(),
            add_scores: false,
            cursor: None,
            with_schema: false,
            load: Load::These(Vec::new()),
            steps: Vec::new(),
        };
        while let Some(word) = words.peek() {
            if aggregate.options.option(&mut words)? || aggregate.option(&mut words)? {
                continue;
            }
            match step(&mut words)? {
                Some(step) => aggregate.steps.push(step),
                None => return Err(arguments::unknown(word)),
            }
        }
        Ok(aggregate)
    }

    fn option(&mut self, words: &mut Arguments<'_>) -> Result<bool> {
        if words.take("ADDSCORES") {
            self.add_scores = true;
        } else if words.take("WITHSCHEMA") {
            self.with_schema = true;
        } else if words.take("WITHCURSOR") {
            self.cursor = Some(CursorOptions::take(words)?);
        } else if words.take("LOAD") {
            if words.take("*") {
                self.load = Load::All;
                return Ok(true);
            }
            let more = Returned::list(words.list("LOAD")?, "LOAD")?;
            if let Load::These(list) = &mut self.load {
                list.extend(more);
            }
        } else {
            return Ok(false);
        }
        Ok(true)
    }
}

/// Takes a step, if the next word begins one.
fn step(words: &mut Arguments<'_>) -> Result<Option<Step>> {
    Ok(Some(if words.take("GROUPBY") {
        group_by(words)?
    } else if words.take("SORTBY") {
        sort_by(words)?
    } else if words.take("APPLY") {
        let expression = words.value("APPLY")?.to_vec();
        // Without a name it is called as it is written.
        let name = if words.take("AS") { words.value("AS")?.to_vec() } else { expression.clone() };
        Step::Apply { expression, name }
    } else if words.take("FILTER") {
        Step::Filter(words.value("FILTER")?.to_vec())
    } else if words.take("LIMIT") {
        Step::Limit(Limit::take(words, MAX_ROWS)?)
    } else {
        return Ok(None);
    }))
}

/// A name after `@`.
fn property(word: &[u8], option: &str) -> Result<Vec<u8>> {
    match word.strip_prefix(b"@") {
        Some(name) if !name.is_empty() => Ok(name.to_vec()),
        _ => {
            let word = text(word);
            Err(Error::new(format!(
                "Bad arguments for {option}: Unknown property `{word}`. Did you mean `@{word}`?"
            )))
        }
    }
}

fn group_by(words: &mut Arguments<'_>) -> Result<Step> {
    let list = words.list("GROUPBY")?;
    let properties =
        list.iter().map(|word| property(word, "GROUPBY")).collect::<Result<Vec<_>>>()?;
    let mut reducers: Vec<Reduce> = Vec::new();
    let mut names = hashbrown::HashSet::<Vec<u8>, foldhash::fast::RandomState>::default();
    while words.take("REDUCE") {
        let reduce = reduce(words)?;
        if !names.insert(reduce.name.clone()) {
            let name = text(&reduce.name);
            return Err(Error::new(format!("Property `{name}` specified more than once")));
        }
        reducers.push(reduce);
    }
    Ok(Step::GroupBy { properties, reducers })
}

fn sort_by(words: &mut Arguments<'_>) -> Result<Step> {
    let list = words.list("SORTBY")?;
    if list.is_empty() {
        return Err(arguments::out_of_bounds("SORTBY"));
    }
    let mut rest = Arguments::new(list);
    let mut keys = Vec::new();
    while let Some(word) = rest.next() {
        if !word.starts_with(b"@") && !keys.is_empty() {
            let word = text(word);
            return Err(Error::new(format!("MISSING ASC or DESC after sort field ({word})")));
        }
        let name = property(word, "SORTBY")?;
        let descending = rest.take("DESC");
        if !descending {
            rest.take("ASC");
        }
        keys.push(SortKey { name, descending });
    }
    let max = match words.take("MAX") {
        true => Some(words.count("MAX")?).filter(|max| *max > 0),
        false => None,
    };
    Ok(Step::SortBy { keys, max })
}

fn reduce(words: &mut Arguments<'_>) -> Result<Reduce> {
    let function = words.value("REDUCE")?.to_ascii_uppercase();
    let name = text(&function);
    let list = words.list(&name)?;
    let reducer = reducer(&name, list)?;
    let name = match words.take("AS") {
        true => words.value("AS")?.to_vec(),
        false => generated(&function, list),
    };
    Ok(Reduce { reducer, name })
}

/// What a reducer without `AS` is called.
fn generated(function: &[u8], list: &[&[u8]]) -> Vec<u8> {
    let mut name = b"__generated_alias".to_vec();
    name.extend(function.to_ascii_lowercase());
    for (at, word) in list.iter().enumerate() {
        if at > 0 {
            name.push(b',');
        }
        name.extend(word.strip_prefix(b"@").unwrap_or(word).to_ascii_lowercase());
    }
    name
}

fn reducer(name: &str, list: &[&[u8]]) -> Result<Reducer> {
    let of_one: fn(Vec<u8>) -> Reducer = match name {
        "COUNT" if list.is_empty() => return Ok(Reducer::Count),
        "COUNT" => return Err(bad_count(name)),
        "COUNT_DISTINCT" => Reducer::CountDistinct,
        "COUNT_DISTINCTISH" => Reducer::CountDistinctish,
        "SUM" => Reducer::Sum,
        "MIN" => Reducer::Min,
        "MAX" => Reducer::Max,
        "AVG" => Reducer::Avg,
        "STDDEV" => Reducer::Stddev,
        "TOLIST" => Reducer::ToList,
        "QUANTILE" => return quantile(list),
        "FIRST_VALUE" => return first_value(list),
        "RANDOM_SAMPLE" => return random_sample(list),
        _ => return Err(Error::new(format!("Could not find reducer '{name}'"))),
    };
    match list {
        [word] => Ok(of_one(property(word, name)?)),
        _ => Err(bad_count(name)),
    }
}

fn bad_count(name: &str) -> Error {
    Error::new(format!("Bad arguments for {name}: Bad number of arguments"))
}

fn quantile(list: &[&[u8]]) -> Result<Reducer> {
    let &[word, quantile] = list else { return Err(bad_count("QUANTILE")) };
    let property = property(word, "QUANTILE")?;
    let quantile = number::parse(quantile).ok_or_else(|| arguments::no_number("QUANTILE"))?;
    if !(0.0..=1.0).contains(&quantile) {
        return Err(Error::new("Percentage must be between 0.0 and 1.0"));
    }
    Ok(Reducer::Quantile { property, quantile })
}

fn first_value(list: &[&[u8]]) -> Result<Reducer> {
    let mut words = Arguments::new(list);
    let property_of =
        |words: &mut Arguments<'_>| property(words.value("FIRST_VALUE")?, "FIRST_VALUE");
    let property = property_of(&mut words)?;
    let mut by = None;
    if words.take("BY") {
        let name = property_of(&mut words)?;
        let descending = words.take("DESC");
        if !descending {
            words.take("ASC");
        }
        by = Some(SortKey { name, descending });
    }
    match words.peek() {
        Some(word) => {
            let word = text(word);
            Err(Error::new(format!("Bad arguments for FIRST_VALUE: Unknown argument `{word}`")))
        }
        None => Ok(Reducer::FirstValue { property, by }),
    }
}

fn random_sample(list: &[&[u8]]) -> Result<Reducer> {
    let &[word, size] = list else { return Err(bad_count("RANDOM_SAMPLE")) };
    let property = property(word, "RANDOM_SAMPLE")?;
    let size = count(size).ok_or_else(|| arguments::no_number("RANDOM_SAMPLE"))?;
    if size == 0 || size > MAX_SAMPLE {
        return Err(Error::new("Sample size must be between 1 and 1000"));
    }
    Ok(Reducer::RandomSample { property, size })
}
