//! `WITH` and `RETURN`, with `ORDER BY`, `SKIP` and `LIMIT`.

use super::Parser;
use crate::cypher::ast::{ClauseKind, Projection, ProjectionItem, SortItem};
use crate::cypher::error::Error;
use crate::cypher::lexer::{Keyword, Kind};
use crate::cypher::name::Name;

impl Parser<'_> {
    pub(super) fn with(&mut self) -> Result<ClauseKind, Error> {
        let projection = self.projection()?;
        Ok(ClauseKind::With(projection, self.after_word(Keyword::Where)?))
    }

    pub(super) fn return_clause(&mut self) -> Result<ClauseKind, Error> {
        self.projection().map(ClauseKind::Return)
    }

    fn projection(&mut self) -> Result<Projection, Error> {
        self.bump();
        let distinct = self.eat_word(Keyword::Distinct);
        let star = self.eat(Kind::Star);
        let items = if !star || self.eat(Kind::Comma) {
            self.list(Self::projection_item)?
        } else {
            Vec::new()
        };
        let mut order = Vec::new();
        if self.eat_word(Keyword::Order) {
            self.expect_word(Keyword::By)?;
            order = self.list(Self::sort_item)?;
        }
        let skip = self.after_word(Keyword::Skip)?;
        let limit = self.after_word(Keyword::Limit)?;
        Ok(Projection { distinct, star, items, order, skip, limit })
    }

    fn projection_item(&mut self) -> Result<ProjectionItem, Error> {
        let start = self.start();
        let value = self.expr()?;
        let span = self.since(start);
        let named = self.eat_word(Keyword::As);
        let column = if named {
            self.variable()?
        } else {
            let text = span.of(self.text);
            let variable = value.as_variable().filter(|_| !text.starts_with('('));
            variable.cloned().unwrap_or_else(|| Name::new(text, span))
        };
        Ok(ProjectionItem { value, column, named })
    }

    fn sort_item(&mut self) -> Result<SortItem, Error> {
        let value = self.expr()?;
        let descending = matches!(self.keyword(), Keyword::Desc | Keyword::Descending);
        if descending || matches!(self.keyword(), Keyword::Asc | Keyword::Ascending) {
            self.bump();
        }
        Ok(SortItem { value, descending })
    }
}
