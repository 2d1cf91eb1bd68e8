//! The lightest simple paths from one node to another: see `path_search`.

use super::path_search::search;
use super::{Budget, Error, PathOptions, Paths};
use crate::storage::{NodeId, View};

/// The lightest paths from one node to another, none from a node to itself.
///
/// # Errors
/// It was ended, or would keep too much.
pub fn pair_paths(
    view: &View,
    (source, target): (NodeId, NodeId),
    options: &PathOptions,
    budget: &mut Budget<'_>,
) -> Result<Paths, Error> {
    search(view, (source, Some(target)), options, budget)
}
