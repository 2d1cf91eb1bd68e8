//! The real engine and the naive host side by side: one request goes to both.
//!
//! Both see the same clock, which only the test moves. What neither promises (the order of members,
//! what is drawn at random) is checked by the rules of the differential tester; everything else
//! must be the same to the byte.
#![allow(dead_code)] // each test program uses a part
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::io::Cursor;
use std::sync::Arc;

use base::{Args, Effect, Handler, Keyspace, Nothing, PackLimits, Protocol, Reply as _};
use config::Settings;
use differential::command::Command;
use differential::resp::{Reply, Value, read_reply};
use differential::rules::{difference, same_shape};
use engine::{ClientId, Engine, Mailbox, Message, Origin, Session, Start, Worker};
use kvist_model::Model;
pub use testkit::seed::seed;
use testkit::seed::setting;
use wire::RespWriter;

/// Databases of both; few, so that `MOVE`, `COPY … DB` and `SWAPDB` meet each other.
pub const DATABASES: usize = 16;
/// The last requests shown when the two disagree.
const REMEMBERED: usize = 40;

/// How many steps a run has: `KVIST_STEPS`, or so many.
pub fn steps(usual: usize) -> usize {
    setting("KVIST_STEPS", usual)
}

/// No thread writes to the client of a test that is never blocked for long.
struct NoMailbox;

impl Mailbox for NoMailbox {
    fn post(&self, _: ClientId, _: Message) {}
}

/// Whether payloads of `DUMP` are the same but for the order of their bytes, and the checksum of 8
/// bytes: no two tables have their elements in the same order.
fn same_payload(real: &Reply, naive: &Reply) -> bool {
    let content = |reply: &Reply| {
        let bytes = reply.value.bytes()?;
        let mut content = bytes.get(..bytes.len().checked_sub(8)?)?.to_vec();
        content.sort_unstable();
        Some(content)
    };
    content(real).is_some_and(|one| Some(one) == content(naive))
}

/// Both hosts.
pub struct Pair {
    pub engine: Arc<Engine>,
    pub worker: Worker,
    session: Session,
    model: Model,
    handlers: HashMap<&'static str, Handler<Model>>,
    /// The time both see.
    pub now: u64,
    history: VecDeque<String>,
    /// The model runs what the engine runs in a transaction.
    queueing: bool,
    label: String,
}

impl Pair {
    /// Both empty. `label` is said when they disagree.
    pub fn new(label: String, now: u64) -> Self {
        let engine = Engine::new(Start::new(Settings::new(4), [7, 2, 3, 4], now)).unwrap();
        let client = engine.clients.add(Origin::default(), now, Arc::new(NoMailbox));
        let limits = PackLimits { ..engine.store.limits() };
        let model = Model::new(DATABASES, engine.store.hasher().clone(), limits);
        let handlers = commands::rows::<Model>().into_iter().map(|row| (row.spec.name, row.run));
        let mut pair = Pair {
            worker: Worker::new(&engine, 1),
            session: Session::new(client, true),
            model,
            handlers: handlers.collect(),
            now,
            history: VecDeque::new(),
            queueing: false,
            label,
            engine,
        };
        pair.pass(0);
        pair
    }

    /// Lets time pass.
    pub fn pass(&mut self, millis: u64) {
        self.now += millis;
        self.model.now = self.now;
        self.worker.begin(self.now);
    }

    /// Changes the protocol of both.
    pub fn speak(&mut self, protocol: Protocol) {
        self.session.speak(protocol);
    }

    /// Changes the database of both.
    pub fn select(&mut self, db: usize) {
        self.note(format!("SELECT {db}"));
        self.session.select(db);
        self.model.db = db;
    }

    /// Live keys of the model's current database.
    pub fn keys(&self) -> Vec<Vec<u8>> {
        self.model.keys()
    }

    fn note(&mut self, line: String) {
        if self.history.len() == REMEMBERED {
            self.history.pop_front();
        }
        self.history.push_back(format!("{} db{} {line}", self.now, self.session.db));
    }

    /// Ends the test and says how to see it again.
    pub fn disagree(&self, what: &str) -> ! {
        let history: Vec<&str> = self.history.iter().map(String::as_str).collect();
        panic!("{}: {what}\nthe last requests:\n{}", self.label, history.join("\n"));
    }

    /// Whether both know the command and take this number of words.
    pub fn knows(&self, command: &Command) -> bool {
        let words: Vec<&[u8]> = command.args().iter().map(Vec::as_slice).collect();
        let entry = self.engine.table.find(&words);
        entry.is_some_and(|entry| {
            entry.accepts(words.len()) && self.handlers.contains_key(entry.name())
        })
    }

    /// The engine's reply. A request that blocks gives up at once.
    pub fn real(&mut self, command: &Command) -> Reply {
        let words: Vec<&[u8]> = command.args().iter().map(Vec::as_slice).collect();
        let mut out = Vec::new();
        self.worker.execute(&mut self.session, &words, &mut out);
        if self.session.blocked.is_some() {
            assert!(out.is_empty(), "a blocked request has no reply yet");
            assert!(self.worker.give_up(&mut self.session, &mut out));
        }
        self.read(&out)
    }

    /// The model's reply.
    pub fn naive(&mut self, command: &Command) -> Reply {
        let words: Vec<&[u8]> = command.args().iter().map(Vec::as_slice).collect();
        let engine = Arc::clone(&self.engine);
        let Some(entry) = engine.table.find(&words) else { self.disagree("unknown command") };
        let run = self.handlers[entry.name()];
        let hasher = self.model.hasher().clone();
        let mut out = Vec::new();
        let mut writer = RespWriter::new(&mut out, self.session.protocol);
        match run(
            &mut self.model,
            Args::new(&words, entry.naming.words, None, &hasher),
            &mut writer,
        ) {
            Ok(Effect::Block(wait)) => match wait.in_transaction {
                Nothing::Null if self.queueing => writer.null(),
                Nothing::Null | Nothing::NullArray => writer.null_array(),
            },
            Ok(_) => {}
            Err(failure) => {
                writer.raw().clear();
                writer.error_bytes(failure.bytes());
            }
        }
        self.read(&out)
    }

    fn read(&self, bytes: &[u8]) -> Reply {
        let mut input = Cursor::new(bytes);
        let reply = read_reply(&mut input);
        let whole = input.position() == bytes.len() as u64;
        match reply {
            Ok(reply) if whole => reply,
            _ => self.disagree(&format!("not exactly one reply: {}", bytes.escape_ascii())),
        }
    }

    fn compare(&self, command: &Command, real: &Reply, naive: &Reply) {
        if command.name() == "DUMP" && same_payload(real, naive) {
            return;
        }
        if let Some(kind) = difference(command, &[], [real, naive], 0) {
            self.disagree(&format!(
                "{kind}\n  {command}\n  engine {}\n  model  {}",
                shown(&real.raw),
                shown(&naive.raw)
            ));
        }
    }

    /// Sends to both; the replies must be the same.
    pub fn send(&mut self, command: &Command) -> Reply {
        self.note(command.to_string());
        let (real, naive) = (self.real(command), self.naive(command));
        self.compare(command, &real, &naive);
        real
    }

    /// Sends words to both.
    pub fn ask(&mut self, words: &[&[u8]]) -> Reply {
        self.send(&Command::new(words.iter().map(|word| word.to_vec()).collect()))
    }

    /// Sends all in one transaction to the engine, one after the other to the model.
    pub fn exec(&mut self, commands: &[Command]) {
        self.note(format!("MULTI ({} commands)", commands.len()));
        let multi = self.real(&Command::words(&["MULTI"]));
        assert_eq!(multi.raw, b"+OK\r\n");
        for command in commands {
            self.note(format!("  {command}"));
            let queued = self.real(command);
            if queued.raw != b"+QUEUED\r\n" {
                self.disagree(&format!("not queued: {}", shown(&queued.raw)));
            }
        }
        let done = self.real(&Command::words(&["EXEC"]));
        let items = done.value.items().unwrap_or_default();
        if items.len() != commands.len() {
            self.disagree(&format!("EXEC answers {}", shown(&done.raw)));
        }
        self.queueing = true;
        for (command, value) in commands.iter().zip(items) {
            let mut raw = Vec::new();
            value.encode(&mut raw);
            let naive = self.naive(command);
            self.compare(command, &Reply { value: value.clone(), raw }, &naive);
        }
        self.queueing = false;
    }

    /// A cursor command, walked to its end on both.
    pub fn scan(&mut self, command: &Command) {
        self.note(command.to_string());
        let (real, naive) = (self.real(command), self.naive(command));
        let at = if command.name() == "SCAN" { 1 } else { 2 };
        if page(&real).is_none() || page(&naive).is_none() {
            return self.compare(command, &real, &naive);
        }
        if command.args().get(at).is_none_or(|cursor| cursor != b"0") {
            return;
        }
        let width = if matches!(command.name().as_str(), "HSCAN" | "ZSCAN") { 2 } else { 1 };
        let walk = |pair: &mut Pair, first: Reply, naive: bool| {
            let (mut seen, mut reply, mut pages) = (BTreeSet::new(), first, 0);
            loop {
                let Some((cursor, items)) = page(&reply) else { pair.disagree("a page") };
                for element in items.chunks(width) {
                    if !seen.insert(element.to_vec()) && at == 1 {
                        pair.disagree(&format!("seen twice by {command}: {element:?}"));
                    }
                }
                pages += 1;
                if cursor == b"0" {
                    return seen;
                }
                if pages > 100_000 {
                    pair.disagree(&format!("{command} never ends"));
                }
                let mut args = command.args().to_vec();
                args[at] = cursor;
                let next = Command::new(args);
                reply = if naive { pair.naive(&next) } else { pair.real(&next) };
            }
        };
        let one = walk(self, real, false);
        let two = walk(self, naive, true);
        if one != two {
            let (left, right) = (one.difference(&two), two.difference(&one));
            let (left, right): (Vec<_>, Vec<_>) = (left.collect(), right.collect());
            self.disagree(&format!("{command}\n  engine {left:?}\n  model {right:?}"));
        }
    }

    /// A command that draws: the shape must be the same, and what is drawn must be there.
    pub fn random(&mut self, command: &Command) {
        self.note(command.to_string());
        let name = command.name();
        let look: &[&[u8]] = match name.as_str() {
            "SPOP" | "SRANDMEMBER" => &[b"SMEMBERS"],
            "HRANDFIELD" => &[b"HGETALL"],
            "ZRANDMEMBER" => &[b"ZRANGE", b"0", b"-1", b"WITHSCORES"],
            _ => {
                let known = self.keys();
                self.expire();
                let reply = self.real(command);
                let drawn = if is_null(&reply.value) { Vec::new() } else { reply.value.leaves() };
                let there = drawn.iter().all(|key| known.contains(key));
                if !there || drawn.is_empty() != known.is_empty() {
                    self.disagree(&format!("{name} answers {}", shown(&reply.raw)));
                }
                return;
            }
        };
        let key = command.args().get(1).cloned().unwrap_or_default();
        let mut words = look.to_vec();
        words.insert(1, &key);
        // Of both, as looking makes a key used: also where what draws is then refused.
        let members: BTreeSet<Vec<u8>> = self.ask(&words).value.leaves().into_iter().collect();
        let (real, naive) = (self.real(command), self.naive(command));
        if real.value.error().is_some() || naive.value.error().is_some() {
            return self.compare(command, &real, &naive);
        }
        let drawn = if is_null(&real.value) { Vec::new() } else { real.value.leaves() };
        let all_there = drawn.iter().all(|member| members.contains(member));
        if !same_shape(&real.value, &naive.value) || !all_there {
            self.disagree(&format!("{command} draws {} / {}", shown(&real.raw), shown(&naive.raw)));
        }
        if name == "SPOP" {
            self.popped(&key, &drawn, members.len());
        }
    }

    /// A lexical range, whose answer is defined only where all members have one score.
    pub fn lexical(&mut self, command: &Command) {
        for key in command.args().iter().skip(1).take(2) {
            let words: [&[u8]; 5] = [b"ZRANGE", key, b"0", b"-1", b"WITHSCORES"];
            // Of both, as looking makes a key used.
            let scores = self.ask(&words);
            let leaves = scores.value.leaves();
            let scores: BTreeSet<&Vec<u8>> = leaves.iter().skip(1).step_by(2).collect();
            if scores.len() > 1 {
                return;
            }
        }
        self.send(command);
    }

    /// The engine has popped these: they must be gone, and nothing else. Then the key goes from
    /// both, because other members were drawn from the model.
    fn popped(&mut self, key: &[u8], drawn: &[Vec<u8>], before: usize) {
        let command = Command::new(vec![b"SMEMBERS".to_vec(), key.to_vec()]);
        let after: BTreeSet<Vec<u8>> = self.real(&command).value.leaves().into_iter().collect();
        let gone = drawn.iter().all(|member| !after.contains(member));
        if !gone || (before > 0 && after.len() + drawn.len() != before) {
            self.disagree(&format!("SPOP of {} of {before} left {}", drawn.len(), after.len()));
        }
        let delete = Command::new(vec![b"DEL".to_vec(), key.to_vec()]);
        let _ = (self.real(&delete), self.naive(&delete));
    }

    /// The same keys, kinds, encodings, deadlines and values in every database, and an exact
    /// account of memory.
    pub fn audit(&mut self) {
        let here = self.session.db;
        for db in 0..DATABASES {
            self.session.select(db);
            self.model.db = db;
            let keys = self.model.keys();
            let listed = self.real(&Command::words(&["KEYS", "*"]));
            let mut listed = listed.value.leaves();
            listed.sort_unstable();
            if listed != keys {
                self.disagree(&format!("keys of db {db}: {listed:?} / {keys:?}"));
            }
            for key in &keys {
                let kind = self.ask(&[b"TYPE", key]);
                let contents: &[&[u8]] = match kind.value.bytes().unwrap_or_default() {
                    b"list" => &[b"LRANGE", key, b"0", b"-1"],
                    b"set" => &[b"SMEMBERS", key],
                    b"hash" => &[b"HGETALL", key],
                    b"zset" => &[b"ZRANGE", key, b"0", b"-1", b"WITHSCORES"],
                    _ => &[b"GET", key],
                };
                self.ask(contents);
                self.ask(&[b"OBJECT", b"ENCODING", key]);
                self.ask(&[b"PEXPIRETIME", key]);
            }
        }
        self.session.select(here);
        self.model.db = here;
        self.account();
    }

    /// Deletes all keys past their deadline, which otherwise count until a command looks at them.
    pub fn expire(&mut self) {
        for shard in 0..self.engine.store.shards() {
            // A shard holds few keys here: some steps take the walk around it.
            for _ in 0..3 {
                store::expire_step(&mut self.worker.txn, shard, self.now);
            }
        }
    }

    /// The store's total is what a recount of every shard finds.
    pub fn account(&mut self) {
        self.worker.txn.report_memory();
        // What documents share lies in no shard.
        let store = &self.engine.store;
        let told = store.memory() - store.shared_memory();
        let counted = store::recount(&mut self.worker.txn.held);
        if counted != told {
            self.disagree(&format!("the account says {told} bytes, a recount {counted}"));
        }
    }

    /// What is drawn at random in one request has no bearing on the next.
    pub fn reseed(&mut self, seed: u64) {
        *self.worker.txn.rng() = base::Rng::new(seed);
        *self.model.rng() = base::Rng::new(seed);
    }
}

fn is_null(value: &Value) -> bool {
    matches!(value, Value::Nil { .. } | Value::Line { kind: b'_', .. })
}

fn page(reply: &Reply) -> Option<(Vec<u8>, &[Value])> {
    let [cursor, elements] = reply.value.items()? else { return None };
    Some((cursor.bytes()?.to_vec(), elements.items()?))
}

fn shown(raw: &[u8]) -> String {
    raw[..raw.len().min(400)].escape_ascii().to_string()
}
