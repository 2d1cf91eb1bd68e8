//! The grammar of filters, their canonical form, their errors.

use super::*;

fn text(filter: &str) -> String {
    Filter::parse(filter).unwrap().to_string()
}

#[test]
fn what_is_a_filter() {
    let cases = [
        ("a", "a"),
        ("  a\t", "a"),
        ("a\u{a0}and\u{a0}b", "a and b"),
        ("not a", "not a"),
        ("not", "not"),
        ("not not", "not not"),
        ("not and", "not and"),
        ("and and and", "and and and"),
        ("or or or", "or or or"),
        ("a or or", "a or or"),
        ("true", "true"),
        ("(a and not) or b", "a and (not) or b"),
        ("(not) and b", "(not) and b"),
        ("not==\"hi\"", "not == \"hi\""),
        ("a->b -> c", "a->b->c"),
        ("not a->not->or", "not a->not->or"),
        ("a==true or a!=false", "a == true or a != false"),
        ("a<5 and a<=5 and a>-5.5kW and a>=1e3", "a < 5 and a <= 5 and a > -5.5kW and a >= 1000"),
        ("a == 0xabcd_0123", "a == 2882339107"),
        ("a == 5_000_widgets", "a == 5000_widgets"),
        ("a == 8:30", "a == 08:30:00"),
        ("a == 2024-01-01", "a == 2024-01-01"),
        ("a==2024-01-01T00:00:00Z and b", "a == 2024-01-01T00:00:00Z UTC and b"),
        (
            "a==2024-01-01T00:00:00-05:00 New_York or b",
            "a == 2024-01-01T00:00:00-05:00 New_York or b",
        ),
        ("a == `x\\#y`", "a == `x\\#y`"),
        ("a == @id.x:y~z", "a == @id.x:y~z"),
        ("a == ^sym-bol", "a == ^sym-bol"),
        ("a == \"\"\"x\n\"y\" \"\"\"", "a == \"x\\n\\\"y\\\" \""),
        ("^hot-water and Site", "^hot-water and Site"),
        ("ph::Site or ph.points.x::Point", "ph::Site or ph.points.x::Point"),
        ("a and b or c and d", "a and b or c and d"),
        ("a and (b or c)", "a and (b or c)"),
        ("(a and b) and c", "(a and b) and c"),
        ("((((a))))", "a"),
        ("a // x", "a"),
        ("/* x /* y */ z */ a /**/and b", "a and b"),
        ("android or order", "android or order"),
    ];
    for (filter, wanted) in cases {
        assert_eq!(text(filter), wanted);
        assert_eq!(text(wanted), wanted);
    }
}

#[test]
fn what_is_none() {
    let cases = [
        ("", 1),
        ("  ", 3),
        ("(a", 3),
        ("a)", 2),
        ("not (a)", 5),
        ("not Site", 5),
        ("not ^a", 5),
        ("a and", 6),
        ("a or", 5),
        ("a b", 3),
        ("a ==", 5),
        ("a = 5", 3),
        ("a == b", 6),
        ("a == N", 6),
        ("a == NA", 6),
        ("a == INF", 6),
        ("a == [1]", 6),
        ("a == C(1,2)", 6),
        ("a == Foo(\"x\")", 6),
        ("a == {b}", 6),
        ("a == 5nonsense", 7),
        ("a == 2024-13-01", 6),
        ("a == 2024-01-01T00:00:00-05:00", 6),
        ("a == \"x", 8),
        ("a->", 4),
        ("a->B", 4),
        ("a.b", 4),
        ("a::b", 4),
        ("A::B", 2),
        ("^", 2),
        ("a\nand b", 2),
        ("a and\nb", 6),
        ("/* a", 1),
        ("a == @a \"A\"", 9),
        ("é", 1),
        ("5", 1),
    ];
    for (filter, column) in cases {
        let error = Filter::parse(filter).expect_err(filter);
        assert_eq!((error.line(), error.column()), (1, column), "{filter}: {error}");
    }
}

#[test]
fn one_canonical_form() {
    let canonical = |text: &str| Filter::parse(text).unwrap().canonical().to_string();
    let same = [
        ["b and a", "a and b"],
        ["c and (b and a)", "(a and c) and b"],
        ["c or a or b", "(b or (c)) or a"],
        ["(d or c) and (b or a)", "(a or b) and (c or d)"],
        ["x == 5 and not y and z", "z and x==5 and not y"],
    ];
    for [a, b] in same {
        assert_eq!(canonical(a), canonical(b));
        assert_eq!(Filter::parse(a).unwrap().canonical(), Filter::parse(b).unwrap().canonical());
        assert_eq!(canonical(&canonical(a)), canonical(a));
    }
    assert_ne!(canonical("a and b or c"), canonical("a and (b or c)"));
    let pattern = |text: &str| Filter::parse(text).unwrap().canonical().pattern();
    assert_eq!(pattern("b == @x and a < 5"), pattern("a < 7kW and b == @y"));
    assert_ne!(pattern("a < 5"), pattern("a <= 5"));
}

#[test]
fn paths_and_ids() {
    let filter = Filter::parse("a->b and (not c or d == 1) and Site").unwrap();
    let mut paths = Vec::new();
    filter.each_path(&mut |path| paths.push(path.to_string()));
    assert_eq!(paths, ["a->b", "c", "d"]);
    let id = |text: &str| Filter::parse(text).unwrap().id().map(ToString::to_string);
    assert_eq!(id("id == @x"), Some("x".to_owned()));
    assert_eq!(id("site and id == @x"), Some("x".to_owned()));
    assert_eq!(id("site or id == @x"), None);
    assert_eq!(id("a->id == @x"), None);
    assert_eq!(id("id != @x"), None);
}

#[test]
fn what_is_too_deep_or_too_long() {
    let nested = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
    assert!(Filter::parse(&nested(64)).is_ok());
    assert!(Filter::parse(&nested(65)).is_err());
    assert!(Filter::parse(&nested(500_000)).is_err());
    let path = |hops: usize| vec!["a"; hops].join("->");
    assert!(Filter::parse(&path(64)).is_ok());
    assert!(Filter::parse(&path(65)).is_err());
    assert!(Filter::parse(&path(300_000)).is_err());
}
