//! What a reader of a document may ask of a value, whatever the value is made of.
//!
//! Paths, comparisons and writers are generic over [`Tree`], so that they run on stored documents,
//! on literals in a path and, in tests, on the values of another library. A tree is only looked at:
//! nothing here changes one.

use std::ops::Deref;

/// The kind of a value, as `JSON.TYPE` tells it apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number without fraction that fits 64 bits, signed or unsigned.
    Integer,
    /// Any other number: a double.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

/// A number; each has one form only, so that equal integers are equal values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Num {
    /// An integer that fits `i64`.
    I64(i64),
    /// An integer above `i64::MAX`.
    U64(u64),
    /// A double.
    F64(f64),
}

/// A value to be looked at; cheap to copy.
pub trait Tree<'a>: Copy + 'a {
    /// What it is.
    fn kind(self) -> Kind;
    /// The truth value, of a bool.
    fn as_bool(self) -> Option<bool>;
    /// The number, of a number.
    fn as_num(self) -> Option<Num>;
    /// The text, of a string.
    fn as_str(self) -> Option<Text<'a>>;
    /// How many members or elements it has; 0 for scalars.
    fn len(self) -> usize;
    /// Position and value of a member of an object; `None` for anything else.
    fn member(self, name: &str) -> Option<(usize, Self)>;
    /// The array element, or the value of the object's member, at a position.
    fn at(self, index: usize) -> Option<Self>;
    /// The name of an object's member at a position.
    fn name_at(self, index: usize) -> Option<&'a str>;
    /// Whether it has no members or elements.
    fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// The text of a string: borrowed from the document, or, where a document keeps short strings in
/// the value itself, up to seven bytes of its own.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a>(Form<'a>);

#[derive(Clone, Copy, Debug)]
enum Form<'a> {
    Borrowed(&'a str),
    Inline { len: u8, bytes: [u8; 7] },
}

impl<'a> Text<'a> {
    /// Text that lies in the document.
    pub fn borrowed(text: &'a str) -> Text<'a> {
        Text(Form::Borrowed(text))
    }

    /// A copy of a short text; `None` above seven bytes.
    pub fn inline(text: &str) -> Option<Text<'a>> {
        let mut bytes = [0; 7];
        bytes.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        Some(Text(Form::Inline { len: u8::try_from(text.len()).ok()?, bytes }))
    }
}

impl Deref for Text<'_> {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        match &self.0 {
            Form::Borrowed(text) => text,
            Form::Inline { len, bytes } => {
                let bytes = bytes.get(..usize::from(*len)).unwrap_or_default();
                std::str::from_utf8(bytes).unwrap_or_default()
            }
        }
    }
}
