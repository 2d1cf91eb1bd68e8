//! Where random tests take their chance from: the clock, or `KVIST_SEED` to repeat a run.
#![allow(clippy::unwrap_used)] // a test says why by failing

use base::Rng;

/// Chance, whose seed is printed.
pub fn rng() -> Rng {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let seed = std::env::var("KVIST_SEED").ok().and_then(|text| text.parse().ok());
    let seed = seed.unwrap_or(u64::from(since.subsec_micros()));
    println!("KVIST_SEED={seed}");
    Rng::new(seed)
}
