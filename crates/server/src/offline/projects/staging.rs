//! A project that is made under another name, until all of it is there.

use client::Pipeline;
use folio::change;
use haystack::{Cell, Value, zinc};

use super::tags::Tags;

use crate::offline::remote::Server;

/// Bytes of changes that are made at once.
const BATCH: usize = 64 << 10;
/// Seconds after which a project goes to which nothing is added.
const LEFT_ALONE: &str = "3600";

/// The project.
pub(super) struct Staging {
    server: Server,
    key: String,
    changes: Vec<u8>,
    /// Transient tags of records that are in `changes`, or before, as Zinc.
    transient: Vec<u8>,
}

impl Staging {
    /// Opens one under a name that no other import has.
    ///
    /// # Errors
    /// There is a key of the project's name already, and not to be replaced; or the server's.
    pub fn open(
        mut server: Server,
        name: &str,
        prefix: Option<&str>,
        replace: bool,
    ) -> Result<Self, String> {
        if !replace && server.count(&["EXISTS", name])? > 0 {
            return Err(server.says(format!("{name}: it is there already: see --replace")));
        }
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let now = now.map_or(0, |now| now.as_nanos());
        let key = format!("{name}:importing:{:x}:{now:x}", std::process::id());
        match prefix {
            Some(prefix) => server.ask(&["FOLIO.OPEN", &key, "PREFIX", prefix])?,
            None => server.ask(&["FOLIO.OPEN", &key])?,
        };
        let mut staging = Staging { server, key, changes: Vec::new(), transient: Vec::new() };
        staging.flush()?;
        Ok(staging)
    }

    /// Makes a change, soon.
    pub fn add(&mut self, change: &[u8]) -> Result<(), String> {
        self.changes.extend_from_slice(change);
        if self.changes.len() >= BATCH { self.flush() } else { Ok(()) }
    }

    /// Makes a record, soon.
    pub fn add_record(&mut self, id: &str, tags: &Tags, change: &[u8]) -> Result<(), String> {
        self.add(change)?;
        if tags.transient.is_empty() {
            return Ok(());
        }
        let mut transient = tags.transient.clone();
        let id = Value::id(id).map_err(|error| error.to_string())?;
        transient.put("id", id).map_err(|error| error.to_string())?;
        self.transient.extend_from_slice(if self.transient.is_empty() { b"[" } else { b"," });
        zinc::write_value(&mut self.transient, &Cell::Dict(&transient));
        if self.transient.len() >= BATCH { self.flush() } else { Ok(()) }
    }

    /// Gives it a version, soon.
    pub fn add_version(&mut self, version: u64) -> Result<(), String> {
        self.add(&change::of_version(version))
    }

    /// Makes all changes.
    pub fn flush(&mut self) -> Result<(), String> {
        let mut requests = Pipeline::new();
        if !self.changes.is_empty() {
            let words: [&[u8]; 3] = [b"FOLIO.APPLY", self.key.as_bytes(), &self.changes];
            requests.add(words);
        }
        if !self.transient.is_empty() {
            self.transient.push(b']');
            let words =
                ["FOLIO.COMMIT", &self.key, "TRANSIENT", "FORCE", "FORMAT", "zinc", "UPDATE"];
            let words = words.iter().map(|word| word.as_bytes()).chain([&self.transient[..]]);
            requests.add(words.collect::<Vec<_>>());
        }
        requests.add(["EXPIRE", &self.key, LEFT_ALONE]);
        self.server.all_of(&requests)?;
        self.changes.clear();
        self.transient.clear();
        Ok(())
    }

    /// A record that is there, as Zinc.
    pub fn read(&mut self, id: &str) -> Result<String, String> {
        let words = ["FOLIO.READBYID", &self.key, id, "TRASH", "PERSISTENT", "FORMAT", "zinc"];
        let answer = self.server.ask(&words)?;
        let text = answer.as_bytes().map(|text| String::from_utf8_lossy(text).into_owned());
        text.ok_or_else(|| self.server.unexpected())
    }

    /// How many records it has.
    pub fn count(&mut self) -> Result<u64, String> {
        let live = self.server.count(&["FOLIO.COUNT", &self.key, "id"])?;
        Ok(live + self.server.count(&["FOLIO.COUNT", &self.key, "id", "TRASH"])?)
    }

    /// Gives it its name, which another key has only if that is to be replaced.
    pub fn finish(mut self, name: &str, replace: bool) -> Result<(), String> {
        self.flush()?;
        let rename = if replace { "RENAME" } else { "RENAMENX" };
        let requests =
            Pipeline::atomic([vec!["PERSIST", &self.key], vec![rename, &self.key, name]]);
        let answers = self.server.all_of(&requests)?;
        let renamed = answers.last().and_then(client::Value::as_slice).and_then(<[_]>::last);
        if renamed == Some(&client::Value::Int(0)) {
            let there = self.server.says(format!("{name}: it is there already: see --replace"));
            self.give_up();
            return Err(there);
        }
        match renamed.and_then(client::Value::as_error) {
            Some(error) => Err(self.server.says(String::from_utf8_lossy(error))),
            None => Ok(()),
        }
    }

    /// Takes it away again.
    pub fn give_up(mut self) {
        // If this fails, it goes by itself.
        let _ = self.server.ask(&["UNLINK", &self.key]);
    }
}
