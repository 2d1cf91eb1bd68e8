//! What Zinc reads and writes, to the byte, and where it is wrong.

use super::*;
use crate::Kind;

fn written(grid: &Grid) -> String {
    let mut out = Vec::new();
    write_grid(&mut out, grid);
    String::from_utf8(out).unwrap()
}

#[test]
fn a_grid_to_the_byte() {
    let text = concat!(
        "ver:\"3.0\" projName:\"test\" his\n",
        "id dis:\"Id\",area unit:\"ft²\" foo,tags\n",
        "@a \"A \\\"x\\\"\",3400ft²,{site geo:C(37.5,-77.4)}\n",
        "@b,,[1, \"x\", NA]\n",
        ",NaN,<<\nver:\"3.0\"\nx\nN\n1\n>>\n",
    );
    let grid = read_grid(text).unwrap();
    assert_eq!(written(&grid), text);
    assert_eq!(grid.meta().len(), 2);
    assert_eq!(grid.cols()[1].meta.get("unit").unwrap().as_str(), Some("ft²"));
    assert_eq!(grid.len(), 3);
    let inner = grid.row(2).get("tags").as_grid().unwrap();
    assert_eq!((inner.len(), inner.row(0).get("x")), (2, &Value::NULL));
}

#[test]
fn what_is_read_leniently() {
    let same = [
        ("ver:\"3.0\"\r\na,b\r\n1,2\r\n", "ver:\"3.0\"\na,b\n1,2\n"),
        ("ver:\"3.0\"\na , b\n 1 ,\t2\n\n", "ver:\"3.0\"\na,b\n1,2\n"),
        ("\u{feff}ver:\"3.0\"\na\n1", "ver:\"3.0\"\na\n1\n"),
        ("ver:\"3.0\"\na\n{a,b:1, c}\n", "ver:\"3.0\"\na\n{a b:1 c}\n"),
        ("ver:\"3.0\"\na\n[1, 2,]\n", "ver:\"3.0\"\na\n[1, 2]\n"),
        ("ver:\"3.0\"\na\n<<ver:\"3.0\"\nb\n1>>\n", "ver:\"3.0\"\na\n<<\nver:\"3.0\"\nb\n1\n>>\n"),
        ("ver:\"2.0\"\na\nBin(text/plain)\n", "ver:\"3.0\"\na\nBin(\"text/plain\")\n"),
        ("ver:\"3.0\"\nempty\n", "ver:\"3.0\"\nempty\n"),
    ];
    for (text, canonical) in same {
        assert_eq!(written(&read_grid(text).unwrap()), canonical, "{text:?}");
    }
}

#[test]
fn literals() {
    let cases = [
        ("1_000", "1000"),
        ("-5.5e-3kW", "-0.0055kW"),
        ("1E6", "1000000"),
        ("5%", "5%"),
        ("9.23_foo", "9.23_foo"),
        ("100$", "100$"),
        ("-INF", "-INF"),
        ("\"\\u00e9\\n\\$\\\\\"", "\"é\\n\\$\\\\\""),
        ("\"\\ud83d\\ude00 \\u{1F600}\"", "\"😀 😀\""),
        ("`http://x/?a\\#b\\`c`", "`http://x/?a\\#b\\`c`"),
        ("2024-07-01T12:00:00Z", "2024-07-01T12:00:00Z UTC"),
        ("2024-07-01T12:00:00.25Z London", "2024-07-01T13:00:00.250+01:00 London"),
        ("8:30", "08:30:00"),
        ("C( 1.5 , -2 )", "C(1.5,-2.0)"),
        ("^a:b-c.d~e", "^a:b-c.d~e"),
        ("Span(\"today\")", "Span(\"today\")"),
        ("{}", "{}"),
        ("[]", "[]"),
    ];
    for (text, canonical) in cases {
        assert_eq!(format!("{:?}", read_value(text).unwrap()), canonical);
    }
    assert_eq!(read_value("T").unwrap().kind(), Kind::Bool);
}

#[test]
fn bad_literals() {
    let bad = [
        "",
        "5foo",
        "\"x",
        "\"x\n\"",
        "\"\\q\"",
        "\"\\ue9\"",
        "\"\\ud800\"",
        "`x",
        "@",
        "^",
        "true",
        "x",
        "foo(\"x\")",
        "Foo(x)",
        "Foo(\"x\"",
        "C(1)",
        "C(91,0)",
        "[1",
        "[1 2]",
        "{a:}",
        "{A}",
        "{a",
        "<<",
        "2024-02-30",
        "2024-01-01T00:00:00+02:00",
        "2024-01-01T00:00:00Z Atlantis",
        "25:00:00",
        "1e999",
        "--1",
        "-",
        "INFX",
        "5 5",
        "0x",
        "0xzz",
        "\u{0}",
        "TT",
        "1__0",
    ];
    for text in bad {
        assert!(read_value(text).is_err(), "{text:?}: {:?}", read_value(text));
    }
}

#[test]
fn bad_grids_say_where() {
    let cases = [
        ("", 1, 1),
        ("a\n1\n", 1, 1),
        ("ver:\"4.0\"\na\n", 1, 1),
        ("ver:\"3.0\"", 1, 10),
        ("ver:\"3.0\"\n", 2, 1),
        ("ver:\"3.0\"\na,a\n", 2, 3),
        ("ver:\"3.0\"\nA\n", 2, 1),
        ("ver:\"3.0\"\na,b\n1\n", 3, 2),
        ("ver:\"3.0\"\na,b\n1,2,3\n", 3, 4),
        ("ver:\"3.0\"\na,b\n1,2\n\"é\",x\n", 4, 5),
        ("ver:\"3.0\"\na\n1\n\nfoo\n", 5, 1),
        ("ver:\"3.0\"\na\n<<\nver:\"3.0\"\nb\n1\n", 7, 1),
    ];
    for (text, line, column) in cases {
        let error = read_grid(text).unwrap_err();
        assert_eq!((error.line(), error.column()), (line, column), "{text:?}: {error}");
    }
}

#[test]
fn a_column_alone_writes_null_as_such() {
    let grid = read_grid("ver:\"3.0\"\na\nN\nN\n").unwrap();
    assert_eq!(grid.len(), 2);
    assert_eq!(written(&grid), "ver:\"3.0\"\na\nN\nN\n");
    let two = read_grid("ver:\"3.0\"\na,b\n,\nN,N\n").unwrap();
    assert_eq!(written(&two), "ver:\"3.0\"\na,b\n,\n,\n");
}

#[test]
fn uris_with_any_character_read_back() {
    assert_eq!(to_text(&Value::uri("a\n\\b").cell()), "`a\\u000a\\u005cb`");
    for text in ["", "a b", "\\", "\\x", "\\:", "a`b", "\n\t\r", "\\\\", "é\u{1}", "$'\""] {
        let value = Value::uri(text);
        let written = to_text(&value.cell());
        assert_eq!(read_value(&written).unwrap().cell(), value.cell(), "{written}");
    }
}

#[test]
fn a_stream_reads_what_a_reader_reads() {
    let text = concat!(
        "\n\nver:\"3.0\" a:\"x>>\"\na,b\n1,\"<<\"\n<<\nver:\"3.0\"\nc\n`>>`\n>>,2\n",
        "[<<\nver:\"3.0\"\nd,e\n<<\nver:\"3.0\"\nf\n1\n>>,2\n>>],\"\\\"\"\n\nrest",
    );
    for capacity in [1, 2, 3, 7, 1000] {
        let source = std::io::BufReader::with_capacity(capacity, text.as_bytes());
        let mut stream = Stream::new(source, Limits::DEFAULT).unwrap();
        let mut reader = Reader::new(text, Limits::DEFAULT).unwrap();
        assert_eq!((stream.meta(), stream.cols()), (reader.meta(), reader.cols()));
        let (mut row, mut other, mut rows) = (Vec::new(), Vec::new(), 0);
        while stream.next_row(&mut row).unwrap() {
            assert!(reader.next_row(&mut other).unwrap());
            assert_eq!(row, other);
            rows += 1;
        }
        assert!(!reader.next_row(&mut other).unwrap());
        assert_eq!(rows, 3);
    }
}

#[test]
fn a_stream_has_bounds_and_says_where() {
    let error = |text: &[u8], bytes: usize| {
        let limits = Limits { bytes, ..Limits::DEFAULT };
        let mut stream = match Stream::new(text, limits) {
            Ok(stream) => stream,
            Err(error) => return error,
        };
        let mut row = Vec::new();
        loop {
            match stream.next_row(&mut row) {
                Ok(true) => {}
                Ok(false) => panic!("no error"),
                Err(error) => return error,
            }
        }
    };
    assert_eq!(error(b"ver:\"3.0\"\na\n1\nx\n", 100).line(), 4);
    assert_eq!(error(b"ver:\"3.0\"\na\n<<\nver:\"3.0\"\nb\n1\n>>\nx\n", 100).line(), 8);
    assert!(error(b"ver:\"3.0\"\na\n\"aaaaaaaaaaaaaaaaaaaaa\"\n", 20).message().contains("20"));
    assert!(error(b"ver:\"3.0\"\na\n\xff\n", 20).message().contains("UTF-8"));
    assert_eq!(error(b"ver:\"3.0\"\n", 20).line(), 2);
    assert_eq!(error(b"", 20).line(), 1);
}

#[test]
fn version_2_refuses_what_it_has_not() {
    for value in ["NA", "^a", "{a}", "[1]", "Foo(\"x\")", "<<\nver:\"3.0\"\na\n>>", "Bin(\"a)b\")"]
    {
        let grid = read_grid(&format!("ver:\"3.0\"\na\n1\n{value}\n")).unwrap();
        let mut out = b"before".to_vec();
        assert!(write_grid_2(&mut out, &grid).is_err(), "{value}");
        assert_eq!(out, b"before");
        let grid = read_grid(&format!("ver:\"3.0\" m:{value}\na\n1\n")).unwrap();
        assert!(write_grid_2(&mut out, &grid).is_err(), "{value}");
    }
    let text = "ver:\"2.0\" dis:\"x\"\na,b\n5kW,R\n@a \"A\",Bin(text/plain)\n";
    let mut out = Vec::new();
    write_grid_2(&mut out, &read_grid(text).unwrap()).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), text);
    assert!(Reader::new(text, Limits::DEFAULT).unwrap().is_version_2());
}
