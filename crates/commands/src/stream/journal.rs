//! Requests that leave in a group what a request that depends on time has left.
//!
//! What is pending is said by XCLAIM with FORCE, as Redis tells its replicas; what is alike about
//! many entries is said once for all of them.

use base::{Argv, Effect, StreamId};
use types::stream::{Group, Pending};

use super::ids;

/// What a request has changed for a consumer, said exactly if the host keeps it.
pub(super) struct Changes<'a> {
    group: &'a [u8],
    consumer: &'a [u8],
    recorded: bool,
    any: bool,
    requests: Vec<Argv>,
}

impl<'a> Changes<'a> {
    /// None yet.
    pub fn new(recorded: bool, group: &'a [u8], consumer: &'a [u8]) -> Self {
        Changes { group, consumer, recorded, any: false, requests: Vec::new() }
    }

    /// The effect of all of them.
    pub fn effect(self) -> Effect {
        if self.any { Effect::Unwatched(self.requests) } else { Effect::None }
    }

    /// The consumer was made.
    pub fn created(&mut self, key: &[u8]) {
        let Changes { group, consumer, .. } = *self;
        self.add(|| Argv::new(&[b"XGROUP", b"CREATECONSUMER", key, group, consumer]));
    }

    /// How far the group has read.
    pub fn read_to(&mut self, key: &[u8], group: &Group) {
        self.add(|| {
            let mut argv = Argv::new(&[b"XGROUP", b"SETID", key, group.name()]);
            ids::with_text(group.last_id, |text| argv.push(text));
            argv.push(b"ENTRIESREAD");
            argv.push_int(group.entries_read.map_or(-1, u64::cast_signed));
            argv
        });
    }

    /// These are pending for the consumer now.
    pub fn claimed(&mut self, key: &[u8], pending: &[Pending]) {
        let Changes { group, consumer, .. } = *self;
        let alike =
            |a: &Pending, b: &Pending| (a.delivered, a.deliveries) == (b.delivered, b.deliveries);
        for same in pending.chunk_by(alike) {
            self.add(|| {
                let mut argv = Argv::new(&[b"XCLAIM", key, group, consumer, b"0"]);
                for one in same {
                    ids::with_text(one.id, |text| argv.push(text));
                }
                argv.push(b"TIME");
                argv.push_int(same[0].delivered.cast_signed());
                argv.push(b"RETRYCOUNT");
                argv.push_int(same[0].deliveries.cast_signed());
                argv.push(b"FORCE");
                argv.push(b"JUSTID");
                argv
            });
        }
    }

    /// These are no longer pending.
    pub fn dropped(&mut self, key: &[u8], gone: &[StreamId]) {
        if gone.is_empty() {
            return;
        }
        let group = self.group;
        self.add(|| {
            let mut argv = Argv::new(&[b"XACK", key, group]);
            for id in gone {
                ids::with_text(*id, |text| argv.push(text));
            }
            argv
        });
    }

    fn add(&mut self, say: impl FnOnce() -> Argv) {
        self.any = true;
        if self.recorded {
            self.requests.push(say());
        }
    }
}
