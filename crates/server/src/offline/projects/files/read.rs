//! A file of records or samples, read one by one.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use haystack::value::Rows as _;
use haystack::{Cell, Col, Dict, Limits, Name, Value, hayson, json3, trio, zinc};

use super::Format;
use super::csv_rows::Rows;
use super::trio_pieces::{LONGEST, Pieces};

/// Bytes that are read at once.
const BUFFER: usize = 256 << 10;

/// A file.
pub struct Source {
    reader: Reader,
    /// Rows that have been read of a file that has no lines to count.
    count: u64,
    /// What is wrong makes the rest unreadable.
    is_broken: bool,
}

enum Reader {
    Trio {
        pieces: Pieces<BufReader<File>>,
        ready: Vec<(u64, Dict)>,
    },
    Zinc(Box<zinc::Stream<BufReader<File>>>),
    Csv(Box<Rows<BufReader<File>>>),
    /// All of it, the last first.
    Json(Vec<Dict>),
}

impl Source {
    /// Opens a file, and reads what stands before its records.
    ///
    /// # Errors
    /// It cannot be read, or is malformed.
    pub fn open(path: &Path, format: Format) -> Result<Self, String> {
        let mut file = File::open(path).map_err(|error| error.to_string())?;
        let reader = match format {
            Format::Json => Reader::Json(json(&mut file)?),
            Format::Trio => Reader::Trio { pieces: Pieces::new(buffered(file)), ready: Vec::new() },
            Format::Csv => Reader::Csv(Box::new(Rows::new(buffered(file))?)),
            Format::Zinc => {
                let limits = Limits { bytes: LONGEST, ..Limits::DEFAULT };
                let stream = zinc::Stream::new(buffered(file), limits).map_err(|e| told(&e, 0))?;
                Reader::Zinc(Box::new(stream))
            }
        };
        Ok(Source { reader, count: 0, is_broken: false })
    }

    fn cols(&self) -> &[Col] {
        match &self.reader {
            Reader::Zinc(stream) => stream.cols(),
            Reader::Csv(rows) => rows.cols(),
            Reader::Trio { .. } | Reader::Json(_) => &[],
        }
    }

    /// Whether it has samples: columns `ts` and `val` alone.
    pub fn is_history(&self) -> bool {
        let names: Vec<&str> = self.cols().iter().map(|col| col.name.as_str()).collect();
        matches!(names.as_slice(), ["ts", "val"])
    }

    /// The record that it says it is of.
    pub fn id(&self) -> Option<Name> {
        let Reader::Zinc(stream) = &self.reader else { return None };
        stream.meta().id().cloned()
    }

    /// The next record, and where it is; none behind the last. What is behind a malformed one is
    /// read where that is possible.
    pub fn next(&mut self) -> Option<Result<(String, Dict), String>> {
        if self.is_broken {
            return None;
        }
        let next = self.reader.next();
        self.is_broken = next.is_err() && !matches!(self.reader, Reader::Trio { .. });
        match next {
            Ok(Some((Some(line), dict))) => Some(Ok((format!("line {}", line + 1), dict))),
            Ok(Some((None, dict))) => {
                self.count += 1;
                Some(Ok((format!("record {}", self.count), dict)))
            }
            Ok(None) => None,
            Err(what) => Some(Err(what)),
        }
    }
}

impl Reader {
    fn next(&mut self) -> Result<Option<(Option<u64>, Dict)>, String> {
        match self {
            Reader::Csv(rows) => Ok(rows.next()?.map(|(line, dict)| (Some(line), dict))),
            Reader::Json(dicts) => Ok(dicts.pop().map(|dict| (None, dict))),
            Reader::Zinc(stream) => {
                let mut row = Vec::new();
                if !stream.next_row(&mut row).map_err(|error| told(&error, 0))? {
                    return Ok(None);
                }
                let mut dict = Dict::new();
                for (col, value) in stream.cols().iter().zip(row) {
                    dict.set(col.name.clone(), value);
                }
                Ok(Some((Some(stream.line() as u64), dict)))
            }
            Reader::Trio { pieces, ready } => {
                while ready.is_empty() {
                    let Some((line, text)) = pieces.next()? else { return Ok(None) };
                    let dicts = trio::read(&text).map_err(|error| told(&error, line))?;
                    ready.extend(dicts.into_iter().rev().map(|dict| (line, dict)));
                }
                Ok(ready.pop().map(|(line, dict)| (Some(line), dict)))
            }
        }
    }
}

fn buffered(file: File) -> BufReader<File> {
    BufReader::with_capacity(BUFFER, file)
}

/// An error in a text that so many lines stand before.
fn told(error: &haystack::Error, before: u64) -> String {
    match error.line() as u64 {
        0 => error.message().to_owned(),
        line => format!("line {}: {}", line + before, error.message()),
    }
}

/// All records of a file of JSON, of Haystack 4 or 3, the last first.
fn json(file: &mut File) -> Result<Vec<Dict>, String> {
    let mut text = String::new();
    let most = Limits::DEFAULT.bytes as u64;
    let read = file.take(most + 1).read_to_string(&mut text);
    read.map_err(|error| error.to_string())?;
    let mut value = hayson::read_value(&text).map_err(|error| told(&error, 0))?;
    let is_older = |dict: &Dict| dict.has("cols") && dict.has("rows");
    if value.as_dict().is_some_and(is_older) {
        value = Value::grid(json3::read_grid(&text).map_err(|error| told(&error, 0))?);
    }
    let mut dicts = match value.cell() {
        Cell::Dict(dict) => vec![dict.clone()],
        Cell::Grid(grid) => (0..grid.row_count()).map(|row| grid.row(row).to_dict()).collect(),
        Cell::List(list) => {
            let all = list.iter().map(|value| value.as_dict().cloned());
            all.collect::<Option<Vec<_>>>().ok_or("a list of something else than records")?
        }
        _ => return Err("it is no record, list of records, or grid".to_owned()),
    };
    dicts.reverse();
    Ok(dicts)
}
