//! GRAPH.INFO: the statements that run and those that wait.
//!
//! A client sees those on graphs that it may read. A command that brings no statement (an import,
//! a constraint) is told with the words of its request. Texts are cut. Those that are answered at
//! once are never seen, nor those in scripts: what a script does ends with it.

use std::collections::HashSet;
use std::time::Instant;

use acl::Permission;
use base::{Args, CmdError, Command, Group, Millis, Reply, Spec, grammar};
use types::cut_statement;
use wire::RespWriter;

use super::GRAPH;
use crate::client::blocked::Blocked;
use crate::client::session::Session;
use crate::control::{Act, Control};
use crate::engine::Engine;
use crate::scripts::{RunKind, Running};

/// Whether a request that another thread works at is a statement on a graph.
pub(super) fn is_statement(engine: &Engine, blocked: &Blocked) -> bool {
    let entry = engine.table.entries().get(blocked.entry);
    blocked.is_query() && entry.is_some_and(|entry| entry.spec.group == Group::Graph)
}

/// Tells of statements.
pub struct GraphInfo {
    running: bool,
    waiting: bool,
    pool: bool,
}

impl<'a> Command<'a> for GraphInfo {
    const SPEC: Spec = Spec {
        name: "graph.info",
        summary: "Lists the statements on graphs that run, and those that wait.",
        complexity: "O(N) in the number of statements",
        grammar: "[section:string ...]",
        ..GRAPH
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let all = args.left() == 0;
        let mut info = GraphInfo { running: all, waiting: all, pool: all };
        while args.left() > 0 {
            info.running |= args.token("runningqueries");
            info.waiting |= args.token("waitingqueries");
            info.pool |= args.token("objectpool");
            // What is none of them is passed over.
            args.take();
        }
        Ok(info)
    }
}

impl Act for GraphInfo {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let sections = [self.running, self.waiting, self.pool];
        let count = sections.into_iter().filter(|wanted| *wanted).count();
        if count == 0 {
            out.bulk(b"no section found");
            return Ok(());
        }
        let (running, waiting) = statements(control);
        out.array(2 * count);
        if self.running {
            out.bulk(b"# Running queries");
            out.array(running.len());
            running.iter().for_each(|statement| statement.write(out));
        }
        if self.waiting {
            out.bulk(b"# Waiting queries");
            out.array(waiting.len());
            waiting.iter().for_each(|statement| statement.write(out));
        }
        if self.pool {
            // There is none: texts are kept with what has them.
            out.bulk(b"Object Pool");
            out.array(2);
            out.array(2);
            out.bulk(b"Unique Objects in Pool");
            out.int(0);
            out.array(2);
            out.bulk(b"Average References per Object");
            out.double_digits("0");
        }
        Ok(())
    }
}

/// A statement that runs or waits.
struct Statement {
    id: u64,
    came: Millis,
    graph: Vec<u8>,
    text: Vec<u8>,
    millis: f64,
    runs: bool,
}

/// Those that run and those that wait, on graphs that the client may read.
fn statements(control: &mut Control<'_>) -> (Vec<Statement>, Vec<Statement>) {
    let (engine, now) = (control.engine, control.context.now);
    let waiting = engine.waits.blocked.queries();
    let waiting = waiting.iter().filter(|blocked| is_statement(engine, blocked));
    let runs = engine.scripts.runs.all();
    let runs = runs.iter().filter(|run| run.kind == RunKind::Query);
    // One that waits and runs with its shard in hand is told once.
    let numbers: HashSet<u64> = waiting.clone().map(|blocked| blocked.waiter.ticket).collect();
    let runs = runs.filter(|run| !numbers.contains(&run.number));
    let all = waiting.filter_map(|blocked| of_waiting(engine, blocked));
    let all = all.chain(runs.filter_map(|run| of_run(engine, run, now)));
    let all: Vec<_> = all.filter(|statement| may_see(engine, control.session, statement)).collect();
    all.into_iter().partition(|statement| statement.runs)
}

fn of_waiting(engine: &Engine, blocked: &Blocked) -> Option<Statement> {
    let begun = blocked.times.begun.get().copied();
    let words = blocked.words();
    let entry = engine.table.entries().get(blocked.entry)?;
    let since = begun.unwrap_or(blocked.times.since);
    let mut statement = Statement::of(entry.spec, &words, since)?;
    statement.id = blocked.waiter.ticket;
    statement.came = blocked.times.came;
    statement.runs = begun.is_some();
    Some(statement)
}

/// One inside a transaction.
fn of_run(engine: &Engine, run: &Running, now: Millis) -> Option<Statement> {
    let words: Vec<&[u8]> = run.command.iter().map(Vec::as_slice).collect();
    let entry = engine.table.find_own(&words).filter(|entry| entry.spec.group == Group::Graph)?;
    let mut statement = Statement::of(entry.spec, &words, run.since)?;
    let took = u64::try_from(run.since.elapsed().as_millis()).unwrap_or(0);
    (statement.id, statement.came) = (run.number, now.saturating_sub(took));
    Some(statement)
}

/// Whether a client may read the graph of a statement.
fn may_see(engine: &Engine, session: &mut Session, statement: &Statement) -> bool {
    if session.user.login.is_free(&engine.users) {
        return true;
    }
    let Some(own) = engine.table.find_own(&[b"graph.info"]) else { return false };
    let needed = Permission { read: true, write: false };
    let rules = session.user.login.current(&engine.users);
    rules.is_some_and(|rules| rules.may_find(own.number, &statement.graph, needed))
}

/// Whether the word behind the key is a statement. An import, a constraint or a piece of a bulk
/// load has none: there the request itself says what is done.
fn has_query_behind(spec: &Spec, key: usize) -> bool {
    let arguments = grammar::parse(spec.grammar).unwrap_or_default();
    arguments.get(key).is_some_and(|argument| argument.name == "query")
}

/// The words of a request with blanks between them, as many as are shown and little more: a word
/// may be very long.
fn beginning_of_request(words: &[&[u8]]) -> Vec<u8> {
    let mut text = Vec::new();
    for word in words {
        if !text.is_empty() {
            text.push(b' ');
        }
        text.extend_from_slice(cut_statement(word).map_or(word, |at| &word[..at]));
        if cut_statement(&text).is_some() {
            break;
        }
    }
    text
}

impl Statement {
    fn of(spec: &Spec, words: &[&[u8]], since: Instant) -> Option<Self> {
        let mut keys = Vec::new();
        // It was split into keys and others when it came.
        let _ = spec.key_positions(words, &mut keys);
        let key = *keys.first()?;
        let text = match has_query_behind(spec, key) {
            true => words.get(key + 1).copied().unwrap_or_default(),
            false => &beginning_of_request(words),
        };
        let cut = cut_statement(text).map(|at| [&text[..at], b"..."].concat());
        Some(Statement {
            id: 0,
            came: 0,
            graph: words.get(key)?.to_vec(),
            text: cut.unwrap_or_else(|| text.to_vec()),
            millis: since.elapsed().as_secs_f64() * 1000.0,
            runs: true,
        })
    }

    fn write(&self, out: &mut RespWriter<'_>) {
        out.array(if self.runs { 12 } else { 10 });
        out.bulk(b"Received at");
        out.int(i64::try_from(self.came / 1000).unwrap_or(i64::MAX));
        out.bulk(b"Graph name");
        out.bulk(&self.graph);
        out.bulk(b"Query");
        out.bulk(&self.text);
        let duration: &[u8] = if self.runs { b"Execution duration" } else { b"Wait duration" };
        out.bulk(duration);
        out.double(self.millis);
        if self.runs {
            out.bulk(b"Replicated command");
            out.boolean(false);
        }
        out.bulk(b"Id");
        out.int(i64::try_from(self.id).unwrap_or(i64::MAX));
    }
}
