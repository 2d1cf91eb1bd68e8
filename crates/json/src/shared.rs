//! What documents share: shapes of objects, and pages of strings.

use table::size_class;

use crate::shape::Shape;

/// Something that documents share.
#[derive(Debug)]
pub(crate) struct Shared {
    /// The slot in the registry that made it.
    pub id: u32,
    pub what: What,
}

#[derive(Debug)]
pub(crate) enum What {
    Shape(Shape),
    Page(Page),
}

/// Strings, one behind the other.
#[derive(Debug)]
pub(crate) struct Page {
    pub text: Box<[u8]>,
    /// Where each ends, times two, plus one if it is clean.
    pub ends: Box<[u32]>,
}

impl Page {
    /// A string, and whether it is written as it is.
    #[inline]
    pub fn get(&self, number: usize) -> (&[u8], bool) {
        string_of(&self.text, &self.ends, number)
    }
}

#[inline]
pub(crate) fn string_of<'a>(text: &'a [u8], ends: &[u32], number: usize) -> (&'a [u8], bool) {
    let start = if number == 0 { 0 } else { ends[number - 1] as usize >> 1 };
    (&text[start..ends[number] as usize >> 1], ends[number] & 1 != 0)
}

impl Shared {
    /// Bytes allocated.
    pub fn memory(&self) -> usize {
        /// The two counts that lie before what an `Arc` points to.
        const COUNTS: usize = 16;
        size_class(COUNTS + size_of::<Shared>())
            + match &self.what {
                What::Shape(shape) => shape.memory(),
                What::Page(page) => {
                    size_class(page.text.len()) + size_class(size_of_val::<[u32]>(&page.ends))
                }
            }
    }
}
