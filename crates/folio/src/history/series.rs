//! The samples of a point, in blocks.

use std::ops::Range;
use std::sync::Arc;

use base::codec::Malformed;
use blocks::Block;
use haystack::Kind;
use table::size_class;

use super::{Columns, Sample, Value, pack};

/// Blocks of fewer samples are joined with what is behind them.
const FEW: usize = pack::MOST / 2;
/// The counters before a shared block.
const COUNTS: usize = 16;

/// Samples of consecutive instants.
#[derive(Clone)]
struct Packed {
    first: Sample,
    last: Sample,
    /// The kind that all have, where any has one.
    kind: Option<Kind>,
    count: u32,
    bytes: Arc<[u8]>,
}

/// The samples of a point, in order of time. A clone shares the blocks.
#[derive(Clone, Default)]
pub struct History {
    blocks: Vec<Packed>,
    count: usize,
    heap: usize,
}

impl Packed {
    fn new(samples: &[Sample]) -> Option<Packed> {
        let (first, last) = (samples.first()?.clone(), samples.last()?.clone());
        let kind = samples.iter().find_map(|sample| sample.value.kind());
        let bytes = Arc::from(pack::pack(samples));
        Some(Packed { first, last, kind, count: samples.len() as u32, bytes }) // 512 at most
    }

    /// What was packed here reads back.
    fn samples(&self) -> Vec<Sample> {
        pack::unpack(&self.bytes).unwrap_or_default()
    }

    fn heap(&self) -> usize {
        let text = |sample: &Sample| match &sample.value {
            Value::Str(text) => size_class(COUNTS + text.len()),
            _ => 0,
        };
        size_class(COUNTS + self.bytes.len()) + text(&self.first) + text(&self.last)
    }
}

impl Block for History {
    fn memory(&self) -> usize {
        size_class(self.blocks.capacity() * size_of::<Packed>()) + self.heap
    }
}

impl History {
    /// How many samples there are. O(1).
    pub fn len(&self) -> usize {
        self.count
    }

    /// The first and the last one. O(1).
    pub fn ends(&self) -> Option<(&Sample, &Sample)> {
        Some((&self.blocks.first()?.first, &self.blocks.last()?.last))
    }

    /// The kind that all have, where any has one. O(blocks) if none has.
    pub fn kind(&self) -> Option<Kind> {
        self.blocks.iter().find_map(|block| block.kind)
    }

    /// How many blocks there are.
    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// The bytes of a block.
    pub fn block(&self, number: usize) -> Option<&[u8]> {
        self.blocks.get(number).map(|block| &*block.bytes)
    }

    /// Appends a block, whose samples must be in order behind all others and of their kind.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), Malformed> {
        let samples = pack::unpack(bytes)?;
        let is_behind =
            self.ends().zip(samples.first()).is_none_or(|((_, last), it)| last.at < it.at);
        let is_in_order = samples.windows(2).all(|pair| pair[0].at < pair[1].at);
        let new = Packed::new(&samples).filter(|_| is_behind && is_in_order);
        let new = new.ok_or(Malformed("samples out of order"))?;
        let others = self.kind().zip(new.kind);
        if others.is_some_and(|(own, other)| own != other) {
            return Err(Malformed("samples of several kinds"));
        }
        self.count += samples.len();
        self.heap += new.heap();
        self.blocks.push(new);
        Ok(())
    }

    /// Puts samples in, which are in order and of different instants, or takes those of an instant
    /// out: `None`. O(samples of the blocks that they fall in, and the number of blocks between the
    /// first and the last of them).
    pub fn merge(&mut self, new: &[(i64, Option<Value>)]) {
        let (Some((first, _)), Some((last, _))) = (new.first(), new.last()) else { return };
        // What lies between two blocks belongs to the first of them.
        let from = self.blocks.partition_point(|block| block.first.at <= *first).saturating_sub(1);
        let to = self.blocks.partition_point(|block| block.first.at <= *last).max(from);
        let is_end = to == self.blocks.len();
        self.rebuild(from..to, |old, made| {
            let mut left = new;
            for (number, block) in old.iter().enumerate() {
                let next = old.get(number + 1).map(|next| next.first.at);
                let here = next.map_or(left.len(), |next| left.partition_point(|it| it.0 < next));
                let (here, behind) = left.split_at(here);
                left = behind;
                match here {
                    [] => made.push(block.clone()),
                    here => made.add(merged(block.samples(), here), is_end && next.is_none()),
                }
            }
            if old.is_empty() {
                made.add(merged(Vec::new(), left), is_end);
            }
        });
    }

    /// Takes out the samples from an instant to before another. O(blocks between them): those that
    /// go whole are not looked into.
    pub fn clear(&mut self, from: i64, to: i64) {
        let start = self.blocks.partition_point(|block| block.last.at < from);
        let end = self.blocks.partition_point(|block| block.first.at < to).max(start);
        self.rebuild(start..end, |old, made| {
            let is_whole = |block: &&Packed| block.first.at >= from && block.last.at < to;
            for block in old.iter().filter(|block| !is_whole(block)) {
                let mut samples = block.samples();
                samples.retain(|sample| sample.at < from || sample.at >= to);
                made.add(samples, false);
            }
        });
    }

    /// Puts other blocks in the place of some.
    fn rebuild(&mut self, blocks: Range<usize>, build: impl FnOnce(&[Packed], &mut Made)) {
        // A small block in front is joined with what comes.
        let is_small = |block: &Packed| (block.count as usize) < FEW;
        let before = blocks.start.checked_sub(1).filter(|at| is_small(&self.blocks[*at]));
        let blocks = before.unwrap_or(blocks.start)..blocks.end;
        let old = &self.blocks[blocks.clone()];
        let mut made = Made::default();
        made.blocks.extend(before.and_then(|_| old.first()).cloned());
        build(&old[usize::from(before.is_some())..], &mut made);
        self.count -= old.iter().map(|block| block.count as usize).sum::<usize>();
        self.heap -= old.iter().map(Packed::heap).sum::<usize>();
        self.count += made.blocks.iter().map(|block| block.count as usize).sum::<usize>();
        self.heap += made.blocks.iter().map(Packed::heap).sum::<usize>();
        self.blocks.splice(blocks, made.blocks);
    }

    /// The samples from an instant to before another, in order; block by block as they are asked
    /// for.
    pub fn range(&self, from: i64, to: i64) -> impl Iterator<Item = Sample> + '_ {
        let start = self.blocks.partition_point(|block| block.last.at < from);
        let blocks = self.blocks[start..].iter().take_while(move |block| block.first.at < to);
        let samples = blocks.flat_map(Packed::samples);
        samples.skip_while(move |sample| sample.at < from).take_while(move |it| it.at < to)
    }

    /// The samples from an instant to before another as columns, so many at most. O(log n), and
    /// some nanoseconds for each sample of the blocks that they are in.
    pub fn read(&self, from: i64, to: i64, most: usize) -> Columns {
        let start = self.blocks.partition_point(|block| block.last.at < from);
        let end = self.blocks.partition_point(|block| block.first.at < to).max(start);
        let mut columns = Columns::default();
        let (mut first, mut left) = (0, most);
        for block in &self.blocks[start..end] {
            let len = columns.len();
            // What was packed here reads back.
            if left == 0 || pack::unpack_into(&mut columns, &block.bytes).is_err() {
                break;
            }
            if len == 0 {
                first = columns.at.partition_point(|at| *at < from);
            }
            left = most.saturating_sub(columns.len() - first);
        }
        let last = columns.at.partition_point(|at| *at < to).min(first.saturating_add(most));
        columns.keep(first..last.max(first));
        columns
    }

    /// A span widened by what a chart needs: the last sample before it, if any is in it, and the
    /// first two behind, which are not from `clip` on.
    pub fn around(&self, from: i64, to: i64, clip: i64) -> (i64, i64) {
        let is_in = self.range(from, to).next().is_some();
        let before = if is_in { self.before(from) } else { None };
        let behind = self.range(to.max(from), clip).take(2).last();
        (before.map_or(from, |sample| sample.at), behind.map_or(to, |sample| sample.at + 1))
    }

    /// The last sample before an instant.
    pub fn before(&self, at: i64) -> Option<Sample> {
        let end = self.blocks.partition_point(|block| block.first.at < at);
        let block = self.blocks.get(end.checked_sub(1)?)?;
        block.samples().into_iter().rev().find(|sample| sample.at < at)
    }
}

/// Blocks on their way into a history.
#[derive(Default)]
struct Made {
    blocks: Vec<Packed>,
}

impl Made {
    /// A block as it was.
    fn push(&mut self, block: Packed) {
        self.blocks.push(block);
    }

    /// Samples in as many blocks as they need, which are full where they are at the end and more
    /// come behind; elsewhere they have room for those that come between. Where they and the block
    /// before fit into one, and one of both is small, they share it.
    fn add(&mut self, mut samples: Vec<Sample>, is_end: bool) {
        let count = |block: &Packed| block.count as usize;
        let small = |block: &Packed| {
            count(block).min(samples.len()) < FEW && count(block) + samples.len() <= pack::MOST
        };
        if let Some(before) = self.blocks.pop_if(|block| small(block)) {
            samples = before.samples().into_iter().chain(samples).collect();
        }
        let blocks = samples.len().div_ceil(pack::MOST).max(1);
        let each = if is_end { pack::MOST } else { samples.len().div_ceil(blocks).max(1) };
        self.blocks.extend(samples.chunks(each).filter_map(Packed::new));
    }
}

/// Old and new samples, of which the new ones win.
fn merged(old: Vec<Sample>, new: &[(i64, Option<Value>)]) -> Vec<Sample> {
    let mut all = Vec::with_capacity(old.len() + new.len());
    let mut new = new.iter().peekable();
    let put = |all: &mut Vec<Sample>, (at, value): &(i64, Option<Value>)| {
        all.extend(value.clone().map(|value| Sample { at: *at, value }));
    };
    for sample in old {
        while let Some(earlier) = new.next_if(|(at, _)| *at < sample.at) {
            put(&mut all, earlier);
        }
        match new.next_if(|(at, _)| *at == sample.at) {
            Some(instead) => put(&mut all, instead),
            None => all.push(sample),
        }
    }
    new.for_each(|later| put(&mut all, later));
    all
}

#[cfg(test)]
#[path = "series_tests.rs"]
mod tests;
