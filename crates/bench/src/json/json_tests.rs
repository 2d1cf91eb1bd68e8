//! The report's parts that need no server.

use std::time::Duration;

use super::documents::look_alikes;
use super::{Options, rows, speed};

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
    let rows: Vec<_> = documents.iter().flat_map(rows::of).collect();
    // Whole and plain; eight paths; strings as small as a scalar; a container.
    assert_eq!(rows.len(), 5 * 4 + 8 * 2 + 5 * 2 + 2);
    assert!(rows.iter().all(|row| !row.command.is_empty() && !row.prepare.is_empty()));
    let largest = rows.iter().find(|row| row.name.ends_with("yelp 39491 B JSON.GET ."));
    let least = rows.iter().map(|row| row.requests(100_000, 1)).min();
    assert!(largest.is_none_or(|row| row.requests(100_000, 1) < 20_000));
    assert!(least.is_some_and(|least| least >= 1000));
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
