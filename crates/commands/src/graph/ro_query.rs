//! GRAPH.RO_QUERY: answers a statement that only reads.
//!
//! To send a query to another thread and to wake its client costs ten times what the look-up of a
//! node does. So a short one (`graph/src/plan/short.rs`) is answered under the lock of its shard.
//! How many relationships it follows is known only then, so `Interrupt::count` is told before they
//! are looked at; what exceeds the budget begins anew as a query.

use std::time::Duration;

use ::graph::storage::View;
use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Flag, Forks, Group, Key, KeyFlag,
    KeySpec, Pace, Property, Query, Reply, Run, Shares, Spec,
};
use types::Graph;

use super::options::Options;
use super::statement::{Statement, WRITES};
use super::{NO_GRAPH, reply};

/// Runs a statement that only reads.
pub struct RoQuery<'a> {
    key: Key<'a>,
    text: &'a [u8],
    options: Options,
}

impl<'a> Command<'a> for RoQuery<'a> {
    const SPEC: Spec = Spec {
        name: "graph.ro_query",
        group: Group::Graph,
        since: "1.0.0",
        summary: "Runs an openCypher statement on a graph, which must not change it.",
        complexity: "As much as the statement does",
        grammar: "key:key query:string [--compact] [--json] [--columns] \
                  [TIMEOUT timeout:integer] [VERSION version:integer]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Graph],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        behaviour: Behaviour::NEW.properties(&[Property::RunsAsQuery]),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, text) = (args.key()?, args.next()?);
        Ok(RoQuery { key, text, options: Options::parse(&mut args)? })
    }
}

impl<H: Forks<Graph>> Run<H> for RoQuery<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let statement = Statement::new(host, self.text, self.options);
        // Each look counts as one for a key.
        let graph = host.peek(self.key)?.and_then(Graph::graph).ok_or(NO_GRAPH)?;
        let statement = statement?;
        // A long one is asked when it is read.
        if !statement.is_long() && statement.writes() {
            return Err(WRITES);
        }
        if read_at_once(graph, &statement, out)? {
            return Ok(Effect::None);
        }
        read(host, self.key, statement.with_text("GRAPH.RO_QUERY", self.text))
    }
}

/// Answers a statement that only reads a graph where it was asked, if it takes no longer than a
/// moment. Whether that is so.
///
/// # Errors
/// It is to end: never.
pub(super) fn read_at_once(
    graph: &View,
    statement: &Statement,
    out: &mut dyn Reply,
) -> Result<bool, CmdError> {
    if reply::other_version(graph, statement.options.version).is_some() {
        return Ok(false);
    }
    let Some(answer) = statement.read_at_once(graph) else { return Ok(false) };
    // Rows may be few, and what their nodes hold much.
    let is_short = reply::is_short(graph, &answer);
    statement.note_at_once(is_short);
    if !is_short {
        return Ok(false);
    }
    reply::write(graph, statement, &answer, &mut AtOnce, out)?;
    Ok(true)
}

/// The pace of what is answered at once: it goes on.
pub(super) struct AtOnce;

impl Pace for AtOnce {
    fn go_on(&mut self, _: &dyn Reply, _: usize) -> Result<(), CmdError> {
        Ok(())
    }

    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }
}

/// What is left of a statement that only reads a graph.
///
/// # Errors
/// There is none, or versions keep too much.
pub(super) fn read<H: Shares<Graph>>(
    host: &mut H,
    key: Key<'_>,
    mut statement: Statement,
) -> Result<Effect, CmdError> {
    let version = host.share(key)?.ok_or(NO_GRAPH)?;
    Ok(Effect::Query(Query::over_with_words(version, move |graph, words, pace, out| {
        if let Some(current) = reply::other_version(graph, statement.options.version) {
            return reply::version_mismatch(current, out);
        }
        let answer = statement.read(graph, words, pace, &*out)?;
        reply::write(graph, &statement, &answer, pace, out)
    })))
}
