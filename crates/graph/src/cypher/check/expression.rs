//! Expressions: what they may be, and whether they make sense.

use super::{At, Checker, mismatch, undefined};
use crate::cypher::ast::{Access, Case, Expr, ExprKind, Literal, MapProjection, MapSelector, Step};
use crate::cypher::error::{Category, Error};
use crate::cypher::name::Name;
use crate::value::Type;

impl Checker<'_> {
    /// Checks an expression, and tells what it may be.
    pub fn expr(&mut self, value: &Expr, at: At) -> Result<Type, Error> {
        if !self.progress.step() {
            return Err(Error::ended(value.span.start));
        }
        match &value.kind {
            ExprKind::Literal(literal) => Ok(of_literal(literal)),
            ExprKind::Parameter(_) => Ok(Type::ANY),
            ExprKind::Variable(name) => self.bound(name),
            ExprKind::List(items) => self.list(items, at.value()),
            ExprKind::Map(entries) => {
                entries
                    .iter()
                    .try_for_each(|(_, entry)| self.expr(entry, at.value()).map(|_| ()))?;
                Ok(Type::MAP)
            }
            ExprKind::Unary(operator, operand) => self.unary(*operator, operand, at),
            ExprKind::Logical(_, operands) => self.logical(operands, at),
            ExprKind::Comparison(chain) => self.comparison(chain, at.value()),
            ExprKind::Arithmetic(chain) => self.arithmetic(chain, at.value()),
            ExprKind::Tests(tests) => self.tests(tests, at.value()),
            ExprKind::Access(access) => self.access(access, at.value()),
            ExprKind::Labels(value, _) => self.labels(value, at.value()),
            ExprKind::Function(call) => self.function(call, at.value(), value.span),
            ExprKind::CountStar => self.aggregate("count", at, value.span),
            ExprKind::Case(case) => self.case(case, at.value()),
            ExprKind::ListComprehension(comprehension) => {
                self.list_comprehension(comprehension, at.value())
            }
            ExprKind::PatternComprehension(comprehension) => {
                self.pattern_comprehension(comprehension, at.value())
            }
            ExprKind::MapProjection(projection) => self.map_projection(projection, at.value()),
            ExprKind::Quantifier(quantifier) => self.quantifier(quantifier, at.value()),
            ExprKind::Reduce(reduce) => self.reduce(reduce, at.value()),
            ExprKind::Pattern(path) => self.pattern_value(path, at),
            ExprKind::Subquery(subquery) => self.subquery(subquery),
        }
    }

    /// Checks an expression that is to be a truth value.
    pub fn predicate(&mut self, value: &Expr, at: At) -> Result<(), Error> {
        let may_be = self.expr(value, at.predicate())?;
        if may_be.may_be(Type::BOOLEAN) {
            return Ok(());
        }
        Err(mismatch("Boolean or Null", may_be, value.span.start))
    }

    /// What a variable may be.
    pub fn bound(&self, name: &Name) -> Result<Type, Error> {
        self.scope.find(&name.text).ok_or_else(|| undefined(name))
    }

    fn list(&mut self, items: &[Expr], at: At) -> Result<Type, Error> {
        let mut element = Type::NULL;
        for (index, item) in items.iter().enumerate() {
            let may_be = self.expr(item, at)?;
            element = if index == 0 { may_be } else { element.or(may_be) };
        }
        Ok(Type::list_of(element))
    }

    fn access(&mut self, access: &Access, at: At) -> Result<Type, Error> {
        let mut may_be = self.expr(&access.base, at)?;
        let start = access.base.span.start;
        for step in &access.steps {
            may_be = match step {
                Step::Property(_) if !may_be.may_be(Type::HAS_PROPERTIES) => {
                    let expected =
                        "Map, Node, Edge, Datetime, Date, Time, Duration, Null, or Point";
                    let error = mismatch(expected, may_be, start);
                    // The kit calls a path that is asked so one of syntax, and any other value
                    // one of type.
                    let is_path = may_be.is_only(Type::PATH);
                    return Err(if is_path { error } else { error.as_a(Category::TypeError) });
                }
                Step::Property(_) => Type::ANY,
                Step::Index(index) => self.index(may_be, index, start, at)?,
                Step::Slice(from, to) => {
                    if !may_be.may_be(Type::LIST) {
                        return Err(mismatch("List or Null", may_be, start));
                    }
                    for bound in from.iter().chain(to) {
                        self.expr(bound, at)?;
                    }
                    may_be.or(Type::NULL)
                }
            };
        }
        Ok(may_be)
    }

    /// `base[index]`: an element of a list, or a property.
    fn index(&mut self, base: Type, index: &Expr, start: u32, at: At) -> Result<Type, Error> {
        let may_be = self.expr(index, at)?;
        let keyed = Type::MAP.or(Type::NODE).or(Type::RELATIONSHIP);
        if !base.may_be(Type::LIST.or(Type::VECTOR).or(keyed)) {
            let error = mismatch("Map, Node, Edge, List, or Null", base, start);
            return Err(error.as_a(Category::TypeError));
        }
        if base.is_only(Type::LIST) {
            if !may_be.may_be(Type::INTEGER) {
                let error = mismatch("Integer", may_be, index.span.start);
                return Err(error.as_a(Category::TypeError));
            }
            return Ok(base.element().or(Type::NULL));
        }
        Ok(Type::ANY)
    }

    fn labels(&mut self, value: &Expr, at: At) -> Result<Type, Error> {
        let may_be = self.expr(value, at)?;
        if may_be.may_be(Type::NODE.or(Type::RELATIONSHIP)) {
            return Ok(Type::BOOLEAN.or(Type::NULL));
        }
        Err(mismatch("Node, Edge, or Null", may_be, value.span.start))
    }

    fn case(&mut self, case: &Case, at: At) -> Result<Type, Error> {
        if let Some(subject) = &case.subject {
            self.expr(subject, at)?;
        }
        let condition_at = if case.subject.is_some() { at } else { at.predicate() };
        let mut result = None;
        for (condition, value) in &case.branches {
            self.expr(condition, condition_at)?;
            let may_be = self.expr(value, at)?;
            result = Some(result.map_or(may_be, |result: Type| result.or(may_be)));
        }
        let otherwise = match &case.otherwise {
            Some(otherwise) => self.expr(otherwise, at)?,
            None => Type::NULL,
        };
        Ok(result.map_or(otherwise, |result| result.or(otherwise)))
    }

    fn map_projection(&mut self, projection: &MapProjection, at: At) -> Result<Type, Error> {
        let entity = self.bound(&projection.entity)?;
        if !entity.may_be(Type::MAP.or(Type::NODE).or(Type::RELATIONSHIP)) {
            let start = projection.entity.span.start;
            return Err(mismatch("Map, Node, Edge, or Null", entity, start));
        }
        for selector in &projection.selectors {
            match selector {
                MapSelector::All | MapSelector::Property(_) => {}
                MapSelector::Variable(name) => self.bound(name).map(|_| ())?,
                MapSelector::Entry(_, value) => self.expr(value, at).map(|_| ())?,
            }
        }
        Ok(Type::MAP.or(Type::NULL))
    }
}

fn of_literal(literal: &Literal) -> Type {
    match literal {
        Literal::Null => Type::NULL,
        Literal::Boolean(_) => Type::BOOLEAN,
        Literal::Integer(_) => Type::INTEGER,
        Literal::Float(_) => Type::FLOAT,
        Literal::String(_) => Type::STRING,
    }
}
