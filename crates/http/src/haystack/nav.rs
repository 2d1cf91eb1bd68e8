//! `nav`: sites, what is at each, and what is below that.

use haystack::{Dict, Grid, Tag, Value};

use super::call::{Call, Reply};
use super::fault::Fault;

/// Where nothing lies below.
const LEAF: &str = "point";

/// `nav`
pub async fn run(mut call: Call) -> Result<Reply, Fault> {
    let given = call.args.row(0).get("navId").clone();
    let filter = match place(&given)? {
        None => "site".to_owned(),
        Some(id) => {
            let record = call.record(id.as_str()).await?;
            below(&record, id.as_str())
        }
    };
    let found = call.ask_grid("folio.readall", vec![filter.into_bytes(), b"SORT".to_vec()]).await?;
    // A cell takes some bytes.
    let bytes = found.len() * found.cols().len() * 16;
    Ok(call.work(bytes, move || with_places(&found)).await??.into())
}

/// Records with what can be navigated to.
fn with_places(found: &Grid) -> Result<Grid, Fault> {
    let navigable = Tag::new("navId")?;
    let rows = found.rows().map(|row| {
        let mut row = row.to_dict();
        if !row.has(LEAF)
            && let Some(id) = row.get("id").cloned()
        {
            row.set(navigable.clone(), id);
        }
        row
    });
    let rows: Vec<Dict> = rows.collect();
    Ok(Grid::from_dicts(Dict::new(), &rows)?)
}

/// The id that is navigated to: a ref, or its text.
fn place(given: &Value) -> Result<Option<haystack::Name>, Fault> {
    if given.is_null() {
        return Ok(None);
    }
    if let Some(id) = given.as_id() {
        return Ok(Some(id.clone()));
    }
    let text = given.as_str().ok_or_else(|| Fault::argument("'navId' must be a Ref"))?;
    let id = Value::id(text.strip_prefix('@').unwrap_or(text))?;
    Ok(id.as_id().cloned())
}

/// What finds what lies below a record.
fn below(record: &Dict, id: &str) -> String {
    if record.has("site") {
        return format!(
            "(equip or space or point) and siteRef == @{id} and not equipRef and not spaceRef"
        );
    }
    if record.has("space") {
        return format!("(equip or space or point) and spaceRef == @{id} and not equipRef");
    }
    format!("(equip or point) and equipRef == @{id}")
}
