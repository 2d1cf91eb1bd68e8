//! Replies of every shape, cut at every byte; what is no table, behind which the stream goes on.

use super::{NotATable, Rows, Wanted};
use crate::{Cell, Table, Type};
use proptest::prelude::*;
use wire::ReplyReader;

fn named(names: &[&str]) -> Wanted {
    let names = names.iter().map(|&name| name.to_owned()).collect();
    Wanted { names: Some(names), text: true, ..Wanted::default() }
}

fn plain() -> Wanted {
    Wanted { text: true, ..Wanted::default() }
}

/// Reads a reply in two pieces; what is behind it must be there still.
fn cut(bytes: &[u8], wanted: &Wanted, cut: usize) -> Result<Table, NotATable> {
    let mut reader = ReplyReader::new();
    let mut rows = Rows::new(wanted.clone());
    reader.feed(&bytes[..cut]);
    if cut < bytes.len() {
        assert_eq!(reader.next(&mut rows), Ok(None));
    }
    reader.feed(&bytes[cut..]);
    reader.feed(b":42\r\n");
    assert_eq!(reader.next(&mut rows), Ok(Some(())));
    assert_eq!(reader.pending(), b":42\r\n");
    rows.finish()
}

fn read(bytes: &[u8], wanted: &Wanted) -> Result<Table, NotATable> {
    let whole = cut(bytes, wanted, bytes.len());
    for at in 0..bytes.len() {
        assert_eq!(cut(bytes, wanted, at), whole, "cut at {at}");
    }
    whole
}

fn shown(table: &Table) -> Vec<Vec<Cell<'_>>> {
    (0..table.rows()).map(|row| table.row(row).collect()).collect()
}

#[test]
fn rows_of_cells() {
    let bytes =
        b"*3\r\n*3\r\n:1\r\n$3\r\nAda\r\n_\r\n*3\r\n$-1\r\n+x\r\n#t\r\n*3\r\n:3\r\n*-1\r\n#f\r\n";
    let table = read(bytes, &named(&["id", "name", "is"])).expect("a table");
    assert_eq!(table.names(), ["id", "name", "is"]);
    let expected = [
        [Cell::Int(1), Cell::Text("Ada"), Cell::Null],
        [Cell::Null, Cell::Text("x"), Cell::Bool(true)],
        [Cell::Int(3), Cell::Null, Cell::Bool(false)],
    ];
    assert_eq!(shown(&table), expected);
    assert_eq!(table.column("is").map(crate::Column::type_name), Some("bool"));
    assert!(table.column("was").is_none());
}

#[test]
fn flat_replies() {
    let bytes = b"*4\r\n$1\r\na\r\n$1\r\n1\r\n$1\r\nb\r\n$1\r\n2\r\n";
    let one = read(bytes, &plain()).expect("a column");
    assert_eq!((one.rows(), one.columns().len()), (4, 1));
    let mut wanted = named(&["member", "score"]);
    wanted.types_by_name = vec![("score".to_owned(), Type::Float)];
    let two = read(bytes, &wanted).expect("two columns");
    assert_eq!(
        shown(&two),
        [[Cell::Text("a"), Cell::Float(1.0)], [Cell::Text("b"), Cell::Float(2.0)]]
    );
    let map = read(b"%2\r\n$1\r\na\r\n:1\r\n$1\r\nb\r\n:2\r\n", &plain()).expect("two columns");
    assert_eq!(map.names(), ["key", "value"]);
    assert_eq!(shown(&map), [[Cell::Text("a"), Cell::Int(1)], [Cell::Text("b"), Cell::Int(2)]]);
    let set = read(b"~2\r\n:1\r\n:2\r\n", &plain()).expect("a column");
    assert_eq!(shown(&set), [[Cell::Int(1)], [Cell::Int(2)]]);
    let single = read(b"$2\r\nhi\r\n", &named(&["greeting"])).expect("a row");
    assert_eq!(shown(&single), [[Cell::Text("hi")]]);
}

#[test]
fn nothing_has_the_columns_that_were_named() {
    for bytes in [&b"*0\r\n"[..], b"_\r\n", b"*-1\r\n", b"%0\r\n", b"$-1\r\n"] {
        let mut wanted = named(&["a", "b"]);
        wanted.types = vec![(1, Type::Int)];
        let table = read(bytes, &wanted).expect("an empty table");
        assert_eq!((table.rows(), table.names().len()), (0, 2));
        let types: Vec<_> = table.columns().iter().map(crate::Column::type_name).collect();
        assert_eq!(types, ["null", "int64"]);
    }
    assert_eq!(read(b"*0\r\n", &plain()).expect("an empty table").columns().len(), 0);
}

#[test]
fn lists_in_rows() {
    let bytes = b"*2\r\n*2\r\n$3\r\n1-1\r\n*2\r\n$1\r\nf\r\n$1\r\nv\r\n*2\r\n$3\r\n2-1\r\n*0\r\n";
    let table = read(bytes, &named(&["id", "fields"])).expect("entries of a stream");
    let Some(Cell::List(items, 0, 2)) = table.row(0).nth(1) else { panic!("a list of two") };
    assert_eq!((items.get(0), items.get(1)), (Cell::Text("f"), Cell::Text("v")));
    let Some(Cell::List(_, 2, 2)) = table.row(1).nth(1) else { panic!("an empty list") };
}

#[test]
fn what_is_no_table() {
    for (bytes, text) in [
        (&b"*2\r\n*2\r\n:1\r\n:2\r\n*1\r\n:1\r\n"[..], "row 1 has 1 values instead of 2"),
        (b"*2\r\n*1\r\n:1\r\n*2\r\n:1\r\n:2\r\n", "row 1 has more than 1 values"),
        (b"*2\r\n:1\r\n*1\r\n:1\r\n", "item 1 is a list where those before are values"),
        (b"*2\r\n*1\r\n:1\r\n:1\r\n", "item 1 is a value where those before are rows"),
        (b"*1\r\n%1\r\n:1\r\n:1\r\n", "a map in row 0"),
        (b"*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n", "a list in a list in row 0 of column 0"),
        (b"*2\r\n:1\r\n+x\r\n", "the text 'x' in row 1 of column 'column_0', which has int64"),
        (
            b"*2\r\n*1\r\n:1\r\n*1\r\n*0\r\n",
            "a list in row 1 of column 'column_0', which has int64",
        ),
        (b"|1\r\n:1\r\n:1\r\n*1\r\n:1\r\n", "a reply with facts about its values"),
        (b"*1\r\n$1\r\n\xff\r\n", "column 'column_0' has bytes in row 0 that are no text"),
    ] {
        assert_eq!(read(bytes, &plain()), Err(NotATable::Shape(text.to_owned())));
    }
    let text = "3 values do not make rows of 2";
    let odd = read(b"*3\r\n:1\r\n:2\r\n:3\r\n", &named(&["a", "b"]));
    assert_eq!(odd, Err(NotATable::Shape(text.to_owned())));
    let short = read(b"*1\r\n*1\r\n:1\r\n", &named(&["a", "b"]));
    assert_eq!(short, Err(NotATable::Shape("2 names for 1 columns".to_owned())));
    let mut wanted = named(&["a"]);
    wanted.types_by_name = vec![("b".to_owned(), Type::Int)];
    let unknown = read(b"*1\r\n:1\r\n", &wanted);
    assert_eq!(unknown, Err(NotATable::Shape("a type for 'b', which is no column".to_owned())));
}

#[test]
fn errors() {
    for bytes in [&b"-ERR no\r\n"[..], b"*2\r\n*1\r\n-ERR no\r\n*1\r\n:1\r\n", b"!6\r\nERR no\r\n"]
    {
        assert_eq!(read(bytes, &plain()), Err(NotATable::Error("ERR no".to_owned())));
    }
}

/// Parts of replies, to be put together at random.
const PARTS: &[&[u8]] = &[
    b"*2\r\n",
    b"*1\r\n",
    b"*0\r\n",
    b"%1\r\n",
    b"~2\r\n",
    b"|1\r\n",
    b":1\r\n",
    b"$2\r\nab\r\n",
    b"_\r\n",
    b",1.5\r\n",
    b"#t\r\n",
    b"-ERR x\r\n",
    b"$-1\r\n",
    b"$1\r\n\xff\r\n",
];

proptest! {
    /// Whatever comes, the stream is read as it is for trees, and nothing panics.
    #[test]
    fn any_reply(bytes in proptest::collection::vec(proptest::sample::select(PARTS), 0..24)) {
        let bytes = bytes.concat();
        let mut trees = wire::ReplyParser::new();
        trees.feed(&bytes);
        let mut reader = ReplyReader::new();
        reader.feed(&bytes);
        loop {
            let mut rows = Rows::new(named(&["a", "b"]));
            let tree = trees.next_value();
            let done = reader.next(&mut rows);
            prop_assert_eq!(tree.as_ref().map(Option::is_some), done.as_ref().map(Option::is_some));
            prop_assert_eq!(trees.pending(), reader.pending());
            match done {
                Ok(Some(())) => {
                    if let Ok(table) = rows.finish() {
                        prop_assert!(table.columns().iter().all(|it| it.len() == table.rows()));
                    }
                }
                _ => break,
            }
        }
    }
}
