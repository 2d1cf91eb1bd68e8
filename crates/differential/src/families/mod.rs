//! The command families: explicit lists, one file each.
//!
//! A family is a list of weighted forms (see `grammar`) and, where commands only mean something in
//! sequence, a scenario. Adding a command to the tests is adding a line to its family's list.

pub mod bitmaps;
pub mod connection;
pub mod geo;
pub mod hashes;
pub mod hyperloglog;
pub mod json;
pub mod keys;
pub mod lists;
pub mod sets;
pub mod streams;
pub mod strings;
pub mod transactions;
pub mod wire;
pub mod zsets;

use crate::command::Step;
use crate::generator::Generator;
use crate::pools::KeyKind;

/// Draws a sequence of steps.
pub type Scenario = fn(&mut Generator) -> Vec<Step>;

/// One family of commands.
#[derive(Debug)]
pub struct Family {
    /// The name on the command line.
    pub name: &'static str,
    /// The type its own keys usually hold.
    pub home: KeyKind,
    /// Weight and form.
    pub forms: &'static [(usize, &'static str)],
    /// Sequences, and in how many of 100 draws one is taken instead of a form.
    pub scenario: Option<(usize, Scenario)>,
}

/// One list of the families that are made of commands: of it come [`ALL`], and a macro for what has
/// to be written once for each, as tests are. The `wire` family, made of bytes, stands apart.
macro_rules! families {
    ($d:tt $($family:ident)*) => {
        /// All families that are made of commands.
        pub const ALL: &[&Family] = &[$(&$family::FAMILY),*];

        /// Calls a macro with the name of each family that is made of commands.
        #[macro_export]
        macro_rules! for_each_family {
            ($d with:ident) => { $($d with!($family);)* };
        }
    };
}

families! { $
    strings keys hashes lists sets zsets streams transactions bitmaps hyperloglog geo connection
}

/// Families that a redis-server has from a module alone. Only where one is named do they run.
pub const WITH_MODULE: &[&Family] = &[&json::FAMILY];

/// All families that are made of commands, whatever the server needs for them.
pub fn every() -> impl Iterator<Item = &'static Family> {
    ALL.iter().chain(WITH_MODULE).copied()
}

/// The name of the family of malformed bytes.
pub const WIRE: &str = "wire";

/// The family of a name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Family> {
    every().find(|family| family.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::Form;

    /// A file that is not in the list would never be drawn from.
    #[test]
    fn every_file_is_in_the_list() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/families");
        let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name());
        let names = files.map(|file| file.to_string_lossy().trim_end_matches(".rs").to_owned());
        let unlisted: Vec<String> =
            names.filter(|name| named(name).is_none() && name != "mod" && name != WIRE).collect();
        assert_eq!(unlisted, [""; 0]);
    }

    #[test]
    fn every_form_parses() {
        for family in every() {
            for (weight, form) in family.forms {
                assert!(*weight > 0);
                let parsed = Form::parse(form).unwrap_or_else(|e| panic!("{}: {e}", family.name));
                // One form of `connection` has a value for its name: an unknown command.
                assert!(!parsed.name().is_empty() || *form == "<text>", "{form}");
            }
        }
    }
}
