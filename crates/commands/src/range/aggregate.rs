//! RANGE.AGGREGATE.

use ::json::Tree;
use base::{Args, CmdError, Command, Effect, Reply, Run, Spec, error, num};
use types::{Documents, Held, KeyList, Ordered, Span};

use super::{COMPLEXITY, READING, span};
use crate::json::document;

/// Keys looked at at once.
const PIECE: usize = 512;
/// Documents looked at in one step: their shards are held meanwhile.
const DOCUMENTS: usize = 64;

/// What is made of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Sum,
    Average,
    Least,
    Greatest,
    Count,
}

/// Makes one number of those that the keys between two bounds hold.
pub struct Aggregate<'a> {
    span: Span<'a>,
    function: Function,
    path: Option<&'a [u8]>,
}

impl<'a> Command<'a> for Aggregate<'a> {
    const SPEC: Spec = Spec {
        name: "range.aggregate",
        summary: "Answers sum, average, minimum, maximum or count of the numbers that the keys \
                  between two bounds hold.",
        complexity: COMPLEXITY,
        grammar: "start:string end:string function=(SUM | AVG | MIN | MAX | COUNT) \
                  [PATH path:string]",
        ..READING
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let span = span::between(args.next()?, args.next()?)?;
        let function = match args.next()?.to_ascii_uppercase().as_slice() {
            b"SUM" => Function::Sum,
            b"AVG" => Function::Average,
            b"MIN" => Function::Least,
            b"MAX" => Function::Greatest,
            b"COUNT" => Function::Count,
            _ => return Err(error::SYNTAX),
        };
        let path = if args.token("PATH") { Some(args.next()?) } else { None };
        args.end()?;
        Ok(Aggregate { span, function, path })
    }
}

impl<H: Ordered + Documents> Run<H> for Aggregate<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let (mut numbers, mut last) = (Numbers::default(), None::<Vec<u8>>);
        let piece = if self.path.is_some() { DOCUMENTS } else { PIECE };
        loop {
            let left = last.as_ref().map_or(self.span, |name| span::rest(self.span, false, name));
            let mut names = KeyList::default();
            host.names(left, false, piece, &mut names)?;
            match self.path {
                Some(path) => add_documents(host, &names, path, &mut numbers)?,
                None => add_strings(host, &names, &mut numbers),
            }
            match names.last() {
                Some(name) => last = Some(name.to_vec()),
                None => break,
            }
        }
        numbers.answer(self.function, out);
        Ok(Effect::None)
    }
}

/// Adds the strings that are numbers.
fn add_strings<H: Ordered>(host: &mut H, names: &KeyList, numbers: &mut Numbers) {
    let mut found = vec![None; names.len()];
    host.look_at(names, &mut |at, held| {
        if let Held::Text(text) = held {
            found[at] = num::parse_f64(text).filter(|number| number.is_finite());
        }
    });
    // In the order of names: what a sum of doubles comes to depends on it.
    for (number, name) in found.into_iter().zip(names.iter()) {
        if let Some(number) = number
            && host.may(name)
        {
            numbers.add(number);
        }
    }
}

/// Adds the numbers at a path of documents.
fn add_documents<H: Ordered + Documents>(
    host: &mut H,
    names: &KeyList,
    path: &[u8],
    numbers: &mut Numbers,
) -> Result<(), CmdError> {
    host.with_tools(|host, tools| {
        let path = document::selection(tools, path)?;
        host.hold(names, |host| {
            for name in names.iter() {
                if !host.may(name) {
                    continue;
                }
                let key = host.key_of(name);
                let looked = document::look(host, key, tools.lookers(), |root, budget| {
                    document::matches(&path, root, budget).map(|found| {
                        let found = found.into_iter().filter_map(|node| node.as_num());
                        found.for_each(|number| numbers.add(number.as_f64()));
                    })
                });
                // A key of another type is passed over; a path that takes too long is not.
                if let Ok(Some(Err(error))) = looked {
                    return Err(error);
                }
            }
            Ok(())
        })
    })
}

/// Numbers that come one by one.
#[derive(Debug)]
struct Numbers {
    count: usize,
    sum: f64,
    /// What was lost of the sum by rounding (Neumaier, "Rundungsfehleranalyse einiger Verfahren zur
    /// Summation endlicher Summen", 1974).
    lost: f64,
    least: f64,
    greatest: f64,
}

impl Default for Numbers {
    fn default() -> Self {
        let (least, greatest) = (f64::INFINITY, f64::NEG_INFINITY);
        Numbers { count: 0, sum: 0.0, lost: 0.0, least, greatest }
    }
}

impl Numbers {
    fn add(&mut self, number: f64) {
        let sum = self.sum + number;
        self.lost += if self.sum.abs() >= number.abs() {
            (self.sum - sum) + number
        } else {
            (number - sum) + self.sum
        };
        self.sum = sum;
        self.count += 1;
        self.least = self.least.min(number);
        self.greatest = self.greatest.max(number);
    }

    fn sum(&self) -> f64 {
        // Beyond all doubles nothing is known of what was lost.
        if self.sum.is_finite() { self.sum + self.lost } else { self.sum }
    }

    fn answer(&self, function: Function, out: &mut dyn Reply) {
        match function {
            Function::Count => out.count(self.count),
            Function::Sum => out.double(self.sum()),
            _ if self.count == 0 => out.null(),
            Function::Average => out.double(self.sum() / self.count as f64),
            Function::Least => out.double(self.least),
            Function::Greatest => out.double(self.greatest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Numbers;

    #[test]
    fn small_numbers_are_not_lost_beside_large_ones() {
        let mut numbers = Numbers::default();
        [1e100, 1.0, -1e100, 1.0].into_iter().for_each(|number| numbers.add(number));
        assert_eq!(numbers.sum().to_bits(), 2.0_f64.to_bits());
        assert_eq!((numbers.least, numbers.greatest), (-1e100, 1e100));
        (0..2).for_each(|_| numbers.add(f64::MAX));
        assert!(numbers.sum().is_infinite());
    }
}
