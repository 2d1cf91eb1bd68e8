//! What redis-server 7.0.15 answered to `KEYS pattern` with one key, and to `CONFIG GET`.

use super::{MAX_STARS, matches, matches_ignore_case};

const OBSERVED: &[(&[u8], &[u8], bool)] = &[
    (b"**", b"", false),
    (b"", b"", true),
    (b"", b"a", false),
    (b"?", b"", false),
    (b"[", b"", false),
    (b"[", b"[", false),
    (b"[^", b"x", true),
    (b"[^", b"[", true),
    (b"[a", b"a", true),
    (b"[a", b"b", false),
    (b"[^a", b"b", true),
    (b"[a-", b"a", true),
    (b"[a-", b"-", true),
    (b"[z-a]", b"m", true),
    (b"[a-]", b"a", true),
    (b"[a-]", b"-", false),
    (b"[a-]", b"]", true),
    (b"[a-]b]", b"_b]", false),
    (b"[]", b"a", false),
    (b"[]a", b"a", false),
    (b"[^]", b"a", true),
    (b"[^]a", b"xa", true),
    (b"[\\]]", b"]", true),
    (b"[\\a-c]", b"b", false),
    (b"[\\", b"\\", true),
    (b"[a\\", b"\\", true),
    (b"\\", b"\\", true),
    (b"\\\\", b"\\", true),
    (b"a\\", b"a\\", true),
    (b"\\*", b"*", true),
    (b"\\*", b"a", false),
    (b"a*", b"a", true),
    (b"a***", b"a", true),
    (b"a*b", b"ab", true),
    (b"a**b**", b"ab", true),
    (b"[a-\x80]", b"b", false),
    (b"[\x80-a]", b"\xf0", true),
    (b"[\x80-a]", b"b", false),
    (b"[\xff-\x01]", b"\0", true),
    (b"[!a]", b"b", false),
    (b"[^^]", b"^", false),
    (b"[^^]", b"a", true),
    (b"x*", b"xyz", true),
    (b"*y*", b"xyz", true),
    (b"*?", b"x", true),
    (b"?*", b"x", true),
    (b"a?", b"a", false),
    (b"[[]", b"[", true),
    (b"[]]", b"]", false),
    (b"a[", b"a", false),
    (b"a[^", b"a", false),
    (b"[a-z", b"q", true),
    (b"[a-z", b"-", false),
    (b"[^a-z", b"Q", true),
    (b"a\0b", b"a\0b", true),
    (b"a\0*", b"a\0b", true),
    (b"[a\0", b"a", true),
    (b"*\\", b"x\\", true),
    (b"*[", b"x[", false),
    (b"*[^", b"x[", true),
    (b"*[^", b"x", true),
];

#[test]
fn as_observed() {
    for &(pattern, text, expected) in OBSERVED {
        let (p, t) = (pattern.escape_ascii(), text.escape_ascii());
        assert_eq!(matches(pattern, text), expected, "{p} on {t}");
    }
}

#[test]
fn as_observed_without_case() {
    let observed: &[(&[u8], bool)] = &[
        (b"MAXMEMORY", true),
        (b"max[M]emory", true),
        (b"MAX[M]EMORY", true),
        (b"max[L-N]emory", true),
        (b"MAX[l-n]EMORY", true),
        (b"max[\\M]emory", false),
        (b"max[\\m]emory", true),
        (b"max[^M]emory", false),
        (b"max[^\x80-a]emory", true),
        (b"max[A-\xff]emory", false),
        (b"max[l-\xff]emory", false),
        (b"max[m-\xfe]emory", false),
        (b"max[\xff-M]emory", true),
        (b"max[\x80-M]emory", false),
        (b"max[\x80-m]emory", false),
        (b"max[Z-l]emory", false),
        (b"max[l-Z]emory", false),
        (b"\\MAX*", true),
    ];
    for &(pattern, expected) in observed {
        let shown = pattern.escape_ascii();
        assert_eq!(matches_ignore_case(pattern, b"maxmemory"), expected, "{shown}");
    }
}

#[test]
fn too_many_stars_match_nothing() {
    let text = vec![b'a'; 1500];
    assert!(matches(&b"*a".repeat(MAX_STARS), &text));
    assert!(!matches(&b"*a".repeat(MAX_STARS + 1), &text));
    let last_is_free = [b"*a".repeat(MAX_STARS), b"**".to_vec()].concat();
    assert!(matches(&last_is_free, &text));
    assert!(!matches(&b"*?".repeat(MAX_STARS + 1), &text));
}

#[test]
fn hostile_patterns_end_quickly() {
    // Exponential for naive recursion: about 10^900 steps.
    let pattern = [b"*a".repeat(900), b"b".to_vec()].concat();
    assert!(!matches(&pattern, &vec![b'a'; 20_000]));
    assert!(matches(&vec![b'*'; 1 << 20], b"x"));
    assert!(!matches(&[vec![b'*'; 1 << 20], b"y".to_vec()].concat(), &vec![b'x'; 10_000]));
}

#[test]
fn what_takes_too_many_steps_matches_nothing() {
    let started = std::time::Instant::now();
    let text = vec![b'a'; 1 << 20];
    // A trillion steps each: a long class for every byte, a long beginning for every byte.
    assert!(!matches(&[&b"*["[..], &vec![b'b'; 1 << 20], b"]"].concat(), &text));
    assert!(!matches(&[&b"*"[..], &vec![b'a'; 1 << 19], b"b*"].concat(), &text));
    // Long texts and patterns alone are no reason.
    assert!(matches(b"*a*a*a*[b-a]", &text));
    assert!(!matches(b"*ab*", &text));
    assert!(matches(&text, &text));
    assert!(matches(&[&b"*"[..], &text].concat(), &text));
    // Without the bound the first two take hours, so a minute is enough on any machine.
    assert!(started.elapsed() < std::time::Duration::from_secs(60), "{:?}", started.elapsed());
}

/// The definition, by recursion: exponential, hence short inputs only.
fn by_definition(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern, text) {
        ([b'*', rest @ ..], _) => (0..=text.len()).any(|n| by_definition(rest, &text[n..])),
        ([b'?', rest @ ..], [_, after @ ..]) => by_definition(rest, after),
        ([p, rest @ ..], [t, after @ ..]) => p == t && by_definition(rest, after),
        ([], []) => true,
        _ => false,
    }
}

#[test]
fn all_short_patterns_of_stars_and_letters() {
    let words = |alphabet: &[u8], longest: usize| {
        let mut all = vec![vec![]];
        let mut last = all.clone();
        for _ in 0..longest {
            last = last
                .iter()
                .flat_map(|w: &Vec<u8>| alphabet.iter().map(|&c| [w.clone(), vec![c]].concat()))
                .collect();
            all.extend_from_slice(&last);
        }
        all
    };
    for pattern in words(b"*?ab", 5) {
        for text in words(b"ab", 5).into_iter().filter(|t| !t.is_empty()) {
            let expected = by_definition(&pattern, &text);
            assert_eq!(matches(&pattern, &text), expected, "{pattern:?} {text:?}");
        }
    }
}
