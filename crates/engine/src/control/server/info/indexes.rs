//! INFO rangeindex: the ordered indexes of the databases.

use store::{IndexPhase, Keeping};

use super::Lines;
use crate::control::Control;

pub(super) fn indexes(control: &mut Control<'_>, lines: &mut Lines) {
    let store = &control.engine.store;
    let keeping = match store.indexes.keeping() {
        Keeping::Asked => "auto",
        Keeping::Always => "yes",
        Keeping::Never => "no",
    };
    lines.put("range_index", keeping);
    lines.put_bytes("used_memory_range_index", store.indexes.memory());
    for db in 0..store.databases() {
        let figures = store.indexes.figures(db);
        let state = match figures.phase {
            IndexPhase::Off => continue,
            IndexPhase::Building => "building",
            IndexPhase::Live => "live",
        };
        lines.put(
            &format!("range_index_db{db}"),
            format_args!(
                "state={state},keys={},bytes={},pending={},build_ms={}",
                figures.keys, figures.memory, figures.waiting, figures.built_in
            ),
        );
    }
}
