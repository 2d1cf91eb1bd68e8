//! Requests that leave in a group what a request that depends on time has left.
//!
//! What is pending is said by XCLAIM with FORCE, as Redis tells its replicas; what is alike about
//! many entries is said once for all of them.

use base::{Argv, Effect, StreamId};
use types::stream::{Group, Pending};

use super::ids;

/// What a request has changed, said exactly if anybody keeps it.
pub(super) struct Changes {
    recorded: bool,
    any: bool,
    requests: Vec<Argv>,
}

impl Changes {
    /// None yet.
    pub fn new(recorded: bool) -> Self {
        Changes { recorded, any: false, requests: Vec::new() }
    }

    /// Something has changed; `say` adds the requests that tell it.
    pub fn add(&mut self, say: impl FnOnce(&mut Vec<Argv>)) {
        self.any = true;
        if self.recorded {
            say(&mut self.requests);
        }
    }

    /// The effect of all of them.
    pub fn effect(self) -> Effect {
        if self.any { Effect::Unwatched(self.requests) } else { Effect::None }
    }
}

/// The consumer was made.
pub(super) fn created(key: &[u8], group: &[u8], consumer: &[u8]) -> Argv {
    Argv::new(&[b"XGROUP", b"CREATECONSUMER", key, group, consumer])
}

/// How far the group has read.
pub(super) fn read_to(key: &[u8], group: &Group) -> Argv {
    let mut argv = Argv::new(&[b"XGROUP", b"SETID", key, group.name()]);
    ids::with_text(group.last_id, |text| argv.push(text));
    argv.push(b"ENTRIESREAD");
    argv.push_int(group.entries_read.map_or(-1, u64::cast_signed));
    argv
}

/// These are pending for `consumer` now.
pub(super) fn claimed(
    key: &[u8],
    group: &[u8],
    consumer: &[u8],
    pending: &[Pending],
    requests: &mut Vec<Argv>,
) {
    let alike =
        |a: &Pending, b: &Pending| (a.delivered, a.deliveries) == (b.delivered, b.deliveries);
    for same in pending.chunk_by(alike) {
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
        requests.push(argv);
    }
}

/// These are no longer pending.
pub(super) fn dropped(key: &[u8], group: &[u8], gone: &[StreamId], requests: &mut Vec<Argv>) {
    if gone.is_empty() {
        return;
    }
    let mut argv = Argv::new(&[b"XACK", key, group]);
    for id in gone {
        ids::with_text(*id, |text| argv.push(text));
    }
    requests.push(argv);
}
