//! A scalar as it stands in a text, to be put into a document without one of its own in between.
//!
//! What most clients put at a path is a number, a flag or a short text. Making a document of it
//! first costs several times what putting it there does. Everything else, texts with escapes and
//! what is no JSON among it, is left to [`Value::parse`], which knows what to say of it.

use smallvec::SmallVec;

use crate::cell::{Cell, SHORT, TENS};
use crate::edit::{EditError, Spot};
use crate::lex::{self, Number};
use crate::node::Seen;
use crate::path::Path;
use crate::registry::Registry;
use crate::tree::Num;
use crate::value::Value;

/// A scalar that borrows its text.
#[derive(Clone, Copy, Debug)]
pub struct Scalar<'t>(What<'t>);

#[derive(Clone, Copy, Debug)]
enum What<'t> {
    Literal(Cell),
    Num(Num),
    /// A string that is written as it is.
    Text(&'t [u8]),
}

impl<'t> Scalar<'t> {
    /// The scalar that a text is, if it is one without white space around it and without escapes.
    ///
    /// ```
    /// use kvist_json::Scalar;
    /// assert!(Scalar::parse(b"-1.5").is_some() && Scalar::parse(b"\"text\"").is_some());
    /// for other in ["[1]", " 1", "01", "1e999", "\"a\\n\"", "nul", ""] {
    ///     assert!(Scalar::parse(other.as_bytes()).is_none(), "{other}");
    /// }
    /// ```
    #[must_use]
    pub fn parse(text: &'t [u8]) -> Option<Scalar<'t>> {
        let what = match text.first()? {
            b'"' => {
                let inside = text.get(1..text.len().checked_sub(1)?)?;
                let is_whole = lex::plain_end(text, 1) == inside.len() + 1;
                let is_text = is_whole && text.ends_with(b"\"") && str::from_utf8(inside).is_ok();
                What::Text(is_text.then_some(inside)?)
            }
            b'-' | b'0'..=b'9' => What::Num(number(text)?),
            _ => What::Literal(match text {
                b"true" => Cell::TRUE,
                b"false" => Cell::FALSE,
                b"null" => Cell::NULL,
                _ => return None,
            }),
        };
        Some(Scalar(what))
    }
}

fn number(text: &[u8]) -> Option<Num> {
    let (number, end) = lex::number(text, 0).ok()?;
    if end != text.len() {
        return None;
    }
    Some(match number {
        Number::Int(value) => Num::I64(value),
        Number::Uint(value) => Num::U64(value),
        Number::Float(value) => Num::F64(value),
        Number::Decimal(negative, mantissa, places) => {
            // Both are exact, and so is the double nearest to their quotient.
            let size = mantissa as f64 / TENS.get(places as usize)?;
            Num::F64(if negative { -size } else { size })
        }
    })
}

impl Value {
    /// Puts a scalar in the place of the value that a static path leads to; `None` if it leads
    /// nowhere or is not static, and then nothing has happened. As [`replace`](Value::replace),
    /// with less ado; a string is not looked up among those that documents share.
    ///
    /// # Errors
    /// [`EditError::TooLarge`].
    pub fn put_scalar(
        &mut self,
        path: &Path,
        scalar: Scalar<'_>,
        registry: &mut Registry,
    ) -> Option<Result<(), EditError>> {
        if !path.is_static() {
            return None;
        }
        let spot = match path.one(self.root())?.what {
            Seen::Cell(_, at) => Spot::Cell(at as usize),
            // Elements of packed arrays do not know where they are.
            Seen::Num(_) | Seen::Single(_) => {
                let location = path.location(self.root())?;
                let places: SmallVec<[usize; 8]> =
                    location.iter().map(|step| step.position()).collect();
                self.spot(&places).ok()?
            }
        };
        Some(self.put_at(spot, scalar, registry))
    }

    fn put_at(
        &mut self,
        spot: Spot,
        scalar: Scalar<'_>,
        registry: &mut Registry,
    ) -> Result<(), EditError> {
        if let (Spot::Packed(at, index), What::Num(num)) = (spot, scalar.0)
            && self.repack(at, index, num)
        {
            return Ok(());
        }
        let text = if let What::Text(text) = scalar.0 { text.len() } else { SHORT };
        self.admit_bytes(self.unpacked(spot) + text)?;
        let at = self.cell_at(spot);
        match scalar.0 {
            What::Num(num) => self.set_num(at, num),
            What::Text(text) => self.set_text(at, text, true),
            What::Literal(cell) => {
                self.arena.give_up_value(self.arena.cell(at));
                self.arena.set_cell(at, cell);
            }
        }
        self.settle(registry);
        Ok(())
    }
}
