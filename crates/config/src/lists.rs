//! Values made of several arguments: snapshot points, buffer limits, percentiles, addresses,
//! scores, event classes.
//!
//! Every error text is what Redis 7.0.15 says in the same case. This file must never know where the
//! arguments came from.

use std::fmt;

use base::Millis;

use crate::value::{memory, one_of, word};

/// Take a snapshot after so much time and so many changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SavePoint {
    /// Seconds since the last snapshot, at least 1.
    pub seconds: u64,
    /// Changes since the last snapshot.
    pub changes: u32,
}

impl fmt::Display for SavePoint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.seconds, self.changes)
    }
}

/// Adds the pairs of `args` to `points`. A lone empty argument, or none at all, removes every
/// point.
pub(crate) fn save_points(
    mut points: Vec<SavePoint>,
    args: &[Vec<u8>],
) -> Result<Vec<SavePoint>, String> {
    if args.is_empty() || (args.len() == 1 && args[0].is_empty()) {
        return Ok(Vec::new());
    }
    let invalid = || "Invalid save parameters".to_owned();
    for pair in args.chunks(2) {
        let [seconds, changes] = pair else { return Err(invalid()) };
        let seconds = loose_integer(seconds).filter(|&value| value >= 1).ok_or_else(invalid)?;
        let changes = loose_integer(changes).ok_or_else(invalid)?;
        points.push(SavePoint {
            seconds: u64::try_from(seconds).map_err(|_| invalid())?,
            changes: i32::try_from(changes)
                .ok()
                .and_then(|changes| u32::try_from(changes).ok())
                .ok_or_else(invalid)?,
        });
    }
    Ok(points)
}

/// Most bytes of replies that may wait for one client. 0 means no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BufferLimit {
    /// Bytes at which the client is closed at once.
    pub hard: u64,
    /// Bytes at which it is closed if they stay exceeded.
    pub soft: u64,
    /// For how many seconds they must stay exceeded.
    pub soft_seconds: u64,
}

/// What a limit says about the bytes that wait for a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// Nothing.
    None,
    /// Over the soft limit since this time.
    Soft(Millis),
    /// It must be closed.
    Close,
}

impl BufferLimit {
    /// Checks the bytes that wait for a client at time `now`. `since` is when they passed the soft
    /// limit, if they have.
    #[must_use]
    pub fn check(&self, kept: usize, since: Option<Millis>, now: Millis) -> Overflow {
        let kept = kept as u64;
        if self.hard != 0 && kept >= self.hard {
            return Overflow::Close;
        }
        if self.soft == 0 || kept < self.soft {
            return Overflow::None;
        }
        match since {
            Some(since) if now.saturating_sub(since) / 1000 > self.soft_seconds => Overflow::Close,
            Some(since) => Overflow::Soft(since),
            None => Overflow::Soft(now),
        }
    }
}

/// The limits of each class of client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BufferLimits {
    /// Ordinary clients, MONITOR included.
    pub normal: BufferLimit,
    /// Replicas.
    pub replica: BufferLimit,
    /// Clients subscribed to something.
    pub pubsub: BufferLimit,
}

impl fmt::Display for BufferLimits {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let classes = [("normal", self.normal), (" slave", self.replica), (" pubsub", self.pubsub)];
        for (name, limit) in classes {
            write!(out, "{name} {} {} {}", limit.hard, limit.soft, limit.soft_seconds)?;
        }
        Ok(())
    }
}

/// Changes the classes that `args` names.
pub(crate) fn buffer_limits(
    mut limits: BufferLimits,
    args: &[Vec<u8>],
) -> Result<BufferLimits, String> {
    if !args.len().is_multiple_of(4) {
        return Err("Wrong number of arguments in buffer limit configuration.".into());
    }
    for group in args.chunks_exact(4) {
        let class = match group[0].to_ascii_lowercase().as_slice() {
            b"normal" => &mut limits.normal,
            b"slave" | b"replica" => &mut limits.replica,
            b"pubsub" => &mut limits.pubsub,
            _ => return Err("Invalid client class specified in buffer limit configuration.".into()),
        };
        let seconds = if group[3].is_empty() { Some(0) } else { loose_integer(&group[3]) };
        let limit = || {
            Some(BufferLimit {
                hard: memory(&group[1])?,
                soft: memory(&group[2])?,
                soft_seconds: u64::try_from(seconds?).ok()?,
            })
        };
        *class = limit()
            .ok_or("Error in hard, soft or soft_seconds setting in buffer limit configuration.")?;
    }
    Ok(limits)
}

/// Percentages from 0 to 100; a lone empty argument stands for none.
pub(crate) fn percentiles(args: &[Vec<u8>]) -> Result<Vec<f64>, String> {
    if args.len() == 1 && args[0].is_empty() {
        return Ok(Vec::new());
    }
    let invalid = "Invalid latency-tracking-info-percentiles parameters";
    let mut values = Vec::with_capacity(args.len());
    for arg in args {
        let value: f64 =
            str::from_utf8(arg).ok().and_then(|text| text.parse().ok()).ok_or(invalid)?;
        if value.is_nan() {
            return Err(invalid.into());
        }
        if !(0.0..=100.0).contains(&value) {
            return Err(
                "latency-tracking-info-percentiles parameters should sit between [0.0,100.0]"
                    .into(),
            );
        }
        values.push(value);
    }
    Ok(values)
}

/// Addresses to listen on; a lone empty argument stands for none. Whether they exist is found out
/// when the sockets are opened.
pub(crate) fn addresses(args: &[Vec<u8>]) -> Result<Vec<String>, String> {
    if args.len() > 16 {
        return Err("Too many bind addresses specified.".into());
    }
    if args.len() == 1 && args[0].is_empty() {
        return Ok(Vec::new());
    }
    Ok(args.iter().map(|arg| String::from_utf8_lossy(arg).into_owned()).collect())
}

/// Three scores from -2000 to 2000.
pub(crate) fn oom_scores(args: &[Vec<u8>]) -> Result<[i64; 3], String> {
    let [master, replica, background] = args else {
        return Err("wrong number of arguments".into());
    };
    let mut scores = [0; 3];
    for (score, arg) in scores.iter_mut().zip([master, replica, background]) {
        *score = loose_integer(arg)
            .filter(|value| (-2000..=2000).contains(value))
            .ok_or("Invalid oom-score-adj-values, elements must be between -2000 and 2000.")?;
    }
    Ok(scores)
}

/// The words that `args` names, in the order of the list, whose first word stands for none.
pub(crate) fn word_set(
    words: &'static [&'static str],
    args: &[Vec<u8>],
) -> Result<Vec<&'static str>, String> {
    if args.is_empty() {
        return Err(one_of(words));
    }
    let mut chosen = Vec::new();
    for arg in args {
        chosen.push(word(words, arg).ok_or_else(|| one_of(words))?);
    }
    if chosen.contains(&"save") && chosen.contains(&"nosave") {
        return Err("shutdown options SAVE and NOSAVE can't be used simultaneously".into());
    }
    Ok(words.iter().copied().skip(1).filter(|word| chosen.contains(word)).collect())
}

/// The server that a replica copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Master {
    /// Name or address.
    pub host: String,
    /// TCP port.
    pub port: u16,
}

/// A host and a port, or `no one`.
pub(crate) fn master(args: &[Vec<u8>]) -> Result<Option<Master>, String> {
    let [host, port] = args else { return Err("wrong number of arguments".into()) };
    if host.eq_ignore_ascii_case(b"no") && port.eq_ignore_ascii_case(b"one") {
        return Ok(None);
    }
    let port = loose_integer(port).and_then(|port| u16::try_from(port).ok());
    let port = port.ok_or("Invalid master port")?;
    Ok(Some(Master { host: String::from_utf8_lossy(host).into_owned(), port }))
}

/// The classes of keyspace events to publish.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Events(u32);

/// Each class's letter and bit: first those `A` stands for, in the order Redis shows them.
const CLASSES: [(char, u32); 13] = [
    ('g', 1 << 2),
    ('$', 1 << 3),
    ('l', 1 << 4),
    ('s', 1 << 5),
    ('h', 1 << 6),
    ('z', 1 << 7),
    ('x', 1 << 8),
    ('e', 1 << 9),
    ('t', 1 << 10),
    ('d', 1 << 13),
    ('n', 1 << 14),
    ('K', 1 << 0),
    ('E', 1 << 1),
];
const MISSED: (char, u32) = ('m', 1 << 11);
/// How many of [`CLASSES`] `A` stands for.
const ALL: usize = 10;

impl Events {
    /// Whether the class of this letter is published.
    #[must_use]
    pub fn has(self, letter: char) -> bool {
        CLASSES.iter().chain([&MISSED]).any(|&(class, bit)| class == letter && self.0 & bit != 0)
    }

    /// Whether nothing is published.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    fn all() -> u32 {
        CLASSES[..ALL].iter().map(|&(_, bit)| bit).sum()
    }
}

impl fmt::Display for Events {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let every = self.0 & Self::all() == Self::all();
        if every {
            out.write_str("A")?;
        }
        for (letter, bit) in CLASSES.into_iter().chain([MISSED]) {
            // Redis shows `n` only where it spells the classes out.
            let spelled = matches!(letter, 'K' | 'E' | 'm') || !every;
            if spelled && self.0 & bit != 0 {
                write!(out, "{letter}")?;
            }
        }
        Ok(())
    }
}

/// Reads letters of event classes.
pub(crate) fn events(arg: &[u8]) -> Result<Events, String> {
    let mut bits = 0;
    for &byte in arg {
        let letter = char::from(byte);
        bits |= match CLASSES.iter().chain([&MISSED]).find(|&&(class, _)| class == letter) {
            Some(&(_, bit)) => bit,
            None if letter == 'A' => Events::all(),
            None => {
                return Err("Invalid event class character. Use 'Ag$lshzxeKEtmdn'.".into());
            }
        };
    }
    Ok(Events(bits))
}

/// An integer as C's `strtoll` reads one (a plus and leading zeros are fine); beyond 64 bits it
/// stays at the end of the range.
fn loose_integer(arg: &[u8]) -> Option<i64> {
    let text = str::from_utf8(arg).ok()?;
    match text.parse::<i64>() {
        Ok(value) => Some(value),
        Err(error) => match error.kind() {
            std::num::IntErrorKind::PosOverflow => Some(i64::MAX),
            std::num::IntErrorKind::NegOverflow => Some(i64::MIN),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_hard_at_once_and_soft_after_a_while() {
        let limit = BufferLimit { hard: 100, soft: 50, soft_seconds: 1 };
        assert_eq!(limit.check(49, Some(0), 9000), Overflow::None);
        assert_eq!(limit.check(50, None, 9000), Overflow::Soft(9000));
        assert_eq!(limit.check(99, Some(9000), 10_999), Overflow::Soft(9000));
        assert_eq!(limit.check(99, Some(9000), 11_000), Overflow::Close);
        assert_eq!(limit.check(100, None, 0), Overflow::Close);
        let none = BufferLimit { hard: 0, soft: 0, soft_seconds: 0 };
        assert_eq!(none.check(usize::MAX, None, 0), Overflow::None);
    }
}
