//! `WITH` and `RETURN`.

use super::Printer;
use crate::cypher::ast::{Projection, ProjectionItem};

impl Printer {
    /// What follows the keyword.
    pub fn projection(&mut self, projection: &Projection) {
        self.text(if projection.distinct { " DISTINCT " } else { " " });
        if projection.star {
            self.text(if projection.items.is_empty() { "*" } else { "*, " });
        }
        self.separated(", ", &projection.items, Self::projection_item);
        if !projection.order.is_empty() {
            self.text(" ORDER BY ");
            self.separated(", ", &projection.order, |printer, item| {
                printer.expr(&item.value);
                printer.text(if item.descending { " DESC" } else { "" });
            });
        }
        self.optional(" SKIP ", projection.skip.as_ref());
        self.optional(" LIMIT ", projection.limit.as_ref());
    }

    fn projection_item(&mut self, item: &ProjectionItem) {
        let start = self.out.len();
        self.expr(&item.value);
        let name = match item.value.as_variable() {
            Some(variable) => Some(&*variable.text),
            None => self.out.get(start..),
        };
        if name != Some(&*item.column.text) {
            self.text(" AS ");
            self.variable(&item.column);
        }
    }
}
