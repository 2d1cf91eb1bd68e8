//! FT.CREATE, FT.ALTER, FT.DROPINDEX and what they are called where an index may be there already.

use std::sync::Arc;

use ::search::evaluate::Partitions;
use ::search::schema::Definition;
use base::{CmdError, Flag, Protocol, Reply, Spec};
use store::{Scope, Txn};
use wire::RespWriter;

use super::{CHANGES, NO_RIGHT, UNKNOWN, refused};
use crate::control::{Control, acts, worded};
use crate::engine::Engine;
use crate::engine::entry::Action;
use crate::engine::worker::WorkerContext;
use crate::execution::data_command::Call;
use crate::execution::request::Request;
use crate::execution::rights;
use crate::execution::serving;
use crate::search::catalog_image::Step;
use crate::search::{Filter, Index};

/// Most indexes of a server.
const MOST: usize = 10_000;

/// The rows of this file.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    acts![Create, CreateIfNew, Alter, AlterIfNew, DropIndex, DropIfThere]
}

const CREATES: Spec = Spec {
    name: "ft.create",
    summary: "Makes an index of the hashes or JSON documents whose keys begin with a prefix.",
    complexity: "O(1), then O(N) in the keys that are there, beside other requests",
    grammar: "index:string arguments:string...",
    flags: &[Flag::Write, Flag::DenyOom],
    ..CHANGES
};

worded! {
    /// Makes an index.
    Create, CREATES,
    |control, words, out| create(control, words, false, out)
}

worded! {
    /// Makes an index, if there is none of the name.
    CreateIfNew, Spec { name: "ft._createifnx", ..CREATES },
    |control, words, out| create(control, words, true, out)
}

const ALTERS: Spec = Spec {
    name: "ft.alter",
    summary: "Adds attributes to an index.",
    grammar: "index:string arguments:string...",
    ..CREATES
};

worded! {
    /// Adds attributes to an index.
    Alter, ALTERS,
    |control, words, out| alter(control, words, false, out)
}

worded! {
    /// Adds attributes to an index, if it has none of their names.
    AlterIfNew, Spec { name: "ft._alterifnx", ..ALTERS },
    |control, words, out| alter(control, words, true, out)
}

const DROPS: Spec = Spec {
    name: "ft.dropindex",
    summary: "Takes an index away, with its documents if DD is said.",
    complexity: "O(1), with DD O(N) in its documents",
    grammar: "index:string [DD]",
    ..CHANGES
};

worded! {
    /// Takes an index away.
    DropIndex, DROPS,
    |control, words, out| drop_index(control, words, false, out)
}

worded! {
    /// Takes an index away, if it is there.
    DropIfThere, Spec { name: "ft._dropindexifx", ..DROPS },
    |control, words, out| drop_index(control, words, true, out)
}

fn create(
    control: &mut Control<'_>,
    words: &[&[u8]],
    if_new: bool,
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    let (name, words) = words.split_first().ok_or(UNKNOWN)?;
    let definition = Arc::new(Definition::parse(words).map_err(refused)?);
    Filter::of(&definition).map_err(refused)?;
    control.may_read_all("ft.create", &definition)?;
    let (db, engine) = (control.session.db, control.engine);
    // Before it is known, so that it misses nothing. Where every shard is held it follows already,
    // or begins to when they are given back: it reads what is there then.
    if !control.in_exec {
        engine.follow_documents()?;
    }
    let made = engine.catalog.change(control.txn, |known| {
        if known.index(db, name).is_some() {
            return match if_new {
                true => Ok((false, Vec::new())),
                false => Err(CmdError::new("Index already exists")),
            };
        }
        if known.indexes().count() >= MOST {
            return Err(CmdError::new("ERR there are as many indexes as there may be"));
        }
        let definition = Arc::clone(&definition);
        let step = Step::Index { db, name: Box::from(*name), definition, synonyms: Vec::new() };
        Ok((true, vec![step]))
    })?;
    if made {
        fill(control, name, !definition.skip_initial_scan)?;
        control.context.counters.changes.add(1);
    }
    out.ok();
    Ok(())
}

/// Has a new index read what is there.
fn fill(control: &mut Control<'_>, name: &[u8], reads: bool) -> Result<(), CmdError> {
    let engine = control.engine;
    if control.in_exec && !engine.catalog.is_following() {
        control.when_free(|engine, _| {
            // Where an overdue request holds a shard, the next command about indexes tries again.
            if engine.follow_documents().is_ok() {
                engine.fill_anew();
            }
        });
    }
    let (_, index) = control.index("ft.create", name)?;
    if reads {
        engine.fill(control.txn, control.session.db, &index);
    }
    Ok(())
}

fn alter(
    control: &mut Control<'_>,
    words: &[&[u8]],
    if_new: bool,
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    let (alias, words) = words.split_first().ok_or(UNKNOWN)?;
    let (name, _) = control.index("ft.alter", alias)?;
    let db = control.session.db;
    let reads = control.engine.catalog.change(control.txn, |known| {
        let (_, index) = known.index(db, &name).ok_or(UNKNOWN)?;
        let added = match index.definition.parse_alteration(words) {
            Err(error) if if_new && error.0.starts_with("Duplicate") => {
                return Ok((None, Vec::new()));
            }
            added => added.map_err(refused)?,
        };
        let mut definition = Definition::clone(&index.definition);
        definition.attributes.extend(added.attributes);
        let (definition, synonyms) = (Arc::new(definition), index.synonyms.clone());
        let step = Step::Index { db, name: name.clone(), definition, synonyms };
        Ok((Some(!added.skip_initial_scan), vec![step]))
    })?;
    if reads.is_some() {
        // What is indexed by the other attributes must be there in any case.
        fill(control, &name, true)?;
        control.context.counters.changes.add(1);
    }
    out.ok();
    Ok(())
}

fn drop_index(
    control: &mut Control<'_>,
    words: &[&[u8]],
    if_there: bool,
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    let with_documents = match words {
        [_] => false,
        [_, word] if word.eq_ignore_ascii_case(b"DD") => true,
        _ => return Err(CmdError::new("Unknown argument")),
    };
    let (name, index) = match control.index("ft.dropindex", words[0]) {
        Err(error) if if_there && error == UNKNOWN => {
            out.ok();
            return Ok(());
        }
        found => found?,
    };
    let db = control.session.db;
    if with_documents {
        delete_documents(control, &index)?;
    }
    control.engine.catalog.change(control.txn, |known| match known.index(db, &name) {
        Some(_) => Ok(((), vec![Step::NoIndex { db, name: name.clone() }])),
        None => Err(UNKNOWN),
    })?;
    control.context.counters.changes.add(1);
    out.ok();
    Ok(())
}

/// Deletes the documents of an index, key by key, as DEL does: all that the user may delete, or
/// none.
fn delete_documents(control: &mut Control<'_>, index: &Index) -> Result<(), CmdError> {
    let mut keys: Vec<Box<[u8]>> = Vec::new();
    for at in 0..index.count() {
        index.with(at, |partition| {
            let of = |row| partition.key_of(row).map(Box::from);
            keys.extend(partition.live_rows().filter_map(of));
        });
    }
    let engine = control.engine;
    let entry = engine.table.find_own(&[b"DEL"]).ok_or(UNKNOWN)?;
    let mut may_delete =
        |key: &[u8]| rights::may_run(engine, control.session, entry, &[b"DEL", key]);
    if !keys.iter().all(|key| may_delete(key)) {
        return Err(NO_RIGHT);
    }
    for name in &keys {
        let key = engine.store.hasher().key(name);
        let Control { txn, context, in_exec, .. } = control;
        if *in_exec {
            delete(context, engine, txn, key);
            continue;
        }
        let scope = Scope::One(engine.store.shard_of(key.hash));
        // Where an overdue request holds the shard the key stays, as it would with DEL.
        let _ = txn.with(&engine.store, scope, |txn| delete(context, engine, txn, key));
    }
    Ok(())
}

fn delete(context: &mut WorkerContext, engine: &Engine, txn: &mut Txn, key: base::Key<'_>) {
    let argv: [&[u8]; 2] = [b"DEL", key.bytes];
    let Some(entry) = engine.table.find_own(&argv) else { return };
    let Action::Data(run) = entry.action else { return };
    let request = Request { argv: &argv, entry: Some(entry), hash: Some(key.hash) };
    let (counters, request) = (&*context.counters, &request);
    let call = Call { engine, counters, entry, request, run, reader: None, edited: None };
    let mut reply = Vec::new();
    let _ = call.perform(txn, &mut RespWriter::new(&mut reply, Protocol::Resp2));
    serving::serve_ready(engine, txn);
}
