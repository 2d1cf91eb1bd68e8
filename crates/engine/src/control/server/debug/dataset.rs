//! DEBUG DIGEST, DIGEST-VALUE, RELOAD, LOADAOF: the dataset as a whole.

use base::{CmdError, Reply};
use store::Scope;
use wire::RespWriter;

use super::{Subcommand, holding};
use crate::control::Control;
use crate::persistence::Reason;
use crate::redis_files;

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
    if save && !control.in_exec {
        let journal = control.context.config.appendonly;
        let engine = control.engine.me().ok_or(base::error::INTERNAL)?;
        engine
            .save(Reason::Save, journal)
            .map_err(|error| CmdError::owned(format!("ERR {error}")))?;
    }
    through_the_codec(control)?;
    out.ok();
    Ok(())
}

fn load_aof(
    control: &mut Control<'_>,
    _: &[&[u8]],
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    if control.engine.persistence.is_journaling() && !control.in_exec {
        let synced = control.engine.store.log().sync();
        synced.map_err(|error| CmdError::owned(format!("ERR {error}")))?;
    }
    through_the_codec(control)?;
    out.ok();
    Ok(())
}

/// Every value, and the libraries of functions, are written as a snapshot has them, and read back.
fn through_the_codec(control: &mut Control<'_>) -> Result<(), CmdError> {
    let engine = control.engine;
    let reloaded = holding(control, Scope::All, |txn| {
        let (shards, databases) = (txn.store().shards(), txn.store().databases());
        let mut parts = (0..shards).flat_map(|shard| (0..databases).map(move |db| (shard, db)));
        let result = parts.try_for_each(|(shard, db)| txn.reload(shard, db));
        let result = result.and_then(|()| engine.functions.reload());
        // No client that watches a key or waits for one will find it another.
        txn.forget_changes();
        result
    })?;
    reloaded.map_err(|error| CmdError::owned(format!("ERR {error}")))
}
