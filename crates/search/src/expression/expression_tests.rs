//! Expressions against what RediSearch 1.2.2 answers, where it has the function.

use super::{Expression, Row, Value};
use crate::error::{Error, Result};
use crate::partition::geo::distance;
use crate::query::Parameters;

const NAMES: [&str; 5] = ["n", "s", "z", "l", "g"];

fn row() -> Vec<Value> {
    vec![
        Value::Number(3.0),
        Value::text("Foo Bar"),
        Value::Null,
        Value::List(vec![Value::text("a"), Value::Number(1.5)]),
        Value::text("13.361389,38.115556"),
    ]
}

fn parse(text: &[u8]) -> Result<Expression> {
    let mut parameters = Parameters::default();
    parameters.insert(b"p".to_vec(), b"5".to_vec());
    parameters.insert(b"t".to_vec(), b"text".to_vec());
    Expression::parse(text, &parameters, &mut |name| {
        let place = NAMES.iter().position(|listed| listed.as_bytes() == name);
        let name = String::from_utf8_lossy(name);
        place.ok_or_else(|| Error::new(format!("Property `{name}` not loaded nor in schema")))
    })
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::List(list) => {
            let list: Vec<String> = list.iter().map(shown).collect();
            format!("[{}]", list.join("|"))
        }
        value => String::from_utf8_lossy(&value.as_text().unwrap()).into_owned(),
    }
}

fn answer(text: &str) -> String {
    match parse(text.as_bytes()).and_then(|expression| expression.evaluate(&row())) {
        Ok(value) => shown(&value),
        Err(error) => error.0,
    }
}

fn check(cases: &[(&str, &str)]) {
    for (expression, expected) in cases {
        assert_eq!(answer(expression), *expected, "{expression}");
    }
}

#[test]
fn arithmetic() {
    check(&[
        ("1/3", "0.333333333333"),
        ("0.1+0.2", "0.3"),
        ("1/0", "inf"),
        ("-1/0", "-inf"),
        ("7%0", "nan"),
        ("7.5%2", "1"),
        ("-7%3", "-1"),
        ("1e300%-0.5", "nan"),
        ("2^3^2", "64"),
        ("-2^2", "4"),
        ("1 - -1", "2"),
        ("10-5-2", "3"),
        ("10 - 5 - 2", "3"),
        ("100/10/2", "5"),
        ("2*3%4", "2"),
        ("1+2*3", "7"),
        ("(1+2)*3", "9"),
        ("-@n", "-3"),
        (".5", "0.5"),
        ("1e3", "1000"),
        ("1.5e-3", "0.0015"),
        ("100000000000000000000", "1e+20"),
        ("@z+1", "-"),
        ("'a'+1", "-"),
        ("'3'+1", "4"),
        ("@s+1", "-"),
        ("$p+1", "6"),
        ("$t", "text"),
        ("NULL", "-"),
    ]);
}

#[test]
fn truth_and_order() {
    check(&[
        ("'a'<'b'", "1"),
        ("1==1==1", "1"),
        ("3>2>1", "0"),
        ("@z==1", "0"),
        ("@z!=1", "1"),
        ("@z==NULL", "1"),
        ("@n =='3'", "1"),
        ("@s=='foo bar'", "0"),
        ("'a'==1", "0"),
        ("1&&2", "1"),
        ("@z||1", "1"),
        ("!@z", "1"),
        ("!1==0", "1"),
        ("!0+1", "0"),
        ("!0&&0", "0"),
        ("1||1&&0", "0"),
        ("0&&1||1", "1"),
        ("!!1", "1"),
        ("0||!(1==2)", "1"),
    ]);
}

#[test]
fn functions() {
    check(&[
        ("exists(@z)", "0"),
        ("exists(@n)", "1"),
        ("case(@z, 1/0, 'no')", "no"),
        ("upper(@s)", "FOO BAR"),
        ("LOWER(@s)", "foo bar"),
        ("strlen(@s)", "7"),
        ("substr(@s,0,3)", "Foo"),
        ("substr(@s,-3,3)", "Bar"),
        ("substr(@s,-3,-1)", "Ba"),
        ("substr(@s,2,-1)", "o Ba"),
        ("substr(@s,100,3)", ""),
        ("substr(@s,1,100)", "oo Bar"),
        ("substr(@s,-100,3)", ""),
        ("substr(@s,2,-10)", "o Bar"),
        ("substr(@s,1e300,-1e300)", ""),
        ("startswith(@s,'Foo')", "1"),
        ("contains(@s,'o')", "2"),
        ("contains(@s,'')", "8"),
        ("format('%s-%s',@s,@n)", "Foo Bar-3"),
        ("format('%%')", "%"),
        ("format('%s')", "-"),
        ("format('%d',1)", "-"),
        ("format('%s',@z)", "(null)"),
        ("split('a,b, c')", "[a|b|c]"),
        ("split('--a-b--','-','-')", "[a|b]"),
        ("split('')", "[]"),
        ("split('a,,b')", "[a|b]"),
        ("floor(1.5)+ceil(1.5)", "3"),
        ("sqrt(2)", "1.41421356237"),
        ("sqrt(-1)", "nan"),
        ("log(10)", "2.30258509299"),
        ("log2(8)", "3"),
        ("exp(1)", "2.71828182846"),
        ("floor('x')", "nan"),
        ("matched_terms()", "-"),
        ("geodistance(@g,'15.087269,37.502669')", "166274.26"),
        ("geodistance(@g,15.087269,37.502669)", "166274.26"),
        ("geodistance('x','1,2')", "-"),
    ]);
    assert_eq!(distance((1.0, 2.0), (1.0, 2.0)), 0.0);
}

#[test]
fn times() {
    check(&[
        ("timefmt(0)", "1970-01-01T00:00:00Z"),
        ("timefmt(-1)", "1969-12-31T23:59:59Z"),
        (
            "timefmt(1600000000,'%c %x %X %a %A %b %B %j %U %w %y %Z %% %p %I %e %D %F %T %R \
             %n%t|%G %V %u %C %h %r %s %z')",
            "Sun Sep 13 12:26:40 2020 09/13/20 12:26:40 Sun Sunday Sep September 257 37 0 20 GMT \
             % PM 12 13 \
             09/13/20 2020-09-13 12:26:40 12:26 \n\t|2020 37 7 20 Sep 12:26:40 PM 1600000000 +0000",
        ),
        ("timefmt('x')", "-"),
        ("timefmt(1e30)", "-"),
        ("timefmt(0,'%')", "-"),
        ("day(1600000000)", "1599955200"),
        ("hour(1600000000)", "1599998400"),
        ("minute(1600000000)", "1599999960"),
        ("month(1600000000)", "1598918400"),
        ("year(1600000000)", "2020"),
        ("dayofweek(1600000000)", "0"),
        ("dayofmonth(1600000000)", "13"),
        ("dayofyear(1600000000)", "256"),
        ("monthofyear(1600000000)", "8"),
        ("day(-1)", "-"),
        ("year(@z)", "-"),
        ("parsetime('2020-09-13','%Y-%m-%d')", "1599955200"),
        ("parsetime('2020-09-13T12:26:40Z','%FT%TZ')", "1600000000"),
        ("parsetime('2020-09-13T14:26:40+02:00','%FT%T%z')", "1600000000"),
        ("parsetime('sun 13 Sep 2020 12:26:40 PM','%a %d %b %Y %I:%M:%S %p')", "1600000000"),
        ("parsetime('2020-09-13 x','%Y-%m-%d')", "-"),
        ("parsetime('2021-02-29','%Y-%m-%d')", "-"),
        ("parsetime('foo','%Y')", "-"),
    ]);
}

#[test]
fn refusals() {
    check(&[
        ("", "Syntax error at offset 0 near ''"),
        ("1 2", "Syntax error at offset 2 near '1'"),
        ("(1", "Syntax error at offset 2 near '1'"),
        ("1+", "Syntax error at offset 2 near '1'"),
        ("'a", "Syntax error at offset 2 near ''"),
        ("foo(1)", "Unknown function name 'foo'"),
        ("inf", "Unknown symbol 'inf'"),
        ("upper()", "Invalid arguments for function 'upper'"),
        ("@x", "Property `x` not loaded nor in schema"),
        ("$q", "No such parameter `q`"),
    ]);
}

#[test]
fn deep_and_long_expressions_are_no_trouble() {
    for open in ["(", "-(", "!", "upper(", "1+(", "- "] {
        let error = answer(&format!("{}1", open.repeat(10_000)));
        assert!(error.contains("nested too deeply"), "{open}: {error}");
    }
    assert_eq!(answer(&format!("1{}", "+1".repeat(50_000))), "50001");
    assert_eq!(answer(&format!("0{}", "||0".repeat(50_000))), "0");
    // A text that doubles with each step ends in an error.
    let expression = parse(b"format('%s%s', @s, @s)").unwrap();
    let mut row = row();
    let grown = (0..60).try_for_each(|_| {
        row[1] = expression.evaluate(&row)?;
        Ok::<(), Error>(())
    });
    assert!(grown.is_err());
}

#[test]
fn keys_and_order() {
    use std::cmp::Ordering;
    assert_eq!(Value::Number(0.0), Value::Number(-0.0));
    assert_eq!(Value::Number(f64::NAN), Value::Number(f64::NAN));
    assert_ne!(Value::Number(1.0), Value::text("1"));
    assert_eq!(Value::Null.order(&Value::Number(f64::NEG_INFINITY)), Ordering::Less);
    assert_eq!(Value::Number(f64::NAN).order(&Value::Number(1.0)), Ordering::Greater);
    assert_eq!(row()[..].value(99), &Value::Null);
}

#[test]
fn any_text_is_answered() {
    let pieces: Vec<&[u8]> = [
        "1",
        "1e308",
        "-",
        "+",
        "*",
        "/",
        "%",
        "^",
        "(",
        ")",
        "@n",
        "@s",
        "@z",
        "@l",
        "$p",
        "==",
        "<",
        "!",
        "&&",
        "||",
        "'%s'",
        "\"a,b\"",
        ",",
        "substr(",
        "format(",
        "split(",
        "timefmt(",
        "parsetime(",
        "case(",
        "dayofyear(",
        "geodistance(",
        "'%Y-%j %c'",
        "NULL",
        " ",
        "\\",
        "\u{e9}",
        "-1e19",
    ]
    .iter()
    .map(|piece| piece.as_bytes())
    .collect();
    let row = row();
    testkit::fuzz::fuzz(|rng| {
        for _ in 0..50 {
            let mut text = Vec::new();
            for _ in 0..rng.below(16) {
                text.extend_from_slice(pieces[rng.below(pieces.len())]);
            }
            testkit::fuzz::damage(rng, &mut text, &pieces);
            if let Ok(expression) = parse(&text) {
                let _ = expression.evaluate(&row);
            }
        }
    });
}
