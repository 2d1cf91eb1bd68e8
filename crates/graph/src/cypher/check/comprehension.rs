//! What runs once for each element, and subqueries in expressions.

use super::scope::Layer;
use super::{At, Checker, Within, mismatch};
use crate::cypher::ast::{
    Expr, ListComprehension, PathKind, PathPattern, PatternComprehension, Quantifier, Reduce,
    Subquery, SubqueryKind,
};
use crate::cypher::error::{Class, Error};
use crate::cypher::name::Name;
use crate::value::Type;

impl Checker<'_> {
    /// What the elements of a list may be.
    fn elements(&mut self, list: &Expr, at: At) -> Result<Type, Error> {
        let may_be = self.expr(list, at)?;
        if may_be.may_be(Type::LIST) {
            return Ok(may_be.element());
        }
        Err(mismatch("List or Null", may_be, list.span.start))
    }

    /// Puts a layer on top in which a variable stands for an element.
    fn push_element(&mut self, variable: &Name, may_be: Type) {
        self.scope.push(Layer::clear());
        self.scope.bind(variable, may_be);
    }

    pub fn list_comprehension(
        &mut self,
        comprehension: &ListComprehension,
        at: At,
    ) -> Result<Type, Error> {
        let mut element = self.elements(&comprehension.list, at)?;
        self.push_element(&comprehension.variable, element);
        if let Some(filter) = &comprehension.filter {
            self.predicate(filter, at.element())?;
        }
        if let Some(value) = &comprehension.value {
            element = self.expr(value, at.element())?;
        }
        self.scope.pop();
        Ok(Type::list_of(element).or(Type::NULL))
    }

    pub fn quantifier(&mut self, quantifier: &Quantifier, at: At) -> Result<Type, Error> {
        let element = self.elements(&quantifier.list, at)?;
        self.push_element(&quantifier.variable, element);
        if let Some(filter) = &quantifier.filter {
            self.predicate(filter, at.element())?;
        }
        self.scope.pop();
        Ok(Type::BOOLEAN.or(Type::NULL))
    }

    pub fn reduce(&mut self, reduce: &Reduce, at: At) -> Result<Type, Error> {
        self.expr(&reduce.start, at)?;
        let element = self.elements(&reduce.list, at)?;
        self.push_element(&reduce.variable, element);
        // What the accumulator may be later depends on the step itself.
        self.scope.bind(&reduce.accumulator, Type::ANY);
        self.expr(&reduce.step, at.element())?;
        self.scope.pop();
        Ok(Type::ANY)
    }

    pub fn pattern_comprehension(
        &mut self,
        comprehension: &PatternComprehension,
        at: At,
    ) -> Result<Type, Error> {
        self.scope.push(Layer::clear());
        let filter = comprehension.filter.as_ref();
        self.match_paths(std::slice::from_ref(&comprehension.path), filter)?;
        let element = self.expr(&comprehension.value, at.element())?;
        self.scope.pop();
        Ok(Type::list_of(element))
    }

    /// A pattern that stands for whether there is one, or for the shortest path.
    pub fn pattern_value(&mut self, path: &PathPattern, at: At) -> Result<Type, Error> {
        path.variables().try_for_each(|name| self.bound(name).map(|_| ()))?;
        self.scope.push(Layer::clear());
        self.match_paths(std::slice::from_ref(path), None)?;
        self.scope.pop();
        match path.kind {
            PathKind::Shortest => Ok(Type::PATH.or(Type::NULL)),
            PathKind::AllShortest => Ok(Type::list_of(Type::PATH).or(Type::NULL)),
            PathKind::All if at.patterns => Ok(Type::BOOLEAN),
            PathKind::All => {
                let message = "Invalid input '(': a pattern can only be asked for in a condition";
                Err(Error::new(Class::UnexpectedSyntax, path.span.start, message))
            }
        }
    }

    pub fn subquery(&mut self, subquery: &Subquery) -> Result<Type, Error> {
        let within = match subquery.kind {
            SubqueryKind::Exists | SubqueryKind::Count => Within::Exists,
            SubqueryKind::Collect => Within::Collect,
        };
        let wrote = std::mem::replace(&mut self.writes, false);
        let columns = self.query(&subquery.query, within)?;
        if std::mem::replace(&mut self.writes, wrote) {
            let start = subquery.query.first.span.start;
            let message = "A subquery in an expression cannot change the graph";
            return Err(Error::new(Class::InvalidClauseComposition, start, message));
        }
        if within == Within::Collect && columns.len() != 1 {
            let start = subquery.query.first.span.start;
            let message = "COLLECT { … } takes a query that returns one column";
            return Err(Error::new(Class::InvalidClauseComposition, start, message));
        }
        Ok(match subquery.kind {
            SubqueryKind::Exists => Type::BOOLEAN,
            SubqueryKind::Count => Type::INTEGER,
            SubqueryKind::Collect => Type::LIST,
        })
    }
}
