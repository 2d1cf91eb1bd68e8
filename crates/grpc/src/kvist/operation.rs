//! What an operation is as a command, and what the command's reply is as a result: the same for a
//! call of its own and for one of a batch.

use std::borrow::Cow;

use bytes::Bytes;
use engine::exchange::NoAnswer;
use engine::{Engine, Stage};
use smallvec::SmallVec;
use tonic::Status;

use crate::generated::kvist::{
    Condition, DeleteRequest, DeleteResponse, ExecuteRequest, ExecuteResponse, ExpireRequest,
    ExpireResponse, GetRequest, GetResponse, JsonGetRequest, JsonGetResponse, JsonSetRequest,
    JsonSetResponse, KeyValue, MGetRequest, MGetResponse, MSetRequest, MSetResponse, OptionalValue,
    SetRequest, SetResponse, TtlRequest, TtlResponse, expire_request, set_request,
};
use crate::key_pages;
use crate::reply;
use crate::shared::Shared;
use crate::status;

/// The words of a command: most lie in the request.
pub type Words<'o> = SmallVec<[Cow<'o, [u8]>; 8]>;

/// Something that is one command.
pub trait Operation {
    /// What it results in.
    type Result;

    /// In which database.
    fn db(&self) -> u32;

    /// The command.
    ///
    /// # Errors
    /// A field that makes no sense.
    fn words(&self) -> Result<Words<'_>, Status>;

    /// What the reply means.
    ///
    /// # Errors
    /// It is an error.
    fn read(&self, reply: &[u8]) -> Result<Self::Result, Status>;

    /// The same of a reply that is long, on another thread: what is left to be done with the result
    /// on the thread of the port is little.
    ///
    /// # Errors
    /// It is an error.
    fn read_long(&self, reply: &[u8]) -> Result<Self::Result, Status> {
        self.read(reply)
    }
}

/// What the reply to an operation means that was not there at once. To read a long one is work for
/// another thread: that of the port has other calls to serve.
///
/// # Errors
/// The reply is an error; there is no thread.
pub async fn read_reply<O>(
    shared: &Shared,
    reply: Vec<u8>,
    operation: O,
) -> Result<O::Result, Status>
where
    O: Operation<Result: Send + 'static> + Send + 'static,
{
    // It has run: it is not refused any more.
    let long = shared.side.permit_bytes(reply.len(), Stage::Begun);
    match long.map_err(status::no_answer)? {
        None => operation.read(&reply),
        Some(long) => {
            let read = long.run(move |_| operation.read_long(&reply)).await;
            read.ok_or_else(|| status::no_answer(NoAnswer::Broken))?
        }
    }
}

/// Refuses a command that came by its words and is about a connection: a call has none.
///
/// # Errors
/// It is.
pub fn check(engine: &Engine, words: &[Bytes]) -> Result<(), Status> {
    let argv: SmallVec<[&[u8]; 8]> = words.iter().map(|word| &word[..]).collect();
    match engine.table.find(&argv) {
        Some(entry) if engine.changes_connection(&argv) => Err(status::not_here(entry.name())),
        _ => Ok(()),
    }
}

fn words<'o, const N: usize>(fixed: [&'o [u8]; N]) -> Words<'o> {
    fixed.into_iter().map(Cow::Borrowed).collect()
}

fn push_number(words: &mut Words<'_>, option: &'static [u8], n: u64) {
    words.push(Cow::Borrowed(option));
    words.push(Cow::Owned(n.to_string().into_bytes()));
}

/// The option for a condition.
fn option(condition: i32) -> Result<Option<&'static [u8]>, Status> {
    match Condition::try_from(condition) {
        Ok(Condition::Unspecified) => Ok(None),
        Ok(Condition::IfAbsent) => Ok(Some(b"NX")),
        Ok(Condition::IfPresent) => Ok(Some(b"XX")),
        Err(_) => Err(status::invalid("condition", "there is no such condition")),
    }
}

impl Operation for GetRequest {
    type Result = GetResponse;

    fn db(&self) -> u32 {
        self.database
    }

    fn words(&self) -> Result<Words<'_>, Status> {
        Ok(words([b"GET", &self.key]))
    }

    fn read(&self, reply: &[u8]) -> Result<GetResponse, Status> {
        reply::blob(reply).map(|value| GetResponse { value })
    }
}

impl Operation for SetRequest {
    type Result = SetResponse;

    fn db(&self) -> u32 {
        self.database
    }

    fn words(&self) -> Result<Words<'_>, Status> {
        let mut words = words([b"SET", &self.key, &self.value]);
        match self.expiry {
            None | Some(set_request::Expiry::KeepTtl(false)) => {}
            Some(set_request::Expiry::KeepTtl(true)) => words.push(Cow::Borrowed(b"KEEPTTL")),
            Some(set_request::Expiry::TtlMs(ttl)) => push_number(&mut words, b"PX", ttl),
            Some(set_request::Expiry::ExpireAtMs(at)) => push_number(&mut words, b"PXAT", at),
        }
        words.extend(option(self.condition)?.map(Cow::Borrowed));
        if self.return_previous {
            words.push(Cow::Borrowed(b"GET"));
        }
        Ok(words)
    }

    fn read(&self, reply: &[u8]) -> Result<SetResponse, Status> {
        if !self.return_previous {
            return reply::done(reply).map(|written| SetResponse { written, previous: None });
        }
        let previous = reply::blob(reply)?;
        let written = match Condition::try_from(self.condition) {
            Ok(Condition::IfAbsent) => previous.is_none(),
            Ok(Condition::IfPresent) => previous.is_some(),
            _ => true,
        };
        Ok(SetResponse { written, previous })
    }
}

impl Operation for MGetRequest {
    type Result = MGetResponse;

    fn db(&self) -> u32 {
        self.database
    }

    fn words(&self) -> Result<Words<'_>, Status> {
        let mut words = words([b"MGET"]);
        words.extend(self.keys.iter().map(|key| Cow::Borrowed(&key[..])));
        Ok(words)
    }

    fn read(&self, reply: &[u8]) -> Result<MGetResponse, Status> {
        let mut values = Vec::with_capacity(self.keys.len());
        key_pages::blobs(reply, &mut values)?;
        let values = values.into_iter().map(|value| OptionalValue { value }).collect();
        Ok(MGetResponse { values })
    }
}

impl Operation for MSetRequest {
    type Result = MSetResponse;

    fn db(&self) -> u32 {
        self.database
    }

    fn words(&self) -> Result<Words<'_>, Status> {
        let name: &[u8] = if self.if_none_exists { b"MSETNX" } else { b"MSET" };
        let mut words = words([name]);
        for KeyValue { key, value } in &self.entries {
            words.extend([Cow::Borrowed(&key[..]), Cow::Borrowed(&value[..])]);
        }
        Ok(words)
    }

    fn read(&self, reply: &[u8]) -> Result<MSetResponse, Status> {
        let written =
            if self.if_none_exists { reply::int(reply)? > 0 } else { reply::done(reply)? };
        Ok(MSetResponse { written })
    }
}

impl Operation for DeleteRequest {
    type Result = DeleteResponse;

    fn db(&self) -> u32 {
        self.database
    }

    fn words(&self) -> Result<Words<'_>, Status> {
        let mut words = words([b"DEL"]);
        words.extend(self.keys.iter().map(|key| Cow::Borrowed(&key[..])));
        Ok(words)
    }

    fn read(&self, reply: &[u8]) -> Result<DeleteResponse, Status> {
        reply::count(reply).map(|deleted| DeleteResponse { deleted })
    }
}

impl Operation for ExpireRequest {
    type Result = ExpireResponse;

    fn db(&self) -> u32 {
        self.database
    }

    fn words(&self) -> Result<Words<'_>, Status> {
        let (name, n): (&[u8], _) = match self.expiry {
            Some(expire_request::Expiry::TtlMs(ttl)) => (b"PEXPIRE", Some(ttl)),
            Some(expire_request::Expiry::ExpireAtMs(at)) => (b"PEXPIREAT", Some(at)),
            Some(expire_request::Expiry::Persist(true)) => (b"PERSIST", None),
            Some(expire_request::Expiry::Persist(false)) | None => {
                return Err(status::invalid("expiry", "say when the key goes"));
            }
        };
        let mut words = words([name, &self.key]);
        words.extend(n.map(|n| Cow::Owned(n.to_string().into_bytes())));
        Ok(words)
    }

    fn read(&self, reply: &[u8]) -> Result<ExpireResponse, Status> {
        reply::int(reply).map(|n| ExpireResponse { changed: n > 0 })
    }
}

impl Operation for TtlRequest {
    type Result = TtlResponse;

    fn db(&self) -> u32 {
        self.database
    }

    fn words(&self) -> Result<Words<'_>, Status> {
        Ok(words([b"PTTL", &self.key]))
    }

    fn read(&self, reply: &[u8]) -> Result<TtlResponse, Status> {
        let n = reply::int(reply)?;
        Ok(TtlResponse { exists: n != -2, ttl_ms: u64::try_from(n).ok() })
    }
}

impl Operation for ExecuteRequest {
    type Result = ExecuteResponse;

    fn db(&self) -> u32 {
        self.database
    }

    fn words(&self) -> Result<Words<'_>, Status> {
        if self.words.is_empty() {
            return Err(status::invalid("words", "a command has a name"));
        }
        Ok(self.words.iter().map(|word| Cow::Borrowed(&word[..])).collect())
    }

    fn read(&self, reply: &[u8]) -> Result<ExecuteResponse, Status> {
        reply::value(reply).map(ExecuteResponse::new)
    }

    fn read_long(&self, reply: &[u8]) -> Result<ExecuteResponse, Status> {
        self.read(reply).map(ExecuteResponse::into_encoded)
    }
}

impl Operation for JsonGetRequest {
    type Result = JsonGetResponse;

    fn db(&self) -> u32 {
        self.database
    }

    fn words(&self) -> Result<Words<'_>, Status> {
        let mut words = words([b"JSON.GET", &self.key]);
        words.extend(self.paths.iter().map(|path| Cow::Borrowed(path.as_bytes())));
        Ok(words)
    }

    fn read(&self, reply: &[u8]) -> Result<JsonGetResponse, Status> {
        let json = reply::blob(reply)?.map(|bytes: Bytes| String::from_utf8(bytes.into()));
        Ok(JsonGetResponse { json: json.transpose().map_err(|_| status::broken())? })
    }
}

impl Operation for JsonSetRequest {
    type Result = JsonSetResponse;

    fn db(&self) -> u32 {
        self.database
    }

    fn words(&self) -> Result<Words<'_>, Status> {
        let path = if self.path.is_empty() { "$" } else { &self.path };
        let mut words = words([b"JSON.SET", &self.key, path.as_bytes(), self.json.as_bytes()]);
        words.extend(option(self.condition)?.map(Cow::Borrowed));
        Ok(words)
    }

    fn read(&self, reply: &[u8]) -> Result<JsonSetResponse, Status> {
        reply::done(reply).map(|written| JsonSetResponse { written })
    }
}
