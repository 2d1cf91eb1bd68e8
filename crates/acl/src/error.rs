//! Why a rule cannot be accepted, in Redis's words.

use std::fmt;

/// What is wrong with a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleError {
    /// No command or category has that name.
    Unknown,
    /// It is no rule.
    Syntax,
    /// A pattern of keys behind one that allows all.
    KeysAfterAll,
    /// A pattern of channels behind one that allows all.
    ChannelsAfterAll,
    /// The password to remove is not there.
    NoSuchPassword,
    /// A hash that is none.
    BadHash,
    /// A first argument behind a subcommand.
    ArgumentOfSubcommand,
    /// The user is declared already.
    Duplicate,
}

impl fmt::Display for RuleError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            RuleError::Unknown => "Unknown command or category name in ACL",
            RuleError::Syntax => "Syntax error",
            RuleError::KeysAfterAll => {
                "Adding a pattern after the * pattern (or the 'allkeys' flag) is not valid and \
                 does not have any effect. Try 'resetkeys' to start with an empty list of patterns"
            }
            RuleError::ChannelsAfterAll => {
                "Adding a pattern after the * pattern (or the 'allchannels' flag) is not valid and \
                 does not have any effect. Try 'resetchannels' to start with an empty list of \
                 channels"
            }
            RuleError::NoSuchPassword => {
                "The password you are trying to remove from the user does not exist"
            }
            RuleError::BadHash => {
                "The password hash must be exactly 64 characters and contain only lowercase \
                 hexadecimal characters"
            }
            RuleError::ArgumentOfSubcommand => {
                "Allowing first-arg of a subcommand is not supported"
            }
            RuleError::Duplicate => {
                "Duplicate user found. A user can only be defined once in config files"
            }
        })
    }
}

impl std::error::Error for RuleError {}
