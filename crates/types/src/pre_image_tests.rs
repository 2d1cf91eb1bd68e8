//! Notes come back as they were made, and end when they should.

use super::{BULK, Copier, Noted, Trace, Words};

#[test]
fn words_come_back_in_their_order() {
    let mut words = Words::default();
    let long = vec![b'x'; 300];
    for word in [&b"a"[..], b"", &long] {
        words.push(word);
    }
    assert_eq!(words.next(), Some(&b"a"[..]));
    let mut more = Words::default();
    more.push(b"gone");
    more.push(b"last");
    assert_eq!(more.next(), Some(&b"gone"[..]));
    words.append(more);
    assert_eq!(words.next(), Some(&b""[..]));
    assert_eq!(words.next(), Some(&long[..]));
    assert_eq!(words.next(), Some(&b"last"[..]));
    assert_eq!(words.next(), None);
    assert_eq!(words.bytes(), 0);
}

#[test]
fn notes_come_back_in_their_order() {
    let mut noted = Noted::default();
    noted.note(b"field", Some(b"value"));
    noted.note(b"", None);
    let size = noted.note(b"field", Some(b""));
    assert_eq!(size, noted.bytes.len());
    let notes: Vec<_> = noted.iter().collect();
    let expected: [(&[u8], Option<&[u8]>); 3] =
        [(b"field", Some(b"value")), (b"", None), (b"field", Some(b""))];
    assert_eq!(notes, expected);
}

#[test]
fn a_trace_ends_with_its_copier_and_its_room() {
    let (copier, other) = (Copier::default(), Copier::default());
    let begin = || {
        let mut trace = Trace::default();
        trace.begin(&copier, 100, ());
        trace
    };
    let mut trace = begin();
    assert!(trace.of(&copier).is_some() && trace.of(&other).is_none());
    trace.note(1, |()| 100);
    assert!(trace.is_on());
    trace.note(1, |()| 101);
    assert!(!trace.is_on(), "its notes are too many");
    let mut trace = begin();
    trace.note(BULK + 1, |()| 0);
    assert!(!trace.is_on(), "a change is too large");
    let mut trace = begin();
    drop(copier);
    trace.note(1, |()| 0);
    assert!(!trace.is_on(), "no reader is left");
}
