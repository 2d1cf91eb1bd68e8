//! The ballast: many small keys that make snapshots, rewrites and recoveries take their time.

use differential::command::Command;
use differential::rng::Rng;

use super::Work;
use crate::model::Model;
use crate::unit::{Step, Unit};
use crate::value::Bytes;

/// The database of the ballast. Nothing else is in it.
pub const BALLAST_DB: u8 = 5;

const AT_ONCE: usize = 200;

/// Fills the ballast in order, then writes some of it again.
pub(super) fn unit(live: &Model, sequence: &mut u64, rng: &mut Rng, work: &Work) -> Unit {
    let filled = live.keys.len();
    let wanted = work.ballast.max(1);
    *sequence += 1;
    let mut args = vec![b"MSET".to_vec()];
    let count = if filled < wanted { AT_ONCE.min(wanted - filled) } else { 1 + rng.below(20) };
    for n in 0..count {
        // Keys are never deleted, so the number of them says where to go on.
        let number = if filled < wanted { filled + n } else { rng.below(wanted) };
        args.push(key(live, number));
        args.push(format!("{sequence}:{:a<90}", number).into_bytes());
    }
    let command = Command::new(args);
    Unit::new(vec![Step { db: BALLAST_DB, command }], false)
}

fn key(live: &Model, number: usize) -> Bytes {
    let mut key = live.prefix.clone();
    key.extend_from_slice(format!("{number:08}").as_bytes());
    key
}
