//! `CYPHER name = value …`: the parameters that are sent in the text of a query.
//!
//! The header is read apart from what follows, and without looking at that: a cache of plans is
//! asked by the text behind it.

use super::Parser;
use crate::cypher::ast::{Expr, ExprKind, Literal, Parameter};
use crate::cypher::error::{Class, Error};
use crate::cypher::lexer::{Keyword, Kind, Scanner};
use crate::cypher::name::Span;
use crate::cypher::progress::Progress;

/// What stands before a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// The parameters, in the order in which they were written.
    pub parameters: Vec<Parameter>,
    /// The byte at which the query begins.
    pub body: u32,
}

/// Reads the header of a text; most have none.
pub fn header(text: &str, progress: &Progress<'_>) -> Result<Header, Error> {
    let mut scanner = Scanner::new(text, 0);
    match scanner.token() {
        Ok(token) if token.keyword == Keyword::Cypher => {}
        _ => return Ok(Header { parameters: Vec::new(), body: 0 }),
    }
    let from = scanner.at();
    let body = end(text, scanner, progress);
    let text = Span { start: 0, end: body }.of(text);
    Ok(Header { parameters: Parser::new(text, from, progress)?.parameters()?, body })
}

/// Where the header ends: at a word that begins a clause and is no parameter's name.
fn end(text: &str, mut scanner: Scanner<'_>, progress: &Progress<'_>) -> u32 {
    let mut depth = 0_usize;
    let Ok(mut token) = scanner.token() else { return scanner.at() };
    loop {
        let start = token.start;
        let Ok(next) = scanner.token() else { return u32::try_from(text.len()).unwrap_or(start) };
        match token.kind {
            Kind::OpenParen | Kind::OpenBracket | Kind::OpenBrace => depth += 1,
            Kind::CloseParen | Kind::CloseBracket | Kind::CloseBrace => {
                depth = depth.saturating_sub(1);
            }
            Kind::End => return start,
            _ if !progress.step() => return start,
            _ if depth == 0 && token.keyword.begins_clause() && next.kind != Kind::Equal => {
                return start;
            }
            _ => {}
        }
        token = next;
    }
}

impl Parser<'_> {
    /// All parameters up to the end.
    fn parameters(&mut self) -> Result<Vec<Parameter>, Error> {
        let mut parameters = Vec::new();
        while self.kind() != Kind::End {
            let name = self.any_name("a parameter")?;
            self.expect(Kind::Equal, "'='")?;
            let value = self.expr()?;
            if !is_constant(&value) {
                let message = "Parameters must be constants";
                return Err(Error::new(Class::NonConstantExpression, value.span.start, message));
            }
            parameters.push(Parameter { name, value });
        }
        Ok(parameters)
    }
}

/// Whether an expression names neither variables nor parameters.
fn is_constant(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Literal(_) => true,
        ExprKind::List(items) => items.iter().all(is_constant),
        ExprKind::Map(entries) => entries.iter().all(|(_, value)| is_constant(value)),
        ExprKind::Unary(_, operand) => is_constant(operand),
        ExprKind::Arithmetic(_) => is_number(value),
        ExprKind::Function(call) => call.arguments.iter().all(is_constant),
        _ => false,
    }
}

/// Whether it is computed of numbers alone: lists and strings that are put together again and again
/// take much longer than their text.
fn is_number(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Literal(Literal::Integer(_) | Literal::Float(_)) => true,
        ExprKind::Unary(_, operand) => is_number(operand),
        ExprKind::Arithmetic(chain) => {
            is_number(&chain.first) && chain.rest.iter().all(|(_, value)| is_number(value))
        }
        _ => false,
    }
}
