//! Numbers in as few bytes as they need, seven bits a byte, least significant first.

/// Appends a number.
pub fn write(bytes: &mut Vec<u8>, mut number: u128) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// The number at a place, which is moved past it. 0 past the end.
#[inline]
pub fn read(bytes: &[u8], at: &mut usize) -> u32 {
    let first = bytes.get(*at).copied().unwrap_or(0);
    *at += 1;
    if first < 0x80 {
        return u32::from(first);
    }
    let (mut number, mut shift) = (u32::from(first & 0x7f), 7);
    while let Some(byte) = bytes.get(*at) {
        *at += 1;
        number |= u32::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
        if *byte < 0x80 {
            break;
        }
        shift += 7;
    }
    number
}

/// As [`read`], of a number of up to 128 bits.
pub fn read_wide(bytes: &[u8], at: &mut usize) -> u128 {
    let (mut number, mut shift) = (0, 0);
    while let Some(byte) = bytes.get(*at) {
        *at += 1;
        number |= u128::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
        if *byte < 0x80 {
            break;
        }
        shift += 7;
    }
    number
}

/// Moves a place past so many numbers.
#[inline]
pub fn skip(bytes: &[u8], at: &mut usize, numbers: u32) {
    for _ in 0..numbers {
        while bytes.get(*at).is_some_and(|byte| *byte >= 0x80) {
            *at += 1;
        }
        *at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::{read, read_wide, skip, write};

    #[test]
    fn numbers_come_back() {
        let numbers = [0, 1, 127, 128, 300, 16383, 16384, 1 << 21, 1 << 28, u32::MAX];
        let mut bytes = Vec::new();
        for number in numbers {
            write(&mut bytes, number.into());
        }
        let mut at = 0;
        assert_eq!(numbers.map(|_| read(&bytes, &mut at)), numbers);
        assert_eq!((at, read(&bytes, &mut at)), (bytes.len(), 0));
        let mut at = 0;
        skip(&bytes, &mut at, 4);
        assert_eq!(read(&bytes, &mut at), 300);
        let mut bytes = Vec::new();
        write(&mut bytes, u128::MAX);
        assert_eq!(read_wide(&bytes, &mut 0), u128::MAX);
    }
}
