//! A dataset comes in from files of Redis.
//!
//! Snapshots are put into the store key by key; the commands of append-only files run through the
//! table, with the clock stopped: nothing is overdue while they do. A transaction is done as a
//! whole or not at all. What this server has no types for is counted, and nothing is taken unless
//! all of it was, or the caller has said that the rest may be lost.

use std::fs::File as SystemFile;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use base::{
    Args, CmdError, Databases, Deadline, InFile, InTransaction, LibraryChange, Millis, Protocol,
    Types, num,
};
use commands::portable::{self, PART, Restored};
use rdb::aof::{AofError, File, Log, LogCause, LogError, Reader, Record};
use rdb::{FieldTtls, Item, Key, Refusal, Value};
use script::Vm;
use store::{Scope, Txn};
use wire::RespWriter;

use super::find::RedisFiles;
use super::scripter::Scripter;
use crate::durability::Imported;
use crate::engine::Engine;
use crate::engine::entry::{Action, Entry};
use crate::engine::plan::Plan;
use crate::scripting::{self, Catalog, Change, Changed};
use journal::wall_clock;

/// How to import.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// What this server has no types for may be left out.
    pub skip_unknown: bool,
    /// Fields of hashes that have deadlines of their own are taken without.
    pub drop_field_ttls: bool,
    /// The last file may end in the middle of a command.
    pub load_truncated: bool,
}

impl Engine {
    /// Reads a dataset of Redis into this engine, which is empty and serves no client yet.
    ///
    /// # Errors
    /// The files cannot be read, are damaged, or hold what would be lost; the store is in no
    /// particular state then.
    pub fn import(
        self: &Arc<Self>,
        from: &RedisFiles,
        options: Options,
    ) -> Result<Imported, String> {
        let start = Instant::now();
        let bytes = from.bytes();
        self.durability.progress.total.fetch_add(bytes, Ordering::Relaxed);
        let mut loader = Loader::new(self, from.is_snapshot);
        loader.imported.from = from.path.display().to_string();
        let set_up: fn(&mut rdb::Reader<Watched>) = if options.drop_field_ttls {
            |reader| {
                reader.in_parts(PART);
                reader.field_ttls(FieldTtls::Drop { now: wall_clock() });
            }
        } else {
            |reader| reader.in_parts(PART)
        };
        let open = |file: &File| {
            let file = Watched { file: from.open(file)?, engine: Arc::clone(self) };
            Ok(Reader::with(file, set_up).of_snapshot(from.is_snapshot))
        };
        let mut log = Log::new(&from.manifest, open);
        loop {
            match log.next() {
                Ok(None) => break,
                Ok(Some(record)) => loader.take(record).map_err(|what| match log.file() {
                    Some(file) => format!("{}: {what}", file.name.escape_ascii()),
                    None => what,
                })?,
                Err(error) => {
                    loader.imported.cut = Some(cut(&error, options.load_truncated)?);
                    break;
                }
            }
        }
        loader.settle()?;
        loader.txn.report_memory();
        let mut imported = loader.imported;
        imported.bytes = bytes;
        imported.millis = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        if imported.loss.is_nothing() || options.skip_unknown {
            return Ok(imported);
        }
        Err(format!(
            "{}: it holds what this server does not keep: {}. Nothing was changed. \
             'import-skip-unknown yes' takes the rest",
            imported.from, imported.loss
        ))
    }
}

/// Where a log that ended early is cut, if it may be.
fn cut(error: &LogError, load_truncated: bool) -> Result<(String, u64), String> {
    match &error.cause {
        LogCause::Content(AofError::Truncated { valid }) if error.is_last => {
            if load_truncated {
                return Ok((error.name.escape_ascii().to_string(), *valid));
            }
            Err(format!("{error}, and aof-load-truncated is no"))
        }
        _ => Err(error.to_string()),
    }
}

/// A file whose reading is shown as progress, and ends when the server is told to.
struct Watched {
    file: SystemFile,
    engine: Arc<Engine>,
}

impl Read for Watched {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.engine.run.stopping.load(Ordering::Acquire) {
            return Err(io::Error::other("loading was interrupted"));
        }
        let got = self.file.read(buf)?;
        self.engine.durability.progress.done.fetch_add(got as u64, Ordering::Relaxed);
        Ok(got)
    }
}

const TWICE: &str = "a member or field is there twice";

fn wrong(key: &Key, what: &str) -> String {
    format!("the key {}: {what}", key.name.escape_ascii())
}

fn deadline(key: &Key) -> Option<Millis> {
    key.deadline.map(|at| Millis::try_from(at).unwrap_or(0))
}

/// Puts items and commands into the store.
struct Loader<'e> {
    engine: &'e Arc<Engine>,
    txn: Txn,
    plan: Plan,
    db: usize,
    now: Millis,
    is_snapshot: bool,
    /// The commands of a transaction whose end has not been seen.
    transaction: Option<Vec<Vec<Vec<u8>>>>,
    reply: Vec<u8>,
    /// Runs the code of libraries; missing until the first.
    vm: Option<Box<Vm>>,
    /// Runs scripts; missing until the first.
    client: Option<Box<Scripter>>,
    /// A key of which more may come, with its database.
    open: Option<(Key, usize, Restored)>,
    imported: Imported,
}

impl<'e> Loader<'e> {
    fn new(engine: &'e Arc<Engine>, is_snapshot: bool) -> Self {
        let now = wall_clock();
        let mut txn = Txn::new(Arc::clone(&engine.store), engine.run.hashing.seed);
        txn.begin_replay(now);
        Loader {
            engine,
            txn,
            plan: Plan::default(),
            db: 0,
            now,
            is_snapshot,
            transaction: None,
            reply: Vec::new(),
            vm: None,
            client: None,
            open: None,
            imported: Imported::default(),
        }
    }

    fn take(&mut self, record: Record) -> Result<(), String> {
        if let Record::Item(Item::More(value)) = record {
            return self.more(value);
        }
        self.settle()?;
        match record {
            Record::Item(item) => self.item(item),
            Record::Command(command) => self.command(command.words),
            Record::Time(_) => Ok(()),
        }
    }

    fn item(&mut self, item: Item) -> Result<(), String> {
        let loss = &mut self.imported.loss;
        match item {
            Item::Aux { .. } | Item::Resize { .. } => {}
            Item::Function(code) => self.library(&code),
            Item::ModuleAux(aux) => *loss.module_data.entry(aux.name()).or_default() += 1,
            Item::Database { db } => _ = self.database(db)?,
            Item::Refused(_, Refusal::Empty) => {}
            Item::Refused(_, Refusal::FieldTtls(_)) => loss.mortal_hashes += 1,
            Item::Key(_, ref value @ Value::Module(ref module)) if !portable::is_known(value) => {
                *loss.module_keys.entry(module.name()).or_default() += 1;
            }
            Item::Key(key, value) => return self.key(key, value),
            // Settled before anything else is looked at.
            Item::More(_) => {}
        }
        Ok(())
    }

    /// A library's code runs, for as long as it takes: it has run in time where it comes from.
    fn library(&mut self, code: &[u8]) {
        match self.change_libraries(Change::Load { code, replace: false }) {
            Ok(_) => self.imported.libraries += 1,
            Err(error) => {
                let why = error.bytes().escape_ascii().to_string();
                tracing::error!(why, "a library of functions could not be loaded");
                self.imported.loss.functions += 1;
            }
        }
    }

    fn change_libraries(&mut self, change: Change<'_>) -> Result<Changed, CmdError> {
        let Loader { engine, txn, vm, .. } = self;
        let limits = scripting::limits(&engine.config());
        let vm = vm.get_or_insert_with(|| Box::new(Vm::new(limits)));
        Catalog { engine, txn, vm, timeout: None, may: &|| true }.change(change)
    }

    fn database(&self, db: u64) -> Result<usize, String> {
        let there = self.engine.store.databases();
        let found = usize::try_from(db).ok().filter(|&db| db < there);
        found.ok_or_else(|| {
            format!("there are keys in database {db}, but 'databases' is {there}: raise it")
        })
    }

    fn key(&mut self, key: Key, value: Value) -> Result<(), String> {
        if self.is_snapshot && deadline(&key).is_some_and(|at| at <= self.now) {
            self.imported.expired += 1;
            return Ok(());
        }
        let db = self.database(key.db)?;
        let store = &self.engine.store;
        if let Value::Stream(stream) = &value
            && let Some(said) = stream.miscounted
        {
            let (key, there) = (key.name.escape_ascii().to_string(), stream.entries.len());
            tracing::warn!(key, said, there, "a stream says another number of entries: corrected");
        }
        let limits = store.limits();
        let document = match &value {
            Value::Module(module) => Some(format!("{} {}", module.name(), module.version())),
            _ => None,
        };
        let restored = portable::restore(&mut self.txn, value, &limits);
        let value = match (restored, document) {
            (Some(value), _) => value,
            // In an encoding that is not written any more, or larger or deeper than documents are
            // here: no reason to refuse all others.
            (None, Some(name)) => {
                *self.imported.loss.module_keys.entry(name).or_default() += 1;
                return Ok(());
            }
            (None, None) => return Err(wrong(&key, TWICE)),
        };
        self.open = Some((key, db, value));
        Ok(())
    }

    /// More elements of the key that is open; if none is, its value is not wanted.
    fn more(&mut self, value: Value) -> Result<(), String> {
        let Some((key, _, open)) = &mut self.open else { return Ok(()) };
        let limits = self.engine.store.limits();
        open.extend(value, &limits).ok_or_else(|| wrong(key, TWICE))
    }

    /// The value of the key that is open is whole.
    fn settle(&mut self) -> Result<(), String> {
        let Some((key, db, value)) = self.open.take() else { return Ok(()) };
        let store = &self.engine.store;
        let deadline = deadline(&key).map_or(Deadline::Clear, Deadline::At);
        let name = store.hasher().key(&key.name);
        self.txn.select(db);
        let done = self.txn.with(store, Scope::One(store.shard_of(name.hash)), |txn| {
            if txn.kind(name).is_some() {
                return false;
            }
            portable::put(txn, name, value, deadline);
            if let Some(seconds) = key.idle {
                txn.set_idle(name, seconds);
            }
            txn.changes.forget();
            true
        });
        match done {
            Ok(true) => {
                self.imported.keys += 1;
                Ok(())
            }
            Ok(false) => Err(wrong(&key, "it is there twice")),
            Err(failed) => Err(wrong(&key, &failed.to_string())),
        }
    }

    fn command(&mut self, words: Vec<Vec<u8>>) -> Result<(), String> {
        let name = words.first().map(Vec::as_slice).unwrap_or_default();
        let entry = self.engine.table.find_own(&[name]);
        let begins_or_ends =
            entry.map_or(InTransaction::Queued, |entry| entry.spec.behaviour.transaction);
        match (begins_or_ends, &mut self.transaction) {
            (InTransaction::Begins, _) => self.transaction = Some(Vec::new()),
            (InTransaction::Executes, _) => {
                for words in self.transaction.take().unwrap_or_default() {
                    self.run(&words)?;
                }
            }
            (_, Some(waiting)) => waiting.push(words),
            (_, None) => self.run(&words)?,
        }
        Ok(())
    }

    fn run(&mut self, words: &[Vec<u8>]) -> Result<(), String> {
        self.imported.commands += 1;
        let argv: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
        let engine = self.engine;
        // Redis writes some commands as they were called and some in their own names.
        let entry = engine.table.find(&argv).or_else(|| engine.table.find_own(&argv));
        let Some(entry) = entry else { return self.unknown(&argv) };
        let Action::Data(run) = entry.action else { return self.control(entry, &argv) };
        if !entry.accepts(argv.len()) {
            self.failed(&argv, "a wrong number of arguments");
            return Ok(());
        }
        // No server writes one of these into its files, but people do.
        if (entry.spec.behaviour.words.from_now)(&argv) {
            self.txn.begin(wall_clock());
        }
        self.plan.clear();
        self.plan.add(&engine.store, entry.spec, &argv);
        self.txn.select(self.db);
        self.reply.clear();
        let (reply, scope) = (&mut self.reply, self.plan.scope());
        let done = self.txn.with(&engine.store, scope, |txn| {
            let args = Args::new(&argv, entry.naming.words, None, engine.store.hasher());
            let result = run(txn, args, &mut RespWriter::new(reply, Protocol::Resp3)).map(drop);
            txn.changes.forget();
            result
        });
        self.txn.begin_replay(self.now);
        match done {
            Ok(Ok(())) => {}
            Ok(Err(error)) => self.failed(&argv, &error.bytes().escape_ascii().to_string()),
            Err(failed) => return Err(failed.to_string()),
        }
        Ok(())
    }

    /// A command that is not on data.
    fn control(&mut self, entry: &Entry, argv: &[&[u8]]) -> Result<(), String> {
        match entry.spec.behaviour.in_file {
            InFile::Unknown => return self.unknown(argv),
            InFile::Nothing => {}
            InFile::SelectsDatabase => return self.select(argv),
            InFile::Scripts => self.script(argv),
            InFile::Libraries(change) => self.libraries(entry, change, argv),
        }
        Ok(())
    }

    /// One that means nothing here.
    fn unknown(&mut self, argv: &[&[u8]]) -> Result<(), String> {
        let name = argv[0].to_ascii_uppercase().escape_ascii().to_string();
        *self.imported.loss.commands.entry(name).or_default() += 1;
        Ok(())
    }

    /// Scripts run as those of a client do.
    fn script(&mut self, argv: &[&[u8]]) {
        let engine = self.engine;
        let client = self.client.get_or_insert_with(|| Box::new(Scripter::new(engine)));
        if let Some(error) = client.run(self.db, argv) {
            self.failed(argv, &error);
        }
    }

    fn libraries(&mut self, entry: &Entry, change: LibraryChange, argv: &[&[u8]]) {
        let change = match entry.accepts(argv.len()) {
            true => Change::parse(change, argv),
            false => Err(base::error::wrong_arity(entry.name())),
        };
        if let Err(error) = change.and_then(|change| self.change_libraries(change)) {
            self.failed(argv, &error.bytes().escape_ascii().to_string());
        }
    }

    fn select(&mut self, argv: &[&[u8]]) -> Result<(), String> {
        let db = argv.get(1).and_then(|word| num::parse_i64(word));
        let db = db.and_then(|db| u64::try_from(db).ok()).ok_or("SELECT of no database")?;
        self.db = self.database(db)?;
        Ok(())
    }

    /// It ran where it came from, so it should run here.
    fn failed(&mut self, argv: &[&[u8]], why: &str) {
        /// More of them would not tell more.
        const SHOWN: u64 = 10;
        self.imported.loss.failed += 1;
        if self.imported.loss.failed <= SHOWN {
            let shown = |at: usize| {
                let word = argv.get(at).copied().unwrap_or_default();
                word[..word.len().min(100)].escape_ascii().to_string()
            };
            tracing::error!(command = shown(0), key = shown(1), why, "a command failed");
        }
    }
}
