//! A statement of a request: prepared, with its parameters and its moment, and how it runs.

use std::cell::{OnceCell, RefCell};
use std::io::Read;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ::graph::query::{
    self, Answer, AtOnceBudget, Ended, Explained, Interrupt, NoInterrupt, Prepared, Settings,
};
use ::graph::storage::{FrozenGraph, Graph as Stored, SlowLog, SlowStatement, View, beginning};
use ::graph::temporal::{Clock, Instant as Moment};
use ::graph::value::Map;
use base::{CmdError, Holds, Keyspace, Pace, QueryBounds, Reply, error};
use types::{Graph, GraphTools};

use super::options::Options;

const NOT_UTF8: CmdError = CmdError::new("ERR the query is not valid UTF-8");
const EMPTY: CmdError = CmdError::new("Error: empty query.");
const TOO_LONG: CmdError = CmdError::new(
    "The query TIMEOUT parameter value cannot exceed the TIMEOUT_MAX configuration parameter value",
);

/// What takes so long is remembered, if it is among the slowest of its graph.
const SLOW: Duration = Duration::from_millis(10);

pub(super) const WRITES: CmdError =
    CmdError::new("graph.RO_QUERY is to be executed only on read-only queries");

/// In this many bytes of a long statement it is looked for words that change something.
const LOOKED_AT: usize = 64 << 10;

/// A statement, which runs on any graph.
///
/// A short one is prepared where it is asked. To read a long one takes time and memory in
/// proportion to its length, so that is done where it runs: on a thread of its own, with no shard
/// held. Until then nothing of it is kept: it is among the words of the request.
pub(super) struct Statement {
    ready: OnceCell<Ready>,
    /// It may change the graph, as far as that is known before its text is read.
    may_write: bool,
    clock: Clock,
    seed: u64,
    pub options: Options,
    /// It tells how many rows its operators have made.
    pub profile: bool,
    /// What it may take.
    bounds: QueryBounds,
    /// As it is remembered, should it take long.
    slow: Option<Slow>,
    /// When the request was begun.
    began: Instant,
}

/// What is remembered of a statement that has taken long.
struct Slow {
    command: &'static str,
    /// The beginnings of the query and of its header, unless the text is read later.
    texts: Option<(Box<str>, Option<Box<str>>)>,
}

/// What has been read of a text.
struct Ready {
    prepared: Arc<Prepared>,
    /// It was known already.
    cached: bool,
    parameters: Map,
    /// Where the query begins, behind the header.
    body: u32,
}

impl Statement {
    /// The statement of a text.
    ///
    /// # Errors
    /// It is no statement.
    pub fn new<H: Holds<Graph>>(
        host: &mut H,
        text: &[u8],
        options: Options,
    ) -> Result<Self, CmdError> {
        let (began, bounds) = (Instant::now(), host.query_bounds());
        let most = bounds.most_time.map_or(u64::MAX, |most| most.as_millis() as u64);
        if options.timeout.is_some_and(|millis| millis > most) {
            return Err(TOO_LONG);
        }
        let is_long = text.len() > GraphTools::LONGEST;
        let may_write = is_long && (text.len() > LOOKED_AT || has_writing_word(text));
        let text = if is_long { None } else { Some(readable(text)?) };
        let (clock, seed) = (clock(host.now()), host.rng().next_u64());
        let (ready, profile) = (OnceCell::new(), false);
        let statement = Statement {
            ready,
            may_write,
            clock,
            seed,
            options,
            profile,
            bounds,
            slow: None,
            began,
        };
        if let Some(text) = text {
            let (parameters, body) = statement.parameters(text, usize::MAX, &NoInterrupt)?;
            let prepared = host.with_context(|_, tools| tools.prepare(text, body));
            let (prepared, cached) = prepared.map_err(|error| error_reply(&error))?;
            let _ = statement.ready.set(Ready { prepared, cached, parameters, body });
        }
        Ok(statement)
    }

    /// The values that the text brings along, and where the query begins behind them.
    fn parameters(
        &self,
        text: &str,
        memory: usize,
        interrupt: &dyn Interrupt,
    ) -> Result<(Map, u32), CmdError> {
        let none = Map::default();
        let settings = Settings {
            parameters: &none,
            clock: &self.clock,
            seed: self.seed,
            memory,
            interrupt,
            profile: false,
        };
        query::parameters(text, &settings).map_err(|error| error_reply(&error))
    }

    /// What is read of the text among the words of its request, which is read now if it has not
    /// been yet.
    fn ready(
        &self,
        words: &[&[u8]],
        memory: usize,
        interrupt: &dyn Interrupt,
    ) -> Result<&Ready, CmdError> {
        if self.ready.get().is_none() {
            let text = readable(text_of(words))?;
            let (parameters, body) = self.parameters(text, memory, interrupt)?;
            let prepared = GraphTools::prepare_long(text, body, memory, interrupt);
            let prepared = Arc::new(prepared.map_err(|error| error_reply(&error))?);
            let _ = self.ready.set(Ready { prepared, cached: false, parameters, body });
        }
        self.ready.get().ok_or(error::INTERNAL)
    }

    /// Has it be remembered should it take long: the statement of this text, of a command.
    pub fn with_text(mut self, command: &'static str, text: &[u8]) -> Self {
        let texts = self.ready.get().map(|ready| texts(text, ready.body));
        self.slow = Some(Slow { command, texts });
        self
    }

    /// How many rows it answers at most.
    pub fn most_rows(&self) -> usize {
        self.bounds.rows
    }

    /// Remembers it if it has taken long.
    fn remember(&mut self, log: &SlowLog, words: &[&[u8]], took: Duration) {
        if took < SLOW {
            return;
        }
        let Some(Slow { command, texts: known }) = self.slow.take() else { return };
        let body = self.ready.get().map_or(0, |ready| ready.body);
        let (query, parameters) = known.unwrap_or_else(|| texts(text_of(words), body));
        let at = u64::try_from(self.clock.transaction.seconds).unwrap_or(0);
        let millis = took.as_secs_f64() * 1000.0;
        log.add(SlowStatement { at, command, query, parameters, millis });
    }

    /// Whether it is not known yet what it does.
    pub fn is_long(&self) -> bool {
        self.ready.get().is_none()
    }

    /// Whether it may change the graph. Of one that is long this says a look at its words: it may
    /// say so of one that does not, and never the other way.
    pub fn writes(&self) -> bool {
        match self.ready.get() {
            Some(ready) => ready.prepared.writes(),
            None => self.may_write,
        }
    }

    /// Whether it was known already.
    pub fn cached(&self) -> bool {
        self.ready.get().is_some_and(|ready| ready.cached)
    }

    /// Since when the request has been worked at.
    pub fn took(&self) -> Duration {
        self.began.elapsed()
    }

    /// The operators that would run on a graph.
    ///
    /// # Errors
    /// It is no statement.
    pub fn explain(
        &self,
        view: &View,
        words: &[&[u8]],
        pace: &mut dyn Pace,
        out: &dyn Reply,
    ) -> Result<Explained, CmdError> {
        let until = self.options.time(pace.bounds());
        watched(until, pace, out, |memory, watch| {
            let ready = self.ready(words, memory, watch)?;
            Ok(ready.prepared.explain(view, &self.settings(ready, memory, watch)))
        })
    }

    /// Runs it on a graph that it only reads.
    ///
    /// # Errors
    /// What to answer instead.
    pub fn read(
        &mut self,
        graph: &FrozenGraph,
        words: &[&[u8]],
        pace: &mut dyn Pace,
        out: &dyn Reply,
    ) -> Result<Answer, CmdError> {
        let answer = self.run(words, pace, out, |prepared, settings| match prepared.writes() {
            true => Err(query::Error::limit("Writes", WRITES.to_string())),
            false => query::read(graph, prepared, settings),
        });
        self.remember(graph.slow_log(), words, pace.elapsed());
        answer
    }

    /// What it answers, if that takes no longer than a moment. What fails so, is run as others are:
    /// that says why.
    pub fn read_at_once(&self, view: &View) -> Option<Answer> {
        let budget = AtOnceBudget::of_reading();
        let ready = self.ready.get()?;
        let settings = self.settings(ready, budget.memory(), &budget);
        ready.prepared.answer_at_once(view, &settings)
    }

    /// Runs it on a fork of a graph, if that takes no longer than a moment. What fails so, or turns
    /// out to take longer, is run as others are, on another fork.
    pub fn write_at_once(&self, fork: &mut Stored) -> Option<Answer> {
        let budget = AtOnceBudget::of_changing();
        let ready = self.ready.get()?;
        let settings = self.settings(ready, budget.memory(), &budget);
        if !ready.prepared.is_short(fork, &settings) {
            return None;
        }
        let answer = query::write(fork, &ready.prepared, &settings);
        if answer.is_err() {
            self.note_at_once(false);
        }
        answer.ok()
    }

    /// Notes whether it was answered at once, or took longer and is run as others are.
    pub fn note_at_once(&self, answered: bool) {
        if let Some(ready) = self.ready.get() {
            ready.prepared.note_at_once(answered);
        }
    }

    /// Runs it on a fork of a graph.
    ///
    /// # Errors
    /// What to answer instead.
    pub fn write(
        &mut self,
        fork: &mut Stored,
        words: &[&[u8]],
        pace: &mut dyn Pace,
        out: &dyn Reply,
    ) -> Result<Answer, CmdError> {
        let run = |text: &Prepared, settings: &Settings<'_>| query::write(fork, text, settings);
        let answer = self.run(words, pace, out, run);
        self.remember(fork.slow_log(), words, pace.elapsed());
        answer
    }

    fn run(
        &self,
        words: &[&[u8]],
        pace: &mut dyn Pace,
        out: &dyn Reply,
        run: impl FnOnce(&Prepared, &Settings<'_>) -> Result<Answer, query::Error>,
    ) -> Result<Answer, CmdError> {
        let until = self.options.time(pace.bounds());
        watched(until, pace, out, |memory, watch| {
            let ready = self.ready(words, memory, watch)?;
            let answer = run(&ready.prepared, &self.settings(ready, memory, watch));
            answer.map_err(|error| error_reply(&error))
        })
    }

    fn settings<'s>(
        &'s self,
        ready: &'s Ready,
        memory: usize,
        interrupt: &'s dyn Interrupt,
    ) -> Settings<'s> {
        Settings {
            parameters: &ready.parameters,
            clock: &self.clock,
            seed: self.seed,
            memory,
            interrupt,
            profile: self.profile,
        }
    }
}

/// The text of a statement, among the words of its request: behind the command and the key.
fn text_of<'w>(words: &[&'w [u8]]) -> &'w [u8] {
    words.get(2).copied().unwrap_or_default()
}

/// A text as one that can be read.
fn readable(text: &[u8]) -> Result<&str, CmdError> {
    let text = std::str::from_utf8(text).map_err(|_| NOT_UTF8)?;
    if text.trim_start().is_empty() { Err(EMPTY) } else { Ok(text) }
}

/// The beginnings of a text's query and of its header.
fn texts(text: &[u8], body: u32) -> (Box<str>, Option<Box<str>>) {
    let text = std::str::from_utf8(text).unwrap_or_default();
    let body = usize::try_from(body).unwrap_or(0);
    let (header, query) = text.split_at_checked(body).unwrap_or(("", text));
    (beginning(query), (!header.is_empty()).then(|| beginning(header)))
}

/// Whether a text has a word that a clause which changes something begins with, wherever it stands.
fn has_writing_word(text: &[u8]) -> bool {
    const WORDS: [&str; 7] = ["create", "merge", "set", "delete", "remove", "foreach", "drop"];
    let mut words = text.split(|letter| !letter.is_ascii_alphabetic());
    words.any(|word| WORDS.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(word)))
}

/// Does something that asks whether it goes on, and is told how many bytes it may keep.
pub(super) fn watched<R>(
    until: Option<Duration>,
    pace: &mut dyn Pace,
    out: &dyn Reply,
    run: impl FnOnce(usize, &dyn Interrupt) -> Result<R, CmdError>,
) -> Result<R, CmdError> {
    let memory = pace.bounds().memory;
    let watch = PaceInterrupt { pace: RefCell::new(pace), out, until, ended: RefCell::new(None) };
    let done = run(memory, &watch);
    // What the server says of why it ends is more than the language has words for.
    watch.ended.take().map_or(done, Err)
}

/// What an import or a constraint runs with, as a statement has it: no parameters, the time of its
/// request, and a seed.
pub(super) struct ExecutionContext {
    parameters: Map,
    clock: Clock,
    seed: u64,
}

impl ExecutionContext {
    /// Of a request that runs now.
    pub fn new<H: Keyspace>(host: &mut H) -> Self {
        let (clock, seed) = (clock(host.now()), host.rng().next_u64());
        ExecutionContext { parameters: Map::default(), clock, seed }
    }

    /// For something that may keep so many bytes, and is asked whether it goes on.
    pub fn settings<'s>(&'s self, memory: usize, interrupt: &'s dyn Interrupt) -> Settings<'s> {
        let ExecutionContext { parameters, clock, seed } = self;
        Settings { parameters, clock, seed: *seed, memory, interrupt, profile: false }
    }
}

/// The time of a statement: it runs in one moment.
fn clock(millis: base::Millis) -> Clock {
    let moment = Moment {
        seconds: i64::try_from(millis / 1000).unwrap_or(i64::MAX),
        // Below a second.
        nanos: (millis % 1000) as u32 * 1_000_000,
    };
    Clock { transaction: moment, statement: moment, realtime: moment, ..Clock::default() }
}

/// An error of the language as clients of FalkorDB know it: a line without a code.
pub(super) fn error_reply(error: &query::Error) -> CmdError {
    CmdError::owned(error.message.replace(['\r', '\n'], " "))
}

/// Asks for a statement whether it goes on.
struct PaceInterrupt<'a> {
    pace: RefCell<&'a mut dyn Pace>,
    out: &'a dyn Reply,
    until: Option<Duration>,
    /// What it has been told.
    ended: RefCell<Option<CmdError>>,
}

impl Interrupt for PaceInterrupt<'_> {
    fn check(&self, holds: usize) -> Result<(), Ended> {
        let mut pace = self.pace.borrow_mut();
        if self.until.is_some_and(|until| pace.elapsed() >= until) {
            return Err(Ended::TimeIsUp);
        }
        pace.go_on(self.out, holds).map_err(|told| {
            *self.ended.borrow_mut() = Some(told);
            Ended::Killed
        })
    }

    fn open(&self, path: &str) -> Result<Box<dyn Read>, Box<str>> {
        let opened = self.pace.borrow().open(path);
        opened.map_err(|error| error.to_string().trim_start_matches("ERR ").into())
    }
}
