//! `watchSub`, `watchPoll`, `watchUnsub`: which of some records have changed.
//!
//! ```text
//!   meta watchDis (lease); rows id ─► FOLIO.WATCH.OPEN, ADD ┐
//!   meta watchId; rows id          ─► FOLIO.WATCH.ADD       ├► watchId, lease; the records
//!   meta watchId (refresh)         ─► FOLIO.WATCH.POLL KEEP ─► records ─► FOLIO.WATCH.POLL LETGO
//!   meta watchId; rows id or close ─► FOLIO.WATCH.REMOVE, CLOSE
//! ```
//!
//! What a poll answers is let go only once its records are read: if they could not be, the next
//! poll answers them.

use haystack::{Dict, Grid, Unit, Value};

use super::call::{Call, Reply};
use super::fault::Fault;
use crate::session::{NoReply, Words};

/// The meta by which a watch is called.
const WATCH: &str = "watchId";
/// What a watch is called where its client does not say.
const NAMELESS: &str = "watch";

/// `watchSub`: opens a watch, or adds to one, and answers the records as they are.
pub async fn subscribe(mut call: Call) -> Result<Reply, Fault> {
    let ids = call.ids()?;
    let known = watch_of(&call)?;
    let is_new = known.is_none();
    let watch = match known {
        Some(watch) => watch,
        None => open(&mut call).await?,
    };
    let done = add(&mut call, &watch, ids).await;
    if done.is_err() && is_new && call.session.is_some() {
        let _ = call.ask("folio.watch.close", vec![watch.into_bytes()]).await;
    }
    done.map(Reply::from)
}

/// The watch that is meant: none if its client knows none yet.
fn watch_of(call: &Call) -> Result<Option<String>, Fault> {
    match call.args.meta().get(WATCH) {
        None => Ok(None),
        Some(watch) => {
            let watch = watch.as_str().map(str::to_owned);
            watch.map(Some).ok_or_else(|| Fault::argument("meta 'watchId' must be a text"))
        }
    }
}

/// The watch that must be meant.
fn known_watch(call: &Call) -> Result<String, Fault> {
    watch_of(call)?.ok_or_else(|| Fault::argument("a text 'watchId' is needed in the meta"))
}

async fn open(call: &mut Call) -> Result<String, Fault> {
    let meta = call.args.meta();
    let dis = meta.get("watchDis").and_then(Value::as_str).unwrap_or(NAMELESS);
    let mut words = vec![dis.as_bytes().to_vec()];
    if let Some(lease) = meta.get("lease") {
        words.extend([b"LEASE".to_vec(), seconds(lease)?.to_string().into_bytes()]);
    }
    let said = call.ask("folio.watch.open", words).await?;
    let name = said.as_bytes().and_then(|name| std::str::from_utf8(name).ok());
    Ok(name.ok_or(NoReply::Broken)?.to_owned())
}

/// A lease in whole seconds, at least one; beyond an hour all are the same.
fn seconds(lease: &Value) -> Result<u64, Fault> {
    let number = lease.as_number();
    let time = number.and_then(|it| it.unit.as_ref()?.convert(it.value, &Unit::named("sec").ok()?));
    let time = time.filter(|time| *time >= 0.0);
    // A cast of what is too large is the largest.
    let whole = time.map(|time| (time.ceil() as u64).clamp(1, 1_000_000));
    whole.ok_or_else(|| Fault::argument("'lease' must be a time, as 1min"))
}

/// Adds records to a watch, and answers them.
async fn add(call: &mut Call, watch: &str, ids: Words) -> Result<Grid, Fault> {
    if !ids.is_empty() {
        call.ask("folio.watch.add", of(watch, ids.iter().cloned())).await?;
    }
    let info = call.ask("folio.watch.info", of(watch, [])).await?;
    let lease = lease_of(&info).ok_or(NoReply::Broken)?;
    let mut grid = records(call, ids).await?;
    grid.meta_mut().put(WATCH, watch)?;
    grid.meta_mut().put("lease", Value::number(lease, Some(&Unit::named("sec")?)))?;
    Ok(grid)
}

/// The words of a command about a watch.
fn of(watch: &str, words: impl IntoIterator<Item = Vec<u8>>) -> Words {
    std::iter::once(watch.as_bytes().to_vec()).chain(words).collect()
}

fn lease_of(info: &wire::Value) -> Option<f64> {
    let wire::Value::Map(pairs) = info else { return None };
    let (_, lease) = pairs.iter().find(|(name, _)| name.as_bytes() == Some(b"lease"))?;
    Some(lease.as_i64()? as f64)
}

/// Records as they are; a row of nothing stands for one that is not there.
async fn records(call: &mut Call, ids: Words) -> Result<Grid, Fault> {
    if ids.is_empty() {
        return Ok(Grid::empty(Dict::new()));
    }
    let count = ids.len().to_string().into_bytes();
    let words = std::iter::once(count).chain(ids).chain([b"UNCHECKED".to_vec()]).collect();
    call.ask_grid("folio.readbyids", words).await
}

/// `watchPoll`: the records that have changed since, or all.
pub async fn poll(mut call: Call) -> Result<Reply, Fault> {
    let watch = known_watch(&call)?;
    let refresh = call.args.meta().get("refresh").is_some_and(|it| it != &Value::from(false));
    let how = refresh.then_some("REFRESH").into_iter().chain(["KEEP"]);
    let how = how.map(|word| word.as_bytes().to_vec());
    let said = call.ask("folio.watch.poll", of(&watch, how)).await?;
    let ids = said.as_slice().ok_or(NoReply::Broken)?.iter();
    let ids: Words = ids.filter_map(|id| id.as_bytes().map(<[u8]>::to_vec)).collect();
    let is_any = !ids.is_empty();
    let mut grid = records(&mut call, ids).await?;
    if is_any {
        // What cannot be let go is told once more.
        let _ = call.ask("folio.watch.poll", of(&watch, [b"LETGO".to_vec()])).await;
    }
    grid.meta_mut().put(WATCH, watch)?;
    Ok(grid.into())
}

/// `watchUnsub`: takes records out of a watch, or closes it.
pub async fn unsubscribe(mut call: Call) -> Result<Reply, Fault> {
    let watch = known_watch(&call)?;
    if call.args.meta().get("close").is_some_and(|it| it != &Value::from(false)) {
        call.ask("folio.watch.close", of(&watch, [])).await?;
    } else {
        let ids = call.ids()?;
        if ids.is_empty() {
            return Err(Fault::argument("refs 'id' or a meta 'close' are needed"));
        }
        call.ask("folio.watch.remove", of(&watch, ids)).await?;
    }
    Ok(Grid::empty(Dict::new()).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use haystack::zinc;

    #[test]
    fn leases_are_times() {
        let lease = |text: &str| seconds(&zinc::read_value(text).unwrap()).ok();
        assert_eq!((lease("1min"), lease("90sec"), lease("2hr")), (Some(60), Some(90), Some(7200)));
        assert_eq!((lease("1ms"), lease("0sec")), (Some(1), Some(1)));
        assert_eq!((lease("INF"), lease("1000000yr")), (None, Some(1_000_000)));
        for wrong in ["5", "-1min", "5kW", "NaN", "\"1min\"", "M"] {
            assert_eq!(lease(wrong), None, "{wrong}");
        }
    }
}
