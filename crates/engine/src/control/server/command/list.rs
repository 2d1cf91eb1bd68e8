//! COMMAND LIST.

use base::{Args, CmdError, Command, Reply, Spec, error, glob};
use wire::RespWriter;

use super::COMMAND;
use crate::control::identity::Module;
use crate::control::{Act, Control};
use crate::engine::categories::categories;
use crate::engine::entry::Entry;

/// Lists names.
pub struct CommandList<'a> {
    filter: Filter<'a>,
}

enum Filter<'a> {
    None,
    /// The commands of a module; none if there is no such module.
    Module(Option<&'static Module>),
    Category(&'a [u8]),
    Pattern(&'a [u8]),
}

impl<'a> Command<'a> for CommandList<'a> {
    const SPEC: Spec = Spec {
        name: "command|list",
        since: "7.0.0",
        summary: "Lists the names of commands.",
        complexity: "O(N) in the number of commands",
        grammar: "[FILTERBY filterby=(MODULE module-name:string | ACLCAT category:string | \
                  PATTERN pattern:pattern)]",
        tips: &["nondeterministic_output_order"],
        ..COMMAND
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        if args.left() == 0 {
            return Ok(CommandList { filter: Filter::None });
        }
        if args.left() != 3 || !args.token("FILTERBY") {
            return Err(error::SYNTAX);
        }
        let (by, word) = (args.next()?, args.next()?);
        let filter = match by.to_ascii_uppercase().as_slice() {
            b"MODULE" => Filter::Module(Module::named(word)),
            b"ACLCAT" => Filter::Category(word),
            b"PATTERN" => Filter::Pattern(word),
            _ => return Err(error::SYNTAX),
        };
        Ok(CommandList { filter })
    }
}

impl Filter<'_> {
    fn takes(&self, entry: &Entry) -> bool {
        match self {
            Filter::None => true,
            Filter::Module(module) => module.is_some_and(|module| module.group == entry.spec.group),
            Filter::Category(wanted) => categories(entry)
                .iter()
                .any(|category| category.as_bytes().eq_ignore_ascii_case(wanted)),
            // Names are in lower case.
            Filter::Pattern(pattern) => {
                glob::matches(&pattern.to_ascii_lowercase(), entry.name().as_bytes())
            }
        }
    }
}

impl Act for CommandList<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let entries = control.engine.table.callable();
        let names: Vec<&str> =
            entries.filter(|entry| self.filter.takes(entry)).map(|entry| entry.name()).collect();
        out.array(names.len());
        for name in names {
            out.bulk(name.as_bytes());
        }
        Ok(())
    }
}
