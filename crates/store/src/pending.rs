//! What is pending in a group of a large stream, copied in pieces: it may be that nobody has ever
//! acknowledged anything.
//!
//! It is taken as it lies, and written when the lock is free, with the places that consumers had
//! among their names: a number may be somebody else's by then.

use types::stream::{Pending, SavedPending};
use types::{Copier, Stream};

use crate::image_stream;
use crate::partial::Changed;

/// So many are written at once.
const FEW: usize = crate::pieces::PIECE / size_of::<Pending>();

/// See the [module](self).
pub(crate) struct Pendings {
    group: Box<[u8]>,
    /// Where it belongs among what stands behind the nodes.
    at: usize,
    /// From a consumer's number to its place among the names.
    places: Vec<u64>,
    /// How many there were.
    count: usize,
    copied: Vec<Pending>,
    saved: Option<SavedPending>,
}

impl Pendings {
    /// Appends all that stands behind the nodes of a stream, but what is pending in groups in which
    /// that is much; those are to be copied in pieces.
    pub fn begin(out: &mut Vec<u8>, stream: &mut Stream, copier: &Copier) -> Vec<Pendings> {
        let mut many = Vec::new();
        image_stream::put_counters(out, stream);
        for group in stream.groups() {
            let places = image_stream::put_head(out, group);
            let count = group.pending();
            if count > FEW {
                let (at, copied) = (out.len(), Vec::new());
                let group = group.name().into();
                many.push(Pendings { group, at, places, count, copied, saved: None });
            } else {
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
        self.saved.is_some()
    }

    /// Makes room for a piece of so many bytes.
    pub fn make_room(&mut self, bytes: usize) {
        self.copied.reserve(bytes / size_of::<Pending>() + 1);
    }

    /// Copies the next piece of so many bytes.
    ///
    /// # Errors
    /// It is not followed any more.
    pub fn piece(
        &mut self,
        stream: &mut Stream,
        copier: &Copier,
        bytes: usize,
    ) -> Result<(), Changed> {
        let end = self.copied.len() + bytes / size_of::<Pending>() + 1;
        let copied = &mut self.copied;
        let more = stream.copy_pending(&self.group, copier, &mut |one| {
            copied.push(one);
            copied.len() < end
        });
        if !more.ok_or(Changed)? {
            let saved = stream.unfollow_pending(&self.group, copier);
            self.saved = Some(saved.ok_or(Changed)?);
        }
        Ok(())
    }

    /// Appends what stands behind the nodes, with what was pending where it belongs; whether that
    /// is as much as there was.
    pub fn put_all(all: &[Pendings], tail: &[u8], out: &mut Vec<u8>) -> bool {
        let (mut from, mut complete) = (0, true);
        for pendings in all {
            out.extend_from_slice(&tail[from..pendings.at]);
            from = pendings.at;
            complete &= pendings.put(out) == pendings.count;
        }
        out.extend_from_slice(&tail[from..]);
        complete
    }

    fn put(&self, out: &mut Vec<u8>) -> usize {
        let mut count = 0;
        let mut put = |one: &Pending| {
            image_stream::put_one(out, one, &self.places);
            count += 1;
        };
        let mut saved = self.saved.iter().flat_map(SavedPending::iter).peekable();
        for one in &self.copied {
            while let Some(before) = saved.next_if(|saved| saved.id < one.id) {
                put(before);
            }
            put(one);
        }
        saved.for_each(put);
        count
    }
}
