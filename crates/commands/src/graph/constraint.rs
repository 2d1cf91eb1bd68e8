//! GRAPH.CONSTRAINT: makes a constraint of a graph, or removes one.

use ::graph::query::ConstraintStatement;
use ::graph::storage::ConstraintKind;
use base::num;
use base::{
    Args, Behaviour, Category, CmdError, Command, Edit, Edited, Effect, Flag, Forks, Group, Key,
    KeyFlag, KeySpec, Property, Reply, Run, Spec,
};
use types::Graph;

use super::NO_GRAPH;
use super::install::install;
use super::statement::{ExecutionContext, error_reply, watched};

const OPERATION: CmdError = CmdError::new("Invalid constraint operation");
const KIND: CmdError = CmdError::new("Invalid constraint type");
const ENTITY: CmdError = CmdError::new("Invalid constraint entity type");
const PROPERTIES: CmdError = CmdError::new("missing PROPERTIES argument");
const COUNT: CmdError = CmdError::new("Number of properties must be an integer between 1 and 255");
const OTHER_COUNT: CmdError = CmdError::new("Number of properties doesn't match property count");
const TWICE: CmdError = CmdError::new("Properties cannot contain duplicates");
const TOO_MANY: CmdError = CmdError::new("ERR a constraint has 16 properties at most");

/// Makes a constraint, or removes one.
pub struct Constraint<'a> {
    key: Key<'a>,
    statement: ConstraintStatement,
    edited: Option<Edited>,
}

impl<'a> Command<'a> for Constraint<'a> {
    const SPEC: Spec = Spec {
        name: "graph.constraint",
        group: Group::Graph,
        since: "1.0.0",
        summary: "Creates a constraint, which all data must meet, now and later, or drops one.",
        complexity: "O(N) to make one, when N is the number of nodes or relationships that it is \
                     on; O(1) to remove one",
        grammar: "operation=(CREATE | DROP) key:key type=(UNIQUE | MANDATORY) \
                  entity=(NODE | RELATIONSHIP) label:string PROPERTIES \
                  count:integer property:string...",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Graph],
        keys: &[KeySpec::one(2, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Update])],
        behaviour: Behaviour::NEW.properties(&[Property::RunsAsQuery]),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let edited = args.take_edited();
        let drop = one_of(&mut args, "CREATE", "DROP", OPERATION)?;
        let key = args.key()?;
        let kind = match one_of(&mut args, "UNIQUE", "MANDATORY", KIND)? {
            false => ConstraintKind::Unique,
            true => ConstraintKind::Mandatory,
        };
        let of_relationships = one_of(&mut args, "NODE", "RELATIONSHIP", ENTITY)?;
        let label = name(args.next()?, "Label")?;
        if !args.token("PROPERTIES") {
            return Err(PROPERTIES);
        }
        let count = num::parse_i64(args.next()?).filter(|count| (1..=255).contains(count));
        let count = count.and_then(|count| usize::try_from(count).ok()).ok_or(COUNT)?;
        if args.left() != count {
            return Err(OTHER_COUNT);
        }
        let mut properties: Vec<Box<str>> = Vec::with_capacity(count);
        while let Some(property) = args.take() {
            let property = name(property, "Property")?;
            if properties.contains(&property) {
                return Err(TWICE);
            }
            properties.push(property);
        }
        if count > ::graph::storage::MOST_KEYS {
            return Err(TOO_MANY);
        }
        let statement = ConstraintStatement { drop, kind, of_relationships, label, properties };
        Ok(Constraint { key, statement, edited })
    }
}

/// Which of two words comes next: whether it is the second.
fn one_of(args: &mut Args<'_>, no: &str, yes: &str, error: CmdError) -> Result<bool, CmdError> {
    if args.token(no) {
        return Ok(false);
    }
    if args.token(yes) { Ok(true) } else { Err(error) }
}

/// A name. FalkorDB takes only those that need no quotes in a query.
fn name(bytes: &[u8], of: &str) -> Result<Box<str>, CmdError> {
    match std::str::from_utf8(bytes) {
        Ok(name) if !name.is_empty() => Ok(name.into()),
        _ => {
            let shown = String::from_utf8_lossy(bytes);
            Err(CmdError::owned(format!("{of} name {shown} is invalid")))
        }
    }
}

impl<H: Forks<Graph>> Run<H> for Constraint<'_> {
    fn run(self, host: &mut H, _: &mut dyn Reply) -> Result<Effect, CmdError> {
        if let Some(edited) = self.edited
            && let Some(effect) = install(host, self.key, "graph.constraint", edited)?
        {
            return Ok(effect);
        }
        if host.peek(self.key)?.is_none() && self.statement.drop {
            return Err(NO_GRAPH);
        }
        let (context, statement) = (ExecutionContext::new(host), self.statement);
        let fork = host.fork(self.key)?;
        Ok(Effect::Edit(Edit::of(fork, move |fork, pace, out| {
            let until = pace.bounds().time;
            watched(until, pace, &*out, |memory, interrupt| {
                let done = statement.run(fork, &context.settings(memory, interrupt));
                done.map_err(|error| error_reply(&error))
            })?;
            if statement.drop {
                out.ok()
            } else {
                out.simple("PENDING")
            }
            Ok(())
        })))
    }
}
