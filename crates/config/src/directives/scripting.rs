//! Scripts.

use std::time::Duration;

use super::{I64, MB};
use crate::directive::Directive as D;
use crate::settings::Settings;
use crate::typed::some_milliseconds;

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
];

/// What scripts may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptSettings {
    /// Whether there are any.
    pub on: bool,
    /// Time after which one that runs counts as busy, if it does at all.
    pub busy_after: Option<Duration>,
    /// Bytes that a thread's interpreter for scripts may take, and as much that for functions.
    pub memory: u64,
}

impl ScriptSettings {
    pub(crate) fn of(settings: &Settings) -> Self {
        Self {
            on: settings.yes("scripting"),
            busy_after: some_milliseconds(settings.int("busy-reply-threshold")),
            memory: settings.bytes("script-memory-limit"),
        }
    }
}
