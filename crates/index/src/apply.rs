//! Changing a tree by a sorted batch.
//!
//! The batch is divided among children on the way down. A leaf is packed anew once, whatever comes
//! and goes in it, and may become several or none; only then is its parent put together anew, and
//! on the way neighbours that have become small are joined.

use crate::block::{Block, Step};
use crate::prefix::common;
use crate::tree::{Inner, Node, Tree};
use crate::{Change, KeyList};

/// Most keys of a leaf.
pub(crate) const KEYS: usize = 64;
/// Most bytes of a leaf's keys, unless it has only one: so that packing it anew stays cheap.
pub(crate) const BYTES: usize = 8 * 1024;
/// Most children of an inner node.
pub(crate) const CHILDREN: usize = 64;
/// A node with fewer keys or children than this is joined to a neighbour, if both then have room.
const FEW: usize = 20;
/// Most keys or children that two nodes are joined for.
const JOINED: usize = 48;

/// A node that looks for its parent.
#[derive(Debug)]
pub(crate) struct Piece {
    /// Nothing in it is smaller, and all in the one before is; empty if there is none before.
    pub low: Box<[u8]>,
    pub node: Node,
    /// How many keys are in it.
    pub count: usize,
}

/// The shortest string that is greater than `left`, and not greater than `right`.
pub(crate) fn separator(left: &[u8], right: &[u8]) -> Vec<u8> {
    let common = common(left, right);
    right.get(..common + 1).unwrap_or(right).to_vec()
}

/// What became of a node.
enum Became {
    /// It is in its place, with so many keys.
    Itself(usize),
    /// It was taken apart, or has gone: these are in its place. The first has no lower end of its
    /// own.
    Pieces(Vec<Piece>),
}

/// What a batch needs on its way.
#[derive(Default)]
struct Scratch {
    keys: KeyList,
    steps: Vec<Step>,
    /// Bytes the tree takes.
    memory: usize,
}

impl Tree {
    /// Makes these changes: in the order of their keys, each key once. Whether a key that comes was
    /// there before, or one that goes was not, makes no difference. O(m log n), and a leaf's bytes
    /// for each leaf that changes.
    pub fn apply(&mut self, changes: &[Change<'_>]) {
        debug_assert!(changes.is_sorted_by(|a, b| a.key < b.key), "sorted, each key once");
        if changes.is_empty() {
            return;
        }
        let mut scratch = Scratch { memory: self.memory, ..Scratch::default() };
        match change(&mut self.root, changes, &mut scratch) {
            Became::Itself(len) => self.len = len,
            Became::Pieces(mut level) => {
                self.len = level.iter().map(|piece| piece.count).sum();
                while level.len() > 1 {
                    level = assemble(level, CHILDREN * 3 / 4, &mut scratch.memory);
                }
                self.root = level.pop().map_or(Node::Leaf(Block::default()), |piece| piece.node);
            }
        }
        while let Node::Inner(inner) = &mut self.root
            && inner.children.len() == 1
        {
            let children = std::mem::take(&mut inner.children);
            let child = children.into_iter().next();
            let old =
                std::mem::replace(&mut self.root, child.unwrap_or(Node::Leaf(Block::default())));
            scratch.memory -= old.own_memory() + table::size_class(size_of::<Node>());
        }
        self.memory = scratch.memory;
    }
}

/// Puts pieces below new inner nodes, with about `wide` children each.
pub(crate) fn assemble(pieces: Vec<Piece>, wide: usize, memory: &mut usize) -> Vec<Piece> {
    let nodes = pieces.len().div_ceil(wide).max(1);
    let mut rest = pieces.into_iter();
    let mut above = Vec::with_capacity(nodes);
    for at in 0..nodes {
        // Evenly: none of them is left with a few.
        let size = rest.len() / (nodes - at);
        let part: Vec<Piece> = rest.by_ref().take(size).collect();
        above.push(parent(part, memory));
    }
    above
}

/// The node above these pieces, as a piece.
fn parent(pieces: Vec<Piece>, memory: &mut usize) -> Piece {
    let separators = Block::pack(1..pieces.len(), |at| &pieces[at].low);
    let counts: Box<[usize]> = pieces.iter().map(|piece| piece.count).collect();
    let count = counts.iter().sum();
    let mut low = None;
    let mut children = Vec::with_capacity(pieces.len());
    for piece in pieces {
        low.get_or_insert(piece.low);
        children.push(piece.node);
    }
    let inner = Inner { separators, children: children.into_boxed_slice(), counts };
    let node = Node::Inner(Box::new(inner));
    *memory += node.own_memory();
    Piece { low: low.unwrap_or_default(), node, count }
}

fn change(node: &mut Node, changes: &[Change<'_>], scratch: &mut Scratch) -> Became {
    match node {
        Node::Leaf(block) => change_leaf(block, changes, scratch),
        Node::Inner(inner) => {
            let children = change_children(inner, changes, scratch);
            let can_join = children.iter().any(|(at, became)| match became {
                Became::Itself(_) => is_joinable(inner, *at),
                Became::Pieces(_) => true,
            });
            if !can_join {
                return Became::Itself(inner.counts.iter().sum());
            }
            scratch.memory -= Node::own_memory(node);
            let Node::Inner(inner) = node else { return Became::Pieces(Vec::new()) };
            let inner = std::mem::take(&mut **inner);
            let pieces = join(take_apart(inner, children), scratch);
            if pieces.is_empty() {
                return Became::Pieces(pieces);
            }
            let wide = if pieces.len() <= CHILDREN { CHILDREN } else { CHILDREN * 3 / 4 };
            let mut above = assemble(pieces, wide, &mut scratch.memory);
            match above.len() {
                1 => {
                    let only = above.remove(0);
                    *node = only.node;
                    Became::Itself(only.count)
                }
                _ => Became::Pieces(above),
            }
        }
    }
}

/// Divides the changes among children; which of them changed, and what became of them.
fn change_children(
    inner: &mut Inner,
    mut changes: &[Change<'_>],
    scratch: &mut Scratch,
) -> Vec<(usize, Became)> {
    let mut changed = Vec::new();
    while let Some(first) = changes.first() {
        let at = inner.child_of(first.key);
        let end = if at < inner.separators.len() {
            let next = inner.separators.get(at);
            changes.partition_point(|change| change.key < &next[..])
        } else {
            changes.len()
        };
        let (here, rest) = changes.split_at(end);
        changes = rest;
        let became = change(&mut inner.children[at], here, scratch);
        if let Became::Itself(count) = became {
            inner.counts[at] = count;
        }
        changed.push((at, became));
    }
    changed
}

/// Packs a leaf anew.
fn change_leaf(block: &mut Block, changes: &[Change<'_>], scratch: &mut Scratch) -> Became {
    let Scratch { keys, steps, memory } = scratch;
    if let Some(spliced) = block.splice(changes, (KEYS, BYTES), steps) {
        *memory -= block.memory();
        *memory += spliced.memory();
        *block = spliced;
        return Became::Itself(block.len());
    }
    keys.clear();
    let (prefix, rests) = (block.prefix(), block.rests());
    let mut from = 0;
    for change in changes {
        let (at, found) = block.lower_bound(change.key);
        (from..at).for_each(|old| keys.push_parts(prefix, rests.get(old)));
        from = at + usize::from(found);
        if change.is_there {
            keys.push(change.key);
        }
    }
    (from..block.len()).for_each(|old| keys.push_parts(prefix, rests.get(old)));
    *memory -= block.memory();
    if keys.len() <= 1 || (keys.len() <= KEYS && keys.bytes() <= BYTES) {
        *block = Block::pack(0..keys.len(), |at| keys.get(at));
        *memory += block.memory();
        if keys.is_empty() {
            *memory -= block.memory();
            return Became::Pieces(Vec::new());
        }
        return Became::Itself(keys.len());
    }
    Became::Pieces(split(keys, memory))
}

/// Packs keys into as few leaves as hold them, about evenly.
fn split(keys: &KeyList, memory: &mut usize) -> Vec<Piece> {
    let by_number = keys.len().div_ceil(KEYS);
    let leaves = by_number.max(keys.bytes().div_ceil(BYTES)).max(1);
    let (many, bytes) = (keys.len().div_ceil(leaves), keys.bytes().div_ceil(leaves));
    let mut pieces: Vec<Piece> = Vec::with_capacity(leaves);
    let mut start = 0;
    while start < keys.len() {
        let (mut end, mut size) = (start, 0);
        while end < keys.len() && end - start < many {
            size += keys.get(end).len();
            // A leaf with long keys ends early; one key it has at least.
            if end > start && size > bytes.max(BYTES / 2) {
                break;
            }
            end += 1;
        }
        let node = Node::Leaf(Block::pack(start..end, |at| keys.get(at)));
        *memory += node.own_memory();
        let low = match start.checked_sub(1) {
            Some(before) => separator(keys.get(before), keys.get(start)).into_boxed_slice(),
            None => Box::default(),
        };
        pieces.push(Piece { low, node, count: end - start });
        start = end;
    }
    pieces
}

/// The children of a node as pieces, with what became of those that changed.
fn take_apart(inner: Inner, changed: Vec<(usize, Became)>) -> Vec<Piece> {
    let Inner { separators, children, counts } = inner;
    let mut changed = changed.into_iter().peekable();
    let mut pieces: Vec<Piece> = Vec::with_capacity(children.len() + changed.len());
    // The parent's own lower end belongs to the caller, which puts the first piece somewhere.
    let mut gap: Option<Box<[u8]>> = None;
    for (at, (node, &count)) in children.into_iter().zip(&counts).enumerate() {
        let low: Box<[u8]> = match at.checked_sub(1) {
            Some(before) => separators.get(before).into_boxed_slice(),
            None => Box::default(),
        };
        // What was left of a child that has gone is now of the one behind it.
        let low = gap.take().unwrap_or(low);
        let became = changed.next_if(|(changed, _)| *changed == at).map(|(_, became)| became);
        match became {
            Some(Became::Pieces(parts)) if parts.is_empty() => gap = Some(low),
            Some(Became::Pieces(mut parts)) => {
                if let Some(first) = parts.first_mut() {
                    first.low = low;
                }
                pieces.append(&mut parts);
            }
            Some(Became::Itself(_)) | None => pieces.push(Piece { low, node, count }),
        }
    }
    pieces
}

/// How full a node is: keys or children, and bytes of keys.
fn fill(node: &Node) -> (usize, usize) {
    match node {
        Node::Leaf(block) => (block.len(), block.raw_bytes()),
        Node::Inner(inner) => (inner.children.len(), 0),
    }
}

fn fit_together(a: &Node, b: &Node) -> bool {
    let (a, b) = (fill(a), fill(b));
    (a.0 < FEW || b.0 < FEW) && a.0 + b.0 <= JOINED && a.1 + b.1 <= BYTES / 2
}

/// Whether a child could be joined to a neighbour.
fn is_joinable(inner: &Inner, at: usize) -> bool {
    let child = &inner.children[at];
    let before = at.checked_sub(1).and_then(|before| inner.children.get(before));
    before.into_iter().chain(inner.children.get(at + 1)).any(|other| fit_together(child, other))
}

/// Joins neighbours that are small.
fn join(pieces: Vec<Piece>, scratch: &mut Scratch) -> Vec<Piece> {
    let mut joined: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match joined.last_mut() {
            Some(last) if fit_together(&last.node, &piece.node) => append(last, piece, scratch),
            _ => joined.push(piece),
        }
    }
    joined
}

/// Makes one node of two.
fn append(left: &mut Piece, right: Piece, scratch: &mut Scratch) {
    scratch.memory -= left.node.own_memory() + right.node.own_memory();
    let empty = Node::Leaf(Block::default());
    left.count += right.count;
    left.node = match (std::mem::replace(&mut left.node, empty), right.node) {
        (Node::Inner(a), Node::Inner(b)) => {
            let mut pieces = take_apart(*a, Vec::new());
            let mut others = take_apart(*b, Vec::new());
            if let Some(first) = others.first_mut() {
                first.low = right.low;
            }
            pieces.append(&mut others);
            // It adds what the node takes.
            return left.node = parent(pieces, &mut scratch.memory).node;
        }
        (a, b) => {
            scratch.keys.clear();
            for node in [&a, &b] {
                // All leaves are at the same depth: these are two.
                let Node::Leaf(block) = node else { continue };
                let (prefix, rests) = (block.prefix(), block.rests());
                (0..block.len()).for_each(|at| scratch.keys.push_parts(prefix, rests.get(at)));
            }
            Node::Leaf(Block::pack(0..scratch.keys.len(), |at| scratch.keys.get(at)))
        }
    };
    scratch.memory += left.node.own_memory();
}
