//! A request as its handler sees it, and which handler that is.

use std::sync::Arc;

use tokio::sync::Mutex;

use crate::body::Held;
use crate::desk::Caller;
use crate::reply::{Answer, Refusal};
use crate::route::Op;
use crate::serve::Http;
use crate::text::Query;
use crate::{about, metrics, range, records, ttl};

/// A request that was let in.
pub struct Ask {
    /// The port.
    pub http: Arc<Http>,
    /// Who asks. Held by one handler at a time, or by whoever makes the body of its answer.
    pub caller: Arc<Mutex<Caller>>,
    /// What stands for `{…}` in the path.
    pub values: Vec<Vec<u8>>,
    /// The query.
    pub query: Query,
    /// The body, where one is expected.
    pub body: Option<Held>,
}

impl Ask {
    /// The key in the path.
    pub fn key(&self) -> &[u8] {
        self.values.first().map_or(&[], Vec::as_slice)
    }

    /// The body.
    pub fn body(&self) -> &[u8] {
        self.body.as_ref().map_or(&[], |held| &held.bytes)
    }
}

/// Does what is asked.
///
/// # Errors
/// Why not.
pub async fn handle(op: Op, ask: Ask) -> Result<Answer, Refusal> {
    match op {
        Op::Root => Ok(about::root()),
        Op::Live => Ok(about::live()),
        Op::Ready => Ok(about::ready(&ask)),
        Op::OpenApi => Ok(about::openapi()),
        Op::Stats => about::stats(ask).await,
        Op::Health => Ok(about::health(&ask)),
        Op::Metrics => metrics::page(ask).await,
        Op::Figures => metrics::figures(ask).await,
        Op::GetRecord => records::get(ask).await,
        Op::SetRecord => records::set(ask).await,
        Op::DeleteRecord => records::delete(ask).await,
        Op::Bulk => records::bulk(ask).await,
        Op::Range => range::records(ask).await,
        Op::Count => range::count(ask).await,
        Op::GetTtl => ttl::get(ask).await,
        Op::SetTtl => ttl::set(ask).await,
        Op::DeleteTtl => ttl::delete(ask).await,
    }
}
