//! `memorize.Memorize`: a cache of text, for the clients that the service of that name has.
//!
//! Codes, texts, limits and defaults are its own. What clients could not rely on there holds here:
//! patterns are patterns, a search sees every key and counts them right, pages go on as far as
//! there are keys, and a key that has expired is missing for every client.

use tonic::{Code, Request, Response, Status};

use crate::caller::{Caller, before, in_time};
use crate::generated::memorize::memorize_server::Memorize;
use crate::generated::memorize::{
    ContainsRequest, ContainsResponse, DeleteAllRequest, DeleteAllResponse, DeleteRequest,
    DeleteResponse, GetRequest, GetResponse, KeysRequest, KeysResponse, SearchKeysRequest,
    SearchKeysResponse, SetRequest, SetResponse,
};
use crate::key_pages::{self, ScanPosition, Select};
use crate::reply::{self, Item, Reader};
use crate::search::search;
use crate::status;

const KEY_MAX: usize = 1024;
const VALUE_MAX: usize = 1 << 20;
const PREFIX_MAX: usize = 256;
/// Keys in a reply of `Keys`.
const KEYS_MAX: usize = 10_000;
/// Bytes in it: what an unmodified client accepts, with room for what is around keys.
const KEYS_BYTES: usize = 3_500_000;
/// Keys looked at in a step of it.
const STEP: usize = 1000;
const SEARCH_DEFAULT: u32 = 50;
const SEARCH_MAX: u32 = 250;
/// A hundred years: more means for ever.
const TTL_MAX: u64 = 100 * 365 * 24 * 3600;

/// The service.
pub struct Service;

fn check_key(key: &str) -> Result<(), Status> {
    if key.is_empty() {
        return Err(Status::invalid_argument("Key cannot be empty"));
    }
    if key.len() > KEY_MAX {
        return Err(Status::invalid_argument("Key exceeds maximum length of 1024 bytes"));
    }
    Ok(())
}

/// The text of a value.
fn text(bytes: &[u8]) -> Result<String, Status> {
    let text = std::str::from_utf8(bytes).map_err(|_| {
        Status::failed_precondition("The value is not text: read it through kvist.v1")
    });
    text.map(str::to_owned)
}

/// Keys are text here; one that is not has no name that could be said.
fn name(key: &[u8]) -> Option<String> {
    std::str::from_utf8(key).ok().map(str::to_owned)
}

#[tonic::async_trait]
impl Memorize for Service {
    async fn get(&self, request: Request<GetRequest>) -> Result<Response<GetResponse>, Status> {
        let caller = Caller::of(&request)?;
        let key = &request.get_ref().key;
        check_key(key)?;
        let read = |reply: &[u8]| match Reader::new(reply).item() {
            Ok(Item::Blob(bytes)) => text(bytes).map(Some),
            Ok(_) => Ok(None),
            // Of a cache of text, something that is no text is no part.
            Err(_) if reply.starts_with(b"-WRONGTYPE") => Ok(None),
            Err(status) => Err(status),
        };
        let value = caller.ask(0, &[b"GET", key.as_bytes()], read).await?;
        Ok(Response::new(GetResponse { value }))
    }

    async fn set(&self, request: Request<SetRequest>) -> Result<Response<SetResponse>, Status> {
        let caller = Caller::of(&request)?;
        let SetRequest { key, value, ttl_seconds } = request.get_ref();
        check_key(key)?;
        if value.len() > VALUE_MAX {
            let message = "Value exceeds maximum length of 1048576 bytes";
            return Err(Status::invalid_argument(message));
        }
        let read = |reply: &[u8]| match reply::done(reply) {
            Err(status) if status.code() == Code::ResourceExhausted => {
                Err(Status::resource_exhausted("Storage capacity exceeded"))
            }
            done => done,
        };
        let (key, value) = (key.as_bytes(), value.as_bytes());
        let success = if *ttl_seconds == 0 {
            caller.ask(0, &[b"SET", key, value], read).await?
        } else {
            let ttl = (*ttl_seconds).min(TTL_MAX).to_string();
            caller.ask(0, &[b"SET", key, value, b"EX", ttl.as_bytes()], read).await?
        };
        Ok(Response::new(SetResponse { success }))
    }

    async fn delete(
        &self,
        request: Request<DeleteRequest>,
    ) -> Result<Response<DeleteResponse>, Status> {
        let caller = Caller::of(&request)?;
        let key = &request.get_ref().key;
        check_key(key)?;
        let deleted = caller.ask(0, &[b"DEL", key.as_bytes()], reply::int).await? > 0;
        Ok(Response::new(DeleteResponse { deleted }))
    }

    async fn delete_all(
        &self,
        request: Request<DeleteAllRequest>,
    ) -> Result<Response<DeleteAllResponse>, Status> {
        let caller = Caller::of(&request)?;
        // Counted and deleted in one: what came in between would be deleted uncounted.
        let mut guard = caller.take_session()?;
        for words in [[b"MULTI".as_slice()], [b"DBSIZE"], [b"FLUSHDB"]] {
            (guard, _) = guard.ask(0, &words, reply::done).await?;
        }
        let read = |reply: &[u8]| {
            let mut reader = Reader::new(reply);
            match (reader.item()?, reader.item()?, reader.item()?) {
                (Item::List(2), Item::Int(count), Item::Status(_)) => {
                    u64::try_from(count).map_err(|_| status::broken())
                }
                _ => Err(status::broken()),
            }
        };
        let (_, deleted_count) = guard.ask(0, &[b"EXEC"], read).await?;
        Ok(Response::new(DeleteAllResponse { deleted_count }))
    }

    async fn keys(&self, request: Request<KeysRequest>) -> Result<Response<KeysResponse>, Status> {
        let caller = Caller::of(&request)?;
        let KeysRequest { pattern, limit } = request.into_inner();
        let limit = usize::try_from(limit).unwrap_or(KEYS_MAX);
        let limit = if limit == 0 { KEYS_MAX } else { limit.min(KEYS_MAX) };
        let pattern = pattern.unwrap_or_default().into_bytes();
        let select = Select { db: 0, pattern, kind: String::new() };
        let (mut keys, mut bytes) = (Vec::new(), 0);
        let mut place = ScanPosition::start();
        while let ScanPosition::At(cursor) = place {
            in_time(caller.until)?;
            let keep = |key: &[u8]| {
                if keys.len() < limit && bytes < KEYS_BYTES {
                    bytes += key.len();
                    keys.extend(name(key));
                }
            };
            place = key_pages::step(&caller, &select, (&cursor, STEP), keep).await?;
            if keys.len() >= limit || bytes >= KEYS_BYTES {
                break;
            }
            tokio::task::yield_now().await;
        }
        Ok(Response::new(KeysResponse { keys }))
    }

    async fn search_keys(
        &self,
        request: Request<SearchKeysRequest>,
    ) -> Result<Response<SearchKeysResponse>, Status> {
        let caller = Caller::of(&request)?;
        let SearchKeysRequest { prefix, limit, skip } = request.into_inner();
        if prefix.len() > PREFIX_MAX {
            return Err(Status::invalid_argument("Prefix exceeds maximum length of 256 bytes"));
        }
        let limit = if limit == 0 { SEARCH_DEFAULT } else { limit.min(SEARCH_MAX) };
        let wide = |n: u32| usize::try_from(n).unwrap_or(usize::MAX);
        let found = search(&caller, prefix, wide(skip), wide(limit));
        let (keys, total_count) = before(caller.until, found).await??;
        Ok(Response::new(SearchKeysResponse { keys, total_count }))
    }

    async fn contains(
        &self,
        request: Request<ContainsRequest>,
    ) -> Result<Response<ContainsResponse>, Status> {
        let caller = Caller::of(&request)?;
        let key = &request.get_ref().key;
        check_key(key)?;
        let exists = caller.ask(0, &[b"EXISTS", key.as_bytes()], reply::int).await? > 0;
        Ok(Response::new(ContainsResponse { exists }))
    }
}
