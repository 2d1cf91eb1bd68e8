//! Scripts and functions: thin words over `scripting/` of the engine.

mod eval;
mod fcall;
mod function;
mod script;

use base::{
    Behaviour, Category, CmdError, Flag, Group, InFile, KeyFlag, KeySpec, Locks, Spec, error,
};
use wire::RespWriter;

use crate::control::Control;
use crate::engine::entry::Action;
use crate::execution::monitor;

/// What most of the family has in common.
const SCRIPTING: Spec = Spec {
    group: Group::Scripting,
    flags: &[Flag::NoScript],
    categories: &[Category::Scripting],
    behaviour: Behaviour::NEW.locks(|_| Locks::Nothing),
    ..Spec::NEW
};

/// What runs something that may write. Inside a transaction it holds every shard.
const RUNS: Spec = Spec {
    complexity: "Depends on what runs.",
    flags: &[
        Flag::NoScript,
        Flag::Stale,
        Flag::SkipMonitor,
        Flag::MayReplicate,
        Flag::NoMandatoryKeys,
    ],
    keys: &[KeySpec::counted(2, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Update])],
    behaviour: SCRIPTING.behaviour.locks(|_| Locks::Each).in_file(InFile::Scripts),
    ..SCRIPTING
};

/// What runs something that does not write.
const RUNS_READING: Spec = Spec {
    flags: &[Flag::ReadOnly, Flag::NoScript, Flag::Stale, Flag::SkipMonitor, Flag::NoMandatoryKeys],
    keys: &[KeySpec::counted(2, &[KeyFlag::ReadOnly, KeyFlag::Access])],
    ..RUNS
};

/// The rows of this family.
pub(crate) fn rows() -> Vec<(&'static Spec, Action)> {
    let mut rows = Vec::new();
    rows.extend(eval::rows());
    rows.extend(fcall::rows());
    rows.extend(function::rows());
    rows.extend(script::rows());
    rows
}

/// Refuses to run or to take up any script if there are to be none. Asked where that would happen,
/// so at every door, and in a transaction that was queued before as well.
fn check_on(control: &Control<'_>) -> Result<(), CmdError> {
    match control.context.config.scripts.on {
        true => Ok(()),
        false => Err(error::NO_SCRIPTING),
    }
}

/// What a command does with its whole request: an entry may stand for several words.
type Runner = fn(&mut Control<'_>, &[&[u8]], &mut RespWriter<'_>) -> Result<(), CmdError>;

/// Declares commands that take their requests as they were sent: the type, its spec, its
/// [`Runner`].
macro_rules! sent {
    ($($(#[$doc:meta])* $name:ident, $spec:expr, $behaviour:expr;)*) => {$(
        $(#[$doc])*
        pub struct $name<'a> {
            argv: &'a [&'a [u8]],
        }

        impl<'a> base::Command<'a> for $name<'a> {
            const SPEC: base::Spec = $spec;

            fn parse(args: base::Args<'a>) -> Result<Self, base::CmdError> {
                Ok($name { argv: args.argv() })
            }
        }

        impl $crate::control::Act for $name<'_> {
            fn act(
                self,
                control: &mut $crate::control::Control<'_>,
                out: &mut wire::RespWriter<'_>,
            ) -> Result<(), base::CmdError> {
                let behaviour: $crate::control::scripting::Runner = $behaviour;
                behaviour(control, self.argv, out)
            }
        }
    )*};
}
use sent;

impl Control<'_> {
    /// Tells the monitoring clients of a request that runs something, before they are told of what
    /// it does: once, though it may have had to wait.
    fn tell_monitors(&mut self, argv: &[&[u8]]) {
        let told = std::mem::take(&mut self.session.wait.told);
        if !told && self.engine.run.request_flags.now().monitored() {
            let command = self.engine.table.find(argv).map_or(&Spec::NEW, |entry| entry.spec);
            monitor::tell_before(&self.engine.notify.monitors, self.session, command, argv);
        }
    }
}

/// The words of a request that runs something: its name, its keys, its other arguments.
struct Words<'a> {
    all: &'a [&'a [u8]],
    code: &'a [u8],
    keys: &'a [&'a [u8]],
    args: &'a [&'a [u8]],
}

impl<'a> Words<'a> {
    /// Splits a request's words.
    ///
    /// # Errors
    /// There is no number of keys, which is `no_number`; or it does not fit.
    fn split(all: &'a [&'a [u8]], no_number: base::CmdError) -> Result<Self, base::CmdError> {
        let (code, count, rest) = match all {
            [_, code, count, rest @ ..] => (*code, *count, rest),
            _ => return Err(base::error::SYNTAX),
        };
        let count = base::num::parse_i64(count).ok_or(no_number)?;
        if count > i64::try_from(rest.len()).unwrap_or(i64::MAX) {
            return Err(base::CmdError::new(
                "ERR Number of keys can't be greater than number of args",
            ));
        }
        let count = usize::try_from(count)
            .map_err(|_| base::CmdError::new("ERR Number of keys can't be negative"))?;
        let (keys, args) = rest.split_at(count);
        Ok(Words { all, code, keys, args })
    }
}
