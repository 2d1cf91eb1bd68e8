//! Where the keys of commands are, for a client that must know: one that spreads commands over a
//! cluster, or keeps copies of replies until their keys change.
//!
//! The table is data; `kvist/_keys.py` has the rules by which it is read, those of
//! [`base::KeySpec`].

use std::fmt::Write as _;

use base::{Find, Flag, KeySpec, Start};
use engine::Table;

/// The module of the table.
pub(crate) fn module(table: &Table, notice: &str) -> String {
    let mut text = format!("\"\"\"Where the keys of commands are.\n\n{notice}\n\"\"\"\n\n");
    text += "# What `_keys` reads: (first, last, step, limit) for a range that begins at a\n\
             # position or behind a word; (first, place of the count, first key, step) for\n\
             # counted keys.\n";
    let row = "dict[str, tuple[tuple[int | tuple[str, int], int, int, int], ...]]";
    let _ = writeln!(text, "RANGES: {row} = {{");
    let mut counted = String::new();
    let mut read_only = String::new();
    let mut entries: Vec<_> = table.entries().iter().collect();
    entries.sort_by_key(|entry| entry.spec.name);
    for entry in entries {
        let name = entry.spec.name.replace('|', " ").to_ascii_uppercase();
        let ranges: Vec<String> = entry.spec.keys.iter().filter_map(range).collect();
        let counts: Vec<String> = entry.spec.keys.iter().filter_map(count).collect();
        for (found, text) in [(&ranges, &mut text), (&counts, &mut counted)] {
            if !found.is_empty() {
                let _ = writeln!(text, "    {name:?}: ({},),", found.join(", "));
            }
        }
        let reads = entry.spec.flags.contains(&Flag::ReadOnly) && !entry.spec.keys.is_empty();
        if reads {
            let _ = writeln!(read_only, "        {name:?},");
        }
    }
    let _ = write!(
        text,
        "}}\nCOUNTED: {row} = {{\n{counted}}}\n\
         # Commands that only read the keys they name.\n\
         READ_ONLY = frozenset(\n    {{\n{read_only}    }}\n)\n"
    );
    text
}

fn begin(spec: &KeySpec) -> Option<String> {
    match spec.start {
        Start::Index(index) => Some(index.to_string()),
        Start::Keyword { word, from, .. } => Some(format!("({word:?}, {from})")),
        Start::Unknown => None,
    }
}

fn range(spec: &KeySpec) -> Option<String> {
    let Find::Range { last, step, limit } = spec.find else { return None };
    Some(format!("({}, {last}, {step}, {limit})", begin(spec)?))
}

fn count(spec: &KeySpec) -> Option<String> {
    let Find::Count { index, first, step } = spec.find else { return None };
    Some(format!("({}, {index}, {first}, {step})", begin(spec)?))
}
