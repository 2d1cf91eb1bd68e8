//! What the commands about streams answer alike.

use base::{CmdError, Reply, StreamId, error};
use types::stream::Entry;

use super::ids;

/// Answers an entry: its id, and its names and values in turn.
pub(super) fn entry(entry: Entry<'_>, out: &mut dyn Reply) {
    out.array(2);
    ids::write(entry.id, out);
    out.array(2 * entry.len());
    for (name, value) in entry.fields() {
        out.bulk(&name.text());
        out.bulk(&value.text());
    }
}

/// Answers entries.
pub(super) fn entries(entries: Vec<Entry<'_>>, out: &mut dyn Reply) {
    out.array(entries.len());
    entries.into_iter().for_each(|one| entry(one, out));
}

/// Answers ids.
pub(super) fn id_list(list: &[StreamId], out: &mut dyn Reply) {
    out.array(list.len());
    list.iter().for_each(|id| ids::write(*id, out));
}

/// Answers a counter that Redis takes for signed.
pub(super) fn counter(number: u64, out: &mut dyn Reply) {
    out.int(number.cast_signed());
}

/// There is no such group, or not even the key.
pub(super) fn no_key_or_group(key: &[u8], group: &[u8], after: &str) -> CmdError {
    let text = [
        b"NOGROUP No such key '",
        error::until_zero(key),
        b"' or consumer group '",
        error::until_zero(group),
        b"'",
        after.as_bytes(),
    ];
    CmdError::from_bytes(text.concat())
}

/// There is no such group at a key that is there.
pub(super) fn no_group(key: &[u8], group: &[u8]) -> CmdError {
    let text = [
        &b"NOGROUP No such consumer group '"[..],
        error::until_zero(group),
        b"' for key name '",
        error::until_zero(key),
        b"'",
    ];
    CmdError::from_bytes(text.concat())
}

/// What stands behind a subcommand makes no sense.
pub(super) fn subcommand_syntax(argv: &[&[u8]]) -> CmdError {
    let word = |at: usize| error::until_zero(argv.get(at).copied().unwrap_or_default());
    // The name that the client calls it by.
    let container = String::from_utf8_lossy(word(0)).to_ascii_uppercase();
    let word = word(1);
    let after = format!("'. Try {container} HELP.");
    let before = "ERR unknown subcommand or wrong number of arguments for '";
    CmdError::quoting(before, &word[..word.len().min(128)], &after)
}
