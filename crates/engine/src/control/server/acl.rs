//! ACL: one user, `default`, who may do everything. Other users are not supported, so the
//! subcommands that would manage them do not exist.

use base::{Args, CmdError, Command, Flag, Reply, Spec};
use wire::RespWriter;

use super::SERVER;
use super::command::describe;
use crate::control::help::{HELP, help};
use crate::control::{Act, Control, acts, bare, container, identity, misused};
use crate::table::Action;

static CONTAINER: Spec = Spec {
    name: "acl",
    since: "6.0.0",
    summary: "Tells of users and of what they may do.",
    complexity: "Depends on subcommand.",
    flags: &[],
    ..SERVER
};

const ACL: Spec =
    Spec { since: "6.0.0", flags: &[Flag::NoScript, Flag::Loading, Flag::Stale], ..SERVER };

help! {
    /// ACL HELP.
    AclHelp,
    Spec { name: "acl|help", group: SERVER.group, since: "6.0.0", ..HELP }
}

/// The rows of this family.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    let mut rows = acts![AclCat, AclHelp, AclUsers, AclWhoAmI];
    rows.push(container(&CONTAINER));
    rows
}

bare! {
    /// Answers the session's user.
    AclWhoAmI,
    Spec {
        name: "acl|whoami",
        summary: "Answers the user of this connection.",
        ..ACL
    }
}

impl Act for AclWhoAmI<'_> {
    fn act(self, _: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        out.bulk(identity::USER.as_bytes());
        Ok(())
    }
}

bare! {
    /// Lists the users.
    AclUsers,
    Spec {
        name: "acl|users",
        summary: "Lists the users.",
        complexity: "O(N) in the number of users",
        flags: super::ADMIN,
        ..ACL
    }
}

impl Act for AclUsers<'_> {
    fn act(self, _: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        out.array(1);
        out.bulk(identity::USER.as_bytes());
        Ok(())
    }
}

/// Lists the categories, or the commands of one.
pub struct AclCat<'a> {
    category: Option<&'a [u8]>,
}

impl<'a> Command<'a> for AclCat<'a> {
    const SPEC: Spec = Spec {
        name: "acl|cat",
        summary: "Lists the categories of commands, or the commands of one.",
        complexity: "O(N) in the number of commands",
        grammar: "[categoryname:string]",
        ..ACL
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let category = args.take();
        args.end().map_err(|_| misused(args.argv()))?;
        Ok(AclCat { category })
    }
}

impl Act for AclCat<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let Some(wanted) = self.category else {
            out.array(describe::CATEGORIES.len());
            for category in describe::CATEGORIES {
                out.bulk(category.as_bytes());
            }
            return Ok(());
        };
        let known = describe::CATEGORIES.iter().find(|c| c.as_bytes().eq_ignore_ascii_case(wanted));
        let Some(category) = known else {
            let shown = String::from_utf8_lossy(wanted);
            return Err(CmdError::owned(format!("ERR Unknown category '{shown}'")));
        };
        let entries = control.engine.table.entries();
        let names: Vec<&str> = entries
            .iter()
            .filter(|entry| describe::categories(entry).contains(category))
            .map(|entry| entry.name())
            .collect();
        out.array(names.len());
        for name in names {
            out.bulk(name.as_bytes());
        }
        Ok(())
    }
}
