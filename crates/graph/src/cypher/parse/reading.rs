//! `MATCH`, `UNWIND` and `LOAD CSV`.

use super::Parser;
use crate::cypher::ast::{ClauseKind, LoadCsv, Match};
use crate::cypher::error::Error;
use crate::cypher::lexer::Keyword;

impl Parser<'_> {
    pub(super) fn match_clause(&mut self) -> Result<Match, Error> {
        let optional = self.eat_word(Keyword::Optional);
        self.expect_word(Keyword::Match)?;
        let paths = self.list(Self::path)?;
        Ok(Match { optional, paths, filter: self.after_word(Keyword::Where)? })
    }

    pub(super) fn unwind(&mut self) -> Result<ClauseKind, Error> {
        self.bump();
        let list = self.expr()?;
        self.expect_word(Keyword::As)?;
        Ok(ClauseKind::Unwind(list, self.variable()?))
    }

    pub(super) fn load_csv(&mut self) -> Result<LoadCsv, Error> {
        self.bump();
        self.expect_word(Keyword::Csv)?;
        let headers = self.eat_word(Keyword::With);
        if headers {
            self.expect_word(Keyword::Headers)?;
        }
        self.expect_word(Keyword::From)?;
        let url = self.expr()?;
        self.expect_word(Keyword::As)?;
        let variable = self.variable()?;
        let separator = self.after_word(Keyword::FieldTerminator)?;
        Ok(LoadCsv { headers, url, variable, separator })
    }
}
