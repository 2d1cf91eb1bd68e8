//! Redis's files and digests: between what they hold and the store.
//!
//! ```text
//!   RDB, append-only files ──► import ──► store ──► neutral values ──► digest
//!   snapshot, journal      ──► export ──► RDB
//! ```
//!
//! The formats are crate `rdb`'s; where files lie, what to do about what this server has no types
//! for, and how the dataset comes and goes is here.

mod digest;
mod export;
mod find;
mod import;
mod rdb_value;
mod scripter;

pub use digest::{of_dataset, of_value};
pub use export::{Exported, Until, export};
pub(crate) use export::{export_into, export_libraries};
pub use find::RedisFiles;
pub use import::Options;

pub use crate::durability::{Imported, Loss};
