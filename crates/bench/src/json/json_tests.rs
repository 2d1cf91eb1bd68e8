//! The report's parts that need no server.

use std::time::Duration;

use super::documents::look_alikes;
use super::rows::Way;
use super::scripts::{Answer, Digests, steps};
use super::{Options, rows, speed};
use crate::client::Reply;

#[test]
fn documents_are_made_up_where_there_are_none() {
    let sizes: Vec<usize> = look_alikes().iter().map(|document| document.text.len()).collect();
    for (size, wanted) in sizes.into_iter().zip([381, 1441, 3468, 18_446, 39_491]) {
        assert!(size <= wanted && size * 5 > wanted * 4, "{size} of {wanted}");
    }
}

#[test]
fn there_is_a_row_for_each_way_to_get_and_set() {
    let documents = look_alikes();
    let of = |document| rows::of(document, None).expect("rows");
    let rows: Vec<_> = documents.iter().flat_map(of).collect();
    // Whole and plain; eight paths; strings as small as a scalar; a container.
    assert_eq!(rows.len(), 5 * 4 + 8 * 2 + 5 * 2 + 2);
    assert!(rows.iter().all(|row| !row.command.is_empty() && !row.prepare.is_empty()));
    let largest = rows.iter().find(|row| row.name.ends_with("yelp 39491 B JSON.GET ."));
    let least = rows.iter().map(|row| row.requests(100_000, 1)).min();
    assert!(largest.is_none_or(|row| row.requests(100_000, 1) < 20_000));
    assert!(least.is_some_and(|least| least >= 1000));
}

#[test]
fn there_is_a_row_for_each_script() {
    let documents = look_alikes();
    let digests = Digests((0..8).map(|n| n.to_string()).collect());
    let of = |document| rows::of(document, Some(&digests)).expect("rows");
    let rows: Vec<_> = documents.iter().flat_map(of).collect();
    for (way, digest) in
        [(Way::Text, ["0", "1", "2", "3"]), (Way::MessagePack, ["4", "5", "6", "7"])]
    {
        let rows: Vec<_> = rows.iter().filter(|row| row.way == way).collect();
        // Whole; eight paths; a container.
        assert_eq!(rows.len(), 5 * 2 + 8 * 2 + 1);
        assert!(rows.iter().all(|row| digest.contains(&row.command[1].as_str())));
        assert!(rows.iter().all(|row| row.proof.is_some()));
    }
    // Each has a line among those of documents.
    for row in rows.iter().filter(|row| row.way == Way::Text) {
        let same =
            |other: &&rows::Row| other.way == Way::Document && other.operation == row.operation;
        assert!(rows.iter().any(|other| same(&other)), "{}", row.operation);
    }
}

#[test]
fn paths_have_steps() {
    assert_eq!(steps("sclr"), ["sclr"]);
    assert_eq!(steps("array_of_docs[1].sclr"), ["array_of_docs", "1", "sclr"]);
    assert_eq!(steps("[8].zero"), ["8", "zero"]);
    assert_eq!(steps("[\"web-app\"].servlet[0][\"a.b\"]"), ["web-app", "servlet", "0", "a.b"]);
}

#[test]
fn wrong_answers_are_seen() {
    let documents = look_alikes();
    let bytes = |text: &str| Reply::Bytes(Some(text.as_bytes().to_vec()));
    for document in &documents {
        let answer = Answer::document(document).expect("scalars");
        assert!(answer.check(&bytes(&document.text)).is_ok());
        assert!(answer.check(&bytes("{}")).is_err() && answer.check(&Reply::Int(1)).is_err());
    }
    let answer = Answer::Value("{\"a\":1,\"b\":[2]}".to_owned());
    assert!(answer.check(&bytes("{\"b\":[2],\"a\":1}")).is_ok());
    assert!(answer.check(&bytes("{\"b\":[3],\"a\":1}")).is_err());
}

#[test]
fn options_are_read() {
    let read = |text: &str| {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        Options::parse(&words)
    };
    let options = read("--quick --documents x --peer a=b:1 --shapes 1:1").expect("options");
    assert_eq!((options.rounds, options.peers.len(), options.shapes.len()), (1, 1, 1));
    assert!(read("--peer a").is_err() && read("--nosuch 1").is_err());
}

#[test]
fn speeds_are_numbers() {
    let documents = look_alikes();
    let text = speed::table(&documents, Duration::ZERO.subsec_millis().into()).expect("a table");
    assert_eq!(text.lines().filter(|line| line.starts_with("| pass")).count(), 5);
    assert!(!text.contains("NaN"), "{text}");
}
