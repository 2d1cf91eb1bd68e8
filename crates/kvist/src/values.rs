//! Replies as trees, built while the command runs.

use base::{Protocol, Reply};
use engine::DirectReply;
use wire::Value;

/// An aggregate whose elements are still to come.
#[derive(Debug)]
struct OpenAggregate {
    kind: AggregateKind,
    left: usize,
    items: Vec<Value>,
}

#[derive(Clone, Copy, Debug)]
enum AggregateKind {
    Array,
    Map,
    Set,
    Push,
}

/// Collects one reply, with all the distinctions that RESP3 makes.
#[derive(Debug, Default)]
pub struct Values {
    open: Vec<OpenAggregate>,
    done: Option<Value>,
}

impl Values {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The reply, once it is complete.
    #[must_use]
    pub fn take(&mut self) -> Option<Value> {
        self.done.take()
    }

    fn put(&mut self, mut value: Value) {
        while let Some(open) = self.open.last_mut() {
            open.items.push(value);
            open.left -= 1;
            if open.left > 0 {
                return;
            }
            match self.open.pop() {
                Some(complete) => value = complete.close(),
                None => return,
            }
        }
        self.done = Some(value);
    }

    fn begin(&mut self, kind: AggregateKind, left: usize) {
        if left == 0 {
            return self.put(OpenAggregate { kind, left, items: Vec::new() }.close());
        }
        self.open.push(OpenAggregate { kind, left, items: Vec::with_capacity(left) });
    }
}

impl OpenAggregate {
    fn close(self) -> Value {
        match self.kind {
            AggregateKind::Array => Value::Array(self.items),
            AggregateKind::Set => Value::Set(self.items),
            AggregateKind::Push => Value::Push(self.items),
            AggregateKind::Map => {
                let mut items = self.items.into_iter();
                let mut pairs = Vec::with_capacity(items.len() / 2);
                while let (Some(key), Some(value)) = (items.next(), items.next()) {
                    pairs.push((key, value));
                }
                Value::Map(pairs)
            }
        }
    }
}

impl DirectReply for Values {
    fn clear(&mut self) {
        self.open.clear();
        self.done = None;
    }
}

impl Reply for Values {
    fn protocol(&self) -> Protocol {
        Protocol::Resp3
    }

    fn simple(&mut self, text: &str) {
        self.put(Value::Simple(text.as_bytes().to_vec()));
    }

    fn simple_bytes(&mut self, text: &[u8]) {
        self.put(Value::Simple(text.to_vec()));
    }

    fn error_bytes(&mut self, text: &[u8]) {
        self.put(Value::Error(text.to_vec()));
    }

    fn int(&mut self, n: i64) {
        self.put(Value::Int(n));
    }

    fn bulk(&mut self, bytes: &[u8]) {
        self.put(Value::Bulk(bytes.to_vec()));
    }

    fn null(&mut self) {
        self.put(Value::Null);
    }

    fn null_array(&mut self) {
        self.put(Value::Null);
    }

    fn array(&mut self, len: usize) {
        self.begin(AggregateKind::Array, len);
    }

    fn map(&mut self, len: usize) {
        self.begin(AggregateKind::Map, len.saturating_mul(2));
    }

    fn set(&mut self, len: usize) {
        self.begin(AggregateKind::Set, len);
    }

    fn push(&mut self, len: usize) {
        self.begin(AggregateKind::Push, len);
    }

    fn double(&mut self, d: f64) {
        let mut digits = Vec::new();
        base::num::write_f64(&mut digits, d);
        self.put(Value::Double(digits));
    }

    fn double_digits(&mut self, digits: &str) {
        self.put(Value::Double(digits.as_bytes().to_vec()));
    }

    fn boolean(&mut self, b: bool) {
        self.put(Value::Boolean(b));
    }

    fn verbatim(&mut self, format: &str, text: &[u8]) {
        let mut name = [b' '; 3];
        name.iter_mut().zip(format.bytes()).for_each(|(slot, c)| *slot = c);
        self.put(Value::Verbatim(name, text.to_vec()));
    }

    fn big_number(&mut self, digits: &str) {
        self.put(Value::BigNumber(digits.as_bytes().to_vec()));
    }
}

#[cfg(test)]
#[path = "values_tests.rs"]
mod tests;
