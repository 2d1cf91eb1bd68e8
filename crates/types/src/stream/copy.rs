//! The copy of a large stream on its way: first its nodes, then its groups; what stands between
//! these is read when it begins.

use base::codec::{Malformed, Source};
use base::{Assembly, Changed, Copier, IncrementalCopy, PackLimits};

use super::group_writer::GroupWriter;
use super::image::{self, Rest};
use super::pre_image::SavedNodes;
use super::{Stream, StreamId};

/// See the [module](self).
pub struct StreamCopy {
    /// Nodes there were, and how many are settled.
    count: usize,
    settled: usize,
    /// All nodes have been passed.
    passed: bool,
    /// What was read last, and the nodes before it that had changed.
    read: Vec<u8>,
    saved: Option<SavedNodes>,
    /// What stands between nodes and groups, until that is settled.
    between: Vec<u8>,
    /// The groups, if there are any.
    groups: Option<GroupWriter>,
}

impl IncrementalCopy<Stream> for StreamCopy {
    fn begin(stream: &mut Stream, copier: &Copier) -> Option<Self> {
        let mut between = Vec::new();
        image::put_counters(&mut between, stream);
        let groups = (!stream.groups().is_empty()).then(GroupWriter::default);
        stream.follow(copier);
        Some(StreamCopy {
            count: stream.log().node_count(),
            settled: 0,
            passed: false,
            read: Vec::new(),
            saved: None,
            between,
            groups,
        })
    }

    fn count(&self) -> usize {
        self.count
    }

    fn make_room(&mut self, bytes: usize) {
        self.read.reserve(2 * bytes);
    }

    fn read(
        &mut self,
        stream: &mut Stream,
        copier: &Copier,
        bytes: usize,
    ) -> Result<bool, Changed> {
        self.read.clear();
        let read = &mut self.read;
        if self.passed {
            let groups = self.groups.as_mut().ok_or(Changed)?;
            let more = stream.copy_groups(copier, &mut |part| {
                groups.put(read, part);
                read.len() < bytes
            });
            return more.ok_or(Changed);
        }
        let more = stream.copy_past(copier, &mut |id, node| {
            image::put_node(read, id, node);
            read.len() < bytes
        });
        if more.ok_or(Changed)? {
            self.saved = Some(stream.take_passed(copier).ok_or(Changed)?);
            return Ok(true);
        }
        self.saved = Some(stream.unfollow(copier).ok_or(Changed)?);
        self.passed = true;
        Ok(self.groups.is_some())
    }

    fn settle(&mut self, out: &mut Vec<u8>) -> Result<(), Changed> {
        match self.saved.take() {
            Some(saved) => self.settled += put_nodes(&self.read, &saved, out),
            None => {
                out.append(&mut self.between);
                out.extend_from_slice(&self.read);
            }
        }
        Ok(())
    }

    fn finish(self, out: &mut Vec<u8>) -> Result<(), Changed> {
        out.extend_from_slice(&self.between);
        debug_assert_eq!(self.settled, self.count, "a change without a note");
        let groups = self.groups.as_ref().is_none_or(GroupWriter::is_whole);
        debug_assert!(groups, "a change of a group without a note");
        if self.settled == self.count && groups { Ok(()) } else { Err(Changed) }
    }

    fn last_read(&self) -> usize {
        self.read.len()
    }

    fn noted(&self) -> usize {
        0
    }
}

/// Appends the nodes of a stream, those read and those saved; how many.
fn put_nodes(read: &[u8], saved: &SavedNodes, out: &mut Vec<u8>) -> usize {
    let mut count = 0;
    let mut put = |(id, node): (StreamId, &[u8])| {
        image::put_node(out, id, node);
        count += 1;
    };
    let mut saved = saved.iter().peekable();
    let mut source = Source::new(read);
    while let Ok((id, node)) = image::read_node(&mut source) {
        while let Some(before) = saved.next_if(|saved| saved.0 < id) {
            put(before);
        }
        put((id, node));
    }
    saved.for_each(put);
    count
}

/// A stream that comes in parts: nodes, none of them divided, and then bytes of what stands behind
/// them.
#[derive(Default)]
pub struct StreamAssembly {
    stream: Stream,
    /// How many nodes there will be, and how many there are.
    count: usize,
    nodes: usize,
    /// What has come of the rest, and what of that is not read.
    rest: Rest,
    unread: Vec<u8>,
}

impl Assembly<Stream> for StreamAssembly {
    fn begin(count: usize) -> Result<Self, Malformed> {
        Ok(StreamAssembly { count, ..StreamAssembly::default() })
    }

    fn add(&mut self, source: &mut Source<'_>, _limits: &PackLimits) -> Result<(), Malformed> {
        while !source.is_done() && self.nodes < self.count {
            let (id, node) = image::read_node(source)?;
            self.stream.adopt_node(id, node).map_err(Malformed)?;
            self.nodes += 1;
        }
        if !source.is_done() {
            self.unread.extend_from_slice(source.take(source.rest().len())?);
            let mut come = Source::new(&self.unread);
            self.rest.read(&mut come, &mut self.stream);
            let read = self.unread.len() - come.rest().len();
            self.unread.drain(..read);
        }
        Ok(())
    }

    fn finish(mut self) -> Result<(Stream, usize), Malformed> {
        self.rest.finish(&mut Source::new(&self.unread), &mut self.stream)?;
        Ok((self.stream, self.nodes))
    }
}

#[cfg(test)]
#[path = "copy_tests.rs"]
mod tests;
