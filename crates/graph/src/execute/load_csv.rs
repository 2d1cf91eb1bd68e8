//! `LOAD CSV`: a row for each record of a file, for each row before it.
//!
//! A file is read as its rows are asked for, and never kept. A field is a string; an empty one is
//! null, and in a map left out.

use std::sync::Arc;

use super::csv::{self, Record, Records};
use super::{Batch, Boxed, Column, Operator, ROWS, Run, row_number};
use crate::evaluate::evaluate;
use crate::plan::{self, Live};
use crate::query::{Class, Error, Explained};
use crate::value::{Map, Value};

/// A batch is not made of more bytes than this, unless one record has more.
const BYTES: usize = 1 << 20;

/// Makes a row of each record.
pub struct LoadCsv<'p> {
    input: Boxed<'p>,
    load: &'p plan::LoadCsv,
    live: Live,
    at_work: Option<AtWork>,
    record: Record,
}

/// The rows that files are read for.
struct AtWork {
    batch: Batch,
    urls: Column,
    separators: Option<Column>,
    /// The row that is next.
    row: usize,
    open: Option<Open>,
}

/// A file that is being read.
struct Open {
    url: Arc<str>,
    records: Records,
    /// The names of its columns, if its first line has them.
    names: Option<Vec<Arc<str>>>,
    /// How many fields each record has, as soon as that is known.
    width: Option<usize>,
}

fn wrong(message: impl Into<Box<str>>) -> Error {
    Error::new(Class::ArgumentError, "InvalidCsv", message)
}

impl Open {
    /// Opens a file, and reads the line with names, if it has one.
    fn new(
        (url, separator): (&Value, Option<Value>),
        (headers, record): (bool, &mut Record),
        run: &Run<'_>,
    ) -> Result<Open, Error> {
        let Value::String(url) = url else { return Err(wrong("URI to CSV must be a string")) };
        let separator = match separator {
            None => b',',
            Some(Value::String(text)) => match text.as_bytes() {
                [byte] if byte.is_ascii() && !b"\"\r\n".contains(byte) => *byte,
                [_] => return Err(wrong("CSV field terminator ends no field")),
                _ => return Err(wrong("CSV field terminator can only be one character wide")),
            },
            Some(_) => return Err(wrong("CSV field terminator must be a string")),
        };
        let scheme = url.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("file://"));
        let path = scheme.and_then(|_| url.get(7..)).ok_or_else(|| wrong("Unsupported URI"))?;
        let opened = run.settings().interrupt.open(path.trim_start_matches('/'));
        let file = opened.map_err(|why| wrong(format!("Error opening CSV URI: {url}: {why}")))?;
        let records = Records::new(file, separator);
        let mut open = Open { url: Arc::clone(url), records, names: None, width: None };
        if headers {
            if !open.next(record, run)? {
                return Err(wrong(format!("Failed reading CSV header row: {url} is empty")));
            }
            let mut names = Vec::with_capacity(record.len());
            for field in record.fields() {
                let name = field.ok_or_else(|| open.not_text(record))?;
                if name.is_empty() {
                    return Err(open.at(record.line, "a column has no name"));
                }
                names.push(Arc::from(name));
            }
            open.names = Some(names);
        }
        Ok(open)
    }

    /// What is wrong with a line.
    fn at(&self, line: u64, what: &str) -> Error {
        wrong(format!("CSV file {}, line {line}: {what}", self.url))
    }

    fn not_text(&self, record: &Record) -> Error {
        self.at(record.line, "a field is no text in UTF-8")
    }

    /// Reads the next record. False if there is none.
    fn next(&mut self, record: &mut Record, run: &Run<'_>) -> Result<bool, Error> {
        let read = self.records.next(record, |holds| run.check_made(holds));
        let more = read.map_err(|error| match error {
            csv::Error::Ended(error) => error,
            csv::Error::File(what) => self.at(self.records.line(), &what),
        })?;
        let (wanted, found) = (*self.width.get_or_insert(record.len()), record.len());
        if more && wanted != found {
            let what = format!("CSV row of unexpected length: {found} fields, not {wanted}");
            return Err(self.at(record.line, &what));
        }
        Ok(more)
    }

    fn row(&self, record: &Record) -> Result<Value, Error> {
        let mut values = Vec::with_capacity(record.len());
        for field in record.fields() {
            values.push(match field.ok_or_else(|| self.not_text(record))? {
                "" => Value::Null,
                text => Value::from(text),
            });
        }
        let row = match &self.names {
            None => Value::list(values),
            Some(names) => {
                let pairs = names.iter().cloned().zip(values);
                Value::Map(Map::new(pairs.filter(|(_, value)| !value.is_null())).into())
            }
        };
        Ok(row.checked()?)
    }
}

impl<'p> LoadCsv<'p> {
    pub fn new(input: Boxed<'p>, load: &'p plan::LoadCsv, live: Live) -> LoadCsv<'p> {
        LoadCsv { input, load, live, at_work: None, record: Record::default() }
    }

    /// Takes the next rows to read files for.
    fn take(&mut self, run: &mut Run<'_>) -> Result<bool, Error> {
        let Some(batch) = self.input.next(run)? else { return Ok(false) };
        let urls = evaluate(&self.load.url, &batch, run)?;
        let separators = match &self.load.separator {
            Some(separator) => Some(evaluate(separator, &batch, run)?),
            None => None,
        };
        self.at_work = Some(AtWork { batch, urls, separators, row: 0, open: None });
        Ok(true)
    }
}

impl AtWork {
    /// Reads on until a batch is full. Tells which rows it has read for, and what.
    fn read(
        &mut self,
        headers: bool,
        record: &mut Record,
        run: &Run<'_>,
    ) -> Result<(Vec<u32>, Vec<Value>), Error> {
        let (mut rows, mut values, mut bytes) = (Vec::new(), Vec::new(), 0);
        while rows.len() < ROWS && bytes < BYTES {
            let open = match &mut self.open {
                Some(open) => open,
                None if self.row >= self.batch.len() => break,
                None => {
                    let separator = self.separators.as_ref().map(|all| all.value(self.row));
                    let file = (&self.urls.value(self.row), separator);
                    self.row += 1;
                    self.open.insert(Open::new(file, (headers, &mut *record), run)?)
                }
            };
            if !open.next(record, run)? {
                self.open = None;
                continue;
            }
            let value = open.row(record)?;
            bytes += value.memory();
            run.check_made(bytes)?;
            values.push(value);
            rows.push(row_number(self.row - 1));
        }
        Ok((rows, values))
    }
}

impl Operator for LoadCsv<'_> {
    fn next(&mut self, run: &mut Run<'_>) -> Result<Option<Batch>, Error> {
        loop {
            if self.at_work.is_none() && !self.take(run)? {
                return Ok(None);
            }
            let Some(at_work) = &mut self.at_work else { return Ok(None) };
            let (rows, values) = at_work.read(self.load.headers, &mut self.record, run)?;
            let mut out = at_work.batch.gather_live(&rows, &self.live);
            out.set(self.load.slot, Column::of(values));
            if at_work.open.is_none() && at_work.row >= at_work.batch.len() {
                self.at_work = None;
            }
            if !out.is_empty() {
                return Ok(Some(out));
            }
        }
    }

    fn explain(&self) -> Explained {
        Explained::new("Load CSV", "", vec![self.input.explain()])
    }
}
