//! The copy of a long string on its way, byte by byte. What changes before it is copied, the shard
//! notes: bytes have no type of their own that could (see `store/incremental_copy.rs`).

use base::Changed;

use super::text_notes::Bytes;

/// See the [module](self).
pub(crate) struct TextCopy {
    /// How many bytes there were, and how many are settled.
    count: usize,
    settled: usize,
    /// What was read last, and what of it had changed before it was copied.
    read: Vec<u8>,
    notes: Vec<Bytes>,
}

impl TextCopy {
    /// Begins to copy a string of so many bytes.
    pub fn begin(count: usize) -> Self {
        TextCopy { count, settled: 0, read: Vec::new(), notes: Vec::new() }
    }

    pub fn count(&self) -> usize {
        self.count
    }

    pub fn make_room(&mut self, bytes: usize) {
        self.read.reserve(2 * bytes);
    }

    /// Reads so many bytes; whether there is more.
    pub fn read(&mut self, text: &[u8], bytes: usize) -> Result<bool, Changed> {
        self.read.clear();
        let to = self.count.min(self.settled.saturating_add(bytes));
        self.read.extend_from_slice(text.get(self.settled..to).ok_or(Changed)?);
        Ok(to < self.count)
    }

    /// Takes the notes that belong to the bytes read last. The shard has those of other ones, and
    /// looks how many they are.
    pub fn take_notes(&mut self, noted: Vec<Bytes>) {
        self.notes = noted;
    }

    /// Appends the bytes read last as they were.
    pub fn settle(&mut self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&self.read);
        repair(&mut out[start..], self.settled, &std::mem::take(&mut self.notes));
        self.settled += self.read.len();
    }

    pub fn finish(&self) -> Result<(), Changed> {
        debug_assert_eq!(self.settled, self.count, "a change without a note");
        if self.settled == self.count { Ok(()) } else { Err(Changed) }
    }

    /// Bytes that were read last.
    #[cfg(test)]
    pub fn last_read(&self) -> usize {
        self.read.len()
    }
}

/// Puts bytes back that changed before they were copied, from byte `from` of the string on.
fn repair(copied: &mut [u8], from: usize, notes: &[Bytes]) {
    for (at, was) in notes {
        let place = at.checked_sub(from).and_then(|start| copied.get_mut(start..start + was.len()));
        debug_assert!(place.is_some(), "a note of another piece");
        if let Some(place) = place {
            place.copy_from_slice(was);
        }
    }
}
