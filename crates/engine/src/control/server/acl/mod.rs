//! ACL: the users, and what they may do. The rules themselves are the crate `acl`; which session is
//! which user is in `access/`.

mod cat;
mod dryrun;
mod files;
mod genpass;
mod log;
mod users;

use base::{Flag, Spec};

use self::cat::AclCat;
use self::dryrun::AclDryRun;
use self::files::{AclLoad, AclSave};
use self::genpass::AclGenPass;
use self::log::AclLog;
use self::users::{AclDelUser, AclGetUser, AclList, AclSetUser, AclUsers, AclWhoAmI};
use super::SERVER;
use crate::control::help::{HELP, help};
use crate::control::{acts, container};
use crate::engine::entry::Action;

static CONTAINER: Spec = Spec {
    name: "acl",
    since: "6.0.0",
    summary: "Says who may do what.",
    complexity: "Depends on subcommand.",
    flags: &[],
    ..SERVER
};

/// What the commands have in common that every user may run.
const ACL: Spec =
    Spec { since: "6.0.0", flags: &[Flag::NoScript, Flag::Loading, Flag::Stale], ..SERVER };

/// What those have in common that are for the operator.
const MANAGING: Spec = Spec { since: "6.0.0", flags: super::ADMIN, ..SERVER };

help! {
    /// ACL HELP.
    AclHelp,
    Spec { name: "acl|help", group: SERVER.group, since: "6.0.0", ..HELP }
}

/// The rows of this family.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    let mut rows = acts![
        AclCat, AclDelUser, AclDryRun, AclGenPass, AclGetUser, AclHelp, AclList, AclLoad, AclLog,
        AclSave, AclSetUser, AclUsers, AclWhoAmI,
    ];
    rows.push(container(&CONTAINER));
    rows
}
