//! The digest of values and whole datasets that `DEBUG DIGEST` of Redis answers: equal for equal
//! content, whatever the encodings, the order of keys, and the order within sets.
//!
//! ```text
//!   mix(d, x)    d = sha1(d ^ sha1(x))        the order counts
//!   join(d, x)   d = d ^ sha1(x)              the order does not count
//!
//!   list, stream   mix each element           set      join each member
//!   hash           join the mix of field and value     zset     of member and score
//!   deadline       join "!!expire!!", whenever it is
//!   dataset        mix the number of each database, join its keys; a key: mix name and value
//! ```

use base::num::write_f64;
use sha1::{Digest as _, Sha1};

use crate::{Module, Stream, Value};

/// A digest; all zeros for nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Digest([u8; 20]);

impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Digest {
    fn join(&mut self, bytes: &[u8]) {
        self.0.iter_mut().zip(Sha1::digest(bytes)).for_each(|(ours, more)| *ours ^= more);
    }

    fn mix(&mut self, bytes: &[u8]) {
        self.join(bytes);
        self.0 = Sha1::digest(self.0).into();
    }

    /// Turns to the keys of database `db`. For databases that hold any, in ascending order.
    pub fn database(&mut self, db: u32) {
        self.mix(&db.to_be_bytes());
    }

    /// Adds a key of the database turned to. `mortal`: whether it has a deadline. The order of
    /// keys does not matter; adding one twice would take it away.
    ///
    /// ```
    /// use kvist_rdb::{Value, digest::Digest};
    /// let mut dataset = Digest::default();
    /// dataset.database(0);
    /// dataset.key(b"k", &Value::String(b"v".to_vec()), false);
    /// assert_eq!(dataset.to_string(), "264ccf65edec66bccfa7cc659414ccca432057d2");
    /// ```
    pub fn key(&mut self, name: &[u8], value: &Value, mortal: bool) {
        let mut digest = Digest::default();
        digest.mix(name);
        digest.value(value, mortal);
        self.join(&digest.0);
    }

    fn value(&mut self, value: &Value, mortal: bool) {
        self.mix(&kind_number(value).to_be_bytes());
        match value {
            Value::String(bytes) => self.mix(bytes),
            Value::List(elements) => elements.iter().for_each(|element| self.mix(element)),
            Value::Set(members) => members.iter().for_each(|member| self.join(member)),
            Value::Hash(fields) => {
                for (field, value) in fields {
                    self.pair(field, value);
                }
            }
            Value::ZSet(members) => {
                let mut text = Vec::new();
                for (member, score) in members {
                    text.clear();
                    write_f64(&mut text, *score);
                    self.pair(member, &text);
                }
            }
            Value::Stream(stream) => self.stream(stream),
            Value::Module(module) => self.module(module),
        }
        if mortal {
            self.join(b"!!expire!!");
        }
    }

    fn pair(&mut self, first: &[u8], second: &[u8]) {
        let mut digest = Digest::default();
        digest.mix(first);
        digest.mix(second);
        self.join(&digest.0);
    }

    fn stream(&mut self, stream: &Stream) {
        for entry in &stream.entries {
            self.mix(format!("{}.{}", entry.id.ms, entry.id.seq).as_bytes());
            for (name, value) in entry.fields() {
                self.mix(name);
                self.mix(value);
            }
        }
    }

    /// Modules bring digests of their own in Redis; here it is that of what they wrote.
    fn module(&mut self, module: &Module) {
        self.mix(&module.id.to_be_bytes());
        let mut bytes = Vec::new();
        // Writing to a vector does not fail.
        let _ = crate::object::write_parts(&mut bytes, &module.parts, None);
        self.mix(&bytes);
    }
}

/// The digest of a value by itself, as `DEBUG DIGEST-VALUE` answers it. `mortal`: whether its key
/// has a deadline.
#[must_use]
pub fn of_value(value: &Value, mortal: bool) -> Digest {
    let mut digest = Digest::default();
    digest.value(value, mortal);
    digest
}

/// The numbers of the types within Redis.
fn kind_number(value: &Value) -> u32 {
    match value {
        Value::String(_) => 0,
        Value::List(_) => 1,
        Value::Set(_) => 2,
        Value::ZSet(_) => 3,
        Value::Hash(_) => 4,
        Value::Module(_) => 5,
        Value::Stream(_) => 6,
    }
}
