//! Writes rows as columns.

use base::codec::{put_bytes, put_number};
use haystack::value::Rows;
use haystack::{Col, Dict, Zone};

use super::fill::Filling;
use super::{MAGIC, NA, SOME, form};
use crate::code::put_dict;

/// So many values are written before it is asked whether to go on.
const PIECE: usize = 4096;

/// Writes columns one after the other.
pub struct Writer<'o> {
    out: &'o mut Vec<u8>,
    rows: usize,
    column: Filling,
}

impl<'o> Writer<'o> {
    /// Begins: what is said of the whole, and how many columns will follow.
    #[must_use]
    pub fn new(out: &'o mut Vec<u8>, meta: &Dict, cols: usize, rows: usize) -> Writer<'o> {
        out.extend_from_slice(MAGIC);
        put_number(out, rows as u64);
        put_dict(out, meta);
        put_number(out, cols as u64);
        Writer { out, rows, column: Filling::default() }
    }

    /// Writes all rows, as long as `goes_on` says so of the bytes that they have taken: `false` if
    /// it did not, and then what was written is no reply.
    pub fn write(
        out: &'o mut Vec<u8>,
        rows: &(impl Rows + ?Sized),
        mut goes_on: impl FnMut(usize) -> bool,
    ) -> bool {
        let mut writer = Writer::new(out, rows.meta(), rows.cols().len(), rows.row_count());
        let cols = rows.cols().iter().enumerate();
        cols.into_iter().all(|(at, col)| writer.column(col, (rows, at), |_| false, &mut goes_on))
    }

    /// Writes the next column: the values that a column of some rows has. `lies` may take them as
    /// they lie, and says whether it has.
    pub(crate) fn column(
        &mut self,
        col: &Col,
        (rows, at): (&(impl Rows + ?Sized), usize),
        lies: impl FnOnce(&mut Filling) -> bool,
        goes_on: &mut dyn FnMut(usize) -> bool,
    ) -> bool {
        self.column.begin(self.rows, false);
        if !lies(&mut self.column) && !self.one_by_one((rows, at), goes_on) {
            return false;
        }
        self.put_column(col, |column, rows, out| column.finish(rows, out));
        goes_on(self.out.len())
    }

    /// Takes the values of the next column one by one; whether it went on to the end.
    fn one_by_one(
        &mut self,
        (rows, at): (&(impl Rows + ?Sized), usize),
        goes_on: &mut dyn FnMut(usize) -> bool,
    ) -> bool {
        let before = self.out.len();
        // What does not fit the form that the first value has is written again in the widest.
        for is_any in [false, true] {
            self.column.begin(self.rows, is_any);
            let (mut fits, mut goes) = (true, true);
            let column = &mut self.column;
            rows.visit(at, &mut |row, cell| {
                fits = column.put(row, &cell);
                if column.count.is_multiple_of(PIECE) {
                    goes = goes_on(before + column.size());
                }
                fits && goes
            });
            if !goes {
                return false;
            }
            if fits {
                break;
            }
        }
        true
    }

    /// Writes the next column, of instants: nanoseconds since 1970.
    pub fn instants(&mut self, col: &Col, zone: Zone, all: impl Iterator<Item = i64>) {
        self.put_column(col, |_, _, out| {
            out.extend_from_slice(&[form::INSTANTS, 0]);
            put_bytes(out, zone.full().as_bytes());
            all.for_each(|nanos| out.extend_from_slice(&nanos.to_le_bytes()));
        });
    }

    /// Writes the next column, of numbers of one unit. `na`: the places, in order, of those that
    /// are n/a and have a number that means nothing.
    pub fn numbers(&mut self, col: &Col, unit: Option<&str>, all: &[f64], na: &[usize]) {
        self.column.begin(self.rows, false);
        na.iter().for_each(|row| self.column.note_na(*row));
        self.put_column(col, |column, rows, out| {
            let is_some = |row: &usize| na.binary_search(row).is_err();
            let flags = if na.is_empty() { 0 } else { SOME | NA };
            out.extend_from_slice(&[form::NUMBERS, flags]);
            if !na.is_empty() {
                column.some.fill(0xff);
                na.iter().for_each(|row| clear(&mut column.some, *row));
                cut(&mut column.some, rows);
                out.extend_from_slice(&column.some);
                out.extend_from_slice(&column.na);
            }
            put_bytes(out, unit.unwrap_or_default().as_bytes());
            let put = |number: &f64| out.extend_from_slice(&number.to_le_bytes());
            if na.is_empty() {
                all.iter().for_each(put);
            } else {
                let there = all.iter().enumerate().filter(|(row, _)| is_some(row));
                there.map(|(_, number)| number).for_each(put);
            }
        });
    }

    fn put_column(&mut self, col: &Col, put: impl FnOnce(&mut Filling, usize, &mut Vec<u8>)) {
        put_bytes(self.out, col.name.as_str().as_bytes());
        put_dict(self.out, &col.meta);
        let start = self.out.len() + 8;
        self.out.extend_from_slice(&[0; 8]);
        put(&mut self.column, self.rows, self.out);
        let length = (self.out.len() - start) as u64;
        if let Some(place) = self.out.get_mut(start - 8..start) {
            place.copy_from_slice(&length.to_le_bytes());
        }
    }
}

fn clear(bits: &mut [u8], row: usize) {
    if let Some(byte) = bits.get_mut(row / 8) {
        *byte &= !(1 << (row % 8));
    }
}

/// Clears the bits behind the last row.
fn cut(bits: &mut [u8], rows: usize) {
    if let (Some(last), rest @ 1..) = (bits.last_mut(), rows % 8) {
        *last &= (1 << rest) - 1;
    }
}
