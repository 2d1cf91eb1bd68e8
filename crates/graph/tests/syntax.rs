//! What is a query and what is none, by the technology compatibility kit; and that what is printed
//! parses to the same.

use kvist_graph::cypher::parse;

use crate::tck;

/// Errors that the text of a query alone shows.
const OF_SYNTAX: &[&str] = &[
    "UnexpectedSyntax",
    "InvalidNumberLiteral",
    "IntegerOverflow",
    "FloatingPointOverflow",
    "InvalidUnicodeLiteral",
    "InvalidUnicodeCharacter",
    "InvalidRelationshipPattern",
];

#[test]
fn queries_of_the_kit_parse() {
    let Some(scenarios) = tck::scenarios() else { return };
    assert_eq!(scenarios.len(), 3897, "the kit has as many scenarios as it is known to have");
    let mut wrong = Vec::new();
    for scenario in &scenarios {
        if scenario.failure().is_some_and(|(_, class)| OF_SYNTAX.contains(&class)) {
            continue;
        }
        for query in scenario.queries() {
            if let Err(error) = parse(query) {
                wrong.push(format!("{}\n{}", scenario.name, error.with_caret(query)));
            }
        }
    }
    assert!(wrong.is_empty(), "{} queries are refused:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn printed_queries_are_the_same() {
    let Some(scenarios) = tck::scenarios() else { return };
    let queries = scenarios.iter().flat_map(tck::Scenario::queries);
    for (query, statement) in queries.filter_map(|query| Some((query, parse(query).ok()?))) {
        let printed = statement.to_string();
        match parse(&printed) {
            Ok(again) => assert_eq!(again, statement, "{query}\nis printed as\n{printed}"),
            Err(error) => panic!("{query}\nis printed as\n{}", error.with_caret(&printed)),
        }
        assert_eq!(parse(&printed).map(|again| again.to_string()), Ok(printed));
    }
}
