//! What CSV reads and writes.

use super::*;
use crate::{Limits, Value, zinc};

#[test]
fn a_grid_to_the_byte() {
    let text = concat!(
        "ver:\"3.0\"\nid,dis dis:\"Name, long\",site,area,list\n",
        "@a \"A\",\"x \\\"y\\\"\",M,5m²,[1, 2]\n",
        "@b,\"two\\nlines\",,T,NA\n,\" x\",R,2024-01-01,`u`\n",
    );
    let mut out = Vec::new();
    write_grid(&mut out, &zinc::read_grid(text).unwrap());
    let wanted = concat!(
        "id,\"Name, long\",site,area,list\n",
        "@a A,\"x \"\"y\"\"\",✓,5m²,\"[1, 2]\"\n",
        "@b,\"two\nlines\",,true,NA\n,\" x\",✖,2024-01-01,u\n",
    );
    assert_eq!(String::from_utf8(out).unwrap(), wanted);
    let read = read_grid(wanted).unwrap();
    assert_eq!(read.cols()[1].name.as_str(), "nameLong");
    assert_eq!(read.cols()[1].dis(), "Name, long");
    assert_eq!(read.row(0).get("site"), &Value::MARKER);
    assert!(read.row(1).get("site").is_null());
    assert_eq!(read.row(1).get("nameLong").as_str(), Some("two\nlines"));
    assert_eq!(read.len(), 3);
}

#[test]
fn lines_and_fields() {
    let grid = read_grid("\u{feff}a,b\r\n1,2\r\n\r\n3\r\n\"x\"\"\",\"\"").unwrap();
    assert_eq!(grid.len(), 3);
    assert_eq!(grid.row(1).get("a").as_str(), Some("3"));
    assert!(grid.row(1).get("b").is_null());
    assert_eq!(grid.row(2).get("a").as_str(), Some("x\""));
    // In a grid of one column an empty line is a null.
    assert_eq!(read_grid("a\n1\n\n2\n").unwrap().len(), 3);
}

#[test]
fn bad_texts() {
    for bad in ["", "a,a\n", "²\n", "a\n1,2\n", "a\n\"x\n", "a\n\"x\"y\n", "a,\n"] {
        assert!(read_grid(bad).is_err(), "{bad:?}");
    }
    assert!(read_grid_within("a\n1\n", Limits { bytes: 3, ..Limits::DEFAULT }).is_err());
}

#[test]
fn a_long_line_of_names_above_short_rows() {
    let names: Vec<String> = (0..5_000).map(|n| format!("a{n}")).collect();
    let text = format!("{}\n{}", names.join(","), "1\n".repeat(5_000));
    assert!(read_grid(&text).unwrap_err().message().contains("empty cells"));
}
