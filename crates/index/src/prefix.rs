//! What byte strings begin with.

/// How many bytes both begin with.
#[inline]
pub(crate) fn common(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}
