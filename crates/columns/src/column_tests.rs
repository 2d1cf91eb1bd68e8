//! Values of every type beside each other, missing ones among them; what does not fit.

use super::{Bitmap, Cell, Cells, Column, Type};
use wire::Leaf;

fn column(wanted: Option<Type>, leaves: &[Leaf<'_>]) -> Column {
    let mut column = Column::new(wanted, true);
    for leaf in leaves {
        column.push(*leaf).expect("it fits");
    }
    column
}

fn cells(column: &Column) -> Vec<Cell<'_>> {
    (0..column.len()).map(|row| column.get(row)).collect()
}

#[test]
fn the_first_value_says_the_type() {
    for (leaf, name, cell) in [
        (Leaf::Int(7), "int64", Cell::Int(7)),
        (Leaf::Double(b"1.5"), "double", Cell::Float(1.5)),
        (Leaf::Boolean(true), "bool", Cell::Bool(true)),
        (Leaf::Bulk(b"Ada"), "large_string", Cell::Text("Ada")),
        (
            Leaf::BigNumber(b"123456789012345678901"),
            "large_string",
            Cell::Text("123456789012345678901"),
        ),
    ] {
        let column = column(None, &[Leaf::Null, Leaf::NullBulk, leaf, Leaf::NullArray, leaf]);
        assert_eq!(column.type_name(), name);
        assert_eq!(cells(&column), [Cell::Null, Cell::Null, cell, Cell::Null, cell]);
        assert_eq!(column.nulls(), 3);
        assert_eq!(column.get(5), Cell::Null);
    }
    let nothing = column(None, &[Leaf::Null; 3]);
    assert_eq!((nothing.type_name(), nothing.nulls(), nothing.present()), ("null", 3, None));
}

#[test]
fn numbers_become_floats_together_if_none_loses_a_digit() {
    let both = column(None, &[Leaf::Int(1), Leaf::Null, Leaf::Double(b"inf"), Leaf::Int(-2)]);
    assert_eq!(
        cells(&both),
        [Cell::Float(1.0), Cell::Null, Cell::Float(f64::INFINITY), Cell::Float(-2.0)]
    );
    let mut large = column(None, &[Leaf::Int((1 << 53) + 1)]);
    assert!(large.push(Leaf::Double(b"0.5")).is_err());
    assert_eq!(cells(&large), [Cell::Int((1 << 53) + 1)], "as it was");
    let mut floats = column(None, &[Leaf::Double(b"nan")]);
    assert!(floats.push(Leaf::Int(i64::MAX)).is_err());
    assert!(floats.push(Leaf::Bulk(b"1")).is_err());
    assert_eq!(floats.len(), 1);
}

#[test]
fn types_that_were_asked_for() {
    let ints = column(Some(Type::Int), &[Leaf::Bulk(b"-5"), Leaf::Int(6), Leaf::Null]);
    assert_eq!(cells(&ints), [Cell::Int(-5), Cell::Int(6), Cell::Null]);
    let floats = column(Some(Type::Float), &[Leaf::Bulk(b"2.5"), Leaf::Int(6), Leaf::Double(b"1")]);
    assert_eq!(cells(&floats), [Cell::Float(2.5), Cell::Float(6.0), Cell::Float(1.0)]);
    let texts = column(Some(Type::Text), &[Leaf::Int(-12), Leaf::Double(b"1e3"), Leaf::Bulk(b"x")]);
    assert_eq!(cells(&texts), [Cell::Text("-12"), Cell::Text("1e3"), Cell::Text("x")]);
    let bytes = column(Some(Type::Bytes), &[Leaf::Bulk(b"\xff"), Leaf::Simple(b"OK")]);
    assert_eq!(cells(&bytes), [Cell::Bytes(b"\xff"), Cell::Bytes(b"OK")]);
    for (wanted, leaf) in [
        (Type::Int, Leaf::Bulk(b"1.5")),
        (Type::Int, Leaf::Bulk(b" 1")),
        (Type::Int, Leaf::Boolean(true)),
        (Type::Float, Leaf::Bulk(b"x")),
        (Type::Float, Leaf::Int(i64::MIN + 1)),
        (Type::Text, Leaf::Boolean(true)),
    ] {
        let mut column = column(Some(wanted), &[Leaf::Null]);
        assert!(column.push(leaf).is_err(), "{wanted:?} {leaf:?}");
        assert_eq!(cells(&column), [Cell::Null]);
    }
}

#[test]
fn a_mismatch_says_what_it_is() {
    let mut column = column(None, &[Leaf::Int(1)]);
    let error = column.push(Leaf::Bulk(&[b'x'; 100])).expect_err("a text among numbers");
    assert_eq!(error.column, "int64");
    assert_eq!(error.value, format!("the text '{}'", "x".repeat(40)));
    assert!(column.items().is_err());
}

#[test]
fn lists_have_a_column_of_items() {
    let mut column = Column::new(None, true);
    column.push_null();
    for list in [&["a", "b"][..], &[], &["c"]] {
        column.items().expect("lists");
        for item in list {
            column.items().expect("lists").push(Leaf::Bulk(item.as_bytes())).expect("a text");
        }
        column.end_list();
    }
    column.push(Leaf::Null).expect("missing");
    assert_eq!((column.len(), column.nulls(), column.type_name()), (5, 2, "large_list"));
    let Cells::Lists { offsets, items } = column.cells() else { panic!("lists") };
    assert_eq!(offsets, &[0, 0, 2, 2, 3, 3]);
    assert_eq!(column.get(1), Cell::List(items, 0, 2));
    assert_eq!((column.get(0), column.get(4)), (Cell::Null, Cell::Null));
    assert!(column.push(Leaf::Int(1)).is_err());
}

#[test]
fn text_is_checked() {
    let torn = column(None, &[Leaf::Bulk(b"a"), Leaf::Bulk(b"b\xc3"), Leaf::Bulk(b"\xa4")]);
    assert_eq!(torn.validate(), Err(1));
    let wrong = column(None, &[Leaf::Bulk(b"a"), Leaf::Null, Leaf::Bulk(b"\xff")]);
    assert_eq!(wrong.validate(), Err(2));
    let right = column(None, &[Leaf::Bulk("ä".as_bytes()), Leaf::Bulk(b"")]);
    assert_eq!(right.validate(), Ok(()));
    let mut lists = Column::new(None, true);
    for item in [&b"fine"[..], b"\xff"] {
        lists.items().expect("lists").push(Leaf::Bulk(item)).expect("bytes");
        lists.end_list();
    }
    assert_eq!(lists.validate(), Err(1));
}

#[test]
fn bits() {
    let mut bits = Bitmap::ones(11);
    assert_eq!(bits.as_bytes(), [0xff, 0b111]);
    bits.push(false);
    bits.push(true);
    assert_eq!(bits.as_bytes(), [0xff, 0b1_0111]);
    assert!(bits.get(12) && !bits.get(11) && !bits.get(13) && !bits.get(999));
}
