//! Mutational fuzzing on a clock: a second by default, `KVIST_FUZZ_SECONDS` for longer.
//!
//! The seed is printed with a failure; `KVIST_FUZZ_SEED` repeats a run.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::seed::setting;
use base::Rng;

/// Rounds that are run however little time there is: some tests expect that something has happened.
const FEWEST: u64 = 5;

/// Runs `check` with one seed after another until time is up.
pub fn fuzz(mut check: impl FnMut(&mut Rng)) {
    let seconds = setting("KVIST_FUZZ_SECONDS", 1);
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
    let first = setting("KVIST_FUZZ_SEED", clock << 24);
    let (begun, mut rounds) = (Instant::now(), 0);
    while rounds < FEWEST || begun.elapsed() < Duration::from_secs(seconds) {
        let seed = first + rounds;
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            check(&mut Rng::new(seed));
        }));
        if let Err(panic) = outcome {
            eprintln!("KVIST_FUZZ_SEED={seed} repeats this");
            std::panic::resume_unwind(panic);
        }
        rounds += 1;
    }
    eprintln!("{rounds} rounds from seed {first}");
}

/// Does a little damage, or none: what goes in is drawn from `pieces`.
pub fn damage(rng: &mut Rng, bytes: &mut Vec<u8>, pieces: &[&[u8]]) {
    for _ in 0..rng.below(4) {
        let at = rng.below(bytes.len() + 1);
        let end = (at + rng.below(6)).min(bytes.len());
        match rng.below(5) {
            0 => drop(bytes.drain(at..end)),
            1 => {
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
            2 => bytes.truncate(bytes.len() - rng.below(bytes.len().min(20) + 1)),
            3 if at < bytes.len() => bytes[at] ^= 1 << rng.below(8),
            _ => {
                let piece = pieces[rng.below(pieces.len())];
                let end = (at + rng.below(3)).min(bytes.len());
                bytes.splice(at..end, piece.iter().copied());
            }
        }
    }
}
