//! Making what a piece holds on a fork of its graph.

use ::graph::query::Error;
use ::graph::storage::{Ends, Entity, Graph as Stored, KeyId, LabelId, NodeId};
use ::graph::value::stored::to_property;
use base::{CmdError, Pace, Reply};

use super::super::statement::error_reply;
use super::token::{Token, Wrong};

/// So many nodes or relationships are a piece of work.
const WORK: usize = 128;
/// And so many units of values: see `Value::units`.
const UNITS: u64 = 1 << 15;

const OUT_OF_TIME: CmdError = CmdError::new("Query timed out");
const OUT_OF_MEMORY: CmdError =
    CmdError::new("ERR the piece takes more than graph-query-memory; send less at a time");

/// A piece.
pub(super) struct Piece<'w> {
    /// Of nodes and relationships, and tokens of either.
    pub counts: [usize; 4],
    /// As many as that says.
    pub tokens: &'w [&'w [u8]],
}

/// What is being made, and what it may take.
struct Load<'a> {
    fork: &'a mut Stored,
    pace: &'a mut dyn Pace,
    out: &'a dyn Reply,
    made: usize,
    /// Units of values since it was last asked whether it goes on.
    units: u64,
}

impl Piece<'_> {
    fn token(&self, number: usize) -> Token<'_> {
        Token::new(self.tokens.get(number).copied().unwrap_or_default())
    }

    /// Makes what it holds.
    ///
    /// # Errors
    /// Something is wrong with it, or it is to end.
    pub fn load(
        &self,
        fork: &mut Stored,
        pace: &mut dyn Pace,
        out: &dyn Reply,
    ) -> Result<(), CmdError> {
        let mut load = Load { fork, pace, out, made: 0, units: 0 };
        let [nodes, relationships, of_nodes, _] = self.counts;
        let mut empty = None;
        for number in 0..of_nodes {
            let mut token = self.token(number);
            let rows = load.nodes(&mut token).map_err(|wrong| wrong.of(number, &token))?;
            if rows.is_none()
                && let Some(other) = empty.replace(number)
                && !token.is_as(&self.token(other))
            {
                let wrong = "it and another token are of nodes without properties, and how many \
                             either has is not told";
                return Err(Failed::from(wrong.to_owned()).of(number, &token));
            }
        }
        // Nodes without properties take no bytes: they are what is missing.
        if let Some(number) = empty {
            let (mut token, missing) = (self.token(number), nodes.saturating_sub(load.made));
            load.bare_nodes(&mut token, missing).map_err(|wrong| wrong.of(number, &token))?;
        }
        told(nodes, load.made, "nodes")?;
        load.made = 0;
        for number in of_nodes..self.tokens.len() {
            let mut token = self.token(number);
            load.relationships(&mut token).map_err(|wrong| wrong.of(number, &token))?;
        }
        told(relationships, load.made, "relationships")?;
        load.constraints()
    }
}

fn told(said: usize, made: usize, what: &str) -> Result<(), CmdError> {
    if said == made {
        return Ok(());
    }
    Err(CmdError::owned(format!("ERR the piece has {made} {what}, and says that it has {said}")))
}

/// Why a piece is not made: what is wrong with it, or what is to be answered.
enum Failed {
    Wrong(Wrong),
    Ended(CmdError),
}

impl From<Wrong> for Failed {
    fn from(wrong: Wrong) -> Self {
        Failed::Wrong(wrong)
    }
}

impl From<CmdError> for Failed {
    fn from(ended: CmdError) -> Self {
        Failed::Ended(ended)
    }
}

impl Failed {
    fn of(self, number: usize, token: &Token<'_>) -> CmdError {
        match self {
            Failed::Ended(error) => error,
            Failed::Wrong(wrong) => CmdError::owned(format!(
                "ERR token {} of the piece is malformed at byte {}: {wrong}; nothing was made",
                number + 1,
                token.at()
            )),
        }
    }
}

impl Load<'_> {
    /// The labels and the properties that a token of nodes is about.
    fn header(&mut self, token: &mut Token<'_>) -> Result<(Vec<LabelId>, Vec<KeyId>), Failed> {
        let mut labels = Vec::new();
        for name in token.text()?.split(':') {
            let label = self.fork.make_label(named(name)?);
            labels.push(label.map_err(|_| full("labels"))?);
            self.work(1)?;
        }
        labels.sort_unstable();
        labels.dedup();
        Ok((labels, self.keys(token)?))
    }

    fn keys(&mut self, token: &mut Token<'_>) -> Result<Vec<KeyId>, Failed> {
        let count = token.u32()?;
        let mut keys = Vec::new();
        for _ in 0..count {
            let key = self.fork.make_key(named(token.text()?)?);
            keys.push(key.map_err(|_| full("names of properties"))?);
            self.work(1)?;
        }
        Ok(keys)
    }

    /// Makes the nodes of a token. `None`: it does not tell how many there are.
    fn nodes(&mut self, token: &mut Token<'_>) -> Result<Option<()>, Failed> {
        let (labels, keys) = self.header(token)?;
        if keys.is_empty() {
            return match token.is_done() {
                true => Ok(None),
                false => Err("there are values behind no names".to_owned().into()),
            };
        }
        while !token.is_done() {
            let node = self.node(&labels)?;
            self.values(token, Entity::Node(node), &keys)?;
        }
        Ok(Some(()))
    }

    /// Makes so many nodes of a token without properties.
    fn bare_nodes(&mut self, token: &mut Token<'_>, count: usize) -> Result<(), Failed> {
        let (labels, _) = self.header(token)?;
        (0..count).try_for_each(|_| self.node(&labels).map(|_| ()))
    }

    fn node(&mut self, labels: &[LabelId]) -> Result<NodeId, Failed> {
        self.go_on()?;
        self.fork.create_node(labels).map_err(|_| full("nodes"))
    }

    fn relationships(&mut self, token: &mut Token<'_>) -> Result<(), Failed> {
        let kind = self.fork.make_type(named(token.text()?)?).map_err(|_| full("types"))?;
        let keys = self.keys(token)?;
        while !token.is_done() {
            let (source, target) = (self.end(token)?, self.end(token)?);
            self.go_on()?;
            let edge = self.fork.create_edge(Ends { kind, source, target });
            let edge = edge.map_err(|_| full("relationships"))?;
            self.values(token, Entity::Edge(edge), &keys)?;
        }
        Ok(())
    }

    /// A node that a relationship begins or ends at.
    fn end(&mut self, token: &mut Token<'_>) -> Result<NodeId, Failed> {
        let number = token.u64()?;
        let node = NodeId::try_from(number).ok().filter(|&id| self.fork.has(Entity::Node(id)));
        node.ok_or_else(|| format!("there is no node {number}").into())
    }

    fn values(
        &mut self,
        token: &mut Token<'_>,
        entity: Entity,
        keys: &[KeyId],
    ) -> Result<(), Failed> {
        for &key in keys {
            let value = token.value()?;
            self.work(value.units())?;
            let value = to_property(&value);
            let value = value.map_err(|_| "a property cannot have such a value".to_owned())?;
            if !value.as_ref().is_null() {
                let set = self.fork.set(entity, key, value.as_ref());
                set.map_err(|_| full("values"))?;
            }
        }
        Ok(())
    }

    /// Whether what was made meets the constraints.
    fn constraints(&mut self) -> Result<(), CmdError> {
        let Load { fork, pace, out, .. } = self;
        match fork.broken_constraint(|| ask(fork, &mut **pace, *out))? {
            Some(broken) => Err(error_reply(&Error::broken(&broken, fork))),
            None => Ok(()),
        }
    }

    /// Counts one more, and asks now and then whether to go on.
    fn go_on(&mut self) -> Result<(), CmdError> {
        self.made += 1;
        if self.made.is_multiple_of(WORK) { self.ask() } else { Ok(()) }
    }

    /// The same for a value, which may be as much as many entities.
    fn work(&mut self, units: u32) -> Result<(), CmdError> {
        self.units += u64::from(units);
        if self.units < UNITS {
            return Ok(());
        }
        self.units = 0;
        self.ask()
    }

    fn ask(&mut self) -> Result<(), CmdError> {
        ask(self.fork, self.pace, self.out)
    }
}

/// Whether what makes this of a fork goes on.
fn ask(fork: &Stored, pace: &mut dyn Pace, out: &dyn Reply) -> Result<(), CmdError> {
    let bounds = pace.bounds();
    let holds = fork.added();
    if holds > bounds.memory {
        return Err(OUT_OF_MEMORY);
    }
    if bounds.time.is_some_and(|time| pace.elapsed() >= time) {
        return Err(OUT_OF_TIME);
    }
    pace.go_on(out, holds)
}

fn named(name: &str) -> Result<&str, Wrong> {
    if name.is_empty() { Err("a name is empty".to_owned()) } else { Ok(name) }
}

fn full(what: &str) -> Failed {
    Failed::Wrong(format!("there are too many {what}"))
}

#[cfg(test)]
#[path = "load_tests.rs"]
mod tests;
