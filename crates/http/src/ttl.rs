//! The time that keys have left.

use serde_json::Number;

use crate::aside;
use crate::records::{absent, fields};
use crate::reply::{self, Answer, Refusal, fine};
use crate::request::ApiRequest;
use crate::text;

/// The longest time that can be given, in milliseconds: 126,000 years.
pub const LONGEST: i64 = 4_000_000_000_000_000;

fn told(key: &[u8], millis: i64) -> Answer {
    let mut out = String::from("{");
    text::bytes(&mut out, "key", key);
    out.push_str(&format!(",\"ttl_ms\":{millis}}}"));
    reply::json(out)
}

/// `GET /api/v1/ttl/{key}`: milliseconds; -1 if it stays for ever.
pub async fn get(request: ApiRequest) -> Result<Answer, Refusal> {
    let key = request.key();
    let left = fine(aside::call(request.session().await, "pttl", &[key]).await?.1)?;
    match left.as_i64() {
        Some(millis @ -1..) => Ok(told(key, millis)),
        _ => Err(absent()),
    }
}

/// The milliseconds that a body says.
fn millis_of(body: &[u8]) -> Result<i64, Refusal> {
    let fields = fields(body, &["ttl_ms", "ttl_seconds"])?;
    let number = |name: &str| match fields.get(name) {
        Some(raw) => serde_json::from_str::<Number>(raw.get())
            .ok()
            .as_ref()
            .and_then(whole)
            .filter(|number| *number > 0)
            .map(Some)
            .ok_or_else(|| Refusal::new(422, format!("{name} must be a whole number above 0"))),
        None => Ok(None),
    };
    let millis = match (number("ttl_ms")?, number("ttl_seconds")?) {
        (Some(millis), None) => Some(millis),
        (None, Some(seconds)) => seconds.checked_mul(1000),
        (None, None) => return Err(Refusal::new(400, "ttl_ms or ttl_seconds is required")),
        (Some(_), Some(_)) => {
            return Err(Refusal::new(422, "ttl_ms and ttl_seconds exclude each other"));
        }
    };
    let millis = millis.filter(|millis| *millis <= LONGEST);
    millis.ok_or_else(|| Refusal::new(422, "the time is too long"))
}

/// `POST /api/v1/ttl/{key}`
pub async fn set(mut request: ApiRequest) -> Result<Answer, Refusal> {
    let millis = request.read_body(millis_of).await?;
    let key = request.key();
    let digits = millis.to_string();
    let words = [key, digits.as_bytes()];
    let set = fine(aside::call(request.session().await, "pexpire", &words).await?.1)?;
    if set.as_i64() == Some(1) { Ok(told(key, millis)) } else { Err(absent()) }
}

/// A number that is whole, however it is written.
fn whole(number: &Number) -> Option<i64> {
    // Where every whole number is one that a float can be.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    number.as_i64().or_else(|| {
        let float = number.as_f64().filter(|f| f.fract() == 0.0 && f.abs() <= EXACT)?;
        format!("{float:.0}").parse().ok()
    })
}

/// `DELETE /api/v1/ttl/{key}`
pub async fn delete(request: ApiRequest) -> Result<Answer, Refusal> {
    let key = request.key();
    let (client, stays) = aside::call(request.session().await, "persist", &[key]).await?;
    if fine(stays)?.as_i64() == Some(0) {
        let exists = fine(aside::call(client, "exists", &[key]).await?.1)?;
        if exists.as_i64() == Some(0) {
            return Err(absent());
        }
    }
    Ok(told(key, -1))
}
