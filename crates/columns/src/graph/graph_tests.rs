//! Bytes that are rows, and bytes that are none: cut anywhere, changed anywhere, drawn.

use super::{GraphCell, GraphRows, Malformed};
use crate::column::{Cell, Cells};
use proptest::prelude::*;

/// A column of a kind, with as many rows, and what is behind them.
fn column(kind: u8, present: Option<u8>, rows: u64, cells: &[u8]) -> Vec<u8> {
    let mut bytes = vec![kind, u8::from(present.is_some())];
    bytes.extend_from_slice(&rows.to_le_bytes());
    bytes.extend(present);
    bytes.extend_from_slice(cells);
    bytes
}

fn numbers(numbers: &[i64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn read(columns: &[Vec<u8>], entities: &[u8]) -> Result<GraphRows, Malformed> {
    let names = (0..columns.len()).map(|at| format!("c{at}")).collect();
    let parts: Vec<&[u8]> = columns.iter().map(Vec::as_slice).chain([entities]).collect();
    GraphRows::read(names, &parts)
}

/// A node with a label and a property, and a relationship from it to itself.
fn entities() -> Vec<u8> {
    let count = |number: u32| number.to_le_bytes().to_vec();
    let text = |text: &str| [&count(1)[..], text.as_bytes()].concat();
    let id = |id: u64| id.to_le_bytes().to_vec();
    let node = [id(7), count(1), count(0), count(1), count(0), vec![2]].concat();
    let edge = [id(9), count(0), id(7), id(7), count(0)].concat();
    let names = [count(1), text("A"), count(1), text("T"), count(1), text("k")].concat();
    [count(1), count(1), node, edge, names].concat()
}

/// One column of each kind, of two rows.
fn every_kind() -> Vec<Vec<u8>> {
    let two = |bytes: &[u8]| [bytes, bytes].concat();
    let instant = [&86_400_i64.to_le_bytes()[..], &5_u32.to_le_bytes()].concat();
    let texts = [&1_u32.to_le_bytes()[..], &2_u32.to_le_bytes(), "a\u{e9}".as_bytes()].concat();
    let zoned = [&two(&[&instant[..], &[0; 4]].concat())[..], &[1, 0, 0, 0, 0], &[8, 7, 0, 0]];
    let list = [&[6, 2, 0, 0, 0, 3][..], &7_i64.to_le_bytes(), &[0]].concat();
    let map = [7, 1, 0, 0, 0, 1, 0, 0, 0, b'k', 8, 0, 0, 0, 0];
    vec![
        column(0, None, 2, &[]),
        column(1, None, 2, &[0b01]),
        column(2, Some(0b10), 2, &numbers(&[0, -5])),
        column(3, None, 2, &two(&1.5_f64.to_le_bytes())),
        column(4, None, 2, &texts),
        column(5, None, 2, &[1, 1, 0, 0, 0, 1, 0, 0, 0, b'x', 0, 0]),
        column(6, None, 2, &[0; 8]),
        column(7, None, 2, &[0; 8]),
        column(8, None, 2, &numbers(&[0, 1])),
        column(9, None, 2, &numbers(&[0, 1_000])),
        column(10, None, 2, &two(&[&numbers(&[0])[..], &3_600_i32.to_le_bytes()].concat())),
        column(11, None, 2, &two(&instant)),
        column(12, None, 2, &zoned.concat()),
        column(13, None, 2, &two(&[&numbers(&[14, 3])[..], &instant].concat())),
        column(14, None, 2, &two(&[&1.5_f32.to_le_bytes()[..], &2.5_f32.to_le_bytes()].concat())),
        column(15, None, 2, &[&list[..], &map].concat()),
    ]
}

const FIRST: [&str; 16] = [
    "null",
    "true",
    "null",
    "1.5",
    r#""a""#,
    r#""x""#,
    r#"{"id":7,"labels":["A"],"properties":{"k":true}}"#,
    r#"{"id":9,"type":"T","source":7,"target":7,"properties":{}}"#,
    r#""1970-01-01""#,
    r#""00:00""#,
    r#""00:00+01:00""#,
    r#""1970-01-02T00:00:00.000000005""#,
    r#""1970-01-02T00:30:00.000000005+00:30""#,
    r#""P1Y2M3DT24H0.000000005S""#,
    r#"{"latitude":1.5,"longitude":2.5}"#,
    "[7,null]",
];

#[test]
fn every_kind_is_read() {
    let rows = read(&every_kind(), &entities()).expect("rows");
    assert_eq!(rows.rows(), 2);
    assert_eq!(rows.json(0), format!("[{}]", FIRST.join(",")));
    assert_eq!(rows.cell(2, 1), GraphCell::Integer(-5));
    assert_eq!(rows.cell(4, 1), GraphCell::Text("\u{e9}"));
    assert_eq!(rows.cell(99, 0), GraphCell::Null);
    assert!(rows.json(1).ends_with(r#"{"k":{"id":7,"labels":["A"],"properties":{"k":true}}}]"#));
}

#[test]
fn columns_have_types_of_arrow() {
    let table = read(&every_kind(), &entities()).expect("rows").to_table();
    let types: Vec<_> = table.columns().iter().map(crate::Column::type_name).collect();
    let expected = [
        "null",
        "bool",
        "int64",
        "double",
        "large_string",
        "large_string",
        "struct",
        "struct",
        "date32",
        "time64[ns]",
        "large_string",
        "timestamp[ns]",
        "timestamp[ns, zone]",
        "large_string",
        "struct",
        "large_string",
    ];
    assert_eq!(types, expected);
    let columns = table.columns();
    assert_eq!(
        (columns[2].nulls(), columns[2].get(0), columns[2].get(1)),
        (1, Cell::Null, Cell::Int(-5))
    );
    assert_eq!(columns[11].get(0), Cell::Int(86_400_000_000_005));
    let Cells::Instants { zone, .. } = columns[12].cells() else { panic!("instants") };
    assert_eq!(zone.as_deref(), Some("UTC"));
    let Cell::Struct(fields, 0) = columns[6].get(0) else { panic!("a node") };
    assert_eq!(fields[0].1.get(0), Cell::Int(7));
    assert_eq!(fields[2].1.get(0), Cell::Text(r#"{"k":true}"#));
    assert_eq!(columns[15].get(0), Cell::Text("[7,null]"));
}

#[test]
fn lists_and_numbers_that_fit_together_are_columns() {
    let int = |number: i64| [&[3][..], &number.to_le_bytes()].concat();
    let float = |number: f64| [&[4][..], &number.to_le_bytes()].concat();
    let list = |items: &[u8], many: u32| [&[6][..], &many.to_le_bytes(), items].concat();
    let mixed = column(15, None, 3, &[int(1), float(0.5), vec![0]].concat());
    let lists = column(15, None, 3, &[list(&int(1), 1), vec![0], list(&int(2), 1)].concat());
    let large = column(15, None, 3, &[int(i64::MAX), float(0.5), vec![0]].concat());
    let table = read(&[mixed, lists, large], &[0; 20]).expect("rows").to_table();
    let types: Vec<_> = table.columns().iter().map(crate::Column::type_name).collect();
    assert_eq!(types, ["double", "large_list", "large_string"]);
    assert_eq!(table.columns()[0].get(0), Cell::Float(1.0));
    assert_eq!(table.columns()[0].nulls(), 1);
    let Cell::List(items, 1, 2) = table.columns()[1].get(2) else { panic!("a list") };
    assert_eq!(items.get(1), Cell::Int(2));
    assert_eq!(table.columns()[2].get(0), Cell::Text("9223372036854775807"));
}

#[test]
fn bytes_that_are_no_rows() {
    let whole = every_kind();
    let entities = entities();
    for (at, column) in whole.iter().enumerate() {
        for cut in 0..column.len() {
            let mut columns = whole.clone();
            columns[at].truncate(cut);
            assert!(read(&columns, &entities).is_err(), "column {at} cut at {cut}");
        }
        let mut columns = whole.clone();
        columns[at].push(0);
        assert!(read(&columns, &entities).is_err(), "column {at} with a byte more");
    }
    for cut in 0..entities.len() {
        assert!(read(&whole, &entities[..cut]).is_err(), "entities cut at {cut}");
    }
    let short = [column(2, None, 2, &numbers(&[1, 2])), column(2, None, 1, &numbers(&[1]))];
    assert!(read(&short, &entities).is_err());
    assert!(read(&[column(2, None, u64::MAX, &[])], &entities).is_err());
    assert!(read(&[column(16, None, 0, &[]), column(99, None, 1, &[0])], &entities).is_err());
    assert!(GraphRows::read(vec![], &[]).is_err());
    let deep: Vec<u8> = (0..5_000).flat_map(|_| [6, 1, 0, 0, 0]).chain([0]).collect();
    assert!(read(&[column(15, None, 1, &deep)], &entities).is_err());
}

proptest! {
    /// Nothing that a server could send does harm.
    #[test]
    fn drawn_bytes(
        at in 0_usize..16,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        names in any::<bool>(),
    ) {
        let (mut columns, mut entities) = (every_kind(), entities());
        for (index, byte) in changes {
            let bytes = if names { &mut entities } else { &mut columns[at] };
            let index = index.index(bytes.len());
            bytes[index] = byte;
        }
        if let Ok(rows) = read(&columns, &entities) {
            let table = rows.to_table();
            for row in 0..rows.rows().min(3) {
                let _ = (rows.json(row), table.row(row).count());
            }
        }
    }
}
