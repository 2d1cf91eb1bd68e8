//! A column while it is written: value by value, or as chunks of it lie.

use base::codec::put_bytes;
use haystack::{Cell, Unit};

use super::{NA, SOME, form};
use crate::chunk::{Chunk, Values};
use crate::code::put_value;

/// A column while it is written.
#[derive(Default)]
pub(crate) struct Filling {
    form: u8,
    pub count: usize,
    pub some: Vec<u8>,
    pub na: Vec<u8>,
    has_na: bool,
    /// The unit or the zone.
    common: String,
    ends: [Vec<u8>; 2],
    bytes: [Vec<u8>; 2],
}

fn set(bits: &mut [u8], row: usize) {
    if let Some(byte) = bits.get_mut(row / 8) {
        *byte |= 1 << (row % 8);
    }
}

/// Notes where a text ends. What is longer than four bytes can say is no reply, see `room`.
fn end(ends: &mut Vec<u8>, bytes: &[u8]) -> bool {
    let end = u32::try_from(bytes.len());
    ends.extend_from_slice(&end.unwrap_or(u32::MAX).to_le_bytes());
    end.is_ok()
}

impl Filling {
    /// Takes the values that a chunk has for some rows, by their places in it. `false`: they are
    /// not of the form of those before, or of several kinds.
    pub fn fill(
        &mut self,
        chunk: &Chunk,
        rows: impl Iterator<Item = (usize, u16)>,
        is_id: bool,
    ) -> bool {
        let rows = rows.filter(|(_, place)| chunk.bits.has(*place));
        match chunk.values() {
            Values::Markers => self.is_of(form::MARKERS, "") && self.take(rows, |_, _| true),
            Values::Numbers(unit, all) => {
                let unit = unit.as_ref().map_or("", Unit::symbol);
                self.is_of(form::NUMBERS, unit)
                    && self.eights(rows, |place| Some(all.get(chunk.rank(place))?.to_le_bytes()))
            }
            Values::Instants(zone, all) => {
                self.is_of(form::INSTANTS, zone.full())
                    && self.eights(rows, |place| Some(all.get(chunk.rank(place))?.to_le_bytes()))
            }
            Values::Ids(all) => {
                let form = if is_id { form::CALLED_REFS } else { form::REFS };
                self.is_of(form, "")
                    && self.texts(rows, |place| Some(all.get(chunk.rank(place))?.as_str()))
            }
            Values::Texts(all) => {
                self.is_of(form::TEXTS, "")
                    && self.texts(rows, |place| Some(all.get(chunk.rank(place))?.as_str()))
            }
            Values::Any(_) => false,
        }
    }

    /// Whether the column has this form; it gets it if it has none yet.
    fn is_of(&mut self, form: u8, common: &str) -> bool {
        if self.form == form::NOTHING {
            self.form = form;
            self.common.push_str(common);
        }
        self.form == form && self.common == common
    }

    fn take(
        &mut self,
        rows: impl Iterator<Item = (usize, u16)>,
        mut put: impl FnMut(&mut Self, u16) -> bool,
    ) -> bool {
        for (row, place) in rows {
            set(&mut self.some, row);
            self.count += 1;
            if !put(self, place) {
                return false;
            }
        }
        true
    }

    fn eights(
        &mut self,
        rows: impl Iterator<Item = (usize, u16)>,
        value: impl Fn(u16) -> Option<[u8; 8]>,
    ) -> bool {
        self.take(rows, |filling, place| {
            value(place).map(|bytes| filling.bytes[0].extend_from_slice(&bytes)).is_some()
        })
    }

    fn texts<'a>(
        &mut self,
        rows: impl Iterator<Item = (usize, u16)>,
        value: impl Fn(u16) -> Option<&'a str>,
    ) -> bool {
        self.take(rows, |Filling { ends: [ends, _], bytes: [bytes, _], .. }, place| {
            value(place).is_some_and(|text| {
                bytes.extend_from_slice(text.as_bytes());
                end(ends, bytes)
            })
        })
    }

    /// Begins a column, which is to take whatever comes if `is_any`.
    pub fn begin(&mut self, rows: usize, is_any: bool) {
        self.form = if is_any { form::ANY } else { form::NOTHING };
        (self.count, self.has_na) = (0, false);
        for bits in [&mut self.some, &mut self.na] {
            bits.clear();
            bits.resize(rows.div_ceil(8), 0);
        }
        self.common.clear();
        self.ends.iter_mut().chain(&mut self.bytes).for_each(Vec::clear);
    }

    pub fn size(&self) -> usize {
        self.ends.iter().chain(&self.bytes).map(Vec::len).sum::<usize>() + self.some.len() * 2
    }

    pub fn note_na(&mut self, row: usize) {
        set(&mut self.na, row);
        self.has_na = true;
    }

    /// Appends a value; whether it fits the form of those before it.
    pub fn put(&mut self, row: usize, cell: &Cell<'_>) -> bool {
        if matches!(cell, Cell::Na) {
            self.note_na(row);
            return true;
        }
        if self.form == form::NOTHING {
            self.choose(cell);
        }
        set(&mut self.some, row);
        self.count += 1;
        let ([ends, more_ends], [bytes, more]) = (&mut self.ends, &mut self.bytes);
        match (self.form, cell) {
            (form::MARKERS, Cell::Marker) => true,
            (form::NUMBERS, Cell::Number(number, unit)) => {
                bytes.extend_from_slice(&number.to_le_bytes());
                unit.unwrap_or_default() == self.common
            }
            (form::INSTANTS, Cell::DateTime(at)) => {
                bytes.extend_from_slice(&at.nanos().to_le_bytes());
                at.zone().full() == self.common
            }
            (form::TEXTS, Cell::Str(text)) | (form::REFS, Cell::Ref(text, None)) => {
                bytes.extend_from_slice(text.as_bytes());
                end(ends, bytes)
            }
            (form::NAMED_REFS, Cell::Ref(id, Some(name))) => {
                bytes.extend_from_slice(id.as_bytes());
                more.extend_from_slice(name.as_bytes());
                end(ends, bytes) & end(more_ends, more)
            }
            (form::BOOLS, Cell::Bool(is)) => {
                bytes.push(u8::from(*is));
                true
            }
            (form::ANY, cell) => {
                put_value(bytes, cell);
                end(ends, bytes);
                true
            }
            _ => false,
        }
    }

    /// The form of a column that begins with this value.
    fn choose(&mut self, cell: &Cell<'_>) {
        self.form = match cell {
            Cell::Marker => form::MARKERS,
            Cell::Number(_, unit) => {
                self.common.push_str(unit.unwrap_or_default());
                form::NUMBERS
            }
            Cell::DateTime(at) => {
                self.common.push_str(at.zone().full());
                form::INSTANTS
            }
            Cell::Str(_) => form::TEXTS,
            Cell::Ref(_, None) => form::REFS,
            Cell::Ref(_, Some(_)) => form::NAMED_REFS,
            Cell::Bool(_) => form::BOOLS,
            _ => form::ANY,
        };
    }

    pub fn finish(&mut self, rows: usize, out: &mut Vec<u8>) {
        let is_some = self.count < rows || self.form <= form::MARKERS;
        let flags = if is_some { SOME } else { 0 } | if self.has_na { NA } else { 0 };
        out.extend_from_slice(&[self.form, flags]);
        if is_some {
            out.extend_from_slice(&self.some);
        }
        if self.has_na {
            out.extend_from_slice(&self.na);
        }
        if matches!(self.form, form::NUMBERS | form::INSTANTS) {
            put_bytes(out, self.common.as_bytes());
        }
        self.ends.iter().chain(&self.bytes).for_each(|part| out.extend_from_slice(part));
    }
}
