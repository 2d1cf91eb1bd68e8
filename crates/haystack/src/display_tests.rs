//! Display strings and macros.

use super::*;

fn of(text: &str) -> String {
    of_dict(zinc::read_value(text).unwrap().as_dict().unwrap())
}

#[test]
fn which_tag_is_shown() {
    let cases = [
        ("{dis:\"D\" name:\"n\" id:@a}", "D"),
        ("{disMacro:\"\\$name!\" name:\"n\"}", "n!"),
        ("{disKey:\"ui::foo\" name:\"n\"}", "foo"),
        ("{name:\"n\" def:^d}", "n"),
        ("{def:^d tag:\"t\"}", "^d"),
        ("{tag:\"t\" id:@a}", "t"),
        ("{id:@a \"A\"}", "A"),
        ("{id:@a}", "a"),
        ("{site}", ""),
    ];
    for (dict, wanted) in cases {
        assert_eq!(of(dict), wanted, "{dict}");
    }
}

#[test]
fn macros() {
    let value = |tag: &str| (tag != "gone").then(|| tag.to_uppercase());
    let cases = [
        ("$a ${b}$c", "A BC"),
        ("${a}b", "Ab"),
        ("$ab", "AB"),
        ("$gone ${gone}", "$gone ${gone}"),
        ("$<ui::key>!", "key!"),
        ("$", "$"),
        ("a$", "a$"),
        ("$$a", "$A"),
        ("${", "${"),
        ("${a", "${a"),
        ("$<x", "$<x"),
        ("$A é$a", "$A éA"),
        ("$é", "$é"),
        ("", ""),
    ];
    for (text, wanted) in cases {
        assert_eq!(of_macro(text, usize::MAX, value), wanted, "{text}");
    }
    // A short macro makes no endless text.
    let long = of_macro(&"$a".repeat(10_000), 50, |_| Some("x".repeat(40)));
    assert_eq!(long.len(), 80);
    // A dict that shows itself is shown once.
    assert_eq!(of("{disMacro:\"\\$disMacro\"}"), "$disMacro");
}

#[test]
fn a_macro_that_would_become_long_ends() {
    let (long, mut asked) = ("x".repeat(30_000), 0);
    let text = of_macro(&"$a".repeat(16_000), 4_096, |_| {
        asked += 1;
        Some(long.clone())
    });
    assert_eq!((text.len(), asked), (long.len(), 1));
    let mut dict = Dict::new();
    dict.put("disMacro", "$a".repeat(16_000)).unwrap();
    dict.put("a", Value::list(vec![Value::from(1.0); 1 << 20])).unwrap();
    assert!(of_dict(&dict).len() < 3 * LONGEST);
}
