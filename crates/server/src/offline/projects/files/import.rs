//! `kvist import folio HOST:PORT PROJECT FILE|FOLDER…`.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use haystack::{Cell, DateTime, Dict, Value, Zone, zinc};

use super::read::Source;
use super::{Arguments, Format, parse};
use crate::offline::projects::point::Point;
use crate::offline::projects::report::Report;
use crate::offline::projects::staging::Staging;
use crate::offline::projects::tags::Tags;
use crate::offline::remote::{Progress, Server};
use crate::usage;

/// Samples that are written at once.
const SAMPLES: usize = 4096;

/// Runs the verb; `args` stand behind `folio`.
#[must_use]
pub fn main(args: &[String]) -> ExitCode {
    let arguments = match parse(args) {
        Ok(arguments) if arguments.paths.is_empty() => {
            return usage::wrong("import folio: it needs files or folders");
        }
        Ok(arguments) => arguments,
        Err(what) => return usage::wrong(&format!("import folio: {what}")),
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
    let mut report = Report::default();
    let mut files = Vec::new();
    for path in &arguments.paths {
        add_files(path, &mut files, &mut report)?;
    }
    let server = Server::connect_to_database(&arguments.address, &arguments.login, None)?;
    let Arguments { project, id_prefix, replace, skip_damaged, .. } = arguments;
    let staging = Staging::open(server, project, id_prefix.as_deref(), *replace)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_millis());
    let now = i64::try_from(now).unwrap_or(0).saturating_mul(1_000_000);
    let mut import = Import {
        staging,
        report,
        progress: Progress::new(),
        ids: HashSet::new(),
        now: DateTime::from_nanos(now, Zone::UTC),
        drawn: RandomState::new(),
    };
    let done = import.all(&files).and_then(|()| import.report.check(*skip_damaged));
    match done {
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

/// Finds files, those of folders in order of their names.
fn add_files(
    path: &Path,
    files: &mut Vec<(PathBuf, Format)>,
    report: &mut Report,
) -> Result<(), String> {
    let told = |error: std::io::Error| format!("{}: {error}", path.display());
    if !path.is_dir() {
        let format = Format::of(path);
        let format = format.ok_or_else(|| format!("{}: no format ends so", path.display()))?;
        files.push((path.to_owned(), format));
        return Ok(());
    }
    let entries = std::fs::read_dir(path).map_err(told)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<Result<Vec<_>, _>>().map_err(told)?;
    paths.sort();
    for path in paths {
        if path.is_dir() || Format::of(&path).is_some() {
            add_files(&path, files, report)?;
        } else {
            report.note("files in folders are of no format", 1);
        }
    }
    Ok(())
}

struct Import {
    staging: Staging,
    report: Report,
    progress: Progress,
    /// Of the records that were taken.
    ids: HashSet<String>,
    now: DateTime,
    /// Where ids of records that have none come from.
    drawn: RandomState,
}

impl Import {
    /// Reads the records of all files, then the samples.
    fn all(&mut self, files: &[(PathBuf, Format)]) -> Result<(), String> {
        let mut histories = Vec::new();
        for (path, format) in files {
            let name = path.display().to_string();
            match Source::open(path, *format) {
                Ok(source) if source.is_history() => histories.push((path, *format)),
                Ok(source) => self.records(&name, source)?,
                Err(what) => self.report.damaged(&name, &what),
            }
        }
        self.staging.add_version(2)?;
        self.staging.flush()?;
        for (path, format) in histories {
            let name = path.display().to_string();
            match Source::open(path, format) {
                Ok(source) => self.history(path, &name, source)?,
                Err(what) => self.report.damaged(&name, &what),
            }
        }
        self.staging.flush()
    }

    fn records(&mut self, name: &str, mut source: Source) -> Result<(), String> {
        while let Some(next) = source.next() {
            match next {
                Ok((at, dict)) => match self.record(dict) {
                    Ok((id, tags, change)) => {
                        self.staging.add_record(&id, &tags, &change)?;
                        self.report.taken(&tags);
                        self.ids.insert(id);
                    }
                    Err(what) => self.report.damaged(name, &format!("{at}: {what}")),
                },
                Err(what) => self.report.damaged(name, &what),
            }
            self.progress.show(|| format!("{}, {name}", self.report.progress()));
        }
        Ok(())
    }

    /// A record as a change of the project.
    fn record(&mut self, mut dict: Dict) -> Result<(String, Tags, Vec<u8>), String> {
        let id = match dict.remove("id") {
            Some(id) => id.as_id().ok_or("its id is no Ref")?.as_str().to_owned(),
            None => {
                self.report.note("records had no id, and were given one", 1);
                self.draw()
            }
        };
        if self.ids.contains(&id) {
            return Err(format!("there is a record '{id}' already"));
        }
        let time = match dict.remove("mod").as_ref().map(Value::cell) {
            None => self.now,
            Some(Cell::DateTime(time)) => time,
            Some(_) => return Err("its mod is no DateTime".to_owned()),
        };
        let tags = Tags::of(dict);
        let change = tags.change(&id, time)?;
        Ok((id, tags, change))
    }

    fn draw(&self) -> String {
        let second = self.now.nanos() / 1_000_000_000;
        let drawn = self.drawn.hash_one(self.ids.len()) >> 32;
        format!("{second:08x}-{drawn:08x}")
    }

    fn history(&mut self, path: &Path, name: &str, mut source: Source) -> Result<(), String> {
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let id = source.id().map(|id| id.as_str().to_owned()).or(stem).unwrap_or_default();
        let mut point = match self.point(&id)? {
            Ok(point) => point,
            Err(what) => {
                self.report.damaged(name, &what);
                return Ok(());
            }
        };
        let mut items = Vec::new();
        loop {
            let next = source.next();
            let is_last = next.is_none();
            match next {
                Some(Ok((at, dict))) => match (dict.get("ts").map(Value::cell), dict.get("val")) {
                    (Some(Cell::DateTime(time)), Some(value)) => {
                        items.push((at, (time, value.clone())));
                    }
                    _ => self.report.damaged(name, &format!("{at}: it is no sample")),
                },
                Some(Err(what)) => self.report.damaged(name, &what),
                None => {}
            }
            if items.len() >= SAMPLES || is_last {
                point.write(name, &mut items, &mut self.report, &mut self.staging)?;
                self.progress.show(|| format!("{}, {name}", self.report.progress()));
            }
            if is_last {
                self.report.histories += 1;
                return Ok(());
            }
        }
    }

    /// The point that samples are of.
    fn point(&mut self, id: &str) -> Result<Result<Point, String>, String> {
        if !self.ids.contains(id) {
            return Ok(Err(format!("there is no record '{id}' that these are samples of")));
        }
        let text = self.staging.read(id)?;
        let value = zinc::read_value(&text).map_err(|error| error.to_string())?;
        let dict = value.as_dict().cloned().unwrap_or_default();
        Ok(Point::of(id, self.now, &dict))
    }
}
