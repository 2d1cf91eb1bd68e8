//! Putting elements in order, by number or by bytes.

use std::cmp::Ordering;

use base::{CmdError, num};

/// Which end comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Ascending,
    Descending,
}

/// How elements are compared.
pub(super) struct Order {
    pub alpha: bool,
    pub direction: Direction,
}

/// What an element is compared by.
enum Weight {
    Number(f64),
    /// A missing text comes before all others.
    Text(Option<Vec<u8>>),
}

impl Order {
    /// Sorts elements by their weights. `by_other` says that the weight is not the element
    /// itself: then elements of equal numbers are ordered by their own bytes.
    ///
    /// # Errors
    /// A weight should be a number and is not.
    pub fn sort(
        &self,
        elements: Vec<Vec<u8>>,
        by_other: bool,
        weigh: impl Fn(&[u8]) -> Option<Vec<u8>>,
    ) -> Result<Vec<Vec<u8>>, CmdError> {
        let weight = |element: &Vec<u8>| -> Result<Weight, CmdError> {
            let text = weigh(element);
            if self.alpha {
                return Ok(Weight::Text(text));
            }
            // A missing weight counts as zero.
            text.map_or(Some(0.0), |text| number(&text)).map(Weight::Number).ok_or(NOT_A_NUMBER)
        };
        let weights: Result<Vec<Weight>, CmdError> = elements.iter().map(weight).collect();
        let mut pairs: Vec<(Weight, Vec<u8>)> = weights?.into_iter().zip(elements).collect();
        pairs.sort_by(|a, b| {
            let order = match (&a.0, &b.0) {
                (Weight::Number(x), Weight::Number(y)) => {
                    x.partial_cmp(y).unwrap_or(Ordering::Equal).then_with(|| a.1.cmp(&b.1))
                }
                (Weight::Text(x), Weight::Text(y)) if by_other => x.cmp(y),
                _ => a.1.cmp(&b.1),
            };
            match self.direction {
                Direction::Ascending => order,
                Direction::Descending => order.reverse(),
            }
        });
        Ok(pairs.into_iter().map(|(_, element)| element).collect())
    }
}

const NOT_A_NUMBER: CmdError =
    CmdError::new("ERR One or more scores can't be converted into double");

/// A weight as `strtod` reads it; an overflow is no number.
fn number(text: &[u8]) -> Option<f64> {
    let number = num::parse_bound(text).filter(|d| !d.is_nan())?;
    let spelled = text.iter().any(|byte| matches!(byte, b'i' | b'I'));
    (number.is_finite() || spelled).then_some(number)
}
