//! One column: values of one type behind each other, as Arrow lays them out.
//!
//! ```text
//!   ints     [ 1 | 0 | 3 ]                      a place also for what is missing
//!   present  0b101                              made when the first value is missing
//!   bytes    offsets [ 0 | 3 | 3 | 8 ]  bytes "AdaGrace"
//!   lists    offsets [ 0 | 2 | 2 | 3 ]  items: a column of their own
//! ```
//!
//! A column has no type until its first value comes, unless one was asked for. Whole numbers and
//! others become floats together if none loses a digit by it; all else that does not fit is a
//! [`Mismatch`], because a number that quietly became a text would be found much later.

use base::num::{parse_f64, parse_i64};
use wire::Leaf;

/// What a column's values are to be, whatever the server calls them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Whole numbers; texts are read as such.
    Int,
    /// Numbers; texts are read as such.
    Float,
    /// Text, in UTF-8; numbers are written as such.
    Text,
    /// Bytes; numbers are written as such.
    Bytes,
}

/// A value that does not fit its column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// What the value is.
    pub value: String,
    /// What the column has.
    pub column: &'static str,
}

/// Bits, eight to a byte, the lowest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bitmap {
    bytes: Vec<u8>,
    len: usize,
}

impl Bitmap {
    /// These bits, of which so many count.
    #[must_use]
    pub fn new(bytes: Vec<u8>, len: usize) -> Self {
        Bitmap { bytes, len }
    }

    /// So many bits, all of them set.
    fn ones(len: usize) -> Self {
        let mut bits = Bitmap { bytes: vec![0xff; len / 8], len: len / 8 * 8 };
        while bits.len < len {
            bits.push(true);
        }
        bits
    }

    /// Adds one.
    #[inline]
    pub fn push(&mut self, bit: bool) {
        if self.len.is_multiple_of(8) {
            self.bytes.push(0);
        }
        if let Some(last) = self.bytes.last_mut() {
            *last |= u8::from(bit) << (self.len % 8);
        }
        self.len += 1;
    }

    /// One of them; those that were never pushed are not set.
    #[must_use]
    pub fn get(&self, index: usize) -> bool {
        self.bytes.get(index / 8).is_some_and(|byte| byte >> (index % 8) & 1 == 1)
    }

    /// All of them.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// None of them is there.
    Nothing,
    /// Truths.
    Bools(Bitmap),
    /// Whole numbers.
    Ints(Vec<i64>),
    /// Numbers.
    Floats(Vec<f64>),
    /// Strings: one begins where the one before ends.
    Bytes {
        /// Where each begins, and where the last ends.
        offsets: Vec<i64>,
        /// All of them.
        bytes: Vec<u8>,
        /// Whether they are text in UTF-8.
        text: bool,
    },
    /// Lists: one begins where the one before ends.
    Lists {
        /// Where each begins, and where the last ends.
        offsets: Vec<i64>,
        /// The items of all of them.
        items: Box<Column>,
    },
    /// Days since 1970-01-01.
    Days(Vec<i32>),
    /// Nanoseconds since midnight.
    TimesOfDay(Vec<i64>),
    /// Nanoseconds since 1970: in UTC where there is a zone, to show them in, and else by a clock
    /// on the wall.
    Instants {
        /// So many.
        nanos: Vec<i64>,
        /// The name of the zone.
        zone: Option<String>,
    },
    /// Nanoseconds.
    Spans(Vec<i64>),
    /// Fields: columns of the same length.
    Structs(Vec<(&'static str, Column)>),
}

/// One value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// It is missing.
    Null,
    /// A truth.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// A string of bytes.
    Bytes(&'a [u8]),
    /// A text.
    Text(&'a str),
    /// Items `from..to` of a column.
    List(&'a Column, usize, usize),
    /// This row of these fields.
    Struct(&'a [(&'static str, Column)], usize),
}

/// A column: a value, or the lack of one, for each row.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    cells: Cells,
    len: usize,
    nulls: usize,
    /// Which values are there, once one is not.
    present: Option<Bitmap>,
    wanted: Option<Type>,
    /// Whether strings are text where nothing else is asked for.
    text: bool,
}

/// The largest number up to which all whole numbers are floats too.
const EXACT: u64 = 1 << 53;

fn exact(number: i64) -> Option<f64> {
    // Exact: it has no more bits than a float's fraction.
    (number.unsigned_abs() <= EXACT).then_some(number as f64)
}

fn offset(len: usize) -> i64 {
    i64::try_from(len).unwrap_or(i64::MAX) // no vector is that long
}

impl Column {
    /// An empty column. `text` says whether strings are text where nothing else is asked for.
    #[must_use]
    pub fn new(wanted: Option<Type>, text: bool) -> Self {
        let strings = |text| Cells::Bytes { offsets: vec![0], bytes: Vec::new(), text };
        let cells = match wanted {
            None => Cells::Nothing,
            Some(Type::Int) => Cells::Ints(Vec::new()),
            Some(Type::Float) => Cells::Floats(Vec::new()),
            Some(Type::Text) => strings(true),
            Some(Type::Bytes) => strings(false),
        };
        Column { cells, len: 0, nulls: 0, present: None, wanted, text }
    }

    /// A column of these cells, so many, of which those are there that `present` says.
    #[must_use]
    pub fn of(cells: Cells, len: usize, present: Option<Bitmap>) -> Self {
        let there = present.as_ref().map_or(len, |bits| {
            let whole = bits.bytes.iter().take(len / 8).map(|byte| byte.count_ones() as usize);
            whole.sum::<usize>() + (len / 8 * 8..len).filter(|&row| bits.get(row)).count()
        });
        let nulls = if matches!(cells, Cells::Nothing) { len } else { len - there };
        Column { cells, len, nulls, present, wanted: None, text: true }
    }

    /// How many values it has, missing ones included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many values are missing.
    #[must_use]
    pub fn nulls(&self) -> usize {
        self.nulls
    }

    /// Which values are there; nothing if all are, or none is because the column has no type.
    #[must_use]
    pub fn present(&self) -> Option<&Bitmap> {
        self.present.as_ref()
    }

    /// The values.
    #[must_use]
    pub fn cells(&self) -> &Cells {
        &self.cells
    }

    /// The type's name, as Arrow's users know it.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match &self.cells {
            Cells::Nothing => "null",
            Cells::Bools(_) => "bool",
            Cells::Ints(_) => "int64",
            Cells::Floats(_) => "double",
            Cells::Bytes { text: true, .. } => "large_string",
            Cells::Bytes { text: false, .. } => "large_binary",
            Cells::Lists { .. } => "large_list",
            Cells::Days(_) => "date32",
            Cells::TimesOfDay(_) => "time64[ns]",
            Cells::Instants { zone: None, .. } => "timestamp[ns]",
            Cells::Instants { zone: Some(_), .. } => "timestamp[ns, zone]",
            Cells::Spans(_) => "duration[ns]",
            Cells::Structs(_) => "struct",
        }
    }

    /// One value; a missing one if there are not as many.
    #[must_use]
    pub fn get(&self, row: usize) -> Cell<'_> {
        if self.present.as_ref().is_some_and(|present| !present.get(row)) {
            return Cell::Null;
        }
        let bounds = |offsets: &[i64]| {
            let at = |index: usize| usize::try_from(*offsets.get(index)?).ok();
            Some((at(row)?, at(row + 1)?))
        };
        let cell = match &self.cells {
            Cells::Nothing => None,
            Cells::Bools(bits) => Some(Cell::Bool(bits.get(row))),
            Cells::Ints(ints) => ints.get(row).map(|int| Cell::Int(*int)),
            Cells::Floats(floats) => floats.get(row).map(|float| Cell::Float(*float)),
            Cells::Bytes { offsets, bytes, text } => bounds(offsets)
                .and_then(|(from, to)| bytes.get(from..to))
                .map(|bytes| match std::str::from_utf8(bytes) {
                    Ok(string) if *text => Cell::Text(string),
                    _ => Cell::Bytes(bytes),
                }),
            Cells::Lists { offsets, items } => {
                bounds(offsets).map(|(from, to)| Cell::List(items, from, to))
            }
            Cells::Days(days) => days.get(row).map(|days| Cell::Int(i64::from(*days))),
            Cells::TimesOfDay(nanos) | Cells::Instants { nanos, .. } | Cells::Spans(nanos) => {
                nanos.get(row).map(|nanos| Cell::Int(*nanos))
            }
            Cells::Structs(fields) => (row < self.len).then_some(Cell::Struct(fields, row)),
        };
        cell.unwrap_or(Cell::Null)
    }

    /// Adds a value.
    ///
    /// # Errors
    /// It does not fit; nothing was added.
    #[inline(always)]
    pub fn push(&mut self, leaf: Leaf<'_>) -> Result<(), Mismatch> {
        match (&mut self.cells, leaf) {
            (
                Cells::Bytes { offsets, bytes, .. },
                Leaf::Bulk(string) | Leaf::Simple(string) | Leaf::Verbatim(_, string),
            ) => {
                bytes.extend_from_slice(string);
                offsets.push(offset(bytes.len()));
            }
            (Cells::Ints(ints), Leaf::Int(int)) => ints.push(int),
            _ => return self.push_other(leaf),
        }
        self.counted(true);
        Ok(())
    }

    #[inline]
    fn counted(&mut self, there: bool) {
        self.len += 1;
        if let Some(present) = &mut self.present {
            present.push(there);
        }
    }

    /// The same for everything that is not what nearly all values are.
    fn push_other(&mut self, leaf: Leaf<'_>) -> Result<(), Mismatch> {
        match leaf {
            Leaf::Null | Leaf::NullBulk | Leaf::NullArray => {
                self.push_null();
                return Ok(());
            }
            _ if matches!(self.cells, Cells::Nothing) => self.begin(leaf),
            _ => {}
        }
        if !self.push_fitting(leaf) {
            return Err(Mismatch { value: describe(leaf), column: self.type_name() });
        }
        self.counted(true);
        Ok(())
    }

    /// Adds a value that is there, if it fits; says whether it did.
    fn push_fitting(&mut self, leaf: Leaf<'_>) -> bool {
        let converts = self.wanted.is_some();
        match (&mut self.cells, leaf) {
            (Cells::Bools(bits), Leaf::Boolean(truth)) => bits.push(truth),
            (Cells::Ints(ints), Leaf::Int(int)) => ints.push(int),
            (Cells::Ints(ints), other) if converts => {
                let Some(int) = digits_of(other).and_then(parse_i64) else { return false };
                ints.push(int);
            }
            (Cells::Ints(ints), Leaf::Double(digits)) => {
                let floats: Option<Vec<_>> = ints.iter().map(|int| exact(*int)).collect();
                let (Some(mut floats), Some(number)) = (floats, float(digits)) else {
                    return false;
                };
                floats.push(number);
                self.cells = Cells::Floats(floats);
            }
            (Cells::Floats(floats), other) => {
                let number = match other {
                    Leaf::Int(int) => exact(int),
                    Leaf::Double(digits) => float(digits),
                    _ if converts => digits_of(other).and_then(float),
                    _ => None,
                };
                let Some(number) = number else { return false };
                floats.push(number);
            }
            (Cells::Bytes { offsets, bytes, .. }, other) => {
                let mut digits = itoa::Buffer::new();
                let string = match other {
                    Leaf::Int(int) if converts => Some(digits.format(int).as_bytes()),
                    Leaf::Double(_) if !converts => None,
                    _ => digits_of(other),
                };
                let Some(string) = string else { return false };
                bytes.extend_from_slice(string);
                offsets.push(offset(bytes.len()));
            }
            _ => return false,
        }
        true
    }

    /// Gives a column without a type that of its first value.
    fn begin(&mut self, leaf: Leaf<'_>) {
        let missing = self.len;
        self.cells = match leaf {
            Leaf::Int(_) => Cells::Ints(vec![0; missing]),
            Leaf::Double(_) => Cells::Floats(vec![0.0; missing]),
            Leaf::Boolean(_) => {
                let mut bits = Bitmap::default();
                (0..missing).for_each(|_| bits.push(false));
                Cells::Bools(bits)
            }
            _ => Cells::Bytes { offsets: vec![0; missing + 1], bytes: Vec::new(), text: self.text },
        };
        self.type_begins();
    }

    fn type_begins(&mut self) {
        if self.len > 0 {
            let mut present = Bitmap::default();
            (0..self.len).for_each(|_| present.push(false));
            self.present = Some(present);
        }
    }

    /// Adds that a value is missing.
    pub fn push_null(&mut self) {
        self.nulls += 1;
        match &mut self.cells {
            Cells::Nothing => {
                self.len += 1;
                return;
            }
            Cells::Bools(bits) => bits.push(false),
            Cells::Ints(ints) => ints.push(0),
            Cells::Floats(floats) => floats.push(0.0),
            Cells::Bytes { offsets, bytes, .. } => offsets.push(offset(bytes.len())),
            Cells::Lists { offsets, items } => offsets.push(offset(items.len())),
            Cells::Days(days) => days.push(0),
            Cells::TimesOfDay(nanos) | Cells::Instants { nanos, .. } | Cells::Spans(nanos) => {
                nanos.push(0);
            }
            Cells::Structs(fields) => fields.iter_mut().for_each(|(_, field)| field.push_null()),
        }
        let len = self.len;
        self.present.get_or_insert_with(|| Bitmap::ones(len));
        self.counted(false);
    }

    /// Where the items of the list that comes next are put, before [`end_list`](Self::end_list).
    ///
    /// # Errors
    /// The column has values that are no lists.
    pub fn items(&mut self) -> Result<&mut Column, Mismatch> {
        if matches!(self.cells, Cells::Nothing) {
            let items = Box::new(Column::new(self.wanted, self.text));
            self.cells = Cells::Lists { offsets: vec![0; self.len + 1], items };
            self.type_begins();
        }
        let column = self.type_name();
        match &mut self.cells {
            Cells::Lists { items, .. } => Ok(items),
            // A type was asked for, and it is that of the items.
            cells if self.len == 0 && self.wanted.is_some() => {
                let items = Box::new(Column::new(self.wanted, self.text));
                *cells = Cells::Lists { offsets: vec![0], items };
                match cells {
                    Cells::Lists { items, .. } => Ok(items),
                    _ => Err(Mismatch { value: "a list".to_owned(), column }),
                }
            }
            _ => Err(Mismatch { value: "a list".to_owned(), column }),
        }
    }

    /// Adds the list of the items that were added since the last one.
    pub fn end_list(&mut self) {
        if let Cells::Lists { offsets, items } = &mut self.cells {
            offsets.push(offset(items.len()));
            self.counted(true);
        }
    }

    /// Checks that text is text.
    ///
    /// # Errors
    /// The first row in which it is not.
    pub fn validate(&self) -> Result<(), usize> {
        match &self.cells {
            Cells::Bytes { offsets, bytes, text: true } => {
                let Ok(all) = std::str::from_utf8(bytes) else {
                    let bad = (0..self.len).find(|row| matches!(self.get(*row), Cell::Bytes(_)));
                    return Err(bad.unwrap_or_default());
                };
                // A character must not begin in one value and end in the next.
                let torn = offsets
                    .iter()
                    .position(|at| usize::try_from(*at).is_ok_and(|at| !all.is_char_boundary(at)));
                torn.map_or(Ok(()), |index| Err(index.saturating_sub(1)))
            }
            Cells::Lists { offsets, items } => items.validate().map_err(|item| {
                let item = offset(item);
                offsets.iter().filter(|at| **at <= item).count().saturating_sub(1)
            }),
            _ => Ok(()),
        }
    }
}

fn float(digits: &[u8]) -> Option<f64> {
    parse_f64(digits).or_else(|| {
        let nan = digits.eq_ignore_ascii_case(b"nan") || digits.eq_ignore_ascii_case(b"-nan");
        nan.then_some(f64::NAN)
    })
}

/// The characters of a value that has some.
fn digits_of(leaf: Leaf<'_>) -> Option<&[u8]> {
    match leaf {
        Leaf::Bulk(text)
        | Leaf::Simple(text)
        | Leaf::Verbatim(_, text)
        | Leaf::Double(text)
        | Leaf::BigNumber(text) => Some(text),
        _ => None,
    }
}

fn describe(leaf: Leaf<'_>) -> String {
    match leaf {
        Leaf::Int(int) => format!("the number {int}"),
        Leaf::Boolean(truth) => format!("the truth {truth}"),
        Leaf::Double(digits) => format!("the number {}", digits.escape_ascii()),
        other => {
            let text = digits_of(other).unwrap_or_default();
            let shown = text.get(..40).unwrap_or(text);
            format!("the text '{}'", shown.escape_ascii())
        }
    }
}

#[cfg(test)]
#[path = "column_tests.rs"]
mod tests;
