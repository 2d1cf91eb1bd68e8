//! An allocator that weighs: what is alive, and how high it rose.
//!
//! A program of tests takes it for its own, or nothing is weighed:
//!
//! ```
//! #[global_allocator]
//! static SCALE: kvist_testkit::scale::Scale = kvist_testkit::scale::Scale;
//!
//! let (text, rise) = kvist_testkit::scale::rise(|| "x".repeat(1000));
//! assert!(rise >= 1000 && text.len() == 1000);
//! ```
//!
//! It counts per thread, so that tests side by side do not see each other; a block freed by
//! another thread than the one that took it unbalances that, so weigh what one thread does.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ALIVE: Cell<isize> = const { Cell::new(0) };
    static HIGHEST: Cell<isize> = const { Cell::new(0) };
}

/// The system's allocator with a scale under it.
pub struct Scale;

fn weigh(change: isize) {
    // While a thread ends its cells are gone already.
    let _ = ALIVE.try_with(|alive| {
        let now = alive.get() + change;
        alive.set(now);
        let _ = HIGHEST.try_with(|highest| highest.set(highest.get().max(now)));
    });
}

fn size(layout: Layout) -> isize {
    // A layout's size fits.
    layout.size() as isize
}

// SAFETY: everything is passed to the system's allocator unchanged; weighing allocates nothing.
unsafe impl GlobalAlloc for Scale {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        weigh(size(layout));
        // SAFETY: by the contract of this function.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        weigh(size(layout));
        // SAFETY: by the contract of this function.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        weigh(-size(layout));
        // SAFETY: by the contract of this function.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new: usize) -> *mut u8 {
        weigh(new as isize - size(layout));
        // SAFETY: by the contract of this function.
        unsafe { System.realloc(block, layout, new) }
    }
}

/// Bytes this thread has alive.
pub fn alive() -> isize {
    ALIVE.with(Cell::get)
}

/// How many bytes more than before were alive at once while `work` ran.
///
/// # Panics
/// The program has another allocator.
pub fn rise<R>(work: impl FnOnce() -> R) -> (R, isize) {
    let empty = alive();
    let probe = std::hint::black_box(Box::new(0_u8));
    assert!(alive() > empty, "the program of tests needs `Scale` as its global allocator");
    drop(probe);
    let before = alive();
    HIGHEST.with(|highest| highest.set(before));
    let result = work();
    (result, HIGHEST.with(Cell::get) - before)
}
