//! The interpreter, made safe to use: its stack, its memory, what its states carry, how functions
//! of ours are called, how errors are raised and scripts interrupted.
//!
//! What a script finds in it is in [`builtins`](crate::builtins).

pub mod builder;
pub mod errors;
pub mod frame;
pub mod interrupt;
pub mod memory;
pub mod stack;
pub mod state;
