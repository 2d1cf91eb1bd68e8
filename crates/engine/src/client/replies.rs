//! Which replies of a session are sent: `CLIENT REPLY`.
//!
//! A command writes its reply before it is known whether the client wants it; what is not wanted is
//! cut off again. So commands know nothing of silence, and the common case pays one comparison.
//! What is pushed rather than replied (confirmations of `SUBSCRIBE`, messages) is sent all the
//! same; the code that writes it says so with [`Replies::keep`].

/// Whether replies are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replies {
    /// Not until `ON`.
    off: bool,
    /// Not the one of the request that runs.
    skip: bool,
    /// Not the one of the request that follows.
    skip_next: bool,
    /// The output up to here stays, silence or not. Only of use while a request runs.
    kept: usize,
}

impl Replies {
    /// `CLIENT REPLY ON`. A `SKIP` for the next request stays in force.
    pub(crate) fn on(&mut self) {
        self.off = false;
        self.skip = false;
    }

    /// `CLIENT REPLY OFF`.
    pub(crate) fn off(&mut self) {
        self.off = true;
    }

    /// `CLIENT REPLY SKIP`: nothing new where all are skipped.
    pub(crate) fn skip_next(&mut self) {
        self.skip_next |= !self.off;
    }

    /// `RESET`, whose own reply may be one to skip.
    pub(crate) fn reset(&mut self) {
        self.off = false;
        self.skip_next = false;
    }

    /// Whether the reply of the request that runs is not sent.
    pub(crate) fn silent(&self) -> bool {
        self.off || self.skip
    }

    /// What has been written to `out` so far is sent whatever was said.
    pub(crate) fn keep(&mut self, out: &[u8]) {
        if self.silent() {
            self.kept = out.len();
        }
    }

    /// Cuts off what was written from `start` on, if it is not to be sent.
    pub(crate) fn hush(&mut self, out: &mut Vec<u8>, start: usize) {
        if self.silent() {
            out.truncate(start.max(self.kept));
        }
        self.kept = 0;
    }

    /// A request is done, with what it wrote from `start` on.
    pub(crate) fn request_done(&mut self, out: &mut Vec<u8>, start: usize) {
        if *self == Replies::default() {
            return;
        }
        self.hush(out, start);
        self.skip = std::mem::take(&mut self.skip_next);
    }
}

#[cfg(test)]
mod tests {
    use super::Replies;

    #[test]
    fn skip_silences_the_next_request_alone() {
        let mut replies = Replies::default();
        let mut out = b"+OK".to_vec();
        replies.skip_next();
        replies.request_done(&mut out, 3);
        for sent in [false, true] {
            out.extend_from_slice(b"+PONG");
            replies.request_done(&mut out, 3);
            assert_eq!(out.len() > 3, sent);
        }
    }

    #[test]
    fn what_is_kept_survives_silence_once() {
        let mut replies = Replies::default();
        let mut out = b"push".to_vec();
        replies.off();
        replies.keep(&out);
        out.extend_from_slice(b":1");
        replies.request_done(&mut out, 0);
        assert_eq!(out, b"push");
        replies.request_done(&mut out, 0);
        assert_eq!(out, b"");
    }
}
