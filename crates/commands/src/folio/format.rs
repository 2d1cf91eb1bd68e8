//! The formats of records: which a request names, and records that stand in one.

use base::{Args, CmdError};
use haystack::{Cell, Dict, Value, csv, hayson, json3, trio, zinc};

const NO_FORMAT: CmdError =
    CmdError::new("ERR the formats are zinc, hayson, json (of Haystack 3), trio, csv and columns");
const NO_REQUEST: CmdError = CmdError::new("ERR columns are a format of replies alone");

/// A format of grids and dicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Zinc,
    Hayson,
    /// JSON as of Haystack 3.
    Json,
    Trio,
    Csv,
    /// Bytes, as the crate `folio` packs rows.
    Columns,
}

impl Format {
    /// The format that stands behind `FORMAT`, if that stands next.
    ///
    /// # Errors
    /// There is no such format.
    pub fn take(args: &mut Args<'_>) -> Result<Option<Format>, CmdError> {
        if !args.token("FORMAT") {
            return Ok(None);
        }
        let names = [
            ("zinc", Format::Zinc),
            ("hayson", Format::Hayson),
            ("json", Format::Json),
            ("trio", Format::Trio),
            ("csv", Format::Csv),
            ("columns", Format::Columns),
        ];
        let word = args.next()?;
        let found = names.iter().find(|(name, _)| word.eq_ignore_ascii_case(name.as_bytes()));
        found.map(|(_, format)| Some(*format)).ok_or(NO_FORMAT)
    }
}

fn told(error: &haystack::Error) -> CmdError {
    CmdError::owned(format!("ParseErr {error}").replace(['\r', '\n'], " "))
}

/// The records of a text: a dict, a list of dicts, or the rows of a grid.
///
/// # Errors
/// `ParseErr`: they are none.
pub(super) fn records(text: &str, format: Option<Format>) -> Result<Vec<Dict>, CmdError> {
    let format = format.unwrap_or_else(|| guess(text));
    if format == Format::Columns {
        return Err(NO_REQUEST);
    }
    if format == Format::Trio {
        return trio::read(text).map_err(|error| told(&error));
    }
    let value = match format {
        Format::Zinc if is_grid(text) => zinc::read_grid(text).map(Value::grid),
        Format::Zinc => zinc::read_value(text),
        Format::Hayson => hayson::read_value(text),
        Format::Json if text.contains("\"cols\"") => json3::read_grid(text).map(Value::grid),
        Format::Json => json3::read_value(text),
        Format::Csv | Format::Trio | Format::Columns => csv::read_grid(text).map(Value::grid),
    };
    dicts(&value.map_err(|error| told(&error))?)
}

fn dicts(value: &Value) -> Result<Vec<Dict>, CmdError> {
    const NONE: CmdError = CmdError::new("ParseErr expected a dict, a list of dicts or a grid");
    match value.cell() {
        Cell::Dict(dict) => Ok(vec![dict.clone()]),
        Cell::Grid(grid) => Ok(grid.rows().map(|row| row.to_dict()).collect()),
        Cell::List(list) => {
            let all = list.iter().map(|value| value.as_dict().cloned().ok_or(NONE));
            all.collect()
        }
        _ => Err(NONE),
    }
}

/// Whether a text of Zinc is a grid that stands alone.
fn is_grid(text: &str) -> bool {
    text.trim_start().starts_with("ver:")
}

/// The format of a text: Zinc and Hayson both have dicts in braces, and lists; the names of tags
/// stand in quotation marks in the one alone. What is neither is Trio.
fn guess(text: &str) -> Format {
    let start = text.trim_start();
    if is_grid(text) || start.starts_with("<<") {
        return Format::Zinc;
    }
    let within = start.strip_prefix('[').unwrap_or(start).trim_start();
    match within.strip_prefix('{').map(|rest| rest.trim_start()) {
        Some(rest) if rest.starts_with('"') => Format::Hayson,
        Some(_) => Format::Zinc,
        None if start.starts_with('[') => Format::Zinc,
        None => Format::Trio,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_apart() {
        let same = [
            ("{id:@a site}", Format::Zinc),
            (" [ {id:@a site} ]", Format::Zinc),
            ("ver:\"3.0\"\nid,site\n@a,M\n", Format::Zinc),
            ("<<\nver:\"3.0\"\nid,site\n@a,M\n>>", Format::Zinc),
            (
                "{ \"id\":{\"_kind\":\"ref\",\"val\":\"a\"},\"site\":{\"_kind\":\"marker\"}}",
                Format::Hayson,
            ),
            (
                "[{\"id\":{\"_kind\":\"ref\",\"val\":\"a\"},\"site\":{\"_kind\":\"marker\"}}]",
                Format::Hayson,
            ),
            ("id: @a\nsite\n", Format::Trio),
        ];
        for (text, format) in same {
            assert_eq!(guess(text), format, "{text}");
            let records = records(text, None).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(zinc::to_text(&Cell::Dict(&records[0])), "{id:@a site}", "{text}");
        }
        let json = "{\"meta\":{\"ver\":\"2.0\"},\"cols\":[{\"name\":\"id\"},{\"name\":\"site\"}],\
                    \"rows\":[{\"id\":\"r:a\",\"site\":\"m:\"}]}";
        assert_eq!(records(json, Some(Format::Json)).map(|all| all.len()), Ok(1));
        assert_eq!(records("id,site\n@a,✓\n", Some(Format::Csv)).map(|all| all.len()), Ok(1));
        assert_eq!(records("[]", None), Ok(Vec::new()));
        for none in ["5", "[1]", "{", "ver:\"3.0\"\n", "\"x\""] {
            let error = records(none, Some(Format::Zinc)).map_err(|error| error.to_string());
            assert!(error.is_err_and(|text| text.starts_with("ParseErr ")), "{none}");
        }
    }
}
