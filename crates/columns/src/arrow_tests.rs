//! Structures as a consumer uses them: moved, read, released in any order.

use super::{ArrowArray, ArrowArrayStream, ArrowSchema};
use crate::{Rows, Table, Wanted};
use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::Arc;
use wire::ReplyReader;

fn table() -> Arc<Table> {
    let mut reader = ReplyReader::new();
    reader.feed(
        b"*3\r\n*4\r\n:1\r\n$3\r\nAda\r\n#t\r\n*1\r\n:5\r\n*4\r\n:2\r\n_\r\n#f\r\n_\r\n\
          *4\r\n:3\r\n$5\r\nGrace\r\n#t\r\n*0\r\n",
    );
    let names = ["id", "name", "is", "list"].map(str::to_owned).to_vec();
    let mut rows = Rows::new(Wanted { names: Some(names), text: true, ..Wanted::default() });
    assert_eq!(reader.next(&mut rows), Ok(Some(())));
    Arc::new(rows.finish().expect("a table"))
}

/// Moves a structure as consumers do: by its bytes, after which the original is released.
macro_rules! moved {
    ($from:expr) => {{
        let from: *mut _ = $from;
        // SAFETY: a valid structure, of which one copy stays alive.
        unsafe {
            let copy = ptr::read(from);
            (*from).release = None;
            copy
        }
    }};
}

#[test]
fn types() {
    let table = table();
    let schema = ArrowSchema::of(&table);
    // SAFETY: the structure is alive, and has as many children as it says.
    unsafe {
        assert_eq!(CStr::from_ptr(schema.format), c"+s");
        let children = std::slice::from_raw_parts(schema.children, 4);
        let told: Vec<_> = children
            .iter()
            .map(|child| (CStr::from_ptr((**child).name), CStr::from_ptr((**child).format)))
            .collect();
        assert_eq!(told, [(c"id", c"l"), (c"name", c"U"), (c"is", c"b"), (c"list", c"+L")]);
        assert_eq!(CStr::from_ptr((**(*children[3]).children).format), c"l");
    }
}

#[test]
fn values_outlive_everything_else() {
    let table = table();
    let mut array = ArrowArray::of(&table);
    assert_eq!((array.length, array.n_children, array.n_buffers), (3, 4, 1));
    // SAFETY: the structure is alive; children are moved out as the specification says.
    let children = unsafe { std::slice::from_raw_parts(array.children, 4) };
    let (ids, names) = (moved!(children[0]), moved!(children[1]));
    let array = moved!(&raw mut array);
    drop(array);
    drop(table);
    assert_eq!((ids.null_count, names.null_count), (0, 1));
    // SAFETY: the arrays hold the table; the buffers are as long as the lengths say.
    unsafe {
        let buffers = std::slice::from_raw_parts(ids.buffers, 2);
        assert!(buffers[0].is_null());
        assert_eq!(std::slice::from_raw_parts(buffers[1].cast::<i64>(), 3), [1, 2, 3]);
        let buffers = std::slice::from_raw_parts(names.buffers, 3);
        assert_eq!(*buffers[0].cast::<u8>() & 0b111, 0b101);
        assert_eq!(std::slice::from_raw_parts(buffers[1].cast::<i64>(), 4), [0, 3, 3, 8]);
        assert_eq!(std::slice::from_raw_parts(buffers[2].cast::<u8>(), 8), b"AdaGrace");
    }
}

#[test]
fn a_stream_has_one_array() {
    let table = table();
    let mut stream = ArrowArrayStream::of(&table);
    let mut stream = moved!(&raw mut stream);
    assert_eq!(Arc::strong_count(&table), 2);
    for expected in [Some(3), None, None] {
        let mut array = MaybeUninit::<ArrowArray>::uninit();
        // SAFETY: a valid stream, and room for an array.
        let array = unsafe {
            assert_eq!((stream.get_next)(&raw mut stream, array.as_mut_ptr()), 0);
            array.assume_init()
        };
        assert_eq!(array.release.map(|_| array.length), expected);
    }
    let mut schema = MaybeUninit::<ArrowSchema>::uninit();
    // SAFETY: a valid stream, and room for a schema.
    let schema = unsafe {
        assert_eq!((stream.get_schema)(&raw mut stream, schema.as_mut_ptr()), 0);
        assert!((stream.get_last_error)(&raw mut stream).is_null());
        schema.assume_init()
    };
    assert_eq!(schema.n_children, 4);
    drop(stream);
    assert_eq!(Arc::strong_count(&table), 1, "everything was given back");
}

#[test]
fn names_that_c_cannot_tell() {
    let names = vec!["a\0b".to_owned()];
    let rows = Rows::new(Wanted { names: Some(names), ..Wanted::default() });
    let schema = ArrowSchema::of(&rows.finish().expect("an empty table"));
    // SAFETY: the structure is alive and has one child.
    assert_eq!(unsafe { CStr::from_ptr((**schema.children).name) }, c"a");
}
