//! Grids as bodies of answers.

use std::io::Write;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::header::{ACCEPT_ENCODING, CONTENT_ENCODING, HeaderValue, VARY};
use hyper::{HeaderMap, StatusCode};

use super::Format;
use super::call::Reply;
use crate::aside;
use crate::port::Http;
use crate::reply::{self, Answer, Refusal};

/// Bodies up to this are not packed: it would save less than the header takes.
const NOT_PACKED: usize = 1024;

/// Writes a grid, on another thread if it is large.
///
/// # Errors
/// Too many such wait.
pub async fn write(
    http: &Arc<Http>,
    headers: &HeaderMap,
    format: Format,
    reply: Reply,
) -> Result<Answer, Refusal> {
    let packs = takes_gzip(headers);
    let bytes = match &reply {
        Reply::Grid(grid) => grid.memory(),
        // Nothing is made of it, unless it is packed.
        Reply::Text(text) => {
            if packs {
                text.len()
            } else {
                0
            }
        }
    };
    let write = move || {
        let text = match reply {
            Reply::Grid(grid) => format.write(&grid),
            Reply::Text(text) => text,
        };
        if packs && text.len() > NOT_PACKED { (packed(&text), true) } else { (text, false) }
    };
    let (body, is_packed) = aside::work(&http.workers, bytes, write).await?;
    let mut answer = reply::answer(StatusCode::OK, format.content_type(), body);
    let headers = answer.headers_mut();
    headers.insert(VARY, HeaderValue::from_static("Accept, Accept-Encoding"));
    if is_packed {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Ok(answer)
}

/// Whether a client takes what is packed by gzip.
fn takes_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers.get(ACCEPT_ENCODING).and_then(|accepted| accepted.to_str().ok());
    accepted.unwrap_or_default().split(',').any(|one| {
        let (name, quality) = one.split_once(';').unwrap_or((one, ""));
        let refused = quality.trim().strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0));
        matches!(name.trim().to_ascii_lowercase().as_str(), "gzip" | "x-gzip" | "*") && !refused
    })
}

fn packed(text: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    // What is written to memory is always taken.
    let done = out.write_all(text).and_then(|()| out.finish());
    done.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_packed() {
        let takes = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(text));
            takes_gzip(&headers)
        };
        assert!(takes("gzip") && takes("deflate, GZIP;q=0.5") && takes("*"));
        assert!(!takes("") && !takes("deflate") && !takes("gzip;q=0") && !takes("gzip; q=0.0"));
        assert!(!takes_gzip(&HeaderMap::new()));
    }
}
