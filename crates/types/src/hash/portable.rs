//! A hash in Redis's files. A packed one is written packed, so that its bytes are those of Redis
//! for the same history; a table has no order that could be the same.

use std::io::{self, Write};

use base::PackLimits;
use rdb::{Encoder, Portable, Value};

use super::{Hash, Shape};

impl Portable for Hash {
    fn to_value(&self) -> Value {
        Value::Hash(self.iter().map(|(field, value)| (field.to_vec(), value.to_vec())).collect())
    }

    fn takes(value: &Value) -> bool {
        matches!(value, Value::Hash(_))
    }

    fn from_value(value: Value, limits: &PackLimits, _context: &mut ()) -> Option<Self> {
        let Value::Hash(fields) = value else { return None };
        let pairs = fields.iter().map(|(field, value)| (&**field, &**value));
        let hash = Hash::collect(pairs, limits);
        (hash.len() == fields.len()).then_some(hash)
    }

    fn extend(&mut self, more: Value, limits: &PackLimits) -> Option<()> {
        let Value::Hash(fields) = more else { return None };
        fields.iter().all(|(field, value)| self.set(field, value, limits)).then_some(())
    }

    fn write<W: Write>(
        &self,
        encoder: &mut Encoder,
        out: &mut W,
        key: Option<&[u8]>,
    ) -> io::Result<()> {
        match &self.shape {
            Shape::Packed(_) => encoder.hash_packed(out, key, self.iter()),
            Shape::Table(_) => encoder.hash_plain(out, key, self.iter()),
        }
    }
}
