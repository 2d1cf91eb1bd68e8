//! Arrays of fixed slots, in pages of 1,024 slots: growth copies nothing and leaves at most one
//! page unused, and the bytes taken are known at any time.
//!
//! ```text
//!   slot n ─► page n / 1,024 ─► items (n % 1,024) · stride ..        each page starts a cache line
//! ```
//!
//! A page exists once one of its slots was written. Only the first is smaller than 1,024 slots: it
//! doubles, as many indexes are small. A slot that was never written reads as the default.

/// Slots of a page.
pub const PAGE: u32 = 1024;
/// Bytes of a cache line, which a page is aligned to.
const LINE: usize = 64;

/// Slots of `stride` items each.
#[derive(Clone, Debug)]
pub struct Paged<T> {
    stride: usize,
    default: T,
    pages: Vec<Page<T>>,
    /// What the items of all pages take.
    bytes: usize,
}

#[derive(Clone, Debug, Default)]
struct Page<T> {
    items: Vec<T>,
    /// The first item that is aligned.
    start: usize,
}

impl<T: Copy> Paged<T> {
    pub fn new(stride: usize, default: T) -> Self {
        Paged { stride, default, pages: Vec::new(), bytes: 0 }
    }

    /// The items of a slot; none if its page does not exist.
    #[inline]
    pub fn slot(&self, at: u32) -> &[T] {
        let Some(page) = self.pages.get((at / PAGE) as usize) else { return &[] };
        let first = page.start + (at % PAGE) as usize * self.stride;
        page.items.get(first..first + self.stride).unwrap_or_default()
    }

    /// The first item of a slot.
    #[inline]
    pub fn value(&self, at: u32) -> T {
        self.slot(at).first().copied().unwrap_or(self.default)
    }

    /// Makes the first item of a slot `value`.
    pub fn set(&mut self, at: u32, value: T) {
        if let Some(item) = self.slot_mut(at).first_mut() {
            *item = value;
        }
    }

    /// The items of a slot, to be written. Allocates its page.
    pub fn slot_mut(&mut self, at: u32) -> &mut [T] {
        let (number, offset) = ((at / PAGE) as usize, (at % PAGE) as usize);
        if self.pages.len() <= number {
            let page = || Page { items: Vec::new(), start: 0 };
            self.pages.resize_with(number + 1, page);
        }
        let (stride, default) = (self.stride, self.default);
        let page = &mut self.pages[number];
        if page.items.len() < page.start + (offset + 1) * stride {
            self.bytes -= page.bytes();
            let slots = if number == 0 { (offset + 1).next_power_of_two() } else { PAGE as usize };
            page.grow(slots * stride, default);
            self.bytes += page.bytes();
        }
        let first = page.start + offset * stride;
        &mut page.items[first..first + stride]
    }

    pub fn memory(&self) -> usize {
        self.bytes + self.pages.capacity() * size_of::<Page<T>>()
    }

    /// The same, counted page by page.
    #[cfg(test)]
    pub fn recount(&self) -> usize {
        let items: usize = self.pages.iter().map(Page::bytes).sum();
        items + self.pages.capacity() * size_of::<Page<T>>()
    }
}

impl<T: Copy> Page<T> {
    fn bytes(&self) -> usize {
        self.items.capacity() * size_of::<T>()
    }

    /// Moves the items to a larger array of `len` of them, with as many before it as align it.
    fn grow(&mut self, len: usize, default: T) {
        let mut items: Vec<T> = Vec::with_capacity(len + LINE / size_of::<T>());
        // No array can be aligned where addresses are not known, as in an interpreter.
        let start = Some(items.as_ptr().align_offset(LINE)).filter(|n| *n < LINE).unwrap_or(0);
        items.resize(start, default);
        items.extend_from_slice(&self.items[self.start..]);
        items.resize(start + len, default);
        *self = Page { items, start };
    }
}

#[cfg(test)]
#[path = "paged_tests.rs"]
mod tests;
