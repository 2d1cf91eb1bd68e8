//! Patterns of paths and nodes.

use super::Parser;
use crate::cypher::ast::{Expr, NodePattern, PathKind, PathPattern, Properties};
use crate::cypher::error::Error;
use crate::cypher::lexer::{Keyword, Kind};
use crate::cypher::name::Name;

impl Parser<'_> {
    /// `[variable =] path`, or the shortest.
    pub(super) fn path(&mut self) -> Result<PathPattern, Error> {
        let start = self.start();
        let mut variable = None;
        if self.is_variable() && self.ahead(1).kind == Kind::Equal {
            variable = Some(self.variable()?);
            self.bump();
        }
        let kind = match self.keyword() {
            Keyword::ShortestPath => PathKind::Shortest,
            Keyword::AllShortestPaths => PathKind::AllShortest,
            _ => PathKind::All,
        };
        if kind == PathKind::All {
            return self.path_elements(variable, kind, start);
        }
        self.bump();
        self.expect(Kind::OpenParen, "'('")?;
        let mut path = self.path_elements(variable, kind, start)?;
        self.expect(Kind::CloseParen, "')'")?;
        path.span = self.since(start);
        Ok(path)
    }

    fn path_elements(
        &mut self,
        variable: Option<Name>,
        kind: PathKind,
        begin: u32,
    ) -> Result<PathPattern, Error> {
        let start = self.node()?;
        let mut steps = Vec::new();
        while matches!(self.kind(), Kind::Minus | Kind::Less) {
            let relationship = self.relationship()?;
            steps.push((relationship, self.node()?));
        }
        Ok(PathPattern { variable, kind, start, steps, span: self.since(begin) })
    }

    /// `(variable:Labels {properties} WHERE filter)`.
    fn node(&mut self) -> Result<NodePattern, Error> {
        let start = self.expect(Kind::OpenParen, "'('")?.start;
        let variable = if self.is_variable() { Some(self.variable()?) } else { None };
        let labels = self.optional_labels()?;
        let properties = self.properties()?;
        let filter = self.inline_filter()?;
        self.expect(Kind::CloseParen, "a label, '{', a parameter or ')'")?;
        Ok(NodePattern { variable, labels, properties, filter, span: self.since(start) })
    }

    /// `{key: value}` or `$parameter`, if one of them is there.
    pub(super) fn properties(&mut self) -> Result<Option<Properties>, Error> {
        match self.kind() {
            Kind::OpenBrace => Ok(Some(Properties::Map(self.map()?))),
            Kind::Parameter => Ok(Some(Properties::Parameter(self.parameter()))),
            _ => Ok(None),
        }
    }

    /// `WHERE filter` within a pattern, if it is there.
    pub(super) fn inline_filter(&mut self) -> Result<Option<Box<Expr>>, Error> {
        let filter = self.with_bar(false, |parser| parser.after_word(Keyword::Where))?;
        Ok(filter.map(Box::new))
    }
}
