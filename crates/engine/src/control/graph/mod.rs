//! Commands about statements on graphs, and about what they may take: those of FalkorDB's commands
//! that are about the server. The others are data commands.

mod config;
mod info;
mod kill;

use base::{Behaviour, Category, Flag, Group, Locks, Spec};

use crate::control::acts;
use crate::engine::entry::Action;

use self::info::GraphInfo;
use self::kill::GraphKill;

/// What the family has in common.
const GRAPH: Spec = Spec {
    group: Group::Graph,
    since: "1.0.0",
    categories: &[Category::Graph],
    flags: &[Flag::NoScript, Flag::Loading, Flag::Stale, Flag::AllowBusy],
    behaviour: Behaviour::NEW.locks(|_| Locks::Nothing),
    ..Spec::NEW
};

/// What those that are for the operator have in common. They are not of the category of graphs:
/// a user who may use graphs may not use these by that.
const ADMIN: Spec = Spec {
    categories: &[],
    flags: &[Flag::Admin, Flag::NoScript, Flag::Loading, Flag::Stale, Flag::AllowBusy],
    ..GRAPH
};

/// The rows of this family.
pub(crate) fn rows() -> Vec<(&'static Spec, Action)> {
    let mut rows = acts![GraphInfo, GraphKill];
    rows.extend(config::rows());
    rows
}
