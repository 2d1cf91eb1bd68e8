//! Suggestions against what RediSearch 1.2.2 answers, a plain search, and damaged images.

use super::{MAX_DISTANCE, Suggestions};
use crate::spelling::{distance, letters};

fn sample() -> Suggestions {
    let mut s = Suggestions::default();
    for (text, score) in
        [("hello", 1.0), ("Hello", 2.0), ("help", 3.0), ("helium", 3.0), ("hell", 1.0)]
    {
        s.add(text.as_bytes(), score, false, None);
    }
    s.add(b"HELP", 1.0, true, None);
    s.add(b"help", 1.0, true, Some(b"pay"));
    s
}

fn found(s: &Suggestions, prefix: &str, fuzzy: bool) -> String {
    let list = s.find(prefix.as_bytes(), fuzzy, 5);
    let shown = list.iter().map(|s| {
        let score = crate::number::print_digits(f64::from(s.score), 17);
        format!("{} {score}", String::from_utf8_lossy(&s.text))
    });
    shown.collect::<Vec<_>>().join(", ")
}

#[test]
fn what_redisearch_finds() {
    let s = sample();
    assert_eq!(s.len(), 6);
    let hel = "help 2.8284270763397217, helium 1.5, Hello 1.1547005176544189, HELP \
               0.70710676908493042, hell 0.70710676908493042";
    assert_eq!(found(&s, "hel", false), hel);
    assert_eq!(found(&s, "HEL", false), hel);
    assert_eq!(found(&s, "hel", true), hel);
    assert_eq!(
        found(&s, "hell", false),
        "hell 2147483648, Hello 1.4142135381698608, hello 0.70710676908493042"
    );
    assert_eq!(found(&s, "Hello", false), "hello 2147483648, Hello 2");
    assert_eq!(found(&s, "hlp", false), "");
    assert_eq!(found(&s, "hlp", true), "help 0.38278597593307495, HELP 0.095696493983268738");
    assert_eq!(found(&s, "halp", true), "help 0.54134112596511841, HELP 0.1353352814912796");
    assert_eq!(s.find(b"help", false, 5)[0].payload.as_deref(), Some(&b"pay"[..]));
}

#[test]
fn removing_all_leaves_nothing() {
    let mut s = sample();
    assert!(!s.remove(b"HELLO") && !s.remove(b"nope"));
    for text in ["hello", "Hello", "help", "helium", "hell", "HELP"] {
        assert!(s.remove(text.as_bytes()), "{text}");
    }
    assert_eq!(s, Suggestions::default());
}

#[test]
fn fuzzy_finds_what_a_plain_search_finds() {
    let mut rng = testkit::seed::rng();
    let mut s = Suggestions::default();
    let mut word = |length: usize| -> Vec<u8> {
        let letters = ["a", "b", "\u{e9}", "\u{10ffff}"];
        (0..=length).flat_map(|_| letters[rng.below(letters.len())].bytes()).collect()
    };
    let texts: Vec<Vec<u8>> = (0..300).map(|number| word(number % 7)).collect();
    texts.iter().for_each(|text| s.add(text, 1.0, false, None));
    s.add(b"\xff\xffa", 1.0, false, None);
    for number in 0..50 {
        let typed = word(number % 4);
        let expected = texts.iter().filter(|text| {
            let (text, typed) = (letters(text), letters(&typed));
            (0..=text.len()).any(|end| distance(&text[..end], &typed, MAX_DISTANCE).is_some())
        });
        let expected: std::collections::BTreeSet<&[u8]> = expected.map(Vec::as_slice).collect();
        let list = s.find(&typed, true, 1000);
        let found: std::collections::BTreeSet<&[u8]> = list
            .iter()
            .map(|suggestion| &suggestion.text[..])
            .filter(|text| !text.starts_with(b"\xff"))
            .collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn images() {
    let s = sample();
    let image = s.encode();
    assert_eq!(Suggestions::decode(&image), Ok(s));
    assert_eq!(Suggestions::decode(&Suggestions::default().encode()), Ok(Suggestions::default()));
    testkit::fuzz::fuzz(|rng| {
        let mut damaged = image.clone();
        testkit::fuzz::damage(
            rng,
            &mut damaged,
            &[b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", b"\0"],
        );
        let _ = Suggestions::decode(&damaged);
    });
    for end in 0..image.len() {
        assert!(Suggestions::decode(&image[..end]).is_err());
    }
}
