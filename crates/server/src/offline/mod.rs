//! The verbs that work on files without a server: `kvist check`, `import` and `export`; the last
//! also on the dataset of a running server (`fetch`). Both also move a graph of a running server as
//! text (`graph_text`), and projects of records from and to hxRedis and files (`projects`).

mod arguments;
pub mod check;
mod directory;
pub mod export;
mod falkordb;
mod fetch;
mod graph_text;
pub mod import;
mod projects;
mod remote;

/// Where a password may stand that others shall not see in the list of processes; as for
/// `kvist cli`.
const PASSWORDS: [&str; 2] = ["KVISTCLI_AUTH", "REDISCLI_AUTH"];
