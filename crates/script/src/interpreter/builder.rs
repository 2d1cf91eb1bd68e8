//! A text that grows in a block of the interpreter's own: it counts towards the limit of memory,
//! and goes with the garbage whatever is raised meanwhile.

use crate::interpreter::frame::memory_of;
use crate::interpreter::stack::Stack;

/// Bytes the first block has.
const FIRST: usize = 1024;

/// The text, whose block lies in a slot of the stack.
pub struct Builder<'s> {
    stack: Stack<'s>,
    slot: i32,
    block: *mut u8,
    len: usize,
    room: usize,
}

impl<'s> Builder<'s> {
    /// An empty text; its block is pushed.
    pub fn new(stack: Stack<'s>) -> Self {
        stack.make_room(4, c"too many levels");
        let block = stack.push_block(FIRST);
        Builder { stack, slot: stack.top(), block, len: 0, room: FIRST }
    }

    /// Appends bytes, which are kept by something else on the stack.
    #[inline]
    pub fn push(&mut self, bytes: &[u8]) {
        if bytes.len() > self.room - self.len {
            self.grow(bytes.len());
        }
        // SAFETY: there is room, and the block is another one than that of the bytes.
        unsafe {
            self.block.add(self.len).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        }
        self.len += bytes.len();
    }

    #[cold]
    fn grow(&mut self, more: usize) {
        let room = (self.len + more).max(self.room * 2);
        reserve(self.stack, room);
        let block = self.stack.push_block(room);
        // SAFETY: both blocks are on the stack, and large enough.
        unsafe { block.copy_from_nonoverlapping(self.block, self.len) };
        self.stack.replace(self.slot);
        (self.block, self.room) = (block, room);
    }

    /// Pushes the text as a string.
    pub fn finish(self) {
        reserve(self.stack, self.len);
        // SAFETY: the block is on the stack, and its beginning was written.
        self.stack.push(unsafe { std::slice::from_raw_parts(self.block, self.len) });
    }
}

/// Collects garbage if as much memory as that would be refused otherwise.
pub fn reserve(stack: Stack<'_>, bytes: usize) {
    let memory = memory_of(stack);
    if memory.used().saturating_add(bytes) > memory.limit() {
        stack.collect();
    }
}
