//! Numbers as text, as RedisJSON writes them.
//!
//! The shortest text that reads back as the same number. Floats always show that they are floats:
//! by a point (`1.0`, `10000000000.0`), or by an exponent without `+` from 1e16 and below 1e-5
//! (`1e16`, `1.5e-7`).

use crate::cell::Cell;
use crate::tree::Num;

/// Appends a number.
pub fn write_num(num: Num, out: &mut Vec<u8>) {
    match num {
        Num::I64(value) => write_i64(value, out),
        Num::U64(value) => out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes()),
        Num::F64(value) => {
            out.extend_from_slice(ryu::Buffer::new().format_finite(value).as_bytes());
        }
    }
}

/// Appends a single-precision number.
pub(crate) fn write_single(value: f32, out: &mut Vec<u8>) {
    out.extend_from_slice(ryu::Buffer::new().format_finite(value).as_bytes());
}

#[inline]
pub(crate) fn write_i64(value: i64, out: &mut Vec<u8>) {
    match u8::try_from(value) {
        Ok(digit @ 0..=9) => out.push(b'0' + digit),
        _ => out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes()),
    }
}

/// Appends a decimal, which needs no search for the shortest digits.
pub(crate) fn write_decimal(cell: Cell, out: &mut Vec<u8>) {
    let (mantissa, places) = cell.as_decimal();
    if mantissa < 0 {
        out.push(b'-');
    }
    let mut buffer = itoa::Buffer::new();
    let digits = buffer.format(mantissa.unsigned_abs()).as_bytes();
    if places == 0 {
        out.extend_from_slice(digits);
        out.extend_from_slice(b".0");
    } else if let Some(whole) = digits.len().checked_sub(places).filter(|&whole| whole > 0) {
        out.extend_from_slice(&digits[..whole]);
        out.push(b'.');
        out.extend_from_slice(&digits[whole..]);
    } else {
        const ZEROS: &[u8] = b"0.0000000";
        out.extend_from_slice(&ZEROS[..2 + places - digits.len()]);
        out.extend_from_slice(digits);
    }
}

#[cfg(test)]
mod tests {
    use super::{write_decimal, write_num};
    use crate::cell::Cell;
    use crate::tree::Num;

    fn text(num: Num) -> String {
        let mut out = Vec::new();
        write_num(num, &mut out);
        String::from_utf8(out).expect("digits")
    }

    #[test]
    fn floats_look_like_floats() {
        for (value, expected) in [
            (1e10, "10000000000.0"),
            (1.635_000_000_000_131_3e308, "1.6350000000001313e308"),
            (1e16, "1e16"),
            (1e15, "1000000000000000.0"),
            (1e-5, "0.00001"),
            (1e-6, "1e-6"),
            (-0.0, "-0.0"),
            (0.1, "0.1"),
        ] {
            assert_eq!(text(Num::F64(value)), expected);
        }
        assert_eq!(text(Num::U64(u64::MAX)), "18446744073709551615");
        assert_eq!(text(Num::I64(-7)), "-7");
        assert_eq!(text(Num::I64(7)), "7");
    }

    #[test]
    fn decimals_are_written_like_the_doubles_they_are() {
        for mantissa in (0..100_000).chain((1 << 24) - 1000..1 << 24) {
            for places in 0..8 {
                if places > 0 && mantissa % 10 == 0 {
                    continue;
                }
                for negative in [false, true] {
                    let Some(cell) = Cell::decimal(negative, mantissa, places) else { continue };
                    let mut out = Vec::new();
                    write_decimal(cell, &mut out);
                    let value = cell.as_num().expect("a number");
                    assert_eq!(String::from_utf8(out).expect("digits"), text(value));
                    assert_eq!(Cell::from_f64(value.as_f64()), Some(cell));
                }
            }
        }
    }
}
