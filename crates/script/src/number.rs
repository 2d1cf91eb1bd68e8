//! Numbers as C prints, cuts and reads them.

use std::io::Write;

/// A double cut to 64 bits as the processor does it: what does not fit is the smallest integer.
#[inline]
#[allow(clippy::cast_possible_truncation)] // it was checked
pub fn truncated(n: f64) -> i64 {
    const END: f64 = 9_223_372_036_854_775_808.0;
    if (-END..END).contains(&n) { n as i64 } else { i64::MIN }
}

/// A double as an unsigned integer as compilers for x86-64 do it: beyond 64 bits it is zero.
#[inline]
pub fn truncated_unsigned(n: f64) -> u64 {
    const HALF: f64 = 9_223_372_036_854_775_808.0;
    if n >= HALF {
        truncated(n - HALF).cast_unsigned() ^ (1 << 63)
    } else {
        truncated(n).cast_unsigned()
    }
}

/// The integer a double is, if it is one that 64 bits hold.
#[inline]
#[allow(clippy::cast_precision_loss, clippy::float_cmp)] // exactness is the question
pub fn exact(n: f64) -> Option<i64> {
    let cut = truncated(n);
    (cut as f64 == n).then_some(cut)
}

/// Ten to the power of an index.
const POWERS: [u64; 18] = {
    let mut powers = [1; 18];
    let mut i = 1;
    while i < 18 {
        powers[i] = powers[i - 1] * 10;
        i += 1;
    }
    powers
};

/// `printf("%.{digits}g")`, digits from 1 to 17.
pub fn write_g(out: &mut Vec<u8>, n: f64, digits: usize) {
    let digits = digits.clamp(1, 17);
    match exact(n) {
        Some(whole)
            if whole.unsigned_abs() < POWERS[digits] && (whole != 0 || n.is_sign_positive()) =>
        {
            out.extend_from_slice(itoa::Buffer::new().format(whole).as_bytes());
        }
        _ => write_fraction(out, n, digits),
    }
}

fn write_fraction(out: &mut Vec<u8>, n: f64, digits: usize) {
    if n.is_sign_negative() {
        out.push(b'-');
    }
    if n.is_nan() {
        return out.extend_from_slice(b"nan");
    }
    if n.is_infinite() {
        return out.extend_from_slice(b"inf");
    }
    if n == 0.0 {
        return out.push(b'0');
    }
    // d.ddd…e±x, rounded correctly as C does.
    let mut room = [0u8; 40];
    let mut rest = &mut room[..];
    let _ = write!(rest, "{:.*e}", digits - 1, n.abs()); // 40 bytes are enough
    let left = rest.len();
    let text = &room[..room.len() - left];
    let at = text.iter().position(|&byte| byte == b'e').unwrap_or(text.len());
    let exponent: i32 = std::str::from_utf8(text.get(at + 1..).unwrap_or(b""))
        .ok()
        .map_or(0, |e| e.parse().unwrap_or(0));
    let mut mantissa = [b'0'; 20];
    let mut count = 0;
    for &byte in text[..at].iter().filter(|byte| byte.is_ascii_digit()) {
        mantissa[count] = byte;
        count += 1;
    }
    while count > 1 && mantissa[count - 1] == b'0' {
        count -= 1;
    }
    place(out, &mantissa[..count], exponent, digits);
}

/// Puts the point where `%g` has it.
fn place(out: &mut Vec<u8>, mantissa: &[u8], exponent: i32, digits: usize) {
    let wide = i32::try_from(digits).unwrap_or(17);
    match usize::try_from(exponent) {
        Ok(exponent) if exponent < digits => {
            let whole = exponent + 1;
            if mantissa.len() <= whole {
                out.extend_from_slice(mantissa);
                out.resize(out.len() + whole - mantissa.len(), b'0');
            } else {
                out.extend_from_slice(&mantissa[..whole]);
                out.push(b'.');
                out.extend_from_slice(&mantissa[whole..]);
            }
        }
        Err(_) if exponent >= -4 => {
            out.extend_from_slice(b"0.");
            for _ in exponent..-1 {
                out.push(b'0');
            }
            out.extend_from_slice(mantissa);
        }
        _ => {
            debug_assert!(exponent < -4 || exponent >= wide);
            out.push(mantissa[0]);
            if mantissa.len() > 1 {
                out.push(b'.');
                out.extend_from_slice(&mantissa[1..]);
            }
            let _ = write!(out, "e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs());
        }
    }
}

/// `strtod`: the number a text begins with and how many bytes it takes; none if there is none.
pub fn read_f64(text: &[u8]) -> Option<(f64, usize)> {
    let (negative, unsigned) = match text.first() {
        Some(b'-') => (true, 1),
        Some(b'+') => (false, 1),
        _ => (false, 0),
    };
    let body = &text[unsigned..];
    let (magnitude, len) = if body.len() > 1 && body[0] == b'0' && body[1] | 0x20 == b'x' {
        read_hex(&body[2..]).map_or((0.0, 1), |(n, len)| (n, len + 2))
    } else if let Some(word) = body.get(..3).map(<[u8]>::to_ascii_lowercase_array) {
        match &word {
            b"inf" => (f64::INFINITY, inf_len(body)),
            b"nan" => (f64::NAN, nan_len(body)),
            _ => read_decimal(body)?,
        }
    } else {
        read_decimal(body)?
    };
    Some((if negative { -magnitude } else { magnitude }, unsigned + len))
}

/// Three bytes in lower case.
trait Lower {
    fn to_ascii_lowercase_array(&self) -> [u8; 3];
}

impl Lower for [u8] {
    fn to_ascii_lowercase_array(&self) -> [u8; 3] {
        let mut word = [0; 3];
        for (to, from) in word.iter_mut().zip(self) {
            *to = from.to_ascii_lowercase();
        }
        word
    }
}

fn inf_len(body: &[u8]) -> usize {
    let long = body.get(..8).is_some_and(|word| word.eq_ignore_ascii_case(b"infinity"));
    if long { 8 } else { 3 }
}

/// `nan` or `nan(letters_and_digits)`.
fn nan_len(body: &[u8]) -> usize {
    if body.get(3) != Some(&b'(') {
        return 3;
    }
    let inside = &body[4..];
    let len =
        inside.iter().take_while(|&&byte| byte.is_ascii_alphanumeric() || byte == b'_').count();
    if inside.get(len) == Some(&b')') { len + 5 } else { 3 }
}

fn read_decimal(body: &[u8]) -> Option<(f64, usize)> {
    let whole = digits(body);
    let mut len = whole;
    let mut fraction = 0;
    if body.get(len) == Some(&b'.') {
        fraction = digits(&body[len + 1..]);
        len += 1 + fraction;
    }
    if whole + fraction == 0 {
        return None;
    }
    if matches!(body.get(len), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(body.get(len + 1), Some(b'+' | b'-')));
        let exponent = digits(&body[len + 1 + sign..]);
        if exponent > 0 {
            len += 1 + sign + exponent;
        }
    }
    let text = std::str::from_utf8(&body[..len]).ok()?;
    Some((text.parse().ok()?, len))
}

fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// Hexadecimal digits with a point and a binary exponent, after the `0x`. Digits beyond 64 bits
/// only count as a sticky bit, so that the result is rounded once.
#[allow(clippy::cast_precision_loss)] // rounding is what is wanted
fn read_hex(body: &[u8]) -> Option<(f64, usize)> {
    let (mut bits, mut scale, mut seen, mut at, mut point) = (0u64, 0i32, false, 0, false);
    while let Some(&byte) = body.get(at) {
        match char::from(byte).to_digit(16) {
            Some(digit) => {
                seen = true;
                if bits >> 59 == 0 {
                    bits = bits << 4 | u64::from(digit);
                    scale = scale.saturating_sub(if point { 4 } else { 0 });
                } else {
                    bits |= u64::from(digit != 0);
                    scale = scale.saturating_add(if point { 0 } else { 4 });
                }
            }
            None if byte == b'.' && !point => point = true,
            None => break,
        }
        at += 1;
    }
    if !seen {
        return None;
    }
    if matches!(body.get(at), Some(b'p' | b'P')) {
        let sign = usize::from(matches!(body.get(at + 1), Some(b'+' | b'-')));
        let len = digits(&body[at + 1 + sign..]);
        if len > 0 {
            let text = std::str::from_utf8(&body[at + 1 + sign..at + 1 + sign + len]).ok()?;
            let exponent: i32 = text.parse().unwrap_or(1 << 20);
            let negative = sign == 1 && body[at + 1] == b'-';
            scale = scale.saturating_add(if negative { -exponent } else { exponent });
            at += 1 + sign + len;
        }
    }
    // Two steps: the first factor may leave the range of normal doubles where the product does not.
    let half = scale.clamp(-4000, 4000) / 2;
    let n = bits as f64;
    Some((n * 2f64.powi(half) * 2f64.powi(scale.clamp(-4000, 4000) - half), at))
}

#[cfg(test)]
#[path = "number_tests.rs"]
mod tests;
