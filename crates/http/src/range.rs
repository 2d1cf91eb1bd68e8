//! Records by ranges of their keys.
//!
//! The engine's ordered index answers page by page; the answer is written while it is sent, and no
//! page is asked for before the peer has taken the last. How many there are is counted by the
//! index, unless a filter makes it necessary to look at each: then it is known at the end, so
//! `total` stands behind `results`. Counting may take long, as a page with its values may, and is
//! done on another thread; so is what is written of a page, if its values are large. A page is of
//! its moment: what others write meanwhile may be in it or not.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use engine::{ClientMemory, CountedBytes};
use hyper::StatusCode;
use serde_json::value::RawValue;
use tokio::sync::mpsc::Sender;
use wire::Value;

use crate::aside::{self, SessionGuard};
use crate::reply::{self, Answer, Content, Refusal, fine};
use crate::request::ApiRequest;
use crate::text;

/// Keys to a page.
const PAGE: usize = 100;

/// What is asked for.
struct RangeQuery {
    start: Vec<u8>,
    end: Vec<u8>,
    filter: Option<String>,
    limit: u64,
}

/// Some records, and where the next begin; `None` at the end.
struct Page {
    records: Vec<(Vec<u8>, Option<Vec<u8>>)>,
    next: Option<Vec<u8>>,
}

impl RangeQuery {
    fn read(request: &ApiRequest) -> Result<Self, Refusal> {
        let bound = |name: &str, open: &[u8]| match request.query.get(name) {
            Some(key) => [b"[", key].concat(),
            None => open.to_vec(),
        };
        let limit = match request.query.get("limit") {
            None => u64::MAX,
            Some(digits) => std::str::from_utf8(digits)
                .ok()
                .and_then(|digits| digits.parse::<i64>().ok())
                .and_then(|limit| u64::try_from(limit).ok())
                .ok_or_else(|| Refusal::new(400, "limit must be a whole number"))?,
        };
        let filter = request.query.get("username_contains").map(|text| {
            std::str::from_utf8(text)
                .map(str::to_owned)
                .map_err(|_| Refusal::new(400, "username_contains must be UTF-8"))
        });
        Ok(RangeQuery {
            start: bound("start", b"-"),
            end: bound("end", b"+"),
            filter: filter.transpose()?,
            limit,
        })
    }

    fn takes(&self, value: Option<&[u8]>) -> bool {
        let Some(filter) = &self.filter else { return true };
        let fields = value
            .and_then(|value| serde_json::from_slice::<BTreeMap<String, &RawValue>>(value).ok());
        let name = fields
            .as_ref()
            .and_then(|fields| fields.get("username"))
            .and_then(|name| serde_json::from_str::<String>(name.get()).ok());
        name.is_some_and(|name| name.contains(filter))
    }

    /// A page ends after so many keys that were looked at.
    async fn page(
        &self,
        client: SessionGuard,
        cursor: &[u8],
    ) -> Result<(SessionGuard, Page), Refusal> {
        let count = PAGE.to_string();
        let words: [&[u8]; 7] =
            [&self.start, &self.end, b"LIMIT", count.as_bytes(), b"CURSOR", cursor, b"WITHVALUES"];
        let (client, page) = aside::call(client, "range", &words).await?;
        let page = read_page(fine(page)?);
        let page = page.ok_or_else(|| Refusal::new(500, "the index answered in another shape"))?;
        Ok((client, page))
    }

    /// It may have to look at every key, for deadlines and for rights.
    async fn count(&self, client: SessionGuard) -> Result<(SessionGuard, u64), Refusal> {
        let words: [&[u8]; 2] = [&self.start, &self.end];
        let (client, count) = aside::call(client, "range.count", &words).await?;
        let count = fine(count)?.as_i64().and_then(|count| u64::try_from(count).ok());
        Ok((client, count.unwrap_or(0)))
    }
}

impl Page {
    /// Bytes of its values.
    fn bytes(&self) -> usize {
        self.records.iter().map(|(key, value)| key.len() + value.as_ref().map_or(0, Vec::len)).sum()
    }
}

/// `[next, [[key, value], …]]`
fn read_page(page: Value) -> Option<Page> {
    let Value::Array(parts) = page else { return None };
    let [next, Value::Array(items)] = <[Value; 2]>::try_from(parts).ok()? else { return None };
    let record = |item| {
        let Value::Array(pair) = item else { return None };
        let [Value::Bulk(key), value] = <[Value; 2]>::try_from(pair).ok()? else { return None };
        let value = match value {
            Value::Bulk(bytes) => Some(bytes),
            _ => None,
        };
        Some((key, value))
    };
    let records = items.into_iter().map(record).collect::<Option<Vec<_>>>()?;
    let next = next.as_bytes()?.to_vec();
    Some(Page { records, next: (next != b"0").then_some(next) })
}

/// `GET /api/v1/aggregations/count`
pub async fn count(request: ApiRequest) -> Result<Answer, Refusal> {
    let query = Arc::new(RangeQuery::read(&request)?);
    let mut client = request.session().await;
    let mut count = 0;
    if query.filter.is_none() {
        (_, count) = query.count(client).await?;
    } else {
        let mut next = Some(b"0".to_vec());
        while let Some(cursor) = next {
            let mut page;
            (client, page) = query.page(client, &cursor).await?;
            next = page.next.take();
            let (query, bytes) = (Arc::clone(&query), page.bytes());
            let taken = move || {
                page.records.iter().filter(|(_, value)| query.takes(value.as_deref())).count()
            };
            count += client.work(bytes, taken).await? as u64;
            tokio::task::yield_now().await;
        }
    }
    Ok(reply::json(format!("{{\"count\":{count}}}")))
}

/// `GET /api/v1/records/range`
pub async fn records(request: ApiRequest) -> Result<Answer, Refusal> {
    let query = Arc::new(RangeQuery::read(&request)?);
    let mut client = request.session().await;
    let mut total = None;
    if query.filter.is_none() {
        let (back, count) = query.count(client).await?;
        (client, total) = (back, Some(count));
    }
    // What can be refused is refused before the answer begins.
    let (client, first) = query.page(client, b"0").await?;
    let (sender, content) = Content::made();
    let memory = request.memory;
    tokio::spawn(async move {
        let written = Written { text: "{\"results\":[".to_owned(), taken: 0, records: 0 };
        let writer = RangeWriter { query, client, memory, sender: &sender, written };
        if let Err(error) = writer.all(first, total).await {
            // If the peer is gone, the error need not be sent.
            let _ = sender.send(Err(error)).await;
        }
    });
    let mut answer = reply::answer(StatusCode::OK, reply::JSON, "");
    *answer.body_mut() = content;
    Ok(answer)
}

/// Writes an answer while it is sent.
struct RangeWriter<'s> {
    query: Arc<RangeQuery>,
    client: SessionGuard,
    /// Counts for the connection.
    memory: ClientMemory,
    sender: &'s Sender<io::Result<Bytes>>,
    written: Written,
}

/// What is written of an answer.
#[derive(Default)]
struct Written {
    /// What is not sent yet.
    text: String,
    /// Records that are meant, and those of them that are written.
    taken: u64,
    records: u64,
}

impl Written {
    fn add(&mut self, query: &RangeQuery, page: &Page) {
        for (key, value) in &page.records {
            if !query.takes(value.as_deref()) {
                continue;
            }
            self.taken += 1;
            if self.records < query.limit {
                self.text.push_str(if self.records == 0 { "{" } else { ",{" });
                self.records += 1;
                text::bytes(&mut self.text, "key", key);
                self.text.push(',');
                text::value(&mut self.text, value.as_deref());
                self.text.push('}');
            }
        }
    }
}

impl RangeWriter<'_> {
    async fn all(mut self, mut page: Page, known: Option<u64>) -> io::Result<()> {
        loop {
            let next = page.next.take();
            let (query, mut written) = (Arc::clone(&self.query), std::mem::take(&mut self.written));
            let bytes = page.bytes();
            let add = move || {
                written.add(&query, &page);
                written
            };
            let added = self.client.work(bytes, add).await;
            self.written = added.map_err(|why| broken(why.into()))?;
            let enough = known.is_some() && self.written.records >= self.query.limit;
            let Some(cursor) = next.filter(|_| !enough) else { break };
            self.send().await?;
            let next = self.query.page(self.client, &cursor).await;
            (self.client, page) = next.map_err(broken)?;
        }
        let total = known.unwrap_or(self.written.taken);
        self.written.text.push_str(&format!("],\"total\":{total}}}"));
        self.send().await
    }

    /// Waits until the peer has taken enough of what was sent before.
    async fn send(&mut self) -> io::Result<()> {
        if self.written.text.is_empty() {
            tokio::task::yield_now().await;
            return if self.sender.is_closed() { Err(gone()) } else { Ok(()) };
        }
        // It is there until the peer has taken it.
        let piece = CountedBytes::new(std::mem::take(&mut self.written.text), &self.memory);
        let piece = Bytes::from_owner(piece);
        self.sender.send(Ok(piece)).await.map_err(|_| gone())
    }
}

fn broken(why: Refusal) -> io::Error {
    io::Error::other(why.error)
}

fn gone() -> io::Error {
    io::ErrorKind::BrokenPipe.into()
}
