//! GRAPH.QUERY: answers a statement, which may change the graph.
//!
//! To send an edit to another thread and to wake its client costs more than twice what a node costs
//! to make. So a statement that changes little (`graph/src/plan/short.rs`) is done here, on a fork
//! that is adopted at once, within the budget of `graph/src/query/at_once.rs`. What exceeds that,
//! or fails, has changed a fork that is dropped, and begins anew as an edit; after four such in a
//! row only one of 64 is tried. It is not done where a version of the graph as it is now is read or
//! a fork is at work, as that one would have to begin anew, nor on a graph whose tables by label,
//! type and name are larger than 64 KiB, as its first change copies them.
//! `engine/tests/graph_at_once.rs` shows it.

use ::graph::storage::Graph as Stored;
use base::{
    Args, Behaviour, Category, CmdError, Command, Edit, Edited, Effect, Flag, Forks, Group, Key,
    KeyFlag, KeySpec, Property, Reply, Run, Spec, error,
};
use types::Graph;

use super::install::{install, install_fork};
use super::options::Options;
use super::ro_query::AtOnce;
use super::statement::Statement;
use super::{reply, ro_query};

/// Most bytes of a graph's tables by label, type and name of which a fork is changed at once: its
/// first change copies them. Some hundreds of names.
const TABLES: usize = 64 << 10;

/// Runs a statement.
pub struct Query<'a> {
    key: Key<'a>,
    text: &'a [u8],
    options: Options,
    edited: Option<Edited>,
}

impl<'a> Command<'a> for Query<'a> {
    const SPEC: Spec = Spec {
        name: "graph.query",
        group: Group::Graph,
        since: "1.0.0",
        summary: "Runs an openCypher statement on a graph, which is created if there is none.",
        complexity: "As much as the statement does",
        grammar: "key:key query:string [--compact] [--json] [--columns] \
                  [TIMEOUT timeout:integer] [VERSION version:integer]",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Graph],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Update])],
        behaviour: Behaviour::NEW.properties(&[Property::RunsAsQuery]),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let edited = args.take_edited();
        let (key, text) = (args.key()?, args.next()?);
        Ok(Query { key, text, options: Options::parse(&mut args)?, edited })
    }
}

impl<H: Forks<Graph>> Run<H> for Query<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let begins = self.edited.is_none();
        if let Some(edited) = self.edited
            && let Some(effect) = install(host, self.key, "graph.query", edited)?
        {
            return Ok(effect);
        }
        let is_there = host.peek(self.key)?.is_some();
        let statement = Statement::new(host, self.text, self.options)?;
        if is_there && !statement.writes() {
            // What has run on a fork has written its reply already.
            if begins
                && let Some(graph) = host.peek(self.key)?.and_then(Graph::graph)
                && ro_query::read_at_once(graph, &statement, out)?
            {
                return Ok(Effect::None);
            }
            let statement = statement.with_text("GRAPH.QUERY", self.text);
            return ro_query::read(host, self.key, statement);
        }
        if begins
            && is_there
            && let Some(effect) = write_at_once(host, self.key, &statement, out)?
        {
            return Ok(effect);
        }
        let fork = host.fork(self.key)?;
        let mut statement = statement.with_text("GRAPH.QUERY", self.text);
        Ok(Effect::Edit(Edit::of_with_words(fork, move |fork, words, pace, out| {
            if let Some(current) = reply::other_version(fork, statement.options.version) {
                return reply::version_mismatch(current, out);
            }
            let answer = statement.write(fork, words, pace, &*out)?;
            reply::write(fork, &statement, &answer, pace, out)
        })))
    }
}

/// Changes a graph where it was asked, if that takes no longer than a moment and no other thread is
/// at work on it: one that reads it as it is would have the blocks to be changed, and one that
/// changes a fork of it would have to begin anew. `None`: nothing has happened.
///
/// # Errors
/// It is to end: never.
fn write_at_once<H: Forks<Graph>>(
    host: &mut H,
    key: Key<'_>,
    statement: &Statement,
    out: &mut dyn Reply,
) -> Result<Option<Effect>, CmdError> {
    let graph = host.peek(key)?.and_then(Graph::graph);
    let is_free = |graph: &Stored| {
        !graph.is_shared()
            && graph.tables() <= TABLES
            && reply::other_version(graph, statement.options.version).is_none()
    };
    if !graph.is_some_and(is_free) {
        return Ok(None);
    }
    let mut fork = host.fork(key)?;
    let Some(answer) = statement.write_at_once(&mut fork) else { return Ok(None) };
    let is_short = reply::is_short(&fork, &answer);
    statement.note_at_once(is_short);
    if !is_short {
        return Ok(None);
    }
    reply::write(&fork, statement, &answer, &mut AtOnce, out)?;
    // The shard is held since it was forked.
    install_fork(host, key, "graph.query", fork)?.ok_or(error::INTERNAL).map(Some)
}
