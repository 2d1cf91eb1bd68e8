//! What scripts find: the libraries of Redis, those of Lua as far as they are ours, and the sandbox
//! that has exactly these.

pub mod api;
pub mod basics;
pub mod bits;
pub mod calls;
pub mod charged;
pub mod compile;
pub mod json;
pub mod msgpack;
pub mod packing;
pub mod patterns;
pub mod random;
pub mod register;
pub mod sandbox;
pub mod sealed;
pub mod tables;
