//! The log: one line per event, with the time in UTC, the level in Redis's words, and the thread.
//!
//! ```text
//!   2026-11-21T08:54:00.123Z notice worker-0 Ready to accept connections on 127.0.0.1:6379
//! ```
//!
//! A log file is opened anew for each line, as Redis does, so that it can be moved away at any
//! time; at the levels used in production there are a handful of lines an hour. A thread of its own
//! writes them (`log_queue.rs`).

use std::fmt::{self, Write as _};
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use config::LogLevel;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Level, Metadata, Subscriber, span};

use crate::log_queue::LogQueue;

/// How long the end of the process, or a panic, waits for the log.
const PATIENCE: Duration = Duration::from_secs(1);

/// What was started.
static QUEUE: OnceLock<Arc<LogQueue>> = OnceLock::new();

/// Changes the level while the server runs.
pub struct LevelSwitch {
    current: LogLevel,
    shared: Arc<AtomicU8>,
}

impl LevelSwitch {
    /// Logs at this level from now on.
    pub fn follow(&mut self, level: LogLevel) {
        if level != self.current {
            self.current = level;
            self.shared.store(rank_of(level), Ordering::Relaxed);
            tracing::callsite::rebuild_interest_cache();
            let word = WORDS[usize::from(rank_of(level))];
            tracing::warn!("The log level is now {word}");
        }
    }
}

/// Starts logging; panics are logged too.
///
/// # Errors
/// The log file cannot be opened for writing, or something is logging already.
pub fn start(level: LogLevel, file: Option<&str>) -> Result<LevelSwitch, String> {
    let file = file.map(PathBuf::from);
    if let Some(path) = &file {
        let opened = open(path);
        opened.map_err(|e| format!("Can't open the log file {}: {e}", path.display()))?;
    }
    let shared = Arc::new(AtomicU8::new(rank_of(level)));
    // There is nowhere to report that the report failed.
    let queue = LogQueue::start(move |line| _ = write(file.as_ref(), line));
    let queue = queue.map_err(|error| format!("no thread for the log: {error}"))?;
    let queue = Arc::clone(QUEUE.get_or_init(|| queue));
    let log = Log { rank: Arc::clone(&shared), queue };
    tracing::subscriber::set_global_default(log).map_err(|e| e.to_string())?;
    std::panic::set_hook(Box::new(|panic| {
        let backtrace = std::backtrace::Backtrace::capture();
        tracing::error!("{panic}\n{backtrace}");
        // It may be the end; or it is contained, and its thread holds what others wait for.
        if let Some(queue) = QUEUE.get() {
            queue.flush_unless_behind(PATIENCE);
        }
    }));
    Ok(LevelSwitch { current: level, shared })
}

/// Waits until what was logged is written, for a second at most: the process ends.
pub fn flush() {
    if let Some(queue) = QUEUE.get() {
        let _ = queue.flush(PATIENCE);
    }
}

/// A line that the log writes of itself.
pub fn line_of_its_own(text: &str) -> String {
    format!("{} warning log {text}\n", timestamp(SystemTime::now()))
}

fn write(file: Option<&PathBuf>, line: &str) -> io::Result<()> {
    match file {
        None => io::stdout().lock().write_all(line.as_bytes()),
        Some(path) => open(path)?.write_all(line.as_bytes()),
    }
}

/// How much a level lets through: 0 is warnings only.
fn rank_of(level: LogLevel) -> u8 {
    match level {
        LogLevel::Warning => 0,
        LogLevel::Notice => 1,
        LogLevel::Verbose => 2,
        LogLevel::Debug => 3,
    }
}

fn rank_of_event(level: Level) -> u8 {
    match level {
        Level::ERROR | Level::WARN => 0,
        Level::INFO => 1,
        Level::DEBUG => 2,
        Level::TRACE => 3,
    }
}

/// Redis's words for levels.
const WORDS: [&str; 4] = ["warning", "notice", "verbose", "debug"];

fn open(path: &PathBuf) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}

/// Where events go. Spans are not used in this program and mean nothing here.
struct Log {
    rank: Arc<AtomicU8>,
    queue: Arc<LogQueue>,
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        rank_of_event(*metadata.level()) <= self.rank.load(Ordering::Relaxed)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(match self.rank.load(Ordering::Relaxed) {
            0 => LevelFilter::WARN,
            1 => LevelFilter::INFO,
            2 => LevelFilter::DEBUG,
            _ => LevelFilter::TRACE,
        })
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let thread = std::thread::current();
        let level = WORDS[usize::from(rank_of_event(*event.metadata().level()))];
        let mut line =
            format!("{} {level} {} ", timestamp(SystemTime::now()), thread.name().unwrap_or("-"));
        let mut fields = Fields { message: String::new(), rest: String::new() };
        event.record(&mut fields);
        line.push_str(&fields.message);
        line.push_str(&fields.rest);
        line.push('\n');
        self.queue.push(line);
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

struct Fields {
    message: String,
    rest: String,
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a string does not fail.
        let _ = if field.name() == "message" {
            write!(self.message, "{value:?}")
        } else {
            write!(self.rest, " {}={value:?}", field.name())
        };
    }
}

/// A time as RFC 3339 has it, in UTC with milliseconds.
fn timestamp(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (days, seconds) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let millis = since.subsec_millis();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// Year, month and day of a day counted from 1970-01-01, by Hinnant's "days from civil" inverted:
/// years begin in March, so that the leap day is a year's last.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468; // from 0000-03-01
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn times_are_those_of_the_calendar() {
        let at = |seconds| timestamp(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00.000Z");
        assert_eq!(at(1_735_689_599), "2024-12-31T23:59:59.000Z");
        assert_eq!(at(1_795_251_240), "2026-11-21T08:54:00.000Z");
    }
}
