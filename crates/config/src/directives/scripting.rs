//! Scripts, and events about keys.

use super::{I64, MB};
use crate::directive::{Directive as D, Kind};

pub(super) const LIST: &[D] = &[
    D::int(
        "busy-reply-threshold",
        "5000",
        0,
        i64::MAX,
        "Milliseconds after which a running script lets other clients be told that the server is \
         busy.",
    )
    .alias("lua-time-limit"),
    D::yes_no(
        "scripting",
        "yes",
        "Whether scripts and functions run: if not, EVAL, EVALSHA, FCALL, SCRIPT LOAD, FUNCTION \
         LOAD and FUNCTION RESTORE are refused to all users.",
    )
    .own(),
    D::memory(
        "script-memory-limit",
        "256mb",
        MB,
        I64,
        "Most memory that a script may take in the interpreter of its thread; one that needs more \
         fails. Functions have as much of their own.",
    )
    .own(),
    D::yes_no("lua-enable-deprecated-api", "no", "Leave deprecated Lua functions in place.")
        .at_start()
        .hidden()
        .pending(),
    D::one_of(
        "propagation-error-behavior",
        &["ignore", "panic", "panic-on-replicas"],
        "ignore",
        "What to do when a replicated or journalled command fails.",
    )
    .pending(),
    D::new(
        "notify-keyspace-events",
        Kind::Events,
        "",
        "Which changes of keys are published: K by key, E by event; g generic, $ string, l list, s \
         set, h hash, z sorted set, x expired, e evicted, t stream, d module, A all of these; m \
         missed, n new. Empty publishes none.",
    ),
];
