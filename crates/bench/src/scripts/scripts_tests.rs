//! The report's parts that need no server.

use super::Options;
use super::subjects::{Needs, SOURCES, all, arithmetic};

#[test]
fn options_are_read() {
    let read = |text: &str| {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        Options::parse(&words)
    };
    let options = read("--quick --tests FCALL,calls --shapes 1:1 --peer a=b:1").expect("options");
    assert_eq!((options.rounds, options.shapes.len(), options.peers.len()), (1, 1, 1));
    assert!(options.wants("fcall GET") && options.wants("EVALSHA 10 calls"));
    assert!(!options.wants("EVAL GET"));
    assert!(read("--nosuch 1").is_err() && read("--rounds many").is_err());
}

#[test]
fn each_script_has_a_subject() {
    let digests: Vec<String> = (0..SOURCES.len()).map(|n| format!("digest {n}")).collect();
    let documents = crate::json::documents::load_all(std::path::Path::new("/nosuch"));
    let subjects = all(&documents.expect("documents that look alike"), &digests);
    for digest in &digests {
        let sends = |words: &Vec<String>| words.contains(digest);
        let uses = subjects.iter().filter(|s| sends(&s.command) || s.prepare.iter().any(sends));
        assert!(uses.count() > 0, "{digest}");
    }
    // Plain ones; those of scripts; a function; both libraries on each document.
    assert_eq!(subjects.len(), 2 + 6 + 1 + 2 * 5);
    assert_eq!(subjects.iter().filter(|subject| subject.needs == Needs::Nothing).count(), 2);
}

#[test]
fn sums_are_those_of_the_script() {
    assert_eq!(arithmetic(1), 1);
    assert_eq!(arithmetic(2), 33);
    assert_eq!(arithmetic(1000) / 65_537, 0);
}
