//! Sums over two vectors: of products, and of squared differences. Every distance is one of them.
//!
//! Each sum is written twice: in plain Rust, for any processor and as the oracle of tests, and with
//! AVX2, FMA and F16C. Which one a process uses is detected once. Vectors are bytes without any
//! alignment. This is the only file of the crate with unsafe code: loads of registers, and calls of
//! functions that need a feature of the processor.

use std::ops::Add;

use crate::Element;
use crate::numbers::{bfloat16, float16};

/// What is summed over the elements of two vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sum {
    /// Products.
    Dot,
    /// Squares of differences.
    L2,
}

/// A sum for one type of element.
#[derive(Clone, Copy)]
pub struct Kernel(
    /// Safe to call: a function that needs a feature is put here after the feature was detected.
    unsafe fn(&[u8], &[u8]) -> f64,
);

impl Kernel {
    /// The fastest for this processor.
    pub fn new(element: Element, sum: Sum) -> Self {
        #[cfg(target_arch = "x86_64")]
        if x86::is_supported() {
            return Kernel(x86::kernel(element, sum));
        }
        Self::plain(element, sum)
    }

    /// The one in plain Rust.
    pub fn plain(element: Element, sum: Sum) -> Self {
        Kernel(match (element, sum) {
            (Element::Float32, Sum::Dot) => plain::dot_f32,
            (Element::Float32, Sum::L2) => plain::l2_f32,
            (Element::Float64, Sum::Dot) => plain::dot_f64,
            (Element::Float64, Sum::L2) => plain::l2_f64,
            (Element::Float16, Sum::Dot) => plain::dot_f16,
            (Element::Float16, Sum::L2) => plain::l2_f16,
            (Element::Bfloat16, Sum::Dot) => plain::dot_bf16,
            (Element::Bfloat16, Sum::L2) => plain::l2_bf16,
            (Element::Int8, Sum::Dot) => plain::dot_i8,
            (Element::Int8, Sum::L2) => plain::l2_i8,
            (Element::Uint8, Sum::Dot) => plain::dot_u8,
            (Element::Uint8, Sum::L2) => plain::l2_u8,
        })
    }

    /// The sum over as many elements as both vectors have.
    #[inline]
    pub fn run(self, a: &[u8], b: &[u8]) -> f64 {
        let len = a.len().min(b.len());
        let (a, b) = (&a[..len], &b[..len]);
        // SAFETY: by the invariant of the field, the processor has what the function needs.
        unsafe { (self.0)(a, b) }
    }
}

/// Begins to load memory that is going to be read soon.
#[inline]
pub fn prefetch(bytes: &[u8]) {
    /// Lines of the cache that are asked for; the processor detects the sequence and continues it.
    const LINES: usize = 8;
    #[cfg(target_arch = "x86_64")]
    for line in bytes.chunks(64).take(LINES) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: SSE is part of x86-64, and a prefetch never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (bytes, LINES);
}

/// Elements that are summed as they are before the sum is widened: so many squares of bytes do not
/// overflow 32 bits. A multiple of what a register holds.
const RUN: usize = 32 << 10;

mod plain {
    use super::{Add, RUN, bfloat16, float16};

    /// Sums `term` over the elements, in eight sums side by side so that the compiler vectorises.
    #[inline]
    fn sum<A: Copy + Default + Add<Output = A> + Into<f64>, const N: usize>(
        a: &[u8],
        b: &[u8],
        read: impl Fn([u8; N]) -> A,
        term: impl Fn(A, A) -> A,
    ) -> f64 {
        let mut total = 0.0;
        let ((a, _), (b, _)) = (a.as_chunks::<N>(), b.as_chunks::<N>());
        for (a, b) in a.chunks(RUN).zip(b.chunks(RUN)) {
            let mut sums = [A::default(); 8];
            let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
            for (a, b) in a.iter().zip(b) {
                for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
                    *sum = *sum + term(read(*a), read(*b));
                }
            }
            for ((sum, a), b) in sums.iter_mut().zip(a_rest).zip(b_rest) {
                *sum = *sum + term(read(*a), read(*b));
            }
            total += sums.into_iter().map(Into::into).sum::<f64>();
        }
        total
    }

    macro_rules! plain {
        ($dot:ident, $l2:ident, $read:expr) => {
            pub fn $dot(a: &[u8], b: &[u8]) -> f64 {
                sum(a, b, $read, |a, b| a * b)
            }
            pub fn $l2(a: &[u8], b: &[u8]) -> f64 {
                sum(a, b, $read, |a, b| (a - b) * (a - b))
            }
        };
    }
    plain!(dot_f32, l2_f32, f32::from_le_bytes);
    plain!(dot_f64, l2_f64, f64::from_le_bytes);
    plain!(dot_f16, l2_f16, |bytes| float16(u16::from_le_bytes(bytes)));
    plain!(dot_bf16, l2_bf16, |bytes| bfloat16(u16::from_le_bytes(bytes)));
    plain!(dot_i8, l2_i8, |bytes| i32::from(i8::from_le_bytes(bytes)));
    plain!(dot_u8, l2_u8, |bytes| i32::from(u8::from_le_bytes(bytes)));
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Element, RUN, Sum, plain};

    /// Whether the processor has what [`kernel`]s need. The standard library caches the answer.
    pub fn is_supported() -> bool {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c")
    }

    /// May be called only where [`is_supported`].
    pub fn kernel(element: Element, sum: Sum) -> unsafe fn(&[u8], &[u8]) -> f64 {
        match (element, sum) {
            (Element::Float32, Sum::Dot) => dot_f32,
            (Element::Float32, Sum::L2) => l2_f32,
            (Element::Float64, Sum::Dot) => dot_f64,
            (Element::Float64, Sum::L2) => l2_f64,
            (Element::Float16, Sum::Dot) => dot_f16,
            (Element::Float16, Sum::L2) => l2_f16,
            (Element::Bfloat16, Sum::Dot) => dot_bf16,
            (Element::Bfloat16, Sum::L2) => l2_bf16,
            (Element::Int8, Sum::Dot) => dot_i8,
            (Element::Int8, Sum::L2) => l2_i8,
            (Element::Uint8, Sum::Dot) => dot_u8,
            (Element::Uint8, Sum::L2) => l2_u8,
        }
    }

    /// A function that adds up registers: four at a time, then one, and the rest in plain Rust.
    macro_rules! kernel {
        ($name:ident, $plain:ident, $load:ident: $bytes:literal, $step:ident, $add:ident,
         $zero:ident, $total:ident) => {
            #[target_feature(enable = "avx2,fma,f16c")]
            fn $name(a: &[u8], b: &[u8]) -> f64 {
                let mut total = 0.0;
                for (a, b) in a.chunks(RUN).zip(b.chunks(RUN)) {
                    let ((a, a_rest), (b, b_rest)) =
                        (a.as_chunks::<$bytes>(), b.as_chunks::<$bytes>());
                    let ((a, a_last), (b, b_last)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
                    let mut sums = [$zero(); 4];
                    for (a, b) in a.iter().zip(b) {
                        sums[0] = $step($load(&a[0]), $load(&b[0]), sums[0]);
                        sums[1] = $step($load(&a[1]), $load(&b[1]), sums[1]);
                        sums[2] = $step($load(&a[2]), $load(&b[2]), sums[2]);
                        sums[3] = $step($load(&a[3]), $load(&b[3]), sums[3]);
                    }
                    for (a, b) in a_last.iter().zip(b_last) {
                        sums[0] = $step($load(a), $load(b), sums[0]);
                    }
                    total += $total($add($add(sums[0], sums[1]), $add(sums[2], sums[3])));
                    if !a_rest.is_empty() {
                        total += plain::$plain(a_rest, b_rest);
                    }
                }
                total
            }
        };
    }
    macro_rules! singles {
        ($dot:ident, $l2:ident, $load:ident: $bytes:literal) => {
            kernel!($dot, $dot, $load: $bytes, _mm256_fmadd_ps, _mm256_add_ps, _mm256_setzero_ps,
                total_f32);
            kernel!($l2, $l2, $load: $bytes, square_f32, _mm256_add_ps, _mm256_setzero_ps,
                total_f32);
        };
    }
    macro_rules! integers {
        ($dot:ident, $l2:ident, $load:ident) => {
            kernel!($dot, $dot, $load: 16, product_i16, _mm256_add_epi32, _mm256_setzero_si256,
                total_i32);
            kernel!($l2, $l2, $load: 16, square_i16, _mm256_add_epi32, _mm256_setzero_si256,
                total_i32);
        };
    }
    singles!(dot_f32, l2_f32, load_f32: 32);
    singles!(dot_f16, l2_f16, load_f16: 16);
    singles!(dot_bf16, l2_bf16, load_bf16: 16);
    kernel!(dot_f64, dot_f64, load_f64: 32, _mm256_fmadd_pd, _mm256_add_pd, _mm256_setzero_pd,
        total_f64);
    kernel!(l2_f64, l2_f64, load_f64: 32, square_f64, _mm256_add_pd, _mm256_setzero_pd,
        total_f64);
    integers!(dot_i8, l2_i8, load_i8);
    integers!(dot_u8, l2_u8, load_u8);

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load_f32(bytes: &[u8; 32]) -> __m256 {
        // SAFETY: there are 32 bytes, and the load needs no alignment.
        unsafe { _mm256_loadu_ps(bytes.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load_f64(bytes: &[u8; 32]) -> __m256d {
        // SAFETY: there are 32 bytes, and the load needs no alignment.
        unsafe { _mm256_loadu_pd(bytes.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load_half(bytes: &[u8; 16]) -> __m128i {
        // SAFETY: there are 16 bytes, and the load needs no alignment.
        unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx2,f16c")]
    fn load_f16(bytes: &[u8; 16]) -> __m256 {
        _mm256_cvtph_ps(load_half(bytes))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load_bf16(bytes: &[u8; 16]) -> __m256 {
        let wide = _mm256_cvtepu16_epi32(load_half(bytes));
        _mm256_castsi256_ps(_mm256_slli_epi32::<16>(wide))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load_i8(bytes: &[u8; 16]) -> __m256i {
        _mm256_cvtepi8_epi16(load_half(bytes))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load_u8(bytes: &[u8; 16]) -> __m256i {
        _mm256_cvtepu8_epi16(load_half(bytes))
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn square_f32(a: __m256, b: __m256, sum: __m256) -> __m256 {
        let difference = _mm256_sub_ps(a, b);
        _mm256_fmadd_ps(difference, difference, sum)
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn square_f64(a: __m256d, b: __m256d, sum: __m256d) -> __m256d {
        let difference = _mm256_sub_pd(a, b);
        _mm256_fmadd_pd(difference, difference, sum)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn product_i16(a: __m256i, b: __m256i, sum: __m256i) -> __m256i {
        _mm256_add_epi32(sum, _mm256_madd_epi16(a, b))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn square_i16(a: __m256i, b: __m256i, sum: __m256i) -> __m256i {
        let difference = _mm256_sub_epi16(a, b);
        product_i16(difference, difference, sum)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn total_f32(sums: __m256) -> f64 {
        let four = _mm_add_ps(_mm256_castps256_ps128(sums), _mm256_extractf128_ps::<1>(sums));
        let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
        f64::from(_mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two))))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn total_f64(sums: __m256d) -> f64 {
        let two = _mm_add_pd(_mm256_castpd256_pd128(sums), _mm256_extractf128_pd::<1>(sums));
        _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn total_i32(sums: __m256i) -> f64 {
        let four = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
        let parts = [
            _mm_extract_epi32::<0>(four),
            _mm_extract_epi32::<1>(four),
            _mm_extract_epi32::<2>(four),
            _mm_extract_epi32::<3>(four),
        ];
        parts.into_iter().map(f64::from).sum()
    }
}

#[cfg(test)]
#[path = "kernels_tests.rs"]
mod tests;
