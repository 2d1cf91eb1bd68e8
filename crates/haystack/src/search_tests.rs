//! What a search finds.

use super::*;

fn found(pattern: &str, dis: &str) -> bool {
    Search::parse(pattern).unwrap().unwrap().matches(dis, None, [])
}

#[test]
fn globs() {
    for (pattern, dis) in [
        ("foo", "a FOO b"),
        ("f?o", "xfzoy"),
        ("*a*b", "xaxbx"),
        ("a*a", "aa"),
        ("ÉTÉ", "l'été"),
        ("re:(", "x re:( y"),
        ("f:foo ==", "f:foo == 5"),
        ("***", "x"),
        (" foo ", "foo"),
    ] {
        assert!(found(pattern, dis), "{pattern} {dis}");
    }
    for (pattern, dis) in [("a*a", "a"), ("foo", "fo"), ("b*a", "ab"), ("?", ""), ("a.c", "abc")] {
        assert!(!found(pattern, dis), "{pattern} {dis}");
    }
}

#[test]
fn expressions_match_the_whole() {
    assert!(found("re:a.*c", "abc") && found("re:a|b", "b"));
    assert!(!found("re:a.*c", "xabc") && !found("re:a", "A"));
    // What is too large once it is compiled is a glob.
    assert!(found("re:(a{1000}){1000}", "xre:(a{1000}){1000}"));
}

#[test]
fn ids_and_texts() {
    let mut short = Search::parse("abc").unwrap().unwrap();
    assert!(!short.matches("", Some("abcdefgh"), []));
    assert!(short.matches("", Some("x"), ["x", "xABCx"]));
    let mut long = Search::parse("abcdefgh").unwrap().unwrap();
    assert!(long.matches("", Some("p:abcdefghi"), []));
}

#[test]
fn filters_and_bounds() {
    let filter = Search::parse("f:site and area").unwrap().unwrap();
    assert_eq!(filter.filter().unwrap().to_string(), "site and area");
    assert!(Search::parse("").unwrap().is_none() && Search::parse(" \t").unwrap().is_none());
    assert!(Search::parse(&"x".repeat(1_001)).is_err());
    let mut slow = Search::parse(&"*a".repeat(500)).unwrap().unwrap();
    assert!(slow.matches(&"a".repeat(100_000), None, []));
    let mut slow = Search::parse(&format!("{}b", "a".repeat(900))).unwrap().unwrap();
    assert!(!slow.matches(&"a".repeat(20_000), None, []));
}
