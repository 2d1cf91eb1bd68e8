//! Expressions that are no operators.

use std::fmt::Write as _;

use super::Printer;
use crate::cypher::ast::{
    Case, ComparisonOperator, Expr, ExprKind, ListComprehension, Literal, MapProjection,
    MapSelector, PatternComprehension, Quantifier, QuantifierKind, Reduce, Subquery, SubqueryKind,
    Test,
};
use crate::cypher::name::Name;

impl Printer {
    pub fn expr(&mut self, value: &Expr) {
        match &value.kind {
            ExprKind::Literal(literal) => self.literal(literal),
            ExprKind::Parameter(name) => self.parameter(name),
            ExprKind::Variable(name) => self.variable(name),
            ExprKind::List(items) => self.list(items),
            ExprKind::Map(entries) => self.map(entries),
            ExprKind::Unary(operator, operand) => self.unary(*operator, operand),
            ExprKind::Logical(operator, operands) => self.logical(*operator, operands),
            ExprKind::Comparison(chain) => self.comparison(chain),
            ExprKind::Arithmetic(chain) => self.arithmetic(chain),
            ExprKind::Tests(tests) => self.tests(tests),
            ExprKind::Access(access) => self.access(access),
            ExprKind::Labels(value, labels) => {
                self.labelled(value);
                self.text(":");
                self.labels_in_expression(labels);
            }
            ExprKind::Function(call) => {
                self.dotted(&call.name);
                self.text(if call.distinct { "(DISTINCT " } else { "(" });
                self.separated(", ", &call.arguments, Self::expr);
                self.text(")");
            }
            ExprKind::CountStar => self.text("count(*)"),
            ExprKind::Case(case) => self.case(case),
            ExprKind::ListComprehension(comprehension) => self.list_comprehension(comprehension),
            ExprKind::PatternComprehension(comprehension) => {
                self.pattern_comprehension(comprehension);
            }
            ExprKind::MapProjection(projection) => self.map_projection(projection),
            ExprKind::Quantifier(quantifier) => self.quantifier(quantifier),
            ExprKind::Reduce(reduce) => self.reduce(reduce),
            ExprKind::Pattern(path) => self.path(path),
            ExprKind::Subquery(subquery) => self.subquery(subquery),
        }
    }

    fn literal(&mut self, literal: &Literal) {
        match literal {
            Literal::Null => self.text("null"),
            Literal::Boolean(value) => self.text(if *value { "true" } else { "false" }),
            Literal::String(value) => self.string(value),
            // Writing to a string cannot fail.
            Literal::Integer(value) => write!(self.out, "{value}").unwrap_or_default(),
            Literal::Float(value) => write!(self.out, "{value:?}").unwrap_or_default(),
        }
    }

    fn list(&mut self, items: &[Expr]) {
        self.text("[");
        self.separated(", ", items.iter().enumerate(), |printer, (index, item)| {
            printer.bracketed_if(index == 0 && begins_like_comprehension(item), item);
        });
        self.text("]");
    }

    /// `{key: value}`.
    pub fn map(&mut self, entries: &[(Name, Expr)]) {
        self.text("{");
        self.separated(", ", entries, |printer, (key, value)| {
            printer.name(key);
            printer.text(": ");
            printer.expr(value);
        });
        self.text("}");
    }

    fn case(&mut self, case: &Case) {
        self.text("CASE");
        self.optional(" ", case.subject.as_ref());
        for (condition, value) in &case.branches {
            self.optional(" WHEN ", Some(condition));
            self.optional(" THEN ", Some(value));
        }
        self.optional(" ELSE ", case.otherwise.as_ref());
        self.text(" END");
    }

    /// An expression after a text, if it is there.
    pub fn optional(&mut self, before: &str, value: Option<&Expr>) {
        if let Some(value) = value {
            self.text(before);
            self.expr(value);
        }
    }

    fn list_comprehension(&mut self, comprehension: &ListComprehension) {
        self.text("[");
        self.variable(&comprehension.variable);
        self.optional(" IN ", Some(&comprehension.list));
        self.optional(" WHERE ", comprehension.filter.as_ref());
        self.optional(" | ", comprehension.value.as_ref());
        self.text("]");
    }

    fn pattern_comprehension(&mut self, comprehension: &PatternComprehension) {
        self.text("[");
        self.path(&comprehension.path);
        self.optional(" WHERE ", comprehension.filter.as_ref());
        self.optional(" | ", Some(&comprehension.value));
        self.text("]");
    }

    fn map_projection(&mut self, projection: &MapProjection) {
        self.variable(&projection.entity);
        self.text(" {");
        self.separated(", ", &projection.selectors, |printer, selector| match selector {
            MapSelector::All => printer.text(".*"),
            MapSelector::Property(name) => {
                printer.text(".");
                printer.name(name);
            }
            MapSelector::Variable(name) => printer.variable(name),
            MapSelector::Entry(name, value) => {
                printer.name(name);
                printer.optional(": ", Some(value));
            }
        });
        self.text("}");
    }

    fn quantifier(&mut self, quantifier: &Quantifier) {
        self.text(match quantifier.kind {
            QuantifierKind::All => "all(",
            QuantifierKind::Any => "any(",
            QuantifierKind::None => "none(",
            QuantifierKind::Single => "single(",
        });
        self.variable(&quantifier.variable);
        self.optional(" IN ", Some(&quantifier.list));
        self.optional(" WHERE ", quantifier.filter.as_ref());
        self.text(")");
    }

    fn reduce(&mut self, reduce: &Reduce) {
        self.text("reduce(");
        self.variable(&reduce.accumulator);
        self.optional(" = ", Some(&reduce.start));
        self.text(", ");
        self.variable(&reduce.variable);
        self.optional(" IN ", Some(&reduce.list));
        self.optional(" | ", Some(&reduce.step));
        self.text(")");
    }

    fn subquery(&mut self, subquery: &Subquery) {
        self.text(match subquery.kind {
            SubqueryKind::Exists => "EXISTS { ",
            SubqueryKind::Count => "COUNT { ",
            SubqueryKind::Collect => "COLLECT { ",
        });
        self.query(&subquery.query);
        self.text(" }");
    }
}

/// Whether a list that begins with an expression could be taken for a comprehension.
fn begins_like_comprehension(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Pattern(_) => true,
        ExprKind::Logical(_, operands) => operands.first().is_some_and(begins_like_comprehension),
        ExprKind::Arithmetic(chain) => begins_like_comprehension(&chain.first),
        ExprKind::Comparison(chain) if chain.first.as_variable().is_some() => {
            matches!(chain.rest.first(), Some((ComparisonOperator::Equal, _)))
        }
        ExprKind::Comparison(chain) => begins_like_comprehension(&chain.first),
        ExprKind::Tests(tests) if tests.value.as_variable().is_some() => {
            matches!(tests.tests.first(), Some(Test::In(_)))
        }
        ExprKind::Tests(tests) => begins_like_comprehension(&tests.value),
        _ => false,
    }
}
