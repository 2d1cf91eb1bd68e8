//! What Redis's DEBUG offers and this one refuses, with the reason: no client should be able to end
//! the server or lose its data by asking for it, and what is not here cannot be looked at.
//!
//! They have no line in `DEBUG HELP`, as there is nothing to do with them.

use base::CmdError;

const ENDS: &str = "it would end the server";

/// Names, in upper case, and why they are refused.
const REFUSED: &[(&str, &str)] = &[
    ("SEGFAULT", ENDS),
    ("PANIC", ENDS),
    ("ASSERT", ENDS),
    ("OOM", ENDS),
    ("RESTART", ENDS),
    ("CRASH-AND-RECOVER", ENDS),
    ("LEAK", "it would take memory for ever"),
    ("REPLICATE", "there are no replicas"),
    ("CLUSTERLINK", "there is no cluster bus"),
    ("MALLCTL", "the allocator is not jemalloc"),
    ("MALLCTL-STR", "the allocator is not jemalloc"),
];

/// The error for a subcommand of this name, if it is one of those.
pub(super) fn refusal(name: &[u8]) -> Option<CmdError> {
    let (name, why) = REFUSED.iter().find(|row| name.eq_ignore_ascii_case(row.0.as_bytes()))?;
    Some(CmdError::owned(format!("ERR DEBUG {name} is not offered: {why}")))
}
