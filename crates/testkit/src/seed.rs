//! Where random tests take their seed from: the clock, or `KVIST_SEED` to repeat a run; and what
//! else the environment says of a test.

use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use base::Rng;

/// What a variable of the environment says, or what holds without.
pub fn setting<T: FromStr>(name: &str, default: T) -> T {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// A generator whose seed is printed.
#[must_use]
pub fn rng() -> Rng {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    rng_of(since.map_or(0, |since| u64::from(since.subsec_micros())))
}

/// The same, from this seed if none is asked for.
pub fn rng_of(usual: u64) -> Rng {
    let seed = setting("KVIST_SEED", usual);
    eprintln!("KVIST_SEED={seed}");
    Rng::new(seed)
}
