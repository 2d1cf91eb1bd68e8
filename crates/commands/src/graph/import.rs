//! GRAPH.IMPORT: makes nodes, relationships, indexes and constraints of a part of a text.
//!
//! ```text
//!   GRAPH.IMPORT key FORMAT CYPHER statements …          what GRAPH.EXPORT answers, as it is
//!   GRAPH.IMPORT key FORMAT CSV NODES labels table
//!   GRAPH.IMPORT key FORMAT CSV RELATIONSHIPS type table
//!   GRAPH.IMPORT key FORMAT CSV SCHEMA "" statements
//!   GRAPH.IMPORT key FORMAT CSV END                      until it answers 0
//! ```
//!
//! A part is made whole or not at all, on a fork, as what a statement writes; the journal has what
//! it changed. Each part stands for itself, so that a text can be cut between any two, and go on
//! after a restart.

use ::graph::export::Format;
use ::graph::import::{self, Failed, Imported, Table, TableOf};
use ::graph::query::{self, Settings};
use ::graph::storage::Graph as Stored;
use base::{
    Args, Behaviour, Category, CmdError, Command, Edit, Edited, Effect, Flag, Forks, Group, Key,
    KeyFlag, KeySpec, Property, Reply, Run, Spec, error,
};
use types::Graph;

use super::NO_GRAPH;
use super::export::format;
use super::install::install;
use super::statement::{ExecutionContext, error_reply, watched};

const NO_FORMAT: CmdError = CmdError::new("ERR GRAPH.IMPORT wants FORMAT CYPHER or FORMAT CSV");
/// Bytes that the labels or the type of a table may have: a statement is made of them.
const LONGEST_NAME: usize = 64 << 10;
const LONG_NAME: CmdError =
    CmdError::new("ERR the labels or the type of a table are longer than 64 KiB");
const NO_TABLE: CmdError = CmdError::new(
    "ERR a part in CSV is NODES labels table, RELATIONSHIPS type table, SCHEMA \"\" statements, or \
     END",
);

/// Makes what a part of a text says.
pub struct Import<'a> {
    key: Key<'a>,
    part: Part,
    edited: Option<Edited>,
}

/// A part, by the words at the end of its request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// So many words with statements.
    Statements(usize),
    /// Labels, and a table.
    Nodes,
    /// A type, and a table.
    Relationships,
    /// All tables have been sent.
    End,
}

impl<'a> Command<'a> for Import<'a> {
    const SPEC: Spec = Spec {
        name: "graph.import",
        group: Group::Graph,
        since: "1.0.0",
        summary: "Imports a part of a graph from openCypher or CSV, all or nothing.",
        complexity: "O(N) in the number of nodes, relationships and properties of the part",
        grammar: "key:key FORMAT format=(cypher={cypher!CYPHER statements:string...} | \
                  csv={csv!CSV part=(end!END | table={kind=(NODES | RELATIONSHIPS | SCHEMA) \
                  name:string text:string})})",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Graph],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Insert])],
        behaviour: Behaviour::NEW.properties(&[Property::RunsAsQuery]),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let edited = args.take_edited();
        let key = args.key()?;
        if !args.token("FORMAT") {
            return Err(NO_FORMAT);
        }
        let part = match format(&mut args)? {
            Format::Cypher if args.left() == 0 => return Err(error::wrong_arity("graph.import")),
            Format::Cypher => Part::Statements(args.left()),
            Format::Csv => {
                let part = table(&mut args)?;
                args.end()?;
                part
            }
        };
        Ok(Import { key, part, edited })
    }
}

fn table(args: &mut Args<'_>) -> Result<Part, CmdError> {
    if args.token("END") {
        return Ok(Part::End);
    }
    let part = match () {
        () if args.token("SCHEMA") => Part::Statements(1),
        () if args.token("NODES") => Part::Nodes,
        () if args.token("RELATIONSHIPS") => Part::Relationships,
        () => return Err(NO_TABLE),
    };
    let (name, _) = args.take().zip(args.take()).ok_or(NO_TABLE)?;
    if name.len() > LONGEST_NAME { Err(LONG_NAME) } else { Ok(part) }
}

fn text(bytes: &[u8]) -> Result<&str, query::Error> {
    std::str::from_utf8(bytes).map_err(|_| {
        query::Error::new(query::Class::SyntaxError, "NotUtf8", "the text is not valid UTF-8")
    })
}

/// What is answered.
enum Made {
    Imported(Imported),
    Left(u64),
}

impl Part {
    /// Makes it, of the words of its request.
    fn make(
        self,
        fork: &mut Stored,
        words: &[&[u8]],
        settings: &Settings<'_>,
    ) -> Result<Made, Failed> {
        let last = |count: usize| &words[words.len().saturating_sub(count)..];
        let of: fn(Box<str>) -> TableOf = match self {
            Part::Statements(count) => {
                let texts: Result<Vec<&str>, _> =
                    last(count).iter().map(|word| text(word)).collect();
                return import::statements(fork, &texts?, settings).map(Made::Imported);
            }
            Part::End => {
                let unmarked = import::unmark(fork, settings)?;
                return Ok(Made::Left(unmarked.left));
            }
            Part::Nodes => TableOf::Nodes,
            Part::Relationships => TableOf::Relationships,
        };
        let (name, table) = match last(2) {
            [name, table] => (text(name)?, table.to_vec()),
            _ => ("", Vec::new()),
        };
        let table = Table { of: of(name.into()), text: table };
        import::table(fork, table, settings).map(Made::Imported)
    }
}

impl<H: Forks<Graph>> Run<H> for Import<'_> {
    fn run(self, host: &mut H, _: &mut dyn Reply) -> Result<Effect, CmdError> {
        if let Some(edited) = self.edited
            && let Some(effect) = install(host, self.key, "graph.import", edited)?
        {
            return Ok(effect);
        }
        if host.peek(self.key)?.is_none() && self.part == Part::End {
            return Err(NO_GRAPH);
        }
        let fork = host.fork(self.key)?;
        let (part, context) = (self.part, ExecutionContext::new(host));
        Ok(Effect::Edit(Edit::of_with_words(fork, move |fork, words, pace, out| {
            let until = pace.bounds().time;
            let made = watched(until, pace, &*out, |memory, interrupt| {
                let made = part.make(fork, words, &context.settings(memory, interrupt));
                let is_table = matches!(part, Part::Nodes | Part::Relationships);
                made.map_err(|failed| error_reply(&said(failed, is_table)))
            });
            match made? {
                Made::Left(left) => out.count(usize::try_from(left).unwrap_or(usize::MAX)),
                Made::Imported(Imported { nodes, relationships }) => {
                    let made =
                        format!("{nodes} nodes created, {relationships} relationships created");
                    out.bulk(made.as_bytes());
                }
            }
            Ok(())
        })))
    }
}

/// An error, with the statement or the line that it is about.
fn said(failed: Failed, is_table: bool) -> query::Error {
    let Failed { at, error } = failed;
    if error.class == query::Class::Ended {
        return error;
    }
    let message = match at {
        None => format!("ERR {}; nothing of the part was made", error.message),
        Some(at) => {
            let what = if is_table { "line" } else { "statement" };
            let message = error.message.trim_start_matches("ERR ");
            format!("ERR {what} {at}: {message}; nothing of the part was made")
        }
    };
    query::Error { message: message.into(), ..error }
}
