//! The copy of a large list on its way: the list itself keeps what is wanted of it (see
//! [`pre_image`](super::pre_image)), and shows the next elements as they were.

use base::codec::{Malformed, Source, put_bytes};
use base::{Changed, Copier, Elements, IncrementalCopy, PackLimits};

use super::{End, List};

/// See the [module](self).
pub struct ListCopy {
    /// Elements there were, and how many are settled.
    count: usize,
    settled: usize,
    /// What was read last.
    read: Vec<u8>,
}

impl IncrementalCopy<List> for ListCopy {
    fn begin(list: &mut List, copier: &Copier) -> Option<Self> {
        let count = list.len();
        list.follow(copier).then(|| ListCopy { count, settled: 0, read: Vec::new() })
    }

    fn count(&self) -> usize {
        self.count
    }

    fn make_room(&mut self, bytes: usize) {
        self.read.reserve(2 * bytes);
    }

    fn read(&mut self, list: &mut List, copier: &Copier, bytes: usize) -> Result<bool, Changed> {
        self.read.clear();
        let (read, settled) = (&mut self.read, &mut self.settled);
        let more = list.copy_past(copier, &mut |element| {
            put_bytes(read, element);
            *settled += 1;
            read.len() < bytes
        });
        let more = more.ok_or(Changed)?;
        if !more {
            list.unfollow();
        }
        Ok(more)
    }

    fn settle(&mut self, out: &mut Vec<u8>) -> Result<(), Changed> {
        out.extend_from_slice(&self.read);
        Ok(())
    }

    fn finish(self, _out: &mut Vec<u8>) -> Result<(), Changed> {
        debug_assert_eq!(self.settled, self.count, "a change without a note");
        if self.settled == self.count { Ok(()) } else { Err(Changed) }
    }

    fn last_read(&self) -> usize {
        self.read.len()
    }

    fn noted(&self) -> usize {
        0
    }
}

impl Elements for List {
    fn add_element(
        &mut self,
        source: &mut Source<'_>,
        limits: &PackLimits,
    ) -> Result<(), Malformed> {
        self.push(End::Tail, source.bytes()?, limits);
        Ok(())
    }
}
