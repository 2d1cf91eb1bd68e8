//! Streams of keys: a scan in no order, ranges and prefixes in order.
//!
//! A stream does its next step when the client takes the next message, so one that is not read
//! costs what one page takes, and one that is cancelled does nothing more. What is here is about
//! pages; where keys come from is `key_pages.rs`.

use std::collections::VecDeque;

use bytes::Bytes;
use futures_util::stream::{self, Stream};
use tonic::Status;

use crate::caller::{Caller, before, in_time};
use crate::generated::kvist::Entry;
use crate::key_pages::{self, Range, ScanPosition, Select};

/// Keys of a page where nothing is said.
const PAGE: usize = 100;
/// And at most.
const PAGE_MAX: usize = 10_000;
/// Bytes of a page about which it ends: thousands of streams keep one each.
const PAGE_BYTES: usize = 8 << 10;
/// Keys that are looked for in one go, whatever page is wanted: they are kept until given.
const STEP: usize = 200;
/// Keys whose values are fetched at a time.
const VALUES: usize = 16;

/// What a stream gives.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Keys at most; 0 is all.
    pub limit: u64,
    /// Their values, too.
    pub values: bool,
    /// Keys in a message; 0 is as it suits us.
    pub page: u32,
}

impl Wanted {
    fn page(self) -> usize {
        match usize::try_from(self.page) {
            Ok(0) => PAGE,
            Ok(page) => page.min(PAGE_MAX),
            Err(_) => PAGE_MAX,
        }
    }

    fn limit(self) -> usize {
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        if limit == 0 { usize::MAX } else { limit }
    }
}

/// Where keys come from.
enum Source {
    Scan(Select),
    Range(Range),
}

/// A stream's state.
struct Listing {
    caller: Caller,
    source: Source,
    place: ScanPosition,
    db: u32,
    wanted: Wanted,
    /// How many may still come.
    left: usize,
    /// Keys that have been found and not given yet.
    found: VecDeque<Bytes>,
}

/// The pages of a scan.
pub fn scan(
    caller: Caller,
    select: Select,
    wanted: Wanted,
) -> impl Stream<Item = Result<Vec<Entry>, Status>> + Send {
    let db = select.db;
    pages(caller, Source::Scan(select), db, wanted)
}

/// The pages of a range.
pub fn range(
    caller: Caller,
    range: Range,
    wanted: Wanted,
) -> impl Stream<Item = Result<Vec<Entry>, Status>> + Send {
    let db = range.db;
    pages(caller, Source::Range(range), db, wanted)
}

fn pages(
    caller: Caller,
    source: Source,
    db: u32,
    wanted: Wanted,
) -> impl Stream<Item = Result<Vec<Entry>, Status>> + Send {
    let left = wanted.limit();
    let (place, found) = (ScanPosition::start(), VecDeque::new());
    let listing = Listing { caller, source, place, db, wanted, left, found };
    stream::try_unfold(listing, |mut listing| async move {
        let until = listing.caller.until;
        let page = before(until, listing.page()).await??;
        Ok((!page.is_empty()).then_some((page, listing)))
    })
}

impl Listing {
    /// The next page; empty at the end.
    async fn page(&mut self) -> Result<Vec<Entry>, Status> {
        while self.found.is_empty() && self.left > 0 {
            if !self.find().await? {
                break;
            }
            tokio::task::yield_now().await;
        }
        let most = self.wanted.page().min(self.left);
        let mut entries = Vec::with_capacity(most.min(self.found.len()));
        let mut bytes = 0;
        while entries.len() < most && bytes < PAGE_BYTES && !self.found.is_empty() {
            let some = self.found.len().min(VALUES).min(most - entries.len());
            let keys: Vec<Bytes> = self.found.drain(..some).collect();
            let values = if self.wanted.values {
                key_pages::values(&self.caller, self.db, &keys).await?
            } else {
                vec![None; keys.len()]
            };
            for (key, value) in keys.into_iter().zip(values) {
                bytes += key.len() + value.as_ref().map_or(0, Bytes::len);
                entries.push(Entry { key, value });
            }
        }
        self.left -= entries.len();
        Ok(entries)
    }

    /// Looks for more keys; `false` if there are no more.
    async fn find(&mut self) -> Result<bool, Status> {
        in_time(self.caller.until)?;
        let ScanPosition::At(cursor) = &self.place else { return Ok(false) };
        let count = self.wanted.page().min(STEP);
        let found = &mut self.found;
        let keep = |key: &[u8]| found.push_back(Bytes::copy_from_slice(key));
        self.place = match &self.source {
            Source::Scan(select) => {
                key_pages::step(&self.caller, select, (cursor, count), keep).await?
            }
            Source::Range(range) => {
                range.step(&self.caller, (cursor, count.min(self.left)), keep).await?
            }
        };
        Ok(true)
    }
}
