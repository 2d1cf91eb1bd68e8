//! Asking the processor for a cache line early.
//!
//! A prefetch is a hint: it never faults, whatever the address, so the functions here are safe.
//! On processors other than x86-64 and AArch64 they do nothing.

use std::mem::MaybeUninit;

/// Asks for the cache line of `pointer` into the nearest cache.
#[inline(always)]
pub(crate) fn prefetch<T>(pointer: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: SSE is part of x86-64, and a prefetch may be given any address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(pointer.cast()) };
    }
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    // SAFETY: PRFM may be given any address; it changes neither memory, stack nor flags.
    unsafe {
        core::arch::asm!(
            "prfm pldl1keep, [{0}]",
            in(reg) pointer,
            options(nostack, preserves_flags, readonly)
        );
    }
    #[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
    let _ = pointer;
}

/// Asks for the first `bytes` bytes of some room in memory, which will soon be written to.
#[inline]
pub fn prefetch_room(room: &[MaybeUninit<u8>], bytes: usize) {
    for line in room[..bytes.min(room.len())].chunks(64) {
        prefetch(line.as_ptr());
    }
}
