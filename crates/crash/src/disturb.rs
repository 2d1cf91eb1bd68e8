//! What happens to the server besides the work, until it is killed.
//!
//! Snapshots, rewrites, the journal switched off and on; at the end the kill, sometimes right
//! after one of these has begun.

use std::io;
use std::time::{Duration, Instant};

use differential::command::Command;
use differential::connection::Connection;
use differential::rng::Rng;

use crate::clock;
use crate::settings::Settings;

/// What the server was doing when it was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Nothing but the work.
    Plain,
    /// Just after it served.
    Early,
    /// While a snapshot was written.
    Snapshot,
    /// While the journal was rewritten.
    Rewrite,
    /// Just after the journal was switched off.
    SwitchedOff,
    /// Just after the journal was switched on again.
    SwitchedOn,
    /// It was asked to end, and did.
    Asked,
}

impl Moment {
    /// One of them.
    pub fn pick(rng: &mut Rng, settings: &Settings) -> Self {
        if settings.calm {
            return Self::Plain;
        }
        match rng.below(100) {
            0..=39 => Self::Plain,
            40..=49 => Self::Early,
            50..=64 => Self::Snapshot,
            65..=79 => Self::Rewrite,
            _ if !settings.switches => Self::Plain,
            80..=86 => Self::SwitchedOff,
            87..=94 => Self::SwitchedOn,
            _ => Self::Asked,
        }
    }
}

/// The hand on the server.
#[derive(Debug)]
pub struct Disturber {
    connection: Connection,
    /// Since when the journal has been off, if what was written since is in none yet.
    pub unprotected: Option<i64>,
}

impl Disturber {
    /// Connects.
    ///
    /// # Errors
    /// Whatever connecting gives.
    pub fn open(port: u16) -> io::Result<Self> {
        let connection = Connection::open(port, Duration::from_secs(15))?;
        Ok(Self { connection, unprotected: None })
    }

    /// Does things until `end`, and then what belongs to the moment.
    ///
    /// # Errors
    /// Whatever the socket gives: the server is to live until it is killed.
    pub fn run(
        &mut self,
        end: Instant,
        moment: Moment,
        settings: &Settings,
        rng: &mut Rng,
    ) -> io::Result<()> {
        if settings.calm {
            std::thread::sleep(end.saturating_duration_since(Instant::now()));
            return Ok(());
        }
        // Small journals, so that they are rewritten on their own too; not every server has it.
        self.ask(&["CONFIG", "SET", "auto-aof-rewrite-min-size", "3mb"])?;
        while Instant::now() < end {
            let left = end.saturating_duration_since(Instant::now());
            let pause = Duration::from_millis(50 + u64::try_from(rng.below(600)).unwrap_or(0));
            std::thread::sleep(pause.min(left));
            if Instant::now() >= end {
                break;
            }
            match rng.below(5) {
                0 => self.ask(&["BGSAVE"])?,
                1 => self.ask(&["BGREWRITEAOF"])?,
                2 if settings.switches => {
                    self.switch_off()?;
                    std::thread::sleep(Duration::from_millis(20).min(left));
                    self.switch_on()?;
                    self.wait_until_protected(end)?;
                }
                _ => {}
            }
        }
        match moment {
            Moment::Snapshot => self.ask(&["BGSAVE"])?,
            Moment::Rewrite => self.ask(&["BGREWRITEAOF"])?,
            Moment::SwitchedOff => self.switch_off()?,
            Moment::SwitchedOn => {
                self.switch_off()?;
                std::thread::sleep(Duration::from_millis(30));
                self.switch_on()?;
            }
            Moment::Plain | Moment::Early | Moment::Asked => {}
        }
        if !matches!(moment, Moment::Plain | Moment::Early | Moment::Asked) {
            let pause = rng.below(80) * rng.below(10);
            std::thread::sleep(Duration::from_millis(u64::try_from(pause).unwrap_or(0) / 5));
        }
        Ok(())
    }

    /// Sends a command whose answer does not matter: not every server has it, or can do it now.
    fn ask(&mut self, words: &[&str]) -> io::Result<()> {
        self.connection.ask(&Command::words(words)).map(drop)
    }

    fn switch_off(&mut self) -> io::Result<()> {
        // What is acknowledged within this millisecond may already be behind the switch.
        self.unprotected.get_or_insert(clock::now() - 1);
        self.ask(&["CONFIG", "SET", "appendonly", "no"])
    }

    fn switch_on(&mut self) -> io::Result<()> {
        self.ask(&["CONFIG", "SET", "appendonly", "yes"])
    }

    /// Waits until the journal, switched on again, holds everything.
    fn wait_until_protected(&mut self, end: Instant) -> io::Result<()> {
        while Instant::now() < end {
            let reply = self.connection.ask(&Command::words(&["INFO", "persistence"]))?;
            let text = String::from_utf8_lossy(&reply.raw).into_owned();
            let all = [
                "aof_enabled:1",
                "aof_rewrite_in_progress:0",
                "aof_rewrite_scheduled:0",
                "aof_last_bgrewrite_status:ok",
            ];
            if all.iter().all(|field| text.contains(field)) {
                self.unprotected = None;
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// Asks the server to end. It may close the connection instead of answering.
    pub fn ask_to_end(&mut self) {
        let _ = self.ask(&["SHUTDOWN"]);
    }
}
