//! Calls of procedures and of subqueries.

use std::sync::Arc;

use super::scope::Layer;
use super::{At, Checker, Procedure, Within, mismatch, undefined};
use crate::cypher::ast::{Call, Expr, SubqueryCall, SubqueryImports};
use crate::cypher::error::{Class, Error};
use crate::cypher::name::{Name, Span};
use crate::value::Type;

impl Checker<'_> {
    /// Checks a call. Tells its columns if it is all of its query.
    pub fn call(
        &mut self,
        call: &Call,
        span: Span,
        standalone: bool,
    ) -> Result<Vec<Arc<str>>, Error> {
        let name = &call.procedure.name;
        let Some(procedure) = self.environment.procedure(&name.text) else {
            let message = match self.environment.why_not(&name.text) {
                Some(reason) => format!("Procedure `{name}` is not supported: {reason}"),
                None => format!("Procedure `{name}` is not registered"),
            };
            return Err(Error::new(Class::ProcedureNotFound, name.span.start, message));
        };
        self.writes |= procedure.writes;
        match &call.procedure.arguments {
            Some(arguments) => self.call_arguments(name, &procedure, arguments)?,
            None => self.implicit_arguments(name, &procedure, standalone)?,
        }
        if call.star && !standalone {
            let message = "Invalid input '*': YIELD * is for calls that are all of a query";
            return Err(Error::new(Class::UnexpectedSyntax, span.start, message));
        }
        let columns = self.yielded(call, &procedure)?;
        if let Some(filter) = &call.filter {
            self.predicate(filter, At::ROW)?;
        }
        self.procedures.push((Arc::clone(&name.text), procedure));
        Ok(if standalone { columns } else { Vec::new() })
    }

    fn call_arguments(
        &mut self,
        name: &Name,
        procedure: &Procedure,
        arguments: &[Expr],
    ) -> Result<(), Error> {
        let (wanted, sent) = (procedure.arguments.len(), arguments.len());
        if wanted != sent && !(sent == 0 && procedure.is_optional()) {
            let message = format!("Procedure `{name}` requires {wanted} arguments, got {sent}");
            return Err(Error::new(Class::InvalidNumberOfArguments, name.span.start, message));
        }
        for (argument, (_, expected)) in arguments.iter().zip(&procedure.arguments) {
            let may_be = self.expr(argument, At::ROW)?;
            if !may_be.may_be(*expected) {
                return Err(mismatch(expected.name(), may_be, argument.span.start));
            }
        }
        Ok(())
    }

    /// A call without brackets takes parameters of the request.
    fn implicit_arguments(
        &mut self,
        name: &Name,
        procedure: &Procedure,
        standalone: bool,
    ) -> Result<(), Error> {
        if !procedure.takes_parameters() {
            return self.call_arguments(name, procedure, &[]);
        }
        let start = name.span.start;
        if !standalone && !procedure.arguments.is_empty() {
            let message = format!("Procedure `{name}` takes its arguments in brackets here");
            return Err(Error::new(Class::InvalidArgumentPassingMode, start, message));
        }
        let mut names = procedure.arguments.iter().map(|(name, _)| name);
        match names.find(|name| !self.environment.has_parameter(name)) {
            Some(_) => Err(Error::new(Class::MissingParameter, start, "Missing parameters")),
            None => Ok(()),
        }
    }

    /// Binds what is yielded, and tells the names of the columns.
    fn yielded(&mut self, call: &Call, procedure: &Procedure) -> Result<Vec<Arc<str>>, Error> {
        let Some(wanted) = &call.columns else {
            return Ok(procedure.columns.iter().map(|(name, _)| Arc::clone(name)).collect());
        };
        let mut columns = Vec::new();
        for (column, renamed) in wanted {
            let found = procedure.columns.iter().find(|(name, _)| *name == column.text);
            let Some((_, may_be)) = found else {
                let procedure = &call.procedure.name;
                let message = format!("Procedure `{procedure}` does not yield output `{column}`");
                let start = column.span.start;
                return Err(Error::new(Class::UndefinedVariable, start, message));
            };
            let name = renamed.as_ref().unwrap_or(column);
            self.bind_new(name, may_be.or(Type::NULL))?;
            columns.push(Arc::clone(&name.text));
        }
        Ok(columns)
    }

    /// Checks `CALL { … }`, and binds what it returns.
    pub fn subquery_call(&mut self, call: &SubqueryCall) -> Result<(), Error> {
        let depth = self.scope.depth();
        let columns = match &call.imports {
            SubqueryImports::Leading => self.query(&call.query, Within::Call)?,
            SubqueryImports::All => self.query(&call.query, Within::ScopedCall)?,
            SubqueryImports::Names(names) => {
                let mut layer = Layer::opaque();
                for name in names {
                    let may_be = self.scope.find(&name.text).ok_or_else(|| undefined(name))?;
                    layer.bind(&name.text, may_be);
                }
                self.scope.push(layer);
                self.query(&call.query, Within::ScopedCall)?
            }
        };
        self.scope.cut(depth);
        for column in columns {
            let start = call.query.first.span.start;
            if self.scope.find(&column).is_some() {
                let message = format!("Variable `{column}` already declared in outer scope");
                return Err(Error::new(Class::VariableAlreadyBound, start, message));
            }
            self.scope.bind(&Name { text: column, span: Span::default() }, Type::ANY);
        }
        Ok(())
    }
}
