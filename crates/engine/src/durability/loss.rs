//! What files held that this server does not keep, counted.

use std::collections::BTreeMap;
use std::fmt;

/// What was left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loss {
    /// Keys that hold values of modules, by the type's name; of documents that cannot be read, by
    /// the name and the number of the encoding.
    pub module_keys: BTreeMap<String, u64>,
    /// Records that modules keep beside the keys, by the type's name.
    pub module_data: BTreeMap<String, u64>,
    /// Libraries of functions whose code cannot be run here.
    pub functions: u64,
    /// Hashes some of whose fields have deadlines of their own.
    pub mortal_hashes: u64,
    /// Commands that this server does not have, by name.
    pub commands: BTreeMap<String, u64>,
    /// Commands that failed.
    pub failed: u64,
}

impl Loss {
    /// Whether nothing was left out.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Loss::default()
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        let mut add = |count: u64, what: &str| {
            if count > 0 {
                parts.push(format!("{count} {what}"));
            }
        };
        for (name, &count) in &self.module_keys {
            add(count, &format!("keys of the module type {name}"));
        }
        for (name, &count) in &self.module_data {
            add(count, &format!("records of the module type {name}"));
        }
        add(self.functions, "libraries of functions that cannot be loaded");
        add(self.mortal_hashes, "hashes whose fields have deadlines of their own");
        for (name, &count) in &self.commands {
            add(count, &format!("unknown commands {name}"));
        }
        add(self.failed, "commands that failed");
        f.write_str(&parts.join(", "))
    }
}
