//! MODULE: those of Redis that are part of this server are listed, and none can be loaded.

use base::{Args, CmdError, Command, Flag, Spec};
use wire::RespWriter;

use super::SERVER;
use crate::control::help::{HELP, help};
use crate::control::identity::Module;
use crate::control::{Act, Control, acts, bare, container};
use crate::engine::entry::Action;

static CONTAINER: Spec = Spec {
    name: "module",
    since: "4.0.0",
    summary: "Tells of modules.",
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
    /// Lists the modules whose commands are part of this server.
    ModuleList,
    Spec {
        name: "module|list",
        since: "4.0.0",
        summary: "Lists the modules of Redis that are part of this server.",
        complexity: "O(N) in the number of modules",
        flags: &[Flag::Admin, Flag::NoScript],
        tips: &["nondeterministic_output_order"],
        ..SERVER
    }
}

impl Act for ModuleList<'_> {
    fn act(self, _: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        Module::write_all(out);
        Ok(())
    }
}

/// Declares a subcommand that fails: a client that may use it finds no module that could be meant.
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

/// Fails to unload a module: none was loaded, and what is part of the server stays.
pub struct ModuleUnload<'a> {
    name: &'a [u8],
}

impl<'a> Command<'a> for ModuleUnload<'a> {
    const SPEC: Spec = Spec {
        name: "module|unload",
        summary: "Fails to unload a module: none is ever loaded.",
        grammar: "name:string",
        ..PROTECTED
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(ModuleUnload { name: args.next()? })
    }
}

impl Act for ModuleUnload<'_> {
    fn act(self, _: &mut Control<'_>, _: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let why = match Module::named(self.name) {
            Some(_) => "the module exports one or more module-side data types, can't unload",
            None => "no such module with that name",
        };
        Err(CmdError::owned(format!("ERR Error unloading module: {why}")))
    }
}
