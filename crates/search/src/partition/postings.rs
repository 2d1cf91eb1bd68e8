//! The rows of one term, each with a payload, in blocks of bounded size that are edited in place.
//!
//! ```text
//!   Block { first, last, count, bytes }     bytes = payload(first), then (delta, payload) a row
//!   delta    varint: the distance from the previous row
//!   payload  as Shape says: nothing, or a Record (frequency, attributes, positions)
//! ```
//!
//! A term of one row without a payload allocates nothing. A block is divided when it has more than
//! `MAX_ROWS` rows or `MAX_BYTES`, and joined to a neighbour when both are small, so that an edit
//! costs O(log blocks + a block), and updates leave memory as it was.

use super::bitmap::END;
use super::record::Shape;
use super::varint;

const MAX_ROWS: u32 = 128;
const MAX_BYTES: usize = 1024;

#[derive(Clone, Debug, Default)]
struct Block {
    first: u32,
    last: u32,
    count: u32,
    bytes: Vec<u8>,
}

#[derive(Clone, Debug)]
enum Blocks {
    One(Block),
    Many(Vec<Block>),
}

/// The rows of a term, ascending.
#[derive(Clone, Debug)]
pub struct Postings {
    blocks: Blocks,
    rows: u32,
}

impl Default for Postings {
    fn default() -> Self {
        Self { blocks: Blocks::One(Block::default()), rows: 0 }
    }
}

/// Where an entry is, or would be, in a block.
struct Place {
    /// The row before it, and where its delta begins.
    previous: u32,
    at: usize,
    /// The row there, and where its payload begins; [`END`] past the last one.
    row: u32,
    payload: usize,
}

impl Block {
    /// Replaces bytes, without more spare capacity than an eighth.
    fn splice(&mut self, from: usize, to: usize, with: &[u8]) {
        let more = with.len().saturating_sub(to - from);
        if self.bytes.capacity() - self.bytes.len() < more {
            self.bytes.reserve_exact(more + self.bytes.len() / 8);
        }
        self.bytes.splice(from..to, with.iter().copied());
        let wanted = self.bytes.len() + self.bytes.len() / 8;
        if self.bytes.capacity() > 2 * wanted {
            self.bytes.shrink_to(wanted);
        }
    }

    /// The first entry whose row is not less than this one, which is greater than `first`.
    fn find(&self, row: u32, shape: Shape) -> Place {
        let (mut previous, mut at) = (self.first, 0);
        for _ in 1..self.count {
            at += shape.size(&self.bytes, at);
            let mut payload = at;
            let here = previous.saturating_add(varint::read(&self.bytes, &mut payload));
            if here >= row {
                return Place { previous, at, row: here, payload };
            }
            (previous, at) = (here, payload);
        }
        let end = self.bytes.len();
        Place { previous, at: end, row: END, payload: end }
    }

    fn insert(&mut self, row: u32, payload: &[u8], shape: Shape) {
        let (mut entry, end) = (Vec::with_capacity(payload.len() + 10), self.bytes.len());
        let (from, to) = if self.count == 0 {
            (self.first, self.last) = (row, row);
            entry.extend_from_slice(payload);
            (0, 0)
        } else if row < self.first {
            entry.extend_from_slice(payload);
            varint::write(&mut entry, (self.first - row).into());
            self.first = row;
            (0, 0)
        } else if row > self.last {
            varint::write(&mut entry, (row - self.last).into());
            entry.extend_from_slice(payload);
            self.last = row;
            (end, end)
        } else {
            let place = self.find(row, shape);
            varint::write(&mut entry, (row - place.previous).into());
            entry.extend_from_slice(payload);
            varint::write(&mut entry, (place.row - row).into());
            (place.at, place.payload)
        };
        self.count += 1;
        self.splice(from, to, &entry);
    }

    fn remove(&mut self, row: u32, shape: Shape) -> bool {
        if self.count == 0 || row < self.first || row > self.last {
            return false;
        }
        let (place, after) = if row == self.first {
            let place = Place { previous: row, at: 0, row, payload: 0 };
            (place, shape.size(&self.bytes, 0))
        } else {
            let place = self.find(row, shape);
            let after = place.payload + shape.size(&self.bytes, place.payload);
            (place, after)
        };
        if place.row != row {
            return false;
        }
        let mut joint = Vec::new();
        let mut behind = after;
        if self.count == 1 {
            behind = self.bytes.len();
        } else if row == self.last {
            self.last = place.previous;
        } else {
            let next = row + varint::read(&self.bytes, &mut behind);
            if row == self.first {
                self.first = next;
            } else {
                varint::write(&mut joint, (next - place.previous).into());
            }
        }
        self.count -= 1;
        self.splice(place.at, behind, &joint);
        true
    }

    /// Keeps the first half; the rest.
    fn divide(&mut self, shape: Shape) -> Block {
        let half = self.count / 2;
        let (mut last, mut at) = (self.first, 0);
        for _ in 1..half {
            at += shape.size(&self.bytes, at);
            last = last.saturating_add(varint::read(&self.bytes, &mut at));
        }
        at += shape.size(&self.bytes, at);
        let mut payload = at;
        let first = last.saturating_add(varint::read(&self.bytes, &mut payload));
        let bytes = self.bytes[payload.min(self.bytes.len())..].to_vec();
        let rest = Block { first, last: self.last, count: self.count - half, bytes };
        self.bytes.truncate(at);
        self.bytes.shrink_to_fit();
        (self.last, self.count) = (last, half);
        rest
    }

    /// Appends the rows of the block that follows.
    fn join(&mut self, next: &Block) {
        let mut joint = Vec::with_capacity(next.bytes.len() + 5);
        varint::write(&mut joint, (next.first - self.last).into());
        joint.extend_from_slice(&next.bytes);
        let end = self.bytes.len();
        self.splice(end, end, &joint);
        self.count += next.count;
        self.last = next.last;
    }

    fn is_full(&self) -> bool {
        self.count > MAX_ROWS || (self.bytes.len() > MAX_BYTES && self.count > 1)
    }

    fn fits_with(&self, other: &Block) -> bool {
        self.count + other.count <= MAX_ROWS / 2
            && self.bytes.len() + other.bytes.len() <= MAX_BYTES / 2
    }
}

impl Postings {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows as usize
    }

    fn blocks(&self) -> &[Block] {
        match &self.blocks {
            Blocks::One(block) if block.count == 0 => &[],
            Blocks::One(block) => std::slice::from_ref(block),
            Blocks::Many(blocks) => blocks,
        }
    }

    /// Bytes allocated. O(blocks): callers add up the changes that edits return.
    pub fn allocated(&self) -> usize {
        match &self.blocks {
            Blocks::One(block) => block.bytes.capacity(),
            Blocks::Many(blocks) => {
                let bytes = blocks.iter().map(|block| block.bytes.capacity()).sum::<usize>();
                bytes + blocks.capacity() * size_of::<Block>()
            }
        }
    }

    /// Adds a row that is absent; by how much the bytes allocated changed.
    pub fn insert(&mut self, row: u32, payload: &[u8], shape: Shape) -> isize {
        self.rows += 1;
        let blocks = match &mut self.blocks {
            Blocks::One(block) => {
                let before = block.bytes.capacity();
                block.insert(row, payload, shape);
                if !block.is_full() {
                    return change(before, block.bytes.capacity());
                }
                let rest = block.divide(shape);
                let blocks = Vec::from([std::mem::take(block), rest]);
                self.blocks = Blocks::Many(blocks);
                return change(before, self.allocated());
            }
            Blocks::Many(blocks) => blocks,
        };
        let at = blocks.partition_point(|block| block.last < row).min(blocks.len() - 1);
        let before = blocks[at].bytes.capacity();
        blocks[at].insert(row, payload, shape);
        let mut changed = change(before, blocks[at].bytes.capacity());
        if blocks[at].is_full() {
            let before = blocks[at].bytes.capacity() + blocks.capacity() * size_of::<Block>();
            let rest = blocks[at].divide(shape);
            let bytes = blocks[at].bytes.capacity() + rest.bytes.capacity();
            if blocks.len() == blocks.capacity() {
                blocks.reserve_exact(1 + blocks.len() / 8);
            }
            blocks.insert(at + 1, rest);
            changed += change(before, bytes + blocks.capacity() * size_of::<Block>());
        }
        changed
    }

    /// Removes a row; whether it was there, and by how much the bytes allocated changed.
    pub fn remove(&mut self, row: u32, shape: Shape) -> (bool, isize) {
        let blocks = match &mut self.blocks {
            Blocks::One(block) => {
                let before = block.bytes.capacity();
                let removed = block.remove(row, shape);
                self.rows -= u32::from(removed);
                return (removed, change(before, block.bytes.capacity()));
            }
            Blocks::Many(blocks) => blocks,
        };
        let at = blocks.partition_point(|block| block.last < row);
        let Some(block) = blocks.get_mut(at) else { return (false, 0) };
        let before = block.bytes.capacity();
        if !block.remove(row, shape) {
            return (false, 0);
        }
        self.rows -= 1;
        let changed = change(before, block.bytes.capacity());
        (true, changed + self.join_around(at))
    }

    /// Joins a block from which a row was removed to a neighbour, if both are small.
    fn join_around(&mut self, at: usize) -> isize {
        let Blocks::Many(blocks) = &mut self.blocks else { return 0 };
        let left = match at {
            at if at + 1 < blocks.len() && blocks[at].fits_with(&blocks[at + 1]) => at,
            at if at > 0 && blocks[at - 1].fits_with(&blocks[at]) => at - 1,
            _ => return 0,
        };
        let before = blocks[left].bytes.capacity()
            + blocks[left + 1].bytes.capacity()
            + blocks.capacity() * size_of::<Block>();
        let next = blocks.remove(left + 1);
        if blocks[left].count == 0 {
            blocks[left] = next;
        } else if next.count > 0 {
            blocks[left].join(&next);
        }
        let bytes = blocks[left].bytes.capacity();
        if blocks.len() == 1 {
            let only = std::mem::take(&mut blocks[0]);
            self.blocks = Blocks::One(only);
            return change(before, bytes);
        }
        if blocks.capacity() > 2 * blocks.len() {
            blocks.shrink_to(blocks.len() + blocks.len() / 8);
        }
        change(before, bytes + blocks.capacity() * size_of::<Block>())
    }

    /// A walk over the rows, at the first one.
    pub fn cursor(&self, shape: Shape) -> Cursor<'_> {
        let mut cursor =
            Cursor { blocks: self.blocks(), bytes: &[], shape, row: END, left: 0, at: 0 };
        cursor.enter();
        cursor
    }
}

fn change(before: usize, after: usize) -> isize {
    after as isize - before as isize
}

/// A place in postings.
#[derive(Clone, Debug)]
pub struct Cursor<'p> {
    /// The block of the current row, and those that follow.
    blocks: &'p [Block],
    bytes: &'p [u8],
    shape: Shape,
    row: u32,
    /// Rows of the block after the current one.
    left: u32,
    /// Where the payload of the current row begins.
    at: usize,
}

impl<'p> Cursor<'p> {
    fn enter(&mut self) {
        let Some(block) = self.blocks.first() else {
            self.row = END;
            return;
        };
        (self.bytes, self.row, self.left, self.at) =
            (&block.bytes, block.first, block.count - 1, 0);
    }

    /// The current row, or [`END`].
    #[inline]
    pub fn row(&self) -> u32 {
        self.row
    }

    /// Moves to the next row.
    #[inline]
    pub fn advance(&mut self) {
        if self.left == 0 {
            self.blocks = self.blocks.get(1..).unwrap_or(&[]);
            return self.enter();
        }
        self.left -= 1;
        self.at += self.shape.size(self.bytes, self.at);
        self.row = self.row.saturating_add(varint::read(self.bytes, &mut self.at));
    }

    /// Moves to the first row that is not less than this one, if the current one is; galloping over
    /// blocks.
    #[inline]
    pub fn seek(&mut self, row: u32) -> u32 {
        if self.row >= row {
            return self.row;
        }
        if self.blocks.first().is_some_and(|block| block.last < row) {
            let mut step = 1;
            while self.blocks.get(step).is_some_and(|block| block.last < row) {
                step *= 2;
            }
            let most = self.blocks.len().min(step + 1);
            let skipped = self.blocks[..most].partition_point(|block| block.last < row);
            self.blocks = &self.blocks[skipped..];
            self.enter();
        }
        while self.row < row {
            self.advance();
        }
        self.row
    }

    /// The payload of the current row, and what follows it.
    #[inline]
    pub fn payload(&self) -> &'p [u8] {
        self.bytes.get(self.at..).unwrap_or(&[])
    }
}
