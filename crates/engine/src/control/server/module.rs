//! MODULE: there are none, and none can be loaded.

use base::{Args, CmdError, Command, Flag, Reply, Spec};
use wire::RespWriter;

use super::SERVER;
use crate::control::help::{HELP, help};
use crate::control::{Act, Control, acts, bare, container};
use crate::table::Action;

static CONTAINER: Spec = Spec {
    name: "module",
    since: "4.0.0",
    summary: "Tells of loaded modules.",
    complexity: "Depends on subcommand.",
    flags: &[],
    ..SERVER
};

help! {
    /// MODULE HELP.
    ModuleHelp,
    Spec { name: "module|help", group: SERVER.group, since: "5.0.0", ..HELP }
}

/// The rows of this family.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    let mut rows = acts![ModuleHelp, ModuleList, ModuleLoad, ModuleLoadEx, ModuleUnload];
    rows.push(container(&CONTAINER));
    rows
}

bare! {
    /// Lists loaded modules: none.
    ModuleList,
    Spec {
        name: "module|list",
        since: "4.0.0",
        summary: "Lists loaded modules; there are never any.",
        complexity: "O(N) in the number of loaded modules",
        flags: &[Flag::Admin, Flag::NoScript],
        tips: &["nondeterministic_output_order"],
        ..SERVER
    }
}

impl Act for ModuleList<'_> {
    fn act(self, _: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        out.array(0);
        Ok(())
    }
}

/// Declares a subcommand that is refused.
macro_rules! refused {
    ($(#[$doc:meta])* $name:ident, $spec:expr) => {
        $(#[$doc])*
        pub struct $name;

        impl<'a> Command<'a> for $name {
            const SPEC: Spec = $spec;

            fn parse(_: Args<'a>) -> Result<Self, CmdError> {
                Ok($name)
            }
        }

        impl Act for $name {
            fn act(self, _: &mut Control<'_>, _: &mut RespWriter<'_>) -> Result<(), CmdError> {
                Err(CmdError::new(
                    "ERR MODULE command not allowed. If the enable-module-command option is set \
                     to \"local\", you can run it from a local connection, otherwise you need to \
                     set this option in the configuration file, and then restart the server.",
                ))
            }
        }
    };
}

const REFUSED: Spec =
    Spec { since: "4.0.0", flags: &[Flag::Admin, Flag::NoScript, Flag::NoAsyncLoading], ..SERVER };

refused! {
    /// Refuses to load a module.
    ModuleLoad,
    Spec {
        name: "module|load",
        summary: "Refuses to load a module.",
        grammar: "path:string [arg:string...]",
        ..REFUSED
    }
}

refused! {
    /// Refuses to load a module with its settings.
    ModuleLoadEx,
    Spec {
        name: "module|loadex",
        since: "7.0.0",
        summary: "Refuses to load a module with settings.",
        grammar: "path:string [CONFIG configs={name:string value:string} +...] [ARGS \
                  args={arg:string} ...]",
        ..REFUSED
    }
}

refused! {
    /// Refuses to unload a module.
    ModuleUnload,
    Spec {
        name: "module|unload",
        summary: "Refuses to unload a module.",
        grammar: "name:string",
        ..REFUSED
    }
}
