//! A set in Redis's files. One of integers is written packed, so that its bytes are those of Redis
//! for the same history; another has no order that could be the same.

use std::io::{self, Write};

use base::{DataType, PackLimits};
use rdb::{Encoder, Portable, Value};

use super::{Member, Set};

impl Portable for Set {
    fn to_value(&self) -> Value {
        Value::Set(self.iter().map(|member| member.text().to_vec()).collect())
    }

    fn takes(value: &Value) -> bool {
        matches!(value, Value::Set(_))
    }

    fn from_value(value: Value, limits: &PackLimits, _context: &mut ()) -> Option<Self> {
        let Value::Set(members) = value else { return None };
        let set = Set::collect(members.iter().map(Vec::as_slice), limits);
        (set.len() == members.len()).then_some(set)
    }

    fn extend(&mut self, more: Value, limits: &PackLimits) -> Option<()> {
        let Value::Set(members) = more else { return None };
        members.iter().all(|member| self.add(member, limits)).then_some(())
    }

    fn write<W: Write>(
        &self,
        encoder: &mut Encoder,
        out: &mut W,
        key: Option<&[u8]>,
    ) -> io::Result<()> {
        if self.encoding() != "intset" {
            return encoder.set_plain(out, key, self.iter().map(Member::text));
        }
        let number = |member: Member<'_>| match member {
            Member::Int(number) => Some(number),
            Member::Bytes(_) => None,
        };
        let ascending: Vec<i64> = self.iter().filter_map(number).collect();
        encoder.set_ints(out, key, &ascending)
    }
}
