//! The options, and that both forms of a subject are the same work.

use super::*;

#[test]
fn options_are_read() {
    let parse = |line: &str| {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Options::parse(&words)
    };
    let options = parse("--keys 30000 --rounds 0 --large 5").expect("options");
    assert_eq!((options.keys, options.rounds, options.large), (30_000, 1, 20_000));
    assert!(parse("--quick").is_ok_and(|options| options.keys < 100_000));
    assert!(parse("--keys").is_err() && parse("--keys x").is_err() && parse("--other 1").is_err());
}

#[test]
fn both_forms_of_a_subject_ask_for_as_many_keys() {
    for subject in subjects(1_000_000) {
        let (ours, theirs) = (subject.words(0), subject.words(1));
        if subject.both {
            assert_eq!(ours, theirs, "{}", subject.name);
        } else if ours[0] == "RANGE" {
            assert_eq!(ours.last(), theirs.last(), "{}", subject.name);
        } else {
            assert_eq!(format!("{}*", ours[1]), theirs[1], "{}", subject.name);
        }
    }
}
