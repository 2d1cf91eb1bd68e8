//! What an operation is given: a grid in the body, or a row of the query's parameters.

use std::sync::Arc;

use engine::ClientMemory;
use haystack::{Dict, Grid, Tag, Value, zinc};
use hyper::Method;
use hyper::body::{Body, Incoming};
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderName};
use hyper::http::request::Parts;

use super::Format;
use crate::aside;
use crate::body::{self, BufferedBody};
use crate::port::Http;
use crate::reply::Refusal;
use crate::text::Query;

/// Of what is packed there may be so many times as much, or more.
const PACKED: usize = 64;

/// Reads it, and tells how many bytes it takes.
///
/// # Errors
/// 400 for what is no grid, 415 for a body that is none in any format, and what bodies are refused
/// for.
pub async fn read(
    http: &Arc<Http>,
    memory: &ClientMemory,
    head: &Parts,
    unread: &mut Option<Incoming>,
) -> Result<(Grid, usize), Refusal> {
    if head.method != Method::POST {
        return of_query(head.uri.query().unwrap_or_default()).map(weighed);
    }
    let body = unread.take_if(|body| !body.is_end_stream());
    let Some(body) = body else { return Ok(weighed(Grid::empty(Dict::new()))) };
    let format = of_header(head, &CONTENT_TYPE).ok_or_else(|| {
        Refusal::new(400, "a body needs a Content-Type: text/zinc, application/json, …")
    })?;
    let format = Format::of_body(format);
    let format = format.ok_or_else(|| Refusal::new(415, "this Content-Type is not spoken"))?;
    let packed = match of_header(head, &CONTENT_ENCODING).map(str::to_ascii_lowercase).as_deref() {
        None | Some("identity") => false,
        Some("gzip" | "x-gzip") => true,
        Some(_) => return Err(Refusal::new(415, "this Content-Encoding is not spoken")),
    };
    let engine = &http.workers.engine;
    let body = body::read(body, (engine, &http.budget), memory.beside(0)).await?;
    let bytes = body.len() * if packed { PACKED } else { 1 };
    let engine = Arc::clone(engine);
    let parse = move || grid_of(body, format, packed.then_some(&*engine)).map(weighed);
    aside::work(&http.workers, bytes, parse).await?
}

fn weighed(grid: Grid) -> (Grid, usize) {
    let bytes = grid.memory();
    (grid, bytes)
}

fn of_header<'h>(head: &'h Parts, name: &HeaderName) -> Option<&'h str> {
    head.headers.get(name).map(|value| value.to_str().unwrap_or_default().trim())
}

fn grid_of(
    mut body: BufferedBody,
    format: Format,
    packed: Option<&engine::Engine>,
) -> Result<Grid, Refusal> {
    if let Some(engine) = packed {
        body = body.inflated(engine)?;
    }
    if body.len() == 0 {
        return Ok(Grid::empty(Dict::new()));
    }
    let text = std::str::from_utf8(body.bytes());
    let text = text.map_err(|_| Refusal::new(400, "the body is no UTF-8"))?;
    format.read(text).map_err(|error| Refusal::new(400, format!("the body is no grid: {error}")))
}

/// One row of what the parameters are: values of Zinc, or else texts.
fn of_query(query: &str) -> Result<Grid, Refusal> {
    let wrong = |why: &str| Refusal::new(400, why);
    let query = Query::read(query).ok_or_else(|| wrong("the query is not percent-encoded"))?;
    let mut row = Dict::new();
    for (name, value) in query.pairs() {
        let (name, value) = (std::str::from_utf8(name), std::str::from_utf8(value));
        let (Ok(name), Ok(value)) = (name, value) else {
            return Err(wrong("the query is no UTF-8"));
        };
        let name = Tag::new(name).map_err(|error| wrong(error.message()))?;
        row.set(name, zinc::read_value(value).unwrap_or_else(|_| Value::str(value)));
    }
    Grid::from_dicts(Dict::new(), &[row]).map_err(|error| wrong(error.message()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_zinc_or_text() {
        let row = |query: &str| of_query(query).unwrap().row(0).to_dict();
        let read = row("filter=site%20and+area%3e5&limit=3&id=@a&day=2024-05-01&t=T");
        assert_eq!(read.get("filter").unwrap().as_str(), Some("site and area>5"));
        assert_eq!(read.get("limit"), Some(&Value::from(3.0)));
        assert_eq!(read.get("id"), Some(&Value::id("a").unwrap()));
        assert_eq!(read.get("t"), Some(&Value::from(true)));
        assert_eq!(row("range=today").get("range").unwrap().as_str(), Some("today"));
        assert!(row("").is_empty());
        for wrong in ["%zz", "Up=1", "a=%ff", "=1"] {
            assert!(of_query(wrong).is_err(), "{wrong}");
        }
    }
}
