//! Values: from arguments to a typed value, and from it to the text CONFIG GET shows.
//!
//! Scalars are here; values made of several arguments are in `lists`. Every error text is what
//! Redis 7.0.15 says in the same case. This file must never touch a file or the settings.

use crate::directive::{Directive, INT_MAX, Kind, TextRule};
use crate::lists::{self, BufferLimits, Events, Master, SavePoint};

/// The value of a directive. Which variant it is follows from the directive's [`Kind`].
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Of [`Kind::Bool`].
    Bool(bool),
    /// Of [`Kind::Int`], [`Kind::Clamped`] and [`Kind::PowerOfTwo`].
    Int(i64),
    /// Of [`Kind::Memory`], in bytes.
    Memory(u64),
    /// Of [`Kind::MemoryOrPercent`].
    Amount(Amount),
    /// Of [`Kind::Enum`].
    Word(&'static str),
    /// Of [`Kind::EnumSet`], in the order of its list; empty stands for the first word.
    Words(Vec<&'static str>),
    /// Of [`Kind::Text`].
    Text(Vec<u8>),
    /// Of [`Kind::Octal`].
    Octal(u32),
    /// Of [`Kind::Save`].
    Save(Vec<SavePoint>),
    /// Of [`Kind::BufferLimits`].
    BufferLimits(BufferLimits),
    /// Of [`Kind::Percentiles`].
    Percentiles(Vec<f64>),
    /// Of [`Kind::Bind`].
    Bind(Vec<String>),
    /// Of [`Kind::OomScores`].
    OomScores([i64; 3]),
    /// Of [`Kind::Events`].
    Events(Events),
    /// Of [`Kind::ReplicaOf`].
    ReplicaOf(Option<Master>),
}

/// An amount of memory, absolute or relative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// So many bytes.
    Bytes(u64),
    /// So many hundredths of `maxmemory`, 1 to 100.
    Percent(u8),
}

/// Makes a value of the arguments behind a directive's name.
///
/// `before` is the value so far: output buffer limits change class by class, and `save` lines of a
/// file add up (`append`).
///
/// # Errors
/// The reason, worded as Redis words it.
pub(crate) fn parse(
    directive: &Directive,
    args: &[Vec<u8>],
    before: Option<&Value>,
    append: bool,
) -> Result<Value, String> {
    match directive.kind {
        Kind::EnumSet(words) => lists::word_set(words, args).map(Value::Words),
        Kind::Save => {
            let kept = match before {
                Some(Value::Save(points)) if append => points.clone(),
                _ => Vec::new(),
            };
            lists::save_points(kept, args).map(Value::Save)
        }
        Kind::BufferLimits => {
            let kept = match before {
                Some(Value::BufferLimits(limits)) => *limits,
                _ => BufferLimits::default(),
            };
            lists::buffer_limits(kept, args).map(Value::BufferLimits)
        }
        Kind::Percentiles => lists::percentiles(args).map(Value::Percentiles),
        Kind::Bind => lists::addresses(args).map(Value::Bind),
        Kind::OomScores => lists::oom_scores(args).map(Value::OomScores),
        Kind::ReplicaOf => lists::master(args).map(Value::ReplicaOf),
        _ => match args {
            [arg] => scalar(directive, arg),
            _ => Err("wrong number of arguments".into()),
        },
    }
}

/// The same for a kind that takes one argument.
fn scalar(directive: &Directive, arg: &[u8]) -> Result<Value, String> {
    match directive.kind {
        Kind::Bool => match () {
            () if arg.eq_ignore_ascii_case(b"yes") => Ok(Value::Bool(true)),
            () if arg.eq_ignore_ascii_case(b"no") => Ok(Value::Bool(false)),
            () => Err("argument must be 'yes' or 'no'".into()),
        },
        Kind::Int { min, max } => integer(arg, min, max).map(Value::Int),
        Kind::Clamped { low, high } => {
            integer(arg, 0, INT_MAX).map(|value| Value::Int(value.clamp(low, high)))
        }
        Kind::PowerOfTwo { max } => match integer(arg, 0, max)? {
            value if value == 0 || value.unsigned_abs().is_power_of_two() => Ok(Value::Int(value)),
            _ => Err("argument must be 0 or a power of two".into()),
        },
        Kind::Memory { min, max } => {
            let bytes = memory(arg).ok_or("argument must be a memory value")?;
            if (min..=max).contains(&bytes) {
                Ok(Value::Memory(bytes))
            } else {
                Err(format!("argument must be between {min} and {max} inclusive"))
            }
        }
        Kind::MemoryOrPercent => amount(arg).map(Value::Amount),
        Kind::Enum(words) => word(words, arg)
            // The kernel's scores know two words for one thing; Redis shows the first.
            .map(|word| Value::Word(if word == "relative" { "yes" } else { word }))
            .ok_or_else(|| one_of(words)),
        Kind::Octal { max } => octal(arg, max).map(Value::Octal),
        Kind::Events => lists::events(arg).map(Value::Events),
        _ => text(directive, arg).map(|()| Value::Text(arg.to_vec())),
    }
}

/// A decimal integer in its only spelling (no plus, no leading zero, no blank) and in range.
fn integer(arg: &[u8], min: i64, max: i64) -> Result<i64, String> {
    let value = strict_integer(arg).ok_or("argument couldn't be parsed into an integer")?;
    if (min..=max).contains(&value) {
        Ok(value)
    } else {
        Err(format!("argument must be between {min} and {max} inclusive"))
    }
}

/// A decimal integer in its only spelling.
fn strict_integer(arg: &[u8]) -> Option<i64> {
    let text = str::from_utf8(arg).ok()?;
    let value: i64 = text.parse().ok()?;
    (value.to_string() == text).then_some(value)
}

/// A number of bytes with a unit: `1k` is 1000 and `1kb` 1024, likewise m, mb, g, gb; case is
/// ignored.
///
/// No digits at all are 0, and a number beyond 2⁶⁴ is 2⁶⁴ - 1, as in Redis. Redis lets one that is
/// beyond it by its unit wrap around to something small; a limit that was not asked for is worse
/// than an error, so here it is one.
///
/// # Examples
/// ```
/// assert_eq!(kvist_config::memory(b"64Mb"), Some(64 << 20));
/// assert_eq!(kvist_config::memory(b"1.5gb"), None);
/// ```
pub fn memory(arg: &[u8]) -> Option<u64> {
    let digits = arg.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, unit) = arg.split_at(digits);
    let unit: u64 = match unit.to_ascii_lowercase().as_slice() {
        b"" | b"b" => 1,
        b"k" => 1000,
        b"kb" => 1 << 10,
        b"m" => 1_000_000,
        b"mb" => 1 << 20,
        b"g" => 1_000_000_000,
        b"gb" => 1 << 30,
        _ => return None,
    };
    let digit =
        |number: u64, byte: &u8| number.saturating_mul(10).saturating_add(u64::from(byte - b'0'));
    let number = number.iter().fold(0, digit);
    number.checked_mul(unit)
}

fn amount(arg: &[u8]) -> Result<Amount, String> {
    let percent = arg.strip_suffix(b"%").and_then(strict_integer).filter(|&value| value >= 0);
    if let Some(percent) = percent {
        return match u8::try_from(percent) {
            Ok(0) => Ok(Amount::Bytes(0)),
            Ok(percent @ ..=100) => Ok(Amount::Percent(percent)),
            _ => Err(TOO_MANY_PERCENT.into()),
        };
    }
    let bytes = memory(arg).ok_or("argument must be a memory or percent value")?;
    // Redis keeps both in one signed number, and takes what doesn't fit for a percentage.
    if i64::try_from(bytes).is_err() {
        return Err(TOO_MANY_PERCENT.into());
    }
    Ok(Amount::Bytes(bytes))
}

const TOO_MANY_PERCENT: &str = "percentage argument must be less or equal to 100";

/// A file mode. Like C's `strtoll` it may begin with blanks and a sign; unlike it, no digits are 0
/// only if there is nothing else.
fn octal(arg: &[u8], max: u32) -> Result<u32, String> {
    let unreadable = || "argument couldn't be parsed as an octal number".to_owned();
    let text = str::from_utf8(arg).map_err(|_| unreadable())?.trim_start();
    if text.is_empty() && arg.is_empty() {
        return Ok(0);
    }
    let value = i64::from_str_radix(text, 8).map_err(|_| unreadable())?;
    match u32::try_from(value) {
        Ok(value) if value <= max => Ok(value),
        _ => Err(format!("argument must be between 0 and {max:o} inclusive")),
    }
}

/// The word of the list that `arg` spells in any case.
pub(crate) fn word(words: &'static [&'static str], arg: &[u8]) -> Option<&'static str> {
    words.iter().copied().find(|word| word.as_bytes().eq_ignore_ascii_case(arg))
}

/// The complaint about a word that isn't in the list.
pub(crate) fn one_of(words: &[&str]) -> String {
    format!("argument(s) must be one of the following: {}", words.join(", "))
}

/// Checks a string against the rule of its directive.
fn text(directive: &Directive, arg: &[u8]) -> Result<(), String> {
    let Kind::Text(rule) = directive.kind else { return Ok(()) };
    let name = directive.name;
    let path = arg.contains(&b'/');
    match rule {
        TextRule::Any => Ok(()),
        TextRule::FileNameNotEmpty | TextRule::DirNameNotEmpty if arg.is_empty() => {
            Err(format!("{name} can't be empty"))
        }
        TextRule::FileName | TextRule::FileNameNotEmpty if path => {
            Err(format!("{name} can't be a path, just a filename"))
        }
        TextRule::DirNameNotEmpty if path => Err(format!("{name} can't be a path, just a dirname")),
        TextRule::FileName | TextRule::FileNameNotEmpty | TextRule::DirNameNotEmpty => Ok(()),
        TextRule::TitleTemplate if is_title(arg) => Ok(()),
        TextRule::TitleTemplate => {
            Err("template format is invalid or contains unknown variables".into())
        }
        TextRule::HostName if arg.len() >= 256 => {
            Err("Hostnames must be less than 256 characters".into())
        }
        TextRule::HostName => {
            if arg.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(byte)) {
                Ok(())
            } else {
                Err("Hostnames may only contain alphanumeric characters, hyphens or dots".into())
            }
        }
    }
}

/// Whether every `{variable}` of a process title is known and something is left to show. `{{` is a
/// brace, and `{title}` doesn't count: Redis checks with an empty one.
fn is_title(template: &[u8]) -> bool {
    const KNOWN: &[&[u8]] = &[
        b"title",
        b"listen-addr",
        b"server-mode",
        b"port",
        b"tls-port",
        b"unixsocket",
        b"config-file",
    ];
    let mut shows = false;
    let mut rest = template;
    while let Some(open) = rest.iter().position(|&byte| byte == b'{') {
        shows |= !rest[..open].trim_ascii().is_empty();
        rest = &rest[open + 1..];
        if let [b'{', tail @ ..] = rest {
            shows = true;
            rest = tail;
            continue;
        }
        let Some(close) = rest.iter().position(|&byte| byte == b'}') else { return false };
        if !KNOWN.contains(&&rest[..close]) {
            return false;
        }
        shows |= &rest[..close] != b"title";
        rest = &rest[close + 1..];
    }
    shows || !rest.trim_ascii().is_empty()
}

impl Value {
    /// The text CONFIG GET shows for a value of a directive of this kind.
    pub(crate) fn render(&self, kind: Kind) -> Vec<u8> {
        match self {
            Self::Bool(true) => b"yes".to_vec(),
            Self::Bool(false) => b"no".to_vec(),
            Self::Int(value) => value.to_string().into_bytes(),
            Self::Memory(bytes) | Self::Amount(Amount::Bytes(bytes)) => {
                bytes.to_string().into_bytes()
            }
            Self::Amount(Amount::Percent(percent)) => format!("{percent}%").into_bytes(),
            Self::Word(word) => word.as_bytes().to_vec(),
            Self::Words(words) => match (words.is_empty(), kind) {
                (true, Kind::EnumSet([none, ..])) => none.as_bytes().to_vec(),
                _ => words.join(" ").into_bytes(),
            },
            Self::Text(text) => text.clone(),
            Self::Octal(mode) => format!("{mode:o}").into_bytes(),
            Self::Save(points) => joined(points),
            Self::BufferLimits(limits) => limits.to_string().into_bytes(),
            Self::Percentiles(percentiles) => joined(percentiles),
            Self::Bind(addresses) => addresses.join(" ").into_bytes(),
            Self::OomScores(scores) => joined(scores),
            Self::Events(events) => events.to_string().into_bytes(),
            Self::ReplicaOf(None) => Vec::new(),
            Self::ReplicaOf(Some(master)) => {
                format!("{} {}", master.host, master.port).into_bytes()
            }
        }
    }
}

fn joined<T: std::fmt::Display>(items: &[T]) -> Vec<u8> {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ").into_bytes()
}
