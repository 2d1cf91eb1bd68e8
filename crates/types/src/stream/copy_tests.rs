//! What stands behind the nodes of a stream is written and read a part at a time.

use base::codec::Source;
use base::{Assembly, Copier, DataType, IncrementalCopy};

use super::super::{Pending, Stream, StreamId};
use super::{Rest, StreamAssembly, StreamCopy, image};

/// However many groups a stream has, and however little is pending in each: none of it is written
/// when the copy begins.
#[test]
fn little_is_written_at_once_of_many_groups() {
    let mut stream = Stream::default();
    for n in 0..60_u64 {
        let name = format!("group {n:02}").into_bytes();
        stream.create_group(&name, StreamId::MIN, Some(n));
        stream.edit_group(&name, |_, group| {
            let consumer = group.find_or_create(b"consumer", n).0;
            for ms in 1..=40 {
                let id = StreamId { ms: ms + n, seq: 0 };
                group.deliver(Pending { id, delivered: ms, deliveries: n, consumer });
            }
        });
    }
    stream
        .push(StreamId { ms: 1, seq: 1 }, &[b"name", b"value"], &Default::default())
        .expect("an entry");
    let copy = StreamCopy::begin(&mut stream, &Copier::default()).expect("a copy");
    assert!(copy.between.len() < 100, "{} bytes in one hold", copy.between.len());
    assert!(copy.groups.is_some(), "all groups are to come");
}

/// What comes of a stream is read as it comes: were a group's consumers read again with each chunk,
/// reading would take longer and longer.
#[test]
fn a_group_with_many_consumers_is_read_as_it_comes() {
    let mut stream = Stream::default();
    stream.create_group(b"group", StreamId::MIN, None);
    stream.edit_group(b"group", |_, group| {
        for n in 0..500_u64 {
            let consumer = group.find_or_create(format!("consumer {n}").as_bytes(), n).0;
            let id = StreamId { ms: 1 + n, seq: 0 };
            group.deliver(Pending { id, delivered: n, deliveries: 1, consumer });
        }
    });
    let mut rest = Vec::new();
    image::put_rest(&mut rest, &stream);
    let (mut copy, mut reading, mut unread) = (Stream::default(), Rest::default(), Vec::new());
    for chunk in rest.chunks(50) {
        unread.extend_from_slice(chunk);
        let mut come = Source::new(&unread);
        reading.read(&mut come, &mut copy);
        let read = unread.len() - come.rest().len();
        unread.drain(..read);
        // Less than the longest thing there is.
        assert!(unread.len() < 80, "{} bytes are not read yet", unread.len());
    }
    reading.finish(&mut Source::new(&unread), &mut copy).expect("a stream");
    let mut again = Vec::new();
    image::put_rest(&mut again, &copy);
    assert!(again == rest);
}

/// A stream may be nothing but its groups: it is copied in parts, and is whole without a node.
#[test]
fn a_stream_without_nodes_is_copied_and_put_together() {
    let mut stream = Stream::default();
    for n in 0..30_u64 {
        stream.create_group(format!("group {n:02}").as_bytes(), StreamId { ms: n, seq: 1 }, None);
    }
    let copier = Copier::default();
    let mut copy = StreamCopy::begin(&mut stream, &copier).expect("a copy");
    let mut assembly = StreamAssembly::begin(copy.count()).expect("an assembly");
    let (mut more, mut parts) = (true, 0);
    while more {
        more = copy.read(&mut stream, &copier, 50).expect("a part");
        let mut out = Vec::new();
        copy.settle(&mut out).expect("as it was");
        assembly.add(&mut Source::new(&out), &Default::default()).expect("a part");
        parts += 1;
    }
    let mut rest = Vec::new();
    copy.finish(&mut rest).expect("all of it");
    assembly.add(&mut Source::new(&rest), &Default::default()).expect("the rest");
    let (whole, nodes) = assembly.finish().expect("a stream");
    assert_eq!((nodes, whole.groups().len()), (0, 30));
    let image = |stream: &Stream| {
        let mut out = Vec::new();
        stream.encode(&mut out);
        out
    };
    assert!(image(&whole) == image(&stream));
    assert!(parts > 5, "{parts} parts");
}
