//! `kvist export hxredis --from HOST:PORT PROJECT --to HOST:PORT`.

use std::collections::HashMap;
use std::process::ExitCode;

use client::Pipeline;
use folio::{Layer, Project, Slot};
use haystack::{Cell, DateTime, Dict, Name, Ref, Value, Zone, zinc};

use super::layout::Place;
use super::{Arguments, parse, text};
use crate::offline::projects::whole;
use crate::offline::remote::{Pages, Progress, Server};
use crate::usage;

/// Bytes of requests that are sent at once.
const BATCH: usize = 256 << 10;
/// Ids that are added to an index at once, and samples to a history.
const ELEMENTS: usize = 500;

/// Runs the verb; `args` stand behind `hxredis`.
#[must_use]
pub fn main(args: &[String]) -> ExitCode {
    let arguments = match parse(args) {
        Ok(arguments) if !arguments.skip_damaged && arguments.id_prefix.is_none() => arguments,
        Ok(_) => {
            return usage::wrong("export hxredis: it leaves nothing out, and has no --id-prefix");
        }
        Err(what) => return usage::wrong(&format!("export hxredis: {what}")),
    };
    match export(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("kvist: {error}");
            ExitCode::FAILURE
        }
    }
}

fn export(arguments: &Arguments) -> Result<(), String> {
    let mut source = Server::connect_to_database(&arguments.from, &arguments.login, None)?;
    let mut target = arguments.redis(&arguments.to)?;
    make_room(arguments, &mut target)?;
    let whole = whole::fetch(&mut source, &arguments.project)?;
    let project = whole.project().ok_or_else(|| source.unexpected())?;
    let mut export = Export {
        arguments,
        project,
        target,
        requests: Pipeline::new(),
        indexes: HashMap::new(),
        progress: Progress::new(),
        samples: 0,
    };
    export.all().map_err(|error| {
        format!("{error}; what hxRedis finds records by was not made; --replace begins anew")
    })
}

/// Looks that there are no keys of hxRedis, or takes them away.
fn make_room(arguments: &Arguments, target: &mut Server) -> Result<(), String> {
    let layout = &arguments.layout;
    let pattern = layout.pattern();
    let mut pages = Pages::new(&[b"SCAN"], &[b"MATCH", pattern.as_bytes(), b"COUNT", b"500"]);
    if arguments.replace {
        target.ask(&["DEL", &layout.all()])?;
    }
    while let Some(mut keys) = pages.next(target)? {
        let unfinished = layout.unfinished();
        keys.retain(|key| layout.place(key) != Place::Other || key == unfinished.as_bytes());
        let Some(first) = keys.first() else { continue };
        if !arguments.replace {
            let first = String::from_utf8_lossy(first);
            return Err(
                target.says(format!("{first}: hxRedis has data there already: see --replace"))
            );
        }
        let words: Vec<&[u8]> =
            std::iter::once(&b"UNLINK"[..]).chain(keys.iter().map(Vec::as_slice)).collect();
        target.ask(&words)?;
    }
    Ok(())
}

struct Export<'a> {
    arguments: &'a Arguments,
    project: &'a Project,
    target: Server,
    requests: Pipeline,
    /// Ids for indexes, by the keys of these, that are not in them yet.
    indexes: HashMap<String, Vec<String>>,
    progress: Progress,
    samples: usize,
}

impl Export<'_> {
    fn all(&mut self) -> Result<(), String> {
        let (slots, layout) = (whole::slots(self.project)?, &self.arguments.layout);
        for (number, slot) in slots.iter().enumerate() {
            self.record(*slot)?;
            self.history(*slot)?;
            let samples = self.samples;
            self.progress.show(|| format!("{number} records, {samples} samples"));
        }
        for (key, ids) in std::mem::take(&mut self.indexes) {
            self.index(&key, &ids)?;
        }
        self.send()?;
        let version = self.project.version().to_string();
        let mut last = vec![vec!["SET".to_owned(), layout.version(), version]];
        if !slots.is_empty() {
            last.push(vec!["RENAME".to_owned(), layout.unfinished(), layout.all()]);
        }
        for answer in self.target.all_of(&Pipeline::atomic(last))? {
            if let Some(error) =
                answer.as_slice().and_then(|all| all.iter().find_map(|it| it.as_error()))
            {
                return Err(self.target.says(String::from_utf8_lossy(error)));
            }
        }
        let there = self.target.count(&["SCARD", &layout.all()])?;
        if there != slots.len() as u64 {
            let made = slots.len();
            return Err(self.target.says(format!("idx:all has {there} ids, not {made}")));
        }
        let (to, samples) = (&self.arguments.to, self.samples);
        let to = to.rsplit('@').next().unwrap_or_default();
        self.progress.end(&format!("Exported {there} records, {samples} samples to {to}"));
        Ok(())
    }

    fn record(&mut self, slot: Slot) -> Result<(), String> {
        let (id, layout) = (self.project.id_of(slot), &self.arguments.layout);
        let dict = self.project.dict(slot, Layer::Persistent);
        let time = dict.get("mod").map(|time| zinc::to_text(&time.cell())).unwrap_or_default();
        let text = text::of_dict(&self.named(&dict));
        self.add(&[
            b"HSET",
            layout.record(id).as_bytes(),
            b"trio",
            text.as_bytes(),
            b"mod",
            time.as_bytes(),
        ])?;
        let tags = dict.iter().map(|(tag, _)| tag.as_str());
        let keys = tags.filter(|tag| !matches!(*tag, "id" | "mod")).map(|tag| layout.index(tag));
        for key in keys.chain([layout.unfinished()]).collect::<Vec<_>>() {
            let ids = self.indexes.entry(key.clone()).or_default();
            ids.push(id.to_owned());
            if ids.len() >= ELEMENTS {
                let ids = std::mem::take(ids);
                self.index(&key, &ids)?;
            }
        }
        Ok(())
    }

    fn index(&mut self, key: &str, ids: &[String]) -> Result<(), String> {
        let words = [b"SADD", key.as_bytes()].into_iter();
        let words: Vec<&[u8]> = words.chain(ids.iter().map(String::as_bytes)).collect();
        if ids.is_empty() { Ok(()) } else { self.add(&words) }
    }

    /// A record whose refs have the display names of what they lead to, as those of hxRedis have.
    fn named(&self, dict: &Dict) -> Dict {
        let mut named = Dict::new();
        for (tag, value) in dict.iter() {
            named.set(tag.clone(), self.with_names(value));
        }
        named
    }

    fn with_names(&self, value: &Value) -> Value {
        match value.cell() {
            Cell::Ref(id, _) => {
                let slot = self.project.find_any(id);
                let shown = slot.map(|slot| self.project.display(slot)).filter(|name| name != id);
                Ref { id: Name::new(id), dis: shown.map(|name| name.as_ref().into()) }.into()
            }
            Cell::List(list) => {
                Value::list(list.iter().map(|value| self.with_names(value)).collect())
            }
            Cell::Dict(dict) => Value::dict(self.named(dict)),
            _ => value.clone(),
        }
    }

    /// Samples without units: hxRedis gives them that of their record.
    fn history(&mut self, slot: Slot) -> Result<(), String> {
        let (project, id) = (self.project, self.project.id_of(slot));
        let key = self.arguments.layout.history(id);
        let zone = match project.value(slot, "tz") {
            Cell::Str(name) => Zone::named(name).unwrap_or(Zone::UTC),
            _ => Zone::UTC,
        };
        let mut words: Vec<Vec<u8>> = Vec::new();
        let mut samples = project.his_kept(slot).peekable();
        while let Some((at, value)) = samples.next() {
            let mut sample = Dict::new();
            let time = DateTime::from_nanos(at.saturating_mul(1_000_000), zone);
            let put = sample.put("ts", time).and_then(|()| sample.put("val", value));
            put.map_err(|error| error.to_string())?;
            words.push(at.to_string().into_bytes());
            words.push(text::of_dict(&sample).into_bytes());
            self.samples += 1;
            if words.len() >= ELEMENTS * 2 || samples.peek().is_none() {
                let all = [b"ZADD", key.as_bytes()].into_iter();
                let all: Vec<&[u8]> = all.chain(words.iter().map(Vec::as_slice)).collect();
                self.add(&all)?;
                words.clear();
            }
        }
        Ok(())
    }

    /// Has a request sent, soon.
    fn add(&mut self, words: &[&[u8]]) -> Result<(), String> {
        self.requests.add(words.iter().copied());
        if self.requests.as_bytes().len() >= BATCH { self.send() } else { Ok(()) }
    }

    fn send(&mut self) -> Result<(), String> {
        self.target.all_of(&std::mem::take(&mut self.requests)).map(drop)
    }
}
