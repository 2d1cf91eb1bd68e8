//! CSV from which all kinds can be read again: a field is a text as it stands, or Zinc.
//!
//! ```text
//!   Main Street        a text that Zinc does not read as a value
//!   "5"                a text that it would: "5" in Zinc, in quotation marks of CSV once more
//!   740m², @a, ✓       all other kinds
//! ```

use base::{CmdError, error};
use haystack::{Cell, Dict, Grid, GridBuilder, Value, zinc};

/// How CSV has markers.
const MARKER: &str = "✓";

/// A grid of fields.
///
/// # Errors
/// There is none: the grid has columns already.
pub fn grid(of: &Grid) -> Result<Grid, CmdError> {
    let fields = GridBuilder::new(Dict::new(), of.cols().to_vec());
    let mut fields = fields.map_err(|_| error::INTERNAL)?;
    of.rows().for_each(|row| fields.push(row.values().map(field)));
    Ok(fields.finish())
}

fn field(value: &Value) -> Value {
    match value.cell() {
        Cell::Null | Cell::Marker => value.clone(),
        Cell::Str(text) if is_plain(text) => value.clone(),
        cell => Value::str(zinc::to_text(&cell)),
    }
}

/// Whether a text is read as itself.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && text != MARKER && zinc::read_value(text).is_err()
}

/// What a field says.
pub fn value(field: Value) -> Value {
    let read = field.as_str().map(zinc::read_value);
    read.and_then(Result::ok).unwrap_or(field)
}

#[cfg(test)]
mod tests {
    use super::*;
    use haystack::csv;

    #[test]
    fn all_kinds_are_read_again() {
        let texts = [
            "\"Main\"",
            "\"5\"",
            "\"\"",
            "\"✓\"",
            "\"N\"",
            "\"a\\\"b,c\\nd\"",
            "\" x \"",
            "\"@a\"",
            "5",
            "-3.5kW",
            "T",
            "F",
            "M",
            "NA",
            "@a",
            "@a \"Dis\"",
            "^sym",
            "`http://x/`",
            "2024-02-29",
            "12:30:00",
            "2024-02-29T12:00:00+01:00 Berlin",
            "C(1,2)",
            "[1,\"x\",{a}]",
            "{a:1 b:\"2\"}",
            "INF",
            "Color(\"red\")",
        ];
        let values = texts
            .map(|text| zinc::read_value(text).unwrap_or_else(|error| panic!("{text}: {error}")));
        for (text, wanted) in texts.iter().zip(values) {
            let mut dict = Dict::new();
            dict.put("a", wanted.clone()).unwrap();
            dict.put("b", Value::MARKER).unwrap();
            let whole = Grid::from_dicts(Dict::new(), &[dict]).unwrap();
            let mut out = Vec::new();
            csv::write_grid(&mut out, &grid(&whole).unwrap());
            let read = csv::read_grid(std::str::from_utf8(&out).unwrap()).unwrap();
            assert_eq!(value(read.row(0).get("a").clone()), wanted, "{text}");
            assert_eq!(value(read.row(0).get("b").clone()), Value::MARKER, "{text}");
        }
    }
}
