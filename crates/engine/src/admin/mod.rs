//! What the operator does to users and clients.

mod acl_file;
mod client_eviction;
pub(crate) mod client_line;
pub(crate) mod users;
