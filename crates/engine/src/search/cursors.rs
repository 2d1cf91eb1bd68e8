//! Rows of FT.AGGREGATE that are answered part by part.
//!
//! The rows are made whole by the request that opens a cursor, so all parts are of one moment. They
//! count as used memory until they are read, dropped, or not asked for as long as the cursor may
//! idle.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};

use base::{CmdError, Millis};
use hashbrown::HashMap;
use parking_lot::Mutex;
use search::aggregate::Rows;
use search::expression::Value;
use search::request::CursorRead;

/// Most cursors of an index.
const MOST: usize = 128;
/// Bytes that the rows of all cursors take at most.
const MOST_BYTES: usize = 1 << 30;
/// Bytes of a value or a name beside its text, about.
const OVERHEAD: usize = 32;

/// A row: names and values, in the order in which they are answered.
pub(crate) type Row = Vec<(Vec<u8>, Value)>;

/// Rows that are left.
pub(crate) struct Batch {
    rows: VecDeque<Row>,
    bytes: usize,
}

/// A cursor.
pub(crate) struct Cursor {
    pub db: usize,
    pub index: Box<[u8]>,
    pub batch: Batch,
    /// Rows of a reply.
    pub count: usize,
    /// Milliseconds that it may idle.
    pub max_idle: Millis,
    /// When it was last read.
    pub used: Millis,
}

/// All cursors.
#[derive(Default)]
pub(crate) struct Cursors {
    open: Mutex<Open>,
    bytes: AtomicUsize,
}

#[derive(Default)]
struct Open {
    cursors: HashMap<u64, Cursor>,
    last: u64,
}

impl Batch {
    /// The rows that came out of an aggregation. `nulls`: values that are not there are told.
    pub fn of(rows: Rows, nulls: bool) -> Self {
        let names = rows.names().to_vec();
        let mut batch = Batch { rows: VecDeque::new(), bytes: 0 };
        for record in rows {
            let named = names.iter().cloned().zip(record.values).chain(record.more);
            let row: Row = named.filter(|(_, value)| nulls || !value.is_null()).collect();
            batch.bytes += row.iter().map(|(name, value)| name.len() + size(value)).sum::<usize>();
            batch.rows.push_back(row);
        }
        batch
    }

    /// Takes the first rows, so many at most.
    pub fn take(&mut self, count: usize) -> Vec<Row> {
        let count = count.min(self.rows.len());
        self.rows.drain(..count).collect()
    }
}

fn size(value: &Value) -> usize {
    OVERHEAD
        + match value {
            Value::Null | Value::Number(_) => 0,
            Value::Text(text) => text.len(),
            Value::List(list) => list.iter().map(size).sum(),
        }
}

impl Cursors {
    /// Bytes of all rows that are kept.
    pub fn memory(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Keeps a cursor; its number, or 0 if it has no rows.
    ///
    /// # Errors
    /// Its index has as many as it may, or all together take as much as they may.
    pub fn keep(&self, cursor: Cursor, now: Millis) -> Result<i64, CmdError> {
        if cursor.batch.rows.is_empty() {
            return Ok(0);
        }
        self.reap(now);
        let mut open = self.open.lock();
        let same = |other: &&Cursor| (other.db, &other.index) == (cursor.db, &cursor.index);
        if open.cursors.values().filter(same).count() >= MOST {
            return Err(CmdError::new("Too many cursors allocated for index"));
        }
        if self.memory().saturating_add(cursor.batch.bytes) > MOST_BYTES {
            return Err(CmdError::new(
                "ERR the rows of all cursors take as much memory as they may",
            ));
        }
        open.last = (open.last + 1).max(now << 16) & (i64::MAX as u64);
        let number = open.last;
        self.bytes.fetch_add(cursor.batch.bytes, Ordering::Relaxed);
        open.cursors.insert(number, cursor);
        Ok(i64::try_from(number).unwrap_or(0))
    }

    /// Reads on; the rows, and the number of the cursor, 0 if it was read to its end.
    ///
    /// # Errors
    /// There is none.
    pub fn read(
        &self,
        (db, index): (usize, &[u8]),
        read: &CursorRead,
        now: Millis,
    ) -> Result<(Vec<Row>, i64), CmdError> {
        self.reap(now);
        let mut open = self.open.lock();
        let found = open.cursors.get_mut(&read.id);
        let cursor = found.filter(|cursor| cursor.db == db && *cursor.index == *index);
        let cursor = cursor.ok_or(CmdError::new("Cursor not found"))?;
        let rows = cursor.batch.take(read.count.unwrap_or(cursor.count));
        cursor.used = now;
        cursor.max_idle = read.max_idle.unwrap_or(cursor.max_idle);
        if !cursor.batch.rows.is_empty() {
            return Ok((rows, i64::try_from(read.id).unwrap_or(0)));
        }
        self.forget(&mut open, read.id);
        Ok((rows, 0))
    }

    /// Drops a cursor.
    ///
    /// # Errors
    /// There is none.
    pub fn drop_one(&self, (db, index): (usize, &[u8]), number: u64) -> Result<(), CmdError> {
        let mut open = self.open.lock();
        let found = open.cursors.get(&number);
        match found.is_some_and(|cursor| cursor.db == db && *cursor.index == *index) {
            true => self.forget(&mut open, number),
            false => return Err(CmdError::new("Cursor does not exist")),
        }
        Ok(())
    }

    /// Drops those that have idled for too long.
    pub fn reap(&self, now: Millis) {
        let mut open = self.open.lock();
        let is_over = |cursor: &Cursor| now.saturating_sub(cursor.used) > cursor.max_idle;
        let over: Vec<u64> =
            open.cursors.iter().filter(|(_, cursor)| is_over(cursor)).map(|(&n, _)| n).collect();
        over.into_iter().for_each(|number| self.forget(&mut open, number));
    }

    /// Drops those of a database, or of one index of it.
    pub fn drop_all(&self, db: usize, index: Option<&[u8]>) {
        let mut open = self.open.lock();
        let goes =
            |cursor: &Cursor| cursor.db == db && index.is_none_or(|index| *cursor.index == *index);
        let over: Vec<u64> =
            open.cursors.iter().filter(|(_, cursor)| goes(cursor)).map(|(&n, _)| n).collect();
        over.into_iter().for_each(|number| self.forget(&mut open, number));
    }

    fn forget(&self, open: &mut Open, number: u64) {
        if let Some(cursor) = open.cursors.remove(&number) {
            self.bytes.fetch_sub(cursor.batch.bytes, Ordering::Relaxed);
        }
    }
}
