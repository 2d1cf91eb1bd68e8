//! Asking the processor for a cache line early.
//!
//! A prefetch is a hint: it never faults, whatever the address, so the functions here are safe.
//! On processors other than x86-64 and AArch64 they do nothing.

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
