//! Patterns of keys with what may be done to the keys that match.

use base::{KeyFlag, glob};

use crate::error::RuleError;

/// What may be done to a key, or what a request does to one: read its value, write it, both, or
/// neither (it only asks whether the key is there).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Permission {
    /// The value comes back to the client, or gets into another key.
    pub read: bool,
    /// The key is made, changed or deleted.
    pub write: bool,
}

impl Permission {
    /// Both.
    pub const ALL: Permission = Permission { read: true, write: true };

    /// What a request needs for a key of these flags.
    #[must_use]
    pub fn needed(flags: &[KeyFlag]) -> Self {
        let writes = [KeyFlag::Insert, KeyFlag::Delete, KeyFlag::Update];
        Permission {
            read: flags.contains(&KeyFlag::Access),
            write: flags.iter().any(|flag| writes.contains(flag)),
        }
    }

    fn covers(self, needed: Permission) -> bool {
        (self.read || !needed.read) && (self.write || !needed.write)
    }
}

/// A pattern of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyPattern {
    /// As `KEYS` understands it.
    pub glob: Vec<u8>,
    /// What may be done to keys that match.
    pub permission: Permission,
}

impl KeyPattern {
    /// Reads `~pattern`, `%R~pattern`, `%W~pattern`, `%RW~pattern`.
    pub(crate) fn read(rule: &[u8]) -> Result<Self, RuleError> {
        let (permission, glob) = match rule {
            [b'~', glob @ ..] => (Permission::ALL, glob),
            [b'%', rest @ ..] => permission_of(rest)?,
            _ => return Err(RuleError::Syntax),
        };
        if has_spaces(glob) {
            return Err(RuleError::Syntax);
        }
        Ok(KeyPattern { glob: glob.to_vec(), permission })
    }

    /// Whether a request may do this to this key because of this pattern.
    pub(crate) fn allows(&self, key: &[u8], needed: Permission) -> bool {
        self.permission.covers(needed) && glob::matches(&self.glob, key)
    }

    /// Whether a request may do this to every key that begins so because of this pattern: one that
    /// ends in its only star.
    pub(crate) fn allows_all(&self, beginning: &[u8], needed: Permission) -> bool {
        let is_literal = |text: &[u8]| !text.iter().any(|byte| b"*?[\\".contains(byte));
        let covers = |text: &[u8]| is_literal(text) && beginning.starts_with(text);
        self.permission.covers(needed) && self.glob.strip_suffix(b"*").is_some_and(covers)
    }

    /// Whether all keys may be read because of this pattern.
    pub(crate) fn reads_all(&self) -> bool {
        self.permission.read && self.glob == b"*"
    }

    /// The pattern as a rule.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(match self.permission {
            Permission { read: true, write: false } => b"%R~",
            Permission { read: false, write: true } => b"%W~",
            // `~*` would read as all keys, behind which no further pattern may stand.
            _ if self.glob == b"*" => b"%RW~",
            _ => b"~",
        });
        out.extend_from_slice(&self.glob);
    }
}

/// The letters before the tilde, and what is behind it. As in Redis, the tilde may be missing: then
/// the pattern is empty.
fn permission_of(rest: &[u8]) -> Result<(Permission, &[u8]), RuleError> {
    let mut permission = Permission::default();
    let mut at = 0;
    while let Some(&letter) = rest.get(at) {
        at += 1;
        match letter.to_ascii_uppercase() {
            b'R' if !permission.read => permission.read = true,
            b'W' if !permission.write => permission.write = true,
            b'~' => break,
            _ => return Err(RuleError::Syntax),
        }
    }
    if permission == Permission::default() {
        return Err(RuleError::Syntax);
    }
    Ok((permission, &rest[at..]))
}

/// Whether a text holds what separates words in a file: then it could not be written to one.
pub(crate) fn has_spaces(text: &[u8]) -> bool {
    text.iter().any(|&byte| byte == 0 || byte == 0x0b || byte.is_ascii_whitespace())
}
