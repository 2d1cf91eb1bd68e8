//! `HELP` of every container, made from the table: what a command can do is written down once.

use base::grammar::{Arg, Kind};
use base::{Behaviour, Command, Reply, Spec};
use wire::RespWriter;

use crate::control::Control;
use crate::engine::entry::Entry;

/// The spec of a `HELP` subcommand; a family changes what is special to it.
pub(crate) const HELP: Spec = Spec {
    summary: "Lists the subcommands.",
    flags: &[base::Flag::Loading, base::Flag::Stale],
    behaviour: Behaviour::NEW.locks(|_| base::Locks::Nothing),
    ..Spec::NEW
};

/// Declares the `HELP` subcommand of a container.
macro_rules! help {
    ($(#[$doc:meta])* $name:ident, $spec:expr) => {
        $crate::control::bare! { $(#[$doc])* $name, $spec }

        impl $crate::control::Act for $name<'_> {
            fn act(
                self,
                control: &mut $crate::control::Control<'_>,
                out: &mut wire::RespWriter<'_>,
            ) -> Result<(), base::CmdError> {
                $crate::control::help::write::<$name<'static>>(control, out);
                Ok(())
            }
        }
    };
}
pub(crate) use help;

/// Writes one line per subcommand with its arguments, and one that says what it does.
pub(crate) fn write<H: Command<'static>>(control: &mut Control<'_>, out: &mut RespWriter<'_>) {
    let name = H::SPEC.name.split('|').next().unwrap_or_default();
    let table = &control.engine.table;
    let Some(container) = table.find_own(&[name.as_bytes()]) else { return out.array(0) };
    out.array(1 + 2 * container.naming.children.len());
    let title = String::from_utf8_lossy(container.called()).to_ascii_uppercase();
    out.simple(&format!("{title} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:"));
    // HELP itself comes last, as in Redis.
    let is_help = |&child: &usize| table.entries()[child].name().ends_with("|help");
    let (last, first): (Vec<usize>, Vec<usize>) =
        container.naming.children.iter().partition(|c| is_help(c));
    for child in first.into_iter().chain(last) {
        let entry = &table.entries()[child];
        out.simple(&usage(entry));
        out.simple(&format!("    {}", entry.spec.summary));
    }
}

/// `GET <parameter> ...`
fn usage(entry: &Entry) -> String {
    let sub = entry.spec.name.split('|').next_back().unwrap_or_default();
    let mut text = sub.to_ascii_uppercase();
    for arg in &entry.syntax.arguments {
        text.push(' ');
        text += &shown(arg);
    }
    text
}

fn shown(arg: &Arg) -> String {
    let join = |args: &[Arg], by: &str| args.iter().map(shown).collect::<Vec<_>>().join(by);
    let mut text = match &arg.kind {
        Kind::PureToken => arg.token.clone().unwrap_or_default(),
        Kind::OneOf(args) => format!("({})", join(args, "|")),
        Kind::Block(args) => join(args, " "),
        _ => format!("<{}>", arg.name),
    };
    if let (Some(token), false) = (&arg.token, arg.kind == Kind::PureToken) {
        text = format!("{token} {text}");
    }
    if arg.multiple {
        text = format!("{text} [{text} ...]");
    }
    if arg.optional { format!("[{text}]") } else { text }
}
