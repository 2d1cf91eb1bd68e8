//! Where random tests take their seed from: the clock, or `KVIST_SEED` to repeat a run; and what
//! else the environment says of a test.

use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use base::Rng;

/// What a variable of the environment says, or what holds without.
pub fn setting<T: FromStr>(name: &str, default: T) -> T {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The seed of a run: `KVIST_SEED`, or another one each time.
#[must_use]
pub fn seed() -> u64 {
    setting("KVIST_SEED", another())
}

/// A seed that differs from start to start.
fn another() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::from(since.subsec_micros()) ^ (since.as_secs() << 20)
}

/// A generator whose seed is printed.
#[must_use]
pub fn rng() -> Rng {
    rng_of(another())
}

/// The same, from this seed if none is asked for.
pub fn rng_of(usual: u64) -> Rng {
    let seed = setting("KVIST_SEED", usual);
    eprintln!("KVIST_SEED={seed}");
    Rng::new(seed)
}
