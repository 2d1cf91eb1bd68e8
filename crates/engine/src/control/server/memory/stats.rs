//! MEMORY STATS.

use base::{CmdError, Reply, RunTime, Spec};
use wire::RespWriter;

use super::figures::ratio;
use super::{DESCRIBES, Figures, MEMORY, WALKS};
use crate::control::{Act, Control, bare};

bare! {
    /// Tells where the memory is.
    MemoryStats,
    Spec {
        name: "memory|stats",
        summary: "Tells what memory is used for.",
        complexity: "O(N) in the number of shards and databases",
        tips: DESCRIBES,
        behaviour: MEMORY.behaviour.locks(WALKS).run_time(RunTime::Short),
        ..MEMORY
    }
}

impl Act for MemoryStats<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let figures = Figures::take(control);
        let shown: Vec<_> =
            figures.databases.iter().enumerate().filter(|(_, db)| db.keys > 0).collect();
        out.map(27 + shown.len());
        let mut bytes = |name: &str, bytes: usize| count(out, name, bytes);
        bytes("peak.allocated", figures.peak);
        bytes("total.allocated", figures.used);
        for name in ["startup.allocated", "replication.backlog", "clients.slaves"] {
            bytes(name, 0);
        }
        bytes("clients.normal", figures.clients);
        bytes("cluster.links", 0);
        bytes("aof.buffer", figures.journal);
        let [_, _, scripts, libraries] = figures.scripting;
        bytes("lua.caches", scripts);
        bytes("functions.caches", libraries);
        for (number, db) in shown {
            out.bulk(format!("db.{number}").as_bytes());
            out.map(3);
            count(out, "overhead.hashtable.main", db.table);
            // Deadlines are part of the entries, and slots there are none.
            count(out, "overhead.hashtable.expires", 0);
            count(out, "overhead.hashtable.slot-to-keys", 0);
        }
        count(out, "overhead.total", figures.overhead());
        count(out, "keys.count", figures.keys());
        count(out, "keys.bytes-per-key", figures.used.checked_div(figures.keys()).unwrap_or(0));
        count(out, "dataset.bytes", figures.dataset());
        share(out, "dataset.percentage", ratio(figures.dataset(), figures.used) * 100.0);
        share(out, "peak.percentage", ratio(figures.used, figures.peak) * 100.0);
        allocator(&figures, out);
        Ok(())
    }
}

/// What the system has given beyond what is used is all the allocator's: it keeps no account that
/// tells active from resident pages.
fn allocator(figures: &Figures, out: &mut RespWriter<'_>) {
    let resident = figures.resident.unwrap_or(figures.used);
    let unused = resident.saturating_sub(figures.used);
    count(out, "allocator.allocated", figures.used);
    count(out, "allocator.active", resident);
    count(out, "allocator.resident", resident);
    share(out, "allocator-fragmentation.ratio", ratio(resident, figures.used));
    count(out, "allocator-fragmentation.bytes", unused);
    for name in ["allocator-rss", "rss-overhead"] {
        share(out, &format!("{name}.ratio"), 1.0);
        count(out, &format!("{name}.bytes"), 0);
    }
    share(out, "fragmentation", ratio(resident, figures.used));
    count(out, "fragmentation.bytes", unused);
}

fn count(out: &mut RespWriter<'_>, name: &str, bytes: usize) {
    out.bulk(name.as_bytes());
    out.count(bytes);
}

fn share(out: &mut RespWriter<'_>, name: &str, share: f64) {
    out.bulk(name.as_bytes());
    out.double(share);
}
