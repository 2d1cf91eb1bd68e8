//! The Lua side of `EVAL` and `FUNCTION`, without an engine: a sandbox with exactly the globals of
//! Redis 7.0.15, its libraries, the conversions between replies and Lua values, the error texts.
//!
//! ```text
//!   Script, Library      what a client sent, named by its digest, with its flags
//!        │
//!       Vm ── eval, call_function ──► lua (C) ──► redis.call ──► Host (the engine)
//!        │                             ▲  │                        │ writes through Reply
//!        │                     lift: replies become values ◄───────┘
//!        └─ lower: the result becomes a reply
//! ```
//!
//! ```text
//!    vm            compiles, calls, answers
//!    ├─ builtins   what scripts find: redis, cjson, string, …, and the sandbox of exactly these
//!    ├─ replies    replies become values, values become replies
//!    interpreter   its stack, its memory, what a state carries, raising, interrupting
//! ```
//!
//! The interpreter is the crate `lua`; the code that runs commands is a [`Host`]. A [`Vm`] belongs
//! to one thread and holds two states, as in Redis: one for scripts, one for functions.
//!
//! # Unsafe code
//!
//! Lua raises errors with `longjmp`, and its stack is addressed by number. All calls of it are in
//! `interpreter` and `vm`, and in `calls.rs`, `charged.rs` and `compile.rs` of `builtins`, which
//! call back into it; everything else uses `stack::Stack`, under three rules:
//!
//! 1. A function that Lua calls holds no value with a destructor: what must grow (buffers, words)
//!    lives in `state::ScriptState`, which outlives every call. So a jump skips nothing.
//! 2. Code that Lua has not called (a [`Vm`] that prepares a call, a host that writes a reply) runs
//!    with a lenient allocator: nothing can fail there, and the limit is looked at afterwards.
//! 3. What calls back into Lua (`pcall`, `gsub`, `table.sort` and their like) holds nothing of
//!    `state::ScriptState` while that runs: others of ours may run then, and use it.
//!
//! A panic of a host unwinds through the interpreter; its [`Vm`] is then made anew before it is
//! used again.
#![deny(unsafe_op_in_unsafe_fn)]

mod builtins;
mod function_library;
mod host;
mod interpreter;
mod number;
mod replies;
mod source;
mod vm;

pub use function_library::{Function, FunctionFlags, Libraries, Library};
pub use host::{Host, Refusal};
pub use lua::{seed_strings, strings_have_a_seed};
pub use source::{Script, ScriptFlags, digest};
pub use vm::{Limits, Vm};
