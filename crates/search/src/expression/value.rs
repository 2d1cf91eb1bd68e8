//! A value of a row: nothing, a number, a text, a list.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use crate::number;

/// What a property of a row is.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// The row has no such value.
    #[default]
    Null,
    Number(f64),
    /// Text, or any bytes.
    Text(Vec<u8>),
    List(Vec<Value>),
}

impl Value {
    /// A text.
    pub fn text(text: impl Into<Vec<u8>>) -> Self {
        Self::Text(text.into())
    }

    /// Whether there is no value.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// 1 or 0.
    pub(super) fn truth(is: bool) -> Self {
        Self::Number(f64::from(u8::from(is)))
    }

    /// Whether it counts as true: a number that is not 0, a text or list that is not empty.
    pub fn is_true(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Number(number) => *number != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::List(list) => !list.is_empty(),
        }
    }

    /// It as a number, if it is one or is the text of one.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(text) => number::parse(text),
            Self::Null | Self::List(_) => None,
        }
    }

    /// It as text, if it is a text or a number.
    pub fn as_text(&self) -> Option<Vec<u8>> {
        match self {
            Self::Number(number) => Some(number::print(*number).into_bytes()),
            Self::Text(text) => Some(text.clone()),
            Self::Null | Self::List(_) => None,
        }
    }

    /// The order of two values of which one may be of another type: `Null`, numbers by size, texts
    /// by bytes, lists. Total, so that it sorts.
    pub fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => order_numbers(*a, *b),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::List(a), Self::List(b)) => {
                let unequal = a.iter().zip(b).map(|(a, b)| a.order(b)).find(|order| order.is_ne());
                unequal.unwrap_or_else(|| a.len().cmp(&b.len()))
            }
            _ => self.rank().cmp(&other.rank()),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Null => 0,
            Self::Number(_) => 1,
            Self::Text(_) => 2,
            Self::List(_) => 3,
        }
    }

    /// How an expression compares two values: as [`Value::order`], but a number and a text as
    /// numbers if the text is one, else as texts. `None` where one is `Null` and the other is not.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Null, Self::Null) => Some(Ordering::Equal),
            (Self::Null, _) | (_, Self::Null) => None,
            (Self::Number(a), Self::Text(text)) => Some(compare_mixed(*a, text)),
            (Self::Text(text), Self::Number(b)) => Some(compare_mixed(*b, text).reverse()),
            (Self::Number(a), Self::Number(b)) => a.partial_cmp(b),
            _ => Some(self.order(other)),
        }
    }

    /// Bytes that it takes beyond itself.
    pub fn heap(&self) -> usize {
        match self {
            Self::Null | Self::Number(_) => 0,
            Self::Text(text) => text.capacity(),
            Self::List(list) => {
                list.capacity() * size_of::<Self>() + list.iter().map(Self::heap).sum::<usize>()
            }
        }
    }
}

fn order_numbers(a: f64, b: f64) -> Ordering {
    // Both zeros are one number; NaN is above all.
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

fn compare_mixed(number: f64, text: &[u8]) -> Ordering {
    match number::parse(text) {
        Some(other) => order_numbers(number, other),
        None => number::print(number).as_bytes().cmp(text),
    }
}

/// One representation for each number that is equal.
fn bits(number: f64) -> u64 {
    if number.is_nan() {
        f64::NAN.to_bits()
    } else if number == 0.0 {
        0
    } else {
        number.to_bits()
    }
}

/// Equal as keys of groups: of one type, and of one value.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Number(a), Self::Number(b)) => bits(*a) == bits(*b),
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::List(a), Self::List(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.rank().hash(state);
        match self {
            Self::Null => {}
            Self::Number(number) => bits(*number).hash(state),
            Self::Text(text) => text.hash(state),
            Self::List(list) => list.hash(state),
        }
    }
}
