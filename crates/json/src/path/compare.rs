//! Equality and order of values, wherever they come from.
//!
//! Numbers compare by value: an integer equals a double of the same value, exactly, without
//! rounding either. Inside arrays and objects numbers must also be of one kind, as in RedisJSON.
//! Only numbers, strings, bools and nulls have an order, and only among their own kind.

use std::cmp::Ordering;

use super::budget::{Budget, Flow};
use super::compute::Computed;
use crate::tree::{Kind, Num, Text, Tree};

/// A value as far as it can be compared at once.
enum Scalar<'t> {
    Null,
    Bool(bool),
    Num(Num),
    Str(Text<'t>),
    Container,
}

fn of_tree<'a, T: Tree<'a>>(value: T) -> Scalar<'a> {
    match value.kind() {
        Kind::Null => Scalar::Null,
        Kind::Bool => Scalar::Bool(value.as_bool().unwrap_or_default()),
        Kind::Integer | Kind::Number => Scalar::Num(value.as_num().unwrap_or(Num::I64(0))),
        Kind::String => value.as_str().map_or(Scalar::Container, Scalar::Str),
        Kind::Array | Kind::Object => Scalar::Container,
    }
}

fn scalar<'t, 'a: 't, T: Tree<'a>>(value: &'t Computed<'_, T>) -> Scalar<'t> {
    match value {
        Computed::Node(node) => of_tree(*node),
        Computed::Literal(literal) => of_tree(*literal),
        Computed::Num(num) => Scalar::Num(*num),
        Computed::Str(text) => Scalar::Str(Text::borrowed(text)),
        Computed::Bool(value) => Scalar::Bool(*value),
        Computed::List(_) => Scalar::Container,
    }
}

/// The number, of a number.
pub(super) fn number<'a, T: Tree<'a>>(value: &Computed<'_, T>) -> Option<Num> {
    match scalar(value) {
        Scalar::Num(num) => Some(num),
        _ => None,
    }
}

/// The bool, of a bool.
pub(super) fn bool<'a, T: Tree<'a>>(value: &Computed<'_, T>) -> Option<bool> {
    match scalar(value) {
        Scalar::Bool(value) => Some(value),
        _ => None,
    }
}

/// The text, of a string.
pub(super) fn text<'t, 'a: 't, T: Tree<'a>>(value: &'t Computed<'_, T>) -> Option<Text<'t>> {
    match scalar(value) {
        Scalar::Str(text) => Some(text),
        _ => None,
    }
}

/// Which number is larger; `None` if one is no number at all.
pub(super) fn compare_numbers(a: Num, b: Num) -> Option<Ordering> {
    match (a, b) {
        (Num::F64(a), Num::F64(b)) => a.partial_cmp(&b),
        (Num::F64(a), b) => compare_whole(whole(b)?, a).map(Ordering::reverse),
        (a, Num::F64(b)) => compare_whole(whole(a)?, b),
        (a, b) => Some(whole(a)?.cmp(&whole(b)?)),
    }
}

/// The integer, of an integer.
pub(super) fn whole(num: Num) -> Option<i128> {
    match num {
        Num::I64(value) => Some(i128::from(value)),
        Num::U64(value) => Some(i128::from(value)),
        Num::F64(_) => None,
    }
}

fn compare_whole(a: i128, b: f64) -> Option<Ordering> {
    const BEYOND: f64 = 18_446_744_073_709_551_616.0;
    if b.is_nan() {
        return None;
    }
    if b >= BEYOND {
        return Some(Ordering::Less);
    }
    if b <= -BEYOND {
        return Some(Ordering::Greater);
    }
    // Within ±2^64, so that the whole part is exact in 128 bits.
    let order = a.cmp(&(b.trunc() as i128));
    Some(order.then_with(|| 0.0_f64.partial_cmp(&b.fract()).unwrap_or(Ordering::Equal)))
}

/// How two scalars of one kind are ordered.
pub(super) fn order<'a, T: Tree<'a>>(
    a: &Computed<'_, T>,
    b: &Computed<'_, T>,
    budget: &mut Budget,
) -> Flow<Option<Ordering>> {
    budget.charge(1)?;
    Ok(match (scalar(a), scalar(b)) {
        (Scalar::Num(a), Scalar::Num(b)) => compare_numbers(a, b),
        (Scalar::Str(a), Scalar::Str(b)) => {
            budget.charge(a.len().min(b.len()) / 256)?;
            Some((*a).cmp(&*b))
        }
        (Scalar::Bool(a), Scalar::Bool(b)) => Some(a.cmp(&b)),
        (Scalar::Null, Scalar::Null) => Some(Ordering::Equal),
        _ => None,
    })
}

/// Whether two values are equal.
pub(super) fn equal<'a, T: Tree<'a>>(
    a: &Computed<'_, T>,
    b: &Computed<'_, T>,
    budget: &mut Budget,
) -> Flow<bool> {
    if let (Scalar::Container, Scalar::Container) = (scalar(a), scalar(b)) {
        return same(a, b, budget);
    }
    Ok(order(a, b, budget)? == Some(Ordering::Equal))
}

/// Whether two values inside others are equal: numbers of one kind only.
fn same<'a, T: Tree<'a>>(
    a: &Computed<'_, T>,
    b: &Computed<'_, T>,
    budget: &mut Budget,
) -> Flow<bool> {
    match (a, b) {
        (Computed::List(a), Computed::List(b)) => {
            if a.len() != b.len() {
                return Ok(false);
            }
            for (a, b) in a.iter().zip(b) {
                if !same(a, b, budget)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Computed::List(list), Computed::Node(node))
        | (Computed::Node(node), Computed::List(list)) => {
            items_are(list, *node, Computed::Node, budget)
        }
        (Computed::List(list), Computed::Literal(literal))
        | (Computed::Literal(literal), Computed::List(list)) => {
            items_are(list, *literal, Computed::Literal, budget)
        }
        (Computed::Node(a), Computed::Node(b)) => same_trees(*a, *b, budget),
        (Computed::Node(a), Computed::Literal(b)) | (Computed::Literal(b), Computed::Node(a)) => {
            same_trees(*b, *a, budget)
        }
        (Computed::Literal(a), Computed::Literal(b)) => same_trees(*a, *b, budget),
        _ => {
            budget.charge(1)?;
            Ok(same_scalars(scalar(a), scalar(b)))
        }
    }
}

/// Whether a list that was computed equals an array.
fn items_are<'a, 'x, 'p, T: Tree<'a>, X: Tree<'x>>(
    list: &[Computed<'p, T>],
    array: X,
    wrap: impl Fn(X) -> Computed<'p, T>,
    budget: &mut Budget,
) -> Flow<bool> {
    if array.kind() != Kind::Array || array.len() != list.len() {
        return Ok(false);
    }
    for (index, item) in list.iter().enumerate() {
        let Some(other) = array.at(index) else { return Ok(false) };
        if !same(item, &wrap(other), budget)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn same_scalars(a: Scalar<'_>, b: Scalar<'_>) -> bool {
    match (a, b) {
        (Scalar::Num(a), Scalar::Num(b)) => a == b,
        (Scalar::Str(a), Scalar::Str(b)) => *a == *b,
        (Scalar::Bool(a), Scalar::Bool(b)) => a == b,
        (Scalar::Null, Scalar::Null) => true,
        _ => false,
    }
}

/// Deep equality. It goes through the members of `a` and looks them up in `b`; recursion is bounded
/// by the depth of the shallower one.
fn same_trees<'a, 'b, A: Tree<'a>, B: Tree<'b>>(a: A, b: B, budget: &mut Budget) -> Flow<bool> {
    budget.charge(1)?;
    if a.kind() != b.kind() || a.len() != b.len() {
        return Ok(false);
    }
    match a.kind() {
        Kind::Array => {
            for index in 0..a.len() {
                let (Some(a), Some(b)) = (a.at(index), b.at(index)) else { return Ok(false) };
                if !same_trees(a, b, budget)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        Kind::Object => {
            for index in 0..a.len() {
                let (Some(name), Some(value)) = (a.name_at(index), a.at(index)) else {
                    return Ok(false);
                };
                let Some((_, other)) = b.member(name) else { return Ok(false) };
                if !same_trees(value, other, budget)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        Kind::String => {
            let (Some(a), Some(b)) = (a.as_str(), b.as_str()) else { return Ok(false) };
            budget.charge(a.len() / 256)?;
            Ok(*a == *b)
        }
        _ => Ok(same_scalars(of_tree(a), of_tree(b))),
    }
}
