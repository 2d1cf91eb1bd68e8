//! Objects as blocks: how they are laid down.
//!
//! What is known of names here are their hashes. See `layout.rs` for the blocks themselves.

use crate::arena::{Arena, word};
use crate::cell::{Cell, tag};
use crate::layout::{TABLE_HEAD, slot_width};
use crate::value::Probe;

/// Objects with names of their own have an index above this many members.
pub(crate) const PAIRS: usize = 16;

/// An object of a shape.
pub(crate) fn push_shaped(arena: &mut Arena, place: usize, values: &[u32]) -> Cell {
    let head = word(values.len()) | word(place) << 8;
    let at = arena.push_words(std::iter::once(head).chain(values.iter().copied()));
    Cell::block(tag::SHAPED, at)
}

/// A small object with names of its own.
pub(crate) fn push_pairs(arena: &mut Arena, names: &[u32], values: &[u32]) -> Cell {
    let at = arena.alloc(4 + names.len() * 8);
    arena.set_word(at, word(names.len()));
    set_entries(arena, at + 4, names, values);
    Cell::block(tag::PAIRS, at)
}

fn set_entries(arena: &mut Arena, data: usize, names: &[u32], values: &[u32]) {
    for (entry, (&name, &value)) in names.iter().zip(values).enumerate() {
        arena.set_word(data + entry * 8, name);
        arena.set_word(data + entry * 8 + 4, value);
    }
}

/// A large object with names of its own and room for `cap` members.
pub(crate) fn push_table(
    arena: &mut Arena,
    names: &[u32],
    values: &[u32],
    hashes: impl Iterator<Item = u64>,
    cap: usize,
) -> Cell {
    let slots = (cap + cap / 3 + 1).next_power_of_two();
    let index = arena.alloc(8 + slots * slot_width(cap));
    arena.set_word(index, word(slots));
    arena.set_word(index + 4, word(names.len()));
    for (entry, hash) in hashes.enumerate() {
        add_to_index(arena, index, cap, hash, entry);
    }
    let at = arena.alloc(TABLE_HEAD * 4 + cap * 8);
    for (n, number) in [names.len(), names.len(), cap, index, 0].into_iter().enumerate() {
        arena.set_word(at + n * 4, word(number));
    }
    set_entries(arena, at + TABLE_HEAD * 4, names, values);
    Cell::block(tag::TABLE, at)
}

/// Puts an entry into the first free slot of an index.
pub(crate) fn add_to_index(arena: &mut Arena, index: usize, cap: usize, hash: u64, entry: usize) {
    let mut probe = Probe::new(arena, index, cap, hash);
    while probe.slot(arena) != 0 {
        probe.next();
    }
    probe.set_slot(arena, entry + 2);
}
