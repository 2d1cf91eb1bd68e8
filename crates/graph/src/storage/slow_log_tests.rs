//! What is remembered of statements, and how it is counted.

use std::sync::Arc;

use base::Versions;

use super::{KEPT, SlowLog, SlowStatement, TEXT, beginning, cut_statement};

fn statement(query: &str, millis: f64) -> SlowStatement {
    let query = beginning(query);
    SlowStatement { at: 1, command: "GRAPH.QUERY", query, parameters: None, millis }
}

#[test]
fn the_slowest_are_kept_each_once_and_counted_until_they_go() {
    let (log, versions) = (SlowLog::default(), Arc::<Versions>::default());
    log.add(statement("before it is known where they count", 1.0));
    assert_eq!(log.statements(), []);
    log.count_in(&versions);
    for number in 0..30 {
        log.add(statement(&format!("RETURN {}", number % 15), f64::from(number)));
    }
    let kept = log.statements();
    assert_eq!(kept.len(), KEPT);
    assert_eq!((&*kept[0].query, kept[0].millis), ("RETURN 14", 29.0));
    assert_eq!((&*kept[9].query, kept[9].millis), ("RETURN 5", 20.0));
    log.add(statement("RETURN 14", 3.0));
    assert_eq!(log.statements(), kept, "the longest time counts");
    let memory = versions.remembered();
    assert!(memory > 0);
    log.add(statement(&"x".repeat(1 << 20), 100.0));
    assert!(versions.remembered() < memory + TEXT + 64);
    log.clear();
    assert_eq!((log.statements().len(), versions.remembered()), (0, 0));
    log.add(statement("RETURN 1", 1.0));
    drop(log);
    assert_eq!(versions.remembered(), 0);
}

#[test]
fn a_text_is_cut_between_letters() {
    assert_eq!(&*beginning("RETURN 1"), "RETURN 1");
    let long = beginning(&format!("{}é", "x".repeat(TEXT - 1)));
    assert_eq!(long.len(), TEXT - 1 + 3);
}

#[test]
fn what_is_cut_is_a_text_where_all_of_it_is() {
    for letter in ["x", "é", "語", "🜚"] {
        for before in 0..8 {
            let text = format!("{}{}", "x".repeat(before), letter.repeat(TEXT + 1));
            let at = cut_statement(text.as_bytes()).unwrap();
            assert!(text.is_char_boundary(at) && at <= TEXT && at + letter.len() > TEXT, "{at}");
        }
    }
    assert_eq!(cut_statement(&[b'x'; TEXT]), None);
    // What is no text is cut somewhere.
    assert_eq!(cut_statement(&[0x80; TEXT + 1]), Some(TEXT));
}
