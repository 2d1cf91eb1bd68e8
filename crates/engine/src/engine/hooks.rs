//! What the program hands in: how sockets, memory and other servers are reached is its affair.

use std::io::{Read, Write};
use std::sync::OnceLock;
use std::time::Duration;

use config::{Config, SetError};

/// Carries out what a change from one configuration to another means outside the engine, or says
/// why that cannot be. The third argument names what was set, in the order it was given. It runs in
/// the thread that changes the settings, one change at a time.
pub type CarryOut =
    Box<dyn Fn(&Config, &Config, &[&'static str]) -> Result<(), SetError> + Send + Sync>;

/// A connection to another server. Reading and writing give up with an error when they take too
/// long.
pub trait Line: Read + Write + Send {}

impl<T: Read + Write + Send> Line for T {}

/// Why there is no connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DialError {
    /// No host of that name, or it does not answer.
    Unreachable,
    /// The target refuses.
    Refused,
}

/// Connects to a host and port; what is read and written later may take as long.
pub type Dial = Box<dyn Fn(&str, u16, Duration) -> Result<Box<dyn Line>, DialError> + Send + Sync>;

/// What a program's allocator can do. Handed in, as only the program knows which it has.
#[derive(Clone, Copy, Debug)]
pub struct Allocator {
    /// Gives free memory back to the system.
    pub give_back: fn(),
    /// What it says of itself: `MEMORY MALLOC-STATS`.
    pub describe: fn() -> String,
}

impl Allocator {
    /// One of which nothing is known.
    #[must_use]
    pub fn unknown() -> Self {
        Allocator { give_back: || (), describe: String::new }
    }
}

/// All of it.
#[derive(Default)]
pub(crate) struct Hooks {
    pub carry_out: OnceLock<CarryOut>,
    pub dial: OnceLock<Dial>,
    /// Has another thread serve the clients of the thread that calls it, if it has some, while one
    /// of them takes long; too long, if that is said.
    pub hand_over: OnceLock<fn(bool)>,
    /// How memory is given back.
    pub allocator: OnceLock<Allocator>,
}
