//! Which keyspace events are wanted: the store's bits for them.

use base::Class;
use config::Config;
use store::{BY_EVENT, BY_KEY};

/// All bits of the store's interest that events are about.
pub(crate) fn event_bits() -> u32 {
    Class::ALL.iter().fold(BY_KEY | BY_EVENT, |bits, class| bits | class.bit())
}

/// The bits of the events that a configuration wants published: none where it names no channel.
pub(crate) fn wanted_events(config: &Config) -> u32 {
    let events = config.events.notify_keyspace_events;
    let channels = [('K', BY_KEY), ('E', BY_EVENT)];
    let channels = channels.iter().filter(|(letter, _)| events.has(*letter));
    let channels: u32 = channels.map(|(_, bit)| bit).sum();
    if channels == 0 {
        return 0;
    }
    let classes = Class::ALL.iter().filter(|class| events.has(class.letter()));
    classes.fold(channels, |bits, class| bits | class.bit())
}
