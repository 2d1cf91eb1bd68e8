//! DEBUG OBJECT, SDSLEN, LISTPACK, QUICKLIST, POPULATE: keys, seen from inside.
//!
//! Redis writes some of it to its standard output; here that is the log.

use base::{
    CmdError, Databases, Deadline, Holds, Key, Keyspace, Kind, Reply, Strings, Types, error, num,
};
use store::{Scope, Txn};
use types::List;
use wire::RespWriter;

use super::{Subcommand, holding, on_key};
use crate::control::Control;

pub(super) const LIST: &[Subcommand] = &[
    Subcommand {
        name: "OBJECT",
        arguments: "<key>",
        help: &[
            "What <key> is made of. serializedlength is the memory it takes, and the address",
            "behind \"Value at\" is the hash of its name.",
        ],
        words: (1, 1),
        run: object,
    },
    Subcommand {
        name: "SDSLEN",
        arguments: "<key>",
        help: &["Lengths of <key> and of the string it holds. No room is kept in reserve."],
        words: (1, 1),
        run: lengths,
    },
    Subcommand {
        name: "LISTPACK",
        arguments: "<key>",
        help: &["Describe the packed value of <key> in the log."],
        words: (1, 1),
        run: listpack,
    },
    Subcommand {
        name: "QUICKLIST",
        arguments: "<key> [<0|1>]",
        help: &["Describe the nodes of the list at <key> in the log."],
        words: (1, 2),
        run: quicklist,
    },
    Subcommand {
        name: "POPULATE",
        arguments: "<count> [<prefix>] [<size>]",
        help: &[
            "Create <count> strings <prefix>:0, <prefix>:1 ... where there is no such key; the",
            "prefix is key if none is given, and values are <size> bytes long.",
        ],
        words: (1, 3),
        run: populate,
    },
];

fn object(
    control: &mut Control<'_>,
    words: &[&[u8]],
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    let seconds = control.context.now / 1000;
    let text = on_key(control, words[0], |txn, key| Ok(describe(txn, key, seconds)))?;
    out.simple(&text);
    Ok(())
}

fn describe(txn: &Txn, key: Key<'_>, seconds: u64) -> String {
    let idle = txn.idle_seconds(key).unwrap_or(0);
    let mut text = format!(
        "Value at:{:#x} refcount:1 encoding:{} serializedlength:{} lru:{} lru_seconds_idle:{idle}",
        key.hash,
        txn.encoding(key).unwrap_or_default(),
        txn.memory(key).unwrap_or(0),
        seconds.saturating_sub(idle) & 0x00ff_ffff,
    );
    if let Ok(Some(list)) = Holds::<List>::peek(txn, key) {
        text += &format!(
            " ql_nodes:{} ql_avg_node:{:.2} ql_listpack_max:{} ql_compressed:0 \
             ql_uncompressed_size:{}",
            list.nodes(),
            // Lossless for any list there is memory for.
            list.len() as f64 / list.nodes().max(1) as f64,
            txn.limits().list_size,
            list.iter().map(<[u8]>::len).sum::<usize>(),
        );
    }
    text
}

fn lengths(
    control: &mut Control<'_>,
    words: &[&[u8]],
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    let value = on_key(control, words[0], |txn, key| {
        let text = txn.encoding(key).is_some_and(|encoding| encoding != "int");
        let value = if text { txn.string(key).ok().flatten() } else { None };
        value.map(<[u8]>::len).ok_or(CmdError::new("ERR Not an sds encoded string."))
    })?;
    let key = words[0].len();
    out.simple(&format!(
        "key_sds_len:{key}, key_sds_avail:0, key_zmalloc: {key}, val_sds_len:{value}, \
         val_sds_avail:0, val_zmalloc: {value}"
    ));
    Ok(())
}

fn listpack(
    control: &mut Control<'_>,
    words: &[&[u8]],
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    let bytes = on_key(control, words[0], |txn, key| {
        let packed = txn.encoding(key) == Some("listpack");
        let bytes = if packed { txn.memory(key) } else { None };
        bytes.ok_or(CmdError::new("ERR Not a listpack encoded object."))
    })?;
    tracing::info!(key = %String::from_utf8_lossy(words[0]), bytes, "a packed value");
    out.simple("Listpack structure printed on stdout");
    Ok(())
}

fn quicklist(
    control: &mut Control<'_>,
    words: &[&[u8]],
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    let (nodes, elements) = on_key(control, words[0], |txn, key| {
        let list = (txn.kind(key) == Some(Kind::List)).then(|| Holds::<List>::peek(txn, key));
        let list = list.and_then(|list| list.ok().flatten());
        let list = list.ok_or(CmdError::new("ERR Not a quicklist encoded object."))?;
        Ok((list.nodes(), list.len()))
    })?;
    tracing::info!(key = %String::from_utf8_lossy(words[0]), nodes, elements, "a list");
    out.simple("Quicklist structure printed on stdout");
    Ok(())
}

/// Reads a number that must not be negative.
fn positive(word: &[u8]) -> Result<usize, CmdError> {
    num::parse_i64(word)
        .and_then(|n| usize::try_from(n).ok())
        .ok_or(CmdError::new("ERR value is out of range, must be positive"))
}

fn populate(
    control: &mut Control<'_>,
    words: &[&[u8]],
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    let count = positive(words[0])?;
    let prefix = words.get(1).copied().unwrap_or(b"key");
    let size = words.get(2).map(|word| positive(word)).transpose()?.unwrap_or(0);
    if size > control.txn.limits().string_max {
        return Err(error::STRING_TOO_LONG);
    }
    let store = &control.engine.store;
    for number in 0..count {
        let digits = number.to_string();
        let name = [prefix, b":", digits.as_bytes()].concat();
        let mut value = format!("value:{digits}").into_bytes();
        if size > 0 {
            value.resize(size, 0);
        }
        let key = store.hasher().key(&name);
        holding(control, Scope::One(store.shard_of(key.hash)), |txn| {
            if txn.kind(key).is_none() {
                txn.set_string(key, &value, Deadline::Clear);
            }
            txn.publish_changes();
        })?;
    }
    out.ok();
    Ok(())
}
