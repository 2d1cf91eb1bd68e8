//! The lightest simple paths from one node to any other: see `path_search`. Each path that is
//! looked at is one of them, so this takes O(paths · degree · log).

use super::path_search::search;
use super::{Budget, Error, PathOptions, Paths};
use crate::storage::{NodeId, View};

/// The lightest paths from a node.
///
/// # Errors
/// It was ended, or would keep too much.
pub fn source_paths(
    view: &View,
    source: NodeId,
    options: &PathOptions,
    budget: &mut Budget<'_>,
) -> Result<Paths, Error> {
    search(view, (source, None), options, budget)
}
