//! What the report asks and expects.

use super::doors::Answer;
use super::{Options, QUESTIONS, Question, records};

#[test]
fn the_dataset_is_that_of_the_benchmark() {
    let all = records(324);
    let count = |tag: &str| all.iter().filter(|record| record.has(tag)).count();
    assert_eq!((all.len(), count("site"), count("equip"), count("point")), (324, 4, 40, 280));
    assert_eq!((count("id"), count("siteRef"), count("his")), (324, 40, 280));
    let point = all.iter().find(|record| record.has("point"));
    let zinc = point.map(super::Record::zinc).unwrap_or_default();
    let expected = "{id:@p1-1-1 dis:\"Point 1-1-1\" point temp sensor his equipRef:@e1-1}";
    assert_eq!(zinc, expected);
    assert_eq!(QUESTIONS.map(|(_, question, _)| question)[4], Question::Tag("id"));
}

#[test]
fn answers_are_the_same_in_both_formats() {
    let zinc = b"ver:\"3.0\"\nid,dis\n@a \"A\",\"A\"\n@b,\"B\"\n".to_vec();
    let text = |text: &str| client::Value::Bulk(text.as_bytes().to_vec());
    let trio = vec![text("id:@b\ndis:B\n"), text("id:@a \"A\"\ndis:A\n")];
    assert_eq!(Answer::Zinc(zinc).ids(), Answer::Trio(trio).ids());
    assert_eq!(Answer::Count(5).ids().0, Some(5));
}

#[test]
fn options_are_told_apart() {
    let parse =
        |text: &str| Options::parse(&text.split(' ').map(str::to_owned).collect::<Vec<_>>());
    let parsed = parse("--records 500 --rounds 2");
    assert!(parsed.is_ok_and(|options| (options.records, options.rounds) == (500, 2)));
    assert!(parse("--records").is_err() && parse("--what 1").is_err());
}
