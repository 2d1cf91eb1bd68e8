//! `FT.SEARCH`.

use super::options::{Limit, MAX_SEARCH_RESULTS, Options, Returned, resolve};
use crate::arguments::{self, Arguments, count, no_number, text};
use crate::error::{Error, Result};
use crate::number;
use crate::query::{Bound, Node, ParseOptions, check_place};
use crate::schema::{Definition, Kind, Language};

/// A request for documents.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// The query's text.
    pub query: Vec<u8>,
    /// What `FT.AGGREGATE` has too.
    pub options: Options,
    pub no_content: bool,
    pub no_stop_words: bool,
    pub with_scores: bool,
    pub with_payloads: bool,
    pub with_sort_keys: bool,
    pub explain_score: bool,
    pub in_order: bool,
    /// `SLOP`: how many other words may stand between the words; `None` is any number.
    pub slop: Option<u32>,
    /// `FILTER`, each of which a document must satisfy.
    pub filters: Vec<NumericFilter>,
    /// `GEOFILTER`, likewise.
    pub geo_filters: Vec<GeoFilter>,
    /// `INKEYS`.
    pub in_keys: Option<Vec<Vec<u8>>>,
    /// `INFIELDS`.
    pub in_fields: Option<Vec<Vec<u8>>>,
    /// `RETURN`; a list that is empty is `NOCONTENT`.
    pub returns: Option<Vec<Returned>>,
    pub summarize: Option<Summarize>,
    pub highlight: Option<Highlight>,
    pub language: Option<Language>,
    pub expander: Option<Vec<u8>>,
    pub payload: Option<Vec<u8>>,
    pub sort_by: Option<SortBy>,
    pub limit: Limit,
}

/// `FILTER f min max`.
#[derive(Clone, Debug, PartialEq)]
pub struct NumericFilter {
    pub name: Vec<u8>,
    pub min: Bound,
    pub max: Bound,
}

/// `GEOFILTER f lon lat radius unit`.
#[derive(Clone, Debug, PartialEq)]
pub struct GeoFilter {
    pub name: Vec<u8>,
    pub longitude: f64,
    pub latitude: f64,
    pub meters: f64,
}

/// `SUMMARIZE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summarize {
    /// `FIELDS`; all if absent.
    pub fields: Option<Vec<Vec<u8>>>,
    /// `FRAGS`: pieces of a text.
    pub fragments: usize,
    /// `LEN`: words in a piece.
    pub length: usize,
    /// `SEPARATOR`: what follows each piece.
    pub separator: Vec<u8>,
}

/// `HIGHLIGHT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Highlight {
    /// `FIELDS`; all if absent.
    pub fields: Option<Vec<Vec<u8>>>,
    /// What stands before a word that matched.
    pub open: Vec<u8>,
    /// What stands after it.
    pub close: Vec<u8>,
}

/// `SORTBY f [ASC|DESC]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortBy {
    pub name: Vec<u8>,
    pub descending: bool,
}

impl Search {
    /// Reads everything after the index's name.
    ///
    /// # Errors
    /// What Redis answers.
    pub fn parse(words: &[&[u8]]) -> Result<Self> {
        let mut words = Arguments::new(words);
        let query = words.next().ok_or_else(no_query)?.to_vec();
        let mut search = Self {
            query,
            options: Options::default(),
            no_content: false,
            no_stop_words: false,
            with_scores: false,
            with_payloads: false,
            with_sort_keys: false,
            explain_score: false,
            in_order: false,
            slop: None,
            filters: Vec::new(),
            geo_filters: Vec::new(),
            in_keys: None,
            in_fields: None,
            returns: None,
            summarize: None,
            highlight: None,
            language: None,
            expander: None,
            payload: None,
            sort_by: None,
            limit: Limit { offset: 0, count: 10 },
        };
        while let Some(word) = words.peek() {
            let is_known = search.options.option(&mut words)?
                || search.flag(&mut words)
                || search.option(&mut words)?;
            if !is_known {
                return Err(arguments::unknown(word));
            }
        }
        Ok(search)
    }

    fn flag(&mut self, words: &mut Arguments<'_>) -> bool {
        let flags = [
            ("NOCONTENT", &mut self.no_content),
            ("NOSTOPWORDS", &mut self.no_stop_words),
            ("WITHSCORES", &mut self.with_scores),
            ("WITHPAYLOADS", &mut self.with_payloads),
            ("WITHSORTKEYS", &mut self.with_sort_keys),
            ("EXPLAINSCORE", &mut self.explain_score),
            ("INORDER", &mut self.in_order),
        ];
        for (name, flag) in flags {
            if words.take(name) {
                *flag = true;
                return true;
            }
        }
        false
    }

    fn option(&mut self, words: &mut Arguments<'_>) -> Result<bool> {
        if words.take("FILTER") {
            self.filters.push(numeric_filter(words)?);
        } else if words.take("GEOFILTER") {
            self.geo_filters.push(geo_filter(words)?);
        } else if words.take("INKEYS") {
            self.in_keys = names(words, "INKEYS")?;
        } else if words.take("INFIELDS") {
            self.in_fields = names(words, "INFIELDS")?;
        } else if words.take("RETURN") {
            self.returns = Some(Returned::list(words.list("RETURN")?, "RETURN")?);
        } else if words.take("SUMMARIZE") {
            self.summarize = Some(summarize(words)?);
        } else if words.take("HIGHLIGHT") {
            self.highlight = Some(highlight(words)?);
        } else if words.take("SLOP") {
            self.slop = slop(words)?;
        } else if words.take("LANGUAGE") {
            let name = words.value("LANGUAGE")?;
            let language = Language::parse(name);
            self.language = Some(
                language.ok_or_else(|| Error::new(format!("No such language {}", text(name))))?,
            );
        } else if words.take("EXPANDER") {
            self.expander = Some(words.value("EXPANDER")?.to_vec());
        } else if words.take("PAYLOAD") {
            self.payload = Some(words.value("PAYLOAD")?.to_vec());
        } else if words.take("SORTBY") {
            if self.sort_by.is_some() {
                return Err(Error::new("Multiple SORTBY steps are not allowed"));
            }
            let name = words.value("SORTBY")?;
            let name = name.strip_prefix(b"@").unwrap_or(name).to_vec();
            let descending = words.take("DESC");
            if !descending {
                words.take("ASC");
            }
            self.sort_by = Some(SortBy { name, descending });
        } else if words.take("LIMIT") {
            self.limit = Limit::take(words, MAX_SEARCH_RESULTS)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// How the query is read; `dialect` is that of requests that name none.
    pub fn parse_options(&self, definition: &Definition, dialect: u8) -> ParseOptions<'_> {
        ParseOptions {
            no_stop_words: self.no_stop_words,
            in_fields: self.in_fields.as_ref().map(|names| resolve(definition, names)),
            ..self.options.parse_options(dialect)
        }
    }

    /// `FILTER` and `GEOFILTER` as conditions, all of which must hold.
    ///
    /// # Errors
    /// An attribute that there is not, or of another type.
    pub fn conditions(&self, definition: &Definition) -> Result<Vec<Node>> {
        let find = |name: &[u8], kind: &Kind| {
            let id = definition.attribute(name);
            let id = id.filter(|id| definition.attributes[usize::from(*id)].kind == *kind);
            let kind = kind.name();
            id.ok_or_else(|| Error::new(format!("Unknown {kind} field `{}`", text(name))))
        };
        let mut conditions = Vec::new();
        for NumericFilter { name, min, max } in &self.filters {
            let attribute = find(name, &Kind::Numeric)?;
            conditions.push(Node::Numeric { attribute, min: *min, max: *max });
        }
        for GeoFilter { name, longitude, latitude, meters } in &self.geo_filters {
            let (longitude, latitude, meters) = (*longitude, *latitude, *meters);
            let attribute = find(name, &Kind::Geo)?;
            conditions.push(Node::Geo { attribute, longitude, latitude, meters });
        }
        Ok(conditions)
    }
}

/// The query is missing.
pub(super) fn no_query() -> Error {
    Error::new("wrong number of arguments")
}

/// A list of names; one that is empty says nothing.
fn names(words: &mut Arguments<'_>, option: &str) -> Result<Option<Vec<Vec<u8>>>> {
    let list = words.list(option)?;
    Ok((!list.is_empty()).then(|| list.iter().map(|word| word.to_vec()).collect()))
}

fn numeric_filter(words: &mut Arguments<'_>) -> Result<NumericFilter> {
    let name = words.value("FILTER")?;
    let name = name.strip_prefix(b"@").unwrap_or(name).to_vec();
    let mut bound = |which: &str| {
        let word = words.value("FILTER")?;
        let (number, exclusive) = match word.strip_prefix(b"(") {
            Some(number) => (number, true),
            None => (word, false),
        };
        match number::parse(number) {
            Some(value) => Ok(Bound { value, exclusive }),
            None => Err(Error::new(format!("Bad {which} range: {}", text(word)))),
        }
    };
    let (min, max) = (bound("lower")?, bound("upper")?);
    if min.value > max.value {
        return Err(Error::new("Invalid numeric range (min > max)"));
    }
    Ok(NumericFilter { name, min, max })
}

fn geo_filter(words: &mut Arguments<'_>) -> Result<GeoFilter> {
    let name = words.value("GEOFILTER")?;
    let name = name.strip_prefix(b"@").unwrap_or(name).to_vec();
    let mut numbers = [0.0; 3];
    for number in &mut numbers {
        *number = words.number("GEOFILTER")?;
    }
    let [longitude, latitude, radius] = numbers;
    let meters = check_place(longitude, latitude, radius, words.value("GEOFILTER")?)?;
    Ok(GeoFilter { name, longitude, latitude, meters })
}

fn fields(words: &mut Arguments<'_>) -> Result<Vec<Vec<u8>>> {
    let list = words.list("FIELDS")?;
    if list.is_empty() {
        return Err(arguments::out_of_bounds("FIELDS"));
    }
    Ok(list.iter().map(|word| word.to_vec()).collect())
}

fn summarize(words: &mut Arguments<'_>) -> Result<Summarize> {
    let separator = b"... ".to_vec();
    let mut options = Summarize { fields: None, fragments: 3, length: 20, separator };
    loop {
        if words.take("FIELDS") {
            options.fields = Some(fields(words)?);
        } else if words.take("FRAGS") {
            options.fragments = positive(words, "FRAGS")?;
        } else if words.take("LEN") {
            options.length = positive(words, "LEN")?;
        } else if words.take("SEPARATOR") {
            options.separator = words.value("SEPARATOR")?.to_vec();
        } else {
            return Ok(options);
        }
    }
}

fn highlight(words: &mut Arguments<'_>) -> Result<Highlight> {
    let mut options = Highlight { fields: None, open: b"<b>".to_vec(), close: b"</b>".to_vec() };
    loop {
        if words.take("FIELDS") {
            options.fields = Some(fields(words)?);
        } else if words.take("TAGS") {
            options.open = words.value("TAGS")?.to_vec();
            options.close = words.value("TAGS")?.to_vec();
        } else {
            return Ok(options);
        }
    }
}

fn positive(words: &mut Arguments<'_>, option: &str) -> Result<usize> {
    match words.count(option)? {
        0 => Err(arguments::out_of_bounds(option)),
        number => Ok(number),
    }
}

/// A number; what is below zero is no limit.
fn slop(words: &mut Arguments<'_>) -> Result<Option<u32>> {
    let word = words.value("SLOP")?;
    if word.strip_prefix(b"-").and_then(count).is_some() {
        return Ok(None);
    }
    let slop = count(word).ok_or_else(|| no_number("SLOP"))?;
    Ok(Some(u32::try_from(slop).unwrap_or(u32::MAX)))
}
