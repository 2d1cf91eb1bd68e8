//! `long double` as x86 has it, in software: `INCRBYFLOAT` and `HINCRBYFLOAT` compute with it.
//!
//! ```text
//!   sign | exponent, 15 bits | 1 . fraction, 64 bits with its leading one
//! ```
//!
//! Redis adds with the machine's `long double`, and prints 17 digits behind the point, so the
//! eleven extra bits of the extended format are visible to clients: `3.0 + 0.1` ends in `.1` only
//! because of them. Other machines have other formats; this one is the same everywhere.

use super::big::Big;
use super::literal::{self, Body, Digits};
use super::round::{self, EXTENDED, Exact, Rounded};

/// A number in the 80-bit extended format; never NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongDouble {
    negative: bool,
    magnitude: Magnitude,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Magnitude {
    /// `mantissa × 2^exp`; the highest bit of the mantissa is set unless the number is zero.
    Finite {
        mantissa: u64,
        exp: i64,
    },
    Infinite,
}

const ZERO: Magnitude = Magnitude::Finite { mantissa: 0, exp: 0 };

/// Texts of this length are refused, as by Redis, whose buffer has this size.
const MAX_CHARS: usize = 5 * 1024;

impl LongDouble {
    /// A number where nothing may be left over, by the rules of [`super::parse_f64`] but with
    /// the range of the extended format, and with fewer than 5120 bytes.
    ///
    /// ```
    /// use kvist_base::num::LongDouble;
    ///
    /// let (a, b) = (LongDouble::parse(b"3.0").unwrap(), LongDouble::parse(b"0.1").unwrap());
    /// assert_eq!(a.checked_add(b).unwrap().to_string(), "3.1");
    /// assert!(LongDouble::parse(b"1e400").is_some());
    /// assert!(LongDouble::parse(b"1e5000").is_none());
    /// ```
    #[must_use]
    pub fn parse(text: &[u8]) -> Option<Self> {
        if text.len() >= MAX_CHARS {
            return None;
        }
        let number = literal::scan(text)?;
        if number.end != text.len() || literal::is_space(text[0]) {
            return None;
        }
        let magnitude = match number.body {
            Body::Nan => return None,
            Body::Infinity => Magnitude::Infinite,
            Body::Decimal(digits) if !digits.is_zero() => nonzero(from_decimal(&digits)?)?,
            Body::Hex(digits) if !digits.is_zero() => nonzero(round::from_hex(&digits))?,
            Body::Decimal(_) | Body::Hex(_) => ZERO,
        };
        Some(LongDouble { negative: number.negative, magnitude })
    }

    /// The sum, rounded to nearest even; `None` if it is infinite or not a number, which is what
    /// Redis refuses ("increment would produce NaN or Infinity").
    #[must_use]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        let (
            Magnitude::Finite { mantissa: m1, exp: e1 },
            Magnitude::Finite { mantissa: m2, exp: e2 },
        ) = (self.magnitude, other.magnitude)
        else {
            return None; // infinity plus anything is infinite or NaN
        };
        if m1 == 0 && m2 == 0 {
            return Some(LongDouble { negative: self.negative && other.negative, magnitude: ZERO });
        }
        if m1 == 0 {
            return Some(other);
        }
        if m2 == 0 {
            return Some(self);
        }
        // The operand with the larger magnitude leads: its sign is that of the sum.
        let (large, small) = if (e1, m1) >= (e2, m2) {
            ((self, m1, e1), (m2, e2))
        } else {
            ((other, m2, e2), (m1, e1))
        };
        let (lead, m1, e1) = large;
        let (m2, e2) = small;
        // 62 bits below the mantissa, two above it for the carry.
        let mut sticky = false;
        let wide = u128::from(m1) << 62;
        let aligned = round::shift_right_sticky(u128::from(m2) << 62, e1 - e2, &mut sticky);
        let mantissa = if self.negative == other.negative {
            wide + aligned
        } else {
            // What fell out makes the difference smaller: borrow one, and a rest remains.
            wide - aligned - u128::from(sticky)
        };
        let exact = Exact { mantissa, exp: e1 - 62, sticky };
        match finish(exact) {
            Magnitude::Infinite => None,
            ZERO => Some(LongDouble { negative: false, magnitude: ZERO }),
            magnitude => Some(LongDouble { negative: lead.negative, magnitude }),
        }
    }

    /// Whether this is an infinity; Redis takes one as an operand and refuses the sum.
    #[must_use]
    pub fn is_infinite(self) -> bool {
        self.magnitude == Magnitude::Infinite
    }

    /// The product with `factor`, rounded to the format, then up to an integer; `None` if that
    /// does not fit. This is how Redis turns timeouts of seconds into milliseconds.
    ///
    /// ```
    /// use kvist_base::num::LongDouble;
    ///
    /// let millis = |text: &[u8]| LongDouble::parse(text).unwrap().scaled_up(1000);
    /// assert_eq!(millis(b"0.0011"), Some(2));
    /// assert_eq!(millis(b"-0.0011"), Some(-1));
    /// assert_eq!(millis(b"9223372036854775.807"), Some(i64::MAX));
    /// assert_eq!(millis(b"9223372036854775.808"), None);
    /// ```
    #[must_use]
    pub fn scaled_up(self, factor: u32) -> Option<i64> {
        let Magnitude::Finite { mantissa, exp } = self.magnitude else { return None };
        let mantissa = u128::from(mantissa) * u128::from(factor);
        let product = match mantissa {
            0 => return Some(0),
            _ => finish(Exact { mantissa, exp, sticky: false }),
        };
        let Magnitude::Finite { mantissa, exp } = product else { return None };
        if exp >= 0 {
            return None; // the highest bit of the mantissa is set: at least 2^63
        }
        let point = u32::try_from(-exp).unwrap_or(u32::MAX);
        let whole = mantissa.checked_shr(point).unwrap_or(0);
        let is_whole = whole.checked_shl(point).unwrap_or(0) == mantissa;
        let whole = i64::try_from(whole).ok()?;
        if self.negative { Some(-whole) } else { whole.checked_add(i64::from(!is_whole)) }
    }

    /// Appends the number as Redis's "human" form: `%.17Lf` without trailing zeros, never `-0`.
    /// At most 4952 bytes.
    pub fn write(self, out: &mut Vec<u8>) {
        let start = out.len();
        if self.negative {
            out.push(b'-');
        }
        match self.magnitude {
            Magnitude::Infinite => out.extend_from_slice(b"inf"),
            Magnitude::Finite { mantissa, exp } if exp >= 0 => {
                let mut integer = Big::from_u64(mantissa);
                integer.shl(usize::try_from(exp).unwrap_or(0));
                integer.write_decimal(out);
            }
            Magnitude::Finite { mantissa, exp } => write_fixed(out, mantissa, -exp),
        }
        if out[start..] == *b"-0" {
            out.remove(start);
        }
    }
}

/// Prints `mantissa / 2^shift` with up to 17 digits behind the point.
fn write_fixed(out: &mut Vec<u8>, mantissa: u64, shift: i64) {
    const SCALE: u128 = 100_000_000_000_000_000;
    // 64 and 57 bits: the product is exact, and one division by 2^shift rounds it.
    let product = u128::from(mantissa) * SCALE;
    let scaled = match u32::try_from(shift) {
        Ok(shift @ 1..128) => {
            let (kept, rest) = (product >> shift, product & ((1 << shift) - 1));
            let half = 1 << (shift - 1);
            kept + u128::from(rest > half || (rest == half && kept & 1 == 1))
        }
        _ => 0, // far below half a unit of the last digit
    };
    let mut buffer = itoa::Buffer::new();
    out.extend_from_slice(buffer.format(scaled / SCALE).as_bytes());
    let fraction = scaled % SCALE;
    if fraction != 0 {
        let text = buffer.format(fraction).as_bytes();
        out.push(b'.');
        out.extend_from_slice(&b"00000000000000000"[text.len()..]);
        let zeros = text.iter().rev().take_while(|&&c| c == b'0').count();
        out.extend_from_slice(&text[..text.len() - zeros]);
    }
}

/// The value of decimal digits, at least one of them not 0; `None` when it is so far out that
/// even its magnitude decides.
fn from_decimal(digits: &Digits<'_>) -> Option<Exact> {
    let frac_len = i64::try_from(digits.frac.len()).ok()?;
    let leading = digits.all().take_while(|&c| c == b'0').count();
    let len = digits.int.len() + digits.frac.len();
    let all = digits.all().skip(leading);
    let significant = len - leading;
    let exp = digits.exp - frac_len;
    // The first digit is worth 10^top.
    let top = exp + i64::try_from(significant).ok()? - 1;
    if !(-4960..=4940).contains(&top) {
        return None;
    }
    if significant <= 19 && (-27..=19).contains(&exp) {
        let number = all.fold(0u64, |n, c| n * 10 + u64::from(c - b'0')); // below 10^19
        return Some(from_short(number, exp));
    }
    let mut number = Big::from_digits(all);
    match usize::try_from(exp) {
        Ok(exp) => {
            number.mul_pow10(exp);
            let (mantissa, exp, sticky) = number.top();
            Some(Exact { mantissa, exp, sticky })
        }
        Err(_) => {
            let mut divisor = Big::from_u64(1);
            divisor.mul_pow10(usize::try_from(-exp).ok()?);
            let (mantissa, exp, sticky) = number.divide(divisor);
            Some(Exact { mantissa, exp, sticky })
        }
    }
}

/// `number × 10^exp` for exponents from -27 to 19, without big numbers.
fn from_short(number: u64, exp: i64) -> Exact {
    let power = u32::try_from(exp.unsigned_abs()).unwrap_or(0);
    if exp >= 0 {
        let mantissa = u128::from(number) * 10u128.pow(power); // 64 bits each
        return Exact { mantissa, exp: 0, sticky: false };
    }
    // number / 10^n = number / 5^n / 2^n. A dividend of 128 bits and a divisor below 2^63 give
    // at least 65 bits: 64 to keep, one to round by, and the remainder.
    let wide = u128::from(number);
    let room = wide.leading_zeros();
    let (dividend, divisor) = (wide << room, 5u128.pow(power));
    Exact {
        mantissa: dividend / divisor,
        exp: exp - i64::from(room),
        sticky: dividend % divisor != 0,
    }
}

/// Rounds and normalizes.
fn finish(exact: Exact) -> Magnitude {
    match round::round(exact, &EXTENDED) {
        Rounded::Overflow => Magnitude::Infinite,
        Rounded::Finite { mantissa: 0, .. } => ZERO,
        Rounded::Finite { mantissa, exp } => {
            let room = mantissa.leading_zeros();
            Magnitude::Finite { mantissa: mantissa << room, exp: exp - i64::from(room) }
        }
    }
}

/// As [`finish`], for a value that is neither zero nor infinite; `None` if the format makes it so.
fn nonzero(exact: Exact) -> Option<Magnitude> {
    Some(finish(exact)).filter(|&m| m != ZERO && m != Magnitude::Infinite)
}

impl From<i64> for LongDouble {
    /// Exact.
    fn from(n: i64) -> Self {
        let exact = Exact { mantissa: u128::from(n.unsigned_abs()), exp: 0, sticky: false };
        LongDouble { negative: n < 0, magnitude: finish(exact) }
    }
}

impl TryFrom<f64> for LongDouble {
    type Error = NotANumber;

    /// Exact.
    fn try_from(d: f64) -> Result<Self, NotANumber> {
        if d.is_nan() {
            return Err(NotANumber);
        }
        let negative = d.is_sign_negative();
        if d.is_infinite() {
            return Ok(LongDouble { negative, magnitude: Magnitude::Infinite });
        }
        let bits = d.to_bits();
        let biased = i64::try_from(bits >> 52 & 0x7FF).unwrap_or(0);
        let implicit = u64::from(biased != 0) << 52;
        let exact = Exact {
            mantissa: u128::from(implicit | (bits & ((1 << 52) - 1))),
            exp: biased.max(1) - 1075,
            sticky: false,
        };
        Ok(LongDouble { negative, magnitude: finish(exact) })
    }
}

/// A NaN was offered where a [`LongDouble`] was wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotANumber;

impl std::fmt::Display for NotANumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("not a number")
    }
}

impl std::error::Error for NotANumber {}

impl std::fmt::Display for LongDouble {
    /// As [`LongDouble::write`].
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut out = Vec::new();
        self.write(&mut out);
        out.iter().try_for_each(|&c| std::fmt::Write::write_char(f, char::from(c)))
    }
}
