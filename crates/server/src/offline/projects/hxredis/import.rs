//! `kvist import hxredis --from HOST:PORT --to HOST:PORT PROJECT`.

use std::collections::{HashMap, HashSet};
use std::process::ExitCode;

use client::{Pipeline, ServerError, Value};

use super::layout::Place;
use super::record::{self, Record};
use super::{Arguments, parse};
use crate::offline::projects::point::Point;
use crate::offline::projects::report::Report;
use crate::offline::projects::staging::Staging;
use crate::offline::remote::{Pages, Progress, Server};
use crate::usage;

/// Keys that a page is asked for, and records that are read at once.
const PAGE: &[u8] = b"500";
/// Samples that are read at once.
const SAMPLES: u64 = 4096;

/// Runs the verb; `args` stand behind `hxredis`.
#[must_use]
pub fn main(args: &[String]) -> ExitCode {
    let arguments = match parse(args) {
        Ok(arguments) => arguments,
        Err(what) => return usage::wrong(&format!("import hxredis: {what}")),
    };
    match import(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("kvist: {error}; nothing was imported");
            ExitCode::FAILURE
        }
    }
}

fn import(arguments: &Arguments) -> Result<(), String> {
    let source = arguments.redis(&arguments.from)?;
    let target = Server::connect_to_database(&arguments.to, &arguments.login, None)?;
    let Arguments { project, id_prefix, replace, .. } = arguments;
    let staging = Staging::open(target, project, id_prefix.as_deref(), *replace)?;
    let mut import = Import {
        arguments,
        source,
        staging,
        report: Report::default(),
        progress: Progress::new(),
        ids: HashMap::new(),
        histories: HashSet::new(),
        tags: HashMap::new(),
        indexes: HashSet::new(),
    };
    match import.all() {
        Ok(()) => {
            import.staging.finish(project, *replace)?;
            import.report.end(&import.progress, project);
            Ok(())
        }
        Err(error) => {
            import.staging.give_up();
            Err(error)
        }
    }
}

struct Import<'a> {
    arguments: &'a Arguments,
    source: Server,
    staging: Staging,
    report: Report,
    progress: Progress,
    /// The records that were read, and whether they were taken.
    ids: HashMap<Vec<u8>, bool>,
    /// The records that have histories.
    histories: HashSet<Vec<u8>>,
    /// How many records have each tag, and the tags that have an index.
    tags: HashMap<String, u64>,
    indexes: HashSet<Vec<u8>>,
}

impl Import<'_> {
    fn all(&mut self) -> Result<(), String> {
        let version = self.version()?;
        self.records()?;
        self.missing()?;
        self.indexes()?;
        self.histories()?;
        if let Some(version) = version {
            self.staging.add_version(version)?;
        }
        self.staging.flush()?;
        if self.version()? != version {
            return Err(self.source.says("records were changed meanwhile: stop what changes them"));
        }
        let (there, read) = (self.staging.count()?, self.report.records);
        if there != read {
            return Err(format!("there are {there} records, not the {read} that were read"));
        }
        self.report.check(self.arguments.skip_damaged)
    }

    /// The version of the project, if its keyspace has one.
    fn version(&mut self) -> Result<Option<u64>, String> {
        let key = self.arguments.layout.version();
        let version = self.source.ask(&["GET", &key])?;
        let Some(text) = version.as_bytes() else { return Ok(None) };
        let number = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
        number.map(Some).ok_or_else(|| self.source.says(format!("{key}: it is no number")))
    }

    /// Reads all keys, and the records among them.
    fn records(&mut self) -> Result<(), String> {
        let pattern = self.arguments.layout.pattern();
        let options: [&[u8]; 4] = [b"MATCH", pattern.as_bytes(), b"COUNT", PAGE];
        let mut pages = Pages::new(&[b"SCAN"], &options);
        while let Some(keys) = pages.next(&mut self.source)? {
            let mut ids = Vec::new();
            for key in &keys {
                match self.arguments.layout.place(key) {
                    Place::Record(id) if !self.ids.contains_key(id) => {
                        self.ids.insert(id.to_vec(), false);
                        ids.push(id.to_vec());
                    }
                    Place::History(id) => drop(self.histories.insert(id.to_vec())),
                    Place::Index(tag) => drop(self.indexes.insert(tag.to_vec())),
                    Place::Other => self.report.note("keys are none of hxRedis", 1),
                    Place::Record(_) | Place::All | Place::Version => {}
                }
            }
            self.page(&ids)?;
            self.progress.show(|| self.report.progress());
        }
        Ok(())
    }

    /// Reads some records.
    fn page(&mut self, ids: &[Vec<u8>]) -> Result<(), String> {
        let (layout, mut requests) = (&self.arguments.layout, Pipeline::new());
        let all = layout.all();
        for id in ids {
            let key = [layout.record("").as_bytes(), id].concat();
            requests.add([b"HGETALL", &key[..]]);
            requests.add([b"SISMEMBER", all.as_bytes(), id]);
        }
        let mut answers = self.source.ask_all(&requests)?.into_iter();
        for id in ids {
            let (fields, known) = (answers.next(), answers.next());
            let is_taken = match self.record(id, fields, known) {
                Ok(record) => self.take(&record)?,
                Err(what) => {
                    self.damaged_record(id, &what);
                    false
                }
            };
            self.ids.insert(id.clone(), is_taken);
        }
        Ok(())
    }

    fn damaged_record(&mut self, id: &[u8], what: &str) {
        let key = self.arguments.layout.record(&String::from_utf8_lossy(id));
        self.report.damaged(&key, what);
    }

    fn record(
        &mut self,
        id: &[u8],
        fields: Option<Result<Value, ServerError>>,
        known: Option<Result<Value, ServerError>>,
    ) -> Result<Record, String> {
        let fields = fields.transpose().map_err(|error| error.message().to_owned())?;
        let fields = fields.as_ref().map(pairs).unwrap_or_default();
        if fields.is_empty() {
            return Err("it is gone meanwhile".to_owned());
        }
        for tag in Record::indexed(&fields) {
            *self.tags.entry(tag).or_default() += 1;
        }
        let record = Record::read(id, &fields)?;
        if matches!(known, Some(Ok(Value::Int(0)))) {
            return Err("idx:all does not have it, so that hxRedis does not find it".to_owned());
        }
        Ok(record)
    }

    /// Makes a record of the project; whether that is possible.
    fn take(&mut self, record: &Record) -> Result<bool, String> {
        let change = match record.tags.change(&record.id, record.time) {
            Ok(change) => change,
            Err(what) => {
                self.damaged_record(record.id.as_bytes(), &what);
                return Ok(false);
            }
        };
        self.report.taken(&record.tags);
        let other = "records whose field 'mod' is not their tag, which counts";
        self.report.note(other, u64::from(record.has_other_mod));
        self.staging.add_record(&record.id, &record.tags, &change)?;
        Ok(true)
    }

    /// Looks for records that are only named.
    fn missing(&mut self) -> Result<(), String> {
        let all = self.arguments.layout.all();
        let mut pages = Pages::new(&[b"SSCAN", all.as_bytes()], &[b"COUNT", PAGE]);
        let mut seen = HashSet::new();
        while let Some(page) = pages.next(&mut self.source)? {
            for id in page {
                if !self.ids.contains_key(&id) && !seen.contains(&id) {
                    self.damaged_record(&id, "idx:all names it, and it is not there");
                    seen.insert(id);
                }
            }
        }
        Ok(())
    }

    /// Compares the indexes with the records. They are made anew in any case.
    fn indexes(&mut self) -> Result<(), String> {
        let mut tags = std::mem::take(&mut self.tags);
        for tag in std::mem::take(&mut self.indexes) {
            tags.entry(String::from_utf8_lossy(&tag).into_owned()).or_default();
        }
        for (tag, count) in tags {
            let key = self.arguments.layout.index(&tag);
            if self.source.count(&["SCARD", &key])? != count {
                self.report.note("indexes did not have the records that have their tags", 1);
            }
        }
        Ok(())
    }

    fn histories(&mut self) -> Result<(), String> {
        for id in std::mem::take(&mut self.histories) {
            let name = String::from_utf8_lossy(&id).into_owned();
            let key = self.arguments.layout.history(&name);
            if self.ids.get(&id) != Some(&true) {
                self.report.damaged(&key, "there is no record that these are samples of");
                continue;
            }
            match self.point(&name)? {
                Ok(point) => self.history(&key, point)?,
                Err(what) => self.report.damaged(&key, &what),
            }
        }
        Ok(())
    }

    /// The record that samples are of.
    fn point(&mut self, id: &str) -> Result<Result<Point, String>, String> {
        let key = self.arguments.layout.record(id);
        let fields = self.source.ask(&["HGETALL", &key])?;
        let record = Record::read(id.as_bytes(), &pairs(&fields));
        Ok(record.and_then(|record| Point::of(id, record.time, &record.tags.kept)))
    }

    fn history(&mut self, key: &str, mut point: Point) -> Result<(), String> {
        let (count, mut read) = (self.source.count(&["ZCARD", key])?, 0);
        while read < count {
            let (from, to) = (read.to_string(), (read + SAMPLES - 1).to_string());
            let page = self.source.ask(&["ZRANGE", key, &from, &to, "WITHSCORES"])?;
            let page = pairs(&page);
            if page.is_empty() {
                break;
            }
            read += page.len() as u64;
            let mut items = Vec::with_capacity(page.len());
            for (member, score) in page {
                let place = format!("score {}", String::from_utf8_lossy(score));
                match record::sample(member, score) {
                    Ok(item) => items.push((place, item)),
                    Err(what) => self.report.damaged(key, &format!("{place}: {what}")),
                }
            }
            point.write(key, &mut items, &mut self.report, &mut self.staging)?;
            self.progress.show(|| self.report.progress());
        }
        if self.source.count(&["ZCARD", key])? != read {
            return Err(self.source.says(format!("{key}: it was changed meanwhile")));
        }
        self.report.histories += 1;
        Ok(())
    }
}

/// Names and values, or members and scores, that stand one behind the other.
fn pairs(value: &Value) -> Vec<(&[u8], &[u8])> {
    let (pairs, _) = value.as_slice().unwrap_or_default().as_chunks::<2>();
    pairs.iter().filter_map(|[name, value]| name.as_bytes().zip(value.as_bytes())).collect()
}
