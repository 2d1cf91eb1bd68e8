//! How large a path may be.

/// How long a path may be, in bytes.
pub const MAX_LENGTH: usize = 128 * 1024;
/// How deep brackets, parentheses and signs may nest.
pub const MAX_NESTING: usize = 128;
/// How many patterns a path may hold.
pub const MAX_PATTERNS: usize = 32;
