//! The values of expressions: operands, arithmetic, conditions.
//!
//! An operand is nothing, one value, or several: a path that may select several values gives a list
//! even if it selects one. Whatever does not fit (a sum of strings, a division by zero, a missing
//! member) is nothing, and no comparison with nothing holds but `!=`; no evaluation fails but for
//! want of budget.

use smallvec::SmallVec;

use super::budget::Flow;
use super::compare::{self, equal, number, order};
use super::functions;
use super::literal::Literal;
use super::pattern::Usage;
use super::syntax::{Arithmetic, Comparison, Expr, Logic, Query, Relation};
use super::walk::{Run, follow};
use crate::tree::{Kind, Num, Tree};

/// A value that a path computed, or one of the document.
#[derive(Clone, Debug)]
pub enum Computed<'p, T> {
    /// A value of the document.
    Node(T),
    /// A value that stands in the path.
    Literal(&'p Literal),
    /// A number.
    Num(Num),
    /// A string.
    Str(Box<str>),
    /// A truth value.
    Bool(bool),
    /// An array.
    List(Vec<Computed<'p, T>>),
}

pub(super) type Values<'p, T> = SmallVec<[Computed<'p, T>; 2]>;

/// What an expression gives.
pub(super) enum Operand<'p, T> {
    Nothing,
    One(Computed<'p, T>),
    /// The values of a path that may select several.
    Nodes(Values<'p, T>),
    /// The items of a computed list.
    List(Values<'p, T>),
}

impl<'p, T> Operand<'p, T> {
    pub fn values(&self) -> &[Computed<'p, T>] {
        match self {
            Operand::Nothing => &[],
            Operand::One(value) => std::slice::from_ref(value),
            Operand::Nodes(values) | Operand::List(values) => values,
        }
    }

    /// The value, if it is exactly one.
    pub fn single(&self) -> Option<&Computed<'p, T>> {
        match self.values() {
            [value] => Some(value),
            _ => None,
        }
    }
}

impl<'p, T> From<Option<Computed<'p, T>>> for Operand<'p, T> {
    fn from(value: Option<Computed<'p, T>>) -> Self {
        value.map_or(Operand::Nothing, Operand::One)
    }
}

impl<'a, T: Tree<'a>> Run<'a, '_, T> {
    /// Whether a condition holds for the value that `@` means.
    pub fn holds(&mut self, condition: &Logic, current: T) -> Flow<bool> {
        match condition {
            Logic::Any(all) => {
                for one in all {
                    if self.holds(one, current)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Logic::All(all) => {
                for one in all {
                    if !self.holds(one, current)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Logic::Not(inner) => Ok(!self.holds(inner, current)?),
            Logic::Compare(comparison) => self.compare(comparison, current),
            Logic::Matches(operands) => {
                let (left, right, ready) = &**operands;
                let left = self.operand(left, current)?;
                if let Some(pattern) = ready {
                    for value in left.values() {
                        if let Some(text) = compare::text(value)
                            && pattern.matches(&text, self.budget)?
                        {
                            return Ok(true);
                        }
                    }
                    return Ok(false);
                }
                let right = self.operand(right, current)?;
                self.matches(&left, &right, Usage::Operator)
            }
            Logic::Test(Expr::Query(query)) => self.exists(query, current),
            Logic::Test(expr) => Ok(match self.operand(expr, current)? {
                Operand::Nothing => false,
                Operand::One(Computed::Bool(answer)) => answer,
                Operand::One(_) => true,
                Operand::Nodes(values) | Operand::List(values) => !values.is_empty(),
            }),
        }
    }

    /// Whether any text of one side matches any pattern of the other.
    pub fn matches(
        &mut self,
        texts: &Operand<'_, T>,
        patterns: &Operand<'_, T>,
        usage: Usage,
    ) -> Flow<bool> {
        for text in texts.values().iter().filter_map(compare::text) {
            for pattern in patterns.values().iter().filter_map(compare::text) {
                if self.patterns.matches(&pattern, usage, &text, self.budget)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn compare(&mut self, comparison: &Comparison, current: T) -> Flow<bool> {
        let Comparison { left, relation, right } = comparison;
        if let (Some(a), Some(b)) = (self.plain(left, current)?, self.plain(right, current)?) {
            use Relation::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
            let orders = [Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual];
            if orders.contains(relation) {
                self.budget.charge(1)?;
                return match (a, b) {
                    (Some(a), Some(b)) => self.pair(&a, *relation, &b),
                    _ => Ok(of_nothing(*relation)),
                };
            }
        }
        let left = self.operand(&comparison.left, current)?;
        let right = self.operand(&comparison.right, current)?;
        match comparison.relation {
            Relation::In => return functions::is_in(&left, &right, self.budget),
            Relation::NotIn => return Ok(!functions::is_in(&left, &right, self.budget)?),
            Relation::SubsetOf | Relation::AnyOf | Relation::NoneOf => {
                return functions::relate(comparison.relation, &left, &right, self.budget);
            }
            Relation::Size => return Ok(functions::has_size(&left, &right)),
            Relation::Empty => return Ok(functions::is_empty(&left, &right)),
            _ => {}
        }
        if left.values().is_empty() || right.values().is_empty() {
            return Ok(of_nothing(comparison.relation));
        }
        for a in left.values() {
            for b in right.values() {
                if self.pair(a, comparison.relation, b)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// One value at most, without the detour over an operand: nearly all comparisons are between
    /// a member and a literal. `None` if the expression is anything else.
    fn plain<'p>(&mut self, expr: &'p Expr, current: T) -> Flow<Option<Option<Computed<'p, T>>>> {
        Ok(match expr {
            Expr::Literal(literal) => Some(Some(Computed::Literal(literal))),
            Expr::Query(query) if query.singular => {
                self.budget.charge(query.price)?;
                let found = follow(self.start(query, current), &query.segments);
                Some(found.map(Computed::Node))
            }
            _ => None,
        })
    }

    fn pair(&mut self, a: &Computed<'_, T>, relation: Relation, b: &Computed<'_, T>) -> Flow<bool> {
        match relation {
            Relation::Equal => return equal(a, b, self.budget),
            Relation::NotEqual => return Ok(!equal(a, b, self.budget)?),
            _ => {}
        }
        let Some(order) = order(a, b, self.budget)? else { return Ok(false) };
        Ok(match relation {
            Relation::Less => order.is_lt(),
            Relation::LessOrEqual => order.is_le(),
            Relation::Greater => order.is_gt(),
            Relation::GreaterOrEqual => order.is_ge(),
            _ => false,
        })
    }

    /// The value of an expression.
    pub fn operand<'p>(&mut self, expr: &'p Expr, current: T) -> Flow<Operand<'p, T>> {
        self.budget.charge(1)?;
        match expr {
            Expr::Literal(literal) => Ok(Operand::One(Computed::Literal(literal))),
            Expr::Query(query) => self.selected(query, current),
            Expr::Keys(query) => {
                let receiver = self.selected(query, current)?;
                self.keys(&receiver)
            }
            Expr::Call(call) => self.call(call, current),
            Expr::Chain(chain) => {
                let (first, others) = &**chain;
                let mut value = self.number(first, current)?;
                for (operator, operand) in others {
                    // Evaluated even if the value is nothing already, to keep the price simple.
                    let operand = self.number(operand, current)?;
                    let both = value.zip(operand);
                    value = both.and_then(|(a, b)| calculate(a, *operator, b));
                }
                Ok(value.map(Computed::Num).into())
            }
            Expr::Negate(inner) => {
                let value = self.number(inner, current)?;
                Ok(value.and_then(negated).map(Computed::Num).into())
            }
            Expr::Number(inner) => Ok(self.number(inner, current)?.map(Computed::Num).into()),
        }
    }

    /// The number an expression gives, if it gives one number.
    fn number(&mut self, expr: &Expr, current: T) -> Flow<Option<Num>> {
        Ok(self.operand(expr, current)?.single().and_then(number))
    }

    fn selected<'p>(&mut self, query: &Query, current: T) -> Flow<Operand<'p, T>> {
        if query.singular {
            self.budget.charge(query.price)?;
            let found = follow(self.start(query, current), &query.segments);
            return Ok(found.map(Computed::Node).into());
        }
        let mut values = SmallVec::new();
        self.query(query, current, &mut |value| {
            values.push(Computed::Node(value));
            Ok(())
        })?;
        Ok(Operand::Nodes(values))
    }

    /// The names of the members of every object among the values.
    pub fn keys<'p>(&mut self, receiver: &Operand<'_, T>) -> Flow<Operand<'p, T>> {
        let mut names = Values::new();
        let mut objects = false;
        for value in receiver.values() {
            objects |= match value {
                Computed::Node(node) => self.names_of(*node, &mut names)?,
                Computed::Literal(literal) => self.names_of(*literal, &mut names)?,
                _ => false,
            };
        }
        Ok(if objects { Operand::List(names) } else { Operand::Nothing })
    }

    /// Adds the names of an object's members; `false` if it is none.
    fn names_of<'x, 'p, X: Tree<'x>>(&mut self, value: X, names: &mut Values<'p, T>) -> Flow<bool> {
        for name in (0..value.len()).map_while(|at| value.name_at(at)) {
            self.budget.charge(1 + name.len() / 8)?;
            names.push(Computed::Str(name.into()));
        }
        Ok(value.kind() == Kind::Object)
    }
}

/// Whether a relation holds with nothing on a side: nothing is equal to no value and has no order,
/// so it is different from any.
fn of_nothing(relation: Relation) -> bool {
    relation == Relation::NotEqual
}

/// A number as a double.
pub(super) fn double(num: Num) -> f64 {
    match num {
        // Rounding to the nearest double is what arithmetic with doubles means.
        Num::I64(value) => value as f64,
        Num::U64(value) => value as f64,
        Num::F64(value) => value,
    }
}

/// Integers stay integers, exactly, signed or not, and never overflow; everything else is a
/// finite double.
pub(super) fn calculate(a: Num, operator: Arithmetic, b: Num) -> Option<Num> {
    if let (Some(a), Some(b)) = (compare::whole(a), compare::whole(b))
        && operator != Arithmetic::Divide
    {
        return integer(match operator {
            Arithmetic::Add => a.checked_add(b),
            Arithmetic::Subtract => a.checked_sub(b),
            Arithmetic::Multiply => a.checked_mul(b),
            _ => a.checked_rem(b),
        }?);
    }
    let (a, b) = (double(a), double(b));
    let result = match operator {
        Arithmetic::Add => a + b,
        Arithmetic::Subtract => a - b,
        Arithmetic::Multiply => a * b,
        Arithmetic::Divide => a / b,
        Arithmetic::Remainder => a % b,
    };
    result.is_finite().then_some(Num::F64(result))
}

/// An integer, if it is one that a document can hold.
fn integer(value: i128) -> Option<Num> {
    i64::try_from(value).map(Num::I64).or_else(|_| u64::try_from(value).map(Num::U64)).ok()
}

fn negated(num: Num) -> Option<Num> {
    match compare::whole(num) {
        Some(value) => integer(-value),
        None => Some(Num::F64(-double(num))),
    }
}
