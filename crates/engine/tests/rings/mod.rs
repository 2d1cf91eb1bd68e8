//! An engine that knows the commands on rings, the type to copy from.
#![cfg(debug_assertions)] // rings are there in such builds only
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::sync::Arc;

use kvist_engine::{Engine, Start};

/// An engine that knows these commands, too.
pub fn engine(mut start: Start) -> Arc<Engine> {
    start.settings.apply_text(b"example-commands yes", "rings").unwrap();
    Engine::new(start).unwrap()
}
