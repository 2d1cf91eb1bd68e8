//! Events about keys.

use crate::directive::{Directive as D, Kind};
use crate::lists::Events;
use crate::settings::Settings;
use crate::value::Value;

pub(super) const LIST: &[D] = &[D::new(
    "notify-keyspace-events",
    Kind::Events,
    "",
    "Which changes of keys are published: K by key, E by event; g generic, $ string, l list, s \
         set, h hash, z sorted set, x expired, e evicted, t stream, d module, A all of these; m \
         missed, n new. Empty publishes none.",
)];

/// What is published of what happens to keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventSettings {
    /// Published classes of keyspace events.
    pub notify_keyspace_events: Events,
}

impl EventSettings {
    pub(crate) fn of(settings: &Settings) -> Self {
        Self { notify_keyspace_events: events(settings) }
    }
}

fn events(settings: &Settings) -> Events {
    match settings.value("notify-keyspace-events") {
        Some(Value::Events(events)) => *events,
        _ => Events::default(),
    }
}
