//! Commands about the server itself.

mod acl;
mod command;
mod config;
mod debug;
mod info;
mod latency;
mod lolwut;
mod memory;
mod migrate;
mod module;
mod monitor;
mod persistence;
mod replication;
mod shutdown;
mod slowlog;
mod sync;
mod time;

use base::{Behaviour, Flag, Group, Locks, Spec};

pub(super) use self::config::change as change_settings;
use crate::engine::entry::Action;

/// What most of the family has in common.
const SERVER: Spec = Spec {
    group: Group::Server,
    flags: &[Flag::Loading, Flag::Stale],
    behaviour: Behaviour::NEW.locks(|_| Locks::Nothing),
    ..Spec::NEW
};

/// Flags of those that are for the operator.
const ADMIN: &[Flag] = &[Flag::Admin, Flag::NoScript, Flag::Loading, Flag::Stale];

/// The rows of this family.
pub(crate) fn rows() -> Vec<(&'static Spec, Action)> {
    let mut rows = Vec::new();
    rows.extend(acl::rows());
    rows.extend(command::rows());
    rows.extend(config::rows());
    rows.extend(debug::rows());
    rows.extend(info::rows());
    rows.extend(latency::rows());
    rows.extend(lolwut::rows());
    rows.extend(memory::rows());
    rows.extend(migrate::rows());
    rows.extend(module::rows());
    rows.extend(monitor::rows());
    rows.extend(persistence::rows());
    rows.extend(replication::rows());
    rows.extend(shutdown::rows());
    rows.extend(slowlog::rows());
    rows.extend(sync::rows());
    rows.extend(time::rows());
    rows
}
