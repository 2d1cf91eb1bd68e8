//! How many bytes a compiled path takes, for the cache that keeps it.
//!
//! Exact for what is allocated by the length of the text; a compiled pattern is estimated, since
//! the `regex` crate does not tell.

use super::syntax::{Arithmetic, Expr, Logic, Query, Segment, Selector};

pub(super) fn of_query(query: &Query) -> usize {
    let each = |segment: &Segment| match segment {
        Segment::Name(name) => name.len(),
        Segment::Index(_) => 0,
        Segment::Child(selectors) | Segment::Descendant(selectors) => {
            selectors.iter().map(of_selector).sum()
        }
    };
    let inside: usize = query.segments.iter().map(each).sum();
    query.segments.capacity() * size_of::<Segment>() + inside
}

fn of_selector(selector: &Selector) -> usize {
    let inside = match selector {
        Selector::Name(name) => name.len(),
        Selector::Filter(condition) => size_of::<Logic>() + of_logic(condition),
        _ => 0,
    };
    size_of::<Selector>() + inside
}

fn of_logic(logic: &Logic) -> usize {
    match logic {
        Logic::Any(all) | Logic::All(all) => {
            let inside: usize = all.iter().map(of_logic).sum();
            all.capacity() * size_of::<Logic>() + inside
        }
        Logic::Not(inner) => size_of::<Logic>() + of_logic(inner),
        Logic::Compare(comparison) => {
            size_of_val(&**comparison) + of_expr(&comparison.left) + of_expr(&comparison.right)
        }
        Logic::Matches(operands) => {
            let (left, right, pattern) = &**operands;
            let pattern = pattern.as_ref().map_or(0, |pattern| pattern.memory());
            size_of_val(&**operands) + of_expr(left) + of_expr(right) + pattern
        }
        Logic::Test(expr) => of_expr(expr),
    }
}

pub(super) fn of_expr(expr: &Expr) -> usize {
    match expr {
        Expr::Literal(literal) => literal.memory(),
        Expr::Query(query) | Expr::Keys(query) => of_query(query),
        Expr::Call(call) => {
            let spare = call.arguments.capacity() * size_of::<Expr>();
            let pattern = call.pattern.as_ref().map_or(0, |pattern| pattern.memory());
            let inside: usize = call.arguments.iter().map(of_expr).sum();
            size_of_val(&**call) + spare + pattern + inside
        }
        Expr::Chain(chain) => {
            let (first, others) = &**chain;
            let inside: usize = others.iter().map(|(_, expr)| of_expr(expr)).sum();
            let spare = others.capacity() * size_of::<(Arithmetic, Expr)>();
            size_of_val(&**chain) + spare + of_expr(first) + inside
        }
        Expr::Negate(inner) | Expr::Number(inner) => size_of::<Expr>() + of_expr(inner),
    }
}
