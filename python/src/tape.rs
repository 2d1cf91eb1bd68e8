//! A reply as it was written, before there are objects of it.
//!
//! ```text
//!   items   array(2) │ bulk 0..5 │ int 7        what was written, in order
//!   bytes   h e l l o …                         the strings, one behind another
//! ```
//!
//! Commands write their replies while they hold parts of the dataset. No Python object may be made
//! then: making one can run the collector of garbage and with it any code, or wait for the
//! interpreter's lock while its owner waits for the same part. So a reply is taped, which costs one
//! copy of its strings, and played when everything is let go.

use kvist::{DirectReply, Protocol, Reply};
use std::any::Any;
use std::ops::Range;
use std::sync::Mutex;
use wire::{Aggregate, Build, Leaf};

enum Item {
    Bulk(Range<usize>),
    Error(Range<usize>),
    Double(Range<usize>),
    Big(Range<usize>),
    Int(i64),
    Boolean(bool),
    Null,
    Many(Aggregate, usize),
}

/// A reply.
pub struct Tape {
    protocol: Protocol,
    bytes: Vec<u8>,
    items: Vec<Item>,
    /// It is never locked: the lock lets other threads see the rest of the tape.
    object: Mutex<Option<Box<dyn Any + Send>>>,
}

/// Strings longer than this all together are not kept room for.
const KEPT: usize = 64 << 10;

impl Tape {
    /// An empty one.
    pub fn new(protocol: Protocol) -> Self {
        Tape { protocol, bytes: Vec::new(), items: Vec::new(), object: Mutex::default() }
    }

    /// What was handed over as it is, in the place of a reply.
    pub fn take_object(&mut self) -> Option<Box<dyn Any + Send>> {
        self.object.get_mut().ok()?.take()
    }

    /// Empties it, for a reply in a protocol.
    pub fn reset(&mut self, protocol: Protocol) {
        self.protocol = protocol;
        if self.bytes.capacity() > KEPT || self.items.capacity() > KEPT {
            *self = Tape::new(protocol);
        }
        self.clear();
    }

    fn keep(&mut self, bytes: &[u8]) -> Range<usize> {
        let from = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        from..self.bytes.len()
    }

    fn is_resp3(&self) -> bool {
        self.protocol == Protocol::Resp3
    }

    fn many(&mut self, kind: Aggregate, len: usize) {
        self.items.push(match kind {
            _ if self.is_resp3() => Item::Many(kind, len),
            Aggregate::Map => Item::Many(Aggregate::Array, len),
            Aggregate::Array | Aggregate::Set | Aggregate::Push => {
                Item::Many(Aggregate::Array, len)
            }
        });
    }

    /// Makes of the reply what `objects` makes of replies. Nothing if it is not complete, which a
    /// command's is.
    pub fn play<B: Build>(&self, objects: &mut B) -> Option<B::Value> {
        let mut values: Vec<B::Value> = Vec::new();
        let mut open: Vec<(Aggregate, usize, usize)> = Vec::new();
        let text = |range: &Range<usize>| self.bytes.get(range.clone()).unwrap_or_default();
        for item in &self.items {
            let depth = open.len();
            let mut value = match item {
                Item::Bulk(range) => objects.leaf(Leaf::Bulk(text(range)), depth),
                Item::Error(range) => objects.leaf(Leaf::Error(text(range)), depth),
                Item::Double(range) => objects.leaf(Leaf::Double(text(range)), depth),
                Item::Big(range) => objects.leaf(Leaf::BigNumber(text(range)), depth),
                Item::Int(number) => objects.leaf(Leaf::Int(*number), depth),
                Item::Boolean(truth) => objects.leaf(Leaf::Boolean(*truth), depth),
                Item::Null => objects.leaf(Leaf::Null, depth),
                Item::Many(kind, 0) => {
                    objects.open(Some(*kind), depth);
                    objects.aggregate(*kind, values.drain(values.len()..), depth)
                }
                Item::Many(kind, len) => {
                    objects.open(Some(*kind), depth);
                    values.reserve(*len);
                    open.push((*kind, *len, values.len()));
                    continue;
                }
            };
            loop {
                let Some((kind, left, from)) = open.last_mut() else { return Some(value) };
                values.push(value);
                *left -= 1;
                if *left > 0 {
                    break;
                }
                let (kind, from) = (*kind, *from);
                open.pop();
                value = objects.aggregate(kind, values.drain(from..), open.len());
            }
        }
        None
    }
}

impl DirectReply for Tape {
    fn clear(&mut self) {
        self.bytes.clear();
        self.items.clear();
        self.object = Mutex::default();
    }
}

impl Reply for Tape {
    fn protocol(&self) -> Protocol {
        self.protocol
    }

    fn takes_objects(&self) -> bool {
        true
    }

    fn object(&mut self, object: Box<dyn Any + Send>) {
        self.object = Mutex::new(Some(object));
    }

    fn simple(&mut self, text: &str) {
        self.bulk(text.as_bytes());
    }

    fn simple_bytes(&mut self, text: &[u8]) {
        self.bulk(text);
    }

    fn error_bytes(&mut self, text: &[u8]) {
        let range = self.keep(text);
        self.items.push(Item::Error(range));
    }

    fn int(&mut self, n: i64) {
        self.items.push(Item::Int(n));
    }

    fn bulk(&mut self, bytes: &[u8]) {
        let range = self.keep(bytes);
        self.items.push(Item::Bulk(range));
    }

    fn null(&mut self) {
        self.items.push(Item::Null);
    }

    fn null_array(&mut self) {
        self.items.push(Item::Null);
    }

    fn array(&mut self, len: usize) {
        self.many(Aggregate::Array, len);
    }

    fn map(&mut self, len: usize) {
        self.many(Aggregate::Map, len.saturating_mul(2));
    }

    fn set(&mut self, len: usize) {
        self.many(Aggregate::Set, len);
    }

    fn push(&mut self, len: usize) {
        self.many(Aggregate::Push, len);
    }

    fn double(&mut self, d: f64) {
        let from = self.bytes.len();
        base::num::write_f64(&mut self.bytes, d);
        let range = from..self.bytes.len();
        self.items.push(if self.is_resp3() { Item::Double(range) } else { Item::Bulk(range) });
    }

    fn double_digits(&mut self, digits: &str) {
        let range = self.keep(digits.as_bytes());
        self.items.push(if self.is_resp3() { Item::Double(range) } else { Item::Bulk(range) });
    }

    fn boolean(&mut self, b: bool) {
        self.items.push(if self.is_resp3() { Item::Boolean(b) } else { Item::Int(i64::from(b)) });
    }

    fn verbatim(&mut self, _: &str, text: &[u8]) {
        self.bulk(text);
    }

    fn big_number(&mut self, digits: &str) {
        let range = self.keep(digits.as_bytes());
        self.items.push(if self.is_resp3() { Item::Big(range) } else { Item::Bulk(range) });
    }
}
