//! Exceptions excuse exactly what they say, and complain when they no longer fit.

use super::{Finding, apply};

fn finding(size: usize) -> Finding {
    Finding { path: "a.rs".into(), line: 7, rule: "function-length", size, text: "x".into() }
}

fn texts(listed: &str, findings: Vec<Finding>) -> Vec<String> {
    apply(listed, findings).0.into_iter().map(|f| format!("{}:{}", f.path, f.text)).collect()
}

#[test]
fn an_exact_exception_excuses() {
    assert_eq!(apply("# why\n\na.rs function-length=84 one piece\n", vec![finding(84)]).1, 1);
    assert!(texts("a.rs function-length=84 one piece", vec![finding(84), finding(80)]).is_empty());
}

#[test]
fn growing_shrinking_and_vanishing_are_findings() {
    let listed = "a.rs function-length=84 one piece";
    let grown = texts(listed, vec![finding(85)]);
    assert_eq!(grown.len(), 2, "{grown:?}");
    assert!(texts(listed, vec![finding(80)])[0].contains("function-length=80"));
    assert!(texts(listed, vec![])[0].contains("remove this line"));
}

#[test]
fn other_rules_and_broken_lines_are_not_excused() {
    assert_eq!(texts("b.rs function-length=84 one piece", vec![finding(84)]).len(), 2);
    for line in ["a.rs", "a.rs function-length", "a.rs function-length=84", "a.rs x=y z"] {
        assert_eq!(texts(line, vec![finding(84)]).len(), 2, "{line}");
    }
}
