//! Definitions as clients send them, what is refused, and the way back to words.

use super::{Attribute, Definition, Detail, Kind, Source};
use crate::error::Result;

fn parse(line: &str) -> Result<Definition> {
    let words: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
    Definition::parse(&words)
}

fn refused(line: &str) -> String {
    parse(line).unwrap_err().0
}

const HNSW: &str = "v VECTOR HNSW 6 TYPE FLOAT32 DIM 4 DISTANCE_METRIC COSINE";

#[test]
fn what_clients_send_is_read() {
    let d = parse(
        "ON HASH PREFIX 2 a: b: FILTER @x>1 LANGUAGE French LANGUAGE_FIELD l SCORE 0.5 \
         SCORE_FIELD s \
         PAYLOAD_FIELD p MAXTEXTFIELDS TEMPORARY 60 NOOFFSETS NOHL NOFIELDS NOFREQS STOPWORDS 1 \
         Und \
         SKIPINITIALSCAN SCHEMA title AS t TEXT WEIGHT 2 NOSTEM PHONETIC dm:en SORTABLE tags TAG \
         SEPARATOR | CASESENSITIVE NOINDEX INDEXEMPTY INDEXMISSING SORTABLE UNF age NUMERIC \
         SORTABLE place GEO",
    )
    .unwrap();
    assert_eq!(d.prefixes, [b"a:", b"b:"]);
    assert_eq!(d.language.0, "french");
    assert_eq!(d.stop_words, Some(vec![b"und".to_vec()]));
    assert_eq!(d.temporary, Some(60));
    assert_eq!(d.attributes.len(), 4);
    assert_eq!(d.attribute(b"t"), Some(0));
    assert!(d.attributes[1].unnormalized && d.attributes[2].unnormalized);
    assert!(!d.attributes[0].unnormalized);
    assert_eq!(d.index_options(), ["NOFREQS", "NOHL", "NOFIELDS", "NOOFFSETS", "MAXTEXTFIELDS"]);
}

#[test]
fn a_tag_of_json_is_not_divided_unless_asked() {
    let d = parse("ON JSON SCHEMA $.a AS a TAG $.b AS b TAG SEPARATOR , SORTABLE").unwrap();
    let separators: Vec<_> = d
        .attributes
        .iter()
        .map(|attribute| match attribute.kind {
            Kind::Tag { separator, .. } => separator,
            _ => None,
        })
        .collect();
    assert_eq!(separators, [None, Some(b',')]);
    assert!(d.attributes[1].unnormalized);
}

#[test]
fn words_and_back() {
    for line in [
        "SCHEMA t TEXT",
        "ON JSON SCHEMA $.a AS a TAG $.b AS b TAG SEPARATOR , SORTABLE INDEXEMPTY",
        "STOPWORDS 0 SCORE 0.1 INDEXALL ENABLE SCHEMA t TEXT WEIGHT 0.3 WITHSUFFIXTRIE",
        &format!("SCHEMA {HNSW}"),
        "SCHEMA v VECTOR HNSW 14 TYPE FLOAT64 DIM 32768 DISTANCE_METRIC IP M 40 EF_CONSTRUCTION \
         250 EF_RUNTIME 20 EPSILON 0.8 INDEXMISSING",
        "SCHEMA v VECTOR FLAT 10 TYPE INT8 DIM 1 DISTANCE_METRIC L2 INITIAL_CAP 5 BLOCK_SIZE 7",
        "SCHEMA v VECTOR SVS-VAMANA 10 TYPE FLOAT16 DIM 8 DISTANCE_METRIC L2 GRAPH_MAX_DEGREE 40 \
         COMPRESSION LVQ8",
        "TEMPORARY 5 NOHL PREFIX 1 a FILTER @x SCHEMA n NUMERIC NOINDEX SORTABLE g GEO \
         INDEXMISSING",
    ] {
        let d = parse(line).unwrap();
        let words = d.to_words();
        let words: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
        assert_eq!(Definition::parse(&words), Ok(d), "{line}");
    }
}

#[test]
fn refusals() {
    for (line, error) in [
        ("", "Unknown argument ``"),
        ("ON HASH", "No schema found"),
        ("SCHEMA", "Fields arguments are missing"),
        ("FOO SCHEMA x TEXT", "Unknown argument `FOO`"),
        ("ON LIST SCHEMA x TEXT", "Invalid rule type: LIST"),
        ("SCHEMA x", "Field `x` does not have a type"),
        ("SCHEMA x AS y FOO", "Invalid field type for field `y`"),
        ("SCHEMA x TEXT x TAG", "Duplicate field in schema - x"),
        (
            "SCHEMA x TEXT WEIGHT",
            "Bad arguments for WEIGHT: Expected an argument, but none provided",
        ),
        (
            "SCHEMA x TEXT WEIGHT a",
            "Bad arguments for WEIGHT: Could not convert argument to expected type",
        ),
        ("SCHEMA x TAG SEPARATOR ab", "Tag separator must be a single character. Got `ab`"),
        (
            "PREFIX 9 a b SCHEMA x TEXT",
            "Bad arguments for PREFIX: Expected an argument, but none provided",
        ),
        ("FILTER @x> SCHEMA x TEXT", "Syntax error at offset 3 near 'x'"),
        ("LANGUAGE klingon SCHEMA x TEXT", "Invalid language"),
        ("SCORE 2 SCHEMA x TEXT", "Invalid score"),
    ] {
        assert_eq!(refused(line), error);
    }
}

#[test]
fn refusals_of_vectors() {
    for (line, error) in [
        (
            "v VECTOR",
            "Bad arguments for vector similarity algorithm: Expected an argument, but none \
             provided",
        ),
        ("v VECTOR FOO 0", "Bad arguments for vector similarity algorithm: FOO"),
        (
            "v VECTOR FLAT 1 TYPE",
            "Bad number of arguments for vector similarity index: got 1 but expected even number \
             as algorithm parameters (should be submitted as named arguments)",
        ),
        (
            "v VECTOR FLAT 2 DIM 4",
            "Missing mandatory parameter: cannot create FLAT index without specifying TYPE \
             argument",
        ),
        ("v VECTOR FLAT 2 DIM 0", "Bad arguments for vector similarity FLAT index dim: 0"),
        ("v VECTOR FLAT 2 DIM 32769", "Bad arguments for vector similarity FLAT index dim: 32769"),
        ("v VECTOR FLAT 2 TYPE X", "Bad arguments for vector similarity FLAT index type: X"),
        ("v VECTOR FLAT 2 M 5", "Bad arguments for algorithm FLAT: M"),
        ("v VECTOR HNSW 2 FOO 5", "Bad arguments for algorithm HNSW: FOO"),
        ("v VECTOR HNSW 2 M 1000", "Bad arguments for vector similarity HNSW index M: 1000"),
        (
            "v VECTOR HNSW 2 EPSILON -1",
            "Bad arguments for vector similarity HNSW index epsilon: -1",
        ),
    ] {
        assert_eq!(refused(&format!("SCHEMA {line}")), error);
    }
}

#[test]
fn too_many_attributes() {
    let many = |n: usize, kind: &str| {
        let list: Vec<String> = (0..n).map(|at| format!("f{at} {kind}")).collect();
        format!("SCHEMA {}", list.join(" "))
    };
    assert!(parse(&many(1024, "NUMERIC")).is_ok());
    assert_eq!(refused(&many(1025, "NUMERIC")), "Schema is limited to 1024 fields");
    assert_eq!(refused(&many(129, "TEXT")), "Schema is limited to 128 TEXT fields");
}

#[test]
fn alterations() {
    let d = parse("SCHEMA t TEXT").unwrap();
    let alter = |line: &str| {
        let words: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
        d.parse_alteration(&words)
    };
    let added = alter("SKIPINITIALSCAN SCHEMA ADD u TAG n NUMERIC").unwrap();
    assert!(added.skip_initial_scan);
    assert_eq!(added.attributes.len(), 2);
    assert_eq!(alter("SCHEMA ADD t TAG").unwrap_err().0, "Duplicate field in schema - t");
    assert_eq!(alter("SCHEMA FOO").unwrap_err().0, "Unknown action passed to ALTER SCHEMA: FOO");
}

#[test]
fn info_has_the_places_that_clients_read() {
    let d = parse(&format!("PREFIX 1 a: SCHEMA {HNSW} x TEXT SORTABLE NOSTEM")).unwrap();
    let pairs = d.index_definition();
    assert_eq!(pairs[0], ("key_type", Detail::Text(b"HASH".to_vec())));
    assert_eq!(pairs[1], ("prefixes", Detail::List(vec![b"a:".to_vec()])));
    let vector = d.attributes[0].describe();
    let names: Vec<_> = vector.pairs.iter().map(|(name, _)| *name).collect();
    let expected =
        "identifier attribute type algorithm data_type dim distance_metric M ef_construction";
    assert_eq!(names.join(" "), expected);
    let text = d.attributes[1].describe();
    assert_eq!(text.pairs[3], ("WEIGHT", Detail::Number(1.0)));
    assert_eq!(text.flags, ["SORTABLE", "NOSTEM"]);
    let words = d.attributes[0].to_words();
    let words: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
    assert_eq!(Attribute::parse_list(&words, Source::Hash).unwrap(), d.attributes[..1]);
}
