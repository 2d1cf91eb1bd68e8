//! Redis's patterns: `*`, `?`, `[a-z]`, `[^a]`, `\` before a literal.
//!
//! One function, so that a shared matcher can take its place. It must never take more than
//! `pattern × text` steps, whatever the pattern: a second `*` forgets the first.

/// Whether upper and lower case differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    Matters,
    Ignored,
}

impl Case {
    fn fold(self, byte: u8) -> u8 {
        if self == Self::Ignored { byte.to_ascii_lowercase() } else { byte }
    }
}

/// Whether `text` as a whole matches `pattern`.
pub(crate) fn matches(pattern: &[u8], text: &[u8], case: Case) -> bool {
    let (mut p, mut t) = (0, 0);
    // Where to resume after the last `*`: the pattern behind it, and the text it has not yet eaten.
    let mut star: Option<(usize, usize)> = None;
    while let Some(&byte) = text.get(t) {
        match pattern.get(p) {
            Some(b'*') => {
                p += 1;
                star = Some((p, t));
                continue;
            }
            Some(_) => {
                let (used, fits) = element(&pattern[p..], byte, case);
                if fits {
                    p += used;
                    t += 1;
                    continue;
                }
            }
            None => {}
        }
        let Some((behind, eaten)) = star else { return false };
        star = Some((behind, eaten + 1));
        p = behind;
        t = eaten + 1;
    }
    pattern[p..].iter().all(|&byte| byte == b'*')
}

/// Whether `byte` fits the first element of `pattern` (which isn't empty), and that element's
/// length.
fn element(pattern: &[u8], byte: u8, case: Case) -> (usize, bool) {
    match pattern {
        [b'?', ..] => (1, true),
        [b'[', class @ ..] => {
            let (used, fits) = in_class(class, byte, case);
            (used + 1, fits)
        }
        [b'\\', literal, ..] => (2, case.fold(*literal) == case.fold(byte)),
        [literal, ..] => (1, case.fold(*literal) == case.fold(byte)),
        [] => (0, false),
    }
}

/// The same for what follows a `[`; a class that is never closed ends with the pattern.
fn in_class(class: &[u8], byte: u8, case: Case) -> (usize, bool) {
    let byte = case.fold(byte);
    let negated = class.first() == Some(&b'^');
    let mut at = usize::from(negated);
    let mut fits = false;
    loop {
        match &class[at..] {
            [b'\\', literal, ..] => {
                fits |= case.fold(*literal) == byte;
                at += 2;
            }
            [b']', ..] => return (at + 1, fits != negated),
            [from, b'-', to, ..] => {
                let (from, to) = (case.fold(*from), case.fold(*to));
                fits |= (from.min(to)..=from.max(to)).contains(&byte);
                at += 3;
            }
            [literal, ..] => {
                fits |= case.fold(*literal) == byte;
                at += 1;
            }
            [] => return (at, fits != negated),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Case, matches};

    #[test]
    fn patterns() {
        let cases = [
            ("*", "", true),
            ("*", "timeout", true),
            ("tim*", "timeout", true),
            ("TIM*", "timeout", true),
            ("t*m*t", "timeout", true),
            ("tim?out", "timeout", true),
            ("[st]imeout", "timeout", true),
            ("[a-t]imeout", "timeout", true),
            ("[t-a]imeout", "timeout", true),
            ("[^t]imeout", "timeout", false),
            ("[^s]imeout", "timeout", true),
            ("time", "timeout", false),
            ("timeouts", "timeout", false),
            ("\\timeout", "timeout", true),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("[\\]]", "]", true),
            ("[ab", "b", true),
            ("", "", true),
            ("", "a", false),
            ("a*", "", false),
        ];
        for (pattern, text, expected) in cases {
            let found = matches(pattern.as_bytes(), text.as_bytes(), Case::Ignored);
            assert_eq!(found, expected, "{pattern} {text}");
        }
        let stars = "a*".repeat(64) + "b";
        assert!(!matches(stars.as_bytes(), "a".repeat(256).as_bytes(), Case::Ignored));
        assert!(!matches(b"T*", b"timeout", Case::Matters));
    }
}
