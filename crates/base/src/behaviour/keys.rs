//! What key specs cannot say about the keys of a request.

use crate::{KeyFlag, KeySpec};

/// Where the keys of one key spec stand in a request; `None` if it cannot be split into keys and
/// others.
pub type Positions = fn(&KeySpec, &[&[u8]]) -> Option<Vec<usize>>;

/// A number that a request says, or a position in it.
pub type Number = fn(&[&[u8]]) -> Option<usize>;

/// What key specs cannot say about the keys of a request.
#[derive(Clone, Copy, Debug)]
pub struct KeyRules {
    /// What the request does with the keys of one of its specs: less than the spec says where it
    /// asks for less (`variable_flags`), or what the spec would say if it were complete.
    pub flags: fn(&KeySpec, &[&[u8]]) -> &'static [KeyFlag],
    /// Where the keys of one of its specs stand, if not where the spec says.
    pub positions: Option<Positions>,
    /// Where the key stands that an option has it store under: no key spec names it, or one names
    /// another although the last one counts.
    pub target: Number,
    /// For a command that may change a key in another database than the session's: which one the
    /// request says, if it does. It may be one that is not there.
    pub database: Option<Number>,
}

impl KeyRules {
    /// The specs say it all.
    pub const NEW: KeyRules =
        KeyRules { flags: |spec, _| spec.flags, positions: None, target: |_| None, database: None };
}
