//! `CREATE`, `MERGE`, `SET`, `REMOVE`, `DELETE` and `FOREACH`.

use super::Parser;
use crate::cypher::ast::{
    ClauseKind, Expr, ExprKind, Foreach, Merge, MergeAction, RemoveItem, SetItem, Step,
};
use crate::cypher::error::Error;
use crate::cypher::lexer::{Keyword, Kind};
use crate::cypher::name::Name;

impl Parser<'_> {
    pub(super) fn create(&mut self) -> Result<ClauseKind, Error> {
        self.bump();
        self.list(Self::path).map(ClauseKind::Create)
    }

    pub(super) fn merge(&mut self) -> Result<Merge, Error> {
        self.bump();
        let path = self.path()?;
        let mut actions = Vec::new();
        while self.eat_word(Keyword::On) {
            let on_create = self.eat_word(Keyword::Create);
            if !on_create && !self.eat_word(Keyword::Match) {
                return Err(self.unexpected("CREATE or MATCH"));
            }
            self.expect_word(Keyword::Set)?;
            actions.push(MergeAction { on_create, items: self.list(Self::set_item)? });
        }
        Ok(Merge { path, actions })
    }

    pub(super) fn set(&mut self) -> Result<ClauseKind, Error> {
        self.bump();
        self.list(Self::set_item).map(ClauseKind::Set)
    }

    fn set_item(&mut self) -> Result<SetItem, Error> {
        let target = self.access()?;
        if self.kind() == Kind::Colon {
            return Ok(SetItem::Labels(target, self.label_names()?));
        }
        let is_property = ends_with_property(&target);
        match self.kind() {
            Kind::Equal if is_property => {
                self.bump();
                Ok(SetItem::Property(target, self.expr()?))
            }
            Kind::Equal => {
                self.bump();
                Ok(SetItem::Replace(target, self.expr()?))
            }
            Kind::PlusEqual if !is_property => {
                self.bump();
                Ok(SetItem::Add(target, self.expr()?))
            }
            _ => Err(self.unexpected("'.', '=', '+=' or a label")),
        }
    }

    pub(super) fn remove(&mut self) -> Result<ClauseKind, Error> {
        self.bump();
        self.list(Self::remove_item).map(ClauseKind::Remove)
    }

    fn remove_item(&mut self) -> Result<RemoveItem, Error> {
        let target = self.access()?;
        match self.kind() {
            Kind::Colon => Ok(RemoveItem::Labels(target, self.label_names()?)),
            _ if ends_with_property(&target) => Ok(RemoveItem::Property(target)),
            _ => Err(self.unexpected("a property name or a label")),
        }
    }

    /// `:A:B`.
    fn label_names(&mut self) -> Result<Vec<Name>, Error> {
        let mut names = Vec::new();
        while self.eat(Kind::Colon) {
            names.push(self.any_name("a label")?);
        }
        Ok(names)
    }

    pub(super) fn delete(&mut self) -> Result<ClauseKind, Error> {
        let detach = self.eat_word(Keyword::Detach);
        self.expect_word(Keyword::Delete)?;
        Ok(ClauseKind::Delete(detach, self.list(Self::expr)?))
    }

    pub(super) fn foreach(&mut self) -> Result<Foreach, Error> {
        self.enter()?;
        self.bump();
        self.expect(Kind::OpenParen, "'('")?;
        let variable = self.variable()?;
        self.expect_word(Keyword::In)?;
        let list = self.with_bar(true, Self::expr)?;
        self.expect(Kind::Pipe, "'|'")?;
        let clauses = self.with_bar(false, |parser| {
            let mut clauses = vec![parser.clause()?];
            while parser.kind() != Kind::CloseParen {
                clauses.push(parser.clause()?);
            }
            Ok(clauses)
        })?;
        self.expect(Kind::CloseParen, "')'")?;
        self.leave();
        Ok(Foreach { variable, list, clauses })
    }
}

/// Whether what is set or removed is a property.
fn ends_with_property(target: &Expr) -> bool {
    match &target.kind {
        ExprKind::Access(access) => {
            matches!(access.steps.last(), Some(Step::Property(_) | Step::Index(_)))
        }
        _ => false,
    }
}
