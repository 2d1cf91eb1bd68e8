//! Figures in the text format of Prometheus.
//!
//! `redis.rs` tells them under the names of redis_exporter, which is what dashboards and alerts of
//! Redis know; `own.rs` tells what Redis has not; `neuroindex.rs` a few under the names of
//! NeuroIndex. The first are read from `INFO`, as redis_exporter reads them: the two can never
//! differ, and a user without the right to `INFO` may not see them.

mod neuroindex;
mod own;
mod redis;
mod write;

use hyper::StatusCode;

use crate::aside;
use crate::reply::{self, Answer, Refusal, fine};
use crate::request::ApiRequest;

use write::Page;

/// The type of a page.
const FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// `INFO` of every section, if the caller may see it.
async fn info(request: &ApiRequest) -> Result<String, Refusal> {
    let info = fine(aside::call(request.session().await, "info", &[b"everything"]).await?.1)?;
    Ok(String::from_utf8_lossy(info.as_bytes().unwrap_or_default()).into_owned())
}

/// `GET /metrics`
///
/// # Errors
/// The caller may not use `INFO`.
pub async fn page(request: ApiRequest) -> Result<Answer, Refusal> {
    let text = info(&request).await?;
    let engine = &request.http.workers.engine;
    let mut page = Page::default();
    redis::write(&mut page, engine, &text);
    tokio::task::yield_now().await;
    own::write(&mut page, &request.http, &text);
    Ok(reply::answer(StatusCode::OK, FORMAT, page.finish()))
}

/// `GET /api/v1/metrics`
///
/// # Errors
/// The caller may not use `INFO`.
pub async fn figures(request: ApiRequest) -> Result<Answer, Refusal> {
    let text = info(&request).await?;
    let mut page = Page::default();
    neuroindex::write(&mut page, &request.http.workers.engine, &text);
    Ok(reply::answer(StatusCode::OK, FORMAT, page.finish()))
}

/// The fields of `INFO`.
fn fields(info: &str) -> impl Iterator<Item = (&str, &str)> {
    info.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(':'))
}

/// The pairs of a field such as `keys=1,expires=0`.
fn pair<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.split(',').filter_map(|pair| pair.split_once('=')).find(|p| p.0 == name).map(|p| p.1)
}
