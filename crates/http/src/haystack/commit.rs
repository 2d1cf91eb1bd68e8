//! `commit`: records added, changed and removed, all of a grid or none.
//!
//! What is meant stands in the grid's meta: `commit` is `add`, `update` or `remove`; `transient`
//! and `force` are as in Folio. Rows of a change and of a removal have `id` and `mod`. Answered are
//! the records as they are then.

use haystack::{Dict, Grid, GridBuilder, Value, zinc};

use super::call::{Call, Reply};
use super::fault::Fault;
use crate::session::Words;

/// `commit`
pub async fn run(mut call: Call) -> Result<Reply, Fault> {
    let meta = call.args.meta().clone();
    let flag = |name: &str| meta.get(name).is_some_and(|value| value != &Value::from(false));
    let (mut words, verb) = (Vec::new(), meta.get("commit").and_then(Value::as_str));
    let verb = match verb {
        Some("add") => "ADD",
        Some("update") => "UPDATE",
        Some("remove") => "REMOVE",
        _ => return Err(Fault::argument("meta 'commit' must be add, update or remove")),
    };
    if call.args.is_empty() {
        return Ok(Grid::empty(Dict::new()).into());
    }
    for option in ["transient", "force"].iter().filter(|name| flag(name)) {
        words.push(option.to_ascii_uppercase().into_bytes());
    }
    let (args, bytes) = (std::mem::take(&mut call.args), call.bytes);
    words.extend(call.work(bytes, move || diffs(verb, &args)).await??);
    let ids = commit(&mut call, words).await?;
    if verb == "REMOVE" {
        return Ok(Grid::empty(Dict::new()).into());
    }
    let count = ids.len().to_string().into_bytes();
    let words = std::iter::once(count).chain(ids).chain([b"UNCHECKED".to_vec()]).collect();
    let format = call.format;
    call.ask_text("folio.readbyids", words, format).await.map(Reply::Text)
}

/// The words of a verb with its records.
pub fn diffs(verb: &str, records: &Grid) -> Result<Words, Fault> {
    // Without what is said of the grid.
    let mut bare = GridBuilder::new(Dict::new(), records.cols().to_vec())?;
    records.rows().for_each(|row| bare.push(row.values().cloned()));
    let mut text = Vec::new();
    zinc::write_grid(&mut text, &bare.finish());
    let words = ["FORMAT", "zinc", verb].map(|word| word.as_bytes().to_vec());
    Ok(words.into_iter().chain([text]).collect())
}

/// Commits, and answers the ids of the records that were meant.
pub async fn commit(call: &mut Call, words: Words) -> Result<Vec<Vec<u8>>, Fault> {
    let said = call.ask("folio.commit", words).await?;
    let ids = said.as_slice().unwrap_or_default().iter().filter_map(|one| {
        let wire::Value::Map(pairs) = one else { return None };
        let id = pairs.iter().find(|(name, _)| name.as_bytes() == Some(b"id"))?.1.as_bytes()?;
        Some(id.strip_prefix(b"@").unwrap_or(id).to_vec())
    });
    Ok(ids.collect())
}
