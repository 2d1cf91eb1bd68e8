//! What one state of the interpreter carries along: everything a called function needs that has a
//! destructor or outlives the call.

use std::cell::UnsafeCell;

use crate::function_library::Loading;
use crate::interpreter::memory::Memory;

mod buffers;
mod open;
mod random;
mod run;
mod ways;

pub use buffers::{Buffers, Command};
pub use open::{Aggregate, Open};
pub use random::Random;
pub use run::Run;
pub use ways::Way;

use buffers::KEPT;

/// The user data of the allocator, so that it is found from any coroutine by one load.
pub struct AllocatorData {
    pub memory: Memory,
    pub script: UnsafeCell<ScriptState>,
}

/// The script that runs, and what is kept from call to call.
#[derive(Default)]
pub struct ScriptState {
    pub run: Run,
    pub buffers: Buffers,
    pub command: Command,
    /// Ways that a pattern has not taken yet.
    pub ways: Vec<Way>,
    /// The sequence of `math.random`.
    pub random: Random,
    pub collector: Collector,
    /// Where the metatables of sealed tables are.
    pub seals: Vec<usize>,
    /// The library being loaded.
    pub loading: Option<Loading>,
}

/// What a script last told the collector, which does as it likes.
pub struct Collector {
    pub pause: i32,
    pub step: i32,
}

impl Default for Collector {
    fn default() -> Self {
        Collector { pause: 200, step: 200 }
    }
}

impl ScriptState {
    /// What a fresh state carries; results of encoders may take so many bytes.
    pub fn new(limit: usize) -> Self {
        let mut script = ScriptState::default();
        script.buffers.limit = limit;
        script
    }

    /// Gives back what a script has left: these belong to no limit.
    #[inline]
    pub fn rest(&mut self) {
        self.buffers.tidy();
        for room in [&mut self.buffers.text, &mut self.command.digits] {
            if room.capacity() > KEPT {
                *room = Vec::new();
            }
        }
        if self.ways.capacity() * size_of::<Way>() > KEPT {
            self.ways = Vec::new();
        }
    }
}
