//! DEBUG HTSTATS, HTSTATS-KEY: hash tables in numbers, in Redis's form.
//!
//! The tables here have no chains: an element has a slot of its own, so a chain is never longer
//! than one, and the free slots are those of a table kept at a load of at most seven eighths.

use base::{CmdError, Holds, Kind, Reply, Types, error, num};
use types::{Hash, Set, ZSet};
use wire::RespWriter;

use super::{Subcommand, on_key};
use crate::control::Control;

pub(super) const LIST: &[Subcommand] = &[
    Subcommand {
        name: "HTSTATS",
        arguments: "<dbid>",
        help: &["How full the tables of a database are."],
        words: (1, 1),
        run: of_database,
    },
    Subcommand {
        name: "HTSTATS-KEY",
        arguments: "<key>",
        help: &["How full the table of the value at <key> is."],
        words: (1, 1),
        run: of_key,
    },
];

fn of_database(
    control: &mut Control<'_>,
    words: &[&[u8]],
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    let number = num::parse_i64(words[0]).ok_or(error::NOT_INTEGER)?;
    let key_counts = store::key_counts(control.txn);
    let found = usize::try_from(number).ok().and_then(|db| key_counts.get(db));
    let found = found.ok_or(CmdError::new("ERR Out of range database"))?;
    let (keys, expiring) = (table(found.keys), table(found.expiring));
    let text = format!("[Dictionary HT]\n{keys}[Expires HT]\n{expiring}");
    out.verbatim("txt", text.as_bytes());
    Ok(())
}

fn of_key(
    control: &mut Control<'_>,
    words: &[&[u8]],
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    let elements = on_key(control, words[0], |txn, key| {
        let large = matches!(txn.encoding(key), Some("hashtable" | "skiplist"));
        let elements = match txn.kind(key).filter(|_| large) {
            Some(Kind::Hash) => Holds::<Hash>::peek(txn, key)?.map(Hash::len),
            Some(Kind::Set) => Holds::<Set>::peek(txn, key)?.map(Set::len),
            Some(Kind::ZSet) => Holds::<ZSet>::peek(txn, key)?.map(ZSet::len),
            _ => None,
        };
        elements.ok_or(CmdError::new(
            "ERR The value stored at the specified key is not represented using an hash table",
        ))
    })?;
    out.verbatim("txt", table(elements).as_bytes());
    Ok(())
}

/// The numbers of a table with so many elements.
fn table(elements: usize) -> String {
    let title = "Hash table 0 stats (main hash table):\n";
    if elements == 0 {
        return format!("{title}No stats available for empty dictionaries\n");
    }
    let size = elements.saturating_mul(8).div_ceil(7).next_power_of_two().max(4);
    let free = size - elements;
    // Lossless for any number of elements there is memory for.
    let share = |part: usize| part as f64 / size as f64 * 100.0;
    format!(
        "{title} table size: {size}\n number of elements: {elements}\n \
         different slots: {elements}\n max chain length: 1\n avg chain length (counted): 1.00\n \
         avg chain length (computed): 1.00\n Chain length distribution:\n   \
         0: {free} ({:.2}%)\n   1: {elements} ({:.2}%)\n",
        share(free),
        share(elements)
    )
}
