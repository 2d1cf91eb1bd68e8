//! `CREATE INDEX` and `DROP INDEX`, in their old form and in their new one.
//!
//! ```text
//!   CREATE INDEX ON :Label(property, …)
//!   CREATE [RANGE|FULLTEXT|VECTOR] INDEX FOR (n:Label) ON (n.property, …) [OPTIONS {…}]
//!   CREATE … INDEX FOR ()-[r:TYPE]->() ON (r.property, …) [OPTIONS {…}]
//! ```

use super::Parser;
use crate::cypher::ast::{IndexCommand, IndexKind, IndexTarget};
use crate::cypher::error::{Class, Error};
use crate::cypher::lexer::{Keyword, Kind};
use crate::cypher::name::Name;

impl Parser<'_> {
    /// A command about indexes, if the statement is one.
    pub(super) fn index_command(&mut self) -> Result<Option<IndexCommand>, Error> {
        let drop = self.keyword() == Keyword::Drop;
        if !drop && self.keyword() != Keyword::Create {
            return Ok(None);
        }
        let kind = match self.ahead(1).keyword {
            Keyword::Index | Keyword::Range => IndexKind::Range,
            Keyword::Fulltext => IndexKind::Fulltext,
            Keyword::Vector => IndexKind::Vector,
            Keyword::Constraint => {
                let message = "Invalid constraint command use the GRAPH.CONSTRAINT command instead";
                return Err(Error::new(Class::InvalidClauseComposition, self.start(), message));
            }
            _ => return Ok(None),
        };
        self.bump();
        if self.ahead(0).keyword != Keyword::Index {
            self.bump();
        }
        self.expect_word(Keyword::Index)?;
        if self.eat_word(Keyword::On) {
            return self.index_on_label(drop, kind).map(Some);
        }
        self.expect_word(Keyword::For)?;
        self.index_for_pattern(drop, kind).map(Some)
    }

    fn index_on_label(&mut self, drop: bool, kind: IndexKind) -> Result<IndexCommand, Error> {
        self.expect(Kind::Colon, "a label")?;
        let label = self.any_name("a label")?;
        self.expect(Kind::OpenParen, "'('")?;
        let properties = self.list(|parser| parser.any_name("a property name"))?;
        self.expect(Kind::CloseParen, "')'")?;
        let target = IndexTarget::Node;
        Ok(IndexCommand { drop, kind, target, label, properties, options: None })
    }

    fn index_for_pattern(&mut self, drop: bool, kind: IndexKind) -> Result<IndexCommand, Error> {
        let (target, variable, label) = self.indexed()?;
        self.expect_word(Keyword::On)?;
        self.expect(Kind::OpenParen, "'('")?;
        let properties = self.list(|parser| {
            let of = parser.variable()?;
            if of != variable {
                let message = format!("'{of}' not defined");
                return Err(Error::new(Class::UndefinedVariable, of.span.start, message));
            }
            parser.expect(Kind::Dot, "'.'")?;
            parser.any_name("a property name")
        })?;
        self.expect(Kind::CloseParen, "')'")?;
        let options = if self.eat_word(Keyword::Options) { Some(self.map()?) } else { None };
        Ok(IndexCommand { drop, kind, target, label, properties, options })
    }

    /// `(n:Label)` or `()-[r:TYPE]-()`: what is indexed, its variable, its label.
    fn indexed(&mut self) -> Result<(IndexTarget, Name, Name), Error> {
        let path = self.path()?;
        let mut found = match path.steps.as_slice() {
            [] => (IndexTarget::Node, path.start.variable.clone(), path.start.labels.clone()),
            [(relationship, _)] => {
                let (variable, types) = (&relationship.variable, &relationship.types);
                (IndexTarget::Relationship, variable.clone(), types.clone())
            }
            _ => (IndexTarget::Node, None, None),
        };
        let names = found.2.take();
        let label = names.as_ref().and_then(|labels| labels.conjunction());
        match (found.1, label.as_deref()) {
            (Some(variable), Some([label])) => Ok((found.0, variable, (*label).clone())),
            _ => {
                let message = "An index is of one label or one relationship type";
                Err(Error::new(Class::UnexpectedSyntax, path.span.start, message))
            }
        }
    }
}
