//! Who hears what happens: subscribers of channels, clients that track keys or monitor, and parts
//! of this program that watch keys. Registers only; what is told is decided where it happens
//! (`execution/notifier.rs`, `execution/monitor.rs`).

pub(crate) mod events;
pub(crate) mod monitor;
pub(crate) mod pubsub;
pub(crate) mod request_flags;
pub(crate) mod tracking;
pub(crate) mod watch;

use self::monitor::Monitors;
use self::pubsub::PubSub;
use self::tracking::Tracking;
use self::watch::Watchers;

/// The registers.
#[derive(Default)]
pub struct Notify {
    /// Subscriptions.
    pub pubsub: PubSub,
    /// The clients that track keys.
    pub tracking: Tracking,
    /// Parts of this program that are told what happens to keys.
    pub(crate) watchers: Watchers,
    /// The clients that monitor.
    pub(crate) monitors: Monitors,
}
