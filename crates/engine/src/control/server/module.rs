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

/// Declares a subcommand that fails: who may use it finds no module that could be meant.
macro_rules! failing {
    ($(#[$doc:meta])* $name:ident, $error:expr, $spec:expr) => {
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
                tracing::warn!(command = Self::SPEC.name, "modules for Redis cannot be loaded");
                Err($error)
            }
        }
    };
}

const PROTECTED: Spec = Spec {
    since: "4.0.0",
    flags: &[Flag::Admin, Flag::NoScript, Flag::NoAsyncLoading, Flag::Protected],
    ..SERVER
};

const NOT_LOADED: CmdError =
    CmdError::new("ERR Error loading the extension. Please check the server logs.");

failing! {
    /// Fails to load a module.
    ModuleLoad, NOT_LOADED,
    Spec {
        name: "module|load",
        summary: "Fails to load a module: those for Redis cannot be loaded.",
        grammar: "path:string [arg:string...]",
        ..PROTECTED
    }
}

failing! {
    /// Fails to load a module with its settings.
    ModuleLoadEx, NOT_LOADED,
    Spec {
        name: "module|loadex",
        since: "7.0.0",
        summary: "Fails to load a module with settings.",
        grammar: "path:string [CONFIG configs={name:string value:string} +...] [ARGS \
                  args={arg:string} ...]",
        ..PROTECTED
    }
}

failing! {
    /// Fails to unload a module: none is loaded.
    ModuleUnload, CmdError::new("ERR Error unloading module: no such module with that name"),
    Spec {
        name: "module|unload",
        summary: "Fails to unload a module: none is ever loaded.",
        grammar: "name:string",
        ..PROTECTED
    }
}
