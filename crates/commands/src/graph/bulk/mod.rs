//! GRAPH.BULK: makes nodes and relationships of the tokens of FalkorDB's bulk loader.
//!
//! ```text
//!   GRAPH.BULK key [BEGIN] nodes relationships node-tokens relationship-tokens token …
//!     token   name \0, number of properties (u32), their names \0 …, then for each node its
//!             values, for each relationship two numbers of nodes (u64, u64) and its values
//!     value   0 null · 1 truth value (u8) · 2 number (f64) · 3 text \0 · 4 whole number (i64)
//!             5 list (i64: how many), then each
//! ```
//!
//! Numbers are little-endian. A graph comes in as many such pieces as its loader likes. A piece
//! makes all of its nodes and relationships or, where anything is wrong with it, none: then what
//! came before stays, and the piece can be sent again. The journal has what it changed.

mod load;
mod token;

use base::{
    Args, Behaviour, Category, CmdError, Command, Edit, Edited, Effect, Flag, Forks, Group, Key,
    KeyFlag, KeySpec, Property, Reply, Run, Spec, num,
};
use types::Graph;

use self::load::Piece;
use super::NO_GRAPH;
use super::install::install;

/// Makes nodes and relationships.
pub struct Bulk<'a> {
    key: Key<'a>,
    begins: bool,
    counts: [usize; 4],
    tokens: &'a [&'a [u8]],
    edited: Option<Edited>,
}

/// What the numbers are about, in their order.
const COUNTED: [&str; 4] = [
    "node count",
    "relation count",
    "number of node descriptor tokens",
    "number of relation descriptor tokens",
];

impl<'a> Command<'a> for Bulk<'a> {
    const SPEC: Spec = Spec {
        name: "graph.bulk",
        group: Group::Graph,
        since: "1.0.0",
        summary: "Creates nodes and relationships from a piece that FalkorDB's bulk loader sends, \
                  all or none.",
        complexity: "O(N) in the number of nodes, relationships and properties",
        grammar: "key:key [BEGIN] nodes:integer relationships:integer node-tokens:integer \
                  relationship-tokens:integer [token:string ...]",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Graph],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Insert])],
        behaviour: Behaviour::NEW.properties(&[Property::RunsAsQuery]),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let edited = args.take_edited();
        let key = args.key()?;
        let begins = args.token("BEGIN");
        let mut counts = [0; 4];
        for (count, of) in counts.iter_mut().zip(COUNTED) {
            let number = args.take().and_then(num::parse_i64);
            let number = number.and_then(|number| usize::try_from(number).ok());
            *count = number.ok_or_else(|| CmdError::owned(format!("Error parsing {of}.")))?;
        }
        let tokens = args.rest();
        if counts[2].checked_add(counts[3]) != Some(tokens.len()) {
            return Err(CmdError::owned(format!(
                "ERR the piece has {} tokens, and says that it has {} of nodes and {} of \
                 relationships",
                tokens.len(),
                counts[2],
                counts[3]
            )));
        }
        Ok(Bulk { key, begins, counts, tokens, edited })
    }
}

impl<H: Forks<Graph>> Run<H> for Bulk<'_> {
    fn run(self, host: &mut H, _: &mut dyn Reply) -> Result<Effect, CmdError> {
        if let Some(edited) = self.edited
            && let Some(effect) = install(host, self.key, "graph.bulk", edited)?
        {
            return Ok(effect);
        }
        // What is no graph is in its way, too.
        let is_there = host.peek(self.key).map_or(true, |graph| graph.is_some());
        if self.begins && is_there {
            let name = String::from_utf8_lossy(self.key.bytes).replace(['\r', '\n'], " ");
            return Err(CmdError::owned(format!(
                "Graph with name '{name}' cannot be created, as key '{name}' already exists."
            )));
        }
        if host.peek(self.key)?.is_none() && !self.begins {
            return Err(NO_GRAPH);
        }
        let (counts, tokens) = (self.counts, self.tokens.len());
        let fork = host.fork(self.key)?;
        Ok(Effect::Edit(Edit::of_with_words(fork, move |fork, words, pace, out| {
            // They are the last ones.
            let piece = Piece { counts, tokens: &words[words.len().saturating_sub(tokens)..] };
            piece.load(fork, pace, &*out)?;
            let [nodes, relationships, ..] = piece.counts;
            let made = format!("{nodes} nodes created, {relationships} edges created");
            out.bulk(made.as_bytes());
            Ok(())
        })))
    }
}
