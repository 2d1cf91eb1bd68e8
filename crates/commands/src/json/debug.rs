//! JSON.DEBUG MEMORY, HELP, DEFRAG_INFO.
//!
//! One command and no container: its error about a subcommand that it does not have is its own.

use ::json::Node;
use base::{
    Args, Behaviour, Category, CmdError, Command, DataType, Effect, Flag, Group, KeyFlag, KeySpec,
    Paths, Reply, Run, Spec, error,
};
use types::{Documents, JsonTools};

use super::document;
use super::place::Place;

const UNKNOWN: CmdError = CmdError::new("ERR unknown subcommand - try `JSON.DEBUG HELP`");

const HELP: [&str; 3] = [
    "MEMORY <key> [path] - bytes that the document takes, or that the values at a path would \
     take alone",
    "DEFRAG_INFO         - counters of defragmentation, which documents here do not need",
    "HELP                - this text",
];

/// Counters of work that is not done here: a document is one block of memory.
const COUNTERS: [&str; 3] = ["defrag_started", "defrag_ended", "keys_defragged"];

/// Looks into how documents are kept.
pub enum Debug<'a> {
    /// Bytes.
    Memory(Memory<'a>),
    /// What there is.
    Help,
    /// Counters.
    DefragInfo,
}

/// The place that is measured.
pub struct Memory<'a>(Place<'a>);

impl<'a> Command<'a> for Debug<'a> {
    const SPEC: Spec = Spec {
        name: "json.debug",
        group: Group::Json,
        since: "1.0.0",
        summary: "Tells what memory documents, or parts of them, take.",
        complexity: "O(1) for a whole document, O(N) in the size of parts of one",
        grammar: "subcommand=(memory={memory!MEMORY key:key [path:string]} | HELP | DEFRAG_INFO)",
        arity: -2,
        flags: &[Flag::ReadOnly],
        categories: &[Category::Json],
        keys: &[KeySpec::one(2, &[KeyFlag::ReadOnly])],
        behaviour: Behaviour::NEW.paths(Paths::At(3)),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        if args.token("MEMORY") {
            if args.left() == 0 {
                return Err(error::wrong_arity("json.debug"));
            }
            return Place::parse(args).map(|place| Debug::Memory(Memory(place)));
        }
        if args.token("HELP") {
            return Ok(Debug::Help);
        }
        if args.token("DEFRAG_INFO") { Ok(Debug::DefragInfo) } else { Err(UNKNOWN) }
    }
}

impl<H: Documents> Run<H> for Debug<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        match self {
            Debug::Memory(Memory(place)) => {
                host.with_tools(|host, tools| memory(&place, host, tools, out))?;
            }
            Debug::Help => {
                out.array(HELP.len());
                HELP.iter().for_each(|line| out.bulk(line.as_bytes()));
            }
            Debug::DefragInfo => {
                out.map(COUNTERS.len());
                for counter in COUNTERS {
                    out.bulk(counter.as_bytes());
                    out.int(0);
                }
            }
        }
        Ok(Effect::None)
    }
}

fn memory<H: Documents>(
    place: &Place<'_>,
    host: &mut H,
    tools: &mut JsonTools,
    out: &mut dyn Reply,
) -> Result<(), CmdError> {
    let path = document::selection(tools, place.path)?;
    let Some(json) = document::peek(host, place.key)? else {
        if path.is_legacy() {
            out.int(0);
        } else {
            out.array(0);
        }
        return Ok(());
    };
    let sizes = if path.is_root() {
        vec![json.memory()]
    } else {
        // The tree is made if there is none, and only then do host and registry part.
        document::look(host, place.key, tools.lookers(), |_, _| ())?;
        let tree = document::peek(host, place.key)?.and_then(|json| json.document()?.tree());
        let found = tree.map(|tree| document::matches(&path, tree.root(), &mut tools.budget));
        let found = found.transpose()?;
        let alone = |node: Node<'_>| node.to_value(&mut tools.registry).memory();
        found.into_iter().flatten().map(alone).collect()
    };
    if path.is_legacy() {
        out.count(*sizes.first().ok_or(document::NO_PATH)?);
        return Ok(());
    }
    out.array(sizes.len());
    sizes.iter().for_each(|&size| out.count(size));
    Ok(())
}
