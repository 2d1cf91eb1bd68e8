//! Writes the groups of a large stream in chunks: it may have any number of them, with any number
//! of consumers, and it may be that none has ever acknowledged anything.
//!
//! The stream shows its groups as they were (see `group_copy.rs`), and they are written in the
//! order in which they are shown. What is pending is written with the places that consumers had
//! among their names: a number may be another consumer's by then.

use super::group_copy::GroupPart;
use super::image;

/// See the [module](self).
#[derive(Default)]
pub(super) struct GroupWriter {
    /// From a consumer's number to its place among the names of the group.
    places: Vec<u64>,
    /// How many consumers of it have been named.
    named: u64,
    /// What is still to come of it.
    left: usize,
}

impl GroupWriter {
    /// Appends what is shown next.
    pub fn put(&mut self, out: &mut Vec<u8>, part: GroupPart<'_>) {
        match part {
            GroupPart::Head { name, last_id, entries_read, consumers } => {
                image::put_head(out, (name, last_id, entries_read), consumers);
                self.places.clear();
                (self.named, self.left) = (0, consumers);
            }
            GroupPart::Consumer { name, seen, number } => {
                image::put_consumer(out, name, seen);
                let number = number as usize;
                if self.places.len() <= number {
                    self.places.resize(number + 1, 0);
                }
                self.places[number] = self.named;
                self.named += 1;
                self.left = self.left.wrapping_sub(1);
            }
            GroupPart::Count(pending) => {
                image::put_count(out, pending);
                self.left = self.left.wrapping_add(pending);
            }
            GroupPart::Pending(one) => {
                image::put_one(out, &one, &self.places);
                self.left = self.left.wrapping_sub(1);
            }
        }
    }

    /// Whether all came that was announced.
    pub fn is_whole(&self) -> bool {
        self.left == 0
    }
}
