//! Range queries about the names of keys.

use crate::directive::{Directive as D, INT_MAX};
use crate::settings::Settings;

pub(super) const LIST: &[D] = &[
    D::one_of(
        "range-index",
        &["auto", "yes", "no"],
        "auto",
        "The ordered index of key names: built at the first range query (auto), kept from the \
         start (yes), or never (no), which makes range queries an error.",
    )
    .own(),
    D::int(
        "range-max-reply",
        "1000000",
        1,
        INT_MAX,
        "Most keys a range query may return in one reply; beyond it the query must use a cursor.",
    )
    .own(),
];

/// What range queries go by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeSettings {
    /// When the ordered index of key names is built.
    pub index: RangeIndex,
    /// Most keys in one reply of a range query.
    pub max_reply: usize,
}

impl RangeSettings {
    pub(crate) fn of(settings: &Settings) -> Self {
        Self { index: range_index(settings), max_reply: settings.int("range-max-reply") }
    }
}

/// When the ordered index of key names is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeIndex {
    /// At the first range query.
    Auto,
    /// From the start.
    Yes,
    /// Never.
    No,
}

fn range_index(settings: &Settings) -> RangeIndex {
    match settings.word("range-index") {
        "yes" => RangeIndex::Yes,
        "no" => RangeIndex::No,
        _ => RangeIndex::Auto,
    }
}
