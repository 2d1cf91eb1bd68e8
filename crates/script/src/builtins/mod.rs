//! The built-in libraries of scripts: those of Redis (`redis`, `cjson`, …), those of Lua as far as
//! they are ours, and the sandbox that has exactly these. The libraries that clients load with
//! `FUNCTION LOAD` are in `function_library.rs`.

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
