//! The allocator of one state: counts bytes and refuses more than a limit.
//!
//! Lua turns a refusal into the error `not enough memory`. Code that cannot bear an error makes the
//! allocator lenient meanwhile; then only the machine itself can refuse, which ends the process as
//! it does everywhere else in Rust.
//!
//! It also counts the bytes it gave since the host was last asked: one instruction of the
//! interpreter may join two strings of many megabytes, and the hook counts instructions. Once they
//! are many, the hook is called at the next instruction.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error, realloc};
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use lua::{lua_Hook, lua_State};

/// Bytes in use, the limit, and whether it holds now.
#[derive(Debug)]
pub struct Memory {
    used: Cell<usize>,
    limit: Cell<usize>,
    lenient: Cell<bool>,
    /// Bytes given since this count was last taken.
    given: Cell<usize>,
    /// The states whose hook is called when those are many: the main one, and the coroutine that
    /// was last seen running. Null while no hook may be set.
    watched: [Cell<*mut lua_State>; 2],
    /// What is called then.
    hook: lua_Hook,
}

/// Bytes given until the hook is called.
const MANY: usize = 1 << 20;

/// Bytes a small state may grow by before the collector begins a cycle.
const SLACK: usize = 512 << 10;

/// What `malloc` would give: enough for every C type.
const ALIGN: usize = 16;

impl Memory {
    pub fn new(limit: usize, hook: lua_Hook) -> Self {
        Memory {
            used: Cell::new(0),
            limit: Cell::new(limit),
            lenient: Cell::new(true),
            given: Cell::new(0),
            watched: [Cell::new(null_mut()), Cell::new(null_mut())],
            hook,
        }
    }

    /// Has the hook of this state called, and no other's, once many bytes have been given.
    ///
    /// # Safety
    /// The state is a main one that allocates here, or null, and `unwatch` is called before it is
    /// closed.
    pub unsafe fn watch(&self, main: *mut lua_State) {
        self.given.set(0);
        self.watched[0].set(main);
        self.watched[1].set(main);
    }

    /// Has no hook called any more.
    pub fn unwatch(&self) {
        self.watched.iter().for_each(|state| state.set(null_mut()));
    }

    /// This state runs now, which may be a coroutine of the one that is watched.
    ///
    /// # Safety
    /// It allocates here, and so is freed here.
    pub unsafe fn runs(&self, state: *mut lua_State) {
        if !self.watched[0].get().is_null() {
            self.watched[1].set(state);
        }
    }

    /// Bytes given since this was last asked.
    pub fn take_given(&self) -> usize {
        self.given.replace(0)
    }

    /// Counts bytes given.
    #[inline]
    fn count(&self, bytes: usize) {
        let before = self.given.get();
        let after = before.saturating_add(bytes);
        self.given.set(after);
        if before < MANY && after >= MANY {
            self.call_hooks();
        }
    }

    #[cold]
    fn call_hooks(&self) {
        for state in self.watched.iter().map(Cell::get).filter(|state| !state.is_null()) {
            // SAFETY: a watched state is valid: the main one is not closed, and a coroutine that is
            // freed is forgotten. Setting a hook is allowed at any time, and changes no more than
            // the hook.
            unsafe { lua::lua_sethook(state, Some(self.hook), lua::LUA_MASKCOUNT, 1) };
        }
    }

    /// A block is about to be freed.
    #[inline]
    fn forget(&self, block: *mut c_void) {
        if self.watched[1].get().cast() == block {
            self.watched[1].set(self.watched[0].get());
        }
    }

    /// Bytes allocated now.
    pub fn used(&self) -> usize {
        self.used.get()
    }

    pub fn limit(&self) -> usize {
        self.limit.get()
    }

    pub fn set_limit(&self, limit: usize) {
        self.limit.set(limit);
    }

    /// Whether more is allocated than the limit says, which lenience allows.
    pub fn is_over(&self) -> bool {
        self.used.get() > self.limit.get()
    }

    /// Whether the limit leaves so many bytes.
    #[inline]
    pub fn leaves(&self, bytes: usize) -> bool {
        self.used.get().saturating_add(bytes) <= self.limit.get()
    }

    /// When the collector is to begin a cycle, in percent of what lives now. A cycle costs as much
    /// as what lives, so a small state may grow by half a megabyte first; and no script is to be
    /// refused memory that garbage takes.
    pub fn pause(&self) -> c_int {
        let lives = self.used().max(1);
        let grown = (lives + SLACK) * 100 / lives;
        let most = self.limit() / 8 * 7 * 100 / lives;
        c_int::try_from(grown.max(200).min(most).clamp(105, 2000)).unwrap_or(200)
    }

    /// Lets allocations pass the limit or not; what it was before.
    pub fn set_lenient(&self, lenient: bool) -> bool {
        self.lenient.replace(lenient)
    }

    /// `realloc` with the old size given; null when refused.
    ///
    /// # Safety
    /// `block` is null or came from here with the size `old`, and is not used afterwards.
    #[inline]
    pub unsafe fn resize(&self, block: *mut c_void, old: usize, new: usize) -> *mut c_void {
        let old = if block.is_null() { 0 } else { old };
        if new == 0 {
            // SAFETY: the caller says that the block is ours and of this size.
            unsafe { self.free(block, old) };
            return null_mut();
        }
        let used = self.used.get() - old + new;
        if new > old {
            self.count(new - old);
            if used > self.limit.get() && !self.lenient.get() {
                return null_mut();
            }
        }
        let Ok(after) = Layout::from_size_align(new, ALIGN) else { return null_mut() };
        let given = if old == 0 {
            // SAFETY: the size is not zero.
            unsafe { alloc(after) }
        } else {
            // SAFETY: the caller says that the block is ours and of this size, which a layout was
            // made of before; the new one is not zero.
            unsafe { realloc(block.cast(), Layout::from_size_align_unchecked(old, ALIGN), new) }
        };
        if given.is_null() {
            if self.lenient.get() {
                handle_alloc_error(after);
            }
            return null_mut();
        }
        self.used.set(used);
        given.cast()
    }

    /// # Safety
    /// `block` is null or came from here with the size `old`, and is not used afterwards.
    #[inline]
    unsafe fn free(&self, block: *mut c_void, old: usize) {
        if block.is_null() {
            return;
        }
        self.forget(block);
        self.used.set(self.used.get() - old);
        if old > 0 {
            // SAFETY: the caller says that the block is ours and of this size, which a layout was
            // made of before.
            unsafe { dealloc(block.cast(), Layout::from_size_align_unchecked(old, ALIGN)) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_holds_unless_lenient() {
        unsafe extern "C-unwind" fn never(_: *mut lua_State, _: *mut lua::lua_Debug) {}
        let memory = Memory::new(100, never);
        // SAFETY: blocks are given back with their sizes.
        unsafe {
            let block = memory.resize(std::ptr::null_mut(), 4, 90);
            assert_eq!(memory.used(), 90);
            memory.set_lenient(false);
            assert!(memory.resize(block, 90, 101).is_null());
            assert_eq!(memory.used(), 90);
            memory.set_lenient(true);
            let block = memory.resize(block, 90, 1000);
            assert!(!block.is_null() && memory.is_over());
            memory.resize(block, 1000, 0);
            assert_eq!(memory.used(), 0);
        }
    }
}
