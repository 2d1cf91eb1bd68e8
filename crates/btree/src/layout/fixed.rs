//! Elements of a fixed size: numbers, and pairs of numbers.
//!
//! ```text
//!   | key | id | key | id | ...        bytes side by side, without gaps for alignment
//! ```
//!
//! An index over numbers has what is looked for before the number of the row. Floating-point
//! numbers become words of the same order first: [`rank_bits_of_f64`].

use std::cmp::Ordering;

use table::room;

use super::Layout;

/// Something of a fixed size with an order.
pub trait Element: Copy + Ord + Send + Sync + 'static {
    /// It in a node.
    type Bytes: Copy + Send + Sync;
    /// How it is kept.
    fn to_bytes(self) -> Self::Bytes;
    /// It again.
    fn of_bytes(bytes: &Self::Bytes) -> Self;
}

/// Elements side by side: see the head of this file.
pub struct Fixed<E: Element> {
    elements: Vec<E::Bytes>,
}

macro_rules! words {
    ($($word:ty),*) => {$(
        impl Element for $word {
            type Bytes = [u8; size_of::<$word>()];

            #[inline]
            fn to_bytes(self) -> Self::Bytes {
                self.to_ne_bytes()
            }

            #[inline]
            fn of_bytes(bytes: &Self::Bytes) -> Self {
                <$word>::from_ne_bytes(*bytes)
            }
        }
    )*};
}
words!(u32, u64, i64, u128);

/// Two of them, the first being more significant. A pair of arrays of bytes has no gaps.
impl<A: Element, B: Element> Element for (A, B) {
    type Bytes = (A::Bytes, B::Bytes);

    #[inline]
    fn to_bytes(self) -> Self::Bytes {
        (self.0.to_bytes(), self.1.to_bytes())
    }

    #[inline]
    fn of_bytes(bytes: &Self::Bytes) -> Self {
        (A::of_bytes(&bytes.0), B::of_bytes(&bytes.1))
    }
}

impl<E: Element> Default for Fixed<E> {
    fn default() -> Self {
        Fixed { elements: Vec::new() }
    }
}

impl<E: Element> Clone for Fixed<E> {
    fn clone(&self) -> Self {
        let mut elements = Vec::new();
        room::reserve(&mut elements, self.elements.len());
        elements.extend_from_slice(&self.elements);
        Fixed { elements }
    }
}

impl<E: Element> Layout for Fixed<E> {
    type Item<'a> = E;
    type Owned = E;

    const MOST: usize = if cfg!(test) { 8 } else { 64 };
    const MOST_BYTES: usize = Self::MOST * size_of::<E::Bytes>();

    #[inline]
    fn len(&self) -> usize {
        self.elements.len()
    }

    #[inline]
    fn bytes(&self) -> usize {
        size_of_val(&*self.elements)
    }

    #[inline]
    fn memory(&self) -> usize {
        room::of_vec(&self.elements)
    }

    #[inline]
    fn size(_item: E) -> usize {
        size_of::<E::Bytes>()
    }

    #[inline]
    fn item(&self, at: usize) -> E {
        E::of_bytes(&self.elements[at])
    }

    #[inline]
    fn order(left: E, right: E) -> Ordering {
        left.cmp(&right)
    }

    fn of(items: &[E]) -> Self {
        let mut elements = Vec::new();
        room::reserve(&mut elements, items.len());
        elements.extend(items.iter().map(|item| item.to_bytes()));
        Fixed { elements }
    }

    fn insert(&mut self, at: usize, item: E) {
        room::reserve(&mut self.elements, 1);
        self.elements.insert(at, item.to_bytes());
    }

    fn remove(&mut self, from: usize, to: usize) {
        self.elements.drain(from..to);
        room::shrink(&mut self.elements);
    }

    fn replace(&mut self, at: usize, _old: E, new: E) {
        self.elements[at] = new.to_bytes();
    }

    fn split_off(&mut self, at: usize) -> Self {
        let mut rest = Vec::new();
        room::reserve(&mut rest, self.elements.len() - at);
        rest.extend_from_slice(&self.elements[at..]);
        self.remove(at, self.elements.len());
        Fixed { elements: rest }
    }

    fn append(&mut self, other: &Self) {
        room::reserve(&mut self.elements, other.elements.len());
        self.elements.extend_from_slice(&other.elements);
    }

    fn separator(_left: E, right: E) -> E {
        right
    }

    fn own(item: E) -> E {
        item
    }

    #[inline]
    fn item_of(owned: &E) -> E {
        *owned
    }
}

const SIGN: u64 = 1 << 63;

/// A word that orders as the number does: minus infinity first, -0 before 0, and NaN at the ends.
///
/// ```
/// use kvist_btree::{f64_of_rank_bits, rank_bits_of_f64};
/// let numbers = [f64::NEG_INFINITY, -1.5, -0.0, 0.0, 1e-300, 2.0, f64::INFINITY];
/// assert!(numbers.map(rank_bits_of_f64).is_sorted());
/// let back = numbers.map(rank_bits_of_f64).map(f64_of_rank_bits);
/// assert_eq!(back.map(f64::to_bits), numbers.map(f64::to_bits));
/// ```
#[inline]
#[must_use]
pub fn rank_bits_of_f64(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

/// The number again.
#[inline]
#[must_use]
pub fn f64_of_rank_bits(bits: u64) -> f64 {
    f64::from_bits(if bits & SIGN == 0 { !bits } else { bits ^ SIGN })
}
