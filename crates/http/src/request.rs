//! A request as its handler sees it, and which handler that is.

use std::sync::Arc;

use tokio::sync::Mutex;

use crate::body::BufferedBody;
use crate::reply::{Answer, Refusal};
use crate::route::Op;
use crate::serve::Http;
use crate::session::ClientSession;
use crate::text::Query;
use crate::{metrics, range, records, status, ttl};

/// A request that was let in.
pub struct ApiRequest {
    /// The port.
    pub http: Arc<Http>,
    /// The client's session. Held by one handler at a time, or by the task that writes the body of
    /// its answer.
    pub client: Arc<Mutex<ClientSession>>,
    /// What stands for `{…}` in the path.
    pub values: Vec<Vec<u8>>,
    /// The query.
    pub query: Query,
    /// The body, where one is expected.
    pub body: Option<BufferedBody>,
}

impl ApiRequest {
    /// The key in the path.
    pub fn key(&self) -> &[u8] {
        self.values.first().map_or(&[], Vec::as_slice)
    }

    /// The body.
    pub fn body(&self) -> &[u8] {
        self.body.as_ref().map_or(&[], |held| &held.bytes)
    }
}

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
        Op::GetTtl => ttl::get(request).await,
        Op::SetTtl => ttl::set(request).await,
        Op::DeleteTtl => ttl::delete(request).await,
    }
}
