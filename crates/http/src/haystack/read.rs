//! Records by filter or by id: `read`, `export`, and those that are definitions.

use haystack::Value;

use super::call::{Call, Reply};
use super::fault::Fault;
use crate::session::Words;

/// All records that are definitions.
const DEFS: &str = "def";
/// And of those, the libraries.
const LIBS: &str = "def and baseUri and version";

/// `read`: those that a filter finds, or those of ids, where an empty row stands for an id that is
/// no record's.
pub async fn read(mut call: Call) -> Result<Reply, Fault> {
    if call.args.col("filter").is_some() {
        let words = found_by(&call, &call.text("filter")?)?;
        return by_filter(call, words).await;
    }
    if call.args.col("id").is_none() {
        return Err(Fault::argument("a text 'filter' or refs 'id' are needed"));
    }
    let ids = call.ids()?;
    if ids.is_empty() {
        return Ok(haystack::Grid::empty(haystack::Dict::new()).into());
    }
    let count = ids.len().to_string().into_bytes();
    let words = std::iter::once(count).chain(ids).chain([b"UNCHECKED".to_vec()]).collect();
    let format = call.format;
    call.ask_text("folio.readbyids", words, format).await.map(Reply::Text)
}

/// `export`: all records, or those that a filter finds, in the format that is asked for.
pub async fn export(call: Call) -> Result<Reply, Fault> {
    let given = call.args.row(0).get("filter").as_str().map(str::to_owned);
    let words = found_by(&call, given.as_deref().unwrap_or("id"))?;
    by_filter(call, words).await
}

/// `defs`, `libs`: what the project holds of them.
pub async fn definitions(call: Call, libs: bool) -> Result<Reply, Fault> {
    let of = if libs { LIBS } else { DEFS };
    let given = call.args.row(0).get("filter").as_str().map(str::to_owned);
    let filter = given.map_or_else(|| of.to_owned(), |filter| format!("{of} and ({filter})"));
    let words = found_by(&call, &filter)?;
    by_filter(call, words).await
}

async fn by_filter(mut call: Call, words: Words) -> Result<Reply, Fault> {
    let format = call.format;
    call.ask_text("folio.readall", words, format).await.map(Reply::Text)
}

/// A filter with the options that stand beside it.
fn found_by(call: &Call, filter: &str) -> Result<Words, Fault> {
    let mut words = vec![filter.as_bytes().to_vec()];
    let given = call.args.row(0);
    if let Some(limit) = limit(given.get("limit"))? {
        words.extend([b"LIMIT".to_vec(), limit.to_string().into_bytes()]);
    }
    if given.get("sort") == &Value::MARKER || given.get("sort") == &Value::from(true) {
        words.push(b"SORT".to_vec());
    }
    if let Some(search) = given.get("search").as_str() {
        words.extend([b"SEARCH".to_vec(), search.as_bytes().to_vec()]);
    }
    Ok(words)
}

/// How many are wanted at most.
fn limit(value: &Value) -> Result<Option<u64>, Fault> {
    if value.is_null() {
        return Ok(None);
    }
    let number = value.as_number().map(|number| number.value);
    let whole = number.filter(|number| *number >= 0.0 && number.fract() == 0.0 && *number < 1e15);
    // Within 10¹⁵: no bits are lost.
    whole
        .map(|number| Some(number as u64))
        .ok_or_else(|| Fault::argument("'limit' must be a whole number that is not negative"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_whole_numbers() {
        assert_eq!(limit(&Value::NULL).unwrap(), None);
        assert_eq!(limit(&Value::from(0.0)).unwrap(), Some(0));
        assert_eq!(limit(&Value::from(12.0)).unwrap(), Some(12));
        for wrong in [-1.0, 0.5, f64::NAN, f64::INFINITY, 1e300] {
            assert!(limit(&Value::from(wrong)).is_err(), "{wrong}");
        }
        assert!(limit(&Value::str("5")).is_err());
    }
}
