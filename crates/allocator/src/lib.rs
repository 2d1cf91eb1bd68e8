//! mimalloc, set up for a server.
//!
//! Left to itself mimalloc gives freed pages back to the system ten milliseconds after they were
//! freed, on whichever thread allocates next: while a table of ten million keys grew, single
//! inserts took 5 to 13 ms for that. Here a serving thread does it only with memory that has lain
//! idle for long; a background thread does the rest.
//!
//! ```text
//!   background thread frees a big value ──► block waits at its page's owner
//!   owner, when idle: gather()          ──► page free ──► whole segments free
//!   background thread: give_back()      ──► pages returned to the system
//! ```
//!
//! Each function is one call of the C library and nothing else; this crate exists so that no other
//! needs unsafe code for it.

use std::ffi::{CStr, c_char, c_void};

pub use mimalloc::MiMalloc as Allocator;

/// Options of mimalloc 2.x by their place in `mi_option_t`; the binding names only some of them.
mod option {
    use libmimalloc_sys::mi_option_t;

    /// Milliseconds until freed pages are given back.
    pub const PURGE_DELAY: mi_option_t = 15;
    /// How many times longer that takes for whole segments.
    pub const ARENA_PURGE_MULT: mi_option_t = 24;
}

/// Milliseconds that freed pages are kept for reuse before their owner gives them back itself.
const KEPT: i64 = 1_000;
/// Whole segments are kept this many times longer: [`give_back`] comes first.
const KEPT_WHOLE: i64 = 10;

/// Sets mimalloc up; to be called first in `main`, before other threads start.
///
/// What the environment says (`MIMALLOC_PURGE_DELAY`, …) wins.
pub fn set_up() {
    for (option, value) in [(option::PURGE_DELAY, KEPT), (option::ARENA_PURGE_MULT, KEPT_WHOLE)] {
        // SAFETY: the options exist (a test asks for their defaults) and take any number. Called
        // before there are other threads, as the function is not made for several.
        unsafe { libmimalloc_sys::mi_option_set_default(option, value) };
    }
}

/// Takes back the blocks of this thread that other threads have freed, so that their pages can be
/// reused by others or given back. Costs about a microsecond per hundred pages of this thread.
pub fn gather() {
    // SAFETY: no arguments, any thread, any time.
    unsafe { libmimalloc_sys::mi_collect(false) };
}

/// Gives this thread's free pages and all free segments of the process back to the system. May take
/// a tenth of a second after gigabytes were freed: not for a thread that serves clients.
pub fn give_back() {
    // Twice, as it gives back what was free before and only then frees what has become free.
    for _ in 0..2 {
        // SAFETY: no arguments, any thread, any time.
        unsafe { libmimalloc_sys::mi_collect(true) };
    }
}

/// What the allocator says of itself: its statistics as text.
#[must_use]
pub fn describe() -> String {
    let mut text: Vec<u8> = Vec::new();
    // SAFETY: the library calls `collect` with the pointer it is given, from this thread and only
    // until it returns; nothing else touches `text` meanwhile.
    unsafe { libmimalloc_sys::mi_stats_print_out(Some(collect), (&raw mut text).cast()) };
    String::from_utf8_lossy(&text).into_owned()
}

/// Appends a piece of text to the vector that `into` points to.
unsafe extern "C" fn collect(piece: *const c_char, into: *mut c_void) {
    if piece.is_null() || into.is_null() {
        return;
    }
    // SAFETY: a text of C's that ends with a zero, and the vector of `describe`, which waits.
    unsafe {
        let piece = CStr::from_ptr(piece).to_bytes();
        (*into.cast::<Vec<u8>>()).extend_from_slice(piece);
    }
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;

    fn get(option: libmimalloc_sys::mi_option_t) -> i64 {
        // SAFETY: the number is that of an option.
        unsafe { libmimalloc_sys::mi_option_get(option) }
    }

    #[test]
    fn it_describes_itself() {
        let text = describe();
        assert!(text.contains("peak"), "{text}");
    }

    /// The binding has no names for these options; the library itself finds them by their names
    /// in the environment of a new process.
    #[test]
    fn options_are_where_they_are_thought_to_be() {
        let told = [("MIMALLOC_PURGE_DELAY", "77"), ("MIMALLOC_ARENA_PURGE_MULT", "78")];
        if std::env::var(told[0].0).as_deref() == Ok(told[0].1) {
            set_up();
            assert_eq!((get(option::PURGE_DELAY), get(option::ARENA_PURGE_MULT)), (77, 78));
            return;
        }
        set_up();
        assert_eq!(i128::from(get(option::PURGE_DELAY)), i128::from(KEPT));
        let again = std::process::Command::new(std::env::current_exe().expect("this program"))
            .args(["options_are", "--test-threads", "1"])
            .envs(told)
            .output()
            .expect("this test can be run again");
        let said = String::from_utf8_lossy(&again.stdout).into_owned();
        assert!(again.status.success() && said.contains("1 passed"), "{said}");
    }
}
