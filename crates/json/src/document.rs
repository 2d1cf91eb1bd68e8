//! A document as it is stored: its text, its tree, or both.
//!
//! ```text
//!              value()                value_mut()
//!   text ────────────────► text, tree ───────────► tree      SET: text; a path is read; changed
//!    ▲                        │  ▲                  │
//!    └──────── drop_tree() ───┘  └── keep_text() ───┘
//! ```
//!
//! Whole documents are fetched and stored as fast as strings if their canonical text is at hand;
//! parts of them are if there is a tree. Which of the two is worth its memory only the owner can
//! say, who knows how much there is; each state tells what it takes.

use table::size_class;

use crate::canonical::canonical;
use crate::diagnose::ParseError;
use crate::edit::EditError;
use crate::path::Path;
use crate::registry::Registry;
use crate::scalar::Scalar;
use crate::value::Value;

/// A document as it is stored: its canonical text, its tree, or both.
#[derive(Clone, Debug)]
pub struct Document {
    value: Option<Value>,
    /// The canonical text; there if there is no tree.
    text: Option<Box<[u8]>>,
}

impl From<Value> for Document {
    fn from(value: Value) -> Document {
        Document { value: Some(value), text: None }
    }
}

impl Document {
    /// A document of a JSON text, which is checked and kept as we would write it. No tree is made.
    ///
    /// # Errors
    /// Those of [`Value::parse`].
    ///
    /// ```
    /// use kvist_json::{Document, Registry};
    /// let mut registry = Registry::new();
    /// let document = Document::from_text(b"[ 1, 2 ]", &mut registry)?;
    /// assert_eq!(document.text(), Some(&b"[1,2]"[..]));
    /// assert_eq!(document.memory(), 8);
    /// # Ok::<(), kvist_json::ParseError>(())
    /// ```
    pub fn from_text(text: &[u8], registry: &mut Registry) -> Result<Document, ParseError> {
        Ok(Document { value: None, text: Some(canonical(text, registry)?) })
    }

    /// A document of a JSON text, as a tree.
    ///
    /// # Errors
    /// Those of [`Value::parse`].
    pub fn parse(text: &[u8], registry: &mut Registry) -> Result<Document, ParseError> {
        Value::parse(text, registry).map(Document::from)
    }

    /// The tree, which is made if there is none. O(n) then.
    ///
    /// # Errors
    /// Only that the tree would be larger than a document can be.
    pub fn value(&mut self, registry: &mut Registry) -> Result<&Value, ParseError> {
        self.build(registry).map(|value| &*value)
    }

    /// The tree, to be changed. The text is dropped, so this is for those who do change it.
    ///
    /// # Errors
    /// As [`value`](Document::value).
    pub fn value_mut(&mut self, registry: &mut Registry) -> Result<&mut Value, ParseError> {
        if self.value.is_none() {
            self.build(registry)?;
        }
        self.text = None;
        self.build(registry)
    }

    /// Puts a scalar where a static path leads, if there is a tree and the path leads somewhere in
    /// it: [`Value::put_scalar`]. The text is dropped then.
    ///
    /// # Errors
    /// Those of [`Value::put_scalar`]; nothing has changed then.
    #[inline]
    pub fn put_scalar(
        &mut self,
        path: &Path,
        scalar: Scalar<'_>,
        registry: &mut Registry,
    ) -> Option<Result<(), EditError>> {
        let done = self.value.as_mut()?.put_scalar(path, scalar, registry)?;
        if done.is_ok() {
            self.text = None;
        }
        Some(done)
    }

    #[inline]
    fn build(&mut self, registry: &mut Registry) -> Result<&mut Value, ParseError> {
        match self.value {
            Some(ref mut value) => Ok(value),
            None => {
                let text = self.text.as_deref().unwrap_or(b"null");
                Ok(self.value.insert(Value::parse(text, registry)?))
            }
        }
    }

    /// The tree, if there is one.
    #[must_use]
    pub fn tree(&self) -> Option<&Value> {
        self.value.as_ref()
    }

    /// The canonical text, if it is at hand.
    #[must_use]
    pub fn text(&self) -> Option<&[u8]> {
        self.text.as_deref()
    }

    /// Appends the document as compact JSON: a copy if the text is at hand.
    pub fn write(&self, out: &mut Vec<u8>) {
        match (&self.text, &self.value) {
            (Some(text), _) => out.extend_from_slice(text),
            (None, Some(value)) => value.root().write(out),
            (None, None) => {}
        }
    }

    /// Keeps the text at hand, beside the tree. O(n) if it was not.
    pub fn keep_text(&mut self) -> &[u8] {
        let value = &self.value;
        self.text.get_or_insert_with(|| {
            let mut text = Vec::new();
            if let Some(value) = value {
                value.root().write(&mut text);
            }
            text.as_slice().into()
        })
    }

    /// Drops the text. A tree is made if there was none.
    ///
    /// # Errors
    /// As [`value`](Document::value); the text is kept then.
    pub fn drop_text(&mut self, registry: &mut Registry) -> Result<(), ParseError> {
        self.build(registry)?;
        self.text = None;
        Ok(())
    }

    /// Drops the tree, if the text is at hand.
    pub fn drop_tree(&mut self) {
        if self.text.is_some() {
            self.value = None;
        }
    }

    /// Heap bytes allocated, without what is shared, which the registry has. O(1).
    #[must_use]
    pub fn memory(&self) -> usize {
        self.text.as_ref().map_or(0, |text| size_class(text.len()))
            + self.value.as_ref().map_or(0, Value::memory)
    }

    /// How many allocations freeing it will visit.
    #[must_use]
    pub fn free_effort(&self) -> usize {
        usize::from(self.text.is_some())
            + self.value.as_ref().map_or(0, |value| 1 + value.shared.len())
    }
}
