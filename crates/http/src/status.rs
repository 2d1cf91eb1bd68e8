//! The server's state: root page, health, readiness, statistics.

use std::sync::OnceLock;

use bytes::Bytes;
use engine::Engine;
use hyper::StatusCode;

use crate::aside;
use crate::openapi;
use crate::reply::{self, Answer, JSON, Refusal, fine};
use crate::request::ApiRequest;
use crate::route::ROUTES;
use crate::session;

const TEXT: &str = "text/plain; charset=utf-8";
const NOT_WRITABLE: &str = "MISCONF writes are refused: the server's log says why";

/// `GET /`
pub fn root() -> Answer {
    let endpoints: Vec<String> =
        ROUTES.iter().map(|route| format!("\"{} {}\"", route.method, route.path)).collect();
    reply::json(format!(
        "{{\"name\":\"Kvist\",\"version\":\"{}\",\"endpoints\":[{}],\
         \"documentation\":\"/openapi.json\"}}",
        env!("CARGO_PKG_VERSION"),
        endpoints.join(",")
    ))
}

/// `GET /health`: the process lives and its threads run.
pub fn live() -> Answer {
    reply::answer(StatusCode::OK, TEXT, "OK\n")
}

/// `GET /ready`
pub fn ready(request: &ApiRequest) -> Answer {
    let engine = &request.http.workers.engine;
    match engine.hindrance() {
        None => reply::answer(StatusCode::OK, TEXT, "OK\n"),
        Some(why) => {
            // What exactly is wrong with the disk is in the log, and not public.
            let loading = engine.durability.is_loading();
            let why = if loading { why.to_string() } else { NOT_WRITABLE.to_owned() };
            reply::answer(StatusCode::SERVICE_UNAVAILABLE, TEXT, format!("{why}\n"))
        }
    }
}

/// `GET /openapi.json`
pub fn openapi() -> Answer {
    static DOCUMENT: OnceLock<Bytes> = OnceLock::new();
    let document = DOCUMENT.get_or_init(|| openapi::document().into());
    reply::answer(StatusCode::OK, JSON, document.clone())
}

/// Whole mebibytes, rounded as usual.
fn mebibytes(bytes: usize) -> usize {
    bytes.saturating_add(1 << 19) >> 20
}

fn figures(request: &ApiRequest) -> String {
    let engine: &Engine = &request.http.workers.engine;
    format!(
        "\"total_keys\":{},\"shards\":{},\"memory_mb\":{}",
        session::keys(&request.http.workers),
        engine.store.shards(),
        mebibytes(engine.used_memory())
    )
}

/// `GET /api/v1/stats`: for users who may count keys.
pub async fn stats(request: ApiRequest) -> Result<Answer, Refusal> {
    fine(aside::call(request.session().await, "dbsize", &[]).await?.1)?;
    Ok(reply::json(format!("{{{}}}", figures(&request))))
}

/// `GET /api/v1/health`: the same for every client, in a few words and at no cost. Figures are what
/// `/api/v1/stats` and `/metrics` tell users with the right to them.
pub fn health(request: &ApiRequest) -> Answer {
    let engine = &request.http.workers.engine;
    let (status, word) = match engine.hindrance() {
        None => (StatusCode::OK, "healthy"),
        Some(_) if engine.durability.is_loading() => (StatusCode::SERVICE_UNAVAILABLE, "loading"),
        Some(_) => (StatusCode::SERVICE_UNAVAILABLE, "troubled"),
    };
    reply::answer(status, JSON, format!("{{\"status\":\"{word}\"}}"))
}
