//! Records: one at a time, and many at once.

use std::borrow::Cow;
use std::collections::BTreeMap;

use hyper::StatusCode;
use serde_json::value::RawValue;

use crate::aside;
use crate::reply::{self, Answer, Refusal, fine};
use crate::request::ApiRequest;
use crate::session::Words;
use crate::text;

/// Records that are set under one hold of a worker, before other requests get their turn.
const STEP: usize = 128;

/// The fields of an object of JSON, as they were written.
pub type Fields<'b> = BTreeMap<Cow<'b, str>, &'b RawValue>;

/// Reads a body as an object of these fields.
///
/// # Errors
/// 400 if it is no JSON, 422 if it is something else.
pub fn fields<'b>(body: &'b [u8], known: &[&str]) -> Result<Fields<'b>, Refusal> {
    let json: &RawValue = serde_json::from_slice(body)
        .map_err(|error| Refusal::new(400, format!("the body is not JSON: {error}")))?;
    object(json, known)
}

fn object<'b>(json: &'b RawValue, known: &[&str]) -> Result<Fields<'b>, Refusal> {
    let names = || known.join(", ");
    let fields: Fields<'b> = serde_json::from_str(json.get())
        .map_err(|_| Refusal::new(422, format!("an object is wanted, with some of {}", names())))?;
    match fields.keys().find(|name| !known.contains(&&***name)) {
        Some(name) => {
            let error = format!("unknown field {name:?}; there are {}", names());
            Err(Refusal::new(422, error))
        }
        None => Ok(fields),
    }
}

/// The bytes that a field of text stands for, or its sibling in base64.
fn bytes_of<'b>(
    fields: &Fields<'b>,
    (name, in_base64): (&str, &str),
    json: bool,
) -> Result<Cow<'b, [u8]>, Refusal> {
    match (fields.get(name), fields.get(in_base64)) {
        (Some(raw), None) if json && !raw.get().starts_with('"') => {
            Ok(Cow::Borrowed(raw.get().as_bytes()))
        }
        (Some(raw), None) => match serde_json::from_str::<Cow<'b, str>>(raw.get()) {
            Ok(text) => Ok(Cow::Owned(text.into_owned().into_bytes())),
            Err(_) => Err(Refusal::new(422, format!("{name} must be a string"))),
        },
        (None, Some(raw)) => serde_json::from_str::<Cow<'b, str>>(raw.get())
            .ok()
            .and_then(|text| text::from_base64(&text))
            .map(Cow::Owned)
            .ok_or_else(|| Refusal::new(422, format!("{in_base64} must be base64"))),
        _ => Err(Refusal::new(422, format!("either {name} or {in_base64} is required"))),
    }
}

const KEY: (&str, &str) = ("key", "key_base64");
const VALUE: (&str, &str) = ("value", "value_base64");

/// `GET /api/v1/records/{key}`
pub async fn get(request: ApiRequest) -> Result<Answer, Refusal> {
    let key = request.key().to_vec();
    let (mut client, mut found) = aside::call(request.session().await, "get", &[&key]).await?;
    if found.as_error().is_some_and(|error| error.starts_with(b"WRONGTYPE")) {
        // A document is JSON as it is.
        let document;
        (client, document) = aside::call(client, "json.get", &[&key]).await?;
        if document.as_error().is_none() {
            found = document;
        }
    }
    let found = fine(found)?;
    let bytes = found.as_bytes().ok_or_else(absent)?.len();
    let write = move || {
        let mut out = String::from("{");
        text::bytes(&mut out, "key", &key);
        out.push(',');
        text::value(&mut out, found.as_bytes());
        out.push('}');
        out
    };
    Ok(reply::json(client.work(bytes, write).await?))
}

/// There is no such key.
#[must_use]
pub fn absent() -> Refusal {
    Refusal::new(404, "Record not found")
}

/// `POST` and `PUT /api/v1/records/{key}`
pub async fn set(mut request: ApiRequest) -> Result<Answer, Refusal> {
    let read = |body: &[u8]| {
        let fields = fields(body, &[VALUE.0, VALUE.1])?;
        Ok(bytes_of(&fields, VALUE, true)?.into_owned())
    };
    let value = request.take_body(read).await?;
    let key = request.key();
    // It is there until it is set.
    let _value = request.memory.beside(value.len());
    let words = vec![key.to_vec(), value];
    fine(aside::call_with(request.session().await, "set", words).await?.1)?;
    let mut out = String::from("{");
    text::bytes(&mut out, "key", key);
    out.push_str(",\"success\":true}");
    Ok(reply::json(out))
}

/// `DELETE /api/v1/records/{key}`
pub async fn delete(request: ApiRequest) -> Result<Answer, Refusal> {
    fine(aside::call(request.session().await, "del", &[request.key()]).await?.1)?;
    Ok(reply::nothing())
}

/// The keys and values of a bulk: the words that set each.
fn records_of(body: &[u8]) -> Result<Vec<Words>, Refusal> {
    let outer = fields(body, &["records"])?;
    let records = outer.get("records").ok_or_else(|| Refusal::new(422, "records is required"))?;
    let records: Vec<&RawValue> = serde_json::from_str(records.get())
        .map_err(|_| Refusal::new(422, "records must be an array"))?;
    let record = |(at, raw): (usize, &&RawValue)| {
        let read = object(raw, &[KEY.0, KEY.1, VALUE.0, VALUE.1]).and_then(|fields| {
            let (key, value) = (bytes_of(&fields, KEY, false)?, bytes_of(&fields, VALUE, true)?);
            Ok(vec![key.into_owned(), value.into_owned()])
        });
        read.map_err(|why: Refusal| Refusal::new(422, format!("record {at}: {}", why.error)))
    };
    records.iter().enumerate().map(record).collect()
}

/// `POST /api/v1/records/bulk`: reads all of it before the first is set.
pub async fn bulk(mut request: ApiRequest) -> Result<Answer, Refusal> {
    let records = request.read_body(records_of).await?;
    let (mut inserted, mut failed) = (0_usize, String::new());
    let mut client = request.session().await;
    let mut records = records.into_iter();
    loop {
        let some: Vec<Words> = records.by_ref().take(STEP).collect();
        if some.is_empty() {
            break;
        }
        let (back, replies, some) = aside::call_all(client, "set", some).await?;
        client = back;
        for (words, said) in some.iter().zip(&replies) {
            let Some(error) = said.as_error() else {
                inserted += 1;
                continue;
            };
            let key = words.first().map_or(&[][..], Vec::as_slice);
            failed.push_str(if failed.is_empty() { "{" } else { ",{" });
            text::bytes(&mut failed, "key", key);
            failed.push_str(",\"error\":");
            text::string(&mut failed, &String::from_utf8_lossy(error));
            failed.push('}');
        }
        tokio::task::yield_now().await;
    }
    let body = format!("{{\"inserted\":{inserted},\"failed\":[{failed}]}}");
    Ok(reply::answer(StatusCode::OK, reply::JSON, body))
}
