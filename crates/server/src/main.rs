//! kvist
fn main() {}
