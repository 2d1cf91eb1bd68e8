//! Values are written, in the forms of redis-server 7.0, which it and everything later loads.

use std::io::{self, Write};
use std::ops::Deref;

use base::PackLimits;
use base::num::{parse_i64, write_f64};

use super::{kind, stream_save, write_parts};
use crate::lzf::Compressor;
use crate::{Module, Stream, StreamId, Value, intset, length, listpack, text};

/// Below which sizes collections are written compactly: the directives of Redis 7.0 of like names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// `hash-max-listpack-entries`
    pub hash_entries: usize,
    /// `hash-max-listpack-value`
    pub hash_value: usize,
    /// `list-max-listpack-size`
    pub list_size: i64,
    /// `set-max-intset-entries`
    pub set_intset_entries: usize,
    /// `zset-max-listpack-entries`
    pub zset_entries: usize,
    /// `zset-max-listpack-value`
    pub zset_value: usize,
    /// `stream-node-max-bytes`
    pub stream_bytes: usize,
    /// `stream-node-max-entries`
    pub stream_entries: usize,
}

/// The limits under which lists are cut into nodes as here.
impl From<&PackLimits> for Limits {
    fn from(limits: &PackLimits) -> Self {
        Limits {
            hash_entries: limits.hash_entries,
            hash_value: limits.hash_value,
            list_size: limits.list_size,
            set_intset_entries: limits.set_intset_entries,
            zset_entries: limits.zset_entries,
            zset_value: limits.zset_value,
            stream_bytes: limits.stream_node_bytes,
            stream_entries: limits.stream_node_entries,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            hash_entries: 512,
            hash_value: 64,
            list_size: -2,
            set_intset_entries: 512,
            zset_entries: 128,
            zset_value: 64,
            stream_bytes: 4096,
            stream_entries: 100,
        }
    }
}

/// No listpack is made larger than this, whatever the limits say.
const LISTPACK_MAX: usize = 1 << 30;

/// Writes values. Each method writes the byte of the form, then `key` if one is given (as in a
/// file; a `DUMP` has none), then the value.
///
/// ```
/// let mut out = Vec::new();
/// let mut encoder = kvist_rdb::Encoder::new(Default::default(), true);
/// encoder.hash_plain(&mut out, Some(b"k"), [(&b"f"[..], &b"12"[..])].into_iter())?;
/// assert_eq!(out, b"\x04\x01k\x01\x01f\xc0\x0c");
/// # std::io::Result::Ok(())
/// ```
pub struct Encoder {
    limits: Limits,
    compressor: Option<Box<Compressor>>,
}

/// How much a node of a list may hold.
struct Fill {
    bytes: usize,
    count: usize,
}

impl Fill {
    /// What Redis adds to an element's length when it estimates its size.
    const OVERHEAD: usize = 8;

    fn new(size: i64) -> Fill {
        const CLASSES: [usize; 5] = [4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10];
        match usize::try_from(size) {
            Ok(count) => Fill { bytes: CLASSES[1], count: count.max(1) },
            Err(_) => {
                let class = usize::try_from(size.saturating_neg()).unwrap_or(5).min(5);
                Fill { bytes: CLASSES[class - 1], count: usize::MAX }
            }
        }
    }

    /// Whether a node that takes `size` bytes for `count` elements takes this one as well.
    fn takes(&self, size: usize, count: usize, element: &[u8]) -> bool {
        count == 0 || count < self.count && size + element.len() + Self::OVERHEAD <= self.bytes
    }
}

impl Encoder {
    /// An encoder; `compress` is `rdbcompression`.
    #[must_use]
    pub fn new(limits: Limits, compress: bool) -> Self {
        Encoder { limits, compressor: compress.then(Box::default) }
    }

    pub(crate) fn compressor(&mut self) -> Option<&mut Compressor> {
        self.compressor.as_deref_mut()
    }

    fn text<W: Write>(&mut self, out: &mut W, bytes: &[u8]) -> io::Result<()> {
        text::write(out, bytes, self.compressor.as_deref_mut())
    }

    fn begin<W: Write>(&mut self, out: &mut W, kind: u8, key: Option<&[u8]>) -> io::Result<()> {
        out.write_all(&[kind])?;
        key.map_or(Ok(()), |key| self.text(out, key))
    }

    /// Writes a string.
    ///
    /// # Errors
    /// Those of `out`, here and below.
    pub fn string<W: Write>(
        &mut self,
        out: &mut W,
        key: Option<&[u8]>,
        bytes: &[u8],
    ) -> io::Result<()> {
        self.begin(out, kind::STRING, key)?;
        self.text(out, bytes)
    }

    /// Writes a list, its elements from head to tail, in nodes as large as the limits let them be.
    /// Goes through the elements twice, as their nodes have to be counted first.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn list<'a, W: Write>(
        &mut self,
        out: &mut W,
        key: Option<&[u8]>,
        elements: impl Iterator<Item = &'a [u8]> + Clone,
    ) -> io::Result<()> {
        let fill = Fill::new(self.limits.list_size);
        let (mut nodes, mut size, mut count) = (0, 0, 0);
        for element in elements.clone() {
            let here =
                if plain_node(element) { usize::MAX / 2 } else { listpack::element_size(element) };
            if !fill.takes(size, count, element) || nodes == 0 || plain_node(element) {
                nodes += 1;
                (size, count) = (listpack::EMPTY, 0);
            }
            size += here;
            count += 1;
        }
        self.begin(out, kind::LIST_QUICKLIST_2, key)?;
        length::write(out, nodes)?;
        let mut node = listpack::Builder::default();
        for element in elements {
            if !fill.takes(node.size(), node.len(), element) || plain_node(element) {
                self.node(out, std::mem::take(&mut node))?;
            }
            if plain_node(element) {
                length::write(out, PLAIN)?;
                self.text(out, element)?;
            } else {
                node.push(element);
            }
        }
        self.node(out, node)
    }

    fn node<W: Write>(&mut self, out: &mut W, node: listpack::Builder) -> io::Result<()> {
        if node.len() == 0 {
            return Ok(());
        }
        length::write(out, PACKED)?;
        self.text(out, &node.finish())
    }

    /// Writes a set of integers, which are ascending.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn set_ints<W: Write>(
        &mut self,
        out: &mut W,
        key: Option<&[u8]>,
        ascending: &[i64],
    ) -> io::Result<()> {
        self.begin(out, kind::SET_INTSET, key)?;
        self.text(out, &intset::build(ascending))
    }

    /// Writes a set.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn set_plain<W: Write>(
        &mut self,
        out: &mut W,
        key: Option<&[u8]>,
        members: impl ExactSizeIterator<Item: Deref<Target = [u8]>>,
    ) -> io::Result<()> {
        self.begin(out, kind::SET, key)?;
        length::write(out, members.len() as u64)?;
        members.into_iter().try_for_each(|member| self.text(out, &member))
    }

    /// Writes a small hash.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn hash_packed<'a, W: Write>(
        &mut self,
        out: &mut W,
        key: Option<&[u8]>,
        fields: impl Iterator<Item = (&'a [u8], &'a [u8])>,
    ) -> io::Result<()> {
        let mut packed = listpack::Builder::default();
        for (field, value) in fields {
            packed.push(field);
            packed.push(value);
        }
        self.begin(out, kind::HASH_LISTPACK, key)?;
        self.text(out, &packed.finish())
    }

    /// Writes a hash.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn hash_plain<'a, W: Write>(
        &mut self,
        out: &mut W,
        key: Option<&[u8]>,
        fields: impl ExactSizeIterator<Item = (&'a [u8], &'a [u8])>,
    ) -> io::Result<()> {
        self.begin(out, kind::HASH, key)?;
        length::write(out, fields.len() as u64)?;
        for (field, value) in fields {
            self.text(out, field)?;
            self.text(out, value)?;
        }
        Ok(())
    }

    /// Writes a small sorted set, its members in ascending order.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn zset_packed<'a, W: Write>(
        &mut self,
        out: &mut W,
        key: Option<&[u8]>,
        ascending: impl Iterator<Item = (&'a [u8], f64)>,
    ) -> io::Result<()> {
        let (mut packed, mut score_text) = (listpack::Builder::default(), Vec::new());
        for (member, score) in ascending {
            packed.push(member);
            if let Some(number) = whole(score) {
                packed.push_int(number);
            } else {
                score_text.clear();
                write_f64(&mut score_text, score);
                packed.push(&score_text);
            }
        }
        self.begin(out, kind::ZSET_LISTPACK, key)?;
        self.text(out, &packed.finish())
    }

    /// Writes a sorted set, its members in descending order, as Redis does: a reader that inserts
    /// them one by one then always inserts at the front.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn zset_plain<'a, W: Write>(
        &mut self,
        out: &mut W,
        key: Option<&[u8]>,
        descending: impl ExactSizeIterator<Item = (&'a [u8], f64)>,
    ) -> io::Result<()> {
        self.begin(out, kind::ZSET_2, key)?;
        length::write(out, descending.len() as u64)?;
        for (member, score) in descending {
            self.text(out, member)?;
            out.write_all(&score.to_le_bytes())?;
        }
        Ok(())
    }

    /// Writes a stream.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn stream<W: Write>(
        &mut self,
        out: &mut W,
        key: Option<&[u8]>,
        stream: &Stream,
    ) -> io::Result<()> {
        self.begin(out, kind::STREAM_LISTPACKS_2, key)?;
        stream_save::save(out, stream, &self.limits, self.compressor.as_deref_mut())
    }

    /// Writes a stream whose nodes are at hand, as they are; `rest` says what is not in the nodes.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn stream_packed<'a, W: Write>(
        &mut self,
        out: &mut W,
        key: Option<&[u8]>,
        nodes: impl ExactSizeIterator<Item = (StreamId, &'a [u8])>,
        entries: usize,
        rest: &Stream,
    ) -> io::Result<()> {
        self.begin(out, kind::STREAM_LISTPACKS_2, key)?;
        stream_save::save_packed(out, nodes, entries, rest, self.compressor.as_deref_mut())
    }

    /// Writes the value of a module's type.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn module<W: Write>(
        &mut self,
        out: &mut W,
        key: Option<&[u8]>,
        module: &Module,
    ) -> io::Result<()> {
        self.begin(out, kind::MODULE_2, key)?;
        length::write(out, module.id)?;
        write_parts(out, &module.parts, self.compressor.as_deref_mut())
    }

    /// Writes a value in the form that its size asks for.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn value<W: Write>(
        &mut self,
        out: &mut W,
        key: Option<&[u8]>,
        value: &Value,
    ) -> io::Result<()> {
        match value {
            Value::String(bytes) => self.string(out, key, bytes),
            Value::List(elements) => self.list(out, key, elements.iter().map(Vec::as_slice)),
            Value::Set(members) => match self.integers(members) {
                Some(ascending) => self.set_ints(out, key, &ascending),
                None => self.set_plain(out, key, members.iter().map(Vec::as_slice)),
            },
            Value::Hash(fields) => {
                let pairs = fields.iter().map(|(field, value)| (&**field, &**value));
                if self.packs_hash(fields) {
                    self.hash_packed(out, key, pairs)
                } else {
                    self.hash_plain(out, key, pairs)
                }
            }
            Value::ZSet(members) => {
                let mut pairs: Vec<_> =
                    members.iter().map(|(member, score)| (&**member, *score)).collect();
                pairs.sort_unstable_by(|a, b| {
                    // Not `total_cmp`: 0 and -0 are equal.
                    let scores = a.1.partial_cmp(&b.1).unwrap_or(std::cmp::Ordering::Equal);
                    scores.then_with(|| a.0.cmp(b.0))
                });
                if self.packs_zset(&pairs) {
                    self.zset_packed(out, key, pairs.into_iter())
                } else {
                    self.zset_plain(out, key, pairs.into_iter().rev())
                }
            }
            Value::Stream(stream) => self.stream(out, key, stream),
            Value::Module(module) => self.module(out, key, module),
        }
    }

    /// The members in ascending order, if they are few and integers all.
    fn integers(&self, members: &[Vec<u8>]) -> Option<Vec<i64>> {
        if members.len() > self.limits.set_intset_entries {
            return None;
        }
        let numbers: Option<Vec<i64>> = members.iter().map(|member| parse_i64(member)).collect();
        numbers.map(|mut numbers| {
            numbers.sort_unstable();
            numbers
        })
    }

    fn packs_hash(&self, fields: &[(Vec<u8>, Vec<u8>)]) -> bool {
        let longest = fields.iter().map(|pair| pair.0.len().max(pair.1.len())).max();
        let total: usize = fields.iter().map(|pair| pair.0.len() + pair.1.len() + 20).sum();
        fields.len() <= self.limits.hash_entries
            && longest.is_none_or(|longest| longest <= self.limits.hash_value)
            && total < LISTPACK_MAX
    }

    fn packs_zset(&self, pairs: &[(&[u8], f64)]) -> bool {
        let longest = pairs.iter().map(|pair| pair.0.len()).max();
        let total: usize = pairs.iter().map(|pair| pair.0.len() + 40).sum();
        pairs.len() <= self.limits.zset_entries
            && longest.is_none_or(|longest| longest <= self.limits.zset_value)
            && total < LISTPACK_MAX
    }
}

/// A score as an integer, if it is one and of moderate size; zero has no sign then.
fn whole(score: f64) -> Option<i64> {
    const MOST: f64 = (1_i64 << 62) as f64;
    // Exact: the bounds and the comparison see to that.
    #[allow(clippy::cast_possible_truncation)]
    (score.abs() <= MOST && score.trunc() == score).then_some(score as i64)
}

/// A node that is an element.
const PLAIN: u64 = 1;
/// A node that is a listpack.
const PACKED: u64 = 2;

/// Whether an element is too large for any listpack.
fn plain_node(element: &[u8]) -> bool {
    element.len() >= LISTPACK_MAX
}
