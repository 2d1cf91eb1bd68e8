//! Redis's glob patterns: `*`, `?`, `[a-c]`, `[^x]`, `\` escapes.
//!
//! ```text
//!   pattern   h [a-e] l * o      one element consumes exactly one byte,
//!             |   |   | | |      only `*` consumes any number
//!   text      h   e   l l o
//! ```
//!
//! Because every element but `*` consumes exactly one byte, a mismatch needs to retry only the
//! latest star: a longer match of an earlier one would reach the rest of the pattern later in the
//! text, which the latest star has already tried. So matching is a loop with one restart point,
//! quadratic at worst, where naive recursion is exponential. What is quadratic in megabytes takes
//! minutes, so the steps are bounded, too: by [`MAX_STEPS`] beyond what is linear.
//!
//! The odd corners are Redis's, kept on purpose, because clients see them through `KEYS`, `SCAN`
//! and `PSUBSCRIBE`: a class that never ends closes at the end of the pattern, ranges may be
//! written backwards and compare bytes as signed, `*` alone does not match the empty text (the
//! commands that mean "everything" by it ask before they match), and a pattern with more than
//! [`MAX_STARS`] stars that matter matches nothing.
//!
//! This file must never recurse or allocate: patterns come from clients.

/// Stars that may be followed by something; a pattern with more matches nothing, as in Redis
/// since CVE-2024-31228.
pub const MAX_STARS: usize = 1000;

/// Steps back and through classes that a match may take, beside a few for each byte of pattern and
/// text; one that needs more matches nothing. Some dozen milliseconds.
pub const MAX_STEPS: usize = 1 << 24;

/// Whether `text` matches `pattern`, case-sensitively. O(`pattern` × `text`) at worst, as far as
/// [`MAX_STEPS`].
///
/// ```
/// use kvist_base::glob::matches;
///
/// assert!(matches(b"h[a-e]llo*", b"hello world"));
/// assert!(matches(b"[z-a]", b"m")); // backwards ranges are ranges
/// assert!(!matches(b"*", b"")); // Redis's matcher needs a byte to try a star on
/// ```
#[inline]
#[must_use]
pub fn matches(pattern: &[u8], text: &[u8]) -> bool {
    matches_with::<false>(pattern, text)
}

/// As [`matches()`], but ASCII letters match in either case, except behind a `\` inside a class.
///
/// ```
/// assert!(kvist_base::glob::matches_ignore_case(b"MAX[a-m]emory", b"maxmemory"));
/// ```
#[inline]
#[must_use]
pub fn matches_ignore_case(pattern: &[u8], text: &[u8]) -> bool {
    matches_with::<true>(pattern, text)
}

fn matches_with<const NOCASE: bool>(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    // Where to go on after a mismatch: behind the latest star, one byte further into the text.
    let mut restart: Option<(usize, usize)> = None;
    let mut stars = 0;
    let mut steps = 0;
    let most = MAX_STEPS + 4 * (pattern.len() + text.len());
    while let Some(&byte) = text.get(t) {
        if pattern.get(p) == Some(&b'*') {
            p = skip_stars(pattern, p);
            if p == pattern.len() {
                return true;
            }
            stars += 1;
            if stars > MAX_STARS {
                return false;
            }
            restart = Some((p, t));
            continue;
        }
        if let Some(next) = element::<NOCASE>(pattern, p, byte, &mut steps) {
            (p, t) = (next, t + 1);
            continue;
        }
        let Some((after_star, from)) = restart else { return false };
        steps += t - from;
        if steps > most {
            return false;
        }
        (p, t) = (after_star, from + 1);
        restart = Some((p, t));
    }
    // Stars at the very end need no text, but only behind a byte that matched.
    if !text.is_empty() {
        p = skip_stars(pattern, p);
    }
    p == pattern.len()
}

fn skip_stars(pattern: &[u8], from: usize) -> usize {
    from + pattern[from..].iter().take_while(|&&c| c == b'*').count()
}

/// Matches the element at `p` against one byte; where the next element starts if it fits. Classes
/// add their length to the steps.
#[inline]
fn element<const NOCASE: bool>(
    pattern: &[u8],
    p: usize,
    byte: u8,
    steps: &mut usize,
) -> Option<usize> {
    match *pattern.get(p)? {
        b'?' => Some(p + 1),
        b'[' => {
            let (hit, next) = class::<NOCASE>(pattern, p + 1, byte);
            *steps += next - p;
            hit.then_some(next)
        }
        b'\\' if p + 1 < pattern.len() => {
            same::<NOCASE>(pattern[p + 1], byte).then_some(p + 2) // an escaped byte is itself
        }
        literal => same::<NOCASE>(literal, byte).then_some(p + 1),
    }
}

/// Matches the class whose inside starts at `p`; also where the element behind it starts.
fn class<const NOCASE: bool>(pattern: &[u8], mut p: usize, byte: u8) -> (bool, usize) {
    let negated = pattern.get(p) == Some(&b'^');
    p += usize::from(negated);
    let mut hit = false;
    loop {
        match pattern[p..] {
            [b'\\', escaped, ..] => {
                hit |= escaped == byte; // in its own case even where case is ignored
                p += 2;
            }
            [b']', ..] => return (hit != negated, p + 1),
            [] => return (hit != negated, p),
            [from, b'-', to, ..] => {
                hit |= in_range::<NOCASE>(from, to, byte);
                p += 3;
            }
            [literal, ..] => {
                hit |= same::<NOCASE>(literal, byte);
                p += 1;
            }
        }
    }
}

#[inline]
fn same<const NOCASE: bool>(a: u8, b: u8) -> bool {
    if NOCASE { a.eq_ignore_ascii_case(&b) } else { a == b }
}

/// Bytes compare as C's signed `char`, and the ends are put in order before case is folded, so
/// `[Z-l]` is empty without case although `[l-Z]` spelled in one case would not be.
fn in_range<const NOCASE: bool>(from: u8, to: u8, byte: u8) -> bool {
    let (from, to, byte) = (from.cast_signed(), to.cast_signed(), byte.cast_signed());
    let (from, to) = (from.min(to), from.max(to));
    if NOCASE { (fold(from)..=fold(to)).contains(&fold(byte)) } else { (from..=to).contains(&byte) }
}

/// The C library's `tolower` on a signed `char`: letters fold, bytes from 0x80 become positive
/// again, and 0xFF is `EOF`, which stays -1.
fn fold(c: i8) -> i16 {
    match c {
        -1 => -1,
        ..-1 => i16::from(c) + 256,
        0.. => i16::from(c.cast_unsigned().to_ascii_lowercase()),
    }
}

#[cfg(test)]
#[path = "glob_tests.rs"]
mod tests;
