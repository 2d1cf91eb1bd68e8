//! The shape of a number in text, as C's `strtod` and `strtold` see it.
//!
//! ```text
//!   [spaces] [sign] ( inf | infinity | nan [ "(" chars ")" ]
//!                   | digits [ "." digits ] [ e [sign] digits ]
//!                   | 0x hex [ "." hex ]    [ p [sign] digits ] )
//! ```
//!
//! The longest prefix that fits is the number; what follows is the caller's to check. Only the
//! shape is found here; the value is computed by the caller, which knows the precision wanted.

/// A number found at the start of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Literal<'a> {
    pub negative: bool,
    pub body: Body<'a>,
    /// The unsigned number in the text, `12.5e3`.
    pub text: &'a [u8],
    /// Bytes of the text up to the end of the number.
    pub end: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Body<'a> {
    Infinity,
    Nan,
    /// `int . frac × 10^exp`
    Decimal(Digits<'a>),
    /// `int . frac × 2^exp`, digits in base 16
    Hex(Digits<'a>),
}

/// Digits as written, before and behind the point, and the exponent, clamped to ±[`EXP_LIMIT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Digits<'a> {
    pub int: &'a [u8],
    pub frac: &'a [u8],
    pub exp: i64,
}

/// Far outside any exponent that matters, far inside what sums of lengths could overflow.
const EXP_LIMIT: i64 = 1 << 40;

impl Digits<'_> {
    pub(super) fn is_zero(&self) -> bool {
        self.all().all(|c| c == b'0')
    }

    pub(super) fn all(&self) -> impl Iterator<Item = u8> {
        self.int.iter().chain(self.frac).copied()
    }
}

/// C's `isspace` in the C locale.
pub(super) fn is_space(c: u8) -> bool {
    matches!(c, b' ' | b'\t'..=b'\r')
}

/// The number at the start of `text`; `None` when there is none.
pub(super) fn scan(text: &[u8]) -> Option<Literal<'_>> {
    let spaces = run(text, is_space);
    let (negative, start) = match text.get(spaces) {
        Some(b'-') => (true, spaces + 1),
        Some(b'+') => (false, spaces + 1),
        _ => (false, spaces),
    };
    let rest = &text[start..];
    let (body, len) = word(rest).or_else(|| hex(rest)).or_else(|| decimal(rest))?;
    Some(Literal { negative, body, text: &rest[..len], end: start + len })
}

fn word(text: &[u8]) -> Option<(Body<'_>, usize)> {
    let starts =
        |w: &str| text.get(..w.len()).is_some_and(|t| t.eq_ignore_ascii_case(w.as_bytes()));
    if starts("infinity") {
        Some((Body::Infinity, 8))
    } else if starts("inf") {
        Some((Body::Infinity, 3))
    } else if starts("nan") {
        let payload = text[3..].strip_prefix(b"(").and_then(|inside| {
            let len = run(inside, |c| c.is_ascii_alphanumeric() || c == b'_');
            (inside.get(len) == Some(&b')')).then_some(len + 2)
        });
        Some((Body::Nan, 3 + payload.unwrap_or(0)))
    } else {
        None
    }
}

fn decimal(text: &[u8]) -> Option<(Body<'_>, usize)> {
    let (digits, len) = digits(text, |c| c.is_ascii_digit(), b'e')?;
    Some((Body::Decimal(digits), len))
}

fn hex(text: &[u8]) -> Option<(Body<'_>, usize)> {
    let [b'0', b'x' | b'X', rest @ ..] = text else { return None };
    let (digits, len) = digits(rest, |c| c.is_ascii_hexdigit(), b'p')?;
    Some((Body::Hex(digits), 2 + len))
}

fn digits(text: &[u8], is_digit: fn(u8) -> bool, mark: u8) -> Option<(Digits<'_>, usize)> {
    let int = &text[..run(text, is_digit)];
    let mut len = int.len();
    let mut frac: &[u8] = &[];
    if text.get(len) == Some(&b'.') {
        frac = &text[len + 1..][..run(&text[len + 1..], is_digit)];
        len += 1 + frac.len();
    }
    if int.is_empty() && frac.is_empty() {
        return None;
    }
    let (exp, exp_len) = exponent(&text[len..], mark).unwrap_or((0, 0));
    Some((Digits { int, frac, exp }, len + exp_len))
}

/// An exponent part; without digits it is none, and its mark is left over.
fn exponent(text: &[u8], mark: u8) -> Option<(i64, usize)> {
    let (first, rest) = text.split_first()?;
    if !first.eq_ignore_ascii_case(&mark) {
        return None;
    }
    let (negative, sign_len) = match rest.first() {
        Some(b'-') => (true, 1),
        Some(b'+') => (false, 1),
        _ => (false, 0),
    };
    let digits = &rest[sign_len..][..run(&rest[sign_len..], |c| c.is_ascii_digit())];
    if digits.is_empty() {
        return None;
    }
    let magnitude =
        digits.iter().fold(0i64, |exp, c| (exp * 10 + i64::from(c - b'0')).min(EXP_LIMIT));
    Some((if negative { -magnitude } else { magnitude }, 1 + sign_len + digits.len()))
}

fn run(text: &[u8], wanted: fn(u8) -> bool) -> usize {
    text.iter().take_while(|&&c| wanted(c)).count()
}
