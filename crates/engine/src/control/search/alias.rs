//! FT.ALIASADD, FT.ALIASUPDATE, FT.ALIASDEL: other names of indexes.

use base::{CmdError, Reply, Spec};
use wire::RespWriter;

use super::{CHANGES, READS, UNKNOWN};
use crate::control::{Control, acts, worded};
use crate::engine::entry::Action;
use crate::search::catalog_image::Step;

const MISSING: CmdError = CmdError::new("Alias does not exist");
const TAKEN: CmdError = CmdError::new("Alias already exists");

/// The rows of this file.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    acts![AliasAdd, AliasAddIfNew, AliasUpdate, AliasDel, AliasDelIfThere, AliasList]
}

const ADDS: Spec = Spec {
    name: "ft.aliasadd",
    summary: "Gives an index another name.",
    complexity: "O(1)",
    grammar: "alias:string index:string",
    ..CHANGES
};

worded! {
    /// Gives an index another name.
    AliasAdd, ADDS, |control, words, out| add(control, words, Existing::Refuse, out)
}

worded! {
    /// The same, unless the name leads somewhere already.
    AliasAddIfNew, Spec { name: "ft._aliasaddifnx", ..ADDS },
    |control, words, out| add(control, words, Existing::Leave, out)
}

worded! {
    /// Has another name lead to an index, wherever it led before.
    AliasUpdate, Spec {
        name: "ft.aliasupdate",
        summary: "Has a name lead to an index, wherever it led before.",
        ..ADDS
    }, |control, words, out| add(control, words, Existing::Replace, out)
}

const DELETES: Spec = Spec {
    name: "ft.aliasdel",
    summary: "Takes another name of an index away.",
    complexity: "O(1)",
    grammar: "alias:string",
    ..CHANGES
};

worded! {
    /// Takes another name away.
    AliasDel, DELETES, |control, words, out| delete(control, words, false, out)
}

worded! {
    /// The same, if it is there.
    AliasDelIfThere, Spec { name: "ft._aliasdelifx", ..DELETES },
    |control, words, out| delete(control, words, true, out)
}

worded! {
    /// Lists the other names of an index.
    AliasList, Spec {
        name: "ft.aliaslist",
        summary: "Lists the other names of an index.",
        complexity: "O(N) in the number of aliases",
        grammar: "index:string",
        ..READS
    }, |control, words, out| {
        let (name, _) = control.index("ft.aliaslist", words[0])?;
        let known = control.engine.catalog.known();
        let aliases = known.databases.get(&control.session.db).map(|names| &names.aliases);
        let aliases = aliases.into_iter().flatten();
        let found: Vec<_> = aliases.filter(|(_, of)| **of == name).collect();
        out.set(found.len());
        found.iter().for_each(|(alias, _)| out.bulk(alias));
        Ok(())
    }
}

/// What becomes of an alias that is there.
#[derive(Clone, Copy, PartialEq)]
enum Existing {
    Refuse,
    Leave,
    Replace,
}

fn add(
    control: &mut Control<'_>,
    words: &[&[u8]],
    existing: Existing,
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    let &[alias, index] = words else { return Err(UNKNOWN) };
    let (name, _) = control.index("ft.aliasadd", index)?;
    let db = control.session.db;
    control.engine.catalog.change(control.txn, |known| {
        let names = known.databases.get(&db).ok_or(UNKNOWN)?;
        if !names.indexes.contains_key(&name) {
            return Err(UNKNOWN);
        }
        if names.indexes.contains_key(alias) && existing != Existing::Leave {
            return Err(TAKEN);
        }
        if names.aliases.contains_key(alias) && existing != Existing::Replace {
            return if existing == Existing::Leave { Ok(((), Vec::new())) } else { Err(TAKEN) };
        }
        Ok(((), vec![Step::Alias { db, alias: alias.into(), index: Some(name.clone()) }]))
    })?;
    control.context.counters.changes.add(1);
    out.ok();
    Ok(())
}

fn delete(
    control: &mut Control<'_>,
    words: &[&[u8]],
    if_there: bool,
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    let (db, alias) = (control.session.db, words[0]);
    control.engine.catalog.change(control.txn, |known| {
        let names = known.databases.get(&db);
        match names.is_some_and(|names| names.aliases.contains_key(alias)) {
            true => Ok(((), vec![Step::Alias { db, alias: alias.into(), index: None }])),
            false if if_there => Ok(((), Vec::new())),
            false => Err(MISSING),
        }
    })?;
    control.context.counters.changes.add(1);
    out.ok();
    Ok(())
}
