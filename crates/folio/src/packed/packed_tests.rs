//! Columns of bytes come back as what they were, and nothing else does harm.

use base::codec::put_number;
use haystack::value::Rows;
use haystack::{Cell, Col, Dict, Grid, Tag, Zone, zinc};

use super::{Packed, Writer};

fn packed(grid: &Grid) -> Vec<u8> {
    let mut bytes = Vec::new();
    assert!(Writer::write(&mut bytes, grid, |_| true));
    bytes
}

fn read(bytes: &[u8]) -> Packed<&[u8]> {
    Packed::read(bytes).unwrap_or_else(|error| panic!("{error}"))
}

fn grid(text: &str) -> Grid {
    zinc::read_grid(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn text(rows: &impl Rows) -> String {
    let mut out = Vec::new();
    zinc::write_grid(&mut out, rows);
    String::from_utf8_lossy(&out).into_owned()
}

/// Grids with columns of every form, with gaps and without.
fn grids() -> Vec<Grid> {
    let all = [
        "ver:\"3.0\"\nid\n".to_owned(),
        "ver:\"3.0\" dis:\"all\" n:5kW\na dis:\"A\",b\nM,1\nM,2\n".to_owned(),
        "ver:\"3.0\"\nid,dis,area,mod\n@a \"A\",\"x\",5m²,2024-01-01T00:00:00Z UTC\n\
         @b,\"y\",,2024-01-01T00:00:00Z UTC\n"
            .to_owned(),
        "ver:\"3.0\"\nts,val\n2024-06-01T00:00:00+02:00 Berlin,1°C\n\
         2024-06-01T00:01:00+02:00 Berlin,NA\n"
            .to_owned(),
        "ver:\"3.0\"\na,b,c,d,e,f\nT,,5,5m,R,`x`\nF,NA,\"x\",6km,,C(1.0,2.0)\n\
         T,M,[1, {x:5}],,<<\nver:\"3.0\"\ny\n1\n>>,2024-01-01\n"
            .to_owned(),
        "ver:\"3.0\"\na,b\nNA,\nNA,\n".to_owned(),
        "ver:\"3.0\"\na,b\n2024-01-01T00:00:00Z UTC,@x\n\
         2024-01-01T01:00:00+01:00 Berlin,@y \"Y\"\n"
            .to_owned(),
        (0..200).fold("ver:\"3.0\"\na,b,c,d\n".to_owned(), |text, row| {
            let every = |n: u32, value: String| if row % n == 0 { value } else { String::new() };
            let cells = [
                every(1, format!("@r{row}")),
                every(3, "M".to_owned()),
                every(7, format!("{row}.5kW")),
                every(2, if row % 4 == 0 { "NA".to_owned() } else { format!("\"{row}\"") }),
            ];
            text + &cells.join(",") + "\n"
        }),
    ];
    all.iter().map(|text| grid(text)).collect()
}

#[test]
fn grids_come_back() {
    for grid in grids() {
        let bytes = packed(&grid);
        assert_eq!(text(&read(&bytes)), text(&grid));
    }
}

#[test]
fn what_is_cut_short_or_changed_is_refused_or_read() {
    for grid in grids() {
        let bytes = packed(&grid);
        for end in 0..bytes.len() {
            assert!(Packed::read(&bytes[..end]).is_err(), "{end} of {}", bytes.len());
        }
        for at in 0..bytes.len() {
            for flip in [1, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[at] ^= flip;
                if let Ok(rows) = Packed::read(&changed) {
                    assert!(rows.row_count() <= changed.len() * 8);
                    text(&rows);
                }
            }
        }
    }
}

#[test]
fn rows_are_bounded_by_what_there_is() {
    let mut bytes = b"KHC1".to_vec();
    put_number(&mut bytes, 1 << 40);
    put_number(&mut bytes, 0);
    put_number(&mut bytes, 0);
    assert!(Packed::read(&bytes).is_err());
}

#[test]
fn numbers_and_instants_are_seen_whole() {
    let col = |name: &str| Col::new(Tag::new(name).unwrap_or_else(|error| panic!("{error}")));
    let zone = Zone::named("Berlin").unwrap_or(Zone::UTC);
    let (at, numbers) = ([5_i64, -6, 7], [1.5, f64::NAN, -0.0]);
    for na in [&[][..], &[1]] {
        let mut bytes = Vec::new();
        let mut writer = Writer::new(&mut bytes, &Dict::new(), 2, 3);
        writer.instants(&col("ts"), zone, at.into_iter());
        writer.numbers(&col("val"), Some("kW"), &numbers, na);
        let rows = read(&bytes);
        let (read_zone, nanos) = rows.instants(0).unwrap_or_else(|| panic!("no instants"));
        assert_eq!((read_zone, nanos.collect::<Vec<_>>()), (zone, at.to_vec()));
        assert_eq!(rows.numbers(1).map(|(_, all)| all.count()), na.is_empty().then_some(3));
        assert!(matches!(rows.cell(0, 1), Cell::Number(number, Some("kW")) if number == 1.5));
        assert_eq!(matches!(rows.cell(1, 1), Cell::Na), !na.is_empty());
        assert!(matches!(rows.cell(2, 1), Cell::Number(number, _) if number == 0.0));
        assert!(rows.cell(3, 1).is_null() && rows.cell(0, 2).is_null());
        assert!(rows.instants(1).is_none() && rows.numbers(0).is_none());
    }
}

#[test]
fn writing_ends_where_it_is_told_to() {
    let grid = grids().pop().unwrap_or_default();
    assert!(!Writer::write(&mut Vec::new(), &grid, |bytes| bytes < 200));
}
