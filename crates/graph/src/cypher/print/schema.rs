//! Commands about indexes, in their new form.

use super::Printer;
use crate::cypher::ast::{IndexCommand, IndexKind, IndexTarget};

impl Printer {
    pub fn index(&mut self, command: &IndexCommand) {
        self.text(if command.drop { "DROP " } else { "CREATE " });
        self.text(match command.kind {
            IndexKind::Range => "INDEX FOR ",
            IndexKind::Fulltext => "FULLTEXT INDEX FOR ",
            IndexKind::Vector => "VECTOR INDEX FOR ",
        });
        let (before, after) = match command.target {
            IndexTarget::Node => ("(e:", ")"),
            IndexTarget::Relationship => ("()-[e:", "]-()"),
        };
        self.text(before);
        self.name(&command.label);
        self.text(after);
        self.text(" ON (");
        self.separated(", ", &command.properties, |printer, property| {
            printer.text("e.");
            printer.name(property);
        });
        self.text(")");
        if let Some(options) = &command.options {
            self.text(" OPTIONS ");
            self.map(options);
        }
    }
}
