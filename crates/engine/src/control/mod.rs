//! Commands about sessions and the server itself: the same shape as data commands, another host.
//!
//! One file per verb, one folder per family; a row in the family's `rows()` makes a command known
//! to the table, and with it to `COMMAND`, `ACL CAT`, `HELP` and the statistics.

mod cluster;
mod connection;
mod graph;
mod help;
pub(crate) mod identity;
mod pubsub;
mod scripting;
mod search;
mod server;
mod transaction;

use base::{Args, CmdError, Spec};
use wire::RespWriter;

pub(crate) use crate::engine::context::{Act, Control};
use crate::engine::entry::Action;
pub(crate) use crate::execution::request::misused;

/// The rows of a family of control commands.
macro_rules! acts {
    ($($command:ident),* $(,)?) => {
        vec![$({
            fn run<'a>(
                control: &mut $crate::control::Control<'_>,
                args: base::Args<'a>,
                out: &mut wire::RespWriter<'_>,
            ) -> Result<(), base::CmdError> {
                let command = <$command as base::Command<'a>>::parse(args)?;
                $crate::control::Act::act(command, control, out)
            }
            static SPEC: base::Spec = <$command as base::Command<'static>>::SPEC;
            (&SPEC, $crate::engine::entry::Action::Control(run))
        }),*]
    };
}
pub(crate) use acts;

/// What a command does with the words behind its name.
pub(crate) type Behaviour =
    fn(&mut Control<'_>, &[&[u8]], &mut RespWriter<'_>) -> Result<(), CmdError>;

/// A command that takes its words as they come: the type, its spec, and its [`Behaviour`].
macro_rules! worded {
    ($(#[$doc:meta])* $name:ident, $spec:expr, $behaviour:expr) => {
        $(#[$doc])*
        pub struct $name<'a> {
            words: &'a [&'a [u8]],
        }

        impl<'a> base::Command<'a> for $name<'a> {
            const SPEC: base::Spec = $spec;

            fn parse(args: base::Args<'a>) -> Result<Self, base::CmdError> {
                Ok($name { words: args.rest() })
            }
        }

        impl $crate::control::Act for $name<'_> {
            fn act(
                self,
                control: &mut $crate::control::Control<'_>,
                out: &mut wire::RespWriter<'_>,
            ) -> Result<(), base::CmdError> {
                let behaviour: $crate::control::Behaviour = $behaviour;
                behaviour(control, self.words, out)
            }
        }
    };
}
pub(crate) use worded;

/// A command whose request is its name: the type, and its spec.
macro_rules! bare {
    ($(#[$doc:meta])* $name:ident, $spec:expr) => {
        $(#[$doc])*
        pub struct $name<'a>(std::marker::PhantomData<&'a ()>);

        impl<'a> base::Command<'a> for $name<'a> {
            const SPEC: base::Spec = $spec;

            fn parse(_: base::Args<'a>) -> Result<Self, base::CmdError> {
                Ok($name(std::marker::PhantomData))
            }
        }
    };
}
pub(crate) use bare;

/// A name that stands only before a subcommand.
pub(crate) fn container(spec: &'static Spec) -> (&'static Spec, Action) {
    (spec, Action::Container)
}

/// Reads one of these words, in any case; what it stands for.
pub(crate) fn one_of<T: Copy>(args: &mut Args<'_>, words: &[(&str, T)]) -> Option<T> {
    words.iter().find(|(word, _)| args.token(word)).map(|&(_, meaning)| meaning)
}

/// Every control command. A new family is one line here.
pub(crate) fn rows() -> Vec<(&'static Spec, Action)> {
    let mut rows = Vec::new();
    rows.extend(cluster::rows());
    rows.extend(connection::rows());
    rows.extend(graph::rows());
    rows.extend(pubsub::rows());
    rows.extend(scripting::rows());
    rows.extend(search::rows());
    rows.extend(server::rows());
    rows.extend(transaction::rows());
    rows
}
