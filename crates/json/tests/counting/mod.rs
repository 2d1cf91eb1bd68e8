//! An allocator that counts what each thread holds, in the allocator's size classes.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use table::size_class;

struct Counting;

thread_local! {
    static HELD: Cell<usize> = const { Cell::new(0) };
}

fn count(size: usize, is_new: bool) {
    let size = size_class(size);
    let _ = HELD.try_with(|held| {
        held.set(if is_new {
            held.get().wrapping_add(size)
        } else {
            held.get().wrapping_sub(size)
        });
    });
}

// SAFETY: everything is passed to the system's allocator as it comes.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), true);
        // SAFETY: the caller's promises are the ones that are asked for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(layout.size(), false);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// What this thread holds.
pub fn held() -> usize {
    HELD.get()
}

/// What this thread holds more than `before`.
pub fn hold(before: usize) -> usize {
    held() - before
}
