//! Buffers that are used by one document after the other.

use table::size_class;

use crate::names::Names;

/// Buffers larger than this are not kept between documents.
pub(crate) const KEPT: usize = 64 << 10;

/// Buffers used by one document after the other.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub arena: Vec<u8>,
    pub cells: Vec<u32>,
    pub names: Vec<u8>,
    pub text: Vec<u8>,
    /// Of texts that are only checked.
    pub check: Buffers,
}

impl Scratch {
    /// Bytes allocated.
    pub fn memory(&self) -> usize {
        size_class(self.arena.capacity())
            + size_class(self.cells.capacity() * 4)
            + size_class(self.names.capacity())
            + size_class(self.text.capacity())
            + self.check.memory()
    }

    /// Empties those of a document, and gives up what has become large.
    pub fn trim(&mut self) {
        trim(&mut self.arena);
        trim(&mut self.cells);
        trim(&mut self.names);
        trim(&mut self.text);
    }
}

/// Empties a buffer, or gives it up if it has become large.
pub(crate) fn trim<T>(buffer: &mut Vec<T>) {
    if buffer.capacity() * size_of::<T>() > KEPT {
        *buffer = Vec::new();
    } else {
        buffer.clear();
    }
}

/// What is used by one check after the other.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    /// What is written; behind it stands what has been written before, so that there is room.
    pub out: Vec<u8>,
    /// A string without its escapes, or a number.
    pub word: Vec<u8>,
    pub names: Names,
}

impl Buffers {
    /// Bytes allocated.
    pub fn memory(&self) -> usize {
        size_class(self.out.capacity()) + size_class(self.word.capacity()) + self.names.memory()
    }

    /// Gives up what has become larger than this.
    pub fn trim(&mut self, kept: usize) {
        if self.out.capacity() > kept {
            self.out = Vec::new();
        }
        if self.word.capacity() > kept {
            self.word = Vec::new();
        }
        if self.names.memory() > kept {
            self.names = Names::default();
        }
    }
}
