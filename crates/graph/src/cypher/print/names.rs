//! Names, with backticks where they need them, and strings.

use super::Printer;
use crate::cypher::lexer::Keyword;
use crate::cypher::name::Name;

/// Functions of these names are something else if they are not in backticks.
const SPECIAL_FUNCTIONS: &[&str] = &[
    "all",
    "any",
    "none",
    "single",
    "reduce",
    "filter",
    "extract",
    "shortestpath",
    "allshortestpaths",
];

impl Printer {
    /// A name that may be a keyword: of a label, a property, a column of a procedure.
    pub fn name(&mut self, name: &Name) {
        self.quoted_unless(is_word(&name.text), &name.text);
    }

    /// A name of a variable.
    pub fn variable(&mut self, name: &Name) {
        let plain = is_word(&name.text) && Keyword::of(&name.text) == Keyword::Other;
        self.quoted_unless(plain, &name.text);
    }

    /// `$name`.
    pub fn parameter(&mut self, name: &Name) {
        self.text("$");
        let plain = !name.text.is_empty() && name.text.chars().all(is_part);
        self.quoted_unless(plain, &name.text);
    }

    /// A name with dots.
    pub fn dotted(&mut self, name: &Name) {
        let lower = name.text.to_ascii_lowercase();
        let keyword = Keyword::of(&name.text);
        if SPECIAL_FUNCTIONS.contains(&lower.as_str()) || keyword.is_reserved() {
            self.quoted_unless(false, &name.text);
            return;
        }
        self.separated(".", name.text.split('.'), |printer, part| {
            printer.quoted_unless(is_word(part), part);
        });
    }

    fn quoted_unless(&mut self, plain: bool, name: &str) {
        if plain {
            self.text(name);
            return;
        }
        self.text("`");
        self.text(&name.replace('`', "``"));
        self.text("`");
    }

    /// A string in quotes.
    pub fn string(&mut self, value: &str) {
        self.text("'");
        for char in value.chars() {
            match char {
                '\\' => self.text("\\\\"),
                '\'' => self.text("\\'"),
                '\n' => self.text("\\n"),
                '\r' => self.text("\\r"),
                '\t' => self.text("\\t"),
                char => self.out.push(char),
            }
        }
        self.text("'");
    }
}

/// Whether a name can stand without backticks.
fn is_word(name: &str) -> bool {
    let begins = name.chars().next().is_some_and(|char| char.is_alphabetic() || char == '_');
    begins && name.chars().all(is_part)
}

fn is_part(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}
