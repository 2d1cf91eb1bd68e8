//! Scripts as clients send them: a body, the digest that names it, and a first line that may say
//! how it wants to be run.

use std::fmt;
use std::sync::Arc;

use base::CmdError;
use sha1::{Digest, Sha1};

/// The digest of a script's body, as clients name it: 40 lower-case digits.
#[must_use]
pub fn digest(body: &[u8]) -> [u8; 40] {
    hex(Sha1::digest(body).into())
}

/// A digest in lower-case digits.
pub fn hex(digest: [u8; 20]) -> [u8; 40] {
    let mut text = [0; 40];
    for (pair, byte) in text.chunks_exact_mut(2).zip(digest) {
        pair[0] = b"0123456789abcdef"[usize::from(byte >> 4)];
        pair[1] = b"0123456789abcdef"[usize::from(byte & 15)];
    }
    text
}

/// What a script says about itself in its first line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // five flags that are independent of each other
pub struct ScriptFlags {
    /// It calls no commands that write.
    pub no_writes: bool,
    /// It may run when memory is full.
    pub allow_oom: bool,
    /// It may run on a replica that lost its master.
    pub allow_stale: bool,
    /// It refuses to run in a cluster.
    pub no_cluster: bool,
    /// It may use keys of several slots.
    pub allow_cross_slot_keys: bool,
}

impl ScriptFlags {
    /// Sets a flag by its name; false if there is none of that name.
    pub fn set(&mut self, name: &[u8]) -> bool {
        let flag = match name {
            b"no-writes" => &mut self.no_writes,
            b"allow-oom" => &mut self.allow_oom,
            b"allow-stale" => &mut self.allow_stale,
            b"no-cluster" => &mut self.no_cluster,
            b"allow-cross-slot-keys" => &mut self.allow_cross_slot_keys,
            _ => return false,
        };
        *flag = true;
        true
    }

    /// The flags as bits, for callers that keep them: 1 for the first of [`names`](Self::names), 2
    /// for the second and so on.
    #[must_use]
    pub fn bits(self) -> u8 {
        let flags = [
            self.no_writes,
            self.allow_oom,
            self.allow_stale,
            self.no_cluster,
            self.allow_cross_slot_keys,
        ];
        flags.iter().rev().fold(0, |bits, &flag| bits << 1 | u8::from(flag))
    }

    /// What [`bits`](Self::bits) said; `None` if it cannot have.
    ///
    /// ```
    /// use kvist_script::ScriptFlags;
    /// let flags = ScriptFlags { no_writes: true, no_cluster: true, ..ScriptFlags::default() };
    /// assert_eq!(flags.bits(), 9);
    /// assert_eq!(ScriptFlags::from_bits(9), Some(flags));
    /// assert_eq!(ScriptFlags::from_bits(32), None);
    /// ```
    #[must_use]
    pub fn from_bits(bits: u8) -> Option<Self> {
        (bits < 32).then_some(ScriptFlags {
            no_writes: bits & 1 != 0,
            allow_oom: bits & 2 != 0,
            allow_stale: bits & 4 != 0,
            no_cluster: bits & 8 != 0,
            allow_cross_slot_keys: bits & 16 != 0,
        })
    }

    /// The names of the flags that are set, in the order Redis lists them.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        [
            (self.no_writes, "no-writes"),
            (self.allow_oom, "allow-oom"),
            (self.allow_stale, "allow-stale"),
            (self.no_cluster, "no-cluster"),
            (self.allow_cross_slot_keys, "allow-cross-slot-keys"),
        ]
        .into_iter()
        .filter_map(|(set, name)| set.then_some(name))
        .collect()
    }
}

/// A script: its body, its digest, what its first line says.
#[derive(Clone)]
pub struct Script {
    body: Arc<[u8]>,
    digest: [u8; 40],
    /// Bytes of the first line that are not Lua.
    skip: usize,
    flags: Option<ScriptFlags>,
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script").field("digest", &self.name()).finish_non_exhaustive()
    }
}

impl Script {
    /// Reads a script's first line; does not compile it. O(length).
    ///
    /// # Errors
    /// With the text of Redis if the line begins with `#!` and is not understood.
    ///
    /// ```
    /// let script = kvist_script::Script::new(b"#!lua flags=no-writes\nreturn 1").unwrap();
    /// assert!(script.flags().unwrap().no_writes);
    /// assert!(kvist_script::Script::new(b"return 1").unwrap().flags().is_none());
    /// ```
    pub fn new(body: &[u8]) -> Result<Self, CmdError> {
        Self::with_digest(body, digest(body))
    }

    /// As [`Script::new`], for a caller that knows the digest already.
    ///
    /// # Errors
    /// As [`Script::new`].
    pub fn with_digest(body: &[u8], digest: [u8; 40]) -> Result<Self, CmdError> {
        let (flags, skip) = match first_line(body) {
            None => (None, 0),
            Some(line) => {
                let line = line.ok_or(CmdError::new("ERR Invalid script shebang"))?;
                (Some(flags(line)?), line.len())
            }
        };
        Ok(Script { body: body.into(), digest, skip, flags })
    }

    /// What the client sent.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// Its digest: 40 lower-case digits.
    #[must_use]
    pub fn digest(&self) -> &[u8; 40] {
        &self.digest
    }

    /// The digest as text.
    #[must_use]
    pub fn name(&self) -> &str {
        std::str::from_utf8(&self.digest).unwrap_or_default()
    }

    /// Its flags; `None` if it has no such line, and so is run as scripts were before there were
    /// flags.
    #[must_use]
    pub fn flags(&self) -> Option<ScriptFlags> {
        self.flags
    }

    /// What is to be compiled. The first line's end is part of it, so that lines are counted right.
    #[must_use]
    pub fn code(&self) -> &[u8] {
        self.body.get(self.skip..).unwrap_or_default()
    }
}

/// The line that begins with `#!`, without its end: none if there is no such line, `Some(None)` if
/// it has no end. As in Redis, nothing behind a zero byte is looked at.
pub fn first_line(body: &[u8]) -> Option<Option<&[u8]>> {
    let end = || memchr::memchr2(b'\n', 0, body).filter(|&end| body[end] == b'\n');
    body.starts_with(b"#!").then(|| end().map(|end| &body[..end]))
}

fn flags(line: &[u8]) -> Result<ScriptFlags, CmdError> {
    const ENGINE: CmdError = CmdError::new("ERR Invalid engine in script shebang");
    let words = wire::split_line(line).ok_or(ENGINE)?;
    let (engine, options) = words.split_first().ok_or(ENGINE)?;
    if engine != b"#!lua" {
        return Err(CmdError::quoting("ERR Unexpected engine in script shebang: ", engine, ""));
    }
    let mut flags = ScriptFlags::default();
    for option in options {
        let Some(names) = option.strip_prefix(b"flags=") else {
            return Err(CmdError::quoting("ERR Unknown lua shebang option: ", option, ""));
        };
        for name in names.split(|&byte| byte == b',').filter(|_| !names.is_empty()) {
            if !flags.set(name) {
                let text = "ERR Unexpected flag in script shebang: ";
                return Err(CmdError::quoting(text, name, ""));
            }
        }
    }
    Ok(flags)
}
