//! DEBUG DIGEST, DIGEST-VALUE, RELOAD, LOADAOF: the dataset as a whole.

use base::{CmdError, Reply};
use store::{Scope, Txn};
use wire::RespWriter;

use super::{Subcommand, holding};
use crate::control::Control;
use crate::engine::Engine;
use crate::engine::context::Done;
use crate::persistence::Reason;
use crate::persistence::redis_files;

pub(super) const LIST: &[Subcommand] = &[
    Subcommand {
        name: "DIGEST",
        arguments: "",
        help: &["A digest of all keys and values: that of Redis for the same content."],
        words: (0, 0),
        run: digest,
    },
    Subcommand {
        name: "DIGEST-VALUE",
        arguments: "<key> [<key> ...]",
        help: &["The digest of the value of each <key>; all zeros where there is none."],
        words: (0, usize::MAX),
        run: digest_value,
    },
    Subcommand {
        name: "RELOAD",
        arguments: "[option ...]",
        help: &[
            "Save, then take every value apart and put it together from what a snapshot holds of",
            "it. Options:",
            "* NOSAVE: do not save before.",
            "* NOFLUSH, MERGE: accepted; what is put together is always what there is.",
        ],
        words: (0, usize::MAX),
        run: reload,
    },
    Subcommand {
        name: "LOADAOF",
        arguments: "",
        help: &["Make the journal durable, then do as RELOAD NOSAVE."],
        words: (0, 0),
        run: load_aof,
    },
];

fn digest(
    control: &mut Control<'_>,
    _: &[&[u8]],
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    let digest = holding(control, Scope::All, redis_files::of_dataset)?;
    out.simple(&digest.to_string());
    Ok(())
}

fn digest_value(
    control: &mut Control<'_>,
    words: &[&[u8]],
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    out.array(words.len());
    let store = &control.engine.store;
    for word in words {
        let key = store.hasher().key(word);
        let scope = Scope::One(store.shard_of(key.hash));
        let digest = holding(control, scope, |txn| redis_files::of_value(txn, key))?;
        out.simple(&digest.to_string());
    }
    Ok(())
}

fn reload(
    control: &mut Control<'_>,
    words: &[&[u8]],
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    let mut save = true;
    for word in words {
        match word.to_ascii_uppercase().as_slice() {
            b"NOSAVE" => save = false,
            b"NOFLUSH" | b"MERGE" => {}
            _ => {
                return Err(CmdError::new(
                    "ERR DEBUG RELOAD only supports the MERGE, NOFLUSH and NOSAVE options.",
                ));
            }
        }
    }
    // Inside a transaction this thread holds what a snapshot needs.
    if control.in_exec {
        return reload_held(control, out);
    }
    whole_and_free(control.engine)?;
    let journal = control.context.config.persistence.appendonly;
    control.leave_to_background(
        out,
        0,
        Box::new(move |engine, worker| {
            if save {
                engine.save(Reason::Save, journal).map_err(failed)?;
            }
            reload_in_steps(engine, &mut worker.txn)
        }),
    )
}

fn load_aof(
    control: &mut Control<'_>,
    _: &[&[u8]],
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    if control.in_exec {
        return reload_held(control, out);
    }
    whole_and_free(control.engine)?;
    control.leave_to_background(
        out,
        0,
        Box::new(|engine, worker| {
            if engine.durability.is_journaling() {
                engine.store.log().sync().map_err(failed)?;
            }
            reload_in_steps(engine, &mut worker.txn)
        }),
    )
}

/// Refuses what goes through all shards while there is not all of the dataset, or a request holds
/// some of it for too long.
fn whole_and_free(engine: &Engine) -> Result<(), CmdError> {
    engine.durability.loaded()?;
    if engine.store.locks.is_obstructed() { Err(engine.busy()) } else { Ok(()) }
}

fn failed(error: impl std::fmt::Display) -> CmdError {
    CmdError::owned(format!("ERR {error}"))
}

/// Every value, and the libraries of functions, are written as a snapshot has them, and read back:
/// a shard after the other, so that other clients wait for one at most.
fn reload_in_steps(engine: &Engine, txn: &mut Txn) -> Result<Done, CmdError> {
    for shard in 0..engine.store.shards() {
        let reloaded =
            txn.with(&engine.store, Scope::One(shard), |txn| reload_shard(engine, txn, shard));
        reloaded.map_err(|failed| engine.instead(&failed))??;
    }
    Ok(Done::Ok)
}

/// The same at once, inside a transaction, which holds all shards.
fn reload_held(control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
    let Control { engine, txn, .. } = control;
    engine.durability.loaded()?;
    (0..engine.store.shards()).try_for_each(|shard| reload_shard(engine, txn, shard))?;
    out.ok();
    Ok(())
}

fn reload_shard(engine: &Engine, txn: &mut Txn, shard: usize) -> Result<(), CmdError> {
    let databases = txn.store().databases();
    let result = (0..databases).try_for_each(|db| store::reload(txn, shard, db));
    // Libraries are changed under the lock of this shard.
    let result =
        result.and_then(|()| if shard == 0 { engine.scripts.functions.reload() } else { Ok(()) });
    // No client that watches a key or waits for one will find it another.
    txn.changes.forget();
    result.map_err(failed)
}
