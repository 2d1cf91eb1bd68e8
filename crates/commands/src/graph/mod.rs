//! Property graphs: the commands of FalkorDB, with its replies and errors.
//!
//! ```text
//!   GRAPH.QUERY ─► statement ─┬─ only reads ─► a version of the graph ─► Effect::Query
//!                             └─ writes ─────► a fork of it ───────────► Effect::Edit ─► install
//!                                                                          GRAPH.APPLY ◄─┘
//! ```
//!
//! What has been changed goes to the journal as `GRAPH.APPLY`, never as the statement: what that
//! did may depend on the time, on what it drew, and on the version of the planner.

mod apply;
mod bulk;
mod constraint;
mod copy;
mod delete;
mod explain;
mod export;
mod import;
mod install;
mod list;
mod memory;
mod options;
mod profile;
mod query;
mod reply;
mod ro_query;
mod slowlog;
mod statement;

use base::{CmdError, Databases, Forks, Row, rows};
use types::Graph;

use self::apply::Apply;
use self::bulk::Bulk;
use self::constraint::Constraint;
use self::copy::Copy;
use self::delete::Delete;
use self::explain::Explain;
use self::export::Export;
use self::import::Import;
use self::list::List;
use self::memory::Memory;
use self::profile::Profile;
use self::query::Query;
use self::ro_query::RoQuery;
use self::slowlog::Slowlog;

/// A key that holds no graph where one must be. FalkorDB says it so.
const NO_GRAPH: CmdError = CmdError::new("ERR Invalid graph operation on empty key");

/// The rows of this family.
#[must_use]
pub fn rows<H: Databases + Forks<Graph>>() -> Vec<Row<H>> {
    rows![
        H;
        Apply, Bulk, Constraint, Copy, Delete, Explain, Export, Import, List, Memory, Profile,
        Query, RoQuery, Slowlog
    ]
}
