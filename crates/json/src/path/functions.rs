//! The functions, and the relations between arrays.
//!
//! Where a function works on an array, it takes an array of the document or of the path, a computed
//! list, or the values of a path that may select several. One value that is an array is that array,
//! however it was selected.

use smallvec::SmallVec;

use super::budget::{Budget, Flow};
use super::compare::{self, compare_numbers, equal, number};
use super::compute::{Computed, Operand, calculate, double};
use super::literal::Literal;
use super::pattern::Usage;
use super::syntax::{Arithmetic, Call, Function, Relation};
use super::walk::{Run, element};
use crate::tree::{Kind, Num, Tree};

/// The items of something that serves as an array.
enum Items<'o, 'p, T> {
    Node(T),
    Literal(&'p Literal),
    Values(&'o [Computed<'p, T>]),
}

impl<'a, 'o, 'p, T: Tree<'a>> Items<'o, 'p, T> {
    fn of(operand: &'o Operand<'p, T>) -> Option<Items<'o, 'p, T>> {
        let array = match operand.single() {
            Some(Computed::Node(node)) => {
                (node.kind() == Kind::Array).then_some(Items::Node(*node))
            }
            Some(Computed::Literal(literal)) => {
                (literal.kind() == Kind::Array).then_some(Items::Literal(literal))
            }
            Some(Computed::List(list)) => Some(Items::Values(list)),
            _ => None,
        };
        match operand {
            Operand::Nodes(values) => Some(array.unwrap_or(Items::Values(values))),
            Operand::List(values) => Some(Items::Values(values)),
            _ => array,
        }
    }

    fn len(&self) -> usize {
        match self {
            Items::Node(node) => node.len(),
            Items::Literal(literal) => literal.len(),
            Items::Values(values) => values.len(),
        }
    }

    fn get(&self, index: usize) -> Option<Computed<'p, T>> {
        match self {
            Items::Node(node) => node.at(index).map(Computed::Node),
            Items::Literal(literal) => literal.at(index).map(Computed::Literal),
            Items::Values(values) => values.get(index).cloned(),
        }
    }

    fn iter(&self) -> impl Iterator<Item = Computed<'p, T>> {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    fn contains(&self, value: &Computed<'_, T>, budget: &mut Budget) -> Flow<bool> {
        for item in self.iter() {
            if equal(value, &item, budget)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// `in`: any value on the left is among the items on the right.
pub(super) fn is_in<'a, T: Tree<'a>>(
    left: &Operand<'_, T>,
    right: &Operand<'_, T>,
    budget: &mut Budget,
) -> Flow<bool> {
    let Some(items) = Items::of(right) else { return Ok(false) };
    for value in left.values() {
        if items.contains(value, budget)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// `subsetof`, `anyof`, `noneof`.
pub(super) fn relate<'a, T: Tree<'a>>(
    relation: Relation,
    left: &Operand<'_, T>,
    right: &Operand<'_, T>,
    budget: &mut Budget,
) -> Flow<bool> {
    let (Some(left), Some(right)) = (Items::of(left), Items::of(right)) else { return Ok(false) };
    // What a single item on the left decides, and what is left if none does.
    let (decisive, answer) = match relation {
        Relation::SubsetOf => (false, false),
        Relation::AnyOf => (true, true),
        _ => (true, false),
    };
    for value in left.iter() {
        if right.contains(&value, budget)? == decisive {
            return Ok(answer);
        }
    }
    Ok(!answer)
}

/// Characters, elements, members.
fn length<'a, T: Tree<'a>>(value: &Computed<'_, T>) -> Option<usize> {
    let of_container = match value {
        Computed::Node(node) => counted(*node),
        Computed::Literal(literal) => counted(*literal),
        Computed::List(list) => Some(list.len()),
        _ => None,
    };
    of_container.or_else(|| compare::text(value).map(|text| text.chars().count()))
}

fn counted<'x, X: Tree<'x>>(value: X) -> Option<usize> {
    matches!(value.kind(), Kind::Array | Kind::Object).then(|| value.len())
}

/// The length of one value, or how many there are.
fn size<'a, T: Tree<'a>>(operand: &Operand<'_, T>) -> Option<usize> {
    match operand {
        Operand::Nothing => None,
        Operand::One(value) => length(value),
        Operand::List(values) => Some(values.len()),
        Operand::Nodes(values) => match &**values {
            [value] => length(value),
            values => Some(values.len()),
        },
    }
}

/// `size`: the right side is truncated to an integer.
pub(super) fn has_size<'a, T: Tree<'a>>(left: &Operand<'_, T>, right: &Operand<'_, T>) -> bool {
    let wanted = right.single().and_then(number).and_then(truncated);
    let size = size(left).and_then(|size| i64::try_from(size).ok());
    size.is_some() && size == wanted
}

/// `empty`: the right side says whether it should be.
pub(super) fn is_empty<'a, T: Tree<'a>>(left: &Operand<'_, T>, right: &Operand<'_, T>) -> bool {
    let wanted = right.single().and_then(compare::bool);
    let empty = size(left).map(|size| size == 0);
    empty.is_some() && empty == wanted
}

/// The integer towards zero.
fn truncated(num: Num) -> Option<i64> {
    match num {
        Num::I64(value) => Some(value),
        Num::U64(value) => i64::try_from(value).ok(),
        // Out of range it saturates, and no array is that long.
        Num::F64(value) => (!value.is_nan()).then_some(value.trunc() as i64),
    }
}

fn integer<'p, T>(value: usize) -> Computed<'p, T> {
    Computed::Num(Num::I64(i64::try_from(value).unwrap_or(i64::MAX)))
}

impl<'a, T: Tree<'a>> Run<'a, '_, T> {
    /// Calls a function.
    pub fn call<'p>(&mut self, call: &'p Call, current: T) -> Flow<Operand<'p, T>> {
        let Some(function) = call.function.filter(|f| f.takes(call.arguments.len())) else {
            return Ok(Operand::Nothing);
        };
        let mut arguments: SmallVec<[Operand<'p, T>; 2]> = SmallVec::new();
        for argument in &call.arguments {
            arguments.push(self.operand(argument, current)?);
        }
        let Some((first, others)) = arguments.split_first() else { return Ok(Operand::Nothing) };
        let value = match function {
            Function::Match => self.pattern(call, first, others, Usage::Match)?,
            Function::Search => self.pattern(call, first, others, Usage::Search)?,
            Function::Keys => return self.keys(first),
            Function::Append => return self.append(first, others),
            Function::Count => match (first, &call.arguments[0]) {
                (Operand::One(_), super::syntax::Expr::Literal(_)) => None,
                _ => Some(integer(first.values().len())),
            },
            Function::Value => first.single().cloned(),
            Function::Length => match first {
                Operand::List(names) => Some(integer(names.len())),
                _ => self.length(first)?,
            },
            Function::Concat => self.concat(&arguments)?,
            Function::Abs | Function::Ceiling | Function::Floor => {
                let num = first.single().and_then(number);
                num.and_then(|num| rounded(function, num)).map(Computed::Num)
            }
            Function::First => Items::of(first).and_then(|items| items.get(0)),
            Function::Last => {
                Items::of(first).and_then(|items| items.get(items.len().checked_sub(1)?))
            }
            Function::Index => Items::of(first).and_then(|items| {
                let index = others.first()?.single().and_then(number).and_then(truncated)?;
                items.get(element(items.len(), index)?)
            }),
            Function::Min | Function::Max | Function::Sum | Function::Avg | Function::Stddev => {
                self.aggregate(function, first)?
            }
        };
        Ok(value.into())
    }

    fn pattern<'p>(
        &mut self,
        call: &Call,
        text: &Operand<'p, T>,
        others: &[Operand<'p, T>],
        usage: Usage,
    ) -> Flow<Option<Computed<'p, T>>> {
        let mut found = false;
        match (&call.pattern, others.first()) {
            (Some(pattern), _) => {
                for text in text.values().iter().filter_map(compare::text) {
                    found = found || pattern.matches(&text, self.budget)?;
                }
            }
            (None, Some(patterns)) => found = self.matches(text, patterns, usage)?,
            (None, None) => {}
        }
        Ok(Some(Computed::Bool(found)))
    }

    /// Of one value; counting characters takes a look at each.
    fn length<'p>(&mut self, operand: &Operand<'p, T>) -> Flow<Option<Computed<'p, T>>> {
        let Some(value) = operand.single() else { return Ok(None) };
        self.budget.charge(compare::text(value).map_or(0, |text| text.len() / 32))?;
        Ok(length(value).map(integer))
    }

    fn concat<'p>(&mut self, arguments: &[Operand<'p, T>]) -> Flow<Option<Computed<'p, T>>> {
        let mut joined = String::new();
        for argument in arguments {
            let Some(text) = argument.single().and_then(compare::text) else { return Ok(None) };
            self.budget.charge(text.len() / 2)?;
            joined.push_str(&text);
        }
        Ok(Some(Computed::Str(joined.into())))
    }

    /// The items and the arguments behind them, each as one item.
    fn append<'p>(
        &mut self,
        first: &Operand<'p, T>,
        others: &[Operand<'p, T>],
    ) -> Flow<Operand<'p, T>> {
        let Some(items) = Items::of(first) else { return Ok(Operand::Nothing) };
        self.budget.charge(items.len() + others.len())?;
        let mut all: SmallVec<_> = items.iter().collect();
        for other in others {
            all.push(match other {
                Operand::Nothing => return Ok(Operand::Nothing),
                Operand::One(value) => value.clone(),
                Operand::Nodes(values) | Operand::List(values) => {
                    self.budget.charge(values.len())?;
                    Computed::List(values.to_vec())
                }
            });
        }
        Ok(Operand::List(all))
    }

    /// Strict: nothing if there are no items, or one is no number.
    fn aggregate<'p>(
        &mut self,
        function: Function,
        operand: &Operand<'p, T>,
    ) -> Flow<Option<Computed<'p, T>>> {
        let Some(items) = Items::of(operand) else { return Ok(None) };
        self.budget.charge(items.len())?;
        let numbers: Option<Vec<Num>> = items.iter().map(|item| number(&item)).collect();
        let numbers = numbers.unwrap_or_default();
        let Some((&first, others)) = numbers.split_first() else { return Ok(None) };
        let best = |wanted: std::cmp::Ordering| {
            others.iter().copied().fold(first, |best, num| {
                if compare_numbers(num, best) == Some(wanted) { num } else { best }
            })
        };
        let count = numbers.len() as f64;
        let result = match function {
            // As the other aggregates but the sum, they give doubles.
            Function::Min => Some(Num::F64(double(best(std::cmp::Ordering::Less)))),
            Function::Max => Some(Num::F64(double(best(std::cmp::Ordering::Greater)))),
            Function::Sum => {
                others.iter().try_fold(first, |sum, &num| calculate(sum, Arithmetic::Add, num))
            }
            Function::Avg => {
                Some(Num::F64(numbers.iter().copied().map(double).sum::<f64>() / count))
            }
            _ => {
                let mean = numbers.iter().copied().map(double).sum::<f64>() / count;
                let square = |num: Num| (double(num) - mean).powi(2);
                Some(Num::F64((numbers.iter().copied().map(square).sum::<f64>() / count).sqrt()))
            }
        };
        let finite = |num: &Num| double(*num).is_finite();
        Ok(result.filter(finite).map(Computed::Num))
    }
}

/// `abs`, `ceiling`, `floor`: the kind of the number stays.
fn rounded(function: Function, num: Num) -> Option<Num> {
    Some(match (num, function) {
        (Num::I64(value), Function::Abs) => Num::I64(value.checked_abs()?),
        (Num::F64(value), Function::Abs) => Num::F64(value.abs()),
        (Num::F64(value), Function::Ceiling) => Num::F64(value.ceil()),
        (Num::F64(value), _) => Num::F64(value.floor()),
        (whole, _) => whole,
    })
}
