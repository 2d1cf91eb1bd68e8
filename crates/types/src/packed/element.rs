//! One element of a packed sequence as bytes; the drawing is in the [parent module](super).
//!
//! Both length fields are base-128 numbers of one to nine bytes; nearly always one. Reading relies
//! on the bytes having been written here; others give wrong elements or a panic.

/// Bytes of the length field (either of them) for `n`.
#[inline]
const fn field(n: usize) -> usize {
    let bits = usize::BITS as usize - (n | 1).leading_zeros() as usize;
    bits.div_ceil(7)
}

/// Bytes an element of `len` bytes takes.
#[inline]
#[must_use]
pub const fn element_size(len: usize) -> usize {
    let inner = field(len) + len;
    inner + field(inner)
}

/// The low 7 bits.
#[inline]
fn septet(n: usize) -> u8 {
    (n & 0x7f) as u8
}

fn write_len(mut n: usize, out: &mut [u8]) {
    for byte in out {
        *byte = septet(n) | 0x80;
        n >>= 7;
        if n == 0 {
            *byte &= 0x7f;
        }
    }
}

fn write_back(mut n: usize, out: &mut [u8]) {
    for byte in out.iter_mut().rev() {
        *byte = septet(n) | 0x80;
        n >>= 7;
        if n == 0 {
            *byte &= 0x7f;
        }
    }
}

/// Writes the element `head` and `tail` into `out`, which has its [`element_size`].
pub(super) fn write_element(head: &[u8], tail: &[u8], out: &mut [u8]) {
    let len = head.len() + tail.len();
    let start = field(len);
    let (middle, end) = (start + head.len(), start + len);
    write_len(len, &mut out[..start]);
    out[start..middle].copy_from_slice(head);
    out[middle..end].copy_from_slice(tail);
    write_back(end, &mut out[end..]);
}

/// The length of the element that starts `bytes`, and the size of its length field.
#[inline]
fn read_len(bytes: &[u8]) -> (usize, usize) {
    let first = bytes[0];
    if first < 0x80 {
        return (usize::from(first), 1);
    }
    let (mut n, mut size) = (0, 0);
    for &byte in bytes {
        n |= usize::from(byte & 0x7f) << (7 * size);
        size += 1;
        if byte < 0x80 {
            break;
        }
    }
    (n, size)
}

/// The size of the element that ends `bytes`.
#[inline]
pub(super) fn read_back(bytes: &[u8]) -> usize {
    let last = bytes[bytes.len() - 1];
    if last < 0x80 {
        return usize::from(last) + 1;
    }
    let (mut n, mut size) = (0, 0);
    for &byte in bytes.iter().rev() {
        n |= usize::from(byte & 0x7f) << (7 * size);
        size += 1;
        if byte < 0x80 {
            break;
        }
    }
    n + size
}

/// Longest content whose two length fields are of one byte each.
pub(super) const SHORT: usize = 126;

/// The element that starts `bytes`: its content and its whole size.
#[inline]
pub(super) fn read_element(bytes: &[u8]) -> (&[u8], usize) {
    let len = usize::from(bytes[0]);
    if len <= SHORT { (&bytes[1..=len], len + 2) } else { read_long(bytes) }
}

#[cold]
fn read_long(bytes: &[u8]) -> (&[u8], usize) {
    let (len, head) = read_len(bytes);
    let inner = head + len;
    (&bytes[head..inner], inner + field(inner))
}
