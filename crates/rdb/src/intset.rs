//! Intsets: sorted integers, all as wide as the widest needs.
//!
//! ```text
//!   | bytes per number, u32 | numbers, u32 | number | number | ... |        low bytes first
//! ```

use crate::entry::{Bad, take};

/// The numbers, which must be ascending.
pub fn numbers(blob: &[u8]) -> Result<Vec<i64>, Bad> {
    let mut rest = blob;
    let (Some(width), Some(count)) = (take(&mut rest), take(&mut rest)) else {
        return Err("an intset shorter than its header");
    };
    let numbers: Vec<i64> = match u32::from_le_bytes(width) {
        2 => read(rest, |bytes| i16::from_le_bytes(bytes).into()),
        4 => read(rest, |bytes| i32::from_le_bytes(bytes).into()),
        8 => read(rest, i64::from_le_bytes),
        _ => return Err("an intset of numbers of unknown width"),
    }
    .ok_or("an intset that ends inside a number")?;
    if u32::from_le_bytes(count) as usize != numbers.len() {
        return Err("an intset whose length lies");
    }
    if !numbers.is_sorted_by(|a, b| a < b) {
        return Err("an intset out of order");
    }
    Ok(numbers)
}

fn read<const N: usize>(bytes: &[u8], number: fn([u8; N]) -> i64) -> Option<Vec<i64>> {
    let (cells, rest) = bytes.as_chunks::<N>();
    rest.is_empty().then(|| cells.iter().map(|cell| number(*cell)).collect())
}

/// The bytes of these numbers, which are ascending.
pub fn build(numbers: &[i64]) -> Vec<u8> {
    let ends = [numbers.first(), numbers.last()];
    let ends = || ends.into_iter().flatten();
    let width: u32 = if ends().all(|&n| i16::try_from(n).is_ok()) {
        2
    } else if ends().all(|&n| i32::try_from(n).is_ok()) {
        4
    } else {
        8
    };
    // Intsets have at most 2^30 members.
    let count = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
    let mut blob = Vec::with_capacity(8 + numbers.len() * width as usize);
    blob.extend(width.to_le_bytes());
    blob.extend(count.to_le_bytes());
    for number in numbers {
        blob.extend_from_slice(&number.to_le_bytes()[..width as usize]);
    }
    blob
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_reads_back() {
        for widest in [0, 32_767, -32_768, 32_768, -32_769, 1 << 31, i64::MIN, i64::MAX] {
            let mut set = vec![-2, 5, widest];
            set.sort_unstable();
            assert_eq!(numbers(&build(&set)).unwrap(), set);
        }
        assert_eq!(build(&[1]), b"\x02\0\0\0\x01\0\0\0\x01\0");
    }

    #[test]
    fn what_does_not_add_up_is_refused() {
        let blob = build(&[1, 2, 3]);
        for end in 0..blob.len() {
            assert!(numbers(&blob[..end]).is_err());
        }
        assert!(numbers(&build(&[2, 1])).is_err());
        assert!(numbers(&build(&[1, 1])).is_err());
        assert!(numbers(b"\x03\0\0\0\0\0\0\0").is_err());
    }
}
