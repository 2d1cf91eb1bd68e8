//! Where random tests take their seed from: the clock, or `KVIST_SEED` to repeat a run; and what
//! else the environment says of a test.
#![allow(dead_code)] // each test program uses a part
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::str::FromStr;

use base::Rng;

/// What a variable of the environment says, or what holds without.
pub fn setting<T: FromStr>(name: &str, default: T) -> T {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// A generator whose seed is printed.
pub fn rng() -> Rng {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    rng_of(u64::from(since.subsec_micros()))
}

/// The same, from this seed if none is asked for.
pub fn rng_of(usual: u64) -> Rng {
    let seed = setting("KVIST_SEED", usual);
    eprintln!("KVIST_SEED={seed}");
    Rng::new(seed)
}
