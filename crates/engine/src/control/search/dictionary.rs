//! FT.DICTADD, FT.DICTDEL, FT.DICTDUMP: lists of terms for FT.SPELLCHECK.

use std::collections::BTreeSet;

use base::{CmdError, Flag, Reply, Spec};
use wire::RespWriter;

use super::{CHANGES, READS, UNKNOWN};
use crate::control::{Control, acts, worded};
use crate::engine::entry::Action;
use crate::search::catalog_image::Step;

/// The rows of this file.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    acts![DictAdd, DictDel, DictDump]
}

worded! {
    /// Adds terms to a dictionary.
    DictAdd, Spec {
        name: "ft.dictadd",
        summary: "Adds terms to a dictionary.",
        complexity: "O(N) in the terms of the dictionary",
        grammar: "dictionary:string term:string...",
        flags: &[Flag::Write, Flag::DenyOom],
        ..CHANGES
    }, |control, words, out| {
        change(control, words, out, |terms, term| terms.insert(term.into()))
    }
}

worded! {
    /// Takes terms from a dictionary.
    DictDel, Spec {
        name: "ft.dictdel",
        summary: "Takes terms from a dictionary.",
        complexity: "O(N) in the terms of the dictionary",
        grammar: "dictionary:string term:string...",
        ..CHANGES
    }, |control, words, out| change(control, words, out, |terms, term| terms.remove(term))
}

worded! {
    /// Lists the terms of a dictionary.
    DictDump, Spec {
        name: "ft.dictdump",
        summary: "Lists the terms of a dictionary.",
        complexity: "O(N) in the terms of the dictionary",
        grammar: "dictionary:string",
        ..READS
    }, |control, words, out| {
        let known = control.engine.catalog.known();
        let names = known.databases.get(&control.session.db);
        let terms = names.and_then(|names| names.dictionaries.get(words[0]));
        out.set(terms.map_or(0, BTreeSet::len));
        terms.into_iter().flatten().for_each(|term| out.bulk(term));
        Ok(())
    }
}

/// Changes the terms of a dictionary; answers how many came or went.
fn change(
    control: &mut Control<'_>,
    words: &[&[u8]],
    out: &mut RespWriter<'_>,
    take: impl Fn(&mut BTreeSet<Box<[u8]>>, &[u8]) -> bool,
) -> Result<(), CmdError> {
    let (name, words) = words.split_first().ok_or(UNKNOWN)?;
    let db = control.session.db;
    let count = control.engine.catalog.change(control.txn, |known| {
        let names = known.databases.get(&db);
        let terms = names.and_then(|names| names.dictionaries.get(*name)).cloned();
        let mut terms = terms.unwrap_or_default();
        let count = words.iter().filter(|word| take(&mut terms, word)).count();
        let steps = match count {
            0 => Vec::new(),
            _ => vec![Step::Dictionary { db, name: Box::from(*name), terms }],
        };
        Ok((count, steps))
    })?;
    control.context.counters.changes.add(1);
    out.count(count);
    Ok(())
}
