//! A list in Redis's files.

use std::io::{self, Write};

use base::PackLimits;
use rdb::{Encoder, Portable, Value};

use super::{End, List};

impl Portable for List {
    fn to_value(&self) -> Value {
        Value::List(self.iter().map(<[u8]>::to_vec).collect())
    }

    fn takes(value: &Value) -> bool {
        matches!(value, Value::List(_))
    }

    fn from_value(value: Value, limits: &PackLimits, _context: &mut ()) -> Option<Self> {
        let Value::List(elements) = value else { return None };
        Some(List::collect(elements.iter().map(Vec::as_slice), limits))
    }

    fn extend(&mut self, more: Value, limits: &PackLimits) -> Option<()> {
        let Value::List(elements) = more else { return None };
        elements.iter().for_each(|element| self.push(End::Tail, element, limits));
        Some(())
    }

    fn write<W: Write>(
        &self,
        encoder: &mut Encoder,
        out: &mut W,
        key: Option<&[u8]>,
    ) -> io::Result<()> {
        encoder.list(out, key, self.iter())
    }
}
