//! The few figures of NeuroIndex, under its names.

use engine::Engine;

use super::write::{MetricKind, Page};
use super::{fields, pair};

/// Which commands count as which of its operations.
const OPERATIONS: &[(&str, &[&str])] = &[
    ("get", &["get", "mget", "getrange", "getex", "json.get", "json.mget"]),
    ("set", &["set", "mset", "msetnx", "setnx", "setex", "psetex", "getset", "json.set"]),
    ("delete", &["del", "unlink", "getdel", "json.del", "range.delete"]),
    ("scan", &["scan", "keys", "range", "prefix", "range.count", "prefix.count"]),
];

/// Writes them.
pub fn write(page: &mut Page, engine: &Engine, info: &str) {
    let uptime = engine.run.clock.elapsed().as_secs();
    page.one("neuroindex_uptime_seconds", MetricKind::Gauge, "Since the start.", uptime);
    let metric = "neuroindex_operations_total";
    page.metric(metric, MetricKind::Counter, "Calls of commands, by what they do.");
    for (operation, commands) in OPERATIONS {
        let calls = fields(info).filter_map(|(field, text)| {
            let command = field.strip_prefix("cmdstat_")?;
            commands.contains(&command).then(|| pair(text, "calls")?.parse::<u64>().ok())?
        });
        page.sample(metric, &[("operation", operation)], calls.sum::<u64>());
    }
    let number = |name: &str| {
        let found = fields(info).find(|(field, _)| *field == name);
        found.and_then(|(_, text)| text.parse::<u64>().ok()).unwrap_or(0)
    };
    let errors = number("total_error_replies");
    page.one("neuroindex_errors_total", MetricKind::Counter, "Error replies.", errors);
    let databases = fields(info).filter(|(field, _)| is_database(field));
    let keys = databases.filter_map(|(_, text)| pair(text, "keys")?.parse::<u64>().ok());
    page.one("neuroindex_keys_total", MetricKind::Gauge, "Keys.", keys.sum::<u64>());
    let memory = engine.used_memory();
    page.one("neuroindex_memory_bytes", MetricKind::Gauge, "Memory in use.", memory);
    let metric = "neuroindex_build_info";
    page.metric(metric, MetricKind::Gauge, "The version.");
    page.sample(metric, &[("version", env!("CARGO_PKG_VERSION"))], 1);
}

fn is_database(field: &str) -> bool {
    field.strip_prefix("db").is_some_and(|number| number.parse::<usize>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::OPERATIONS;

    /// A name that is no command's would count nothing, and no error would say so.
    #[test]
    fn operations_are_commands() {
        let table = engine::command_table().expect("a table");
        for name in OPERATIONS.iter().flat_map(|(_, commands)| *commands) {
            assert_eq!(table.by_name(name.as_bytes()).map(engine::Entry::name), Some(*name));
        }
    }
}
