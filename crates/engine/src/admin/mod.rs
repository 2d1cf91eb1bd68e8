//! What the operator does to users and clients.

mod acl_file;
mod client_eviction;
pub(crate) mod client_line;
pub(crate) mod scram_file;
pub(crate) mod scram_keys;
pub(crate) mod users;
