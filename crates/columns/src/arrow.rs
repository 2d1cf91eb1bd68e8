//! Tables for other libraries, by Arrow's C data interface: nothing is copied.
//!
//! ```text
//!   ArrowArray  (struct) ─ children ─► ArrowArray ─ buffers ─► [ present ][ offsets ][ bytes ]
//!       │ private_data                     │ private_data         ▲ inside the table's vectors
//!       └──────────► Arc<Table> ◄──────────┘──────────────────────┘
//! ```
//!
//! The structures are those of the specification, *The Arrow C Data Interface* and *The Arrow C
//! Stream Interface*: a consumer moves one out by copying its bytes and clearing `release`, and
//! calls `release` when done with it. Each array, children included, holds the table, so that a
//! consumer may keep one column and release the rest. A table never changes, so it may be exported
//! any number of times and read by any thread.
//!
//! This file is the only one of its crate with unsafe code. Nothing in it reads what a consumer
//! wrote into a structure but `release`, `children` and `private_data`, which the specification
//! forbids consumers to change.

use crate::column::{Cells, Column};
use crate::table::Table;
use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::Arc;

/// A value may be missing (`ARROW_FLAG_NULLABLE`).
const NULLABLE: i64 = 2;

/// A type, with the types of its children.
#[repr(C)]
#[derive(Debug)]
pub struct ArrowSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut ArrowSchema,
    dictionary: *mut ArrowSchema,
    release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    private_data: *mut c_void,
}

/// Values: buffers, and the values of children.
#[repr(C)]
#[derive(Debug)]
pub struct ArrowArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *const *const c_void,
    children: *mut *mut ArrowArray,
    dictionary: *mut ArrowArray,
    release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    private_data: *mut c_void,
}

/// A schema, and arrays of it one after another; here there is one.
#[repr(C)]
#[derive(Debug)]
pub struct ArrowArrayStream {
    get_schema: unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int,
    get_next: unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int,
    get_last_error: unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char,
    release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
    private_data: *mut c_void,
}

// SAFETY: what the pointers lead to belongs to the structure alone, or to a `Table`, which is
// `Send` and `Sync` and does not change.
unsafe impl Send for ArrowSchema {}
// SAFETY: as above.
unsafe impl Send for ArrowArray {}
// SAFETY: as above.
unsafe impl Send for ArrowArrayStream {}

/// What a schema's pointers lead to.
struct SchemaKept {
    format: CString,
    name: CString,
    metadata: Vec<u8>,
    children: Vec<*mut ArrowSchema>,
}

/// What an array's pointers lead to.
struct ArrayKept {
    buffers: Vec<*const c_void>,
    children: Vec<*mut ArrowArray>,
    /// Owner of what the buffers point to.
    _table: Arc<Table>,
}

/// What is left of a stream.
struct StreamKept {
    table: Arc<Table>,
    done: bool,
}

fn length(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX) // no vector is that long
}

/// Metadata as the specification has it: how many, then each name and text with its length before
/// it, in numbers of the machine.
fn encoded(notes: &[(String, String)]) -> Vec<u8> {
    let number = |count: usize| i32::try_from(count).unwrap_or(i32::MAX).to_ne_bytes();
    let mut bytes = number(notes.len()).to_vec();
    for text in notes.iter().flat_map(|(name, text)| [name, text]) {
        bytes.extend(number(text.len()));
        bytes.extend(text.as_bytes());
    }
    bytes
}

impl ArrowSchema {
    /// The type of a table's rows.
    #[must_use]
    pub fn of(table: &Table) -> Self {
        let columns = table.names().iter().zip(table.columns()).enumerate();
        let children = columns.map(|(at, (name, column))| {
            Self::of_column(name, column).with_metadata(table.column_notes(at))
        });
        Self::new("+s", "", 0, children.collect()).with_metadata(table.notes())
    }

    /// The same with something said of it.
    fn with_metadata(mut self, notes: &[(String, String)]) -> Self {
        if !notes.is_empty() {
            // SAFETY: it was made by `new` and not moved out, so this is the box that it leaked,
            // and nothing else refers to it.
            let kept = unsafe { &mut *self.private_data.cast::<SchemaKept>() };
            kept.metadata = encoded(notes);
            self.metadata = kept.metadata.as_ptr().cast();
        }
        self
    }

    fn of_column(name: &str, column: &Column) -> Self {
        let mut children = Vec::new();
        let format = match column.cells() {
            Cells::Nothing => "n",
            Cells::Bools(_) => "b",
            Cells::Ints(_) => "l",
            Cells::Floats(_) => "g",
            Cells::Bytes { text: true, .. } => "U",
            Cells::Bytes { text: false, .. } => "Z",
            Cells::Lists { items, .. } => {
                children.push(Self::of_column("item", items));
                "+L"
            }
            Cells::Days(_) => "tdD",
            Cells::TimesOfDay(_) => "ttn",
            Cells::Instants { zone: None, .. } => "tsn:",
            Cells::Instants { zone: Some(zone), .. } => &format!("tsn:{zone}"),
            Cells::Spans(_) => "tDn",
            Cells::Structs(fields) => {
                children.extend(fields.iter().map(|(name, field)| Self::of_column(name, field)));
                "+s"
            }
        };
        Self::new(format, name, NULLABLE, children)
    }

    fn new(format: &str, name: &str, flags: i64, children: Vec<Self>) -> Self {
        let children: Vec<_> =
            children.into_iter().map(|child| Box::into_raw(Box::new(child))).collect();
        // A name with a NUL inside cannot be told; it ends there.
        let c_string = |text: &str| {
            CString::new(text.split('\0').next().unwrap_or_default()).unwrap_or_default()
        };
        let (format, name) = (c_string(format), c_string(name));
        let mut kept = Box::new(SchemaKept { format, name, metadata: Vec::new(), children });
        ArrowSchema {
            format: kept.format.as_ptr(),
            name: kept.name.as_ptr(),
            metadata: ptr::null(),
            flags,
            n_children: length(kept.children.len()),
            children: kept.children.as_mut_ptr(),
            dictionary: ptr::null_mut(),
            release: Some(release_schema),
            private_data: Box::into_raw(kept).cast(),
        }
    }
}

impl ArrowArray {
    /// A table's rows.
    #[must_use]
    pub fn of(table: &Arc<Table>) -> Self {
        let children =
            table.columns().iter().map(|column| Self::of_column(table, column)).collect();
        Self::new(table, table.rows(), 0, vec![ptr::null()], children)
    }

    /// A column of this table.
    fn of_column(table: &Arc<Table>, column: &Column) -> Self {
        let present = column.present().map_or(ptr::null(), |bits| bits.as_bytes().as_ptr().cast());
        let mut children = Vec::new();
        let buffers = match column.cells() {
            Cells::Nothing => vec![],
            Cells::Bools(bits) => vec![present, bits.as_bytes().as_ptr().cast()],
            Cells::Days(days) => vec![present, days.as_ptr().cast()],
            Cells::Ints(ints)
            | Cells::TimesOfDay(ints)
            | Cells::Instants { nanos: ints, .. }
            | Cells::Spans(ints) => vec![present, ints.as_ptr().cast()],
            Cells::Structs(fields) => {
                children.extend(fields.iter().map(|(_, field)| Self::of_column(table, field)));
                vec![present]
            }
            Cells::Floats(floats) => vec![present, floats.as_ptr().cast()],
            Cells::Bytes { offsets, bytes, .. } => {
                vec![present, offsets.as_ptr().cast(), bytes.as_ptr().cast()]
            }
            Cells::Lists { offsets, items } => {
                children.push(Self::of_column(table, items));
                vec![present, offsets.as_ptr().cast()]
            }
        };
        Self::new(table, column.len(), column.nulls(), buffers, children)
    }

    fn new(
        table: &Arc<Table>,
        rows: usize,
        nulls: usize,
        buffers: Vec<*const c_void>,
        children: Vec<Self>,
    ) -> Self {
        let children = children.into_iter().map(|child| Box::into_raw(Box::new(child))).collect();
        let mut kept = Box::new(ArrayKept { buffers, children, _table: Arc::clone(table) });
        ArrowArray {
            length: length(rows),
            null_count: length(nulls),
            offset: 0,
            n_buffers: length(kept.buffers.len()),
            n_children: length(kept.children.len()),
            buffers: kept.buffers.as_ptr(),
            children: kept.children.as_mut_ptr(),
            dictionary: ptr::null_mut(),
            release: Some(release_array),
            private_data: Box::into_raw(kept).cast(),
        }
    }

    /// What says that there are no more.
    fn end() -> Self {
        ArrowArray {
            length: 0,
            null_count: 0,
            offset: 0,
            n_buffers: 0,
            n_children: 0,
            buffers: ptr::null(),
            children: ptr::null_mut(),
            dictionary: ptr::null_mut(),
            release: None,
            private_data: ptr::null_mut(),
        }
    }
}

impl ArrowArrayStream {
    /// A table as a stream of one array.
    #[must_use]
    pub fn of(table: &Arc<Table>) -> Self {
        let kept = Box::new(StreamKept { table: Arc::clone(table), done: false });
        ArrowArrayStream {
            get_schema,
            get_next,
            get_last_error,
            release: Some(release_stream),
            private_data: Box::into_raw(kept).cast(),
        }
    }
}

impl Drop for ArrowSchema {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: it has not been released, and what `release` gets is valid.
            unsafe { release(self) }
        }
    }
}

impl Drop for ArrowArray {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: it has not been released, and what `release` gets is valid.
            unsafe { release(self) }
        }
    }
}

impl Drop for ArrowArrayStream {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: it has not been released, and what `release` gets is valid.
            unsafe { release(self) }
        }
    }
}

/// # Safety
/// `schema` was made by [`ArrowSchema::new`], perhaps moved since, and was not released.
unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    // SAFETY: the caller's promise; nothing else may change these fields, so the private data and
    // the children are the boxes that `new` leaked. A child that was moved out says so itself.
    unsafe {
        let kept: Box<SchemaKept> = Box::from_raw((*schema).private_data.cast());
        for child in &kept.children {
            drop(Box::from_raw(*child));
        }
        (*schema).private_data = ptr::null_mut();
        (*schema).release = None;
    }
}

/// # Safety
/// `array` was made by [`ArrowArray::new`], perhaps moved since, and was not released.
unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    // SAFETY: as for schemas.
    unsafe {
        let kept: Box<ArrayKept> = Box::from_raw((*array).private_data.cast());
        for child in &kept.children {
            drop(Box::from_raw(*child));
        }
        (*array).private_data = ptr::null_mut();
        (*array).release = None;
    }
}

/// # Safety
/// `stream` was made by [`ArrowArrayStream::of`], perhaps moved since, and was not released.
unsafe extern "C" fn release_stream(stream: *mut ArrowArrayStream) {
    // SAFETY: the caller's promise; the private data is the box that `of` leaked.
    unsafe {
        drop(Box::<StreamKept>::from_raw((*stream).private_data.cast()));
        (*stream).private_data = ptr::null_mut();
        (*stream).release = None;
    }
}

/// # Safety
/// As [`release_stream`]; `out` is room for a schema, whose contents do not matter.
unsafe extern "C" fn get_schema(stream: *mut ArrowArrayStream, out: *mut ArrowSchema) -> c_int {
    // SAFETY: the caller's promise. `write` does not look at what was there.
    unsafe {
        let kept = (*stream).private_data.cast::<StreamKept>();
        out.write(ArrowSchema::of(&(*kept).table));
    }
    0
}

/// # Safety
/// As [`release_stream`]; `out` is room for an array, whose contents do not matter.
unsafe extern "C" fn get_next(stream: *mut ArrowArrayStream, out: *mut ArrowArray) -> c_int {
    // SAFETY: the caller's promise; a stream is not used by two threads at once. `write` does not
    // look at what was there.
    unsafe {
        let kept = &mut *(*stream).private_data.cast::<StreamKept>();
        let done = std::mem::replace(&mut kept.done, true);
        out.write(if done { ArrowArray::end() } else { ArrowArray::of(&kept.table) });
    }
    0
}

/// Nothing that a stream does can fail.
///
/// # Safety
/// None is needed: the stream is not looked at.
unsafe extern "C" fn get_last_error(_: *mut ArrowArrayStream) -> *const c_char {
    ptr::null()
}

#[cfg(test)]
#[path = "arrow_tests.rs"]
mod tests;
