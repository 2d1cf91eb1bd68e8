//! Commands about sessions and the server itself: the same shape as data commands, another host.
//!
//! One file per verb, one folder per family; a row in the family's `rows()` makes a command known
//! to the table, and with it to `COMMAND`, `ACL CAT`, `HELP` and the statistics.

mod cluster;
mod connection;
pub(crate) mod gate;
mod help;
pub(crate) mod identity;
mod pubsub;
mod scripting;
mod server;
mod transaction;

use base::{Args, CmdError, Spec};
use store::Txn;
use wire::RespWriter;

pub(crate) use self::connection::{Asking, Viewer, client_line};
pub use self::gate::is_local_address;
pub(crate) use self::server::{categories, key_flags, key_positions};
use crate::engine::Engine;
use crate::session::Session;
use crate::table::Action;
use crate::worker::WorkerContext;

/// What a control command may use.
pub struct Control<'c> {
    /// What all workers share.
    pub engine: &'c Engine,
    /// The transaction at the store. Inside `EXEC` it holds the transaction's shards already.
    pub txn: &'c mut Txn,
    /// The thread's own.
    pub context: &'c mut WorkerContext,
    /// The session that asks.
    pub session: &'c mut Session,
    /// Whether it runs inside `EXEC`, or in a script.
    pub in_exec: bool,
    /// Whether it runs in a script, which cannot wait for its reply.
    pub in_script: bool,
}

/// What a control command has left to be done, for a client that can wait, if one is named.
pub(crate) type WhenFree = fn(&Engine, Option<&mut Session>);

impl Control<'_> {
    /// Does what may have to wait for other threads, or for any shard: at once, or inside `EXEC`
    /// when that has given its shards back, before it answers. Outside of that the client can wait
    /// for what takes long.
    pub(crate) fn when_free(&mut self, work: WhenFree) {
        if self.in_exec {
            self.context.when_free.push(work);
        } else {
            work(self.engine, Some(self.session));
        }
    }
}

/// Parses and runs one control command.
pub type ControlRun =
    for<'a, 'c> fn(&mut Control<'c>, Args<'a>, &mut RespWriter<'_>) -> Result<(), CmdError>;

/// The behaviour of a control command. Unlike data commands these may write several replies
/// (`SUBSCRIBE`) or none (`CLIENT REPLY OFF`).
pub trait Act {
    /// Does the work and writes the reply.
    ///
    /// # Errors
    /// What the client sees instead of a reply.
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError>;
}

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
            (&SPEC, $crate::table::Action::Control(run))
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

/// The error of a subcommand with a wrong number of arguments that its arity lets pass.
pub(crate) fn misused(argv: &[&[u8]]) -> CmdError {
    let shown = |at: usize| {
        let word = argv.get(at).copied().unwrap_or_default();
        &word[..word.len().min(crate::execute::SHOWN_MAX)]
    };
    // Called by a name of ours, or one that a file of settings gave it.
    let container = String::from_utf8_lossy(shown(0)).to_ascii_uppercase();
    let before = "ERR unknown subcommand or wrong number of arguments for '";
    CmdError::quoting(before, shown(1), &format!("'. Try {container} HELP."))
}

/// Every control command. A new family is one line here.
pub(crate) fn rows() -> Vec<(&'static Spec, Action)> {
    let mut rows = Vec::new();
    rows.extend(cluster::rows());
    rows.extend(connection::rows());
    rows.extend(pubsub::rows());
    rows.extend(scripting::rows());
    rows.extend(server::rows());
    rows.extend(transaction::rows());
    rows
}
