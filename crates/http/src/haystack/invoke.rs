//! `invokeAction`: a function that was loaded by `FUNCTION LOAD`, called about a record.
//!
//! ```text
//!   meta id, action; one row ─► FCALL action 1 project id {row as Zinc}
//! ```
//!
//! What the function answers is a grid of Zinc, or a value of Zinc, or else a text.

use haystack::{Cell, Dict, Grid, Value, zinc};

use super::call::{Call, Reply};
use super::fault::Fault;

/// `invokeAction`
pub async fn run(mut call: Call) -> Result<Reply, Fault> {
    let meta = call.args.meta();
    let id = meta.get("id").and_then(Value::as_id).cloned();
    let id = id.ok_or_else(|| Fault::argument("meta 'id' must be a Ref"))?;
    let action = meta.get("action").and_then(Value::as_str).map(str::to_owned);
    let action = action.ok_or_else(|| Fault::argument("meta 'action' must be a Str"))?;
    // It must be there.
    call.record(id.as_str()).await?;
    let row = zinc::to_text(&Cell::Dict(&call.arg()));
    let words = [
        action.into_bytes(),
        b"1".to_vec(),
        call.project.clone(),
        id.as_str().as_bytes().to_vec(),
        row.into_bytes(),
    ];
    let said = call.run("fcall", words.to_vec()).await?;
    Ok(grid(&said)?.into())
}

fn grid(said: &wire::Value) -> Result<Grid, Fault> {
    if let Some(text) = said.as_bytes().and_then(|text| std::str::from_utf8(text).ok())
        && text.starts_with("ver:")
    {
        return zinc::read_grid(text).map_err(Fault::from);
    }
    of_value(value(said))
}

/// A grid of one value: of a dict its tags, of anything else the column `val`.
pub fn of_value(value: Value) -> Result<Grid, Fault> {
    let row = match value.as_dict() {
        _ if value.is_null() => return Ok(Grid::empty(Dict::new())),
        Some(dict) => dict.clone(),
        None => {
            let mut row = Dict::new();
            row.put("val", value)?;
            row
        }
    };
    Ok(Grid::from_dicts(Dict::new(), &[row])?)
}

fn value(said: &wire::Value) -> Value {
    match said {
        wire::Value::Int(number) => Value::from(*number as f64),
        wire::Value::Boolean(is) => Value::from(*is),
        wire::Value::Double(_) => said.as_f64().map_or(Value::NULL, Value::from),
        wire::Value::Array(all) => Value::list(all.iter().map(value).collect()),
        said => said.as_bytes().map_or(Value::NULL, |text| {
            let text = String::from_utf8_lossy(text);
            zinc::read_value(&text).unwrap_or_else(|_| Value::str(&*text))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_grids() {
        let shown = |said: wire::Value| {
            let grid = grid(&said).unwrap();
            grid.rows().map(|row| zinc::to_text(&Cell::Dict(&row.to_dict()))).collect::<Vec<_>>()
        };
        let bulk = |text: &str| wire::Value::Bulk(text.as_bytes().to_vec());
        assert_eq!(shown(bulk("ver:\"3.0\"\na\n1\n2\n")), ["{a:1}", "{a:2}"]);
        assert_eq!(shown(bulk("{a:1kW}")), ["{a:1kW}"]);
        assert_eq!(shown(bulk("5kW")), ["{val:5kW}"]);
        assert_eq!(shown(bulk("some text")), ["{val:\"some text\"}"]);
        assert_eq!(shown(wire::Value::Int(7)), ["{val:7}"]);
        assert_eq!(shown(wire::Value::Array(vec![wire::Value::Int(7)])), ["{val:[7]}"]);
        assert!(shown(wire::Value::Null).is_empty());
    }
}
