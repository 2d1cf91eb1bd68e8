//! What is pending in the groups of a large stream, copied in chunks: it may be that no consumer
//! has ever acknowledged anything, or that there are many groups.
//!
//! A chunk is taken as it lies, and written when the lock is free, with the places that consumers
//! had among their names: a number may be another consumer's by then.

use types::stream::{Pending, SavedPending};
use types::{Copier, Stream};

use crate::image_stream;
use crate::value_copy::Changed;

/// So many are written at once, in all groups together.
const FEW: usize = crate::incremental_copy::CHUNK / size_of::<Pending>();

/// See the [module](self).
pub(crate) struct Pendings {
    group: Box<[u8]>,
    /// Where it belongs among what stands behind the nodes.
    at: usize,
    /// From a consumer's number to its place among the names.
    places: Vec<u64>,
    /// How many there were, and how many are written.
    count: usize,
    written: usize,
    /// What the last hold took.
    copied: Vec<Pending>,
    saved: Option<SavedPending>,
    done: bool,
}

impl Pendings {
    /// Appends all that stands behind the nodes of a stream, but what is pending beyond a few;
    /// groups with more are to be copied in chunks.
    pub fn begin(out: &mut Vec<u8>, stream: &mut Stream, copier: &Copier) -> Vec<Pendings> {
        let (mut many, mut room) = (Vec::new(), FEW);
        image_stream::put_counters(out, stream);
        for group in stream.groups() {
            let places = image_stream::put_head(out, group);
            let count = group.pending();
            if count > room {
                many.push(Pendings {
                    group: group.name().into(),
                    at: out.len(),
                    places,
                    count,
                    written: 0,
                    copied: Vec::new(),
                    saved: None,
                    done: false,
                });
            } else {
                room -= count;
                image_stream::put_pending(out, group, &places);
            }
        }
        for pendings in &many {
            // It has what is pending, so it does.
            stream.follow_pending(&pendings.group, copier);
        }
        many
    }

    /// Whether all has been copied.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// Where it belongs among what stands behind the nodes.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Makes room for a chunk of so many bytes.
    pub fn make_room(&mut self, bytes: usize) {
        self.copied.reserve(bytes / size_of::<Pending>() + 1);
    }

    /// Copies the next chunk of so many bytes.
    ///
    /// # Errors
    /// It is not followed any more.
    pub fn chunk(
        &mut self,
        stream: &mut Stream,
        copier: &Copier,
        bytes: usize,
    ) -> Result<(), Changed> {
        let end = bytes / size_of::<Pending>() + 1;
        let copied = &mut self.copied;
        let more = stream.copy_pending(&self.group, copier, &mut |one| {
            copied.push(one);
            copied.len() < end
        });
        self.done = !more.ok_or(Changed)?;
        let saved = match self.done {
            true => stream.unfollow_pending(&self.group, copier),
            false => stream.take_passed_pending(&self.group, copier),
        };
        self.saved = Some(saved.ok_or(Changed)?);
        Ok(())
    }

    /// Appends what the last hold took, as it was.
    ///
    /// # Errors
    /// It is the last, and does not come to as much as there was.
    pub fn settle(&mut self, out: &mut Vec<u8>) -> Result<(), Changed> {
        let (saved, written) = (self.saved.take(), &mut self.written);
        let mut put = |one: &Pending| {
            image_stream::put_one(out, one, &self.places);
            *written += 1;
        };
        let mut saved = saved.iter().flat_map(SavedPending::iter).peekable();
        for one in self.copied.drain(..) {
            while let Some(before) = saved.next_if(|saved| saved.id < one.id) {
                put(before);
            }
            put(&one);
        }
        saved.for_each(put);
        let complete = !self.done || self.written == self.count;
        debug_assert!(complete, "a change of what is pending without a note");
        if complete { Ok(()) } else { Err(Changed) }
    }
}
