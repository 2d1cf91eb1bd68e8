//! Replies of commands become values of Lua, and what a script returns becomes a reply.

pub mod lift;
pub mod lower;
