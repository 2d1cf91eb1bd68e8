//! A sorted set in Redis's files.

use std::io::{self, Write};

use base::PackLimits;
use hashbrown::HashSet;
use rdb::{Encoder, Portable, Value};

use super::{Shape, ZSet};

impl Portable for ZSet {
    fn to_value(&self) -> Value {
        Value::ZSet(self.iter().map(|(member, score)| (member.to_vec(), score)).collect())
    }

    fn takes(value: &Value) -> bool {
        matches!(value, Value::ZSet(_))
    }

    fn from_value(value: Value, limits: &PackLimits, _context: &mut ()) -> Option<Self> {
        let Value::ZSet(members) = value else { return None };
        let mut seen = HashSet::with_capacity(members.len());
        if !members.iter().all(|(member, _)| seen.insert(&**member)) {
            return None;
        }
        let pairs = members.iter().map(|(member, score)| (&**member, *score));
        Some(ZSet::collect(pairs, limits))
    }

    fn extend(&mut self, more: Value, limits: &PackLimits) -> Option<()> {
        let Value::ZSet(members) = more else { return None };
        let mut members = members.iter();
        members.all(|(member, score)| self.insert(member, *score, limits).is_none()).then_some(())
    }

    fn write<W: Write>(
        &self,
        encoder: &mut Encoder,
        out: &mut W,
        key: Option<&[u8]>,
    ) -> io::Result<()> {
        match &self.shape {
            Shape::Packed(_) => encoder.zset_packed(out, key, self.iter()),
            Shape::Large(_) => encoder.zset_plain(out, key, self.iter().rev()),
        }
    }
}
