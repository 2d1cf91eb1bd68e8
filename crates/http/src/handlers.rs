//! Which handler a route has.

use crate::reply::{Answer, Refusal};
use crate::request::ApiRequest;
use crate::route::Op;
use crate::{graph, metrics, range, records, status, ttl};

/// Handles a request.
///
/// # Errors
/// Why not.
pub async fn handle(op: Op, request: ApiRequest) -> Result<Answer, Refusal> {
    match op {
        Op::Root => Ok(status::root()),
        Op::Live => Ok(status::live()),
        Op::Ready => Ok(status::ready(&request)),
        Op::OpenApi => Ok(status::openapi()),
        Op::Stats => status::stats(request).await,
        Op::Health => Ok(status::health(&request)),
        Op::Metrics => metrics::page(request).await,
        Op::Figures => metrics::figures(request).await,
        Op::GetRecord => records::get(request).await,
        Op::SetRecord => records::set(request).await,
        Op::DeleteRecord => records::delete(request).await,
        Op::Bulk => records::bulk(request).await,
        Op::Range => range::records(request).await,
        Op::Count => range::count(request).await,
        Op::GraphQuery => graph::query(request).await,
        // It has a way of its own, with other credentials and arguments.
        Op::Haystack => Err(Refusal::new(500, "the Haystack API is answered elsewhere")),
        Op::GetTtl => ttl::get(request).await,
        Op::SetTtl => ttl::set(request).await,
        Op::DeleteTtl => ttl::delete(request).await,
    }
}
