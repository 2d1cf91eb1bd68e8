//! What is said of the server, and the end of a login.

use haystack::{DateTime, Dict, Grid, Value, Zone};
use journal::wall_clock;

use super::call::{Call, Reply};
use super::fault::Fault;
use super::login;

/// The version of Haystack that is spoken.
const HAYSTACK: &str = "4.0";
const WHERE: &str = "https://github.com/kvist-db/kvist";

/// `about`
pub fn run(call: &Call) -> Result<Reply, Fault> {
    let engine = &call.http.workers.engine;
    let mut row = Dict::new();
    row.put("haystackVersion", HAYSTACK)?;
    row.put("tz", Zone::UTC.city())?;
    row.put("serverName", "Kvist")?;
    row.put("serverTime", instant(wall_clock()))?;
    row.put("serverBootTime", instant(engine.run.started))?;
    row.put("productName", "Kvist")?;
    row.put("productUri", Value::uri(WHERE))?;
    row.put("productVersion", env!("CARGO_PKG_VERSION"))?;
    row.put("vendorName", "Kvist")?;
    row.put("vendorUri", Value::uri(WHERE))?;
    row.put("whoami", call.user())?;
    Ok(Grid::from_dicts(Dict::new(), &[row])?.into())
}

/// An instant in milliseconds, at Greenwich.
fn instant(millis: base::Millis) -> DateTime {
    let nanos = i64::try_from(millis).unwrap_or(i64::MAX).saturating_mul(1_000_000);
    DateTime::from_nanos(nanos, Zone::UTC)
}

/// `close`
pub fn close(call: &Call) -> Reply {
    if let Some(token) = &call.token {
        login::close(&call.http, token);
    }
    Grid::empty(Dict::new()).into()
}
