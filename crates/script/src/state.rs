//! What one state of the interpreter carries along: everything a called function needs that has a
//! destructor or outlives the call.

use std::cell::UnsafeCell;
use std::ptr::NonNull;
use std::time::Instant;

use base::Protocol;

use crate::Host;
use crate::library::Loading;
use crate::lift::Open;
use crate::memory::Memory;
use crate::patterns::Way;
use crate::random::Random;

/// The user data of the allocator, so that it is found from any coroutine by one load.
pub struct Shared {
    pub memory: Memory,
    pub inner: UnsafeCell<Inner>,
}

/// Buffers that are kept from call to call, and the script that runs.
#[derive(Default)]
pub struct Inner {
    /// A message being put together.
    pub text: Vec<u8>,
    /// The result of an encoder, or a string being decoded.
    pub buffer: Vec<u8>,
    /// Numbers among the words of a command, as text.
    pub digits: Vec<u8>,
    /// The words of the command being called. Empty between calls.
    pub words: Vec<&'static [u8]>,
    /// Aggregates of a reply that are not complete.
    pub open: Vec<Open>,
    /// Who runs commands, while a script runs.
    pub host: Option<NonNull<dyn Host>>,
    /// The protocol of replies to this script, `redis.setresp`.
    pub protocol: Protocol,
    /// The sequence of `math.random`.
    pub random: Random,
    /// Whether the host has ended the script that runs.
    pub killed: bool,
    /// Steps until the host is asked.
    pub steps: u32,
    /// Instructions between two calls of the hook.
    pub interval: u32,
    /// When the hook was last called, and when the host was last asked, once the hook was.
    pub hooked: Option<Instant>,
    pub asked: Option<Instant>,
    /// Whether the script catches errors itself, where it is now.
    pub catching: bool,
    /// Where the metatables of sealed tables are.
    pub seals: Vec<usize>,
    /// Ways that a pattern has not taken yet.
    pub ways: Vec<Way>,
    /// What a script last told the collector, which does as it likes.
    pub pause: i32,
    pub step: i32,
    /// The library being loaded.
    pub loading: Option<Loading>,
    /// Bytes that results of encoders may take.
    pub limit: usize,
}

/// Room of buffers that is kept between calls.
const KEPT: usize = 1 << 20;

impl Inner {
    /// Whether this many more bytes would make an encoder's result too long.
    #[inline]
    pub fn is_full(&self, more: usize) -> bool {
        self.buffer.len().saturating_add(more) > self.limit
    }

    /// Gives the room of an unusually long result back.
    #[inline]
    pub fn tidy(&mut self) {
        if self.buffer.capacity() > KEPT {
            self.buffer = Vec::new();
        }
    }

    /// Gives back what a script has left: these belong to no limit.
    #[inline]
    pub fn rest(&mut self) {
        self.tidy();
        for room in [&mut self.text, &mut self.digits] {
            if room.capacity() > KEPT {
                *room = Vec::new();
            }
        }
        if self.ways.capacity() * size_of::<Way>() > KEPT {
            self.ways = Vec::new();
        }
    }
}
