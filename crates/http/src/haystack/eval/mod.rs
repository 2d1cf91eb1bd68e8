//! `eval`: the few expressions of Axon that clients of Haxall use on records.
//!
//! ```text
//!   readCount(F)   read(F)   readAll(F)   readById(@id)
//!   diff(null, {…}, {add}).commit             readById(@id).diff({…}).commit
//!   readAll(F).toRecList.map(r => diff(r, null, {remove})).commit
//! ```

mod chain;

use haystack::{Dict, Grid, Value, zinc};

use self::chain::{Step, steps};
use super::call::{Call, Reply};
use super::commit::{commit, diffs};
use super::fault::Fault;
use super::invoke::of_value;
use crate::session::Words;

/// The library for writable points, which is always there.
const POINTS: &str = "\"hx.point\"";

/// `eval`
pub async fn run(mut call: Call) -> Result<Reply, Fault> {
    let expr = call.text("expr")?;
    let steps = steps(&expr).ok_or_else(unknown)?;
    let shape: Vec<(&str, &[&str])> =
        steps.iter().map(|step| (step.name, step.args.as_slice())).collect();
    let call = &mut call;
    match shape.as_slice() {
        [("readCount", [filter])] => {
            let said = call.ask("folio.count", vec![filter.as_bytes().to_vec()]).await?;
            Ok(of_value(Value::from(said.as_i64().unwrap_or(0) as f64))?.into())
        }
        [("read", [filter, checked @ ..])] if checked.len() < 2 => {
            first(call, filter, checked != ["false"]).await
        }
        [("readAll", [filter])] | [("readAll", [filter]), ("toRecList", [])] => {
            Ok(all(call, filter).await?.into())
        }
        [("readById", [id])] => {
            Ok(Grid::from_dicts(Dict::new(), &[by_id(call, id).await?])?.into())
        }
        [("diff", ["null", record, flags]), ("commit", [])] if dict(flags)?.has("add") => {
            change(call, "ADD", dict(record)?).await
        }
        [("readById", [id]), ("diff", [changes]), ("commit", [])] => {
            let (before, mut record) = (by_id(call, id).await?, dict(changes)?);
            for tag in ["id", "mod"] {
                record.put(tag, before.get(tag).cloned().unwrap_or_default())?;
            }
            change(call, "UPDATE", record).await
        }
        [("readAll", [filter]), ("toRecList", []), ("map", [each]), ("commit", [])]
        | [("readAll", [filter]), ("map", [each]), ("commit", [])]
            if is_removal(each) =>
        {
            remove_all(call, filter).await
        }
        [("libAdd", [POINTS])] => Ok(Grid::empty(Dict::new()).into()),
        _ => Err(unknown()),
    }
}

fn unknown() -> Fault {
    let text = "of Axon this server knows readCount, read, readAll, readById and commits of diff";
    Fault::Failed { kind: "EvalErr".to_owned(), text: text.to_owned() }
}

fn dict(text: &str) -> Result<Dict, Fault> {
    let value = zinc::read_value(text)?;
    value.as_dict().cloned().ok_or_else(unknown)
}

async fn by_id(call: &mut Call, text: &str) -> Result<Dict, Fault> {
    let id = zinc::read_value(text)?;
    let id = id.as_id().cloned().ok_or_else(unknown)?;
    call.record(id.as_str()).await
}

async fn all(call: &mut Call, filter: &str) -> Result<Grid, Fault> {
    call.ask_grid("folio.readall", vec![filter.as_bytes().to_vec()]).await
}

async fn first(call: &mut Call, filter: &str, checked: bool) -> Result<Reply, Fault> {
    let words = [filter, "LIMIT", "1"].map(|word| word.as_bytes().to_vec());
    let found = call.ask_grid("folio.readall", words.to_vec()).await?;
    if found.is_empty() && checked {
        let (kind, text) = ("UnknownRecErr".to_owned(), filter.to_owned());
        return Err(Fault::Failed { kind, text });
    }
    Ok(found.into())
}

/// Commits a change of one record, and answers it.
async fn change(call: &mut Call, verb: &str, record: Dict) -> Result<Reply, Fault> {
    let grid = Grid::from_dicts(Dict::new(), &[record])?;
    let ids = commit(call, diffs(verb, &grid)?).await?;
    let count = ids.len().to_string().into_bytes();
    // It may be in the trash now.
    let options = ["UNCHECKED", "TRASH"].map(|word| word.as_bytes().to_vec());
    let words: Words = std::iter::once(count).chain(ids).chain(options).collect();
    let format = call.format;
    call.ask_text("folio.readbyids", words, format).await.map(Reply::Text)
}

/// Whether each is removed: `r => diff(r, null, {remove})`.
fn is_removal(each: &str) -> bool {
    let Some((name, body)) = each.split_once("=>") else { return false };
    let Some(steps) = steps(body) else { return false };
    let [Step { name: "diff", args }] = steps.as_slice() else { return false };
    let name = name.trim().trim_matches(|c| matches!(c, '(' | ')')).trim();
    let removes = |flags: &str| dict(flags).is_ok_and(|flags| flags.has("remove"));
    matches!(args.as_slice(), [of, "null", flags] if *of == name && removes(flags))
}

async fn remove_all(call: &mut Call, filter: &str) -> Result<Reply, Fault> {
    let found = all(call, filter).await?;
    if !found.is_empty() {
        let bytes = found.len() * found.cols().len() * 16;
        let words = call.work(bytes, move || removals(&found)).await??;
        commit(call, words).await?;
    }
    Ok(Grid::empty(Dict::new()).into())
}

/// The words that remove the records of a grid.
fn removals(found: &Grid) -> Result<Words, Fault> {
    let rows = found.rows().map(|row| {
        let mut record = row.to_dict();
        record.retain(|tag, _| matches!(tag.as_str(), "id" | "mod"));
        record
    });
    let rows: Vec<Dict> = rows.collect();
    diffs("REMOVE", &Grid::from_dicts(Dict::new(), &rows)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removals_are_known() {
        for each in ["r=>diff(r,null,{remove})", " (rec) => diff(rec, null, {remove}) "] {
            assert!(is_removal(each), "{each}");
        }
        for each in ["r=>diff(x,null,{remove})", "r=>diff(r,null,{add})", "r", "r=>x", "=>"] {
            assert!(!is_removal(each), "{each}");
        }
    }
}
