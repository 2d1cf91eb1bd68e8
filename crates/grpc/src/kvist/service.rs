//! The service itself: each method reads its request and passes it to the module that handles it.

use std::ops::Bound;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt};
use smallvec::SmallVec;
use tonic::{Request, Response, Status, Streaming};

use super::list::{self, Wanted};
use super::operation::{Operation, check, read_reply};
use super::{batch, watch};
use crate::caller::{Caller, Replied};
use crate::connection_user::ConnectionUser;
use crate::generated::kvist as pb;
use crate::generated::kvist::kvist_service_server::KvistService;
use crate::inbound::Meter;
use crate::key_pages::{Range, Select, Span};
use crate::shared::Shared;
use crate::status;

/// The service.
pub struct Service;

type Answers<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// Runs one operation.
async fn perform<O>(request: Request<O>) -> Result<Response<O::Result>, Status>
where
    O: Operation<Result: Send + 'static> + Send + Sync + 'static,
{
    let caller = Caller::of(&request)?;
    let operation = request.into_inner();
    let replied = {
        let words = operation.words()?;
        let argv: SmallVec<[&[u8]; 8]> = words.iter().map(|word| &word[..]).collect();
        let guard = caller.take_session()?;
        guard.reply(operation.db(), &argv, |reply| operation.read(reply)).await?
    };
    let result = match replied {
        Replied::Read(_, result) => result,
        Replied::Unread(guard, reply) => {
            drop(guard);
            read_reply(&caller.user.shared, reply, operation).await
        }
    };
    result.map(Response::new)
}

/// One of the streams that may be open.
struct OpenStream(Arc<Shared>);

impl OpenStream {
    fn new(caller: &Caller) -> Result<Self, Status> {
        let shared = &caller.user.shared;
        if !shared.streams.take(1) {
            return Err(status::exhausted("too many streams are open"));
        }
        Ok(OpenStream(Arc::clone(shared)))
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.0.streams.give(1);
    }
}

/// A stream as an answer. It counts among those that are open for as long as it is, and ends when
/// the credentials of its call do not hold any more, whatever it waits for.
fn answer<T: Send + 'static>(
    open: OpenStream,
    user: Arc<ConnectionUser>,
    items: impl Stream<Item = Result<T, Status>> + Send + 'static,
) -> Response<Answers<T>> {
    let authenticated = Arc::clone(&user);
    let items = items.take_until(async move { authenticated.no_longer_holds().await });
    let verdict = async move { (!user.holds()).then(|| Err(status::no_longer())) };
    let items = items.chain(stream::once(verdict).filter_map(std::future::ready));
    Response::new(Box::pin(items.map(move |item| {
        let _open = &open;
        item
    })))
}

fn bound(bound: Option<pb::Bound>) -> Bound<Bytes> {
    match bound {
        None => Bound::Unbounded,
        Some(pb::Bound { key, exclusive: false }) => Bound::Included(key),
        Some(pb::Bound { key, exclusive: true }) => Bound::Excluded(key),
    }
}

#[tonic::async_trait]
impl KvistService for Service {
    type BatchStream = Answers<pb::BatchResponse>;
    type RangeStream = Answers<pb::RangeResponse>;
    type PrefixStream = Answers<pb::PrefixResponse>;
    type ScanStream = Answers<pb::ScanResponse>;
    type WatchStream = Answers<pb::WatchResponse>;

    async fn get(
        &self,
        request: Request<pb::GetRequest>,
    ) -> Result<Response<pb::GetResponse>, Status> {
        perform(request).await
    }

    async fn set(
        &self,
        request: Request<pb::SetRequest>,
    ) -> Result<Response<pb::SetResponse>, Status> {
        perform(request).await
    }

    async fn m_get(
        &self,
        request: Request<pb::MGetRequest>,
    ) -> Result<Response<pb::MGetResponse>, Status> {
        perform(request).await
    }

    async fn m_set(
        &self,
        request: Request<pb::MSetRequest>,
    ) -> Result<Response<pb::MSetResponse>, Status> {
        perform(request).await
    }

    async fn delete(
        &self,
        request: Request<pb::DeleteRequest>,
    ) -> Result<Response<pb::DeleteResponse>, Status> {
        perform(request).await
    }

    async fn expire(
        &self,
        request: Request<pb::ExpireRequest>,
    ) -> Result<Response<pb::ExpireResponse>, Status> {
        perform(request).await
    }

    async fn ttl(
        &self,
        request: Request<pb::TtlRequest>,
    ) -> Result<Response<pb::TtlResponse>, Status> {
        perform(request).await
    }

    async fn execute(
        &self,
        request: Request<pb::ExecuteRequest>,
    ) -> Result<Response<pb::ExecuteResponse>, Status> {
        let caller = Caller::of(&request)?;
        check(&caller.user.shared.engine, &request.get_ref().words)?;
        perform(request).await
    }

    async fn batch(
        &self,
        request: Request<Streaming<pb::BatchRequest>>,
    ) -> Result<Response<Self::BatchStream>, Status> {
        let caller = Caller::of(&request)?;
        let (open, user) = (OpenStream::new(&caller)?, Arc::clone(&caller.user));
        let meter = request.extensions().get::<Meter>().cloned();
        Ok(answer(open, user, batch::answers(caller, request.into_inner(), meter)))
    }

    async fn range(
        &self,
        request: Request<pb::RangeRequest>,
    ) -> Result<Response<Self::RangeStream>, Status> {
        let caller = Caller::of(&request)?;
        let (open, user) = (OpenStream::new(&caller)?, Arc::clone(&caller.user));
        let request = request.into_inner();
        let range = Range {
            db: request.database,
            span: Span::Between(bound(request.start), bound(request.end)),
            kind: request.r#type,
            reverse: request.reverse,
        };
        let wanted =
            Wanted { limit: request.limit, values: request.with_values, page: request.page_size };
        let pages = list::range(caller, range, wanted);
        Ok(answer(open, user, pages.map(|page| page.map(|entries| pb::RangeResponse { entries }))))
    }

    async fn prefix(
        &self,
        request: Request<pb::PrefixRequest>,
    ) -> Result<Response<Self::PrefixStream>, Status> {
        let caller = Caller::of(&request)?;
        let (open, user) = (OpenStream::new(&caller)?, Arc::clone(&caller.user));
        let request = request.into_inner();
        let range = Range {
            db: request.database,
            span: Span::Prefix(request.prefix),
            kind: request.r#type,
            reverse: request.reverse,
        };
        let wanted =
            Wanted { limit: request.limit, values: request.with_values, page: request.page_size };
        let pages = list::range(caller, range, wanted);
        Ok(answer(open, user, pages.map(|page| page.map(|entries| pb::PrefixResponse { entries }))))
    }

    async fn scan(
        &self,
        request: Request<pb::ScanRequest>,
    ) -> Result<Response<Self::ScanStream>, Status> {
        let caller = Caller::of(&request)?;
        let (open, user) = (OpenStream::new(&caller)?, Arc::clone(&caller.user));
        let request = request.into_inner();
        let select =
            Select { db: request.database, pattern: request.pattern.into(), kind: request.r#type };
        let wanted =
            Wanted { limit: request.limit, values: request.with_values, page: request.page_size };
        let pages = list::scan(caller, select, wanted);
        Ok(answer(open, user, pages.map(|page| page.map(|entries| pb::ScanResponse { entries }))))
    }

    async fn watch(
        &self,
        request: Request<pb::WatchRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        let caller = Caller::of(&request)?;
        let (open, user) = (OpenStream::new(&caller)?, Arc::clone(&caller.user));
        Ok(answer(open, user, watch::events(caller, request.into_inner())?))
    }

    async fn json_get(
        &self,
        request: Request<pb::JsonGetRequest>,
    ) -> Result<Response<pb::JsonGetResponse>, Status> {
        perform(request).await
    }

    async fn json_set(
        &self,
        request: Request<pb::JsonSetRequest>,
    ) -> Result<Response<pb::JsonSetResponse>, Status> {
        perform(request).await
    }
}
