//! The verbs that work on files without a server: `kvist check`, `import` and `export`; the last
//! also on the dataset of a running server (`fetch`).

mod arguments;
pub mod check;
mod directory;
pub mod export;
mod fetch;
pub mod import;
