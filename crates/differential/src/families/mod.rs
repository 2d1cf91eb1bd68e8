//! The command families: explicit lists, one file each.
//!
//! A family is a list of weighted forms (see `grammar`) and, where commands only mean something in
//! sequence, a scenario. Adding a command to the tests is adding a line to its family's list.

pub mod bitmaps;
pub mod connection;
pub mod geo;
pub mod hashes;
pub mod hyperloglog;
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

/// All families that are made of commands. The `wire` family, made of bytes, stands apart.
pub const ALL: [&Family; 12] = [
    &strings::FAMILY,
    &keys::FAMILY,
    &hashes::FAMILY,
    &lists::FAMILY,
    &sets::FAMILY,
    &zsets::FAMILY,
    &streams::FAMILY,
    &transactions::FAMILY,
    &bitmaps::FAMILY,
    &hyperloglog::FAMILY,
    &geo::FAMILY,
    &connection::FAMILY,
];

/// The name of the family of malformed bytes.
pub const WIRE: &str = "wire";

/// The family of a name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Family> {
    ALL.into_iter().find(|family| family.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::Form;

    #[test]
    fn every_form_parses() {
        for family in ALL {
            for (weight, form) in family.forms {
                assert!(*weight > 0);
                let parsed = Form::parse(form).unwrap_or_else(|e| panic!("{}: {e}", family.name));
                // One form of `connection` has a value for its name: an unknown command.
                assert!(!parsed.name().is_empty() || *form == "<text>", "{form}");
            }
        }
    }
}
