//! `LOAD CSV`: what files say, what is wrong with them, and how much of them is kept.

use std::cell::Cell;
use std::io::{Cursor, Read};

use kvist_graph::cypher::NoProcedures;
use kvist_graph::query::{self, Class, Ended, Error, Interrupt};
use kvist_graph::storage::Graph;
use kvist_graph::value::text;

/// A file without end.
struct Endless(&'static [u8]);

impl Read for Endless {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        into.iter_mut().zip(self.0.iter().cycle()).for_each(|(to, from)| *to = *from);
        Ok(into.len() / self.0.len() * self.0.len())
    }
}

/// Files by their names, and how often a statement may go on.
struct Files(&'static [(&'static str, &'static [u8])], Cell<usize>);

impl Interrupt for Files {
    fn check(&self, _: usize) -> Result<(), Ended> {
        let left = self.1.get();
        self.1.set(left.saturating_sub(1));
        if left == 0 { Err(Ended::TimeIsUp) } else { Ok(()) }
    }

    fn open(&self, path: &str) -> Result<Box<dyn Read>, Box<str>> {
        match path {
            "rows" => return Ok(Box::new(Endless(b"1,a\n2,b\n"))),
            "field" => return Ok(Box::new(Endless(b"x"))),
            "quoted" => return Ok(Box::new(Cursor::new(b"\"").chain(Endless(b"\n")))),
            "fields" => return Ok(Box::new(Endless(b","))),
            "blank" => return Ok(Box::new(Endless(b"\n"))),
            _ => {}
        }
        let found = self.0.iter().find(|(name, _)| *name == path);
        let (_, bytes) = found.ok_or("it is not there")?;
        Ok(Box::new(*bytes))
    }
}

fn load(
    graph: &mut Graph,
    text: &str,
    memory: usize,
    files: &Files,
) -> Result<query::Answer, Error> {
    super::within(graph, text, &NoProcedures, (memory, files))
}

fn shown(graph: &mut Graph, text: &str, files: &'static [(&'static str, &'static [u8])]) -> String {
    let answer = match load(graph, text, 64 << 20, &Files(files, Cell::new(usize::MAX))) {
        Ok(answer) => answer,
        Err(error) => return error.message.into(),
    };
    let width = answer.columns.len();
    let row = |row: query::Row<'_>| {
        let values = (0..width).map(|column| text::verbose(&row.value(column)));
        values.collect::<Vec<_>>().join(" ")
    };
    answer.rows().map(row).collect::<Vec<_>>().join("; ")
}

/// The rows of a file.
fn rows(headers: bool, file: &'static [u8]) -> String {
    let headers = if headers { " WITH HEADERS" } else { "" };
    let text = format!("LOAD CSV{headers} FROM 'file://f' AS row RETURN row");
    let files: &'static [_] = Box::leak(Box::new([("f", file)]));
    shown(&mut Graph::default(), &text, files)
}

#[test]
fn rows_are_lists() {
    for (file, found) in [
        (&b"a,b\n1,2\n"[..], "[a, b]; [1, 2]"),
        (b"a,b\r\n1,2\r\n", "[a, b]; [1, 2]"),
        (b"a,b\r1,2", "[a, b]; [1, 2]"),
        (b"\n\na,b\n\r\n\n1,2\n\n", "[a, b]; [1, 2]"),
        (b"\xef\xbb\xbfa,b\n", "[a, b]"),
        (b" a b ,\tc\n", "[a b, c]"),
        (b"\" a \",\"b\"\"c\" , \"d,e\"\n", "[ a , b\"c, d,e]"),
        (b"\"x\r\ny\",2\n", "[x\r\ny, 2]"),
        (b"a,,\"\"\n", "[a, NULL, NULL]"),
        (b",\n", "[NULL, NULL]"),
        (b"a\n\"\"\nb", "[a]; [NULL]; [b]"),
        (b"", ""),
        (b"\n\r\n", ""),
        (b"\"\"\"\"", "[\"]"),
        ("é,日本\n".as_bytes(), "[é, 日本]"),
    ] {
        assert_eq!(rows(false, file), found, "{}", String::from_utf8_lossy(file));
    }
}

#[test]
fn rows_are_maps_by_the_names_of_the_first_line() {
    for (file, found) in [
        (&b"name,age\nAnn,3\nBob,\n"[..], "{name: Ann, age: 3}; {name: Bob}"),
        (b"name\n", ""),
        (b"a,a\n1,2\n", "{a: 2}"),
        (b"", "Failed reading CSV header row: file://f is empty"),
        (b"a,\n1,2\n", "CSV file file://f, line 1: a column has no name"),
    ] {
        assert_eq!(rows(true, file), found, "{}", String::from_utf8_lossy(file));
    }
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    for (file, line, what) in [
        (&b"a,b\n1,2,3\n"[..], 2, "CSV row of unexpected length: 3 fields, not 2"),
        (b"a,b\n\n\n1\n", 4, "CSV row of unexpected length: 1 fields, not 2"),
        (b"a\r\n\"b\nc\"\r\nd\"e\r\n", 4, "quotes stand around a part of a field"),
        (b"a\n\"b\"c\n", 2, "quotes stand around a part of a field"),
        (b"a\n\"b\n\nc", 4, "a field in quotes has no end"),
        (b"a\n\"b\nc\xff\"", 2, "a field is no text in UTF-8"),
    ] {
        let found = format!("CSV file file://f, line {line}: {what}");
        assert_eq!(rows(false, file), found, "{}", String::from_utf8_lossy(file));
    }
}

#[test]
fn files_are_named_by_any_expression() {
    let files: &[(&str, &[u8])] = &[("f", b"a;b\n"), ("g", b"c\n"), ("d/h", b"e\n")];
    let mut graph = Graph::default();
    for (text, found) in [
        (
            "UNWIND ['f', 'g'] AS f LOAD CSV FROM 'file://' + f AS row RETURN f, row",
            "f [a;b]; g [c]",
        ),
        ("LOAD CSV FROM 'file:///d/h' AS row RETURN row", "[e]"),
        ("LOAD CSV FROM 'FILE://f' AS row FIELDTERMINATOR ';' RETURN row[1]", "b"),
        (
            "LOAD CSV FROM 'file://f' AS row FIELDTERMINATOR ';;' RETURN row",
            "CSV field terminator can only be one character wide",
        ),
        (
            "LOAD CSV FROM 'file://f' AS row FIELDTERMINATOR '\"' RETURN row",
            "CSV field terminator ends no field",
        ),
        ("LOAD CSV FROM 'f' AS row RETURN row", "Unsupported URI"),
        ("LOAD CSV FROM 'https://f' AS row RETURN row", "Unsupported URI"),
        ("LOAD CSV FROM null AS row RETURN row", "URI to CSV must be a string"),
        (
            "LOAD CSV FROM 'file://no' AS row RETURN row",
            "Error opening CSV URI: file://no: it is not there",
        ),
    ] {
        assert_eq!(shown(&mut graph, text, files), found, "{text}");
    }
}

#[test]
fn a_graph_is_made_of_a_file() {
    let files: &[(&str, &[u8])] = &[("f", b"name,knows\nAnn,Bob\nBob,Ann\nCid,\n")];
    let mut graph = Graph::default();
    let load = "LOAD CSV WITH HEADERS FROM 'file://f' AS row";
    shown(&mut graph, &format!("{load} CREATE (:P {{name: row.name}})"), files);
    let edges = "MATCH (a:P {name: row.name}), (b:P {name: row.knows}) CREATE (a)-[:KNOWS]->(b)";
    shown(&mut graph, &format!("{load} {edges}"), files);
    let found = "MATCH (a)-[:KNOWS]->(b) RETURN a.name, b.name ORDER BY a.name";
    assert_eq!(shown(&mut graph, found, files), "Ann Bob; Bob Ann");
    let merged = format!("{load} MERGE (p:P {{name: row.name}}) RETURN count(p)");
    assert_eq!(shown(&mut graph, &merged, files), "3");
}

/// Rows are not kept, and what is read of a file that never ends a record is bounded.
#[test]
fn files_without_end_are_ended() {
    let mut graph = Graph::default();
    for text in [
        "LOAD CSV FROM 'file://rows' AS row RETURN count(row)",
        "LOAD CSV FROM 'file://blank' AS row RETURN count(row)",
    ] {
        let ended = load(&mut graph, text, 8 << 20, &Files(&[], Cell::new(500))).unwrap_err();
        assert_eq!((ended.class, &*ended.detail), (Class::Ended, "TimeIsUp"), "{text}");
    }
    let first = "LOAD CSV FROM 'file://rows' AS row RETURN row LIMIT 1";
    let answer = load(&mut graph, first, 8 << 20, &Files(&[], Cell::new(100_000))).unwrap();
    assert_eq!(answer.rows().count(), 1);
    for name in ["field", "quoted", "fields"] {
        let text = format!("LOAD CSV FROM 'file://{name}' AS row RETURN count(row)");
        let files = Files(&[], Cell::new(usize::MAX));
        let error = load(&mut graph, &text, 8 << 20, &files).unwrap_err();
        assert_eq!(error.class, Class::OutOfMemory, "{text}: {error}");
    }
    let all = "LOAD CSV FROM 'file://rows' AS row RETURN collect(row)";
    let files = Files(&[], Cell::new(usize::MAX));
    let error = load(&mut graph, all, 8 << 20, &files).unwrap_err();
    assert_eq!(error.class, Class::OutOfMemory, "{error}");
}
