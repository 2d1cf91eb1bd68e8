//! Rows as columns, for a client that asks for them: packed, in the order of little-endian.
//!
//! ```text
//!   [ header, column …, entities, lines ]     each part bytes, or several of them to be joined
//!
//!   column     kind: 1 byte | some are missing: 1 byte | rows: 8 bytes
//!              | bits of those that are there, where some are missing | cells
//!   entities   nodes: 4 bytes | relationships: 4 bytes | node … | relationship …
//!              | labels | types | keys
//! ```
//!
//! What a cell is, see [`kind`]; what stands in lists, maps and properties, see [`value`]. Nodes
//! and relationships are places among the entities, where each is told once, with the names that it
//! needs: a client asks for none. `docs/internals/graph-columns.md` has all of it.

mod column;
mod entities;
mod kind;
mod value;

use ::graph::query::Answer;
use ::graph::storage::View;
use base::{CmdError, Pace, Reply};

use self::entities::Entities;

/// Rows that are a piece of work, and units of their values.
const PIECE: usize = 4096;
/// A part that is longer than this goes as several strings.
const LONGEST: usize = 64 << 20;

/// How many parts the rows of an answer are.
pub(super) fn parts(answer: &Answer) -> usize {
    answer.columns.len() + 1
}

/// Writes the rows of an answer, so many at most: its parts, one behind the other. What the others
/// alone name is not among the entities.
///
/// # Errors
/// It is to end.
pub(super) fn write(
    view: &View,
    (answer, most): (&Answer, usize),
    pace: &mut dyn Pace,
    out: &mut dyn Reply,
) -> Result<(), CmdError> {
    let mut going = Going { pace, out, holds: answer.memory() };
    let mut entities = Entities::default();
    for place in 0..answer.columns.len() {
        let bytes = column::packed((answer, most), place, &mut entities, &mut going)?;
        part(&bytes, going.out);
    }
    let bytes = entities.packed(view, &mut going)?;
    part(&bytes, going.out);
    Ok(())
}

fn part(bytes: &[u8], out: &mut dyn Reply) {
    if bytes.len() <= LONGEST {
        return out.bulk(bytes);
    }
    let pieces = bytes.chunks(LONGEST);
    out.array(pieces.len());
    pieces.for_each(|piece| out.bulk(piece));
}

/// What is asked whether it goes on.
struct Going<'a> {
    pace: &'a mut dyn Pace,
    out: &'a mut dyn Reply,
    /// The bytes of the answer's rows.
    holds: usize,
}

impl Going<'_> {
    /// Whether it goes on with these bytes, which are to be written later, and so many beside.
    fn on(&mut self, bytes: &[u8], beside: usize) -> Result<(), CmdError> {
        if bytes.len() > self.out.room() {
            // What does not fit says so itself, and nothing of it is kept.
            self.out.bulk(bytes);
        }
        self.pace.go_on(&*self.out, self.holds.saturating_add(bytes.len()).saturating_add(beside))
    }
}

/// Appends a number of four bytes: no list, text or set of entities has more than they hold.
fn count(number: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
}

/// Appends a text behind its length.
fn text(text: &str, out: &mut Vec<u8>) {
    count(text.len(), out);
    out.extend_from_slice(text.as_bytes());
}
